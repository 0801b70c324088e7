"""What IOzone prints before its numbers: the mark of reconstruction, the banner, the options and the clock.

As versions 3.263, 3.308, 3.327, 3.373, 3.424 and 3.465 print it (``iozone.c``, http://www.iozone.org). Where between
them a list of contributors grew, or ``KB`` became ``kB``, is not known here: a version in between gets the older form.
All of them mean 1024 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable, shell
from storagelab.units import KIB

_BEGIN = (
    "Contributors:William Norcott, Don Capps, Isom Crawford, Kirby Collins",
    "Al Slater, Scott Rhine, Mike Wisner, Ken Goss",
    "Steve Landherr, Brad Smith, Mark Kelly, Dr. Alain CYR,",
)
_CONTRIBUTORS = {
    465: (
        "Randy Dunlap, Mark Montague, Dan Million, Gavin Brebner,",
        "Jean-Marc Zucconi, Jeff Blomberg, Benny Halevy, Dave Boone,",
        "Erik Habbinga, Kris Strecker, Walter Wong, Joshua Root,",
        "Fabrice Bacchella, Zhenghua Xue, Qin Li, Darren Sawyer,",
        "Vangel Bojaxhi, Ben England, Vikentsi Lapa,",
        "Alexey Skidanov.",
    ),
    373: (
        "Randy Dunlap, Mark Montague, Dan Million, Gavin Brebner,",
        "Jean-Marc Zucconi, Jeff Blomberg, Benny Halevy, Dave Boone,",
        "Erik Habbinga, Kris Strecker, Walter Wong, Joshua Root,",
        "Fabrice Bacchella, Zhenghua Xue, Qin Li, Darren Sawyer.",
    ),
    308: (
        "Randy Dunlap, Mark Montague, Dan Million, Gavin Brebner,",
        "Jean-Marc Zucconi, Jeff Blomberg, Benny Halevy,",
        "Erik Habbinga, Kris Strecker, Walter Wong, Joshua Root.",
    ),
    200: (
        "Randy Dunlap, Mark Montague, Dan Million, ",
        "Jean-Marc Zucconi, Jeff Blomberg,",
        "Erik Habbinga, Kris Strecker, Walter Wong.",
    ),
}
_LOWER_CASE_FROM = 424
_LAST = 479
"""From about here on the banner is longer."""


@dataclass(frozen=True, slots=True)
class Banner:
    """Which IOzone it was, and when it began.

    Attributes
    ----------
    started : datetime
        The local time at which the run began; whole seconds are printed.
    version : str
        From 3.200 to 3.479.
    build : str
        The target for which it was compiled.
    program : str
        The name by which it was called.
    """

    started: datetime
    version: str = "3.347"
    build: str = "linux-AMD64"
    program: str = "iozone"

    def release(self) -> int:
        """Return what stands behind the point of the version.

        Raises
        ------
        ReconstructError
            If it is not one of those that this writer imitates.
        """
        found = re.fullmatch(r"3\.(\d{3})", self.version)
        if not found or not min(_CONTRIBUTORS) <= int(found[1]) <= _LAST:
            raise ReconstructError(f"version: expected one from 3.200 to 3.{_LAST}, found {self.version!r}")
        return int(found[1])

    def is_old(self) -> bool:
        """Whether this IOzone spells 1024 bytes ``KB``."""
        return self.release() < _LOWER_CASE_FROM

    def unit(self) -> str:
        """Return how this IOzone spells 1024 bytes in options and results."""
        return "KB" if self.is_old() else "kB"

    def kilobyte(self) -> str:
        """Return how this IOzone writes the word for 1024 bytes."""
        return "Kbyte" if self.is_old() else "kByte"

    def command(self, options: Sequence[str]) -> str:
        """Return the command line with these options, each of which may be several words."""
        return " ".join(printable.line("option", word) for word in (self.program, *options))

    def render(self, options: Sequence[str], said: Iterable[str]) -> str:
        """Return all lines from the mark to the clock and caches.

        Parameters
        ----------
        options : sequence of str
            The options of the command line.
        said : iterable of str
            What IOzone says of them, one line each.
        """
        return f"{shell.REMARK}{self._head()}{_indented(said)}{self._tail(options)}"

    def _head(self) -> str:
        since = next(since for since in _CONTRIBUTORS if since <= self.release())
        contributors = "\n\t             ".join((*_BEGIN, *_CONTRIBUTORS[since]))
        return (
            "\tIozone: Performance Test of File I/O\n"
            f"\t        Version $Revision: {self.version} $\n"
            "\t\tCompiled for 64 bit mode.\n"
            f"\t\tBuild: {printable.word('build', self.build)} \n\n"
            f"\t{contributors}\n\n"
            f"\tRun began: {self.started.ctime()}\n\n"
        )

    def _tail(self, options: Sequence[str]) -> str:
        kilobytes = f"{self.kilobyte()}s"
        return _indented(
            (
                f"Command line used: {self.command(options)}",
                f"Output is in {kilobytes}/sec",
                "Time Resolution = 0.000001 seconds.",
                f"Processor cache size set to 1024 {kilobytes}.",
                "Processor cache line size set to 32 bytes.",
                "File stride size set to 17 * record size.",
            )
        )


def _indented(lines: Iterable[str]) -> str:
    return "".join(f"\t{line}\n" for line in lines)


def kibibytes(name: str, size: float) -> int:
    """Return a size in units of 1024 bytes, as which IOzone takes and prints sizes.

    Raises
    ------
    ReconstructError
        If that is not a whole number above 0; names the size.
    """
    return printable.whole(f"{name} in units of 1024 B", printable.positive(name, size) / KIB)

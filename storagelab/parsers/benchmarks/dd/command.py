"""What the command of dd asks for."""

from __future__ import annotations

import math
import re

COMMAND = re.compile(r"\bdd((?: +\w+=\S+)+)")
SIDES = (("read", "if"), ("write", "of"))
_NO_STORAGE = ("/dev/zero", "/dev/null", "/dev/urandom", "/dev/random")
_UNFINISHED = re.compile(r"\bdd(?: {1,20}\w{2,6}=[^\s=\\;&|]{1,200}){1,12}[ \t]{0,20}(\\?)\r?$")
_OPTIONS = re.compile(r"[> \t]{0,20}((?:if|of|bs|ibs|obs|count|skip|seek|conv|iflag|oflag|status)=[^\s=]\S{0,200})")
_NARROWEST = 65
"""A mail breaks no line for a word that had ended before this column."""
_SHELL_PRODUCT = re.compile(r"\$\(\((\d{1,20}(?:\*\d{1,20}){0,9})\)\)")
_BLOCKS = {"": 1.0, "c": 1.0, "w": 2.0, "b": 512.0}
_PREFIXES = "kmgt"


def goes_on(line: str, below: str) -> bool:
    """Whether a line ends within a command, for the sign of a shell or a mail that broke it, and goes on below."""
    more = _OPTIONS.match(below) if "=" in below else None
    ends = more and _UNFINISHED.search(line)
    return bool(more and ends and (ends[1] or len(line.rstrip()) + len(more[1]) >= _NARROWEST))


def options(command: str) -> dict[str, str]:
    """Return what a command asks for; in a mail that was kept as it was sent each ``=`` may be ``=3D``."""
    words = command.split()[1:]
    if all("=3D" in word for word in words):
        words = [word.replace("=3D", "=", 1) for word in words]
    return dict(word.partition("=")[::2] for word in words)


def the_only(text: str) -> dict[str, str]:
    """Return what the command of dd in a longer one asks for; nothing where there is none, or more than one."""
    found = COMMAND.findall(text)
    return options(f"dd{found[0]}") if len(found) == 1 else {}


def idle_operation(options: dict[str, str]) -> str:
    """Return ``read`` or ``write`` where that side alone is no storage, else nothing."""
    idle = [operation for operation, side in SIDES if options.get(side, "").startswith(_NO_STORAGE)]
    return idle[0] if len(idle) == 1 else ""


def record_size(options: dict[str, str]) -> float:
    """Bytes of a record by ``bs=``, of which dd (``2x80x18b``) and the shell take products; 0 where not said."""
    said = options.get("bs", "")
    in_shell = _SHELL_PRODUCT.fullmatch(said)
    return math.prod(map(_size, in_shell[1].split("*") if in_shell else said.split("x")))


def _size(said: str) -> float:
    """Bytes of a size: GNU's K is 1024 and kB 1000, BSD's k and m are powers of 2; 0 where it is none."""
    found = re.fullmatch(r"(\d+)([cwbkKmMgGtT]?)(i?)(B?)", said)
    if not found:
        return 0.0
    size, unit, binary, byte = float(found[1]), found[2].lower(), found[3], found[4]
    if unit in _BLOCKS:
        return size * _BLOCKS[unit]
    return size * (1000.0 if byte and not binary else 1024.0) ** (_PREFIXES.index(unit) + 1)

"""What a line of ``lfs getstripe`` is: a field of a layout, a layout on one line, an object, or the name of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from storagelab.parsers.lustre.getstripe.layouts import Layouts
from storagelab.parsers.model import Parsed

_FIELD = re.compile(r"\s*(?:- )?(lmm|lcme|lcm)_([\w.]+):\s+(\S.*)")
SHORT = re.compile(
    r"stripe_count:\s+(-?\d+)\s+stripe_size:\s+(\d+[KMG]?)\s+(?:\\\s+)?(?:pattern:(?:\s+(?!stripe_)(\S+))?\s+)?"
    r"stripe_offset:\s+(-?\d+)"
)
"""The layout of a directory; its pattern may be empty."""
DIRECTORY = re.compile(
    r"\s*lmv_stripe_count:\s+(-?\d{1,10})\s+lmv_stripe_offset:\s+(-?\d{1,10})(?:\s+lmv_hash_type:\s+(\S{1,60}))?"
    r"(?:\s+lmv_max_inherit:\s+(-?\d{1,10}))?(?:\s+lmv_max_inherit_rr:\s+(-?\d{1,10}))?\s*$"
)
"""The stripes of a directory over MDTs, or the default of those made in it."""
_POOL = re.compile(r"\s*(?:pool:\s+([\w.-]{1,32})\s*)?")
_TORN = re.compile(
    r"\s*(?:stripe_(?!(?!count|size|offset)\w{1,60}/?\s*$)|lcm|lmm|lmv_|pattern:)(?!\w{0,30}:\s*$)|.{0,300}\\\s*$"
    r"|\s*-\s+\d+: \{ l_ost"
)
_BREAKS_OFF = re.compile(r"stripe_count:[^\\]{0,200}\\\s*$")
"""The manual breaks the line of a directory's layout behind a backslash."""
_HEXADECIMAL = re.compile(r"(?:0x)?[0-9a-f]{1,32}", re.ASCII)
_INDEX = r"0x[0-9a-f]{1,8}|\d{1,10}"
"""Of an OST or MDT; ``--hex-idx`` prints them with 0x."""
_INDEX_ALONE = re.compile(_INDEX, re.ASCII)
_COMPOSITE_OBJECT = re.compile(rf"\s*-\s+\d+: \{{ l_ost_idx:\s+({_INDEX}), l_fid:\s+\[?(\w+):0x([0-9a-f]+):", re.ASCII)
_YAML_OBJECT = re.compile(r"\s*(?:- )?l_(ost_idx|mdt_idx|fid):\s+\[?([\w:]+)", re.ASCII)
_HEADING = re.compile(r"\s*(?:lm[mv]_objects:|obdidx\s|mdtidx\s)")
TABLE = re.compile(r"obdidx\s{1,30}objid\s{1,30}objid\s{1,30}group")
"""Above the objects of a file: all that Lustre 1.8 prints of one."""
_FID = r"\[0x[0-9a-f]{1,16}:0x([0-9a-f]{1,8}):0x[0-9a-f]{1,8}\]"
_MDT_OBJECT = re.compile(rf"\s*({_INDEX})\s+{_FID}\s*+(?:\*\s*+)?$")
"""A stripe of a directory."""
_PROMPT = r"\[?[\w.-]{1,64}@[\w.-]{1,64}[: ][^\s\]]{0,200}\]?[$#%>]"
_NO_FILE = re.compile(rf"\s*(?:obdidx|lfs |\S*[#$%] |{_PROMPT})|\s{{3}}(?!\s*/\S+\s*$)|\S*:\s*$")
"""Names that begin with a slash may be indented."""
_UNKNOWN = ["N/A"] * 3
"""Of objects on OSTs that were chosen for the files of a directory, and are not there yet."""


def joined(lines: list[str], parsed: Parsed) -> Iterator[tuple[int, int, str]]:
    """Yield where each line begins and ends, and the line: one that a backslash breaks ends on the next."""
    broken = ""
    for at, line in enumerate([*lines, ""], start=1):
        if broken and SHORT.search(broken + line):
            yield at - 1, at, broken + line
            broken = ""
            continue
        if broken:
            parsed.incomplete("the line is broken off", at - 1)
        broken = line if _BREAKS_OFF.search(line) else ""
        if not broken:
            yield at, at, line


def is_damaged(line: str) -> bool:
    """Whether a character is lost here, or one of the numbers of an object."""
    words = line.split()
    return "\ufffd" in line or (_is_like_object(words) and not _is_object(words))


def _is_like_object(words: list[str]) -> bool:
    return 3 <= len(words) <= 5 and bool(_INDEX_ALONE.fullmatch(words[0])) and words[1:4] != _UNKNOWN


def _is_object(words: list[str]) -> bool:
    """Whether words are index of the OST, identifier in both bases, and group; a star says that the OST is meant."""
    ends = words[4:] in ([], ["*"])
    is_first = len(words) > 3 and _INDEX_ALONE.fullmatch(words[0]) is not None
    return is_first and ends and words[1].isdecimal() and all(map(_HEXADECIMAL.fullmatch, words[2:4]))


def take(layouts: Layouts, line: str, at: int, end: int) -> None:
    """Take a line, which begins and ends on these.

    Raises
    ------
    ValueError
        If it is damaged.
    """
    words = line.split()
    if short := SHORT.search(line):
        _short(layouts, line, short, at, end)
    elif directory := DIRECTORY.match(line):
        layouts.directory(directory, at)
    elif field := _FIELD.match(line.rstrip()):
        layouts.field(field[1], field[2], field[3], at)
    elif _takes_object(layouts, line, words, at):
        return
    elif _TORN.match(line):
        raise ValueError(line)
    else:
        _open_file(layouts, line)


def _takes_object(layouts: Layouts, line: str, words: list[str], at: int) -> bool:
    """Whether a line is one of a list of objects, which is taken; one that is damaged is left."""
    if found := _COMPOSITE_OBJECT.match(line):
        layouts.object(found[1], int(found[3], 16), at)
    elif found := _YAML_OBJECT.match(line):
        layouts.yaml(found[1], found[2], at)
    elif found := _MDT_OBJECT.match(line):
        layouts.object(found[1], int(found[2], 16), at)
    elif heading := _HEADING.match(line):
        layouts.heading("mdt" in heading[0] or "lmv" in heading[0], at)
    elif words[1:4] == _UNKNOWN:
        layouts.object_unknown()
    elif _is_object(words):
        layouts.object(words[0], int(words[1]), at)
    else:
        return _is_like_object(words)
    return True


def _short(layouts: Layouts, line: str, found: re.Match[str], at: int, end: int) -> None:
    layouts.short(found, at, end)
    pool = _POOL.fullmatch(line, found.end())
    if not pool:
        raise ValueError(line)
    if pool[1]:
        layouts.components[-1]["target"] = pool[1]


def _open_file(layouts: Layouts, line: str) -> None:
    """Take a line for the name of a file; behind the end of a fenced block no name holds any more."""
    if line.startswith("```"):
        layouts.open_file("")
    elif line.strip() and ":" not in line and not _NO_FILE.match(line):
        layouts.open_file(line.strip())

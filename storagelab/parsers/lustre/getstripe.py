"""``lfs getstripe``: how files are striped over OSTs; plain, composite and mirrored layouts.

Nothing is measured here: a row of `series` a component of a file gives `stripe_count`, `stripe_size`, `stripe_offset`
and `striping` (the pattern), one an object its OST (`target`) and its identifier (`metric` "objid"). `replicas` is the
number of mirrors. A log of one plain layout has stripe size and count in its header too: what holds for the whole log.
"""

from __future__ import annotations

import re

from storagelab.errors import ParseError
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import without_prefix

FORMAT = Format(
    name="lfs-getstripe",
    tool="lfs getstripe",
    versions="Lustre 1.8 to 2.15",
    reads="plain and composite layouts, mirrors, directories' defaults, --yaml",
    source="lustre/utils/liblustreapi.c (llapi_lov_dump_user_lmm); Lustre manual, Managing File Layout",
    marks=("stripe",),
)

_FIELD = re.compile(r"\s*(?:- )?(lmm|lcme|lcm)_([\w.]+):\s+(\S.*?)\s*$")
_SHORT = re.compile(
    r"stripe_count:\s+(-?\d+)\s+stripe_size:\s+(\d+)\s+(?:pattern:\s+(\S+)\s+)?stripe_offset:\s+(-?\d+)"
)
_OBJECT = re.compile(r"\s*(\d+)\s+(\d+)\s+0x([0-9a-f]+)\s+(?:0x)?[0-9a-f]+\s*(?:\*)?\s*$")
_LIKE_OBJECT = re.compile(r"\s*\d+\s+\S+\s+\S*(?:\s+\S+)?\s*$")
_COMPOSITE_OBJECT = re.compile(r"\s*- \d+: \{ l_ost_idx: (\d+), l_fid: \[?(\w+):0x([0-9a-f]+):")
_FILE = re.compile(r"(?!\s*(?:obdidx|\S*[#$%] ))\s{0,2}(\S[^:]*?)\s*$")
_NUMBERS = {"stripe_count": "stripe_count", "stripe_size": "stripe_size", "stripe_offset": "stripe_offset"}
_TEXTS = {"pattern": "striping"}


def sniff(head: str) -> bool:
    """Whether a stripe count and a stripe size of a layout stand here."""
    return ("lmm_stripe_count:" in head and "lmm_stripe_size:" in head) or (
        "stripe_count:" in head and bool(_SHORT.search(head))
    )


class _Reader:
    """The layout that is open, and what was read of others."""

    def __init__(self) -> None:
        self.components: list[Row] = []
        self.objects: list[Row] = []
        self.file = ""
        self.keys: Row = {}

    def field(self, kind: str, name: str, printed: str, at: int) -> None:
        """Take a field; a component begins with its identifier, a plain layout with its stripe count."""
        if (kind, name) == ("lcm", "mirror_count"):
            self.keys = {"replicas": float(printed)}
        elif (kind, name) == ("lcme", "mirror_id"):
            self.keys |= {"component": f"mirror {printed}"}
        elif kind == "lmm" and name == "stripe_count":
            self.components.append({"file": self.file, **self.keys, "stripe_count": float(printed), "line": at})
        elif kind == "lmm" and self.components and name in _NUMBERS:
            self.components[-1][_NUMBERS[name]] = float(printed)
        elif kind == "lmm" and self.components and name in _TEXTS:
            self.components[-1][_TEXTS[name]] = printed

    def object(self, ost: str, identifier: int, at: int) -> None:
        """Take an object."""
        one: Row = {"file": self.file, "target": ost, "metric": "objid", "value": float(identifier), "line": at}
        self.objects.append(one)

    def short(self, found: re.Match[str], at: int) -> None:
        """Take a layout on one line, as of a directory."""
        count, size, pattern, offset = found.groups()
        row: Row = {"file": self.file, "stripe_count": float(count), "stripe_size": float(size)}
        row |= {"stripe_offset": float(offset), "line": at}
        self.components.append(row | ({"striping": pattern} if pattern else {}))


def parse(text: str) -> Parsed:
    """Read every layout.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "lfs getstripe"})
    reader = _Reader()
    *lines, rest = without_prefix(text.split("\n"))
    for at, line in enumerate(lines, start=1):
        try:
            _take(reader, line, at)
        except ValueError:
            parsed.incomplete(f"expected a number, found {line.strip()!r}", at)
        if "\ufffd" in line or (_LIKE_OBJECT.match(line) and not _OBJECT.match(line)):
            parsed.incomplete("the line is damaged", at)
    if rest.strip():
        parsed.incomplete("the last line has no end and is not trusted", len(lines) + 1)
    for component in reader.components:
        if "stripe_size" not in component:
            parsed.incomplete("the layout has no stripe size", int(component["line"]))
    if not reader.components:
        raise ParseError("a layout ('lmm_stripe_count: ...')", text[:80], 1)
    if len(reader.components) == 1:
        parsed.header |= {
            name: reader.components[0][name] for name in ("stripe_size", "stripe_count") if name in reader.components[0]
        }
    parsed.series = columns([*reader.components, *reader.objects])
    return parsed


def _take(reader: _Reader, line: str, at: int) -> None:
    if short := _SHORT.search(line):
        reader.short(short, at)
    elif field := _FIELD.match(line):
        reader.field(field[1], field[2], field[3], at)
    elif found := _COMPOSITE_OBJECT.match(line):
        reader.object(found[1], int(found[3], 16), at)
    elif found := _OBJECT.match(line):
        reader.object(found[1], int(found[2]), at)
    elif found := _FILE.match(line):
        reader.file, reader.keys = found[1], {}

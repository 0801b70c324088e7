"""``lfs getstripe``: how files are striped over OSTs; plain, composite and mirrored layouts; ``lfs getdirstripe``.

Nothing is measured here: a row of `series` a component of a file gives `stripe_count`, `stripe_size`, `stripe_offset`,
`striping` (the pattern) and, as `target`, the pool of OSTs it is bound to; one an object its OST (`target`) and its
identifier (`metric` "objid"). `replicas` is the number of mirrors. Where a component begins and ends, and how it is
compressed, are rows with `metric`. The stripes of a directory over MDTs have no size. A log of one plain layout has
stripe size and count in its header too: what holds for the whole log.

Lustre 2.1 prints no `lmm_layout_gen`, 2.5 no `lmm_pattern`, 2.10 no mirrors. From 2.10 on two blanks stand behind
`lmm_stripe_count`, where three stood before: there, pattern and generation are printed too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from storagelab.parsers.checks import Checks, Line, words
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.placed import on, settled
from storagelab.parsers.text import without_prefix
from storagelab.parsers.trusted import refusal
from storagelab.schema import LINE_OF, line_of
from storagelab.units import KIB

CHECKS = Checks(
    together=(
        (
            *words("lmm_stripe_count:"),
            Line("lmm_stripe_size:", r"lmm_(?:stripe|extension)_size:", "_size:"),
            Line("lmm_stripe_offset:", r"lmm_(?:stripe_offset|mdt_index):", "lmm_"),
        ),
        words("lcme_id:", "lcme_flags:", "lcme_extent.e_start:", "lcme_extent.e_end:"),
        words("lcm_layout_gen:", "lcm_entry_count:"),
    ),
    alike=(
        words("lmm_stripe_count:", "lmm_layout_gen:", "lmm_pattern:"),
        words("lcme_id:", "lcme_mirror_id:"),
        words("lcm_layout_gen:", "lcm_mirror_count:"),
    ),
    below=(
        words("lcm_mirror_count:", "lcme_mirror_id:"),
        (
            Line("lmm_stripe_count:", r"lmm_stripe_count:  (?! )", "lmm_stripe_count:", "literal"),
            *words("lmm_pattern:", "lmm_layout_gen:"),
        ),
    ),
)

FORMAT = Format(
    name="lfs-getstripe",
    tool="lfs getstripe",
    versions="Lustre 1.8 to 2.17",
    reads="plain and composite layouts, mirrors, directories' defaults, --yaml; getdirstripe",
    source="lustre/utils/liblustreapi.c (llapi_lov_dump_user_lmm, lmv_...); Lustre manual, Managing File Layout",
    marks=("stripe",),
    opens=(
        "lmm_stripe_count:",
        "lcm_layout_gen:",
        "stripe_count:",
        "lmv_stripe_count:",
    ),
    checks=CHECKS,
)

_FIELD = re.compile(r"\s*(?:- )?(lmm|lcme|lcm)_([\w.]+):\s+(\S.*)")
_SHORT = re.compile(
    r"stripe_count:\s+(-?\d+)\s+stripe_size:\s+(\d+)\s+(?:\\\s+)?(?:pattern:(?:\s+(?!stripe_)(\S+))?\s+)?"
    r"stripe_offset:\s+(-?\d+)"
)
"""The layout of a directory; its pattern may be empty."""
_DIRECTORY = re.compile(
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
_FID = r"\[0x[0-9a-f]{1,16}:0x([0-9a-f]{1,8}):0x[0-9a-f]{1,8}\]"
_MDT_OBJECT = re.compile(rf"\s*({_INDEX})\s+{_FID}\s*+(?:\*\s*+)?$")
"""A stripe of a directory."""
_PROMPT = r"\[?[\w.-]{1,64}@[\w.-]{1,64}[: ][^\s\]]{0,200}\]?[$#%>]"
_NO_FILE = re.compile(rf"\s*(?:obdidx|lfs |\S*[#$%] |{_PROMPT})|\s{{3}}(?!\s*/\S+\s*$)|\S*:\s*$")
"""Names that begin with a slash may be indented."""
_UNKNOWN = ["N/A"] * 3
"""Of objects on OSTs that were chosen for the files of a directory, and are not there yet."""
_LEFT_OUT = re.compile(r"\s*(?:\.{3}|\u2026|\[\.{3}\]|\[snip\])\s*")
_NUMBERS = {"stripe_count": "stripe_count", "stripe_size": "stripe_size", "stripe_offset": "stripe_offset"}
_TEXTS = {"pattern": "striping", "pool": "target"}
_IN_PLACE = {"extension_size": "B", "mdt_index": "1"}
"""What stands in place of a stripe size where a file grows in steps, and of an OST where a component is on an MDT."""
_MOST_STRIPES = 2**16
"""Lustre allows 2000; a count from here on is damaged, and nothing is counted by it."""
_OF_SOME = re.compile(r"getstripe [^\n]{0,200}?(?:-I|-O|-i |--component-|--mirror-|--obd|--ost)")
"""A command that asks for some components, or for objects on some OSTs, only."""
_EXTENT = ("extent.e_start", "extent.e_end")
_BITS_BELOW_MIRROR = 16
_OF_ENTRIES = {
    "compr_lvl": ("1", 1.0),
    "compr_chunk_kb": ("B", KIB),
    "dstripe_count": ("1", 1.0),
    "cstripe_count": ("1", 1.0),
    "ec_raidset_count": ("1", 1.0),
}
"""How a component is compressed or coded: unit, and the factor to it."""


def sniff(head: str) -> bool:
    """Whether a stripe count and a stripe size of a layout stand here."""
    return ("lmm_stripe_count:" in head and "lmm_stripe_size:" in head) or (
        "stripe_count:" in head and (bool(_SHORT.search(head)) or any(map(_DIRECTORY.match, head.split("\n"))))
    )


class _Reader:
    """The layout that is open, and what was read of others."""

    def __init__(self) -> None:
        self.components: list[Row] = []
        self.directories: list[Row] = []
        self.objects: list[Row] = []
        self.file = ""
        self.keys: Row = {}
        self.ost = ""
        self.extents: list[Row] = []
        self.nameless: list[int] = []
        """Where a layout begins below another, and no name of a file between them."""
        self.mirror_not_counted = 0
        self._has_layout = False
        self._has_entry = False
        self.components_to_come: dict[int, int] = {}
        self.objects_to_come: dict[int, int] = {}
        """Of each layout or list of objects, by the line that says how many there are."""

    def field(self, kind: str, name: str, printed: str, at: int) -> None:
        """Take a field; a component begins with its identifier, a plain layout with its stripe count.

        Raises
        ------
        ValueError
            If another field stands on its line, or it is none of the numbers that it should be.
        """
        if " stripe_" in printed:
            raise ValueError(printed)
        if (kind, name) == ("lcm", "layout_gen"):
            self._begin(at)
        elif (kind, name) == ("lcm", "mirror_count"):
            self.keys = on(at, {"replicas": float(printed)})
        elif (kind, name) == ("lcm", "entry_count"):
            self.components_to_come[at] = int(printed)
        elif kind == "lcme":
            self._entry(name, printed, at)
        elif kind == "lmm" and name == "stripe_count":
            self._lay_out(at)
            self.components.append({"file": self.file, **self.keys, "stripe_count": float(printed), "line": at})
        elif kind == "lmm" and self.components and name in _NUMBERS:
            self.components[-1] |= on(at, {_NUMBERS[name]: _number(printed)})
        elif kind == "lmm" and self.components and name in _IN_PLACE:
            self._said(f"lmm_{name}", _number(printed), _IN_PLACE[name], at)
            self.components[-1] |= {"is_whole": True} if name == "extension_size" else {}
        elif kind == "lmm" and self.components and name in _TEXTS:
            self.components[-1][_TEXTS[name]] = printed

    def open_file(self, name: str) -> None:
        """Take the name of the file whose layout comes next; "" where it has none."""
        self.file, self.keys = name, {}
        self._has_layout = self._has_entry = False

    def _begin(self, at: int) -> None:
        """Begin the layout of a file, which loses its name where that of the one before would stand for it."""
        if self._has_layout and self.file:
            self.nameless.append(at)
            self.open_file("")
        self._has_layout = True

    def _lay_out(self, at: int) -> None:
        """Begin the stripes of an entry of a composite layout, or else a layout of its own."""
        if not self._has_entry:
            self._begin(at)
        self._has_entry = False

    def _entry(self, name: str, printed: str, at: int) -> None:
        """Take what a component says of itself: its mirror where there are several, and where in the file it lies."""
        if name == "id":
            _came(self.components_to_come)
            self.keys.pop("component", None)
            self._has_entry = self._has_layout = True
            if printed.isdecimal():
                self._mirror(int(printed) >> _BITS_BELOW_MIRROR)
        elif name == "mirror_id":
            if "replicas" not in self.keys:
                self.mirror_not_counted = self.mirror_not_counted or at
            if printed.isdecimal():
                self._mirror(int(printed))
        elif name in _EXTENT:
            known = str(self.keys.get("component", ""))
            self.keys["component"] = (
                f"{known} to {printed}" if name == _EXTENT[1] else f"{known} from {printed}".lstrip()
            )
            if printed.isdecimal():
                self._said(f"lcme_{name}", float(printed), "B", at)
        elif name in _OF_ENTRIES:
            unit, factor = _OF_ENTRIES[name]
            self._said(f"lcme_{name}", float(printed) * factor, unit, at)

    def _mirror(self, mirror: int) -> None:
        """Take the mirror that a component is of; Lustre 2.11 says it in the upper half of the identifier alone."""
        if mirror and self.keys.get("replicas", 1.0) != 1:
            self.keys["component"] = f"mirror {mirror}"

    def _said(self, name: str, value: float, unit: str, at: int) -> None:
        said: Row = {"file": self.file, "metric": name, "unit": unit, "value": value, "line": at}
        self.extents.append(said)

    def yaml(self, name: str, printed: str, at: int) -> None:
        """Take an object that stands on two lines."""
        if name != "fid":
            self.ost = printed
        elif printed.count(":") == 2:
            self.object(self.ost, int(printed.split(":")[1], 16), at)

    def object(self, ost: str, identifier: int, at: int) -> None:
        """Take an object.

        Raises
        ------
        ValueError
            If the identifier has more than 64 bits.
        """
        if identifier >= 2**64:
            raise ValueError(hex(identifier))
        _came(self.objects_to_come)
        one: Row = {"file": self.file, "target": _decimal(ost), "metric": "objid", "value": float(identifier)}
        self.objects.append(one | {"line": at})

    def directory(self, found: re.Match[str], at: int) -> None:
        """Take the stripes of a directory over MDTs."""
        count, offset, kind, depth, depth_in_turn = found.groups()
        row: Row = {"file": self.file, "stripe_count": float(count), "stripe_offset": float(offset), "line": at}
        self.directories.append(row | ({"striping": kind} if kind else {}))
        for name, said in (("lmv_max_inherit", depth), ("lmv_max_inherit_rr", depth_in_turn)):
            if said:
                self._said(name, float(said), "1", at)

    def heading(self, of_directory: bool, at: int) -> None:
        """Take the heading of a list of objects, which has as many as the layout above it has stripes."""
        layouts = self.directories if of_directory else self.components
        if layouts and abs(count := float(str(layouts[-1]["stripe_count"]))) < _MOST_STRIPES:
            self.objects_to_come[at] = int(count)

    def short(self, found: re.Match[str], at: int, end: int) -> None:
        """Take a layout on one line, as of a directory, or on two."""
        self._lay_out(at)
        count, size, pattern, offset = found.groups()
        row: Row = {"file": self.file, **self.keys, "stripe_count": float(count), "stripe_size": float(size)}
        row = settled({**row, **on(end, {"stripe_offset": float(offset)}), "line": at})
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
    *lines, rest = text.split("\n") if _SHORT.match(text.lstrip()) else without_prefix(text.split("\n"))
    for at, end, line in _joined(lines, parsed):
        if _LEFT_OUT.fullmatch(line):
            parsed.incomplete("lines were left out here", at)
            continue
        try:
            _take(reader, line, at, end)
        except ValueError:
            parsed.incomplete(f"expected a number, found {line.strip()!r}", at)
        words = line.split()
        if "\ufffd" in line or (_is_like_object(words) and not _is_object(words)):
            parsed.incomplete("the line is damaged", at)
    parsed.cut_line(rest, len(lines) + 1)
    _say_what_lacks(reader, parsed, text)
    if not (reader.components or reader.directories):
        raise refusal("a layout ('lmm_stripe_count: ...')", text)
    _add_keys(reader.components, parsed)
    parsed.series = columns([*reader.components, *reader.directories, *reader.extents, *reader.objects])
    return parsed


def _say_what_lacks(reader: _Reader, parsed: Parsed, text: str) -> None:
    """Say which layouts lack their stripe size, a component, or the name of a file."""
    for component in reader.components:
        if not component.pop("is_whole", False) and "stripe_size" not in component:
            parsed.incomplete("the layout has no stripe size", int(component["line"]))
    lacking = [("components", *item) for item in reader.components_to_come.items()]
    lacking += [("objects", *item) for item in reader.objects_to_come.items()]
    for what, at, count in lacking:
        if count > 0 and not _OF_SOME.search(text):
            parsed.incomplete(f"expected as many {what} as the layout has, found {count} less", at)
    for at in reader.nameless:
        parsed.incomplete("expected the name of a file before its layout, found another layout", at)
    if reader.mirror_not_counted:
        parsed.note("expected 'lcm_mirror_count:' above 'lcme_mirror_id:', found none", reader.mirror_not_counted)
    if reader.components and not reader.components[0]["file"]:
        parsed.note("expected the name of a file before its layout, found none", int(reader.components[0]["line"]))


def _add_keys(components: list[Row], parsed: Parsed) -> None:
    """Give the log the stripes of its only layout."""
    if len(components) == 1:
        only = components[0]
        stripes = [name for name in ("stripe_size", "stripe_count") if name in only]
        parsed.header |= {name: only[name] for name in stripes}
        parsed.header |= {LINE_OF[name]: line_of(only, name) for name in stripes}


def _joined(lines: list[str], parsed: Parsed) -> Iterator[tuple[int, int, str]]:
    """Yield where each line begins and ends, and the line: one that a backslash breaks ends on the next."""
    broken = ""
    for at, line in enumerate([*lines, ""], start=1):
        if broken and _SHORT.search(broken + line):
            yield at - 1, at, broken + line
            broken = ""
            continue
        if broken:
            parsed.incomplete("the line is broken off", at - 1)
        broken = line if _BREAKS_OFF.search(line) else ""
        if not broken:
            yield at, at, line


def _number(printed: str) -> float:
    """Read a number, which may be hexadecimal.

    Raises
    ------
    ValueError
        If it is none.
    """
    return float(int(printed, 16)) if printed.startswith("0x") else float(printed)


def _decimal(index: str) -> str:
    """Return the index of an OST in decimal digits, however it is printed."""
    return str(int(index, 16)) if index.startswith("0x") else index


def _came(to_come: dict[int, int]) -> None:
    """Count one of the last that were announced."""
    if to_come:
        to_come[max(to_come)] -= 1


def _is_like_object(words: list[str]) -> bool:
    return 3 <= len(words) <= 5 and bool(_INDEX_ALONE.fullmatch(words[0])) and words[1:4] != _UNKNOWN


def _is_object(words: list[str]) -> bool:
    """Whether words are index of the OST, identifier in both bases, and group; a star says that the OST is meant."""
    ends = words[4:] in ([], ["*"])
    is_first = len(words) > 3 and _INDEX_ALONE.fullmatch(words[0]) is not None
    return is_first and ends and words[1].isdecimal() and all(map(_HEXADECIMAL.fullmatch, words[2:4]))


def _take(reader: _Reader, line: str, at: int, end: int) -> None:
    words = line.split()
    if short := _SHORT.search(line):
        _short(reader, line, short, at, end)
    elif directory := _DIRECTORY.match(line):
        reader.directory(directory, at)
    elif field := _FIELD.match(line.rstrip()):
        reader.field(field[1], field[2], field[3], at)
    elif _takes_object(reader, line, words, at):
        return
    elif _TORN.match(line):
        raise ValueError(line)
    else:
        _open_file(reader, line)


def _takes_object(reader: _Reader, line: str, words: list[str], at: int) -> bool:
    """Whether a line is one of a list of objects, which is taken; one that is damaged is left."""
    if found := _COMPOSITE_OBJECT.match(line):
        reader.object(found[1], int(found[3], 16), at)
    elif found := _YAML_OBJECT.match(line):
        reader.yaml(found[1], found[2], at)
    elif found := _MDT_OBJECT.match(line):
        reader.object(found[1], int(found[2], 16), at)
    elif heading := _HEADING.match(line):
        reader.heading("mdt" in heading[0] or "lmv" in heading[0], at)
    elif words[1:4] == _UNKNOWN:
        _came(reader.objects_to_come)
    elif _is_object(words):
        reader.object(words[0], int(words[1]), at)
    else:
        return _is_like_object(words)
    return True


def _short(reader: _Reader, line: str, found: re.Match[str], at: int, end: int) -> None:
    reader.short(found, at, end)
    pool = _POOL.fullmatch(line, found.end())
    if not pool:
        raise ValueError(line)
    if pool[1]:
        reader.components[-1]["target"] = pool[1]


def _open_file(reader: _Reader, line: str) -> None:
    """Take a line for the name of a file; behind the end of a fenced block no name holds any more."""
    if line.startswith("```"):
        reader.open_file("")
    elif line.strip() and ":" not in line and not _NO_FILE.match(line):
        reader.open_file(line.strip())

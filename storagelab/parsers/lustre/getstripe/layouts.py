"""What is known of layouts while the lines of a log come by."""

from __future__ import annotations

import re

from storagelab.parsers.model import Row
from storagelab.parsers.values_on_several_lines import on, settled
from storagelab.units import KIB, powers

_NUMBERS = {"stripe_count": "stripe_count", "stripe_size": "stripe_size", "stripe_offset": "stripe_offset"}
_TEXTS = {"pattern": "striping", "pool": "target"}
_IN_PLACE = {"extension_size": "B", "mdt_index": "1"}
"""What stands in place of a stripe size where a file grows in steps, and of an OST where a component is on an MDT."""
_MOST_STRIPES = 2**16
"""Lustre allows 2000; a count from here on is damaged, and nothing is counted by it."""
_PREFIXES = powers(KIB, "KMG")
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


class Layouts:
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
            self._said("lcm_entry_count", float(printed), "1", at)
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

    def object_unknown(self) -> None:
        """Take an object that is announced, and whose OST nobody knows yet."""
        _came(self.objects_to_come)

    def directory(self, found: re.Match[str], at: int) -> None:
        """Take the stripes of a directory over MDTs."""
        count, offset, kind, depth, depth_in_turn = found.groups()
        row: Row = {"file": self.file, "stripe_count": float(count), "stripe_offset": float(offset), "line": at}
        self.directories.append(row | ({"striping": kind} if kind else {}))
        for name, said in (("lmv_max_inherit", depth), ("lmv_max_inherit_rr", depth_in_turn)):
            if said:
                self._said(name, float(said), "1", at)

    def heading(self, of_directory: bool, at: int) -> None:
        """Take the heading of a list of objects: as many as the layout above it has stripes; unknown without one."""
        layouts = self.directories if of_directory else self.components
        is_of_file = bool(layouts) and layouts[-1]["file"] == self.file
        count = float(str(layouts[-1]["stripe_count"])) if is_of_file else 0.0
        if abs(count) < _MOST_STRIPES:
            self.objects_to_come[at] = int(count)

    def short(self, found: re.Match[str], at: int, end: int) -> None:
        """Take a layout on one line, as of a directory, or on two."""
        self._lay_out(at)
        count, size, pattern, offset = found.groups()
        row: Row = {"file": self.file, **self.keys, "stripe_count": float(count), "stripe_size": _size(size)}
        row = settled({**row, **on(end, {"stripe_offset": float(offset)}), "line": at})
        self.components.append(row | ({"striping": pattern} if pattern else {}))


def _number(printed: str) -> float:
    """Read a number, which may be hexadecimal.

    Raises
    ------
    ValueError
        If it is none, or larger than any.
    """
    try:
        return float(int(printed, 16)) if printed.startswith("0x") else float(printed)
    except OverflowError:
        raise ValueError(printed) from None


def _size(printed: str) -> float:
    """Read a size in bytes, or with the letter that old versions print."""
    prefix = printed.lstrip("0123456789")
    return float(printed.removesuffix(prefix)) * _PREFIXES.get(prefix, 1.0)


def _decimal(index: str) -> str:
    """Return the index of an OST in decimal digits, however it is printed."""
    return str(int(index, 16)) if index.startswith("0x") else index


def _came(to_come: dict[int, int]) -> None:
    """Count one of the last that were announced."""
    if to_come:
        to_come[max(to_come)] -= 1

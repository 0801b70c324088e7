"""Which outputs differ, and by how much: the largest relative difference of the numbers in them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from netCDF4 import Dataset
from PIL import Image

from tests.machines import pipeline

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]*\w)|[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?")
OPAQUE = re.compile(r"base64,[A-Za-z0-9+/=\s]+|\b[0-9a-f]{32,128}\b|\b[a-z][0-9a-f]{10}\b")
"""What holds digits and no numbers: embedded files, digests, and the names that matplotlib makes of these."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A file that differs, what does in it, and the largest relative difference, if numbers are all that does."""

    path: str
    what: str
    relative: float | None = None

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


def compare(reference: Path, other: Path, paths: Sequence[str]) -> tuple[int, list[Difference]]:
    """Compare all files at and below some paths of two folders; return how many there are, and what differs."""
    ours, theirs = pipeline.files(reference, paths), pipeline.files(other, paths)
    names = sorted({*ours, *theirs})
    return len(names), [found for name in names if (found := _difference(name, ours.get(name), theirs.get(name)))]


def _difference(name: str, ours: Path | None, theirs: Path | None) -> Difference | None:
    if ours is None or theirs is None:
        return Difference(name, "is made only here" if ours is None else "is missing here")
    return measured(name, ours.read_bytes(), theirs.read_bytes())


def measured(name: str, ours: bytes, theirs: bytes) -> Difference | None:
    """Say how two versions of a file differ; None where they do not."""
    if ours == theirs:
        return None
    measure = MEASURES.get(Path(name).suffix, _text)
    what, relative = measure(ours, theirs)
    return Difference(name, what, relative)


Measured = tuple[str, float | None]


def _text(ours: bytes, theirs: bytes) -> Measured:
    texts = [text.decode(errors="replace") for text in (ours, theirs)]
    opaque = [OPAQUE.findall(text) for text in texts]
    a, b = (OPAQUE.sub("(digest)", text) for text in texts)
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return _first_line(a, b), None
    places = map(_place, NUMBER.finditer(a))
    what, worst = _numbers(zip(places, NUMBER.findall(a), NUMBER.findall(b), strict=True))
    if changed := sum(x != y for x, y in zip(*opaque, strict=True)):
        names = f"{changed} of {len(opaque[0])} digests or embedded files differ"
        return f"{names}, and {what}" if worst is not None else names, worst
    return what, worst


def _place(found: re.Match[str]) -> str:
    return f"line {found.string.count(chr(10), 0, found.start()) + 1}"


def _first_line(a: str, b: str) -> str:
    pairs = zip_longest(a.splitlines(), b.splitlines(), fillvalue="(nothing)")
    number, (x, y) = next(
        (n, pair) for n, pair in enumerate(pairs, 1) if NUMBER.sub("#", pair[0]) != NUMBER.sub("#", pair[1])
    )
    at = next((i for i, (p, q) in enumerate(zip(x, y, strict=False)) if p != q), min(len(x), len(y)))
    around = slice(max(at - 30, 0), at + 50)
    return f"text differs, first in line {number}: {y[around]!r} for {x[around]!r}"


def _json(ours: bytes, theirs: bytes) -> Measured:
    a, b = (dict(_leaves(json.loads(text))) for text in (ours, theirs))
    if changed := [
        name for name in {**a, **b} if not _both_numbers(a.get(name), b.get(name)) and a.get(name) != b.get(name)
    ]:
        name = changed[0]
        more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
        return f"{name} is {_short(b.get(name))} for {_short(a.get(name))}{more}", None
    pairs = [(name, a[name], b[name]) for name in a if _both_numbers(a[name], b[name])]
    return _numbers(iter(pairs)) if a != b else ("only the order or the spelling differs", None)


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(item, f"{name}.{key}" if name else str(key))
    else:
        yield name, value


def _both_numbers(a: Any, b: Any) -> bool:
    return all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (a, b))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) < 80 else f"{text[:77]}..."


def _numbers(pairs: Iterator[tuple[str, Any, Any]]) -> Measured:
    """Count the numbers that differ, and find the one that does most."""
    places = list(pairs)
    found = [(relative(float(a), float(b)), place, a, b) for place, a, b in places if a != b]
    if not found:
        return "only its bytes differ", None
    worst, place, a, b = max(found, key=lambda one: one[0])
    return f"{len(found)} of {len(places)} numbers by {worst:.1e} at most ({place}: {b} for {a})", worst


def relative(a: Any, b: Any) -> Any:
    """Difference of numbers over the larger; 0 for two that are missing, infinite where one is."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(x == y, 0.0, np.abs(x - y) / np.maximum(np.abs(x), np.abs(y)))
    found = np.where(np.isnan(x) & np.isnan(y), 0.0, np.where(np.isnan(found), np.inf, found))
    return float(found) if not found.ndim else found


def _netcdf(ours: bytes, theirs: bytes) -> Measured:
    with Dataset("ours", memory=ours) as first, Dataset("theirs", memory=theirs) as second:
        a, b = dict(_variables(first)), dict(_variables(second))
    if changed := [name for name in {**a, **b} if _plain(a.get(name)) != _plain(b.get(name))]:
        return f"{', '.join(changed[:5])} {'differs' if len(changed) == 1 else 'differ'} in more than numbers", None
    worst = {name: float(relative(a[name], b[name]).max(initial=0)) for name in a if isinstance(a[name], np.ndarray)}
    found = sorted(((value, name) for name, value in worst.items() if value), reverse=True)
    if not found:
        return "only its bytes differ", None
    return "; ".join(f"{name} by {value:.1e} at most" for value, name in found), found[0][0]


def _variables(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Attributes as text, numbers as arrays, and text as lists."""
    yield f"{path}attributes", str({name: str(group.getncattr(name)) for name in group.ncattrs()})
    for name, variable in group.variables.items():
        values = np.asarray(variable[...])
        yield f"{path}{name}", values if values.dtype.kind in "iuf" else values.tolist()
        yield f"{path}{name} attributes", str({key: str(variable.getncattr(key)) for key in variable.ncattrs()})
    for name, child in group.groups.items():
        yield from _variables(child, f"{path}{name}/")


def _plain(value: Any) -> object:
    """What must be equal of a variable: all of it, or the shape of numbers."""
    return (value.shape, value.dtype) if isinstance(value, np.ndarray) else value


def _png(ours: bytes, theirs: bytes) -> Measured:
    a, b = (np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"), dtype=np.int16) for data in (ours, theirs))
    if a.shape != b.shape:
        return f"{b.shape[1]} x {b.shape[0]} pixels for {a.shape[1]} x {a.shape[0]}", None
    gaps = np.abs(a - b).max(axis=-1)
    if not gaps.any():
        return "only its bytes differ", None
    return f"{np.count_nonzero(gaps)} of {gaps.size} pixels by {gaps.max()} of 255 at most", None


MEASURES: Mapping[str, Callable[[bytes, bytes], Measured]] = {
    ".json": _json, ".ipynb": _json, ".nc": _netcdf, ".png": _png,
}  # fmt: skip
"""How versions of a file are measured, by its suffix; all others are text with numbers in it."""

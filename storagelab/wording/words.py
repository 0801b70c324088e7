"""The words around a figure, made from its data: names of levels, captions, alternative texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike

from storagelab.analysis import columns, table
from storagelab.analysis.basis import KEY as BASIS
from storagelab.analysis.efficiency.jobs import PARTS
from storagelab.analysis.inference.dependence import LESS_THAN_ONE
from storagelab.analysis.runs import RATES
from storagelab.analysis.significant_digits import first_extreme
from storagelab.wording import quantities

COUNTED = {
    "clients": ("client", "clients"),
    "jobs": ("job", "jobs"),
    "processes": ("process", "processes"),
    "nodes": ("node", "nodes"),
}
"""Keys whose levels count something: one of it, and several."""

NAMES = ("run_id", "client", "host", "server", "target", "interface", "device", "process", "file", "tree", "log", "job")
"""Keys whose levels are names, which are left as they are written."""

OF_WHAT = ("driver_disk", "driver_net")
"""Keys of which one has the levels of the other, so that a level alone does not say which is meant."""


def without_interval(rows: pd.DataFrame, what: str, sizes: Sequence[str] = ("n",)) -> str:
    """Say of which points there is no interval: ``; no bar where n = 1``; and where one of a rate is below zero."""
    reasons = [
        reason
        for reason, holds in (
            ("n = 1", any((rows[name] == 1).any() for name in sizes)),
            ("runs depend too much on the ones before", "caveat" in rows and (rows["caveat"] == LESS_THAN_ONE).any()),
        )
        if holds
    ]
    below = "; an interval that reaches below zero is of too few runs: no rate is negative" if _below_zero(rows) else ""
    return (f"; no {what} where {' or '.join(reasons)}" if reasons else "") + below


def _below_zero(rows: pd.DataFrame) -> bool:
    """Whether an interval of a rate holds what no rate can be."""
    ends = [str(name) for name in rows if str(name).endswith("_low") and columns.known(str(name))]
    return any(columns.field(name).unit in RATES and bool((rows[name] < 0).any()) for name in ends)


def long_name(name: str) -> str:
    """Look up what the contract calls a name in full."""
    return columns.field(name).long_name


def level(key: str, value: object) -> str:
    """Write a level as an axis or legend shows it: ``64 KiB``, ``12``, ``file create``."""
    if isinstance(value, (float, int, np.floating, np.integer)):
        number = float(value)
        unit = columns.field(key).unit
        if not np.isfinite(number):
            return "not known"
        return quantities.size(number) if unit == "B" else quantities.scale(str(unit), number)(number)
    if value == "":
        return "none"
    return str(value) if key in NAMES else str(value).replace("_", " ")


def full(key: str, value: object) -> str:
    """Write a level where nothing else says of what: ``1 client``, ``64 KiB``, ``repeat 3``, ``disk driver ide``."""
    if key in OF_WHAT and value != "":
        return f"{long_name(key)} {level(key, value)}"
    if not isinstance(value, (float, int, np.floating, np.integer)) or columns.field(key).unit == "B":
        return level(key, value)
    if key in COUNTED:
        return f"{value:g} {COUNTED[key][value != 1]}"
    if key in PARTS:
        return f"all {PARTS[key]}" if value == 1 else f"{100 * value:g} % of {PARTS[key]}"
    if key == "percentile":
        return f"{100 * value:g} % are faster"
    return f"{key.replace('_', ' ')} {level(key, value)}"


def effect(factors: str) -> str:
    """Write the factors of an effect, as `factorial_effects` joins them, in full: ``network driver x disk driver``."""
    return " x ".join(long_name(name) if columns.known(name) else name for name in factors.split(" x "))


def cell(named: Mapping[str, object]) -> str:
    """Write the levels of several keys."""
    return ", ".join(full(key, value) for key, value in named.items())


def listed(words: Iterable[str]) -> str:
    """Join words as a sentence does."""
    found = list(words)
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}" if found else ""


def counted(ds: xr.Dataset, *names: str) -> str:
    """Say how many runs (or blocks) stand behind the rows of a result: ``n = 3 runs``, ``n = 1 to 3 blocks``."""
    counts = np.concatenate([ds[name].to_numpy() for name in names or ("n",)])
    return numbered(counts, str(ds.attrs.get("unit", "run")))


def numbered(n: ArrayLike, what: str) -> str:
    """Say how many there are of something: ``n = 3 runs``, ``n = 1 to 3 series``."""
    counts = np.asarray(n, dtype=np.float64)
    counts = counts[np.isfinite(counts) & (counts > 0)]
    if counts.size == 0:
        return "n = 0"
    low, high = counts.min(), counts.max()
    plural = "" if high == 1 or what.endswith("s") else "s"
    return f"n = {low:g} {what}{plural}" if low == high else f"n = {low:g} to {high:g} {what}{plural}"


def source(ds: xr.Dataset) -> str:
    """Say what the logs behind a figure are, and of which study; rows that xarray joined may be of several."""
    studies = np.unique(ds["study"].to_numpy()).tolist() if "study" in ds.coords else [ds.attrs.get("study", "")]
    named = listed([study for study in studies if study])
    return f"Logs: {table.origin(ds)}{f' ({named})' if named else ''}."


RESTS = {"published": "as published", "derived": "computed from what was published", "model": "of a model"}
"""What a value rests on, in words."""
FILLS = {"published": "filled", "derived": "tinted", "model": "hollow"}
"""How a marker shows it (`storagelab.figures.palette.face`)."""


def bases(rows: pd.DataFrame, origin: str, what: str = "Points") -> str:
    """Say what the markers of a figure rest on, and how many on what; "" where all rest on the logs alike."""
    if BASIS not in rows:
        return "Hollow markers: reconstructed." if origin == "reconstructed" else ""
    return _counted_by(rows, origin, what, {basis: f"{text} ({FILLS[basis]})" for basis, text in RESTS.items()})


def rests(rows: pd.DataFrame, origin: str, what: str) -> str:
    """Say the same of what has no marker that shows it: cells, samples."""
    return _counted_by(rows, origin, what, RESTS) if BASIS in rows else ""


def _counted_by(rows: pd.DataFrame, origin: str, what: str, texts: Mapping[str, str]) -> str:
    counts = rows[BASIS].value_counts()
    told = [f"{counts[basis]} {text}" for basis, text in {**texts, "": origin}.items() if basis in counts]
    return f"{what}: {listed(told)}." if set(counts.index) != {""} else ""


def resting(caption: str) -> str:
    """Find the sentences of a caption that `bases` and `rests` gave it."""
    return " ".join(re.findall(rf"\w+: \d+ (?:{'|'.join(RESTS.values())})[^.]*\.", caption))


def pooled(over: Sequence[str]) -> str:
    """Say over which keys a figure does not tell rows apart."""
    return f"Taken together over {listed(long_name(key) for key in over)}." if over else ""


def unit(ds: xr.Dataset) -> str:
    """Say that runs were averaged, where they were."""
    return "Runs of one block of the campaign are averaged first." if ds.attrs.get("unit") == "block" else ""


def grouped(ds: xr.Dataset, one: str = "run") -> str:
    """What a point of a figure is: a run, or a block of runs."""
    return str(ds.attrs.get("unit", one))


def capital(text: str) -> str:
    """Start a sentence."""
    return text[:1].upper() + text[1:]


def sentences(*parts: str) -> str:
    """Join the sentences that have something to say."""
    return " ".join(part for part in parts if part)


STILL = 0.05
"""Share of a value by which a line may rise or fall, and stays."""


def describe_trend(key: str, x: Sequence[float], y: Sequence[float], say: Callable[[float], str]) -> str:
    """Tell how a line runs: where it starts, its peak or low, where it ends, and whether it stays.

    Examples
    --------
    >>> describe_trend("clients", [1, 3, 12], [24e6, 75e6, 74e6], quantities.say("B/s"))
    'rises from 24 MB/s with 1 client to 75 MB/s with 3 clients, then stays'
    """
    known = [(a, quantities.steady(b)) for a, b in zip(x, y, strict=True) if np.isfinite(b)]
    if not known:
        return "has no value"
    (first_x, first), (_, last) = known[0], known[-1]
    if len(known) == 1:
        return f"is {say(first)} at {full(key, first_x)}"
    values = np.array([b for _, b in known])
    if np.ptp(values) <= STILL * np.abs(values).max():
        return f"stays near {say(float(values.mean()))} from {full(key, first_x)} to {full(key, known[-1][0])}"
    turn_x, turn = _turn(known)
    verb = "rises" if turn > first else "falls"
    begin = f"{verb} from {say(first)} {_with(key, first_x)} to {say(turn)} {_with(key, turn_x)}"
    if turn_x == known[-1][0]:
        return begin
    if abs(last - turn) <= STILL * max(abs(turn), abs(last)):
        return f"{begin}, then stays"
    return f"{begin}, then {'falls' if last < turn else 'rises'} to {say(last)} {_with(key, known[-1][0])}"


def _turn(known: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Find the first point that is as far from the start as the line ever gets, within `STILL`."""
    first = known[0][1]
    others = [b for _, b in known]
    far = others[first_extreme([abs(b - first) for b in others], "highest")]
    return next((a, b) for a, b in known if abs(b - far) <= STILL * abs(far) and abs(b - first) > 0)


def _with(key: str, value: float) -> str:
    return f"{'with' if key in COUNTED else 'at'} {full(key, value)}"

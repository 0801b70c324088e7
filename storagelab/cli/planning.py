"""``storagelab plan``: from a pilot dataset to the size of a campaign, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storagelab import dataset, schema
from storagelab.errors import ContractError, UnknownNameError

if TYPE_CHECKING:
    import xarray as xr


def planned(
    path: Path, variable: str, by: Sequence[str], where: Sequence[str], node: str = "runs", **asked: Any
) -> xr.Dataset:
    """Work out what a campaign needs.

    Parameters
    ----------
    path : Path
        The dataset of a pilot.
    variable : str
    by : sequence of str
        Keys that make its cells.
    where : sequence of str
        Which rows: "key=value".
    node : str
        Node that holds them.
    **asked
        See `storagelab.analysis.plan_repeats`.

    Returns
    -------
    Dataset
        As `storagelab.analysis.plan_repeats`.

    Raises
    ------
    ContractError
        If a choice of rows is not written as key=value.
    UnknownNameError
        If the dataset has no such node, or as `storagelab.dataset.select`.
    AnalysisError
        As `storagelab.analysis.plan_repeats`.
    """
    from storagelab.analysis import plan_repeats

    tree = dataset.load(path)
    if node not in tree.children:
        raise UnknownNameError(f"node of {path}", node, map(str, tree.children))
    chosen = dataset.select(tree[node].to_dataset(), **dict(map(_choice, where)))
    return plan_repeats(chosen, variable, by, **asked)


def record(found: xr.Dataset) -> dict[str, Any]:
    """Return a plan as JSON has it."""
    about = {"method": found.attrs["method"], "origin": found.attrs["origin"]}
    return about | {"rows": dataset.frame(found).to_dict("records")}


def lines(path: Path, found: xr.Dataset) -> Iterator[str]:
    """Tell what a campaign needs, a sentence a line."""
    rows = dataset.frame(found).to_dict("records")
    yield f"{path}: {found.attrs['method']} ({found.attrs['origin']})"
    first = rows[0]
    yield (
        f"runs spread by {_percent(first['noise'])} ({_percent(first['noise_low'])} to {_percent(first['noise_high'])})"
        + ("" if first["round_noise"] != first["round_noise"] else f", rounds by {_percent(first['round_noise'])} more")
        + f"; {first['freedom']:.3g} degrees of freedom"
    )
    yield from map(_sentence, rows)


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _choice(text: str) -> tuple[str, str | float]:
    key, said, value = text.partition("=")
    if not said:
        raise ContractError(f"--where {text}: expected key=value, such as operation=write")
    if schema.field(key).unit is None:
        return key, value
    try:
        return key, float(value)
    except ValueError:
        raise ContractError(f"--where {text}: expected a number in {schema.field(key).unit}") from None


def _sentence(row: dict[Any, Any]) -> str:
    caveat = f" ({row['caveat']})" if row["caveat"] else ""
    if row["n"] != row["n"]:
        return f"{row['planned_for']}: cannot be planned{caveat}"
    each = f" of {row['runs_a_round']:g} runs" if row["runs_a_round"] > 1 else ""
    return (
        f"{row['planned_for']}: {row['n']:g} runs a side and cell, in {row['rounds']:g} rounds{each}; "
        f"expected power {_percent(row['expected_power'])}{caveat}"
    )

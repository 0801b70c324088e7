"""``storagelab plan``: from a pilot dataset to the size of a campaign, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storagelab import dataset
from storagelab.cli.compare import Campaign
from storagelab.cli.console import warn
from storagelab.cli.row_selection import chosen
from storagelab.errors import UnknownNameError
from storagelab.interactive import caveats

if TYPE_CHECKING:
    import xarray as xr


def planned(
    path: Path, variable: str, by: Sequence[str], where: Sequence[str], node: str = "runs", **asked: Any
) -> xr.Dataset:
    """Work out what a campaign needs; what speaks against the runs of the pilot goes to standard error.

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
        As `storagelab.analysis.plan_repeats`; ``attrs["apart"]`` names the runs of the pilot that are outliers of their
        cells, a line each.

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
    rows = chosen(tree[node].to_dataset(), where, "--where")
    for warning in Campaign(rows, caveats.copies(tree)).warnings(str(path)):
        warn(warning)
    plan = plan_repeats(rows, variable, by, **asked)
    return plan.assign_attrs(apart="\n".join(_apart(rows, variable, by, asked)))


def _apart(rows: xr.Dataset, variable: str, by: Sequence[str], asked: Mapping[str, Any]) -> Iterator[str]:
    """Tell which runs of a pilot lie far from the others of their cell: they may be most of its noise."""
    from storagelab.analysis import outliers
    from storagelab.analysis.table import name_cell

    chosen_alike = {name: asked[name] for name in ("over", "statistic") if name in asked}
    found = dataset.frame(outliers(rows, variable, by, **chosen_alike))
    for run in found[found["outlier"] == 1].to_dict("records"):
        said = name_cell({key: run[key] for key in (*by, "run_id", "repeat") if key in run})
        yield f"{said}: {variable} is {run['over_others']:.3g} times the median of the others"


def rows(found: xr.Dataset) -> list[dict[Any, Any]]:
    """Return what a plan asks for, a row a purpose."""
    return dataset.frame(found).to_dict("records")


def about(found: xr.Dataset) -> dict[str, Any]:
    """Return what holds of the whole plan."""
    return {"method": found.attrs["method"], "origin": found.attrs["origin"], "apart": _runs_apart(found)}


def lines(path: Path, found: xr.Dataset) -> Iterator[str]:
    """Tell what a campaign needs, a sentence a line."""
    yield f"{path}: {found.attrs['method']} ({found.attrs['origin']})"
    first = rows(found)[0]
    yield (
        f"runs spread by {_percent(first['noise'])} ({_percent(first['noise_low'])} to {_percent(first['noise_high'])})"
        + ("" if first["round_noise"] != first["round_noise"] else f", rounds by {_percent(first['round_noise'])} more")
        + f"; {first['freedom']:.3g} degrees of freedom"
    )
    for run in _runs_apart(found):
        yield f"a run of the pilot is an outlier, and part of that spread: {run}"
    yield from map(_sentence, rows(found))


def _runs_apart(found: xr.Dataset) -> list[str]:
    return str(found.attrs["apart"]).splitlines()


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _sentence(row: dict[Any, Any]) -> str:
    caveat = f" ({row['caveat']})" if row["caveat"] else ""
    if row["n"] != row["n"]:
        return f"{row['planned_for']}: cannot be planned{caveat}"
    each = f" of {row['runs_a_round']:g} runs" if row["runs_a_round"] > 1 else ""
    return (
        f"{row['planned_for']}: {row['n']:g} runs a side and cell, in {row['rounds']:g} rounds{each}; "
        f"expected power {_percent(row['expected_power'])}{caveat}"
    )

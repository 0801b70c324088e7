"""What `validity` says of small campaigns and of some forty changes of each: a change of a check is seen.

``kept.tsv`` holds for each campaign and change how many findings there are, and a hash of the checks and the findings:
words, ranks, sizes to six digits. What a check should find is told by other tests. What is meant is kept by ``pytest
tests/analysis/validity/test_kept.py --update-golden``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis
from storagelab.ingest import ingest
from tests.analysis.test_kept import written
from tests.analysis.validity import broken, campaigns

KEPT = Path(__file__).with_name("kept.tsv")
CAMPAIGNS = {
    "cluster": (broken.cluster, "cluster-2026"),
    "loopback": (broken.loopback, "loopback-2026"),
    "jobs": (broken.jobs, "xrootd-2026"),
    "failover": (broken.failover, "cluster-2026"),
}
Change = Callable[[xr.Dataset], xr.Dataset]
Of = Callable[[xr.Dataset], Any]
OfStudy = Callable[[xr.DataTree], xr.DataTree]
OF_ROWS = ("runs", "clients")


def in_nodes(change: Change, *nodes: str) -> OfStudy:
    """Return a change of some nodes of a study, by default of what was measured."""

    def of_study(tree: xr.DataTree) -> xr.DataTree:
        changed = tree.copy()
        for name in {*(nodes or OF_ROWS)} & {*tree.children}:
            changed[name].dataset = change(tree[name].to_dataset())
        return changed

    return of_study


def scaled(ds: xr.Dataset, by: Callable[[xr.Dataset], Any], name: str = "throughput") -> xr.Dataset:
    """Multiply a column by a factor for each row."""
    return ds if name not in ds else ds.assign({name: (ds[name] * by(ds)).assign_attrs(ds[name].attrs)})


def along(ds: xr.Dataset, low: float, high: float) -> Any:
    """Return factors that rise from row to row."""
    return np.linspace(low, high, ds.sizes["obs"])


def rounded(ds: xr.Dataset) -> xr.Dataset:
    """Round rates to whole MB/s."""
    return ds.assign(throughput=ds["throughput"].round(-6).assign_attrs(ds["throughput"].attrs))


def nearly_the_same(ds: xr.Dataset) -> xr.Dataset:
    """Make all rates of an operation the same to a ten thousandth."""
    means = ds["throughput"].groupby("operation").mean()
    alike = means.sel(operation=ds["operation"]).values * along(ds, 1.0, 1.0001)
    return ds.assign(throughput=("obs", alike, ds["throughput"].attrs))


def first_like_second(values: np.ndarray) -> np.ndarray:
    """Put the second value in place of the first."""
    return np.r_[values[1:2], values[1:]]


def of_first(key: str, factor: float) -> Of:
    """Return a factor for the rows of the first level of a key, 1 for the others; 1 where there is no such key."""
    return lambda ds: np.where(ds[key] == ds[key].values[0], factor, 1.0) if key in ds.variables else 1.0


def in_row(place: int, factor: float) -> Of:
    """Return a factor for one row, 1 for the others."""
    return lambda ds: np.where(np.arange(ds.sizes["obs"]) == place, factor, 1.0)


def multiplied(by: Of, name: str = "throughput", nodes: tuple[str, ...] = OF_ROWS) -> OfStudy:
    """Return a change that multiplies a column by a factor for each row."""
    return in_nodes(lambda ds: scaled(ds, by, name), *nodes)


def put(*nodes: str, **levels: Any) -> OfStudy:
    """Return a change that puts levels of keys, or what a function makes of those there, in every row."""

    def change(ds: xr.Dataset) -> xr.Dataset:
        made = {key: level(ds[key].values) if callable(level) else level for key, level in levels.items() if key in ds}
        size = ds.sizes["obs"]
        return ds.assign({key: ("obs", np.resize(value, size), ds[key].attrs) for key, value in made.items()})

    return in_nodes(change, *nodes)


def without(name: str) -> OfStudy:
    """Return a change that takes a node away."""
    return lambda tree: tree.filter(lambda node: node.name != name)


def without_its_first_run(tree: xr.DataTree) -> xr.DataTree:
    """Take a run away, with its logs or without."""
    first = tree["runs"]["run_id"].values[0]
    return in_nodes(lambda ds: ds.isel(obs=ds["run_id"].values != first), *OF_ROWS, "logs", "conditions")(tree)


def an_hour_ahead(ds: xr.Dataset) -> xr.Dataset:
    """Set the clock of the first client an hour ahead."""
    of_first_client = ds["client"].values == ds["client"].values[0]
    said = [
        str(np.datetime64(time) + np.timedelta64(1, "h")) if ahead and time else time
        for time, ahead in zip(ds["log_started"].values.tolist(), of_first_client, strict=True)
    ]
    return ds.assign(log_started=("obs", said, ds["log_started"].attrs))


def in_order_of_layouts(ds: xr.Dataset) -> xr.Dataset:
    """Give the runs of one layout after the other the starts that there are, in their order."""
    starts = np.empty(ds.sizes["obs"], dtype=object)
    starts[np.argsort(ds["layout"].values, kind="stable")] = np.sort(ds["started"].values)
    return ds.assign(started=("obs", starts.astype(str), ds["started"].attrs))


following = partial(np.roll, shift=-1)
CHANGES: Mapping[str, OfStudy] = {
    "as it is": lambda tree: tree,
    "a client half as fast": multiplied(of_first("client", 0.5)),
    "a client twice as fast": multiplied(of_first("client", 2)),
    "a slow first repeat": multiplied(of_first("repeat", 0.7)),
    "KiB for kB in a repeat": multiplied(of_first("repeat", 1.024)),
    "bits for bytes in an operation": multiplied(of_first("operation", 8)),
    "a row ten times as fast": multiplied(in_row(4, 10)),
    "a row in bits": multiplied(in_row(4, 8)),
    "a row that stood still": multiplied(in_row(4, 0)),
    "faster from row to row": multiplied(lambda ds: along(ds, 1, 2)),
    "slow in the middle": multiplied(lambda ds: np.where(abs(along(ds, -1, 1)) < 0.3, 0.5, 1.0)),
    "a step half way": multiplied(lambda ds: np.where(along(ds, -1, 1) < 0, 0.6, 1.0)),
    "whole MB/s": in_nodes(rounded),
    "repeats nearly the same": in_nodes(nearly_the_same),
    "times three times as long": multiplied(lambda _: 3, "elapsed"),
    "half of the bytes": multiplied(lambda _: 0.5, "data_size"),
    "half of the bytes in series": multiplied(lambda _: 0.5, nodes=("series",)),
    "no sizes": put(*OF_ROWS, file_size=np.nan, data_size=np.nan),
    "the memory is large": put(*OF_ROWS, "logs", client_memory=2.0**40),
    "the link is slow": put(*OF_ROWS, "logs", server_link=1e6, client_link=1e6),
    "the best of five": put(*OF_ROWS, statistic="max"),
    "two operations are one": put(*OF_ROWS, operation=first_like_second),
    "every second client": in_nodes(lambda ds: ds.isel(obs=slice(None, None, 2)), "clients"),
    "a run is missing": without_its_first_run,
    "a log is missing": in_nodes(lambda ds: ds.isel(obs=slice(1, None)), "logs"),
    "a repeat too many": put(*OF_ROWS, "logs", repeat=lambda repeats: np.r_[9.0, repeats[1:]]),
    "rows of the run after": put("clients", run_id=following),
    "logs of the same bytes": put("logs", log_sha256=lambda sums: sums[:2]),
    "logs cut": put("logs", complete=[0.0, 1.0, 1.0]),
    "starts of the log after": put("logs", started=following),
    "clocks of the log after": put("logs", log_started=following),
    "no starts": put("logs", started="", log_started=""),
    "clients of the log after": put("logs", client=following, host=following),
    "commands of the log after": put("logs", command=following),
    "one node reconstructed": in_nodes(lambda ds: ds.assign_attrs(origin="reconstructed"), "clients"),
    "a clock an hour ahead": in_nodes(an_hour_ahead, "logs"),
    "twice the bytes on the link in a run": multiplied(of_first("run_id", 2), "network_sent"),
    "one layout after the other": in_nodes(in_order_of_layouts, "logs"),
    "no clients": without("clients"),
    "no logs": without("logs"),
    "no conditions": without("conditions"),
}


OF_THE_DRAWN = (
    "a clock an hour ahead", "twice the bytes on the link in a run", "one layout after the other",
)  # fmt: skip
OF_SERIES = ("as it is", "half of the bytes in series", "times three times as long", "half of the bytes")
OTHERWISE = {
    "random": (
        "a client twice as fast", "a slow first repeat", "a row ten times as fast", "slow in the middle",
        "a step half way", "whole MB/s", "repeats nearly the same", "the best of five", "every second client",
        "a repeat too many", "logs of the same bytes", "no starts", "clients of the log after", "no clients", "no logs",
        *OF_THE_DRAWN,
    ),
    "loopback": ("a slow first repeat", "no sizes", "starts of the log after"),
    "cluster": ("a run is missing", "no clients"),
    "jobs": (),
    "failover": ("half of the bytes in series",),
}  # fmt: skip
"""Changes with which conditions of checks come out as in no campaign as it is: nearly all ways that any case shows."""
NOT_IN_THE_DRAWN = {
    "loopback": ("bits for bytes in an operation", "the best of five", "no conditions"),
    "cluster": (
        "times three times as long", "no sizes", "the memory is large", "the link is slow", "the best of five",
        "two operations are one", "commands of the log after",
    ),
}  # fmt: skip
"""Changes of which nothing is said of the drawn campaign, or of which a check asks there not all that it may ask."""
CASES = [
    *(("random", change) for change in CHANGES),
    *(
        (name, change)
        for name, also in NOT_IN_THE_DRAWN.items()
        for change in CHANGES
        if change in ("as it is", *OTHERWISE[name], *also)
    ),
    *((name, change) for name in ("jobs", "failover") for change in OF_SERIES),
]
"""The drawn campaign, the quickest, with every change; the others with those of which they alone show something."""


@cache
def campaign(name: str) -> xr.DataTree:
    """Draw a campaign, or read a small one from its logs."""
    if name == "random":
        return campaigns.campaign(1)
    cut, study = CAMPAIGNS[name]
    with TemporaryDirectory() as folder:
        return ingest(cut(Path(folder) / study)).load()


def summary(name: str, change: str) -> str:
    """How many findings there are, and a hash of all that is said."""
    asked, found = analysis.validity_report(CHANGES[change](campaign(name)))
    text = "\n".join(written(part)[1] for part in (asked, found))
    return f"{found.sizes['obs']}\t{hashlib.sha256(text.encode()).hexdigest()[:10]}"


@pytest.fixture(scope="module")
def kept(request: pytest.FixtureRequest) -> dict[tuple[str, str], str]:
    if request.config.getoption("--update-golden"):
        KEPT.write_text("".join(f"{name}\t{change}\t{summary(name, change)}\n" for name, change in CASES))
    found = (line.split("\t", 2) for line in KEPT.read_text().splitlines())
    return {(name, change): rest for name, change, rest in found}


def is_quick(name: str, change: str) -> bool:
    """Whether a case shows what no other does."""
    return change == "as it is" or change in OTHERWISE[name]


@pytest.mark.parametrize(
    ("name", "change"),
    [pytest.param(*case, marks=() if is_quick(*case) else pytest.mark.slow) for case in CASES],
)
def test_validity_says_what_it_said(name: str, change: str, kept: dict[tuple[str, str], str]) -> None:
    assert summary(name, change) == kept[name, change]


def test_every_change_is_told_from_the_campaign_as_it_is(kept: dict[tuple[str, str], str]) -> None:
    told = {change for name, change in kept if kept[name, change] != kept[name, "as it is"]}
    assert told == {*CHANGES} - {"as it is"}

"""Pairs of runs, blocks, drift: what the papers compare when the machine itself changed between repeats."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from storagelab import analysis
from storagelab.analysis.comparison.comparison import dependence_of_pairs
from storagelab.analysis.inference.mean_differences import pooled, within, within_blocks
from storagelab.analysis.run_order import INDEPENDENT
from storagelab.analysis.source_rows import rows_behind
from storagelab.dataset import frame, select
from storagelab.errors import AnalysisError, UnknownNameError
from tests.analysis.tables import node, repeats

SLOW_FIRST = np.array([0.5, 1.0, 1.1])
"""What the repeats of a campaign do to every rate."""


def campaign() -> xr.Dataset:
    """Two file systems, kernel and FUSE at half the rate, three repeats of which the first is slow."""
    rows = []
    for system, top in (("ext4", 4e8), ("xfs", 8e8)):
        for mount, share in (("kernel", 1.0), ("fuse", 0.5)):
            for clients in (1.0, 4.0):
                wobble = np.array([1.0, 1.01, 0.99]) if mount == "fuse" else np.ones(3)
                keys = {
                    "filesystem": system,
                    "mount": mount,
                    "clients": clients,
                    "operation": "write",
                    "tool": "iozone",
                }
                rows += repeats(top * share * SLOW_FIRST * wobble, **keys)
    return node(rows)


MOUNTS = ("throughput", "mount", "kernel", "fuse")


def test_each_pair_is_a_row_whatever_the_repeat_did() -> None:
    found = analysis.pair_ratios(campaign(), *MOUNTS, ["filesystem", "clients"])
    assert found.sizes["obs"] == 12
    assert sorted(set(np.round(found["ratio"].to_numpy(), 4))) == [0.495, 0.5, 0.505]
    assert set(found["compared"].to_numpy()) == {"fuse / kernel"}


def test_pairs_without_a_partner_are_left_out_and_none_is_an_error() -> None:
    some = campaign()
    lost = some.isel(obs=~((some["mount"] == "fuse") & (some["repeat"] == 3)).to_numpy())
    assert analysis.pair_ratios(lost, *MOUNTS, ["filesystem", "clients"]).sizes["obs"] == 8
    apart = some.isel(obs=((some["mount"] == "fuse") == (some["repeat"] == 3)).to_numpy())
    with pytest.raises(AnalysisError, match="has throughput of both mount=kernel and mount=fuse"):
        analysis.pair_ratios(apart, *MOUNTS, ["filesystem", "clients"])


def test_a_side_of_several_runs_is_no_pair() -> None:
    rows = [
        {"mount": mount, "repeat": 1, "run_id": f"{mount}{i}", "throughput": 1e8, "filesystem": "xfs"}
        for mount, n in (("kernel", 2), ("fuse", 1))
        for i in range(n)
    ]
    with pytest.raises(AnalysisError, match="mount=kernel has several runs of filesystem=xfs, repeat=1"):
        analysis.pair_ratios(node(rows), *MOUNTS, ["filesystem"])


def test_pairs_of_a_block_count_once() -> None:
    ratios = analysis.pair_ratios(campaign(), *MOUNTS, ["filesystem", "clients", "operation"])
    found = analysis.pooled_ratios(ratios, ["operation"])
    row = frame(found).iloc[0]
    assert row["n"] == 6
    assert row["ratio"] == pytest.approx(0.5 * (1.01 * 0.99) ** (1 / 3))
    assert row["ratio_low"] < row["ratio"] < row["ratio_high"]
    assert row["verdict"] == "lower"


@pytest.mark.parametrize(("margin", "word"), [(0.1, "equivalent"), (0.001, "undecided")])
def test_pairs_that_are_alike_are_equivalent_within_a_margin_that_they_keep(margin: float, word: str) -> None:
    rows = [
        {"mount": mount, "repeat": i, "run_id": f"{mount}{i}", "throughput": rate, "filesystem": "xfs"}
        for i, factor in enumerate((0.99, 1.0, 1.01))
        for mount, rate in (("kernel", 1e8), ("fuse", factor * 1e8))
    ]
    ratios = analysis.pair_ratios(node(rows), *MOUNTS, ["filesystem"])
    found = analysis.pooled_ratios(ratios, ["filesystem"], blocks=["repeat"], margin=margin)
    logs = np.log([0.99, 1.0, 1.01])
    half = stats.t.ppf(0.95, 2) * logs.std(ddof=1) / np.sqrt(3)
    assert found["ratio_high_equivalence"].item() == pytest.approx(np.exp(logs.mean() + half))
    assert (found["ratio"].attrs["units"], found.attrs["margin"]) == ("1", f"{margin:g}")
    assert found["verdict"].item() == word


def test_a_block_that_lacks_some_pairs_still_counts_once() -> None:
    some = campaign()
    lost = some.isel(obs=~((some["clients"] == 4) & (some["repeat"] == 3)).to_numpy())
    ratios = analysis.pair_ratios(lost, *MOUNTS, ["filesystem", "clients", "operation"])
    assert analysis.pooled_ratios(ratios, ["operation"])["n"].item() == 6


def test_blocks_take_the_repeat_out_of_the_spread() -> None:
    kernel = select(campaign(), mount="kernel", clients=1.0)
    uneven = kernel.copy(deep=True)
    uneven["throughput"] = kernel["throughput"] * (1 + 0.001 * np.arange(kernel.sizes["obs"]) % 3)
    plain = frame(analysis.winners(uneven, "throughput", "filesystem", ["operation"])).set_index("filesystem")
    blocked = analysis.winners(uneven, "throughput", "filesystem", ["operation"], blocks="repeat")
    assert plain.loc["ext4", "winner"] == 1
    assert frame(blocked).set_index("filesystem").loc["ext4", "winner"] == 0
    assert "freed of what a repeat does to all" in blocked.attrs["method"]


def test_spread_within_blocks_by_hand() -> None:
    # residuals of [[1, 3], [2, 6]]: +-0.5 each, so 4 * 0.25 / ((2 - 1) * (2 - 1))
    assert within_blocks([[1.0, 3.0], [2.0, 6.0]]) == pytest.approx((1.0, 1.0))
    assert np.isnan(within_blocks([[1.0, 2.0]])[0])
    assert np.isnan(within_blocks([[1.0, 2.0], [2.0, 3.0]])[0])


@pytest.mark.slow
def test_intervals_within_blocks_cover() -> None:
    """Five candidates in three rounds that shift all of them: 95 % intervals cover at least 93 % of 2,000 times."""
    rng = np.random.default_rng(20261120)
    covered = narrower = 0
    for _ in range(2000):
        x = rng.normal(0, 0.2, (5, 3)) + rng.normal(0, 0.5, 3) + np.arange(5)[:, None]
        low, high = pooled(x[1], x[0], *within_blocks(x)).interval()
        covered += low <= 1 <= high
        plain = pooled(x[1], x[0], *within(x)).interval()
        narrower += high - low < plain[1] - plain[0]
    assert 0.93 <= covered / 2000 <= 0.97
    assert narrower > 1500


def test_drift_shows_the_slow_repeat_and_only_whole_cells() -> None:
    by = ["tool", "filesystem", "mount", "clients"]
    found = frame(analysis.drift(campaign(), "throughput", by, ["tool", "filesystem"]))
    assert found.groupby("repeat")["deviation"].mean().idxmin() == 1
    assert np.exp(np.log(found["deviation"]).mean()) == pytest.approx(1)
    some = campaign()
    lost = some.isel(obs=~((some["filesystem"] == "xfs") & (some["repeat"] == 1)).to_numpy())
    assert set(frame(analysis.drift(lost, "throughput", by, ["filesystem"]))["filesystem"]) == {"ext4"}


def test_runs_of_a_block_drift_by_their_geometric_mean() -> None:
    # deviations of the cells are 1/4 and 4, and 1/9 and 9: of the block their geometric mean, 1/6 and 6
    rates = {(1.0, 1.0): 1.0, (1.0, 2.0): 16.0, (2.0, 1.0): 1.0, (2.0, 2.0): 81.0, (4.0, 1.0): 5.0}
    some = node(
        {"tool": "ior", "clients": clients, "repeat": repeat, "block": repeat, "run_id": f"{clients:g}-{repeat:g}",
         "throughput": rate, "log_id": 0, "line": 1}
        for (clients, repeat), rate in rates.items()
    )  # fmt: skip
    found = analysis.drift(some, "throughput", ["tool", "clients"], ["tool"])
    assert frame(found)["deviation"].tolist() == pytest.approx([1 / 6, 6])
    behind = [clients for rows in rows_behind(found, "deviation") for clients in rows["clients"].values.tolist()]
    assert behind == [1.0, 1.0, 2.0, 2.0], "4 has one repeat"


def test_drift_needs_a_cell_with_every_repeat() -> None:
    some = campaign()
    split = some.isel(obs=((some["filesystem"] == "xfs") == (some["repeat"] == 1)).to_numpy())
    with pytest.raises(AnalysisError, match="no cell of filesystem, mount, clients has every repeat of throughput"):
        analysis.drift(split, "throughput", ["filesystem", "mount", "clients"], ["filesystem"])


def test_spread_of_runs_of_a_cell() -> None:
    found = analysis.run_spread(node(repeats((1e8, 3e8), filesystem="xfs")), "throughput", ["filesystem"])
    assert (found["run_spread"].item(), found["n"].item()) == (3, 2)
    with pytest.raises(AnalysisError, match="no cell of filesystem has two runs"):
        analysis.run_spread(node(repeats((1e8,), filesystem="xfs")), "throughput", ["filesystem"])


def test_two_runs_in_a_block_are_two_runs_for_their_spread() -> None:
    rows = [
        {"filesystem": "xfs", "repeat": 1, "block": 4, "run_id": i, "throughput": v}
        for i, v in (("a", 1e8), ("b", 2e8))
    ]
    assert analysis.run_spread(node(rows), "throughput", ["filesystem"])["run_spread"].item() == 2


def test_rows_of_some_logs() -> None:
    runs = node([{"filesystem": "xfs", "throughput": v, "log_id": i} for i, v in enumerate((1e8, 2e8, 3e8))])
    logs = xr.Dataset(coords={"command": ("obs", ["a -x", "a -y", "a -x"])})
    assert analysis.of_logs(runs, logs, command="a -x")["throughput"].to_numpy().tolist() == [1e8, 3e8]
    assert analysis.of_logs(runs, logs, command=["a -x", "a -y"]).sizes["obs"] == 3
    with pytest.raises(UnknownNameError, match="a -z"):
        analysis.of_logs(runs, logs, command="a -z")
    with pytest.raises(AnalysisError, match="no row comes from a log with command=a -y"):
        analysis.of_logs(runs.isel(obs=[0]), logs, command="a -y")


def test_ratios_of_pairs_and_of_all_are_pure_numbers() -> None:
    pairs = analysis.pair_ratios(campaign(), *MOUNTS, ["filesystem", "clients", "operation"])
    together = analysis.pooled_ratios(pairs, ["operation"])
    assert {pairs["ratio"].attrs["units"], together["ratio"].attrs["units"], together["n"].attrs["units"]} == {"1"}


@pytest.mark.parametrize(("pair", "in_time"), [
    (["repeat"], True), (["day", "repeat"], True), (["run_id"], False), (["repeat", "client"], False),
])  # fmt: skip
def test_pairs_resemble_the_ones_before_where_their_keys_follow_each_other_in_time(
    pair: list[str], in_time: bool
) -> None:
    found = dependence_of_pairs([np.arange(30.0), np.arange(30.0)], pair)
    assert (found.rho > 0.5) == in_time
    assert (found == INDEPENDENT) != in_time

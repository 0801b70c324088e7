from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis import compare, winners
from storagelab.analysis.inference.mean_differences import welch, within
from storagelab.dataset import frame, select
from storagelab.errors import AnalysisError, UnknownNameError
from tests.analysis.tables import cluster, fileop, node, repeats


def sides(a: tuple[float, ...], b: tuple[float, ...]) -> list[dict[str, object]]:
    return [*repeats(a, layout="replicate", operation="read"), *repeats(b, layout="distribute", operation="read")]


def test_a_ratio_of_geometric_means_with_welchs_interval() -> None:
    a, b = (8.0, 9.0, 10.0), (20.0, 24.0, 22.0)
    found = compare(node(sides(a, b)), "throughput", "layout", "distribute", "replicate", ["operation"]).isel(obs=0)
    test = stats.ttest_ind(np.log(a), np.log(b), equal_var=False)
    interval = np.exp(test.confidence_interval(0.95))
    assert found["ratio"] == pytest.approx(stats.gmean(a) / stats.gmean(b))
    assert (found["ratio_low"], found["ratio_high"]) == pytest.approx(tuple(interval))
    assert found["p"] == pytest.approx(test.pvalue)
    assert found["compared"] == "replicate / distribute"
    assert (found["n"], found["n_base"]) == (3, 3)


def test_pairs_share_a_repeat() -> None:
    a, b = (8.0, 16.0, 33.0), (10.0, 20.0, 40.0, 70.0)
    ds = node(sides(a, b))
    found = compare(ds, "throughput", "layout", "distribute", "replicate", pair=["repeat"]).isel(obs=0)
    assert found["p"] == pytest.approx(stats.ttest_rel(np.log(a), np.log(b[:3])).pvalue)
    assert (found["n"], found["n_base"]) == (3, 3)
    assert "paired" in found.attrs["method"]


@pytest.mark.parametrize(
    ("a", "verdict"),
    [
        ((100.0, 101.0, 99.0), "equivalent"),
        ((50.0, 51.0, 49.0), "lower"),
        ((102.0, 102.1, 101.9), "higher, within the margin"),
        ((60.0, 150.0, 95.0), "undecided"),
    ],
)
def test_verdicts(a: tuple[float, ...], verdict: str) -> None:
    base = (100.0, 99.9, 100.1)
    found = compare(node(sides(a, base)), "throughput", "layout", "distribute", "replicate", margin=0.05)
    assert found["verdict"].item() == verdict


def test_tests_and_intervals_are_corrected_over_the_table() -> None:
    found = frame(
        compare(
            cluster(), "throughput", "layout", "distribute", "replicate", ["operation", "clients"], over=["replicas"]
        )
    )
    reads = found[found["operation"] == "read"]
    assert reads["ratio"].tolist() == pytest.approx([1, 1])
    assert reads["verdict"].tolist() == ["undecided", "undecided"]
    writes = found[found["operation"] == "write"]
    assert writes["ratio"].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert (writes["p_adjusted"] >= writes["p"]).all()
    assert writes["p_adjusted"].min() == pytest.approx(1 - (1 - writes["p"].min()) ** 4)
    assert ((writes["ratio_high"] < 1) == (writes["verdict"] == "lower")).all()
    assert (writes["ratio_low"] < writes["ratio_low_unadjusted"]).all()


def test_one_run_a_side_gives_a_ratio_and_no_interval() -> None:
    found = compare(node(sides((5.0,), (10.0,))), "throughput", "layout", "distribute", "replicate").isel(obs=0)
    assert found["ratio"] == pytest.approx(0.5)
    assert np.isnan(found["ratio_low"])
    assert found["verdict"] == "undecided"


def test_a_cell_with_one_side_keeps_its_row() -> None:
    rows = [*sides((5.0, 6.0), (10.0, 11.0)), *repeats((1.0, 2.0), layout="distribute", operation="write")]
    found = frame(compare(node(rows), "throughput", "layout", "distribute", "replicate", ["operation"])).set_index(
        "operation"
    )
    assert found.loc["write", "n"] == 0
    assert np.isnan(found.loc["write", "ratio"])


def test_what_cannot_be_compared() -> None:
    ds = node(
        [
            *repeats((1.0, 2.0), layout="replicate", operation="read"),
            *repeats((1.0, 2.0), layout="distribute", operation="write"),
        ]
    )
    with pytest.raises(AnalysisError, match="no cell has throughput of both layout=distribute and layout=replicate"):
        compare(ds, "throughput", "layout", "distribute", "replicate", ["operation"])
    with pytest.raises(UnknownNameError, match="did you mean 'replicate'"):
        compare(ds, "throughput", "layout", "distribute", "replikate", ["operation"])
    with pytest.raises(AnalysisError, match="not positive"):
        compare(node(sides((0.0, 1.0), (1.0, 2.0))), "throughput", "layout", "distribute", "replicate")


def test_winners_and_ties() -> None:
    found = frame(winners(fileop(), "operation_rate", "filesystem", ["operation"]))
    mkdir = found[found["operation"] == "mkdir"].set_index("filesystem")
    assert mkdir["rank"].to_dict() == {"xfs": 1, "ext4": 2, "btrfs": 3}
    assert mkdir["winner"].to_dict() == {"xfs": 1, "ext4": 1, "btrfs": 0}
    assert mkdir["tied"].to_dict() == {"xfs": 1, "ext4": 1, "btrfs": 0}
    assert mkdir.loc["btrfs", "ratio"] == pytest.approx(stats.gmean([10, 10.4, 9.7]) / stats.gmean([100, 104, 98]))


def test_two_candidates_are_welchs_test_on_the_logs() -> None:
    ds = select(fileop(), filesystem=["xfs", "btrfs"], operation="mkdir")
    found = frame(winners(ds, "operation_rate", "filesystem", ["operation"])).set_index("filesystem")
    test = stats.ttest_ind(np.log([10, 10.4, 9.7]), np.log([100, 104, 98]), equal_var=False)
    assert found.loc["btrfs", "p"] == pytest.approx(test.pvalue)


def test_the_family_of_tests_can_be_the_table() -> None:
    cells, whole = (
        frame(winners(fileop(), "operation_rate", "filesystem", ["operation"], family=family))
        for family in ("cell", "table")
    )
    assert (whole["p_adjusted"].dropna() >= cells["p_adjusted"].dropna()).all()
    assert whole["p_adjusted"].min() == pytest.approx(1 - (1 - whole["p"].min()) ** 6)
    assert cells["p_adjusted"].min() == pytest.approx(1 - (1 - cells["p"].min()) ** 3)


def test_of_times_the_lowest_wins() -> None:
    rows = [
        *repeats((1.0, 1.1), "elapsed", filesystem="xfs", operation="copy"),
        *repeats((9.0, 9.1), "elapsed", filesystem="zfs", operation="copy"),
    ]
    found = frame(winners(node(rows), "elapsed", "filesystem", ["operation"])).set_index("filesystem")
    assert found["winner"].to_dict() == {"xfs": 1, "zfs": 0}


def test_what_cannot_be_won() -> None:
    alone = select(fileop(), filesystem="xfs")
    with pytest.raises(AnalysisError, match="two or more levels of filesystem"):
        winners(alone, "operation_rate", "filesystem", ["operation"])
    sizes = node(repeats((1.0, 2.0), "data_size", filesystem="xfs"))
    with pytest.raises(AnalysisError, match="whether a high or a low data_size is best is not known"):
        winners(sizes, "data_size", "filesystem", [])


@pytest.mark.parametrize("binding", ["upper", "lower"])
def test_the_ninety_per_cent_interval_lies_inside_the_margin_where_tost_passes(binding: str) -> None:
    above, below = (101.0, 103.0, 102.0), (100.0, 99.0, 100.5)
    a, b = (above, below) if binding == "upper" else (below, above)
    logs = stats.ttest_ind(np.log(a), np.log(b), equal_var=False).confidence_interval(0.90)
    for margin in (0.02, 0.03, 0.04, 0.05, 0.06):
        found = compare(node(sides(a, b)), "throughput", "layout", "distribute", "replicate", margin=margin).isel(obs=0)
        low, high = found["ratio_low_equivalence"].item(), found["ratio_high_equivalence"].item()
        assert (low, high) == pytest.approx((np.exp(logs.low), np.exp(logs.high)))
        assert (found["p_equivalent"].item() <= 0.05) == (1 - margin <= low and high <= 1 + margin)


@pytest.mark.parametrize("binding", ["upper", "lower"])
def test_tost_is_that_of_statsmodels(binding: str) -> None:
    from statsmodels.stats.weightstats import ttost_ind

    high, low = (101.0, 103.0, 102.0), (100.0, 99.0, 100.5)
    a, b = (high, low) if binding == "upper" else (low, high)
    found = compare(node(sides(a, b)), "throughput", "layout", "distribute", "replicate", margin=0.04)
    other = ttost_ind(np.log(a), np.log(b), np.log(0.96), np.log(1.04), usevar="unequal")
    assert found["p_equivalent"].item() == pytest.approx(other[0])


@pytest.mark.parametrize(
    ("a", "b", "caveat"),
    [((1.0,), (2.0, 2.1), "one run a side: no interval"), ((0.1,) * 3, (0.2,) * 3, "no spread: no interval")],
)
def test_why_there_is_no_interval(a: tuple[float, ...], b: tuple[float, ...], caveat: str) -> None:
    found = compare(node(sides(a, b)), "throughput", "layout", "distribute", "replicate").isel(obs=0)
    assert found["caveat"] == caveat
    assert np.isnan([found["ratio_low"], found["p"]]).all()


def test_equal_runs_have_no_spread_whatever_their_mean_is_rounded_to() -> None:
    rng = np.random.default_rng(0)
    for a, b in np.log(rng.uniform(1e6, 1e9, (500, 2))):
        assert not welch([a] * 3, [b] * 3).known
        assert np.isnan(within([[a] * 3, [b] * 3])[0])


def test_units() -> None:
    ds = node(sides((8.0, 9.0), (10.0, 12.0)))
    found = compare(ds, "throughput", "layout", "distribute", "replicate", margin=0.1)
    for name in (
        "ratio",
        "ratio_low",
        "ratio_high",
        "ratio_low_equivalence",
        "ratio_high_equivalence",
        "n",
        "n_base",
        "p",
        "p_adjusted",
    ):
        assert found[name].attrs["units"] == "1"
    won = winners(ds, "throughput", "layout", [], margin=0.1)
    assert won["throughput"].attrs["units"] == "B/s"
    for name in ("rank", "ratio", "ratio_low_equivalence", "p_equivalent_adjusted", "winner", "tied"):
        assert won[name].attrs["units"] == "1"


def test_what_is_equivalent_to_the_best_ties_with_it() -> None:
    noise = np.array([0.999, 1.0, 1.001])
    rows = [
        row
        for system, rate in (("xfs", 100.0), ("ext4", 97.0), ("zfs", 80.0))
        for row in repeats(rate * noise, "operation_rate", filesystem=system, operation="mkdir")
    ]
    plain, tied = (
        frame(winners(node(rows), "operation_rate", "filesystem", ["operation"], margin=margin)).set_index("filesystem")
        for margin in (None, 0.05)
    )
    assert plain["winner"].to_dict() == {"xfs": 1, "ext4": 0, "zfs": 0}
    assert tied["winner"].to_dict() == {"xfs": 1, "ext4": 1, "zfs": 0}
    assert tied["tied"].to_dict() == {"xfs": 1, "ext4": 1, "zfs": 0}
    assert tied.loc["ext4", "p_equivalent_adjusted"] < 0.05 < tied.loc["zfs", "p_equivalent_adjusted"]
    assert np.isnan(tied.loc["xfs", "p_equivalent"])

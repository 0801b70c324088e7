"""Tools against each other, nodes against their neighbours, results against keys that should not matter."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from storagelab import analysis
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats

IOZONE, DD, IOR = [100.0, 102.0, 98.0, 101.0], [101.0, 99.0, 100.0, 102.0], [150.0, 152.0, 149.0, 151.0]


def tools(**values: list[float]) -> list[dict[str, object]]:
    return [row for tool, rates in values.items() for row in repeats(rates, tool=tool, operation="read")]


def test_two_tools_that_agree() -> None:
    found = analysis.tool_agreement(node(tools(iozone=IOZONE, dd=DD)))
    gap = stats.ttest_ind(np.log(IOZONE), np.log(DD), equal_var=False)
    ends = np.exp(gap.confidence_interval(0.95))
    assert found["compared"].item() == "iozone / dd"
    assert found["ratio"].item() == pytest.approx(stats.gmean(IOZONE) / stats.gmean(DD))
    assert [found["ratio_low"].item(), found["ratio_high"].item()] == pytest.approx(list(ends))
    assert found["verdict"].item() == "equivalent"
    assert found["ratio"].attrs["units"] == "1"
    assert found.attrs["margin"] == "0.1"


def test_all_pairs_of_tools_are_corrected_together() -> None:
    found = frame(analysis.tool_agreement(node(tools(iozone=IOZONE, dd=DD, ior=IOR)))).set_index("compared")
    assert list(found.index) == ["ior / dd", "iozone / dd", "iozone / ior"]
    assert found["verdict"].tolist() == ["higher", "equivalent", "lower"]
    assert found["p_adjusted"].min() == pytest.approx(1 - (1 - found["p"].min()) ** 3)


def test_tools_need_something_in_common() -> None:
    rows = [*repeats(IOZONE, tool="iozone", operation="read"), *repeats(DD, tool="dd", operation="write")]
    with pytest.raises(AnalysisError, match="no cell of operation has throughput of two tools; tools: dd, iozone"):
        analysis.tool_agreement(node(rows))


def test_a_cell_of_one_tool_is_left_out() -> None:
    rows = [*tools(iozone=IOZONE, dd=DD), *repeats(DD, tool="dd", operation="write")]
    assert frame(analysis.tool_agreement(node(rows)))["operation"].tolist() == ["read"]


def stats_of_files() -> list[dict[str, object]]:
    own, other = ({"tool": "mdtest", "operation": "file_stat", "stat_origin": f"{who}_node"} for who in
                  ("creating", "neighbour"))  # fmt: skip
    return [
        *repeats([900.0, 1000.0, 1100.0], "operation_rate", **own),
        *repeats([95.0, 100.0, 105.0], "operation_rate", **other),
    ]


def test_stats_by_the_node_that_created_are_marked_and_compared() -> None:
    written = {"operation": "file_create", "stat_origin": "neighbour_node", "operation_rate": 5.0, "run_id": "c"}
    unsaid = {"operation": "file_stat", "stat_origin": "unknown", "operation_rate": 5.0, "run_id": "u"}
    found = analysis.mark_own_access(node([*stats_of_files(), written, unsaid]))
    assert found["own_access"].values.tolist() == pytest.approx([1] * 3 + [0] * 3 + [np.nan] * 2, nan_ok=True)
    assert found["own_access"].attrs["units"] == "1"
    ratio = analysis.compare(
        node(stats_of_files()), "operation_rate", "stat_origin", "neighbour_node", "creating_node", ["operation"]
    )
    assert ratio["ratio"].item() == pytest.approx(stats.gmean([900, 1000, 1100]) / stats.gmean([95, 100, 105]))
    assert ratio["compared"].item() == "creating_node / neighbour_node"
    with pytest.raises(AnalysisError, match="no row that reads or asks says whether its node wrote"):
        analysis.mark_own_access(node([written, unsaid]))


RATES = {4096.0: [100.0, 104.0, 99.0], 65536.0: [98.0, 101.0, 103.0], 2.0**20: [130.0, 128.0, 133.0]}


def test_variation_over_the_levels_of_a_key_by_hand() -> None:
    rows = [row for size, rates in RATES.items() for row in repeats(rates, record_size=size)]
    found = analysis.robustness(node(rows), "throughput", ["record_size"])
    logs = [np.log(rates) for rates in RATES.values()]
    d = np.std([x.mean() for x in logs], ddof=1)
    assert found["level_variation"].item() == pytest.approx(np.sqrt(np.exp(d**2) - 1))
    assert found["level_spread"].item() == pytest.approx(stats.gmean(RATES[2.0**20]) / stats.gmean(RATES[65536.0]))
    assert found["p"].item() == pytest.approx(stats.f_oneway(*logs).pvalue)
    assert (found["levels"].item(), found["n"].item()) == (3, 9)
    assert found["level_variation_low"].item() < found["level_variation"].item() < found["level_variation_high"].item()
    for name in ("level_variation", "level_variation_low", "level_spread", "levels", "n", "p"):
        assert found[name].attrs["units"] == "1"


def test_variation_over_a_grid_of_keys_without_repeats_has_no_interval() -> None:
    rows = [
        {"record_size": size, "processes": n, "throughput": 100.0 * n, "run_id": f"{size}-{n}", "operation": "read"}
        for size in (4096.0, 65536.0)
        for n in (1.0, 2.0)
    ]
    found = frame(analysis.robustness(node(rows), "throughput", ["record_size", "processes"], ["operation"]))
    d = np.log(2) / np.sqrt(3)  # of 0, ln 2, 0, ln 2: squares 4 (ln 2 / 2)^2 over 3
    assert found["level_variation"].item() == pytest.approx(np.sqrt(np.exp(d**2) - 1))
    assert np.isnan(found["level_variation_low"].item())
    assert found["caveat"].item() == "no level has runs that differ: the noise in it is not known"


def test_robust_against_what() -> None:
    ds = node(repeats([1.0, 2.0], record_size=4096.0))
    with pytest.raises(AnalysisError, match="name the keys in across"):
        analysis.robustness(ds, "throughput", [])
    with pytest.raises(AnalysisError, match="no cell has throughput of two levels of record_size"):
        analysis.robustness(ds, "throughput", ["record_size"])

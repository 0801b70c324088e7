"""Claims of published kinds against numbers that can be checked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from storagelab import analysis
from storagelab.analysis import Claim, Tolerance, claim_quantity, compare, concat, verdicts
from storagelab.dataset import frame, select
from storagelab.errors import AnalysisError
from tests.analysis.tables import cluster, fileop, node, repeats

WRITES = [9.0, 10.0, 11.0]


def measured(values: list[float], claim: str = "c", origin: str = "measured") -> xr.Dataset:
    return claim_quantity(
        analysis.summarise(node(repeats(values, operation="write"), origin), "throughput", ["operation"]),
        claim,
        "throughput",
    )


def judged(values: list[float], claim: Claim, origin: str = "measured") -> pd.Series:
    return frame(verdicts(measured(values, claim.id, origin), [claim])).iloc[0]


def claim(operator: Any, stated: float, kind: Any = "relative", amount: float = 0.0, **others: Any) -> Claim:
    return Claim("c", operator, stated=stated, unit="B/s", tolerance=Tolerance(kind, amount), **others)


def test_a_quantity_has_the_value_the_error_and_the_unit_of_its_variable() -> None:
    found = measured(WRITES)
    row = frame(found).iloc[0]
    # mean 10, s = 1, standard error 1 / sqrt(3), t(0.975, 2) = 4.302653
    assert (row["value"], row["value_error"]) == pytest.approx((10, 0.577350), abs=1e-6)
    assert (row["value_low"], row["value_high"]) == pytest.approx((10 - 2.484138, 10 + 2.484138), abs=1e-6)
    assert (row["unit"], row["n"], row["quantity"]) == ("B/s", 3, "throughput")
    assert found["n"].attrs["units"] == "1"


def test_a_quantity_may_be_a_level() -> None:
    won = analysis.winners(fileop(), "operation_rate", "filesystem", ["operation"])
    first = claim_quantity(won, "c", "filesystem", operation="mkdir", rank=1.0)
    assert frame(first).iloc[0]["level"] == "xfs"
    said = Claim("c", "argmax", level="xfs")
    assert frame(verdicts(first, [said])).iloc[0]["verdict"] == "supported"
    assert frame(verdicts(first, [Claim("c", "argmax", level="ext4")])).iloc[0]["verdict"] == "not supported"


def test_a_quantity_is_one_row() -> None:
    means = analysis.summarise(cluster(), "throughput", ["layout", "clients", "operation"])
    with pytest.raises(AnalysisError, match=r"claim c: 4 rows \(layout=replicate\): name the keys that choose one"):
        claim_quantity(means, "c", "throughput", layout="replicate")


@pytest.mark.parametrize(
    ("said", "verdict", "margin"),
    [
        (claim("==", 10), "supported", None),
        (claim("==", 10.1), "not supported", None),
        (claim("approx", 9.5, "relative", 0.1), "supported", (10.45 - 10) / 10.45),
        (claim("approx", 9.0, "relative", 0.1), "not supported", (9.9 - 10) / 9.9),
        (claim("approx", 9.0, "absolute", 1.5), "supported", 0.5 / 10.5),
        (claim("max_approx", 10.4, "relative", 0.05), "supported", (10 - 9.88) / 9.88),
        (claim("between", 8, "relative", 0.0, until=12), "supported", 2 / 8),
        (claim("between", 11, "relative", 0.05, until=12), "not supported", (10 - 10.45) / 10.45),
        (claim("<=", 9.9, "relative", 0.05), "supported", (10.395 - 10) / 10.395),
        (claim("<", 9.0), "not supported", -1 / 9),
        (claim(">=", 10.4, "relative", 0.05), "supported", (10 - 9.88) / 9.88),
        (claim(">", 8.0, "gap", 0.2), "supported", (10 - 9.6) / 9.6),
        (claim(">", 9.0, "gap", 0.2), "not supported", (10 - 10.8) / 10.8),
        (claim("drop_beyond", 12.0, "gap", 0.1), "supported", (10.8 - 10) / 10.8),
        (claim("threshold", 10.0), "supported", None),
        (claim("approx", 9.5, "exact", 0.1), "not supported", None),
        # z = (10 - 11.4) / sqrt(1 / 3 + 0.25) = -1.833, and 12 is 2.62 errors away
        (claim("compatible", 11.4, "z", 2.0, error=0.5), "supported", None),
        (claim("compatible", 12, "z", 2.0, error=0.5), "not supported", None),
    ],
)
def test_operators_by_hand(said: Claim, verdict: str, margin: float | None) -> None:
    row = judged(WRITES, said)
    assert row["verdict"] == verdict
    assert (row["claim_margin"] >= 0) == (verdict == "supported")
    if margin is not None:
        assert row["claim_margin"] == pytest.approx(margin)


def test_equivalence_of_a_ratio() -> None:
    ratio = analysis.compare(
        node(repeats([100, 101, 99], mount="fuse") + repeats([100, 102, 98], mount="kernel")),
        "throughput", "mount", "kernel", "fuse",
    )  # fmt: skip
    said = Claim("c", "equivalent", stated=1.0, tolerance=Tolerance("relative", 0.1))
    row = frame(verdicts(claim_quantity(ratio, "c", "ratio"), [said])).iloc[0]
    assert (row["verdict"], row["interval_is"], row["unit"]) == ("supported", "inside", "1")


@pytest.mark.parametrize(("stated", "verdict"), [(1.0, "supported"), (-1.0, "not supported")])
def test_a_trend_has_a_direction(stated: float, verdict: str) -> None:
    rising = measured([0.8, 0.9, 0.85])
    rising["unit"] = ("obs", ["1"])
    said = Claim("c", "trend", stated=stated)
    assert frame(verdicts(rising, [said])).iloc[0]["verdict"] == verdict


def test_p_is_that_of_two_one_sided_t_tests() -> None:
    row = judged(WRITES, claim("approx", 10, "relative", 0.2))
    above = stats.ttest_1samp(WRITES, 8, alternative="greater").pvalue
    below = stats.ttest_1samp(WRITES, 12, alternative="less").pvalue
    assert row["p_outside"] == pytest.approx(max(above, below))
    assert row["interval_is"] == "across"


def test_p_is_corrected_over_the_claims() -> None:
    said = [Claim(name, "approx", stated=10, unit="B/s", tolerance=Tolerance("relative", 0.3)) for name in "ab"]
    found = frame(verdicts(concat(measured(WRITES, "a"), measured(WRITES, "b")), said))
    assert found["p_outside_holm"].tolist() == pytest.approx((2 * found["p_outside"]).tolist())


@pytest.mark.parametrize("factor", [1024.0, 1 / 1024, 8.0])
def test_a_log_in_the_wrong_unit_loses_its_verdict(factor: float) -> None:
    said = claim("approx", 10, "relative", 0.1)
    assert judged(WRITES, said)["verdict"] == "supported"
    assert judged([value * factor for value in WRITES], said)["verdict"] == "not supported"


@pytest.mark.slow
@given(st.floats(0.01, 0.5), st.floats(1e-3, 1e12))
def test_a_verdict_does_not_depend_on_the_size_of_the_unit(amount: float, factor: float) -> None:
    plain = judged(WRITES, claim("approx", 9.6, "relative", amount))
    scaled = judged([value * factor for value in WRITES], claim("approx", 9.6 * factor, "relative", amount))
    assert plain["claim_margin"] == pytest.approx(scaled["claim_margin"], abs=1e-9)
    assert plain["verdict"] == scaled["verdict"]


def test_without_data_a_claim_is_not_reported_and_never_supported() -> None:
    others = Claim("other", "approx", stated=1.0, unit="B/s")
    found = frame(verdicts(measured(WRITES), [claim("==", 10), others])).set_index("claim")["verdict"]
    assert found.to_dict() == {"c": "supported", "other": "not reported"}


@pytest.mark.parametrize(
    "said",
    [
        Claim("c", "holds", unit="B/s", tolerance=Tolerance("judgement")),
        Claim("c", "==", stated=10, unit="B/s", testable=False),
    ],
)
def test_an_opinion_is_not_testable(said: Claim) -> None:
    assert judged(WRITES, said)["verdict"] == "not testable"


def test_a_tolerance_in_errors_needs_an_error() -> None:
    row = judged([10.0], claim("compatible", 10, "z", 2.0))
    assert (row["verdict"], row["caveat"]) == (
        "not testable", "a tolerance in standard errors, and none is known",
    )  # fmt: skip


def both(first: float, second: float) -> pd.DataFrame:
    said = [
        Claim("a", "approx", stated=first, unit="B/s", tolerance=Tolerance("relative", 0.05), contradicts=("b",)),
        Claim("b", "approx", stated=second, unit="B/s", tolerance=Tolerance("relative", 0.05)),
    ]
    return frame(verdicts(concat(measured(WRITES, "a"), measured(WRITES, "b")), said)).set_index("claim")


def test_claims_that_cannot_both_hold_are_inconsistent_with_the_computed_value_shown() -> None:
    found = both(10, 20)
    assert found["verdict"].tolist() == ["internally inconsistent"] * 2
    assert found["value"].tolist() == [10, 10]


def test_claims_said_to_contradict_each_other_that_both_hold_are_pointed_out() -> None:
    found = both(10, 10.1)
    assert found["verdict"].tolist() == ["supported", "supported"]
    assert found["caveat"].str.contains("the data support both: a, b").all()


def test_reconstructed_data_test_the_pipeline_and_not_the_paper() -> None:
    found = verdicts(measured(WRITES, origin="reconstructed"), [claim("==", 10)])
    assert frame(found).iloc[0]["wording"] == "consistent with the printed text"
    assert found.attrs["tests"] == "the pipeline, not the paper"
    assert judged(WRITES, claim("==", 20), "reconstructed")["wording"] == "not consistent with the printed text"
    assert judged(WRITES, claim("==", 10))["wording"] == "supported"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Claim("c", "aprox", stated=1.0), "claim c: unknown operator 'aprox'.*approx"),
        (lambda: Claim("c", "approx"), "claim c: approx needs a stated value"),
        (lambda: Claim("c", "argmax"), "claim c: argmax needs the level"),
        (lambda: Claim("c", "between", stated=3.0, until=1.0), "claim c: a range needs both ends, got 3 to 1"),
        (lambda: Claim("c", "==", stated=1.0, tolerance=Tolerance("percent", 3)), "tolerance 'percent', expected one"),
    ],
)
def test_a_claim_that_cannot_be_read_says_why(make: Any, message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        make()


@pytest.mark.parametrize(
    ("quantities", "said", "message"),
    [
        (measured(WRITES), [Claim("x", "==", stated=1.0)], "claim c: a quantity, but no such claim"),
        (measured(WRITES), [Claim("c", "==", stated=1.0)], "claim c: the quantity is in 'B/s', the claim in '1'"),
        (measured(WRITES), [claim("==", 1.0, contradicts=("y",))], "claim c contradicts 'y', which is no claim"),
        (concat(measured(WRITES), measured(WRITES)), [claim("==", 1.0)], "claim c: several quantities, expected one"),
    ],
)
def test_quantities_and_claims_must_fit(quantities: xr.Dataset, said: list[Claim], message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        verdicts(quantities, said)


def test_units_of_a_verdict() -> None:
    found = verdicts(measured(WRITES), [claim("approx", 10)])
    assert found["claim_margin"].attrs["units"] == found["p_outside"].attrs["units"] == "1"
    assert found["unit"].to_numpy().tolist() == ["B/s"]
    assert np.isfinite(found["accepted_low"]).all()


def test_a_claim_chose_its_row_before_anybody_looked_at_the_others() -> None:
    keys = ["operation", "clients"]
    whole = compare(cluster(), "throughput", "layout", "distribute", "replicate", keys, over=["replicas"])
    row = frame(claim_quantity(whole, "c", "ratio", operation="write", clients=3.0)).iloc[0]
    alone = frame(select(whole, operation="write", clients=3.0)).iloc[0]
    assert (row["value_low"], row["value_high"]) == (alone["ratio_low_unadjusted"], alone["ratio_high_unadjusted"])
    assert row["value_low"] > alone["ratio_low"]

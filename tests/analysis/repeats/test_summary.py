from __future__ import annotations

import numpy as np
import pytest

from storagelab import figures
from storagelab.analysis import summarise
from storagelab.analysis.inference.dependence import NOT_EXCLUDED, TAKEN_FOR_INDEPENDENT
from storagelab.analysis.repeats.summary import BELOW_ZERO
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats


def test_mean_and_interval_by_hand() -> None:
    found = summarise(node(repeats((1.0, 2.0, 3.0), clients=1.0)), "throughput", ["clients"]).isel(obs=0)
    assert found["throughput"] == 2
    assert (found["throughput_low"], found["throughput_high"]) == pytest.approx((-0.484138, 4.484138), abs=1e-6)
    assert (found["throughput_min"], found["throughput_max"], found["throughput_std"]) == (1, 3, 1)
    assert found["n"] == 3


def test_one_run_has_no_interval() -> None:
    found = summarise(node(repeats((5.0,), clients=1.0)), "throughput", ["clients"]).isel(obs=0)
    assert (found["throughput"], found["n"]) == (5, 1)
    assert np.isnan([found["throughput_low"], found["throughput_high"], found["throughput_std"]]).all()


def test_geometric_mean() -> None:
    found = summarise(node(repeats((1.0, 100.0), clients=1.0)), "throughput", ["clients"], scale="log").isel(obs=0)
    assert found["throughput"] == pytest.approx(10)
    assert found["throughput_low"] * found["throughput_high"] == pytest.approx(100)


def test_no_logs_of_zero() -> None:
    with pytest.raises(AnalysisError, match="throughput: 1 of 2 runs are not positive"):
        summarise(node(repeats((0.0, 1.0), clients=1.0)), "throughput", ["clients"], scale="log")


def test_missing_keys_are_cells_of_their_own() -> None:
    rows = [*repeats((1.0, 2.0), clients=1.0), *repeats((5.0, 6.0), layout="disperse")]
    found = summarise(node(rows), "throughput", ["clients", "layout"])
    assert found["n"].values.tolist() == [2, 2]
    assert np.isnan(found["clients"]).sum() == 1


def test_no_keys_is_one_cell() -> None:
    assert summarise(node(repeats((1.0, 2.0), clients=1.0)), "throughput", [])["throughput"].values.tolist() == [1.5]


# --- which middle, which interval, and what it does not claim --------------------------------------------------------

SIX = (7.0, 1.0, 3.0, 2.0, 9.0, 5.0)
TWELVE = tuple(np.random.default_rng(4).permutation(np.linspace(9, 11, 12)).tolist())


def test_the_harmonic_mean_of_rates() -> None:
    found = summarise(node(repeats((60.0, 40.0), clients=1.0)), "throughput", ["clients"], average="harmonic")
    assert found["throughput"].item() == pytest.approx(48)
    assert found["throughput_error"].item() == pytest.approx(9.6)
    assert found.attrs["method"] == "harmonic mean, 95 % t interval of the reciprocals"


def test_a_geometric_average_is_the_log_scale() -> None:
    ds = node(repeats((1.0, 2.0, 9.0), clients=1.0))
    one, other = (
        summarise(ds, "throughput", ["clients"], scale="log"),
        summarise(ds, "throughput", ["clients"], average="geometric"),
    )
    assert one.identical(other)


def test_a_median_says_what_it_covers() -> None:
    found = summarise(node(repeats(SIX, clients=1.0)), "throughput", ["clients"], average="median").isel(obs=0)
    assert (found["throughput"], found["throughput_low"], found["throughput_high"]) == (4, 1, 9)
    assert found["coverage"] == pytest.approx(1 - 2 / 64)
    assert found["coverage"].attrs["units"] == "1"
    assert np.isnan(found["throughput_error"])


def test_a_median_of_five_has_no_interval() -> None:
    found = summarise(node(repeats(SIX[:5], clients=1.0)), "throughput", ["clients"], average="median").isel(obs=0)
    assert np.isnan([found["throughput_low"], found["coverage"]]).all()
    assert found["caveat"] == "5 values: an interval of a median needs 6"


def test_a_bootstrap_repeats_and_is_refused_below_ten() -> None:
    rows = [*repeats(TWELVE, clients=1.0), *repeats((1.0, 1.1, 1.2), clients=2.0)]
    twice = [summarise(node(rows), "throughput", ["clients"], interval="bca") for _ in range(2)]
    assert twice[0].identical(twice[1])
    t = summarise(node(rows), "throughput", ["clients"])
    assert twice[0]["throughput_low"][0].item() == pytest.approx(t["throughput_low"][0].item(), abs=0.1)
    assert np.isnan(twice[0]["throughput_low"][1])
    assert twice[0]["caveat"].values.tolist() == [NOT_EXCLUDED, "3 values: a bootstrap needs 10"]


@pytest.mark.parametrize(("carried", "caveat"), [(0.95, TAKEN_FOR_INDEPENDENT), (0.0, "")])
def test_a_median_says_that_its_runs_depend_on_the_ones_before_only_where_they_do(carried: float, caveat: str) -> None:
    noise, runs = np.random.default_rng(7).normal(size=200), [0.0]
    for one in noise:
        runs.append(carried * runs[-1] + one)
    rows = [
        {"run_id": f"r{at}", "start_time": 60.0 * at, "clients": 1.0, "throughput": 1000 + run}
        for at, run in enumerate(runs[1:])
    ]
    assert summarise(node(rows), "throughput", ["clients"], average="median")["caveat"].item() == caveat


def test_standard_error_and_its_unit() -> None:
    found = summarise(node(repeats((1.0, 2.0, 3.0), clients=1.0)), "throughput", ["clients"])
    assert found["throughput_error"].item() == pytest.approx(1 / np.sqrt(3))
    assert found["throughput_error"].attrs["units"] == "B/s"


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        ((9.0, 10.0, 11.0), {}, NOT_EXCLUDED),
        ((1.0, 10.0, 11.0), {}, f"values differ by factors: use scale='log'; {BELOW_ZERO}"),
        ((1.0, 10.0, 11.0), {"scale": "log"}, NOT_EXCLUDED),
        ((9.0,), {}, "one value: no interval"),
        ((9.0, 9.0), {"scale": "log"}, "values without spread: no interval"),
    ],
)
def test_what_an_interval_does_not_claim(values: tuple[float, ...], options: dict[str, str], words: str) -> None:
    found = summarise(node(repeats(values, clients=1.0)), "throughput", ["clients"], **options)  # type: ignore[arg-type]
    assert found["caveat"].item() == words


def test_averages_and_intervals_that_do_not_go_together() -> None:
    ds = node(repeats((1.0, 2.0), clients=1.0))
    with pytest.raises(AnalysisError, match="on the log scale the average is geometric, not median"):
        summarise(ds, "throughput", ["clients"], scale="log", average="median")
    with pytest.raises(AnalysisError, match="an interval by 'quantile' is none of the arithmetic average"):
        summarise(ds, "throughput", ["clients"], interval="quantile")
    with pytest.raises(AnalysisError, match="throughput: 1 of 2 runs are not positive"):
        summarise(node(repeats((0.0, 1.0), clients=1.0)), "throughput", ["clients"], average="harmonic")


def test_an_interval_of_a_rate_that_reaches_below_zero_says_so() -> None:
    wide, narrow = repeats((1.0, 2.0, 90.0), operation="read"), repeats((50.0, 51.0, 52.0), operation="write")
    found = summarise(node([*wide, *narrow]), "throughput", ["operation"])
    told = dict(zip(found["operation"].values.tolist(), found["caveat"].values.tolist(), strict=True))
    assert found["throughput_low"].values.min() < 0
    assert told["read"].endswith("the interval reaches below zero, where no rate is: more runs, or scale='log'")
    assert "below zero" not in told["write"]
    drawn = figures.points(node([*wide, *narrow]), "throughput", category="operation")
    assert "; an interval that reaches below zero is of too few runs: no rate is negative" in drawn.caption
    times = summarise(node(repeats((1.0, 2.0, 90.0), "latency", operation="read")), "latency", ["operation"])
    assert "below zero" not in str(times["caveat"].values[0])

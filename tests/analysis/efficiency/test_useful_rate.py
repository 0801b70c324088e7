from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis import amplification, useful_throughput
from storagelab.analysis.inference.dependence import NOT_EXCLUDED
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats, skim

LUSTRE, FACTORS = (12.4e6, 12.6e6, 12.7e6), (1.68, 1.72, 1.71)


def amplified(factors: tuple[float, ...], **keys: str) -> list[dict[str, object]]:
    """Runs that asked for 10 bytes and received a factor more."""
    rows = []
    for i, factor in enumerate(factors):
        run = {**keys, "run_id": f"{keys}{i}", "client_location": "external", "repeat": i}
        rows += [
            {**run, "operation": "read", "data_size": 10.0},
            {**run, "operation": "receive", "network_received": 10 * factor},
        ]
    return rows


def test_a_published_conclusion_turns_round() -> None:
    # 12.55 MB/s on the network with 85 % read of which 50 % was asked for, against 7.9 and 8.15 MB/s
    rows = [
        row
        for name, rate in {"lustre": 12.55e6, "hadoop": 7.9e6, "bluearc": 8.15e6}.items()
        for row in repeats([rate], filesystem=name)
    ]
    factors = amplified((85 / 50,), filesystem="lustre")
    factors += [row for name in ("hadoop", "bluearc") for row in amplified((1.0,), filesystem=name)]
    found = useful_throughput(node(rows), amplification(node(factors), ["filesystem"]), ["filesystem"])
    useful = frame(found).set_index("filesystem")["useful_throughput"]
    assert useful.to_dict() == pytest.approx({"lustre": 7.382e6, "hadoop": 7.9e6, "bluearc": 8.15e6}, rel=1e-4)
    assert found["useful_throughput_low"].isnull().all()
    assert set(found["caveat"].to_numpy()) == {"one run of the rate or of the amplification: no interval"}


def test_the_interval_is_that_of_welch_on_the_logs() -> None:
    factors = amplification(node(amplified(FACTORS, filesystem="lustre")), ["filesystem"])
    found = useful_throughput(node(repeats(LUSTRE, filesystem="lustre")), factors, ["filesystem"])
    ends = stats.ttest_ind(np.log(LUSTRE), np.log(FACTORS), equal_var=False).confidence_interval(0.95)
    assert found["useful_throughput_low"].item() == pytest.approx(np.exp(ends.low))
    assert found["useful_throughput_high"].item() == pytest.approx(np.exp(ends.high))
    assert found["amplification"].item() == pytest.approx(stats.gmean(FACTORS))
    units = {"useful_throughput": "B/s", "useful_throughput_low": "B/s", "amplification": "1", "n_amplification": "1"}
    assert {name: found[name].attrs["units"] for name in units} == units
    assert (found["n"].item(), found["n_amplification"].item(), found["caveat"].item()) == (3, 3, NOT_EXCLUDED)


def test_a_number_that_is_known_divides_the_interval_of_the_rate() -> None:
    found = useful_throughput(node(repeats(LUSTRE)), 1.7)
    mean, error = np.log(LUSTRE).mean(), np.log(LUSTRE).std(ddof=1) / np.sqrt(3)
    assert found["useful_throughput_low"].item() == pytest.approx(np.exp(mean - stats.t.ppf(0.975, 2) * error) / 1.7)
    assert found["n_amplification"].item() == 0


def test_useful_rates_of_one_run_are_already_there() -> None:
    row = amplification(skim()).isel(obs=0)
    assert row["throughput"].item() == row["network_throughput"].item() / row["amplification"].item()


def test_what_cannot_be_divided() -> None:
    ds = node(repeats(LUSTRE, filesystem="lustre") + repeats((1.0, 2.0), "elapsed", filesystem="lustre"))
    with pytest.raises(AnalysisError, match="a useful throughput is of a rate in B/s, elapsed is in s"):
        useful_throughput(ds, 1.7, variable="elapsed")
    with pytest.raises(AnalysisError, match="an amplification is positive, got -1"):
        useful_throughput(ds, -1.0)
    other = amplification(node(amplified((1.0,), filesystem="hadoop")), ["filesystem"])
    with pytest.raises(AnalysisError, match="there is no amplification of filesystem=lustre"):
        useful_throughput(ds, other, ["filesystem"])

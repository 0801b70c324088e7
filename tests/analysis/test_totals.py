"""Sums and quotients of sums: by hand, with units, and refused where a part is missing."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from storagelab import analysis
from storagelab.analysis.inference.dependence import NOT_EXCLUDED
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats


def packets() -> xr.Dataset:
    """Three runs of two clients each; sums of a run: 6000 B in 4 packets, 9000 in 5, 12000 in 8."""
    halves = {"a": ((2000, 1), (4000, 3)), "b": ((4000, 2), (5000, 3)), "c": ((6000, 4), (6000, 4))}
    return node(
        {
            "layout": "distribute", "run_id": run, "repeat": i, "client": f"cli{j}", "operation": "receive",
            "network_received": float(size), "packets_received": float(count),
        }
        for i, (run, parts) in enumerate(halves.items(), 1)
        for j, (size, count) in enumerate(parts)
    )  # fmt: skip


def sizes(by: tuple[str, ...] = ("layout",), over: tuple[str, ...] = ("client",)) -> xr.Dataset:
    return analysis.quotient(packets(), "network_received", "packets_received", by, name="packet_size", over=over)


def test_bytes_of_all_packets_over_packets() -> None:
    found = sizes()
    assert found["packet_size"].item() == pytest.approx(27000 / 17)
    assert found["n"].item() == 3
    assert {found[name].attrs["units"] for name in ("packet_size", "packet_size_low", "packet_size_high")} == {"B"}
    assert found["n"].attrs["units"] == "1"


def test_its_interval_is_that_which_a_t_test_does_not_refuse() -> None:
    """At both ends of Fieller's interval, the sums above less theta times those below have t = t(0.975, 2) = 4.303."""
    found = sizes()
    top, bottom = np.array([6000.0, 9000, 12000]), np.array([4.0, 5, 8])
    for end in ("packet_size_low", "packet_size_high"):
        rest = top - found[end].item() * bottom
        assert abs(rest.mean()) / (rest.std(ddof=1) / np.sqrt(3)) == pytest.approx(4.302653, rel=1e-6)
    assert found["packet_size_low"].item() < found["packet_size"].item() < found["packet_size_high"].item()
    assert found["caveat"].item() == NOT_EXCLUDED


def test_one_run_has_no_interval() -> None:
    found = sizes(("run_id",))
    assert found["packet_size"].to_numpy().tolist() == pytest.approx([1500, 1800, 1500])
    assert np.isnan(found["packet_size_low"]).all()
    assert set(found["caveat"].to_numpy()) == {"one run: no interval"}


def test_runs_that_differ_are_no_repetitions() -> None:
    unlike = packets().assign_coords(layout=("obs", ["replicate"] * 2 + ["distribute"] * 4))
    found = analysis.quotient(
        unlike, "network_received", "packets_received", name="packet_size", over=["layout", "client"]
    )
    assert found["packet_size"].item() == pytest.approx(27000 / 17)
    assert np.isnan(found["packet_size_low"].item())
    assert found["caveat"].item() == "runs differ in layout: no repetitions, no interval"


def test_a_key_that_some_runs_lack_tells_them_apart() -> None:
    partly = packets().assign_coords(replicas=("obs", [3.0, 3, np.nan, np.nan, np.nan, np.nan]))
    partly["replicas"].attrs["units"] = "1"
    found = analysis.quotient(
        partly, "network_received", "packets_received", name="packet_size", over=["replicas", "client"]
    )
    assert found["caveat"].item() == "runs differ in replicas: no repetitions, no interval"


def test_runs_of_one_block_are_one_unit() -> None:
    found = analysis.quotient(
        packets().assign_coords(block=("obs", [1.0, 1, 1, 1, 2, 2]), repeat=("obs", [1.0, 1, 1, 1, 2, 2])),
        "network_received", "packets_received", name="packet_size", over=["client"],
    )  # fmt: skip
    assert found["n"].item() == 2


def test_above_and_below_may_stand_in_rows_of_their_own() -> None:
    asked = [{"run_id": run, "operation": "read", "data_size": size} for run, size in (("a", 5e6), ("b", 6e6))]
    came = [
        {"run_id": run, "operation": "receive", "network_received": size} for run, size in (("a", 1e7), ("b", 1.1e7))
    ]
    found = analysis.quotient(node(asked + came), "network_received", "data_size")
    assert found["quotient"].item() == pytest.approx(21 / 11)
    assert found["quotient"].attrs["units"] == "1"
    with pytest.raises(AnalysisError, match="b has only one of network_received and data_size"):
        analysis.quotient(node(asked + came[:1]), "network_received", "data_size")


def test_a_quotient_has_the_unit_of_its_column() -> None:
    with pytest.raises(AnalysisError, match=r"network_received \[B\] over packets_received \[1\] is no quotient \[1\]"):
        analysis.quotient(packets(), "network_received", "packets_received", ["layout"], over=["client"])


def test_what_a_quotient_refuses() -> None:
    with pytest.raises(AnalysisError, match="rows of layout=distribute differ in client: name it"):
        sizes(over=())
    gap = packets()
    gap["packets_received"][1] = np.nan
    with pytest.raises(AnalysisError, match="a row of a has no packets_received beside network_received"):
        analysis.quotient(gap, "network_received", "packets_received", name="packet_size", over=["client"])
    with pytest.raises(AnalysisError, match="nothing can be divided by packets_received, which adds up to 0"):
        analysis.quotient(
            packets().assign(packets_received=packets()["packets_received"] * 0),
            "network_received", "packets_received", name="packet_size", over=["client"],
        )  # fmt: skip


def test_runs_that_differ_by_factors_are_flagged() -> None:
    wide = packets()
    wide["network_received"] = wide["network_received"] * [1.0, 1, 2, 2, 1, 1]
    found = analysis.quotient(wide, "network_received", "packets_received", name="packet_size", over=["client"])
    assert found["caveat"].item() == "runs differ by factors: the interval may not cover what it says"


@given(st.lists(st.tuples(st.floats(1e3, 1e6), st.floats(1, 50)), min_size=2, max_size=6), st.floats(0.5, 1024))
def test_a_quotient_scales_with_what_is_above(pairs: list[tuple[float, float]], factor: float) -> None:
    def found(scale: float) -> float:
        rows = [
            {"run_id": str(i), "repeat": i, "network_received": top * scale, "packets_received": bottom}
            for i, (top, bottom) in enumerate(pairs)
        ]
        name = "packet_size"
        return float(analysis.quotient(node(rows), "network_received", "packets_received", name=name)[name].item())

    assert found(factor) == pytest.approx(factor * found(1.0))


def test_totals_add_up() -> None:
    found = analysis.totals(packets(), ["network_received", "packets_received"], ["layout"])
    assert (found["network_received"].item(), found["packets_received"].item(), found["n"].item()) == (27000, 17, 3)
    assert (found["network_received"].attrs["units"], found["packets_received"].attrs["units"]) == ("B", "1")
    each = analysis.totals(packets(), ["network_received"], ["run_id"])
    assert each["network_received"].to_numpy().tolist() == [6000, 9000, 12000]


def test_rates_are_not_added_up() -> None:
    with pytest.raises(AnalysisError, match="throughput is in B/s: rates add up only where all ran together"):
        analysis.totals(node(repeats((1e6, 2e6))), ["throughput"])


def test_half_known_totals_are_refused() -> None:
    gap = packets()
    gap["packets_received"][1] = np.nan
    with pytest.raises(AnalysisError, match="a row of a has no packets_received beside network_received"):
        analysis.totals(gap, ["network_received", "packets_received"])
    empty = packets().assign(network_received=packets()["network_received"] * np.nan)
    with pytest.raises(AnalysisError, match="no row has a value of network_received"):
        analysis.totals(empty, ["network_received"])

"""Mean and standard error over each thing that may be called a repetition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from storagelab.analysis import repetition_units
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats

# by client: a 10 and 12, b 20 and 22; by run: 15 and 17; all: 10, 20, 12, 22
VALUES = {(1, "a"): 10.0, (1, "b"): 20.0, (2, "a"): 12.0, (2, "b"): 22.0}


def shared(**more: Any) -> list[dict[str, Any]]:
    return [
        {
            "share": "client",
            "client": client,
            "repeat": run,
            "run_id": f"r{run}",
            "clients": 2.0,
            "throughput": v,
            **more,
        }
        for (run, client), v in VALUES.items()
    ]


def by_unit(**options: Any) -> pd.DataFrame:
    return frame(repetition_units(node(shared()), "throughput", ["clients"], **options)).set_index("repetition")


def test_the_same_mean_with_three_errors_by_hand() -> None:
    found = by_unit()
    assert found["throughput"].to_dict() == {"run": 16, "client": 16, "row": 16}
    assert found["n"].to_dict() == {"run": 2, "client": 2, "row": 4}
    # runs 15, 17: s = sqrt 2, e = 1; clients 11, 21: e = 5; rows: sum of squares 36 + 16 + 16 + 36, s^2 = 104 / 3
    assert found["throughput_error"].to_dict() == pytest.approx({"run": 1, "client": 5, "row": np.sqrt(104 / 3) / 2})


def test_only_the_run_was_repeated() -> None:
    told = by_unit()["caveat"].to_dict()
    assert told == {
        "run": "",
        "client": "not what was repeated: values of one run share its conditions",
        "row": "not what was repeated: values of one run share its conditions",
    }


def test_units_that_are_asked_for() -> None:
    found = by_unit(units=[["client"], ["client", "run_id"]])
    assert found["n"].to_dict() == {"client": 2, "client x run": 4}
    with pytest.raises(AnalysisError, match="the dataset has no 'host'"):
        by_unit(units=[["host"]])


def test_one_run_of_many_clients_has_no_error() -> None:
    ds = node([row for row in shared() if row["repeat"] == 1])
    found = frame(repetition_units(ds, "throughput", ["clients"])).set_index("repetition")
    assert np.isnan(found.loc["run", "throughput_error"])
    assert found.loc["run", "caveat"] == "one run: no error"
    # two clients, 10 and 20
    assert found.loc["client", "throughput_error"] == pytest.approx(5)


def test_runs_of_a_block_are_no_repetitions() -> None:
    rows = [
        {"clients": 1.0, "run_id": f"{block}{i}", "repeat": block, "block": block, "throughput": block + i}
        for block in (1.0, 2.0, 3.0)
        for i in (0.0, 1.0)
    ]
    found = frame(repetition_units(node(rows), "throughput", ["clients"])).set_index("repetition")
    assert found["n"].to_dict() == {"block": 3, "run": 6, "row": 6}
    assert (found["caveat"] == "").to_dict() == {"block": True, "run": False, "row": False}


def test_units_and_origin() -> None:
    found = repetition_units(node(shared()), "throughput", ["clients"])
    assert {found[name].attrs["units"] for name in ("throughput", "throughput_error", "throughput_std")} == {"B/s"}
    assert found["n"].attrs["units"] == "1"
    assert (found.attrs["origin"], found.attrs["study"]) == ("measured", "test-2026")


def test_differences_that_nobody_named_are_refused() -> None:
    rows = [*shared(operation="read"), *shared(operation="write")]
    with pytest.raises(AnalysisError, match=r"differ in operation \(read, write\): name it in by or over"):
        repetition_units(node(rows), "throughput", ["clients"])


def test_the_order_of_the_rows_changes_nothing() -> None:
    ds = node(shared())
    turned = repetition_units(ds.isel(obs=[3, 1, 0, 2]), "throughput", ["clients"])
    pd.testing.assert_frame_equal(frame(turned), frame(repetition_units(ds, "throughput", ["clients"])))


def test_without_names_of_runs_each_log_or_row_is_one() -> None:
    rows = [{"clients": 1.0, "throughput": v} for v in (1.0, 2.0, 3.0)]
    found = frame(repetition_units(node(rows), "throughput", ["clients"])).set_index("repetition")
    assert found["n"].to_dict() == {"run": 3, "row": 3}
    assert found.loc["run", "throughput_error"] == pytest.approx(1 / np.sqrt(3))


def test_repeats_alone() -> None:
    found = frame(repetition_units(node(repeats((1.0, 3.0), clients=1.0)), "throughput", ["clients"]))
    assert found["throughput_error"].tolist() == [1, 1]

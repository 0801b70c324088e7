"""Second verdicts: what measured campaigns say of a claim, when it takes several numbers, and what is not decided."""

from __future__ import annotations

from typing import Any

import pytest
import xarray as xr

from storagelab import claims, dataset
from storagelab.claims.document import Entry
from storagelab.claims.ledger import measured
from storagelab.claims.record import Record, Row
from tests.analysis.tables import node, repeats

MEAN = {"summarise": {"variable": "throughput", "by": ["operation"]}}


def campaign(values: list[float]) -> dict[str, xr.DataTree]:
    runs = node(repeats(values, operation="write") + repeats([1.0, 2.0, 30.0], operation="read"))
    return {"test-2026": dataset.tree({"runs": runs}, {"study": "test-2026", "origin": "measured"})}


def entry(*operations: str, **said: Any) -> Entry:
    seconds = [
        {
            "study": "test-2026",
            "because": "the same question",
            "quantity": {"where": {"operation": operation}, "steps": [MEAN], "take": "throughput"},
        }
        for operation in operations
    ]
    stated = {"operator": "approx", "stated": "10 B/s", "tolerance": {"relative": 0.1}}
    return Entry.model_validate(
        {"id": "c", "statement": "Writes run at 10 B/s.", "role": "result", **stated, **said, "measured": seconds}
    )


def record(rows: list[Row]) -> Record:
    return Record("paper-2011", "reconstructed", [], rows, [], [], [], [], [])


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([9.9, 10.0, 10.1], "replicated"),
        ([19.9, 20.0, 20.1], "not replicated"),
        # mean 10 is within 9 to 11, the interval 10 +- 2.5 is not; mean 12 is not, 12 +- 2.5 reaches into it
        ([9.0, 10.0, 11.0], "undecided"),
        ([11.0, 12.0, 13.0], "undecided"),
        ([10.0], "replicated"),
    ],
)
def test_a_second_verdict_is_decided_by_the_interval_where_there_is_one(values: list[float], verdict: str) -> None:
    row = measured([entry("write")], campaign(values))[0]
    assert row["verdict"] == verdict
    assert claims.counts(record([row]))[verdict.replace(" ", "_")] == 1


def test_several_numbers_of_one_campaign_keep_a_verdict_each() -> None:
    rows = measured([entry("write", "read")], campaign([9.9, 10.0, 10.1]))
    assert record(rows).verdicts() == {"c @ test-2026": "replicated", "c @ test-2026 2": "undecided"}


def test_a_table_says_what_would_have_supported_the_claim() -> None:
    shown = claims.measured_table(record(measured([entry("write")], campaign([9.9, 10.0, 10.1]))))
    assert shown.loc[0, ["comes out", "n", "supports it"]].tolist() == ["10 B/s", "3", "9 to 11 B/s"]
    assert shown.loc[0, "measured"] == "10 B/s (9.752 to 10.25 B/s), n = 3"
    assert shown.attrs["origin"] == "measured"
    above = entry("write", operator=">", tolerance={"gap": 0.1})
    shown = claims.measured_table(record(measured([above], campaign([9.9, 10.0, 10.1]))))
    assert shown.loc[0, "supports it"] == "at least 11 B/s"

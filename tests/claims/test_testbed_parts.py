"""Parts of a test bed as rows of an analysis."""

from __future__ import annotations

import dataclasses

import pytest

from storagelab import analysis, claims, dataset
from storagelab.claims.record import Record
from storagelab.errors import StoragelabError

EMPTY = Record(*([""] * 2), *([()] * (len(dataclasses.fields(Record)) - 2)))  # type: ignore[arg-type]
SETS = {
    "narrow": {"layout": "two kinds", "raid_sets": "7", "disks_per_set": "6", "parity_disks": "1",
               "disk_size": "500 GB", "disks": "48", "section": "3"},
    "wide": {"layout": "two kinds", "raid_sets": "1", "disks_per_set": "7", "parity_disks": "1",
             "disk_size": "500 GB", "disks": "48"},
    "network": {"speed": "fast"},
}  # fmt: skip


@pytest.fixture
def record() -> Record:
    parts = [
        {"part": part, "property": key, "value": value} for part, own in SETS.items() for key, value in own.items()
    ]
    return dataclasses.replace(EMPTY, study="tiny", parts=parts)


def test_parts_are_rows_in_si(record: Record) -> None:
    rows = claims.part_rows(record, "narrow", "wide")
    assert dataset.frame(rows)["disk_size"].tolist() == [500e9, 500e9]
    assert rows.attrs["origin"] == "published"
    assert "section" not in rows
    layout = dataset.frame(analysis.raid_capacity(rows))
    assert layout["disks_used"].item() == 49
    assert layout["capacity_usable"].item() == 20.5e12
    assert layout["caveat"].item() == "needs 49 disks of 48"


def test_what_a_part_lacks_is_missing(record: Record) -> None:
    rows = dataset.frame(claims.part_rows(record, "narrow", "network"))
    assert rows["layout"].tolist() == ["two kinds", ""]
    assert rows["raid_sets"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("part", "match"),
    [
        ("narow", "no part 'narow' in the test bed; did you mean 'narrow'"),
        ("network", "no property of network is a key"),
    ],
)
def test_parts_that_are_no_rows_are_refused(record: Record, part: str, match: str) -> None:
    with pytest.raises(StoragelabError, match=match):
        claims.part_rows(record, part)


def test_a_table_of_some_parts(record: Record) -> None:
    assert claims.properties_table(record, "network").to_dict("records") == [
        {"part": "network", "property": "speed", "value": "fast"}
    ]
    assert len(claims.properties_table(record)) == len(record.parts)

"""How the clients of a run are put together in a number that is quoted."""

from __future__ import annotations

from typing import Any

import pytest

from storagelab import dataset
from storagelab.analysis.aggregation.slowest import UNTIL_SLOWEST
from storagelab.claims.number_sources import Source, Unit
from storagelab.claims.quoted_numbers import (
    ONE_CLIENT,
    PER_CLIENT,
    RUN,
    SUM,
    aggregate_of,
    alternatives,
    pinned,
    refuse_units,
)  # fmt: skip
from storagelab.errors import AnalysisError
from storagelab.study.sidecar_numbers import Quantity
from tests.analysis.tables import node, repeats

MEAN: dict[str, Any] = {"summarise": {"variable": "throughput", "by": ["clients"]}}
SLOWEST: dict[str, Any] = {"until_slowest": {"by": ["clients"]}}


@pytest.mark.parametrize(
    ("quantity", "aggregate"),
    [
        ({"steps": [MEAN], "take": "throughput"}, SUM),
        ({"steps": [MEAN], "take": "throughput", "at": {"clients": 1}}, ONE_CLIENT),
        ({"steps": [MEAN], "take": "throughput", "where": {"clients": 1}}, ONE_CLIENT),
        ({"steps": [MEAN], "take": "median", "at": {"clients": 2}}, SUM),
        ({"steps": [{"per_client": {}}], "take": "throughput"}, PER_CLIENT),
        ({"steps": [{"peaks": {"variable": "operation_rate"}}], "take": "operation_rate"}, RUN),
        ({"from": "clients", "steps": [MEAN], "take": "throughput"}, PER_CLIENT),
        ({"from": "series", "steps": [MEAN], "take": "throughput"}, RUN),
        ({"steps": [SLOWEST], "take": "throughput", "at": {"aggregate": UNTIL_SLOWEST}}, UNTIL_SLOWEST),
        ({"steps": [SLOWEST, {"select": {"aggregate": UNTIL_SLOWEST}}], "take": "throughput"}, UNTIL_SLOWEST),
        ({"steps": [SLOWEST, {"select": {"aggregate": SUM}}], "take": "throughput"}, SUM),
        ({"steps": [SLOWEST], "take": "throughput"}, SUM),
    ],
)
def test_a_number_says_how_its_clients_are_put_together(quantity: dict[str, Any], aggregate: str) -> None:
    rows = [row for clients in (1.0, 2.0) for row in repeats([1e8, 2e8], clients=clients, operation="read")]
    study = dataset.tree({"runs": node(rows)}, {"title": "two numbers of clients"})
    assert aggregate_of(Quantity.model_validate(quantity), study) == aggregate


def test_a_number_of_one_level_of_the_unit_may_have_more_repeats_than_there_are_levels() -> None:
    rows = [
        row
        for system in ("ext4", "xfs")
        for mode in ("own", "shared")
        for row in repeats([9.0, 10.0, 11.0], filesystem=system, file_mode=mode)
    ]
    study = dataset.tree({"runs": node(rows)}, {"title": "two file systems"})
    source = Source(units=(Unit(key="filesystem", factors=("file_mode",), says="the file system is the unit"),))
    sides = {"variable": "throughput", "factor": "file_mode", "base": "own", "other": "shared", "by": ["filesystem"]}
    asked = {"steps": [{"compare": sides}], "take": "ratio"}
    refuse_units(Quantity.model_validate({**asked, "at": {"filesystem": "xfs"}}), study, "test-2026", source, 3.0)
    with pytest.raises(AnalysisError, match="n = 3, but test-2026 takes filesystem as the unit, of which there are 2"):
        refuse_units(Quantity.model_validate(asked), study, "test-2026", source, 3.0)


def test_keys_that_a_quantity_confines_are_those_of_the_source_that_are_not_compared() -> None:
    sides = {"variable": "throughput", "factor": "layout", "base": "a", "other": "b", "by": ["clients"]}
    asked = {"where": {"layout": "a", "operation": "read"}, "at": {"clients": 2}, "steps": [{"compare": sides}]}
    source = Source(levels=("layout", "clients", "filesystem"))
    assert pinned(Quantity.model_validate({**asked, "take": "ratio"}), source) == {"clients": 2}


def test_a_quantity_is_asked_at_each_other_level_that_has_a_name() -> None:
    rows = [row for name in ("", "ext4", "xfs", "zfs") for row in repeats([9.0, 10.0], filesystem=name, clients=2.0)]
    study = dataset.tree({"runs": node(rows)}, {"title": "file systems"})
    for part in ("where", "at"):
        quantity = Quantity.model_validate({part: {"filesystem": "xfs"}, "steps": [MEAN], "take": "throughput"})
        found = list(alternatives(quantity, study, "filesystem"))
        assert [(level, getattr(other, part)["filesystem"]) for level, other in found] == [("ext4",) * 2, ("zfs",) * 2]
    assert list(alternatives(quantity, study, "layout")) == []

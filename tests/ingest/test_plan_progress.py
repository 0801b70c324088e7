"""What a study has of its design, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from storagelab.ingest.plan_progress import counted
from storagelab.study.campaign_plan import Plan
from storagelab.study.study_yaml import Sidecar

WRITES = Plan(
    name="writes", where={"operation": "write"}, factors={"clients": (1, 2), "layout": ("wide",), "repeat": (1, 2)}
)
READS = Plan(name="reads", where={"operation": "read"}, factors={"clients": (1,)})


def said(design: Sequence[Plan], rows: Sequence[dict[str, Any]]) -> list[str]:
    sidecar = Sidecar.model_validate({"id": "s", "title": "S", "origin": "measured", "design": list(design)})
    return list(map(str, counted(sidecar, rows)))


def written(clients: float, repeat: float, **other: Any) -> dict[str, Any]:
    return {"operation": "write", "clients": clients, "layout": "wide", "repeat": repeat, **other}


@pytest.mark.parametrize(("rows", "words"), [
    ([written(clients, repeat) for clients in (1.0, 2.0) for repeat in (1.0, 2.0)], "writes: 4 of 4 runs"),
    ([written(1.0, 2.0), written(1.0, 2.0)],
     "writes: 1 of 4 runs; missing: clients 1, layout wide, repeat 1; clients 2, layout wide, repeat 1 and 2"),
    ([*(written(clients, repeat) for clients in (1.0, 2.0) for repeat in (1.0, 2.0)),
      written(4.0, 1.0), written(4.0, 2.0), written(3.0, 1.0, layout="narrow")],
     "writes: 4 of 4 runs; not planned: clients 3 (1 run); clients 4 (2 runs); layout narrow (1 run)"),
])  # fmt: skip
def test_a_part_of_the_design_says_what_is_there_what_lacks_and_what_is_more(
    rows: Sequence[dict[str, Any]], words: str
) -> None:
    assert said([WRITES], rows) == [words]


def test_runs_of_another_part_and_rows_without_a_factor_are_none_of_it() -> None:
    rows = [{"operation": "read", "clients": 1.0}, {"operation": "write", "clients": 9.0}]
    nothing = "writes: 0 of 4 runs; missing: " + "; ".join(
        f"clients {clients}, layout wide, repeat 1 and 2" for clients in (1, 2)
    )
    assert said([WRITES, READS], rows) == [nothing, "reads: 1 of 1 runs"]


def test_of_many_cells_that_are_missing_eight_are_named() -> None:
    def asked(levels: int) -> str:
        return said([Plan(name="sweep", factors={"clients": tuple(range(1, levels + 1))})], [])[0]

    eight = "missing: " + "; ".join(f"clients {level}" for level in range(1, 9))
    assert asked(8) == f"sweep: 0 of 8 runs; {eight}"
    assert asked(10) == f"sweep: 0 of 10 runs; {eight}; and 2 cells more"

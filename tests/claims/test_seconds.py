"""Second verdicts: what measured campaigns say of a claim, when it takes several numbers, and what is not decided."""

from __future__ import annotations

from typing import Any

import numpy as np
import pydantic
import pytest
import xarray as xr

from storagelab import claims, dataset
from storagelab.claims import second_verdicts
from storagelab.claims.claims_yaml_entries import Entry
from storagelab.claims.number_evaluation import Found, as_stated
from storagelab.claims.number_sources import Aggregate, Source, SourcesFile, Unit
from storagelab.claims.record import Record, Row
from storagelab.claims.second_verdicts import claim_verdicts, furthest, measured, of_claim, tally
from storagelab.errors import StoragelabError
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
            "distance": "same quantity",
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
    row = measured([entry("write")], campaign(values), SourcesFile())[0]
    assert row["verdict"] == verdict
    assert claims.counts(record([row]))[verdict.replace(" ", "_")] == 1


@pytest.mark.parametrize(
    ("apart", "verdict"),
    [
        ([0.05, 0.06, 0.07], "replicated"),
        ([0.05, 0.08, 0.12], "undecided"),
        ([0.09, 0.11, 0.14], "undecided"),
        ([0.2, 0.3, 0.4], "not replicated"),
    ],
)
def test_runs_on_both_sides_leave_a_number_without_an_interval_undecided(apart: list[float], verdict: str) -> None:
    """Half of the range of two clients in each of three runs, of which nobody knows an interval."""
    rows = [
        {**row, "client": client, "throughput": 1 + sign * row["throughput"]}
        for row in repeats(apart, operation="write")
        for client, sign in (("slow", -1), ("fast", 1))
    ]
    clients = node(rows)
    tree = dataset.tree({"clients": clients}, {"study": "test-2026", "origin": "measured"})
    index = [
        {"fairness": {"variable": "throughput", "by": ["operation"]}},
        {"fairness_over_runs": {"variable": "half_range"}},
    ]
    within = {
        "operator": "<=",
        "stated": "0.1",
        "tolerance": {"exact": True, "source": "the text", "reason": "a bound"},
    }
    fair = asked({"quantity": {"from": "clients", "steps": index, "take": "half_range"}, **within})
    (row,) = measured([fair], {"test-2026": tree}, SourcesFile())
    assert np.isnan(row["value_low"])
    assert (row["run_lowest"], row["run_highest"]) == pytest.approx((min(apart), max(apart)))
    assert row["verdict"] == verdict


def test_a_tolerance_in_standard_errors_has_the_errors_in_it_already() -> None:
    row = measured([entry("write", tolerance={"z": 2})], campaign([9.5, 10.0, 11.0]), SourcesFile())[0]
    assert (row["interval_is"], row["verdict"]) == ("across", "replicated")


def test_a_second_verdict_says_what_it_is_held_against() -> None:
    found = campaign([9.9, 10.0, 10.1])
    assert [row["stated"] for row in measured([entry("write")], found, SourcesFile())] == ["10 B/s"]
    own = {"quantity": {"where": {"operation": "write"}, "steps": [MEAN], "take": "throughput"}, "stated": "9 B/s"}
    said = {"operator": ">=", "tolerance": {"exact": True, "source": "the text", "reason": "a bound"}}
    (row,) = measured([asked({**own, **said})], found, SourcesFile())
    assert (row["stated"], row["printed_unit"], row["verdict"]) == ("9 B/s", "B/s", "replicated")


def test_a_level_is_asked_as_well_where_another_quantity_of_the_same_study_has_it() -> None:
    whole = asked(of_layout("distribute"), {"study": "other-2026", **of_layout("disperse")})
    assert second_verdicts._asked_as_well(whole, "test-2026", "layout", "distribute")
    assert not second_verdicts._asked_as_well(whole, "test-2026", "layout", "disperse")


def test_several_numbers_of_one_campaign_keep_a_verdict_each() -> None:
    rows = measured([entry("write", "read")], campaign([9.9, 10.0, 10.1]), SourcesFile())
    assert record(rows).verdicts() == {"c @ test-2026": "replicated", "c @ test-2026 2": "undecided"}


def test_a_table_says_what_would_have_supported_the_claim() -> None:
    shown = claims.measured_table(record(measured([entry("write")], campaign([9.9, 10.0, 10.1]), SourcesFile())))
    assert shown.loc[0, ["comes out", "n", "supports it"]].tolist() == ["10 B/s", "3", "9 to 11 B/s"]
    assert shown.loc[0, "measured"] == "10 B/s (9.752 to 10.25 B/s), n = 3"
    assert shown.attrs["origin"] == "measured"
    above = entry("write", operator=">", tolerance={"gap": 0.1})
    shown = claims.measured_table(record(measured([above], campaign([9.9, 10.0, 10.1]), SourcesFile())))
    assert shown.loc[0, "supports it"] == "at least 11 B/s"


def said(levels: tuple[str, ...] = (), unit: Unit | None = None, aggregate: Aggregate | None = None) -> SourcesFile:
    """What the paper of the campaign says of its numbers."""
    source = Source(levels=levels, units=(unit,) if unit else (), aggregates=(aggregate,) if aggregate else ())
    return SourcesFile(sources={"test-2026": source})


def asked(*seconds: dict[str, Any]) -> Entry:
    """A claim that rates are at least 10 B/s, held against quantities of the campaign."""
    of_all = {"study": "test-2026", "because": "the same question", "distance": "same quantity"}
    claim = {"id": "c", "statement": "Writes run at 10 B/s.", "role": "result", "operator": ">=", "stated": "10 B/s"}
    tolerance = {"exact": True, "source": "the text", "reason": "a bound"}
    return Entry.model_validate({**claim, "tolerance": tolerance, "measured": [{**of_all, **each} for each in seconds]})


def of_layout(layout: str, **given: Any) -> dict[str, Any]:
    return {"quantity": {"where": {"layout": layout}, "steps": [MEAN], "take": "throughput"}, **given}


def laid_out() -> dict[str, xr.DataTree]:
    """A campaign in which whole files are fast, and striped ones slow."""
    whole, striped = ({"operation": "write", "layout": layout} for layout in ("distribute", "distribute+shard"))
    rows = repeats([19.9, 20.0, 20.1], **whole) + repeats([1.9, 2.0, 2.1], **striped)
    return {"test-2026": dataset.tree({"runs": node(rows)}, {"study": "test-2026", "origin": "measured"})}


def test_one_layout_is_not_quoted_for_all_where_the_answer_changes() -> None:
    whole, striped = of_layout("distribute"), of_layout("distribute+shard")
    changes = r"layout distribute: replicated, distribute\+shard: not replicated"
    with pytest.raises(StoragelabError, match=rf"c @ test-2026: one level of layout is quoted.*{changes}"):
        measured([asked(whole)], laid_out(), said(levels=("layout",)))
    rows = measured([asked(whole, striped)], laid_out(), said(levels=("layout",)))
    assert [row["verdict"] for row in rows] == ["replicated", "not replicated"]
    assert rows[0]["selection"] == "layout distribute"
    (alone,) = measured([asked({**whole, "only": {"layout": "it is of whole files"}})], laid_out(), said(("layout",)))
    assert alone["changes"] == "layout distribute: replicated, distribute+shard: not replicated"
    assert alone["demands"][0]["one_of"] == ["distribute"]


def test_more_units_of_repetition_than_the_source_has_are_refused() -> None:
    rows = [
        row
        for system in ("ext4", "xfs")
        for mode, values in (("own", [9.0, 11.0, 10.0]), ("shared", [10.0, 12.0, 11.0]))
        for row in repeats(values, filesystem=system, file_mode=mode)
    ]
    tree = {"test-2026": dataset.tree({"runs": node(rows)}, {"study": "test-2026", "origin": "measured"})}
    sides = {"variable": "throughput", "factor": "file_mode", "base": "own", "other": "shared"}
    pairs = {"steps": [{"compare": {**sides, "pair": ["filesystem", "repeat"]}}], "take": "ratio"}
    blocks = [{"pair_ratios": {**sides, "by": ["filesystem"]}}, {"pooled_ratios": {"by": [], "blocks": ["filesystem"]}}]
    unit = said(unit=Unit(key="filesystem", factors=("file_mode",), says="with the file system as the unit"))
    ratio = {"stated": "1"}
    with pytest.raises(
        StoragelabError, match="n = 6, but test-2026 takes filesystem as the unit, of which there are 2"
    ):
        measured([asked({"quantity": pairs, **ratio})], tree, unit)
    (row,) = measured([asked({"quantity": {"steps": blocks, "take": "ratio"}, **ratio})], tree, unit)
    assert (row["n"], row["unit_of_repetition"]) == (2, "filesystem")


def test_a_sum_of_rates_is_refused_where_the_source_refuses_it() -> None:
    runs = node(repeats([9.0, 11.0, 10.0], operation="write", clients=3.0))
    tree = {"test-2026": dataset.tree({"runs": runs}, {"study": "test-2026", "origin": "measured"})}
    against = said(aggregate=Aggregate(refused="sum of the clients' rates", says="wrong as a bandwidth"))
    added = {"quantity": {"steps": [MEAN], "take": "throughput"}}
    with pytest.raises(StoragelabError, match=r"is a sum of the clients' rates, which test-2026 refuses .'wrong as a"):
        measured([asked(added)], tree, against)
    (row,) = measured([asked({**added, "warns": "it shows that a sum exceeds the links"})], tree, against)
    assert row["demands"][-1]["one_of"] == ["added", "add up", "sum"]
    each = [{"per_client": {"by": []}}, {"summarise": {"variable": "throughput_per_client", "by": []}}]
    (row,) = measured([asked({"quantity": {"steps": each, "take": "throughput_per_client"}})], tree, against)
    assert row["aggregate"] == "mean over the clients"


def test_an_analogue_without_its_distance_is_refused() -> None:
    with pytest.raises(pydantic.ValidationError, match="an analogue needs its `distance`: one of same quantity, same"):
        asked({**of_layout("distribute"), "distance": None})
    with pytest.raises(pydantic.ValidationError, match="Input should be 'same quantity', 'same mechanism' or"):
        asked({**of_layout("distribute"), "distance": "like it"})


def test_of_the_sign_alone_no_size_is_asked() -> None:
    sized = {**of_layout("distribute"), "operator": "between", "stated": "2 %", "until": "4 %"}
    with pytest.raises(pydantic.ValidationError, match="of an analogue of the same sign only no size is asked"):
        asked({**sized, "distance": "same sign only"})
    assert asked({**sized, "distance": "same mechanism"}).measured


def test_a_number_may_stand_beside_a_claim_and_give_no_verdict() -> None:
    (row,) = measured([asked({**of_layout("distribute"), "comparable": False})], laid_out(), said(("layout",)))
    assert (row["verdict"], row["value"]) == ("not comparable", pytest.approx(20))
    assert tally([record([row])])["answers"] == 0


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [
        (["replicated", "replicated"], "replicated"),
        (["not replicated", "not comparable"], "not replicated"),
        (["replicated", "undecided", "not replicated"], "mixed"),
        (["replicated", "undecided"], "undecided"),
        (["not replicated", "undecided"], "undecided"),
        (["not comparable"], "not comparable"),
    ],
)
def test_a_claim_has_one_verdict_whatever_its_answers(answers: list[str], verdict: str) -> None:
    assert of_claim(answers) == verdict


def test_counts_count_claims_and_the_furthest_analogues_come_first() -> None:
    both = asked(of_layout("distribute"), of_layout("distribute+shard", distance="same sign only"))
    near = asked(of_layout("distribute")).model_copy(update={"id": "d"})
    rows = measured([near, both], laid_out(), SourcesFile())
    counted = tally([record(rows)])
    assert [counted[name] for name in ("mixed", "replicated", "questioned", "asked", "answers")] == [1, 1, 2, 2, 3]
    assert [claim["verdict"] for claim in claim_verdicts(rows)] == ["replicated", "mixed"]
    shown = claims.replication_table([record(rows)])
    assert shown["claim"].tolist() == ["c", "d"]
    assert shown["distance"].tolist() == ["same sign only", "same quantity"]
    assert shown["answers"].tolist()[1] == "20 (19.8 to 20.2), flips at 10: replicated"
    assert furthest(["same quantity", "same mechanism"]) == "same mechanism"


def test_a_second_verdict_has_the_interval_that_its_source_states() -> None:
    alone = Found(1.46, 1.01, 2.1, stated=(0.8, 2.7))
    assert (as_stated(alone).low, as_stated(alone).high) == (0.8, 2.7)
    assert as_stated(Found(1.46, 1.01, 2.1)).low == 1.01
    assert as_stated(Found(1.46, 1.01, 2.1, stated=(0.8, np.nan))).low == 1.01

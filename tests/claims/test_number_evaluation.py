"""A number of a ledger is the one that the analyses give, and costs no dataset of its own."""

from __future__ import annotations

import pytest
import xarray as xr

from storagelab import analysis, dataset
from storagelab.analysis import Claim, Tolerance, table
from storagelab.analysis.verdicts.verdicts import verdict_alone
from storagelab.claims import number_evaluation
from storagelab.claims.claim_evaluation import as_quantities, numbers_of
from storagelab.claims.number_evaluation import Found, chosen, node_of, take, take_rows, weakest
from storagelab.errors import AnalysisError, UnknownNameError
from storagelab.study.sidecar_numbers import Quantity

SUMMARY = {"summarise": {"variable": "throughput", "by": ["operation", "clients"]}}


def tree() -> xr.DataTree:
    rows = [
        {
            "run_id": f"{operation}{clients}r{repeat}", "operation": operation, "clients": clients,
            "repeat": float(repeat), "statistic": "single", "throughput": base + repeat / 3,
        }
        for operation, base in (("read", 7e8), ("write", 3e8))
        for clients in (1.0, 2.0)
        for repeat in (1, 2, 3)
    ]  # fmt: skip
    return dataset.tree({"runs": dataset.from_rows(rows, origin="measured", study="tiny")}, {"study": "tiny"})


def quantity(**at: object) -> Quantity:
    return Quantity(steps=(SUMMARY,), take="throughput", at=at)


@pytest.mark.parametrize(("bases", "basis"), [
    ([], "model"), ([""], "model"), (["measured"], "measured"), (["measured", "published"], "published"),
])  # fmt: skip
def test_a_number_rests_on_the_weakest_of_its_rows_and_on_the_model_where_nobody_says(
    bases: list[str], basis: str
) -> None:
    assert weakest(bases) == basis


def test_a_number_is_what_claim_quantity_says() -> None:
    study = tree()
    means = analysis.summarise(study["runs"].to_dataset(), **SUMMARY["summarise"])
    said = table.frame(analysis.claim_quantity(means, "c", "throughput", operation="read", clients=2.0)).iloc[0]
    found = take(quantity(operation="read", clients=2.0), study, "c").row("c")
    assert {name: found[name] for name in found if name != "quantity"} == {
        name: said[name] for name in found if name != "quantity"
    }


def test_each_row_of_a_curve_is_the_number_that_its_keys_choose() -> None:
    study = tree()
    rows = take_rows(quantity(operation="write"), study, "c", ["operation", "clients"])
    assert [keys for keys, _ in rows] == [{"operation": "write", "clients": clients} for clients in (1.0, 2.0)]
    assert [found for _, found in rows] == [take(quantity(**keys), study, "c") for keys, _ in rows]


def test_a_number_of_a_known_analysis_makes_no_dataset(monkeypatch: pytest.MonkeyPatch) -> None:
    study = tree()
    take(quantity(operation="read", clients=1.0), study, "c")

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a dataset was made")

    monkeypatch.setattr(xr.Dataset, "__init__", refuse)
    monkeypatch.setattr(xr.Dataset, "_replace", refuse)
    assert take(quantity(operation="write", clients=2.0), study, "c").n == 3


def test_a_step_may_have_its_old_name_for_a_release() -> None:
    old, new = (
        Quantity(
            steps=({name: {"variable": "throughput", "by": ["operation"]}},), take="ratio", at={"operation": "read"}
        )
        for name in ("dips", "regressions")
    )
    with pytest.warns(DeprecationWarning, match=r"^storagelab.analysis.dips is called regressions now"):
        assert take(old, tree(), "c").stated == take(new, tree(), "c").stated


def test_a_mistake_of_ours_is_no_mistake_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "summarise", lambda *_, **__: {}["ours"])
    with pytest.raises(KeyError, match="'ours'"):
        take(quantity(operation="read", clients=1.0), tree(), "c")


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ({"operation": "read"}, r"c: claim c: 2 rows \(operation=read\): name the keys that choose one"),
        ({"operation": "stat"}, "c: .*operation.*'stat'"),
        ({"layout": "shard"}, "c: .*key of this dataset.*'layout'"),
    ],
)
def test_keys_that_choose_no_one_row_are_refused(at: dict[str, object], message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        take(quantity(**at), tree(), "c")


@pytest.mark.parametrize(
    ("where", "records"),
    [
        ({"record_size": "64 KiB"}, [65536]),
        ({"record_size": ["64 KiB", 2**20]}, [65536, 2**20]),
        ({"record_size": {"low": "512 KiB"}}, [2**20, 2**21]),
        ({"record_size": {"low": "64 KiB", "high": "1 MiB"}, "operation": "read"}, [65536, 2**20]),
    ],
)
def test_rows_are_chosen_by_a_level_several_or_a_range(where: dict[str, object], records: list[int]) -> None:
    rows = [{"operation": "read", "record_size": float(size), "throughput": 1e8} for size in (2**16, 2**20, 2**21)]
    ds = dataset.from_rows(rows, origin="measured")
    assert chosen(ds, where)["record_size"].values.tolist() == records


def test_rows_of_a_result_may_be_selected_as_a_step() -> None:
    steps = ({"select": {"operation": "write"}}, SUMMARY)
    found = take(Quantity(steps=steps, take="throughput", at={"clients": 2.0}), tree(), "c")
    assert found.value == pytest.approx(3e8, rel=1e-6)


def test_a_node_that_a_study_lacks_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown node of this study 'series'"):
        node_of(tree(), "series")


@pytest.mark.parametrize("stated", [7e8, 7.1e8, 9e8])
def test_a_claim_alone_is_judged_as_among_others(stated: float) -> None:
    claim = Claim("c", "<=", stated=stated, unit="B/s", tolerance=Tolerance("relative", 0.01))
    found = Found(7.05e8 + 1 / 3, 7e8 + 1 / 3, 7.2e8 + 1 / 3, 1e6 + 1 / 3, "B/s", 3.0)
    like = tree()["runs"].to_dataset()
    among = table.frame(analysis.verdicts(as_quantities({"c": found}, like), [claim])).iloc[0]
    alone = verdict_alone(claim, found.row("c"))
    assert numbers_of(alone) == numbers_of(among)
    assert (alone["verdict"], alone["caveat"]) == (among["verdict"], among["caveat"])


def test_a_claim_alone_in_another_unit_is_refused() -> None:
    claim = Claim("c", "<=", stated=1.0, unit="s", tolerance=Tolerance("relative", 0.01))
    with pytest.raises(AnalysisError, match="claim c: the quantity is in 'B/s', the claim in 's'"):
        verdict_alone(claim, Found(1.0, unit="B/s").row("c"))


def test_a_node_of_the_study_stands_for_a_mapping_that_names_it_alone() -> None:
    study = tree()
    given = {"runs": {"node": "runs"}, "node": "runs", "by": ["node"], "where": {"node": "runs", "clients": 1}}
    found = number_evaluation._arguments(given, study)
    assert found.pop("runs").equals(study["runs"].to_dataset())
    assert found == {name: given[name] for name in ("node", "by", "where")}


def test_a_study_is_the_same_as_itself_only() -> None:
    one, other = tree(), tree()
    assert number_evaluation._Study(one) == number_evaluation._Study(one)
    assert number_evaluation._Study(one) != number_evaluation._Study(other)
    assert number_evaluation._Study(one) != one

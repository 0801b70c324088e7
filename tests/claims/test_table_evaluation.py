"""The tables that papers should have: every column and row, each cell from where it says, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pandas as pd
import pytest
import xarray as xr
import yaml

from storagelab import claims, dataset
from storagelab.claims import table_evaluation
from storagelab.claims.across_studies import ANSWERS
from storagelab.claims.claim_evaluation import ledger
from storagelab.claims.claims_yaml import read_paper
from storagelab.claims.record import Record
from storagelab.claims.study_numbers import Numbers
from storagelab.claims.table_evaluation import filled, study_table
from storagelab.claims.tables_yaml import Table, read_tables
from storagelab.errors import SidecarError, StoragelabError
from storagelab.paper.build import lacking_tables
from storagelab.study.published import read_published
from storagelab.study.testbed import read_testbed
from tests import published
from tests.claims import tiny
from tests.conftest import ROOT, SHARED

INVENTORY = SHARED / "studies" / "tables.yaml"
HOMES = [*published.STUDIES, "synthesis"]
COMMON = {"row", "unit", "basis", "origin"}
OF_THE_PAPER = {"cross-study": "synthesis"}


@cache
def promised() -> dict[str, tuple[str, Table]]:
    """Every table of tables.yaml with the study that has it."""
    return {table.id: (study, table) for study in HOMES for table in read_tables(ROOT / "raw" / study)}


@cache
def record_of(study: str) -> Record:
    folder = ROOT / "raw" / study
    numbers = Numbers(read_published(folder), read_testbed(folder), published.tree(study))
    judged = ledger(read_paper(folder).claims, numbers)
    rows = filled(read_tables(folder), numbers, judged)
    return Record(study, "reconstructed", judged, *[[]] * 6, tables=rows)


def test_there_are_sixteen_tables() -> None:
    assert len(promised()) == 16


@pytest.mark.skipif(not INVENTORY.is_file(), reason="the list of all tables is not there to compare with")
def test_tables_are_those_that_were_listed_when_the_papers_were_read() -> None:
    listed = yaml.safe_load(INVENTORY.read_text(encoding="utf-8"))["tables"]
    assert {table["id"] for table in listed} == set(promised())
    for table in listed:
        study, ours = promised()[table["id"]]
        assert study == OF_THE_PAPER.get(table["study"], table["study"])
        assert list(ours.columns) == [str(name) for name in table["columns"]], ours.id
        assert set(table["claims"]) <= set(ours.claims), ours.id


@pytest.mark.skipif(not INVENTORY.is_file(), reason="the list of all tables is not there to compare with")
@pytest.mark.slow
def test_cells_of_the_cross_study_table_are_those_that_were_listed() -> None:
    (listed,) = [
        t for t in yaml.safe_load(INVENTORY.read_text(encoding="utf-8"))["tables"] if t["id"] == "tab-cross-study"
    ]
    made = ROOT / "reports" / "synthesis" / "tables" / "cross-study.csv"
    if not made.exists():
        pytest.skip("needs what `make reports` makes of all studies")
    rows = pd.read_csv(made).set_index("study")
    names = {"best_read": "best_read_MB_s", "best_write": "best_write_MB_s", "fraction": "fraction_of_bottleneck"}
    names |= {"read_amplification": "read_amplification"}
    for study, cells in listed["expected_cells"].items():
        for name, value in cells.items():
            if name in names and isinstance(value, int | float):
                assert rows[names[name]][study] == pytest.approx(value, rel=0.06), (study, name)


@pytest.mark.slow
@pytest.mark.parametrize("study", published.STUDIES)
def test_every_table_has_every_column_and_a_value_in_each(study: str) -> None:
    for table in read_tables(ROOT / "raw" / study):
        made = study_table(record_of(study), table.id)
        assert set(made) - COMMON == set(table.columns)
        assert made["row"].is_unique
        for name in table.columns:
            assert (made[name].astype(str).isin(["", "nan"])).mean() < 1, (table.id, name)
        assert set(made["basis"]) <= {"published", "derived", "model", "not a number"}


@pytest.mark.slow
def test_cells_are_what_the_texts_print() -> None:
    nova = study_table(record_of("fermicloud-2011"), "tab-fermi-nova").set_index("row")
    assert nova["mean"]["49 on-board"] == pytest.approx(9.3e6)
    assert nova["n"]["49 on-board"] == 28
    assert nova["printed"]["21 bare"] == "12.55 ± 0.06 MB/s"
    iozone = study_table(record_of("fermicloud-2011"), "tab-fermi-iozone").set_index("row")
    assert iozone["write_plateau"]["BlueArc"] == pytest.approx(330e6)
    assert iozone["read_plateau"]["Hadoop, most replicas"] == pytest.approx(150e6)
    tests = study_table(record_of("bnl-2007"), "tab-bnl-dcache").set_index("row")
    assert list(tests["start"])[:4] == ["15:45", "16:15", "16:40", "16:50"]
    assert tests["date"]["test 6"].startswith("2007-01-19")
    assert math.isnan(tests["out_MB_s"]["test 6"])
    sets = study_table(record_of("bnl-2007"), "tab-bnl-layouts").set_index("row")
    assert list(sets["matches_20.5"]) == ["no", "yes", "no", "yes"]
    assert list(sets["fits_48"]) == ["yes", "yes", "yes", "no"]
    rates = study_table(record_of("bnl-2007"), "tab-bnl-fileop").set_index("row")
    assert len(rates) == 14
    assert rates["winner"][["close", "read", "write", "mkdir"]].tolist() == ["zfs", "xfs", "none", "none"]
    codes = study_table(record_of("cern-kinetic-2015"), "tab-cern-layouts").set_index("row")
    assert codes["clients_per_64GB"][["10+2", "32+4"]].tolist() == [6400, 2000]


@pytest.mark.slow
def test_pairs_are_judged_by_printed_errors_alone() -> None:
    pairs = study_table(record_of("fermicloud-2011"), "tab-fermi-pairs").set_index("row")
    bare = pairs.loc["21 clients, bare metal and virtual servers"]
    assert bare["z"] == pytest.approx(-2.8)
    assert bare["p_value"] == pytest.approx(0.00511, rel=1e-3)
    assert (bare["compatible_2sigma"], bare["equivalent_5pct"]) == ("no", "yes")
    many = pairs.loc["49 clients, rates, external and on-board"]
    assert (many["compatible_2sigma"], many["equivalent_5pct"]) == ("yes", "no")


@pytest.mark.parametrize(
    ("value", "error", "relative", "within_two", "alike"),
    [
        ("249", "0.8", -0.004, "yes", "yes"),
        ("248", "0.8", -0.008, "yes", "yes"),
        ("248.5", "0.2", -0.006, "no", "yes"),
        ("240", "5", -0.04, "yes", "no"),
    ],
)
def test_a_pair_is_told_apart_by_its_errors_and_alike_within_five_per_cent(
    value: str, error: str, relative: float, within_two: str, alike: str, tmp_path: Path
) -> None:
    other = f"""\
  other: {{what: writes of others, value: "{value}", error: "{error}", unit: MB/s, section: "3", context: not ours}}
  planned:"""
    folder = tiny.write(tmp_path / "tiny", published=("  planned:", other))
    (folder / "tables.yaml").write_text(PAIR)
    row = study_table(claims.evaluate(folder, tiny.logs(), {"cluster-2026": tiny.logs("measured")}), "tab-pair").iloc[0]
    assert (row["a"], row["b"]) == (250e6, 1e6 * float(value))
    assert row["difference"] == pytest.approx(row["b"] - row["a"])
    z = (float(value) - 250) / math.hypot(0.6, float(error))
    assert (row["z"], row["relative_difference"]) == pytest.approx((z, relative))
    assert row["p_value"] == pytest.approx(2 * NormalDist().cdf(-abs(z)))
    assert (row["compatible_2sigma"], row["equivalent_5pct"]) == (within_two, alike)


PAIR = """\
tables:
- id: tab-pair
  shows: bare metal against virtual servers
  drawn: pairs
  columns: [a, b, difference, z, p_value, relative_difference, compatible_2sigma, equivalent_5pct]
  rows: [{row: writes, pair: [bm_write, other]}]
"""
TINY = """\
tables:
- id: tab-tiny
  shows: reads and writes
  drawn: rates
  columns: [bare, virtual, ratio, error, ahead, lead, asked, holds, margin, out, begins, both, printed, verdict]
  rows:
  - row: "{operation}"
    each: {operation: [write], server: [bm]}
    claim: read
    cells:
      bare: "= {server}_{operation}"
      virtual:
        where: {server_mode: virtual, operation: "{operation}"}
        steps: [{summarise: {variable: throughput, by: []}}]
        take: throughput
      ratio: = bare / virtual
      error: ~ bm_write / vi_write
      ahead: {highest: {metal: bare, guest: virtual}, apart: 0.05}
      lead: {lead: [bare, virtual]}
      asked: {in: MB/s, of: = bm_read}
      holds: {at_most: [= bm_write, = bm_read]}
      margin: "@ read accepted"
      out: "@ read"
      begins: {clock: = bm_read / bm_write * 60 * 60 * 8}
      both: {join: {a: = bm_read, b: = servers}}
      printed: "reads {bm_read}"
"""


def of_tiny(folder: Path, text: str = TINY) -> Record:
    folder = tiny.write(folder / "tiny")
    (folder / "tables.yaml").write_text(text)
    return claims.evaluate(folder, tiny.logs(), {"cluster-2026": tiny.logs("measured")})


def test_each_kind_of_cell_says_what_it_is(tmp_path: Path) -> None:
    made = study_table(of_tiny(tmp_path), "tab-tiny")
    assert {name: made.attrs["units"][name] for name in ("bare", "out", "ratio")} == {
        "bare": "B/s",
        "out": "B/s",
        "ratio": "1",
    }
    row = made.iloc[0]
    assert (row["row"], row["ahead"], row["holds"]) == ("write", "metal", "yes")
    assert row["bare"] == 250e6
    assert row["virtual"] == pytest.approx(70e6, rel=1e-3)
    assert row["ratio"] == pytest.approx(250 / 70, rel=1e-3) == pytest.approx(row["lead"])
    assert row["error"] == pytest.approx(0.6 / 70)
    assert row["asked"] == 350
    assert row["margin"] == "3.255e+08 to 3.745e+08"
    assert row["out"] == 350e6
    assert row["printed"] == "reads about 350 MB/s"
    assert row["begins"] == "11:12"
    assert row["both"] == "a 350 MB/s, b 3"
    assert row["verdict"] == "supported" or "consistent" in row["verdict"]


def test_the_last_is_held_against_the_first_and_numbers_are_equal_but_for_how_they_were_computed() -> None:
    assert table_evaluation._ahead("lowest_over_highest", {"a": 1.0, "b": 4.0, "c": 2.0}, 0.05) == (0.25, "1")
    equal = table_evaluation._HOLDS["equal"]
    assert [equal(1e9 + more, 1e9) for more in (0.05, 0.2)] == [True, False]
    assert equal(0.0, 0.0)


def test_the_highest_is_ahead_of_what_is_further_apart_than_equals_are() -> None:
    for second, said in ((2.0, "none"), (1.99, "a")):
        assert table_evaluation._ahead("highest", {"a": 3.0, "b": second}, 0.5) == said


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.9, 1.1, "0.9 to 1.1"),
        (0.9, math.inf, "at least 0.9"),
        (-math.inf, 1.1, "at most 1.1"),
        (math.nan, math.nan, ""),
    ],
)
def test_a_margin_has_the_ends_that_it_has(low: float, high: float, said: str) -> None:
    assert table_evaluation._accepted({"accepted_low": low, "accepted_high": high}) == said


BASES = """\
tables:
- id: tab-bases
  shows: what numbers rest on
  drawn: bases
  columns: [number]
  rows:
  - {row: a printed number, cells: {number: = bm_write}}
  - {row: the error of one, cells: {number: = bm_write_error}}
  - {row: what follows from two, cells: {number: = bm_read / bm_write}}
"""


def test_what_is_printed_is_published_and_what_follows_from_it_is_derived(tmp_path: Path) -> None:
    made = study_table(of_tiny(tmp_path, BASES), "tab-bases")
    assert made.set_index("row")["basis"].to_dict() == {
        "a printed number": "published", "the error of one": "published", "what follows from two": "derived",
    }  # fmt: skip
    assert made["unit"].tolist() == ["B/s", "B/s", "1"], "one column has numbers of several units"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bare, virtual, ratio", "bare, virtual, ratoi", r"tab-tiny, row '\{operation\}': no column 'ratio'"),
        ("printed, verdict]", "printed, verdict, knee]", "tab-tiny: no row has anything in the column 'knee'"),
        ("  rows:", "  rows:\n  - {row: x, pair: [bm_read]}", "a pair has two printed numbers, found 1"),
    ],
)  # fmt: skip
def test_a_table_without_a_column_is_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in TINY
    with pytest.raises(SidecarError, match=message):
        of_tiny(tmp_path, TINY.replace(old, new, 1))


def test_a_table_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SidecarError, match="tab-tiny stands here again"):
        of_tiny(tmp_path, TINY + TINY.removeprefix("tables:\n"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("= bare / virtual", "= bare / vitrual", "row 'write', column 'ratio': 'bare / vitrual': unknown name"),
        ("~ bm_write / vi_write", "~ bm_read / vi_write", "none of its numbers has a printed error"),
        ("@ read accepted", "@ raed accepted", "no claim 'raed'"),
        ("reads {bm_read}", "reads {bm_raed}", "no published value '{bm_raed}'"),
        ("{clock: = bm_read", "{clokc: = bm_read", "column 'begins': unknown key 'clokc'; known: at, "),
        ("{lead: [bare, virtual]}", "{lead: [bare, asked]}", "lead needs two cells with numbers, found bare"),
        ('operation: "{operation}"}', "operation: trim}", "column 'virtual': the logs: unknown value of operation"),
    ],
)  # fmt: skip
def test_a_cell_that_cannot_be_worked_out_names_its_table_row_and_column(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    assert old in TINY
    with pytest.raises(StoragelabError, match=message):
        of_tiny(tmp_path, TINY.replace(old, new, 1))


def test_what_is_no_table_of_the_record_is_refused(tmp_path: Path) -> None:
    record = of_tiny(tmp_path)
    with pytest.raises(StoragelabError, match=r"no table 'tab-tyni' in tables\.yaml, did you mean 'tab-tiny'|tab-tyni"):
        study_table(record, "tab-tyni")
    empty = [{**record.tables[0], "rows": []}]
    with pytest.raises(StoragelabError, match=r"tab-tiny has no rows in tables\.yaml"):
        study_table(Record("tiny", "reconstructed", *[[]] * 7, tables=empty), "tab-tiny")
    mixed: Any = {**record.tables[0]["rows"][0], "units": {"bare": "B/s", "virtual": "s", "ratio": "s"}}
    other: Any = {**mixed, "units": {"bare": "s", "virtual": "B/s", "ratio": "B/s"}}
    doubled = [{**record.tables[0], "rows": [mixed, other]}]
    with pytest.raises(StoragelabError, match="in columns that share their unit"):
        study_table(Record("tiny", "reconstructed", *[[]] * 7, tables=doubled), "tab-tiny")


def test_a_paper_without_a_table_or_a_column_of_one_is_found(tmp_path: Path) -> None:
    record, made = tmp_path / "claims.json", tmp_path / "tables"
    claims.save(of_tiny(tmp_path), record)
    made.mkdir()
    assert list(lacking_tables(record, made)) == ["tab-tiny (rates)"]
    study_table(claims.read(record), "tab-tiny").drop(columns="ahead").to_csv(made / "rates.csv")
    assert list(lacking_tables(record, made)) == ["tab-tiny (rates) without ahead"]
    study_table(claims.read(record), "tab-tiny").to_csv(made / "rates.csv")
    assert list(lacking_tables(record, made)) == []
    assert list(lacking_tables(tmp_path / "none.json", made)) == []


def test_coverage_has_a_row_for_every_table(tmp_path: Path) -> None:
    listed = claims.coverage_table([of_tiny(tmp_path)]).set_index("figure_id")
    row = listed.loc["tab-tiny"]
    assert row[["kind", "data_source", "synthetic_or_real", "drawn"]].tolist() == [
        "table", "reports/tiny/dataset.nc", "synthetic", "rates",
    ]  # fmt: skip
    assert set(listed["kind"]) == {"figure", "table"}
    assert listed["origin"].to_dict() == {"fig1": "reconstructed", "fig2": "published", "tab-tiny": "reconstructed"}


def test_a_question_that_no_study_answers_is_refused(tmp_path: Path) -> None:
    answers = xr.Dataset(coords={"study": ("obs", ["a"]), "case": ("obs", ["best read"])})
    tree = xr.DataTree.from_dict({"conclusions": answers})
    with pytest.raises(StoragelabError, match="unknown question 'best write'"):
        claims.cross_study(tree, [of_tiny(tmp_path)])


def test_a_question_is_answered_in_the_unit_of_its_column(tmp_path: Path) -> None:
    """Of several answers the first counts; one in another unit, or none, is no number."""
    asked = [(case, 2.5, "1", "other") for case, unit in ANSWERS.values() if unit != "MB/s"]
    asked += [("best read", 350e6, "B/s", "bare"), ("best read", 1e6, "B/s", "second"), ("best write", 2.0, "GB/s", "")]
    asked += [("bottleneck", 375e6, "B/s", "links")]
    rows = [("tiny", *answer) for answer in asked] + [
        ("small", case, 0.25, "B/s", "x") for case, unit in ANSWERS.values() if unit != "MB/s"
    ]
    coords = dict(zip(("study", "case", "value", "unit", "label"), zip(*rows, strict=True), strict=True))
    answers = xr.Dataset(
        {"value": ("obs", list(coords.pop("value")))}, {k: ("obs", list(v)) for k, v in coords.items()}
    )
    about = {"reported": {"tiny": {"statistic": "single values", "error": "none"}}}
    tiny_record = of_tiny(tmp_path)
    table = claims.cross_study(
        dataset.tree({"conclusions": answers}, about), [tiny_record, replace(tiny_record, study="small")]
    ).set_index("study")
    assert table.attrs["origin"] == "published and reconstructed"
    own, other = table.loc["tiny"], table.loc["small"]
    assert own[["best_read_MB_s", "best_write_MB_s", "bottleneck_MB_s"]].tolist() == [350, 2000, 375]
    assert own[["bottleneck", "statistic_reported", "error_reported"]].tolist() == ["links", "single values", "none"]
    assert (own["scaling_knee_clients"], own["cost_of_main_change_percent"]) == (2.5, 150.0)
    assert other["statistic_reported"] == other["bottleneck"] == ""
    assert other.drop(["claims_supported", "claims_inconsistent"]).replace("", math.nan).isna().all()
    assert table["claims_supported"].tolist() == [int(claims.study_counts([tiny_record])["consistent"][0])] * 2

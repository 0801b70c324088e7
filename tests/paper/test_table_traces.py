"""Numbers of tables: which row of a result each is, the lines behind it, and the card that it opens."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from storagelab import analysis, select
from storagelab.dataset import frame
from storagelab.errors import PaperError
from storagelab.lineage import remember, sources_of
from storagelab.paper import build_paper, number_format, table_traces, tables
from storagelab.paper.data_provenance import Opened
from storagelab.paper.tables import Look
from tests.paper.conftest import CELLS, STUDY, study

LOGS = {"ext4": "raw/tiny-2026/a.log", "xfs": "raw/tiny-2026/b.log"}


@pytest.fixture
def opened() -> Opened:
    return Opened(STUDY, study())


@pytest.fixture
def means(opened: Opened) -> xr.Dataset:
    runs = opened.tree["runs"].to_dataset()
    return analysis.summarise(runs, "throughput", ["filesystem", "clients"])


def lines(found: list[table_traces.Reached]) -> list[tuple[int, tuple[str, ...], dict[str, list[int]]]]:
    return [(one.row, one.columns, one.trace) for one in found]


def test_a_row_leads_to_the_lines_of_its_result(opened: Opened, means: xr.Dataset) -> None:
    shown = frame(means)[["filesystem", "clients", "throughput"]].sort_values("throughput", ascending=False)
    found = table_traces.reached(shown, [means], opened)
    rows = [(row["filesystem"], int(row["clients"])) for _, row in shown.iterrows()]
    expected = {("ext4", 1): [11], ("ext4", 2): [12], ("ext4", 4): [13], ("xfs", 1): [14], ("xfs", 2): [15]}
    assert [(rows[row], trace) for row, columns, trace in lines(found) if rows[row] != ("xfs", 4)] == [
        (key, {LOGS[key[0]]: expected[key]}) for key in rows if key != ("xfs", 4)
    ]
    (of_two_clients,) = [one.trace for one in found if rows[one.row] == ("xfs", 4)]
    assert of_two_clients == {LOGS["ext4"]: [91], LOGS["xfs"]: [16, 92]}


def test_each_row_behind_a_drawing_leads_to_its_lines(opened: Opened, means: xr.Dataset) -> None:
    shown = frame(means)
    found = lines(table_traces.of_rows(means, opened))
    assert found == lines(table_traces.reached(shown[["filesystem", "clients", "throughput"]], [means], opened))
    assert [(row, names) for row, names, _ in found] == [(row, ("throughput",)) for row in range(6)]


def test_the_only_row_behind_a_drawing_leads_to_its_lines(opened: Opened, means: xr.Dataset) -> None:
    one = remember(select(means, filesystem="ext4", clients=2.0), *sources_of(means))
    assert lines(table_traces.of_rows(one, opened)) == [(0, ("throughput",), {LOGS["ext4"]: [12]})]


def test_a_drawing_without_numbers_without_rows_or_of_what_was_printed_leads_nowhere(
    opened: Opened, means: xr.Dataset
) -> None:
    for changed in (means.drop_vars(means.data_vars), means.mean(), means.assign_attrs(origin="published")):
        assert table_traces.of_rows(remember(changed, *sources_of(means)), opened) == []


def test_a_number_that_is_not_that_of_the_result_reaches_nothing(opened: Opened, means: xr.Dataset) -> None:
    shown = frame(means)[["filesystem", "clients", "throughput"]]
    shown.loc[2, "throughput"] = shown["throughput"][2] * 1.001
    assert [one.row for one in table_traces.reached(shown, [means], opened)] == [0, 1, 3, 4, 5]


@pytest.mark.parametrize(("values", "value", "alike"), [
    ([1.0, 1.0 + 1e-15, 1.1], 1.0, [True, True, False]), ([1.0, np.nan], np.nan, [False, True]),
    (["xfs", "ext4"], "ext4", [False, True]), ([1.0, 2.0], "all", [False, False]), (["1", "2"], 1.0, [False, False]),
])  # fmt: skip
def test_keys_are_the_same_up_to_the_last_digit_and_missing_is_missing(
    values: list[Any], value: Any, alike: list[bool]
) -> None:
    assert table_traces._equal(np.array(values), value).tolist() == alike


def test_a_card_has_both_ends_of_an_interval_and_else_one_number() -> None:
    row = pd.DataFrame([{"throughput": 5e6, "throughput_low": 4e6, "throughput_high": 6e6, "clients_low": 2.0}])
    label, said = table_traces._value(row, Look(), 0, "throughput_low")
    assert (label.replace(number_format.THIN, " "), said) == ("95 % interval", "4000000 to 6000000 B/s")
    for name in ("throughput", "clients_low"):
        label, said = table_traces._value(row, Look(), 0, name)
        assert not label.startswith("95")
        assert " to " not in said


def test_a_card_says_the_unit_that_a_paper_gives_a_column_and_its_interval() -> None:
    row = pd.DataFrame([{"noise": 5.0, "noise_low": 4.0, "noise_high": 6.0}])
    units = Look(units={"noise": "dB", "noise_low": "wrong"})
    said = [table_traces._value(row, units, 0, name)[1] for name in ("noise", "noise_low")]
    assert said == ["5 dB", "4 to 6 dB"]


@pytest.mark.parametrize(("name", "is_one"), [("throughput", True), ("own", True), ("filesystem", False), ("", False)])
def test_columns_of_a_papers_own_hold_results_and_keys_do_not(name: str, is_one: bool) -> None:
    assert table_traces.is_result(name) is is_one


def test_a_table_opens_as_many_numbers_as_its_cards_have_results() -> None:
    cards = [{"columns": ["throughput", "filesystem", "own"]}, {"columns": [""]}, {"columns": ["throughput_low"]}]
    assert table_traces.opened({"cards": cards}) == 3
    assert table_traces.opened({}) == 0


def test_twelve_lines_are_written_out_and_the_others_counted() -> None:
    assert table_traces.lines_in_words({"a.log": [*range(1, 13)]}).endswith(":1,2,3,4,5,6,7,8,9,10,11,12")
    assert table_traces.lines_in_words({"a.log": [*range(1, 14)]}).endswith(",11,12 and 1 more")


def test_levels_side_by_side_lead_each_to_their_lines(opened: Opened, means: xr.Dataset) -> None:
    spread = analysis.pivot(means, ["filesystem"], "clients", "throughput").reset_index()
    found = lines(table_traces.reached(spread, [means], opened))
    assert found[:3] == [
        (0, (f"clients {n}",), {LOGS["ext4"]: [line]}) for n, line in ((1, 11), (2, 12), (4, 13))
    ]  # fmt: skip
    assert len(found) == 6


def test_a_number_side_by_side_that_is_not_that_of_the_result_reaches_nothing(
    opened: Opened, means: xr.Dataset
) -> None:
    spread = analysis.pivot(means, ["filesystem"], "clients", "throughput").reset_index()
    spread.loc[0, "clients 2"] = spread["clients 2"][0] * 1.001
    found = [(row, *columns) for row, columns, _ in lines(table_traces.reached(spread, [means], opened))]
    assert found == [(0, "clients 1"), (0, "clients 4"), (1, "clients 1"), (1, "clients 2"), (1, "clients 4")]


def test_equal_numbers_side_by_side_lead_each_to_their_own_lines(opened: Opened, means: xr.Dataset) -> None:
    runs = opened.tree["runs"].to_dataset()
    runs["throughput"] = xr.full_like(runs["throughput"], 5e6)
    alike = analysis.summarise(runs, "throughput", ["filesystem", "clients"])
    spread = analysis.pivot(alike, ["filesystem"], "clients", "throughput").reset_index()
    apart = analysis.pivot(means, ["filesystem"], "clients", "throughput").reset_index()
    assert lines(table_traces.reached(spread, [alike], opened)) == lines(table_traces.reached(apart, [means], opened))


def test_a_result_that_the_table_does_not_lay_out_is_refused(opened: Opened, means: xr.Dataset) -> None:
    shown = frame(means)[["filesystem", "clients", "throughput"]].assign(throughput=1.0)
    message = r"table 'a': no row of it is one of a result that reaches lines of logs, in place 2 of `of`"
    whole = frame(means)[["filesystem", "clients", "throughput"]]
    other = means.assign(throughput=means["throughput"] * 2)
    with pytest.raises(PaperError, match=message):
        table_traces.reached(whole, [means, other], opened, "table 'a'")
    assert table_traces.reached(shown, [means], opened) == []


def test_what_was_not_measured_reaches_nothing() -> None:
    opened = Opened(STUDY, study("reconstructed"))
    means = analysis.summarise(opened.tree["runs"].to_dataset(), "throughput", ["filesystem", "clients"])
    assert (
        table_traces.reached(frame(means)[["filesystem", "clients", "throughput"]], [means], opened, "table 'a'") == []
    )


def test_cells_of_a_row_share_a_card_that_says_all_of_them() -> None:
    shown = pd.DataFrame({
        "filesystem": ["xfs"], "throughput": [2e6], "throughput_low": [1e6], "throughput_high": [3e6], "n": [5],
    })  # fmt: skip
    found = [table_traces.Reached(0, ("throughput", "throughput_low", "throughput_high", "n"), {"a.log": [3]})]
    (card,) = table_traces.cards("rates", shown, Look(), found)
    assert card["columns"] == ["throughput", "throughput_low", "n"]
    assert (card["id"], card["of"]) == ("cell-rates-1", [("File system", "xfs")])
    assert [value for _, value in card["values"]] == ["2000000 B/s", "1000000 to 3000000 B/s", "5"]
    opens = {(0, name): card["id"] for name in card["columns"]}
    html = tables.html(shown, Look(), opens)
    assert html.count('popovertarget="cell-rates-1"') == 3
    assert re.sub(r"</?button[^<>]*>", "", html) == tables.html(shown, Look())


def test_a_missing_number_opens_nothing() -> None:
    shown = pd.DataFrame({"filesystem": ["xfs", "zfs"], "throughput": [2e6, np.nan]})
    html = tables.html(shown, Look(), {(0, "throughput"): "cell-a-1", (1, "throughput"): "cell-a-2"})
    assert re.findall(r'popovertarget="([^"]+)"', html) == ["cell-a-1"]


@pytest.mark.slow
def test_a_measured_paper_counts_the_numbers_of_its_tables_that_reach_a_line(make: Callable[..., Path]) -> None:
    stating = (
        "from storagelab import analysis, frame\n"
        "means = analysis.summarise(runs, 'throughput', ['filesystem', 'clients'])\n"
        "shown = frame(means)[['filesystem', 'clients', 'throughput']]\n"
        "paper.table(shown, 'means', 'Rates.', of=means)\n"
        "paper.table(shown.assign(throughput=1.0), 'ones', 'Ones.', computed='by nobody')\n"
        "paper.figure(plt.figure(), 'empty', 'Means.', 'Nothing.', means)"
    )
    root = make(*CELLS, "[@tab:means], [@tab:ones] and [@fig:empty].", (stating,))
    build_paper(STUDY, root)
    page = (root / "reports" / STUDY / "paper.html").read_text()
    # the rates of `means` and of `cases`, which nobody traces; ones are said once, below their table
    assert "Of the 12 numbers in tables 6 open the lines of logs behind them; below the tables stands where" in page
    assert "6 numbers without a line of a log. Computed: from nothing that is traced." in page
    opened = set(re.findall(r'popovertarget="(cell-[^"]+)"', page))
    assert opened == set(re.findall(r'<div popover="auto" class="card" id="(cell-[^"]+)"', page))
    assert opened == {f"cell-means-{number}" for number in range(1, 7)}
    for data in ("tables/means.csv", "figures/empty.csv"):
        with (root / "reports" / STUDY / data).open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert rows[0]["log_lines"] == "raw/tiny-2026/a.log:11"
        assert rows[-1]["log_lines"] == "raw/tiny-2026/a.log:91 raw/tiny-2026/b.log:16,92"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            "",
            r"table 'ones': 6 of its 6 numbers reach no line of a log: pass of=\[results\], stated=name in study.yaml",
        ),
        (", stated='nowhere'", "study.yaml: expected 'nowhere', under which table 'ones' says that it is stated"),
    ],
)
def test_numbers_of_a_measured_table_without_a_line_say_where_they_come_from(
    make: Callable[..., Path], said: str, message: str
) -> None:
    stating = f"paper.table(shown.to_dataframe().assign(throughput=range(6)), 'ones', 'Ones.'{said})"
    root = make(*CELLS, "[@tab:ones].", (stating,))
    (root / "raw" / STUDY).mkdir(parents=True, exist_ok=True)
    (root / "raw" / STUDY / "study.yaml").write_text("id: tiny-2026\n")
    with pytest.raises(PaperError, match=message):
        build_paper(STUDY, root)

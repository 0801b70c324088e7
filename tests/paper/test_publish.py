"""What a cell may publish, and what it may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.figure import Figure

from storagelab import analysis, dataset, paper
from storagelab.errors import AnalysisError, PaperError, UnknownNameError
from storagelab.figures import Drawn
from storagelab.paper import data_provenance, publish, tables
from tests.analysis.tables import cluster, in_logs, node
from tests.paper.conftest import STUDY, study

Shown = list[tuple[dict[str, str], dict[str, Any]]]


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> Shown:
    """Bundles and records that were displayed; afterwards no study is open."""
    found: Shown = []
    monkeypatch.setattr(publish, "show", lambda data, metadata, raw: found.append((data, metadata["storagelab"])))
    monkeypatch.setattr(publish, "_opened", data_provenance.Opened())
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    dataset.save(study(), tmp_path / "dataset.nc")
    return tmp_path / "dataset.nc"


DATA = pd.DataFrame({"clients": [1.0, 2.0], "throughput": [1e8, 2e8]})


def measured(frame: pd.DataFrame = DATA, origin: str = "measured") -> pd.DataFrame:
    return frame.assign(origin=origin)


def test_begin_opens_and_says_what_the_paper_rests_on(displayed: Shown, path: Path) -> None:
    assert set(paper.begin(STUDY, path).children) == {"runs", "clients", "logs"}
    record = displayed[0][1]
    assert record["rows"] == {"clients": 2, "logs": 2, "runs": 6}
    assert record["dates"] == ["2026-11-18", "2026-11-19"]
    assert record["incomplete"] == 1
    assert "python" not in record["versions"]


def test_begin_starts_random_numbers_from_one_seed(displayed: Shown, path: Path) -> None:
    paper.begin(STUDY, path)
    one = np.random.normal()
    paper.begin(STUDY, path)
    assert np.random.normal() == one


def test_days_of_the_rows_count_where_logs_have_none() -> None:
    rows = {"operation": "read", "start_time": 1.8e9, "end_time": 1.8e9 + 86400.0}
    tree = dataset.tree({"runs": dataset.from_rows([rows], origin="measured")}, {"origin": "measured"})
    assert data_provenance._days(data_provenance.Opened("x", tree)) == ["2027-01-15", "2027-01-16"]


@pytest.mark.parametrize(
    ("date", "days"), [("2011-03-19/2011-03-25", ["2011-03-19", "2011-03-25"]), ("2007-02", ["2007-02"]), ("", [])]
)
def test_days_that_a_model_chose_are_none_of_the_paper(date: str, days: list[str]) -> None:
    rows = {"operation": "read", "start_time": 1.8e9, "end_time": 1.8e9}
    about = {"origin": "reconstructed", "date": date}
    tree = dataset.tree({"runs": dataset.from_rows([rows], origin="reconstructed")}, about)
    assert data_provenance._days(data_provenance.Opened("x", tree)) == days


def test_begin_refuses_the_wrong_file(displayed: Shown, path: Path) -> None:
    with pytest.raises(PaperError, match="holds the study 'tiny-2026', the paper is about 'other'"):
        paper.begin("other", path)
    with pytest.raises(PaperError, match=r"no dataset gone\.nc of other: run `storagelab ingest other` first"):
        paper.begin("other", path.with_name("gone.nc"))


def test_a_drawn_figure_brings_its_words_and_data(displayed: Shown) -> None:
    data = xr.Dataset({"throughput": ("obs", [1e8])}, attrs={"origin": "measured"})
    paper.figure(Drawn(Figure(), "Caption.", "Alt.", data), "one")
    bundle, record = displayed[0]
    assert record == {"kind": "figure", "id": "one", "caption": "Caption.", "alt": "Alt.", "origin": "measured"}
    assert set(bundle) == {"text/plain", "image/svg+xml", "image/png", "text/csv"}
    assert bundle["text/csv"] == "throughput,origin\n100000000.0,measured\n"
    assert "measured data" not in bundle["image/svg+xml"]


@pytest.mark.parametrize("origin", ["published", "reconstructed"])
def test_what_is_not_measured_says_so_in_the_drawing(displayed: Shown, origin: str) -> None:
    paper.figure(Figure(), "one", "Caption.", "Alt.", measured(origin=origin))
    assert f">{origin} data</text>" in displayed[0][0]["image/svg+xml"]
    assert displayed[0][1]["origin"] == origin


def test_a_reconstructed_study_makes_nothing_measured(displayed: Shown, tmp_path: Path) -> None:
    dataset.save(study("reconstructed"), tmp_path / "dataset.nc")
    paper.begin(STUDY, tmp_path / "dataset.nc")
    paper.table(measured(), "one", "Caption.")
    assert displayed[1][1]["origin"] == "measured and reconstructed"
    paper.table(DATA, "two", "Caption.")
    assert displayed[2][1]["origin"] == "reconstructed"


def test_origins_in_one_table_are_all_named(displayed: Shown) -> None:
    paper.table(DATA.assign(origin=["reconstructed", "published"]), "one", "Caption.")
    assert displayed[0][1]["origin"] == "published and reconstructed"


@pytest.mark.parametrize("id", ["", "Big", "a b", "1st", "../x", "é"])
def test_ids_that_are_none(displayed: Shown, id: str) -> None:
    with pytest.raises(PaperError, match="expected lower-case letters"):
        paper.table(measured(), id, "Caption.")
    with pytest.raises(PaperError, match="expected lower-case letters"):
        paper.fact(id, 1, origin="measured")


def test_a_table_says_what_rows_rest_on_where_they_differ_in_it(displayed: Shown) -> None:
    rows = pd.DataFrame({"clients": [1.0, 2.0], "basis": ["model", "model"], "origin": "reconstructed"})
    paper.table(rows, "alike", "Alike.")
    paper.table(rows.assign(basis=["published", "model"]), "mixed", "Mixed.")
    (alike, _), (mixed, _) = displayed
    assert "model" not in alike["text/html"]
    assert alike["text/csv"].splitlines()[1] == "1.0,model,reconstructed"
    assert "Rests on</th>" in mixed["text/html"]
    assert "<td>published</td>" in mixed["text/html"]


def test_a_table_can_be_folded(displayed: Shown) -> None:
    paper.table(measured(), "open", "Open.")
    paper.table(measured(), "shut", "Shut.", folded=True)
    (_, plain), (_, shut) = displayed
    assert "folded" not in plain
    assert shut["folded"] is True


def test_what_a_figure_or_table_must_have(displayed: Shown) -> None:
    with pytest.raises(PaperError, match="figure 'a' has no caption"):
        paper.figure(Figure(), "a", "", "Alt.", measured())
    with pytest.raises(PaperError, match="figure 'a' has no alt"):
        paper.figure(Figure(), "a", "Caption.", " ", measured())
    with pytest.raises(PaperError, match="figure 'a' has no data"):
        paper.figure(Figure(), "a", "Caption.", "Alt.")
    with pytest.raises(PaperError, match="table 'a' has no data"):
        paper.table(measured().iloc[:0], "a", "Caption.")
    with pytest.raises(PaperError, match=r"table 'a' says no origin: .*was begin\(\) called\?"):
        paper.table(DATA, "a", "Caption.")
    with pytest.raises(UnknownNameError, match="unknown origin of table 'a' 'measurd'; did you mean 'measured'"):
        paper.table(measured(origin="measurd"), "a", "Caption.")


@pytest.mark.parametrize(
    ("value", "more", "message"),
    [
        (float("nan"), {}, "fact 'a' is nan: expected a finite number"),
        (float("inf"), {}, "fact 'a' is inf: expected a finite number"),
        (True, {}, "the value of a fact is True: expected a number or a word"),
        (None, {}, "the value of a fact is None"),
        (
            {"value": 1.0},
            {},
            r"expected a number or a word, as in paper\.fact\(name, \*\*analysis\.stated\(\.\.\.\)\)$",
        ),
        (1.0, {"interval": (2.0, 1.0)}, r"fact 'a' has the interval \(2.0, 1.0\): expected the lower end first"),
        (1.0, {"interval": (float("nan"), 1.0)}, "expected the lower end first"),
    ],
)
def test_facts_that_are_none(displayed: Shown, value: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(PaperError, match=message):
        paper.fact("a", value, origin="measured", **more)


def test_a_trace_is_of_rows_that_stand_in_logs(displayed: Shown) -> None:
    with pytest.raises(AnalysisError, match="trace: expected rows with log_id and line; pass the rows of the dataset"):
        paper.fact("a", 1.0, origin="measured", trace=DATA)


def test_what_a_study_states_of_its_test_bed_nobody_measured(displayed: Shown, path: Path) -> None:
    paper.begin(STUDY, path)
    paper.fact("a", 1.0, stated="testbed.replaced_campaign.steal")
    paper.fact("b", 1.0, stated="design")
    assert [record["origin"] for _, record in displayed[1:]] == ["published", "measured"]


def test_a_fact_says_what_was_set_behind_it(displayed: Shown, path: Path) -> None:
    paper.begin(STUDY, path)
    found = node([{"log_id": 0, "line": 1}] * 2).assign_coords(check=("obs", ["own link", "copies"]))
    paper.fact("a", 2, trace=found)
    assert displayed[-1][1]["set_by"] == ["client_link"]


def test_levels_that_are_counted_in_a_result_rest_on_what_was_measured(displayed: Shown, path: Path) -> None:
    paper.begin(STUDY, path)
    runs = in_logs(cluster())
    means = analysis.summarise(runs, "throughput", ["layout", "clients"], over=["operation"])
    paper.fact("a", analysis.count(runs, of="layout"))
    paper.fact("b", analysis.count(means, of="layout"))
    planned, measured = (record for _, record in displayed[-2:])
    assert (planned["value"], planned["key"], planned["set_by"]) == (2, "layout", [])
    assert (measured["value"], measured["key"], measured["set_by"]) == (2, "", ["layout"])


def test_a_fact_of_an_unknown_unit(displayed: Shown) -> None:
    with pytest.raises(UnknownNameError, match="unknown unit 'MB/s'"):
        paper.fact("a", 1.0, "MB/s", origin="measured")


@pytest.mark.parametrize("value", [np.float64(2.5), np.int64(3), xr.DataArray(4.0), "word", 5])
def test_a_fact_is_plain(displayed: Shown, value: Any) -> None:
    paper.fact("a", value, origin="measured", trace=["raw/x/a.log:7", "raw/x/a.log:3"])
    record = displayed[0][1]
    assert type(record["value"]) in (float, int, str)
    assert record["trace"] == {"raw/x/a.log": [3, 7]}


def test_traces_of_runs_lead_to_their_clients(displayed: Shown, path: Path) -> None:
    runs = paper.begin(STUDY, path)["runs"].to_dataset()
    paper.fact("last", 1, trace=runs.isel(obs=[5]))
    assert displayed[1][1]["trace"] == {"raw/tiny-2026/a.log": [91], "raw/tiny-2026/b.log": [16, 92]}
    paper.fact("first", 1, trace=runs.isel(obs=[0]))
    assert displayed[2][1]["trace"] == {"raw/tiny-2026/a.log": [11]}


def test_a_table_reads_well(displayed: Shown) -> None:
    frame = pd.DataFrame({"filesystem": ["<a>", "b"], "throughput": [1e8, 2e8], "odd_one": [0.5, np.nan]})
    frame["throughput_low"], frame["throughput_high"] = [9e7, np.nan], [1.1e8, np.nan]
    labels, display = {"odd_one": "odd & even"}, {"odd_one": "%"}
    paper.table(frame.assign(origin="measured"), "a", "Caption.", labels=labels, display=display)
    html = displayed[0][0]["text/html"]
    assert '<th scope="col">File system</th>' in html
    assert '<th scope="col" class="number">Throughput <span class="unit">MB/s</span></th>' in html
    assert '<th scope="col" class="number">95\u202f% interval <span class="unit">MB/s</span></th>' in html
    assert '<th scope="col" class="number">Odd &amp; even <span class="unit">%</span></th>' in html
    assert '<tr><th scope="row">&lt;a&gt;</th><td class="number">100</td><td class="number">90 to 110</td>' in html
    assert '<td class="number">\u2013</td>' in html
    assert displayed[0][0]["text/csv"].startswith(
        "filesystem,throughput,odd_one,throughput_low,throughput_high,origin\n"
    )


def test_columns_of_words_and_sentences_get_room() -> None:
    sentence, words = "A sentence of so many letters that it would be broken often.", "some words that would break"
    frame = pd.DataFrame({"claim": ["a", "b"], "statement": ["Short.", sentence], "tests": ["", words]})
    html = tables.html(frame, tables.Look())
    assert '<th scope="col">Claim</th><th scope="col" class="long">Statement</th>' in html
    assert f'<td class="long">{sentence}</td><td class="words">{words}</td>' in html


def test_an_effect_has_the_names_of_its_factors_in_full() -> None:
    frame = pd.DataFrame({"effect": ["driver_net", "driver_net x driver_disk", "mine"], "ratio": [2.0, 1.0, 1.0]})
    [effects, _], _ = tables.printed(frame, tables.Look())
    assert effects.cells == ["network driver", "network driver x disk driver", "mine"]


def test_what_all_rows_say_is_said_once_below() -> None:
    frame = pd.DataFrame({"job": list("abcd"), "size": 5e8, "of": "<x>", "n": [1, 2, 3, 4]})
    html = tables.html(frame, tables.Look({"size": "B"}, display={"size": "MB"}))
    assert html.endswith('</table>\n<p class="alike">The same in each row: Size, MB: 500; Of: &lt;x&gt;.</p>')
    assert html.count("<th ") == 2 + len(frame)
    assert "alike" not in tables.html(frame[:3], tables.Look({"size": "B"}))
    assert "alike" not in tables.html(frame[["job", "of"]], tables.Look())


def test_rows_with_units_of_their_own_are_printed_in_them_and_probabilities_are_never_nothing() -> None:
    frame = pd.DataFrame({"what": ["rate", "size", "n", "gap"], "value": [2e6, 3e3, 4.0, np.nan],
                          "si": ["B/s", "B", "", "B"], "p_value": [0.03, 1e-9, 0.5, 1.0]})  # fmt: skip
    made, _ = tables.printed(frame, tables.Look(mixed={"value": "si"}))
    assert [column.name for column in made] == ["", "value", "p_value"]
    assert made[1].cells == ["2.00\u202fMB/s", "3\u202fkB", "4", "\u2013"]
    assert made[1].values == pytest.approx([2e6, 3e3, 4.0, np.nan], nan_ok=True)
    assert made[2].cells[1].startswith("&lt;")


@pytest.mark.parametrize("columns", [3, 20])
def test_a_table_that_is_wider_than_paper_says_in_each_cell_what_it_is(columns: int) -> None:
    names = [f"a_rate_{number}" for number in range(columns)]
    frame = pd.DataFrame({"job": ["a", "b"]} | {name: [1e6, 2.5e6] for name in names})
    html = tables.html(frame, tables.Look(dict.fromkeys(names, "B/s")))
    wide = columns == 20
    assert html.startswith('<table class="wide">' if wide else "<table>\n")
    assert ('<td class="number" data-head="A rate 1, MB/s">1.00</td>' in html) == wide


def test_computed_numbers_are_published_with_nine_digits(displayed: Shown) -> None:
    paper.fact("ratio", 1.0201276783286892, interval=(0.1 + 0.2, 250000000.00000003), origin="measured")
    record = displayed[0][1]
    assert (record["value"], record["interval"]) == (1.02012768, [0.3, 250000000.0])


def test_computed_rows_are_published_with_nine_digits(displayed: Shown) -> None:
    noisy = measured().assign(throughput=[1.0201276783286892e8, 0.1 + 0.2])
    paper.table(noisy, "rates", "Rates.")
    assert displayed[0][0]["text/csv"] == "clients,throughput,origin\n1.0,102012768.0,measured\n2.0,0.3,measured\n"


def test_rows_of_a_log_keep_what_the_log_says(displayed: Shown) -> None:
    said = measured().assign(log_id=[0.0, 0.0], line=[1.0, 2.0], start_time=[1763500000.123456, 1763500001.5])
    paper.table(said, "rates", "Rates.")
    assert "1763500000.123456" in displayed[0][0]["text/csv"]


def test_a_spreadsheet_computes_nothing_of_a_table(displayed: Shown) -> None:
    rows = pd.DataFrame({"=head()": ["=1+2", "-1.5 %"], "throughput": [-1.5, 2.0]})
    rows.attrs["origin"] = "measured"
    paper.table(rows, "one", "Caption.")
    assert displayed[0][0]["text/csv"] == "'=head(),throughput,origin\n'=1+2,-1.5,measured\n-1.5 %,2.0,measured\n"


def test_a_fact_is_a_word_that_can_be_seen(displayed: Shown) -> None:
    paper.fact("best", "a\u202e\ud800", origin="measured")
    assert displayed[0][1]["value"] == r"a\u202e\ud800"

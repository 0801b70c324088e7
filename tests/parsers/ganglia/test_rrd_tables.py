"""What golden tables do not show of rrdtool's tables: fetched text, exports, graphs as CSV, printed lines, the head."""

from __future__ import annotations

import numpy as np
import pytest

from storagelab.errors import ParseError
from storagelab.parsers.ganglia import rrd_csv, rrd_fetch, rrd_graph, rrd_info, rrd_xport
from storagelab.parsers.model import Parser
from tests.conftest import LOGS

FETCH = " sum num\n\n1700000100: 1.5000000000e+00 2.0e+00\n1700000160: -nan nan\n1700000220: 3,5000000000e+00 4.0e+00\n"
OLD_JSON = """{ about: 'RRDtool xport JSON output',
  meta: {
    start: 1020611700,
    step: 300,
    end: 1020612000,
    legend: [
      'out MB/s',
      'in and out bits'
          ]
     },
  data: [
    [ 3.4000000000e+00, 5.4400000000e+01  ],
    [ null, 5.4400000000e+01  ]
  ]
}
"""


# --- fetch ----------------------------------------------------------------------------------------------------------


def test_fetched_text_with_decimal_commas_and_missing_values() -> None:
    parsed = rrd_fetch.parse(FETCH)
    assert parsed.complete
    assert list(parsed.series["value"]) == [1.5, 3.5, 2.0, 4.0]
    assert list(parsed.series["time"]) == [0.0, 120.0, 0.0, 120.0]


def test_two_fetched_tables_are_parts() -> None:
    parsed = rrd_fetch.parse(FETCH + " rx\n\n1700000400: 7.0e+00\n")
    assert list(parsed.series["part"]) == [1.0] * 4 + [2.0]
    assert list(parsed.series["metric"]) == ["sum", "sum", "num", "num", "rx"]
    assert parsed.series["time"][-1] == 300.0


def test_a_table_whose_names_were_cut_away_has_numbers_for_them() -> None:
    rows = FETCH.split("\n", 1)[1].replace("3,5", "3.5")
    parsed = rrd_fetch.parse("$ rrdtool fetch load.rrd AVERAGE\n" + rows)
    assert sorted(set(parsed.series["metric"])) == ["1", "2"]
    assert sorted(parsed.series["value"]) == [1.5, 2.0, 3.5, 4.0]
    assert parsed.complete
    assert "names of the data sources are missing" in " ".join(note.text for note in parsed.notes)


def test_foreign_line_does_not_begin_a_table() -> None:
    parsed = rrd_fetch.parse(FETCH.replace("1700000160", "a message\n1700000160"))
    assert (parsed.complete, list(parsed.notes)) == (True, [(4, "neither headings nor a row under them")])


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        (" 2.0e+00", "", "a row wants 2 values, found 1"),
        ("1700000160: -nan nan\n", "", None),
        ("1700000220", "1700000280", "rows are missing, or their step changes: 60 s to 120 s"),
        ("4.0e+00\n", "4.0e+0", "the last line has no end and is not trusted"),
        ("4.0e+00\n", "4.0e+\ufffd0\n", "a value is no number"),
        ("1700000220", "17000002\ufffd0", "bytes of this line are no text"),
    ],
)
def test_damaged_fetch(old: str, new: str, note: str | None) -> None:
    parsed = rrd_fetch.parse(FETCH.replace(old, new))
    assert parsed.complete == (note is None)
    assert note is None or note in [note.text for note in parsed.notes]


def test_table_without_values_is_whole_and_says_so() -> None:
    parsed = rrd_fetch.parse(" sum\n\n1700000100: -nan\n1700000160: nan\n")
    assert parsed.complete
    assert [note.text for note in parsed.notes] == ["none of the 2 rows holds a value"]


# --- xport ----------------------------------------------------------------------------------------------------------


def test_json_of_old_versions_quotes_nothing() -> None:
    parsed = rrd_xport.parse(OLD_JSON)
    assert parsed.complete
    assert parsed.header["started"] == "2002-05-05T15:15:00+00:00"
    assert list(parsed.series["line"]) == [12, 12, 13]
    assert list(parsed.series["elapsed"]) == [300.0] * 3
    assert list(parsed.series["operation"]) == ["transmit", "", ""]
    assert parsed.series["throughput"][0] == pytest.approx(3.4e6)
    assert list(parsed.series["value"])[1:] == [54.4, 54.4]


def test_xml_with_and_without_times_agrees() -> None:
    log = (LOGS / "rrd_xport" / "maxrows12-showtime-1.7.2.xml").read_text()
    bare = "\n".join(
        line.partition("<t>")[0] + line.partition("</t>")[2] if "<t>" in line else line for line in log.split("\n")
    )
    assert rrd_xport.parse(bare).series == rrd_xport.parse(log).series


def test_export_with_fewer_rows_than_it_says_is_incomplete() -> None:
    parsed = rrd_xport.parse(OLD_JSON.replace("    [ null, 5.4400000000e+01  ]\n", ""))
    assert (parsed.complete, parsed.notes[0].text) == (False, "1 of 2 rows")


def test_export_without_a_legend_is_refused() -> None:
    with pytest.raises(ParseError, match="log:1: expected an export of rrdtool: start, step, legends"):
        rrd_xport.parse("<xport><meta><start>1</start><step>1</step></meta></xport>\n")


def test_entities_are_refused() -> None:
    with pytest.raises(ParseError, match=r"log:1: expected XML without entity declarations"):
        rrd_xport.parse('<!DOCTYPE xport [<!ENTITY a "b">]><xport></xport>\n')


# --- graph as CSV ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separators(separator: str) -> None:
    text = '"time","in kB/s","x"\n1700000100,"1.0","NaN"\n1700000160,"2.0","3.0"\n'.replace(",", separator)
    parsed = rrd_csv.parse(text)
    assert list(parsed.series["throughput"])[:2] == [1000.0, 2000.0]
    assert list(parsed.series["value"])[2:] == [3.0]


def test_legend_with_the_separator_in_it_is_one() -> None:
    parsed = rrd_csv.parse('"time","in, all"\n1700000100,"1.0"\n')
    assert list(parsed.series["metric"]) == ["in, all"]


# --- printed lines --------------------------------------------------------------------------------------------------


def rows(text: str) -> list[tuple[object, ...]]:
    series = rrd_graph.parse(text).series
    nothing = [float("nan")] * len(series["line"])
    values = zip(series.get("throughput", nothing), series.get("value", nothing), strict=True)
    return [(*one, value if rate != rate else rate) for one, (rate, value) in zip(
        zip(series["statistic"], series["operation"], strict=True), values, strict=True)]  # fmt: skip


def test_several_numbers_of_a_line() -> None:
    text = "481x141\nIn  Now: 1.5 kB/s Min: 0.0 B/s Avg: 2,5 MB/s\nload 3.5\n"
    assert rows(text) == [
        ("single", "receive", 1500.0),
        ("min", "", 0.0),
        ("mean", "", 2.5e6),
        ("", "", 3.5),
    ]


def test_line_that_does_not_end_in_a_number_is_noted() -> None:
    parsed = rrd_graph.parse("481x141\nat Fri Nov 20 21:48:15 2026\nmax 1 %\n")
    assert [tuple(note) for note in parsed.notes] == [(2, "a printed line that does not end in a number")]
    assert list(parsed.series["unit"]) == ["%"]


def test_graph_that_printed_nothing_is_refused() -> None:
    with pytest.raises(ParseError, match="log:1: expected the size of an image, and printed lines"):
        rrd_graph.parse("481x141\n")


# --- info -----------------------------------------------------------------------------------------------------------


def test_only_ganglias_gauges_are_taken_by_the_name_of_their_file() -> None:
    log = (LOGS / "rrd_info" / "bytes_in-1.7.2.txt").read_text()
    assert rrd_info.parse(log).series["throughput"][0] == 700.5
    for other in (log.replace("bytes_in.rrd", "if_octets.rrd"), log.replace("ds[sum]", "ds[rx]")):
        assert "throughput" not in rrd_info.parse(other).series


def test_info_without_a_last_value_is_refused() -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a property ds\[name\].last_ds with a number"):
        rrd_info.parse('filename = "a.rrd"\nlast_update = 1700000420\nds[a].last_ds = "U"\n')


# --- all ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parser", [rrd_csv, rrd_fetch, rrd_graph, rrd_info, rrd_xport])
def test_logs_of_others_are_not_claimed(parser: Parser) -> None:
    own = parser.FORMAT.name.replace("-", "_")
    for log in LOGS.glob("*/*"):
        if log.parent.name != own and not log.name.endswith(".golden.jsonl"):
            assert not parser.sniff(log.read_text(errors="replace")[:4096]), log


@pytest.mark.parametrize("name", ["filename", "ds[sum].type"])
def test_a_property_that_lost_its_quotes_says_nothing(name: str) -> None:
    log = (LOGS / "rrd_info" / "bytes_in-1.7.2.txt").read_text()
    lines = [f"{name} = 17" if line.startswith(f"{name} = ") else line for line in log.split("\n")]
    series = rrd_info.parse("\n".join(lines)).series
    assert "throughput" not in series
    assert list(series["value"]) == [700.5, 4200.0]


def test_info_that_lost_its_last_update_has_values_without_a_time() -> None:
    lost = rrd_info.parse('ds[proc].index = 0\nds[proc].type = "GAUGE"\nds[proc].last_ds = "94"\n')
    assert not lost.complete
    assert "last_update is missing" in lost.notes[0].text
    assert list(lost.series["value"]) == [94.0]
    assert np.isnan(lost.series["time"]).all()


def test_a_sentence_above_rows_names_no_data_source() -> None:
    text = "                  rx\n\n1700000400: 1.0000000000e+00\n\nStrange. Then I waited for an hour:\n\n{}"
    parsed = rrd_fetch.parse(text.format("1700004000: 8.5000000000e+01\n"))
    assert parsed.complete
    assert list(parsed.series["metric"]) == ["rx", "1"]
    assert list(parsed.series["value"]) == [1.0, 85.0]
    assert not rrd_fetch.parse(text.replace("Strange. Then", "  Strange Then").format("1700004000: 8.5e+01\n")).complete

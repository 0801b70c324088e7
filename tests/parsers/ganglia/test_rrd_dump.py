"""What golden tables do not show of dumps: old versions, other layouts, rows without times, damage."""

from __future__ import annotations

import math

import pytest

from storagelab.errors import ParseError
from storagelab.parsers.ganglia import rrd_dump
from tests.conftest import LOGS

LOG = (LOGS / "rrd_dump" / "two-sources-predictions-1.7.2.xml").read_text()
SMALL = """<rrd><version> 0001 </version><step> 300 </step> <!-- Seconds -->
<lastupdate> 920808990 </lastupdate> <!-- 1999-03-07 12:16:30 MET -->
<ds><name> speed </name><type> COUNTER </type><last_ds> 12422 </last_ds><value> NaN </value></ds>
<rra><cf> AVERAGE </cf><pdp_per_row> 1 </pdp_per_row> <!-- 300 seconds -->
<cdp_prep><ds><value> NaN </value></ds></cdp_prep>
<database>
<!-- 1999-03-07 12:05:00 MET / 920808300 --> <row><v> NaN </v></row>
<!-- 1999-03-07 12:10:00 MET / 920808600 --> <row><v> 4.0000000000e-02 </v></row>
<!-- 1999-03-07 12:15:00 MET / 920808900 --> <row><v> 2.0000000000e-02 </v></row>
</database></rra>
</rrd>
"""


def without_comments(text: str) -> str:
    return "\n".join(line.partition("--> ")[2] if "<row>" in line else line for line in text.split("\n"))


def laid_out(text: str) -> str:
    """Every element on its own line."""
    return text.replace("<row>", "\n<row>\n").replace("<v>", "\n<v>").replace("</row>", "\n</row>")


def test_version_1_has_blanks_inside_its_tags() -> None:
    parsed = rrd_dump.parse(SMALL)
    assert parsed.complete
    assert parsed.header == {
        "tool": "rrdtool",
        "started": "1999-03-07T12:05:00+00:00",
        "ended": "1999-03-07T12:16:30+00:00",
    }
    assert list(parsed.series["value"]) == [920808990.0, 12422.0, 0.04, 0.02]
    assert list(parsed.series["time"]) == [690.0, 690.0, 300.0, 600.0]
    assert list(parsed.series["line"]) == [2, 3, 8, 9]


@pytest.mark.parametrize("change", [without_comments, laid_out])
@pytest.mark.parametrize("text", [SMALL, LOG])
def test_layout_changes_nothing_but_lines(change: object, text: str) -> None:
    assert callable(change)
    before, after = rrd_dump.parse(text), rrd_dump.parse(change(text))
    assert after.header == before.header
    assert after.complete
    for name in ("time", "metric", "value", "statistic"):
        assert list(after.series[name]) == list(before.series[name])


def test_everything_on_one_line_is_read() -> None:
    parsed = rrd_dump.parse(SMALL.replace("\n", " "))
    assert list(parsed.series["value"]) == [920808990.0, 12422.0, 0.04, 0.02]
    assert set(parsed.series["line"]) == {1}


def test_archives_are_parts_with_their_step_and_statistic() -> None:
    series = rrd_dump.parse(LOG).series
    found = set(zip(series["part"], series["elapsed"], series["statistic"], strict=True))
    assert {(1.0, 60.0, "mean"), (2.0, 300.0, "max"), (3.0, 300.0, "single")} < found


def test_predictions_are_left_out_with_a_note() -> None:
    parsed = rrd_dump.parse(LOG)
    assert max(part for part in parsed.series["part"] if not math.isnan(float(part))) == 3.0
    assert parsed.notes[0].text == "archive 4 holds predictions (HWPREDICT): left out"


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("<v> 2.0000000000e-02 </v>", "", "a row wants 1 values, found 0"),
        ("2.0000000000e-02", "2.0e-\ufffd2", "a value is no number"),
        ("<!-- 1999-03-07 12:10:00 MET / 920808600 --> <row><v> 4.0000000000e-02 </v></row>\n", "", None),
        ("<!-- 1999-03-07 12:10:00 MET / 920808600 -->", "", "1 rows without a time are left out"),
        ("</rrd>", "", "the dump does not end with </rrd>"),
        ("<pdp_per_row> 1 <", "<pdp_per_row> one <", "pdp_per_row is no number"),
    ],
)
def test_damage_makes_it_incomplete(old: str, new: str, note: str | None) -> None:
    parsed = rrd_dump.parse(SMALL.replace(old, new))
    assert note is None or note in [note.text for note in parsed.notes]
    assert parsed.complete == (note is None)


def test_missing_row_in_the_middle_is_seen() -> None:
    line = next(line for line in LOG.split("\n") if "1700000220" in line)
    parsed = rrd_dump.parse(LOG.replace(line + "\n", ""))
    assert (parsed.complete, parsed.notes[0].text) == (False, "rows are missing, or their step changes: 60 s to 120 s")


def test_second_dump_goes_on_counting_archives() -> None:
    parsed = rrd_dump.parse(SMALL + SMALL)
    assert [note.text for note in parsed.notes] == ["another dump begins here"]
    assert [part for part in parsed.series["part"] if part == part] == [1.0, 1.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<rrd><step>300</step></rrd>\n", r"log:1: expected a row of an archive .+, found '<rrd>"),
        ('<!DOCTYPE rrd [\n<!ENTITY a "b">]>' + SMALL, r"log:2: expected XML without entity declarations"),
    ],
)
def test_what_is_no_dump_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        rrd_dump.parse(text)

"""What golden tables do not show of nicstat: units, records, what is since boot, lines that are none."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.monitors import nicstat
from storagelab.parsers.monitors.clock import Clock
from tests.parsers.monitors.samples import rows

HEADING = "    Time      Int   rKB/s   wKB/s   rPk/s   wPk/s    rAvs    wAvs %Util    Sat\n"
LINE = "16:24:43       lo 12829.3    2.00   303.8    4.00 43240.3   512.0 50.00   0.25\n"


def test_a_row_a_direction_and_one_without() -> None:
    series = nicstat.parse(HEADING + LINE).series
    assert list(series["operation"]) == ["receive", "transmit", "", ""]
    assert list(series["throughput"])[:2] == [12829.3 * 1024, 2048.0]
    assert list(series["packet_rate"])[:2] == [303.8, 4.0]
    assert list(series["request_size"])[:2] == [43240.3, 512.0]
    assert list(series["utilisation"])[2] == 0.5
    assert (series["metric"][3], series["value"][3]) == ("Sat", 0.25)


def test_only_the_first_sample_of_an_interface_is_since_boot() -> None:
    series = nicstat.parse(HEADING + LINE + HEADING + LINE.replace("16:24:43", "16:24:44")).series
    assert list(series["phase"]) == ["since boot"] * 4 + [""] * 4
    assert list(series["time"]) == [0.0] * 4 + [1.0] * 4


def test_megabits_are_1024_times_1024_bits() -> None:
    series = nicstat.parse(HEADING.replace("KB/s", "Mbps") + LINE).series
    assert series["throughput"][1] == 2 * 2**20 / 8


def test_records_have_a_date() -> None:
    parsed = nicstat.parse("1795211943:lo:786.5:1.0:24.81:2.0:0.00:0.00\n1795211945:lo:1.0:1.0:2.0:2.0:0.00:0.00\n")
    assert parsed.header["started"] == "2026-11-20T21:59:03+00:00"
    assert set(parsed.series["time"]) == {0.0, 2.0}
    assert parsed.series["throughput"][0] == 786.5 * 1024


@pytest.mark.parametrize("record", ["lo:786.5:1.0:24.81:2.0:0.00:0.00", "TCP:1.5:2.5:3.5:4.5:0.1:0.2:0.3:0.4:0.5:0.6"])
def test_what_a_lone_record_begins_with_is_no_prefix(record: str) -> None:
    parsed = nicstat.parse(f"1795211943:{record}\n")
    assert parsed.complete
    assert set(parsed.series["interface"]) == {record.partition(":")[0]}


def test_speeds_of_links() -> None:
    text = "Int      Loopback   Mbit/s Duplex State\nlo            Yes        -   unkn    up\neth0 No 10000 full up\n"
    series = nicstat.parse(text).series
    assert (list(series["interface"]), list(series["link_speed"])) == (["eth0"], [1.25e9])


@pytest.mark.parametrize("name", ["rKB/s", "rAvs", "%Util", "Sat"])
def test_a_dash_is_no_number_in_any_column(name: str) -> None:
    words = LINE.split()
    place = HEADING.split().index(name)
    dashed = "  ".join([*words[:place], "-", *words[place + 1 :]]) + "\n"
    series = nicstat.parse(HEADING + dashed + LINE).series
    named = {"rKB/s": "throughput", "rAvs": "request_size", "%Util": "utilisation", "Sat": "value"}[name]
    present = [value for value, at in zip(series[named], series["line"], strict=True) if at == 2 and value == value]
    wanted = {"throughput": [2048.0], "request_size": [512.0], "utilisation": [], "value": []}[named]
    assert present == wanted


@pytest.mark.parametrize("line", ["16:24:43 lo 1 2\n", LINE.replace("0.25", "x"), "a message\n"])
def test_line_that_is_no_sample_is_said(line: str) -> None:
    parsed = nicstat.parse(HEADING + line + LINE)
    assert (parsed.complete, parsed.notes[0].line) == (False, 2)


@pytest.mark.parametrize("end", ["^C\n", "```\n", "\n", "{% endhighlight %}\n", ""])
def test_prose_behind_the_samples_loses_none(end: str) -> None:
    parsed = nicstat.parse(HEADING + LINE + end + "This host is idle\n")
    assert (parsed.complete, [note.line for note in parsed.notes]) == (True, [3 + len(end.splitlines())])


@pytest.mark.parametrize("rest", [HEADING[:24] + "\n", "This host is idle\n" + LINE])
def test_what_may_be_cut_is_no_prose(rest: str) -> None:
    assert not nicstat.parse(HEADING + LINE + rest).complete


@pytest.mark.parametrize("text", ["", HEADING, "1795211943:lo:x\n"])
def test_what_holds_no_sample_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match=r"expected a sample under 'Time Int rKB/s wKB/s', or a record .+, found"):
        nicstat.parse(text)


def test_a_clock_that_was_set_back_is_no_midnight() -> None:
    clock = Clock()
    assert [clock.seconds(text) for text in ("23:00:00", "22:59:59", "01:00:00.5")] == [0.0, -1.0, 7200.5]


def test_behind_each_command_the_first_sample_is_since_boot() -> None:
    heading = "    Time      Int   rKB/s   wKB/s   rPk/s   wPk/s    rAvs    wAvs %Util    Sat\n"
    sample = "13:04:1{0}     eno7   601.9   589.1  1868.1  1894.1   330.0   318.5  0.98   0.00\n"
    speeds = "$ nicstat -l\nInt      Loopback   Mbit/s Duplex State\neno7        No     1000   full    up\n"
    text = speeds + "$ nicstat\n" + heading + sample.format(0) + "$ nicstat 1\n" + heading + sample.format(3)
    phases = [row.get("phase") for row in rows(parsers.parse(text + sample.format(4)), metric="Sat")]
    assert phases == ["since boot", "since boot", None]


def test_prose_below_speeds_that_are_unknown_loses_none() -> None:
    speeds = "Int      Loopback   Mbit/s Duplex State\nwlan0          No        0   unkn    up\n\n"
    assert nicstat.parse(speeds + "What they carried\n\n" + HEADING + LINE).complete


RECORDS = "1795211943:lo:786.5:1.0:24.81:2.0:0.00:0.00\n1795211944:lo:1.0:3.0:2.0:2.0:0.00:0.00\n"


@pytest.mark.parametrize(
    ("above", "below"),
    [("Starting job 12 on node7\n\n", "done\n"), ("$ nicstat -p 1 2\n", ""), ("", "$ nicstat 1 1\n" + HEADING + LINE)],
)
def test_records_among_other_lines_are_read(above: str, below: str) -> None:
    """The records above a table were lost, and the log whole."""
    parsed = parsers.parse(above + RECORDS + below)
    found = [(row["time"], row["line"]) for row in rows(parsed, throughput=1024.0)]
    begun = above.count("\n") + 1
    assert found == [(0.0, begun), (1.0, begun + 1)]
    assert (parsed.complete, parsed.header["started"]) == (True, "2026-11-20T21:59:03+00:00")
    assert len(rows(parsed, throughput=2048.0)) == below.count("rKB/s")


def test_times_of_records_begin_with_each_run() -> None:
    parsed = parsers.parse(f"$ nicstat -p 1 2\n{RECORDS}$ nicstat -p 1 2\n{RECORDS.replace('17952', '17953')}")
    assert [(row["time"], row.get("phase")) for row in rows(parsed, operation="receive")] == [
        (0.0, "since boot"), (1.0, None), (0.0, "since boot"), (1.0, None),
    ]  # fmt: skip


def test_a_record_that_lost_its_end_is_said_among_other_lines_too() -> None:
    parsed = parsers.parse(f"Starting\n{RECORDS}1795211945:lo:1.0\n")
    assert [(note.line, note.text) for note in parsed.notes][:1] == [(4, "not a record 'epoch:interface:numbers'")]
    assert not parsed.complete


def test_a_line_that_looks_like_a_record_is_none_of_a_table() -> None:
    parsed = nicstat.parse(HEADING + LINE + "1795211945:lo:1.0\n")
    assert "wants 10 columns" in parsed.notes[0].text

"""What golden tables do not show of gmond's and gmetad's XML: ages, nested grids, old versions, damage."""

from __future__ import annotations

import pytest

from storagelab.errors import ParseError
from storagelab.parsers.ganglia import xml_report
from storagelab.parsers.model import Parsed, Row
from tests.conftest import LOGS

METRIC = '<METRIC NAME="bytes_in" VAL="1.5" TYPE="float" UNITS="bytes/sec" TN="7"/>'
HOST = f'<HOST NAME="oss1" IP="10.0.0.1" REPORTED="1700000095" TN="5">{METRIC}</HOST>'
CLUSTER = f'<CLUSTER NAME="lab" LOCALTIME="1700000100">\n{HOST}\n</CLUSTER>\n'


def document(inside: str, source: str = "gmond") -> str:
    declaration = '<?xml version="1.0" encoding="ISO-8859-1"?>'
    return f'{declaration}\n<GANGLIA_XML VERSION="2.5.7" SOURCE="{source}">\n{inside}</GANGLIA_XML>\n'


def rows(parsed: Parsed, **wanted: object) -> list[Row]:
    table = [dict(zip(parsed.series, row, strict=True)) for row in zip(*parsed.series.values(), strict=True)]
    return [row for row in table if all(row.get(name) == value for name, value in wanted.items())]


def test_version_2_has_no_extra_data() -> None:
    parsed = xml_report.parse(document(CLUSTER))
    assert parsed.header == {"tool": "gmond", "tool_version": "2.5.7", "started": "2023-11-14T22:15:00+00:00"}
    (row,) = rows(parsed, operation="receive")
    assert (row["throughput"], row["host"], row["cluster"], row["time"], row["line"]) == (1.5, "oss1", "lab", -7.0, 4)


def test_ages_count_from_the_outermost_grid() -> None:
    inner = f'<GRID NAME="inner" LOCALTIME="1700000090">{CLUSTER}</GRID>\n'
    parsed = xml_report.parse(document(f'<GRID NAME="outer" LOCALTIME="1700000200">{inner}</GRID>\n', "gmetad"))
    assert parsed.header["started"] == "2023-11-14T22:16:40+00:00"
    (row,) = rows(parsed, operation="receive")
    assert (row["grid"], row["cluster"], row["time"]) == ("inner", "lab", -7.0)
    assert [row["time"] for row in rows(parsed, metric="LOCALTIME")] == [0.0, -110.0, -100.0]


def test_sums_have_the_number_of_their_hosts() -> None:
    sums = '<HOSTS UP="3" DOWN="1" SOURCE="gmetad"/><METRICS NAME="mem_free" SUM="3" NUM="3" TYPE="double" UNITS="KB"/>'
    parsed = xml_report.parse(document(f'<CLUSTER NAME="lab" LOCALTIME="1700000100">{sums}</CLUSTER>', "gmetad"))
    (row,) = rows(parsed, statistic="sum")
    assert (row["memory_free"], row["samples"], row.get("host", "")) == (3072.0, 3.0, "")
    assert [row["value"] for row in rows(parsed, metric="HOSTS DOWN")] == [1.0]


def test_text_is_a_label() -> None:
    text = METRIC.replace("bytes_in", "os_release").replace("1.5", "5.10").replace("float", "string")
    (row,) = rows(xml_report.parse(document(CLUSTER.replace(METRIC, text))), metric="os_release")
    assert row["label"] == "5.10"
    assert row["value"] != 5.1


def test_without_a_local_time_there_is_no_time() -> None:
    parsed = xml_report.parse(document(CLUSTER.replace(' LOCALTIME="1700000100"', "")))
    assert "started" not in parsed.header
    assert "time" not in parsed.series


def test_two_answers_are_parts() -> None:
    parsed = xml_report.parse(document(CLUSTER) + document(CLUSTER.replace("1700000100", "1700000160")))
    assert [(row["part"], row["time"]) for row in rows(parsed, operation="receive")] == [(1.0, -7.0), (2.0, 53.0)]


@pytest.mark.parametrize(
    ("old", "new", "complete", "note"),
    [
        ('VAL="1.5"', 'VAL="nan"', True, "bytes_in is nan: left out"),
        ('VAL="1.5"', 'VAL="fast"', False, "bytes_in is no number"),
        ('VAL="1.5"', 'VAL="1\ufffd5"', False, "bytes of bytes_in are no text"),
        ('UNITS="bytes/sec"', 'UNITS="bytes\ufffdsec"', False, "bytes of bytes_in are no text"),
        ("</GANGLIA_XML>", "", False, None),
    ],
)
def test_damage(old: str, new: str, complete: bool, note: str | None) -> None:
    other = METRIC.replace("bytes_in", "bytes_out").replace("1.5", "2.5")
    parsed = xml_report.parse(document(CLUSTER.replace(METRIC, METRIC + other)).replace(old, new, 1))
    assert [row["throughput"] for row in rows(parsed, operation="transmit")] == [2.5]
    assert parsed.complete == complete
    assert note is None or note in [note.text for note in parsed.notes]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            document('<CLUSTER NAME="lab" LOCALTIME="1700000100"/>'),
            "log:1: expected a document GANGLIA_XML with metrics",
        ),
        ('<!DOCTYPE GANGLIA_XML [\n<!ENTITY a "b">\n]>\n<GANGLIA_XML/>', "expected XML without entity declarations"),
        ("", "log:1: expected a document GANGLIA_XML with metrics"),
    ],
)
def test_what_holds_no_metric_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        xml_report.parse(text)


def test_no_other_format_is_claimed() -> None:
    for log in LOGS.glob("*/*"):
        if log.parent.name != "ganglia_xml" and not log.name.endswith(".golden.jsonl"):
            assert not xml_report.sniff(log.read_text(errors="replace")[:4096]), log

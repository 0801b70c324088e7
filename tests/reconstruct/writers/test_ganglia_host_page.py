"""Host pages of Ganglia, written and read back: whole seconds, whole MHz, memory exactly."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.parsers import Parsed
from storagelab.reconstruct.writers import ganglia_host_page
from storagelab.reconstruct.writers.ganglia_host_page import HostPage
from tests.reconstruct.writers.reading import notes, read_back

PAGE = HostPage("oss1.site.example", datetime(2009, 11, 20, 22, 11, 50, tzinfo=UTC), 13508, 8, 2.6e9, 2.0**34)

moments = st.datetimes(
    datetime(2000, 1, 1),
    datetime(2030, 1, 1),
    timezones=st.integers(-12, 12).map(lambda hours: timezone(timedelta(hours=hours))),
).map(lambda moment: moment.replace(microsecond=0))
kilobytes = st.integers(0, 2**40).map(lambda count: 1024.0 * count)
texts = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=10)

pages = st.builds(
    HostPage,
    host=st.from_regex(r"[a-z][a-z0-9-]{0,8}(\.[a-z]{1,8})?", fullmatch=True),
    reported=moments,
    uptime=st.integers(1, 10**8),
    processors=st.integers(1, 1024),
    clock_rate=st.integers(1, 10**4).map(lambda count: 1e6 * count),
    memory_total=kilobytes,
    swap_total=kilobytes,
    os_name=texts,
    os_release=texts,
    machine_type=texts,
    last_reported=st.integers(0, 10**5),
)


def readings(parsed: Parsed) -> dict[object, object]:
    """Return what the page says by metric; numbers with a name in the contract by that name."""
    rows = [dict(zip(parsed.series, row, strict=True)) for row in zip(*parsed.series.values(), strict=True)]
    named = {row["metric"]: row["label"] or row["value"] for row in rows if row["metric"]}
    totals = ("memory_total", "swap_total")
    return named | {name: row[name] for row in rows for name in totals if row[name] == row[name]}


def test_golden() -> None:
    text = ganglia_host_page.render(PAGE)
    assert text.startswith(
        "<!-- reconstructed from published numbers and a model of the test bed, not measured -->\n"
        "<!-- Begin header.tpl -->\n"
        "<!doctype html>\n"
        "<html>\n"
        "  <head>\n"
        "    <title>Ganglia:: oss1.site.example Host Report</title>\n"
        "</head><body>\n"
        '              <b id="page_title">oss1.site.example Host Report at Fri, 20 Nov 2009 22:11:50 +0000</b>\n'
        "<br>\n"
        "This host is up and running.\n"
        "\n"
        '<table border="0" width="100%">\n'
        "<tr>\n"
        '  <td colspan="2" class="title">Time and String Metrics</td>\n'
        "</tr>\n"
        "\n"
        "<tr>\n"
        ' <td class="footer" width="30%">Last Boot Time</td><td>Fri, 20 Nov 2009 18:26:42 +0000</td>\n'
        "</tr>\n"
    )
    assert text.endswith(
        ' <td class="footer" width="30%">Uptime</td><td>0 days, 3:45:08 </td>\n'
        "</tr>\n"
        "\n"
        "<tr><td>&nbsp;</td></tr>\n"
        "\n"
        "<tr>\n"
        '  <td colspan="2" class="title">Constant Metrics</td>\n'
        "</tr>\n"
        "\n"
        "<tr>\n"
        ' <td class="footer" width="30%">CPU Count</td><td>8 CPUs</td>\n'
        "</tr>\n"
        "<tr>\n"
        ' <td class="footer" width="30%">CPU Speed</td><td>2600 MHz</td>\n'
        "</tr>\n"
        "<tr>\n"
        ' <td class="footer" width="30%">Memory Total</td><td>16777216 KB</td>\n'
        "</tr>\n"
        "<tr>\n"
        ' <td class="footer" width="30%">Swap Space Total</td><td>0 KB</td>\n'
        "</tr>\n"
        "\n"
        "</table>\n"
        "</body></html>\n"
    )


@given(pages)
@settings(max_examples=50)
def test_all_that_is_said_comes_back(wanted: HostPage) -> None:
    parsed = read_back(ganglia_host_page.render(wanted), "ganglia-host-page")
    assert parsed.header["host"] == wanted.host
    assert datetime.fromisoformat(str(parsed.header["started"])) == wanted.reported
    assert readings(parsed) == {
        "boottime": wanted.reported.timestamp() - wanted.uptime,
        "last_reported": wanted.last_reported,
        "machine_type": wanted.machine_type,
        "os_name": wanted.os_name,
        "os_release": wanted.os_release,
        "uptime": wanted.uptime,
        "cpu_num": wanted.processors,
        "cpu_speed": wanted.clock_rate / 1e6,
        "memory_total": wanted.memory_total,
        "swap_total": wanted.swap_total,
    }


def test_the_log_says_what_it_is(tmp_path: Path) -> None:
    notes(ganglia_host_page.render(PAGE), tmp_path, "host.html")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"host": "a b"}, "host: expected text without white space, found 'a b'"),
        (
            {"reported": datetime(2009, 1, 1)},
            "reported: expected a zone and whole seconds, found '2009-01-01T00:00:00'",
        ),
        ({"uptime": 0.5}, "uptime: expected a whole number .*, found 0.5"),
        ({"last_reported": -1}, "last_reported: expected a whole number .*, found -1"),
        ({"processors": 0}, "processors: expected a finite number above 0, found 0"),
        ({"clock_rate": 0}, "clock_rate: expected a finite number above 0, found 0"),
        ({"memory_total": 1}, "memory_total in KB: expected a whole number .*, found 0.0009"),
        ({"os_release": "a\nb"}, "os_release: expected text on one line"),
    ],
)
def test_what_cannot_be_shown_is_refused(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        ganglia_host_page.render(dataclasses.replace(PAGE, **changed))  # type: ignore[arg-type]

"""The output of cmsRun, written and read back: file messages to a second, records to as many decimals as they have."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.parsers import Row
from storagelab.reconstruct.writers import cmssw_messages
from storagelab.reconstruct.writers.cmssw_messages import Log
from tests.reconstruct.writers.reading import notes, read_back

SIX_DIGITS = 5.1e-6
MICROSECOND = 5.01e-7
RESOLUTION = {0: 1.0, 3: 0.001}
STARTED = datetime(2009, 5, 12, 10, 0, 0, tzinfo=UTC)
LOG = Log(STARTED, "dcap://door:22125/pnfs/a.root", 3.0, 23.5, 100.0, 130.25, 80.0, 250)

seconds = st.floats(0.01, 1e5)


@st.composite
def logs(draw: st.DrawFn) -> Log:
    opening, rest, loop, around = (draw(seconds) for _ in range(4))
    return Log(
        started=STARTED,
        file=LOG.file,
        opening=opening,
        to_first_record=opening + rest,
        loop=loop,
        elapsed=opening + rest + loop + around,
        cpu_time=draw(seconds),
        job_events=draw(st.integers(1, 500)),
        report_every=draw(st.integers(1, 200)),
        decimals=draw(st.sampled_from([0, 3])),
    )


def phases(text: str) -> dict[object, Row]:
    return {row.get("phase", row["operation"]): row for row in read_back(text, "cmssw-timereport").runs}


def test_golden() -> None:
    assert cmssw_messages.render(LOG) == (
        "# reconstructed from published numbers and a model of the test bed, not measured\n"
        "12-May-2009 10:00:00 UTC  Initiating request to open file dcap://door:22125/pnfs/a.root\n"
        "12-May-2009 10:00:03 UTC  Successfully opened file dcap://door:22125/pnfs/a.root\n"
        "Begin processing the 1st record. Run 1, Event 1, LumiSection 1 at 12-May-2009 10:00:23 UTC\n"
        "Begin processing the 101st record. Run 1, Event 101, LumiSection 1 at 12-May-2009 10:01:03 UTC\n"
        "Begin processing the 201st record. Run 1, Event 201, LumiSection 1 at 12-May-2009 10:01:43 UTC\n"
        "12-May-2009 10:02:03 UTC  Closed file dcap://door:22125/pnfs/a.root\n"
        "\n"
        "TrigReport ---------- Event  Summary ------------\n"
        "TrigReport Events total = 250 passed = 250 failed = 0\n"
        "\n"
        "TimeReport ---------- Event  Summary ---[sec]----\n"
        "TimeReport CPU/event = 0.320000 Real/event = 0.400000\n"
        "\n"
        "T---Report end!\n"
        "\n"
        "TimeReport> Time report complete in 130.25 seconds\n"
        " Time Summary: \n"
        " - Min event:   0.4\n"
        " - Max event:   0.4\n"
        " - Avg event:   0.4\n"
        " - Total job:   130.25\n"
        " CPU Summary: \n"
        " - Total job:   80\n"
    )


@given(logs())
@settings(max_examples=50)
def test_all_numbers_come_back(wanted: Log) -> None:
    found = phases(cmssw_messages.render(wanted))
    assert found["open"]["start_time"] == STARTED.timestamp()
    assert found["open"].get("elapsed", 0.0) == pytest.approx(wanted.opening, abs=RESOLUTION[0])
    first = found.get("to first record", {}).get("elapsed", 0.0)
    assert first == pytest.approx(wanted.to_first_record, abs=RESOLUTION[wanted.decimals] + 1e-6)
    assert found["events"]["job_events"] == wanted.job_events
    assert found["total"]["elapsed"] == pytest.approx(wanted.elapsed, rel=SIX_DIGITS)
    assert found["total"]["cpu_time"] == pytest.approx(wanted.cpu_time, rel=SIX_DIGITS)
    assert found["event"]["elapsed"] == pytest.approx(wanted.loop / wanted.job_events, rel=SIX_DIGITS)
    means = found.get("event loop", {})
    assert means.get("cpu_time", 0.0) == pytest.approx(wanted.cpu_time / wanted.job_events, abs=MICROSECOND)
    assert means.get("elapsed", 0.0) == pytest.approx(wanted.loop / wanted.job_events, abs=MICROSECOND)


@given(logs())
@settings(max_examples=50)
def test_the_records_are_evenly_spaced(wanted: Log) -> None:
    parsed = read_back(cmssw_messages.render(wanted), "cmssw-timereport")
    records = list(range(1, int(wanted.job_events) + 1, wanted.report_every))
    assert list(parsed.series["entries"]) == records
    times = [wanted.to_first_record + wanted.loop * (record - 1) / wanted.job_events for record in records]
    assert list(parsed.series["time"]) == pytest.approx(times, abs=RESOLUTION[wanted.decimals] + 1e-6)


@pytest.mark.parametrize(
    ("record", "word"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (22, "22nd")]
)
def test_ordinals(record: int, word: str) -> None:
    assert f"the {word} record" in cmssw_messages.render(dataclasses.replace(LOG, report_every=1))


def test_the_log_says_what_it_is(tmp_path: Path) -> None:
    notes(cmssw_messages.render(LOG), tmp_path)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"started": datetime(2009, 5, 12)}, "started: expected a zone and whole seconds, found '2009-05-12T00:00:00'"),
        ({"started": STARTED.replace(microsecond=1)}, "started: expected a zone and whole seconds"),
        ({"opening": 24.0}, "opening: expected at most to_first_record 23.5, found 24.0"),
        ({"elapsed": 100.0}, "elapsed: expected at least the phases 123.5, found 100.0"),
        ({"loop": -1.0}, "loop: expected a finite number that is not negative, found -1.0"),
        ({"job_events": 0}, "job_events: expected a finite number above 0, found 0"),
        ({"report_every": 0}, "report_every: expected a finite number above 0, found 0"),
        ({"file": "a b"}, "file: expected text without white space, found 'a b'"),
    ],
)
def test_what_cannot_be_printed_is_refused(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        cmssw_messages.render(dataclasses.replace(LOG, **changed))  # type: ignore[arg-type]

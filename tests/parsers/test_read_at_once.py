"""Logs that are read at once, for being as their tool prints them, give what they give when all is asked of them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from storagelab.errors import StoragelabError
from storagelab.parsers import PARSERS, by_name
from storagelab.parsers.harmless_text import pass_through
from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.monitors import dstat, pidstat
from storagelab.parsers.monitors.sysstat import report
from storagelab.parsers.reading import read_by
from storagelab.parsers.text import rows_of_numbers
from storagelab.parsers.wrapping.unwrapping import Reader
from tests.conftest import LOGS

FORMATS = ("dstat", "fio_json", "iostat", "mpstat", "pidstat", "sar", "vmstat")
MOSTLY_ORDINARY = ("fio_json", "iostat", "vmstat")
ORDINARY = {
    "dstat-0.8.0-time.csv", "imitated-0.7-rates.csv", "imitated-dool-1.1.csv", "all-processors-12.6.1.txt",
    "ampm-12.6.1.txt", "interrupts-nodes-12.6.1.txt", "places-12.6.1.txt",
    "imitated-11.5-midnight.txt", "imitated-9.0-no-user.txt", "client-rep3-failover.txt",
}  # fmt: skip
"""Logs that are read at once, of formats whose logs here are mostly unusual."""
UNUSUAL = {
    "terse-then-json-3.33.json": "a line of terse output above the document",
    "imitated-12.0-cifs.txt": "mounts, not devices",
    "imitated-9.0-nfs.txt": "mounts, not devices",
    "imitated-12.4-wrapped.txt": "lines that a mail has wrapped",
    "imitated-solaris-megabytes.txt": "columns of another system",
    "procps-4.0.2-command-S-m.txt": "a command that says the unit",
    "procps-4.0.2-korean-w-t.txt": "columns in another language",
    "procps-4.0.2-german-s.txt": "totals in another language",
    "procps-4.0.2-polish-s.txt": "totals in another language",
    "imitated-solaris-negative-zero.txt": "columns of another system",
    "imitated-freebsd-each-processor.txt": "columns of another system",
    "imitated-freebsd-14.2-bytes.txt": "columns of another system",
    "imitated-solaris.txt": "columns of another system",
    "imitated-solaris-xn.txt": "columns of another system",
    "imitated-freebsd-totals.txt": "columns of another system",
    "imitated-aix.txt": "columns of another system",
    "imitated-aix-D.txt": "columns of another system",
    "imitated-aix-I-t.txt": "columns of another system",
    "imitated-solaris-s.txt": "totals of another system",
    "imitated-aix-s.txt": "totals of another system",
    "imitated-freebsd-s.txt": "totals of another system",
    "imitated-solaris-p.txt": "columns of another system",
    "imitated-solaris-xr.txt": "columns of another system",
    "imitated-hp-ux.txt": "columns of another system",
    "imitated-hp-ux-t.txt": "columns of another system",
    "imitated-freebsd-12-cpu.txt": "columns of another system",
    "imitated-freebsd-with-host.txt": "columns of another system",
    "imitated-solaris-xtc.txt": "columns of another system",
    "imitated-hp-ux-headed-once.txt": "columns of another system",
    "imitated-3.2-wrapped.txt": "lines that a mail has wrapped",
    "imitated-3.2-s.txt": "a prompt, and sizes without their unit",
    "imitated-3.3-m.txt": "slabs",
    "client-server-2hosts-3.33.json": "text around the document",
    "error-enospc-3.33.json": "a job that failed",
    "imitated-3.37-priorities.json": "latencies by priority",
    "imitated-3.36-steadystate.json": "rates of a steady state",
    "json-then-normal-3.33.txt": "text behind the document",
    "note-iodepth-before-json-3.33.json": "text before the document",
    "server-lost-3.33.json": "text before the document",
}
DAMAGED = 12
"""Damaged copies of each log, each with other digits than the one before."""


class Readers:
    """One that reads at once what it can, and one that never does."""

    def __init__(self) -> None:
        self.fast, self.slow = Reader(PARSERS), Reader(PARSERS)
        self.slow._ordinary = []
        self.at_once = 0

    def differ(self, text: str, name: str) -> bool:
        """Whether a text that is read at once gives something else when it is not."""
        found = self.fast._read_at_once(text, name, None)
        if found is None:
            return False
        self.at_once += 1
        try:
            return _content(found) != _content(self.slow.read(text, name, None))
        except StoragelabError:
            return True


def _content(found: tuple[Format, Parsed]) -> str:
    """All that was found, with the order of names, NaN and the kinds of numbers."""
    format, parsed = found[0], pass_through(found[1])
    series = {name: list(column) for name, column in parsed.series.items()}
    return repr((format.name, parsed.header, parsed.runs, parsed.clients, series, parsed.notes, parsed.complete))


@pytest.fixture(scope="module")
def readers() -> Readers:
    return Readers()


def logs() -> list[Path]:
    found = (log for name in FORMATS for log in sorted((LOGS / name).iterdir()))
    return [log for log in found if log.suffix in (".txt", ".json", ".csv")]


def _learned(readers: Readers, log: Path) -> str:
    text = log.read_text()
    for _ in range(2):
        readers.fast.read(text, log.name, None)
    return text


@pytest.mark.parametrize("log", logs(), ids=lambda log: log.name)
def test_ordinary_logs_are_read_at_once(readers: Readers, log: Path) -> None:
    text, before = _learned(readers, log), readers.at_once
    assert not readers.differ(text, log.name)
    is_ordinary = log.name not in UNUSUAL if log.parent.name in MOSTLY_ORDINARY else log.name in ORDINARY
    assert (readers.at_once > before) == is_ordinary
    assert not readers.differ(text.rstrip()[:-1] + "\n", log.name), "a last digit that was lost"


@pytest.mark.parametrize("name", ["procps-4.0.2.txt", "procps-4.0.2-t-a.txt"])
def test_samples_between_empty_lines_are_read_at_once(readers: Readers, name: str) -> None:
    text, before = (LOGS / "vmstat" / name).read_text(), readers.at_once
    assert not any(
        readers.differ(f"{above}{text}{below}", name) for above in ("", "\n", "\n\n") for below in ("", "\n")
    )
    assert readers.at_once == before + 6


def test_devices_with_a_colon_behind_their_heading_are_read_at_once(readers: Readers) -> None:
    text, before = (LOGS / "iostat" / "short-12.6.1.txt").read_text().replace("Device ", "Device: "), readers.at_once
    assert "Device: " in text
    assert not readers.differ(text, "iostat.txt")
    assert readers.at_once > before


def test_devices_that_come_twice_at_a_time_are_not_read_at_once(readers: Readers) -> None:
    text, before = (LOGS / "iostat" / "extended-times-12.6.1.txt").read_text(), readers.at_once
    devices = re.findall(r"(?m)^loop.*\n", text)
    assert len(devices) > 5
    for rows in (devices[:3], devices[-3:]):
        assert not readers.differ(text.replace("".join(rows), 2 * "".join(rows)), "iostat.txt")
    assert readers.at_once == before


def test_heading_longer_than_what_is_looked_at_is_not_read_at_once(readers: Readers) -> None:
    text, before = (LOGS / "vmstat" / "procps-4.0.2.txt").read_text(), readers.at_once
    assert not readers.differ(text.replace("procs -", "procs -" + 5000 * "-", 1), "vmstat.txt")
    assert readers.at_once == before


def damaged(text: str, rng: random.Random) -> Iterator[str]:
    """Yield a text with some other digits or numbers, with lines that lack, come twice or stand for others, and cut."""
    for _ in range(DAMAGED):
        yield _replaced(text, r"(?<=\d)\d", rng, tuple("0123456789"))
        yield _replaced(text, r"\d+(?:\.\d+)?", rng, ("0", "0.00", "7", "99999999", "-1", "nan", "1.2.3", "7,5"))
        yield _replaced(text, r".", rng, tuple('0 .,-aM:\n"}\t%'))
        lines = text.split("\n")
        at, other = (rng.randrange(len(lines)) for _ in "ab")
        yield "\n".join(lines[:at] + lines[at + 1 :])
        yield "\n".join(lines[:at] + lines[other : other + 3] + lines[at:])
        yield "\n".join([*lines[:at], lines[other], *lines[at + 1 :]])
        yield "\n".join(lines[:at]) + "\n"
        yield text[: rng.randrange(len(text))] + "\n"


def _replaced(text: str, pattern: str, rng: random.Random, others: tuple[str, ...]) -> str:
    """Put something else for one to three matches of a pattern."""
    for _ in range(rng.randrange(1, 4)):
        found = rng.choice(list(re.finditer(pattern, text)))
        text = text[: found.start()] + rng.choice(others) + text[found.end() :]
    return text


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_damaged_logs_give_the_same_both_ways(readers: Readers, name: str) -> None:
    rng, before, odd = random.Random(18), readers.at_once, []
    for log in (log for log in logs() if log.parent.name == name):
        text = _learned(readers, log)
        odd += [(log.name, one) for one in damaged(text, rng) if readers.differ(one, log.name)]
    assert not odd
    assert readers.at_once - before > 50


def test_percentiles_in_another_order_stand_on_their_own_lines(readers: Readers) -> None:
    log = LOGS / "fio_json" / "strided-3.33.json"
    text = _learned(readers, log)
    swapped = re.sub(r'(\s+"40\.0+" : \d+,)(\s+"50\.0+" : \d+,)', r"\2\1", text)
    assert swapped != text
    assert not readers.differ(swapped, log.name)


LINE_BY_LINE = {
    "dstat": (dstat._Run, "samples", []),
    "mpstat": (report._Report, "read_page", 0),
    "pidstat": (pidstat._Reports, "read_sample", 0),
    "sar": (report._Report, "read_page", 0),
}
"""Formats whose parser takes a sample at once, or all of them, and what makes it take each line by itself."""


def _parsed(name: str, text: str) -> str:
    format = by_name(name)
    try:
        return _content((format.FORMAT, read_by(format, text)))
    except StoragelabError as error:
        return str(error)


@pytest.mark.slow
@pytest.mark.parametrize("name", LINE_BY_LINE)
def test_samples_at_once_are_those_line_by_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(19)
    own = [log.read_text(errors="replace") for log in logs() if log.parent.name == name and log.suffix != ".json"]
    texts = [one for text in own for one in (text, *damaged(text, rng))]
    at_once = [_parsed(name, text) for text in texts]
    owner, method, nothing = LINE_BY_LINE[name]
    monkeypatch.setattr(owner, method, lambda *_: nothing)
    differ = [text for text, found in zip(texts, at_once, strict=True) if _parsed(name, text) != found]
    assert differ == []


AIX = "14:10:25 cpu    %usr    %sys    %wio   %idle   physc\n"


@pytest.mark.parametrize(("log", "old", "new"), [
    ("sar/ampm-12.6.1.txt", "04:23:38 PM       br0", "04:23:38 AM       br0"),
    ("sar/ampm-12.6.1.txt", "04:23:38 PM        lo", "04:23:38           lo"),
    ("sar/ampm-12.6.1.txt", "04:23:38 PM(?! +IFACE)", "04:23:38"),
    ("sar/imitated-aix-processors.txt", "14:10:30  0", f"{AIX}14:10:30  -"),
])  # fmt: skip
def test_a_sample_that_is_unlike_the_one_before_is_taken_line_by_line(
    log: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (LOGS / log).read_text()
    changed = re.sub(rf"(?m)^{old}", new, text)
    assert changed != text
    at_once = _parsed("sar", changed)
    monkeypatch.setattr(report._Report, "read_page", lambda *_: 0)
    assert _parsed("sar", changed) == at_once


@pytest.mark.parametrize("other", ["1", "1,2,3", "1,x", "1,", "", "1,-0.0", "[1,2]", "1,2],[3,4", "1,1e999", "1,٣"])
def test_rows_are_read_at_once_where_all_are_so_many_plain_numbers(other: str) -> None:
    assert rows_of_numbers(["1,2.5", "-3,4e2"], 2) == [[1.0, 2.5], [-3.0, 400.0]]
    assert rows_of_numbers(["1,2.5", other, "-3,4e2"], 2) == []

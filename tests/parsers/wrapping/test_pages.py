"""Logs as pages show them: blanks that do not break, blanks run together, empty lines between, breaks of Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from storagelab.ingest import Log, read_log
from tests.conftest import LOGS

PAGES: dict[str, Callable[[str], str]] = {
    "unbroken blanks": lambda text: text.replace(" ", "\u00a0"),
    "every other blank": lambda text: text.replace("  ", " \u00a0"),
    "narrow blanks": lambda text: text.replace(" ", "\u202f"),
    "empty lines": lambda text: text.replace("\n", "\n\n"),
    "hard breaks": lambda text: text.replace("\n", "\\\n"),
    "blanks run together": lambda text: "\n".join(re.sub(" {2,}", " ", line).strip() for line in text.split("\n")),
    "no indentation": lambda text: "\n".join(line.lstrip(" ") for line in text.split("\n")),
}
SHOWN = (
    "dbench/dbench-4.0-sync-2clients.txt",
    "dd/gnu-9.1-512-bytes.txt",
    "elbencho/elbencho-3.1-1-resfile.txt",
    "elbencho/imitated-1.6-latencies.txt",
    "globus_url_copy/third-party.txt",
    "gpfsperf/imitated-three-tests.txt",
    "hdparm/imitated-rates-on-next-line.txt",
    "io500/rendered-summary-2025-invalid.txt",
    "rados_bench/imitated-10-seq-without-colon.txt",
    "smallfile/smallfile-3.2-create.txt",
    "testdfsio/imitated-remarks.txt",
)


@pytest.mark.parametrize("page", PAGES)
def test_a_log_of_a_page_gives_the_same_rows(page: str, tmp_path: Path) -> None:
    wrong = [log for log in SHOWN if not _is_same(LOGS / log, PAGES[page], tmp_path)]
    assert wrong == []


def _is_same(log: Path, shown_by: Callable[[str], str], folder: Path) -> bool:
    shown = folder / log.name
    shown.write_text(shown_by(log.read_text()))
    as_printed, as_shown = read_log(log), read_log(shown)
    return _values(as_printed) == _values(as_shown) and as_printed.parsed.complete == as_shown.parsed.complete


def _values(log: Log) -> Counter[str]:
    rows = (row for node in ("runs", "clients", "series") for row in log.rows(node))
    return Counter(repr(sorted((name, str(value)) for name, value in row.items() if _is_said(name))) for row in rows)


def _is_said(name: str) -> bool:
    return name != "log_id" and not name.endswith("line")


def test_lines_of_a_log_with_empty_lines_between_keep_their_numbers(tmp_path: Path) -> None:
    text = (LOGS / "hdparm/imitated-rates-on-next-line.txt").read_text()
    doubled = tmp_path / "doubled.txt"
    doubled.write_text(text.replace("\n", "\n\n"))
    plain, shown = (read_log(log).parsed for log in (LOGS / "hdparm/imitated-rates-on-next-line.txt", doubled))
    assert [row["line"] for row in shown.runs] == [2 * row["line"] - 1 for row in plain.runs]
    assert shown.header["wrapping"] == "empty lines"

"""Text of logs as it becomes rows: harmless, and said in the notes of the log that it was not."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from storagelab import dataset, ingest, parsers
from storagelab.cli import parse
from storagelab.escaping import cells
from storagelab.escaping.characters import BUDGET, harmless, is_harmless
from storagelab.parsers import harmless_text
from storagelab.parsers.model import Columns, Note, Parsed, Row, Rows, Words, grouped

JOB = {
    "groupid": 0, "error": 0, "job options": {"rw": "read", "bs": "4k"}, "write": {}, "usr_cpu": 1.0, "sys_cpu": 2.0,
    "ctx": 1000, "majf": 0, "minf": 10, "iodepth_level": {"1": 100.0}, "latency_us": {"500": 100.0}, "latency_ms": {},
}  # fmt: skip
READ = {
    "io_bytes": 4096000, "bw_bytes": 4096000, "bw": 4000, "iops": 1000.0, "runtime": 1000, "total_ios": 1000,
    "bw_min": 4000, "bw_max": 4000, "bw_agg": 100.0, "bw_mean": 4000.0, "bw_dev": 0.0,
}  # fmt: skip
"""A thousand reads of 4 KiB in a second, with all that fio prints of them: nothing contradicts, nothing is missing."""
HOSTILE = "a\x1b[31m\u202e\ud800\0\u200b"


def fio(job: str) -> str:
    """A report of fio with one job."""
    return json.dumps({"fio version": "fio-3.28", "jobs": [{"jobname": job, **JOB, "read": READ}]})


def written(to: str, logs: list[ingest.Log]) -> str:
    file = io.StringIO(newline="")
    parse.writer(to, wide=True)(logs, file, parse.DEFAULT_NODES[to])
    return file.getvalue()


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(), min_size=1))
@example(HOSTILE)
@example('=HYPERLINK("http://x")')
@example("-1")
@example('x",\r\n"y')
def test_any_name_of_a_job_is_the_same_harmless_text_wherever_it_is_written(tmp_path: Path, job: str) -> None:
    (tmp_path / "one.json").write_text(fio(job))
    log = ingest.read_log(tmp_path / "one.json", name="one.json")
    (row,) = log.parsed.runs
    said = row["job"]
    assert said == harmless(job)
    assert ("job holds" in log.notes()) == (not is_harmless(job))
    (line,) = [json.loads(line) for line in written("jsonl", [log]).splitlines() if '"runs"' in line]
    assert line["job"] == said
    (cell,) = [read["job"] for read in csv.DictReader(io.StringIO(written("csv", [log]), newline=""))]
    assert cell == cells.text(said)
    assert cells.read(cell) == said
    dataset.save(ingest.tidy([log]), tmp_path / "one.nc")
    assert dataset.load(tmp_path / "one.nc")["runs"]["job"].values.tolist() == [said]


def test_every_kind_of_row_passes_the_gate() -> None:
    table = {"job": ["x", HOSTILE], "line": [1, 2]}
    columns = {"line": [1], "device": Words([HOSTILE], np.zeros(1, np.int8)), "value": np.ones(1)}
    rows = Rows([{"job": HOSTILE, "line": 1.0}])
    rows.add_columns(dict(table))
    parsed = Parsed(
        {"command": HOSTILE, "tool": "fio"},
        rows,
        [{"client": HOSTILE, "line": 1.0}],
        columns,
        [{"message": "y" * (BUDGET + 1), "line": 1.0}],
        [Note(3, HOSTILE)],
    )
    made = harmless_text.pass_through(parsed)
    safe = harmless(HOSTILE)
    assert made.header == {"command": safe, "tool": "fio"}
    assert [row["job"] for row in made.runs] == [safe, "x", safe]
    assert made.clients == [{"client": safe, "line": 1.0}]
    assert list(made.series["device"]) == [safe]
    assert len(made.events[0]["message"]) == BUDGET
    said = [note.text for note in made.notes]
    assert said[0] == safe
    assert said[1:] == [f"{name} {harmless_text.HIDDEN}" for name in ("command", "job", "client")] + [
        f"message {harmless_text.LONG}",
        f"device {harmless_text.HIDDEN}",
    ]


def test_blocks_of_a_large_log_pass_the_gate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Large:
        FORMAT = parsers.Format("large", "t", "1", "r", "s")

        def sniff(self, head: str) -> bool:
            return True

        def parse(self, text: str) -> Parsed:
            raise NotImplementedError

        def stream(self, opened: object) -> Parsed:
            return Parsed({}, blocks=lambda: iter([{"line": [1], "device": [HOSTILE], "operation": ["read"]}]))

    (tmp_path / "log").write_text("x")
    monkeypatch.setattr(parsers, "by_name", lambda name: Large())
    found = parsers.stream(lambda: (tmp_path / "log").open("rb"), "large")
    assert found
    assert [list(block["device"]) for block in found[1].tables()] == [[harmless(HOSTILE)]]


def test_the_name_of_a_file_is_said_harmless(tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[2J\u202e\udcff.json"
    path.write_text(fio("j"))
    log = ingest.read_log(path, name=path.name)
    assert log.name == r"a\x1b[2J\u202e\xff.json"
    assert "the name of the file holds bytes or characters that are written as escapes" in log.notes()
    assert ingest.read_log(path, name="\ud800").name == r"\ud800"


HIDDEN = "a\u202eb"


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ({"command": HIDDEN}, {}),
        ({}, {"label": HIDDEN}),
        ({}, {"throughput": HIDDEN}),
        ({}, {"label": "x" * (BUDGET + 1)}),
    ],
)
def test_what_needs_an_escape_is_not_said_to_be_harmless(header: Row, row: Row) -> None:
    plain: Row = {"operation": "read", "line": 1}
    parsed = Parsed(header, runs=[plain, plain | row])
    assert not harmless_text.are_harmless(parsed.header, grouped(parsed))
    assert harmless_text.are_harmless(
        {"command": "dd"}, grouped(Parsed({}, runs=[plain, plain | {"label": "a", "throughput": 1.0}]))
    )


@pytest.mark.parametrize("word", ["read", HIDDEN])
def test_words_of_a_column_are_looked_at_before_it_is_harmless(word: str) -> None:
    table: Columns = {"label": Words([word], np.array([0, 0])), "line": [1, 2]}
    parsed = Parsed({}, runs=Rows())
    assert isinstance(parsed.runs, Rows)
    parsed.runs.add_columns(table)
    assert harmless_text.are_harmless({}, grouped(parsed)) == (word == "read")

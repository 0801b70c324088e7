from __future__ import annotations

import csv
import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from storagelab import dataset, parsers, read_log, schema
from storagelab.cli import parse, reading
from storagelab.ingest import Log
from storagelab.workers import pool
from tests import damage
from tests.cli.conftest import Cli
from tests.conftest import LOGS, fixture_logs

IOZONE = LOGS / "iozone" / "throughput_c8_children.log"
NETDEV = LOGS / "proc_net_dev" / "eth0-and-lo.txt"


FORMATS = sorted(folder.name for folder in LOGS.iterdir())


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def check_jsonl(log: Path, rows: list[dict[str, Any]]) -> None:
    """The log comes first, and then every row with its line."""
    expected = read_log(log)
    assert rows[0]["node"] == "logs"
    assert {row["log_sha256"] for row in rows} == {expected.sha256}
    for node in ("runs", "clients", "series"):
        found = [row for row in rows if row["node"] == node]
        assert [row["line"] for row in found] == [row["line"] for row in expected.rows(node)]
    assert {name for row in rows for name in row} - {"node"} <= set(schema.FIELDS)
    assert all(math.isfinite(value) for row in rows for value in row.values() if not isinstance(value, str))


def check_csv(table: list[dict[str, str]], rows: list[dict[str, Any]]) -> None:
    """CSV says the same as JSON lines."""
    same = [row for row in rows if row["node"] in ("runs", "clients")]
    assert len(table) == len(same)
    for row, other in zip(table, same, strict=True):
        filled = {name: value for name, value in row.items() if value not in ("", "nan")}
        expected = {name: value for name, value in other.items() if value != ""}
        assert filled.keys() == expected.keys()
        for name, value in expected.items():
            assert (filled[name] if isinstance(value, str) else float(filled[name])) == value


@pytest.mark.parametrize("format", FORMATS)
def test_every_row_of_every_log_comes_out_in_jsonl_and_in_csv(format: str, cli: Cli) -> None:
    logs = fixture_logs(format)
    rows = objects(cli("parse", *logs, "--to", "jsonl").out)
    table = list(
        csv.DictReader(
            cli("parse", *logs, "--to", "csv", "--wide", "--node", "runs", "--node", "clients").out.splitlines()
        )
    )
    assert list(dict.fromkeys(row["log"] for row in rows)) == [log.as_posix() for log in logs]

    def check(path: str) -> None:
        check_jsonl(Path(path), of_log := [row for row in rows if row["log"] == path])
        check_csv([row for row in table if row["log"] == path], of_log)

    assert damage.faults(check, [log.as_posix() for log in logs]) == {}


def test_table_names_units_and_lines_for_people(cli: Cli) -> None:
    out = cli("parse", IOZONE).out
    assert f"{IOZONE.as_posix()}: iozone" in out
    assert "throughput [MB/s]" in out
    assert "record_size=" in out
    operations = [row["operation"] for row in read_log(IOZONE).rows("runs")]
    assert [line.split()[0] for line in out.splitlines() if line.startswith("    ")][
        1 : len(operations) + 1
    ] == operations


def test_table_leaves_samples_out_until_asked(cli: Cli) -> None:
    assert "samples (--node series shows them)" in cli("parse", NETDEV).out
    assert "counter_bytes" in cli("parse", NETDEV, "--node", "series").out


def test_netcdf_is_a_study_that_loads(cli: Cli, tmp_path: Path) -> None:
    assert cli("parse", IOZONE, NETDEV, "--to", "netcdf", "-o", tmp_path / "all.nc").code == 0
    study = dataset.load(tmp_path / "all.nc")
    assert list(study["logs"]["log"].values) == [IOZONE.as_posix(), NETDEV.as_posix()]
    assert list(study["runs"]["line"].values) == [row["line"] for row in read_log(IOZONE).rows("runs")]


def test_one_bad_log_hides_no_other_and_makes_the_exit_code_1(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a_poem.log").write_text("Shall I compare thee to a summer's day?\n")
    (tmp_path / "deep" / "er").mkdir(parents=True)
    shutil.copy(IOZONE, tmp_path / "deep" / "er" / "z.log")
    (tmp_path / ".hidden").write_text("not looked at")
    result = cli("parse", tmp_path, tmp_path / "missing.log", "--to", "jsonl")
    assert result.code == 1
    assert "a_poem.log:1: expected a log of one of" in result.err
    assert "missing.log: No such file or directory" in result.err
    assert {Path(row["log"]).name for row in objects(result.out)} == {"z.log"}
    assert len(result.err.splitlines()) == 2


def test_a_mistake_in_one_parser_hides_no_other_log(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storagelab.parsers.monitors.proc_net_dev.parse", lambda text: float(text))
    result = cli("parse", NETDEV, IOZONE, "--to", "jsonl")
    assert result.code == 1
    assert f"{NETDEV}: expected a log of proc-net-dev that can be read, found 'ValueError at test_" in result.err
    assert "a mistake in storagelab, please report it" in result.err
    assert {row["log"] for row in objects(result.out)} == {IOZONE.as_posix()}


@pytest.mark.parametrize("to", ["table", "csv", "jsonl", "netcdf"])
def test_a_cut_log_is_said_on_standard_error_but_is_no_failure(to: str, cli: Cli, tmp_path: Path) -> None:
    text = IOZONE.read_text()
    (tmp_path / "cut.log").write_text(text[: text.rindex("Min xfer")])
    result = cli("parse", tmp_path / "cut.log", "--to", to, "--output", tmp_path / "out")
    assert result.code == 0
    assert "cut.log: incomplete: " in result.err
    assert (tmp_path / "out").exists()


def test_output_appears_whole_or_not_at_all(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "out.jsonl"
    output.write_text("what was there before")
    monkeypatch.setattr("storagelab.cli.parse._json", lambda row: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        cli("parse", IOZONE, "--to", "jsonl", "--output", output)
    assert output.read_text() == "what was there before"
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_nothing_readable_writes_no_netcdf(cli: Cli, tmp_path: Path) -> None:
    result = cli("parse", tmp_path / "missing.log", "--to", "netcdf", "-o", tmp_path / "out.nc")
    assert result.code == 1
    assert "not written, no log could be read" in result.err
    assert not (tmp_path / "out.nc").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "netcdf"], "say --output FILE.nc"),
        (["--to", "netcdf", "-o", "x.nc", "--node", "runs"], "netCDF holds all nodes"),
        (["--to", "excel"], "excel"),
        (["--node", "walks"], "walks"),
        (["--colour"], "--colour"),
    ],
)
def test_wrong_usage_is_exit_code_2(arguments: list[str], message: str, cli: Cli) -> None:
    result = cli("parse", IOZONE, *arguments)
    assert result.code == 2
    assert message in result.err
    assert result.out == ""


def test_an_unknown_format_is_refused_once_with_the_nearest(cli: Cli) -> None:
    result = cli("parse", IOZONE, NETDEV, "--format", "iozon")
    assert result.code == 1
    assert result.err.startswith("storagelab: unknown format 'iozon'; did you mean 'iozone'")
    assert result.err.count("\n") == 1


def test_formats_lists_what_every_parser_says_of_itself(cli: Cli) -> None:
    out = cli("formats").out
    for parser in parsers.PARSERS:
        assert f"{parser.FORMAT.name}\n  {parser.FORMAT.tool} {parser.FORMAT.versions}\n" in out
        assert parser.FORMAT.source in out


def values(rows: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    """Every value of rows with the line that is said for it; keys that stand with each of them too."""
    return {
        (row["node"], row["log"], name, value, schema.line_of(row, name))
        for row in rows
        for name, value in row.items()
        if not isinstance(value, str) and schema.field(name).kind == "variable"
    }


@pytest.mark.parametrize("format", FORMATS)
def test_by_line_says_of_each_value_its_line_and_nothing_else(format: str, cli: Cli) -> None:
    logs = fixture_logs(format)
    measured = [part for node in schema.MEASURED for part in ("--node", node)]
    whole = objects(cli("parse", *logs, "--to", "jsonl", *measured).out)
    parts = objects(cli("parse", *logs, "--by-line").out)
    assert values(parts) == values(whole)
    assert not {name for part in parts for name in part} & schema.OF_VALUES


def test_by_line_keeps_the_keys_of_the_measurement_with_each_value(cli: Cli) -> None:
    parts = objects(cli("parse", IOZONE, "--by-line", "--node", "runs").out)
    assert {"tool", "operation", "record_size"} <= set.intersection(*map(set, parts))
    assert [row["node"] for row in objects(cli("parse", IOZONE, "--by-line", "--node", "logs").out)] == ["logs"]


def test_by_line_is_json_lines_and_nothing_else(cli: Cli) -> None:
    result = cli("parse", IOZONE, "--by-line", "--to", "csv")
    assert result.code == 2
    assert "is JSON lines, and --to csv is not" in result.err


def test_a_log_that_a_worker_found_too_large_to_send_is_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    logs = [LOGS / "dd" / name for name in ("gnu-9.1-512-bytes.txt", "gnu-9.1-fr.txt")]
    refused = reading.Unread("no log", "none")
    monkeypatch.setattr(pool, "results", lambda *asked: iter([reading.LARGE, refused]))
    large, other = parse.Reader(logs, "", bar=False, workers=2)._found()
    assert isinstance(large, Log)
    assert other is refused

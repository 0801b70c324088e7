"""No log, sidecar or file name drives the terminal of who reads about it, and none hides another."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from storagelab import dataset
from storagelab.cli import console, reports
from storagelab.escaping.characters import is_visible
from tests.cli.conftest import Cli
from tests.conftest import LOGS
from tests.parsers.test_harmless_text import HOSTILE, fio

DD = LOGS / "dd" / "busybox-1.35-no-rate.txt"
NAME = "a\x1b[2J\u202eb"


def seen(text: str) -> bool:
    """Whether a reader sees all of what a command wrote."""
    return all(is_visible(line.replace("\t", " ")) for line in text.split("\n"))


@pytest.mark.parametrize("to", ["jsonl", "csv", "table", "netcdf"])
def test_a_log_with_half_a_character_hides_no_other(to: str, tmp_path: Path, cli: Cli) -> None:
    for name, job in (("a", "first"), ("b", "\ud800"), ("c", "last")):
        (tmp_path / f"{name}.json").write_text(fio(job))
    result = cli("parse", tmp_path, "--to", to, "-o", tmp_path / "out")
    assert (result.code, result.err) == (0, "")
    if to == "netcdf":
        logs = dataset.load(tmp_path / "out")["logs"]
        assert [bool(notes) for notes in logs["notes"].values] == [False, True, False]
    else:
        text = (tmp_path / "out").read_text("utf-8")
        assert all(job in text for job in ("first", r"\ud800", "last"))


@pytest.mark.parametrize("command", [
    ["parse", "{log}"], ["parse", "{log}", "--to", "csv"], ["parse", "{log}", "--to", "jsonl"], ["parse", "{poem}"],
    ["parse", "{poem}", "--format", "fio-json"], ["parse", NAME], ["parse", "{log}", "--format", NAME], ["check", NAME],
    ["ingest", NAME], ["paper", NAME], ["trace", NAME, "0"], ["formats"], ["strip", NAME], ["claims", NAME], [NAME],
    ["parse", "{log}", "--to", NAME],
])  # fmt: skip
def test_no_command_writes_what_nobody_sees(
    command: list[str], tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    log, poem = tmp_path / f"{NAME}.json", tmp_path / f"{NAME}.txt"
    log.write_text(fio(HOSTILE))
    poem.write_text("a \x1b[2Jpoem \u202e\x9b")
    result = cli(*(word.format(log=log, poem=poem) for word in command))
    assert seen(result.out + result.err)


def test_trace_shows_lines_as_they_can_be_seen(tmp_path: Path, cli: Cli) -> None:
    log = tmp_path / "dd.log"
    log.write_bytes(DD.read_bytes() + b"\n\x1b]0;title\x07 \xe2\x80\xae\n")
    cli("parse", log, "--to", "netcdf", "-o", tmp_path / "dd.nc")
    result = cli("trace", tmp_path / "dd.nc", "0", "--context", "99")
    assert (result.code, result.err) == (0, "")
    assert seen(result.out)
    assert r"\x1b]0;title\x07 \u202e" in result.out


def test_a_mistake_of_ours_is_shown_without_driving_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    with pytest.raises(RuntimeError) as raised:
        console.exit_with(lambda: (_ for _ in ()).throw(RuntimeError(NAME)).send(None))
    sys.excepthook(raised.type, raised.value, raised.tb)
    said = capsys.readouterr().err
    assert seen(said)
    assert r"a\x1b[2J\u202eb" in said


def test_the_stream_of_a_command_escapes_whatever_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)

    def command() -> None:
        sys.stdout.write(f"{NAME}\n")
        sys.stdout.writelines([NAME, "\n"])
        sys.stderr.write(f"{NAME}\n")
        assert console.undrawn(sys.stdout) is out

    console.exit_with(command)
    assert (out.getvalue(), err.getvalue()) == (2 * "a\\x1b[2J\\u202eb\n", "a\\x1b[2J\\u202eb\n")
    assert (sys.stdout, sys.stderr) == (out, err)


def test_what_a_failed_stage_said_is_told_so_on_a_terminal_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("TERM", "dumb")
    with reports.display() as shown:
        shown.told(NAME)
    assert r"a\x1b[2J\u202eb" in out.getvalue()
    assert "\x1b[2J" not in out.getvalue()

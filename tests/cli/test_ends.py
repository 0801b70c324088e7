"""How commands end: help, version, interruption, a reader that leaves, permissions."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from storagelab import __main__, __version__, schema
from storagelab.cli import Node, app
from tests.cli.conftest import Cli, interrupted
from tests.conftest import LOGS, ROOT

COMMANDS = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
STORAGELAB = [sys.executable, "-m", "storagelab"]


def test_version(cli: Cli) -> None:
    assert cli("--version").out == f"storagelab {__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_shows_an_example(command: str, cli: Cli) -> None:
    result = cli(command, "--help")
    assert result.code == 0
    assert f"Example: storagelab {command}" in result.out


def test_the_nodes_are_those_of_the_contract() -> None:
    assert tuple(node.value for node in Node) == schema.NODES


def test_an_unknown_command_is_wrong_usage(cli: Cli) -> None:
    assert cli("prase").code == 2


@pytest.mark.parametrize("command", ["check", "ingest", "checksums"])
def test_an_unknown_study_is_named(command: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = cli(command, "cluster-2025")
    assert result.code == 1
    assert "unknown study" in result.err
    assert "did you mean 'cluster-2026'" in result.err


@pytest.mark.parametrize(("command", "at"), [("check", "mine"), ("ingest", "raw/mine"), ("keys", "mine")])
def test_a_folder_without_sidecars_is_told_from_a_name_that_nothing_has(
    command: str, at: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli(command, "mine").err == "storagelab: unknown study (a folder below raw/ with a study.yaml) 'mine'\n"
    (tmp_path / "raw" / "mine").mkdir(parents=True)
    refused = cli(command, at)
    assert refused.code == 1
    assert "raw/mine: expected a study.yaml in the folder of a study, found none: `storagelab new`" in refused.err
    assert "`storagelab parse raw/mine` reads logs without any" in refused.err
    (tmp_path / "raw" / "mine" / "storagelab-store.json").touch()
    assert "`storagelab.open_store` reads a store without any" in cli(command, at).err


@pytest.mark.parametrize(("typed", "completed"), [
    ("storagelab check nf", ["nfs-2025", "nfs-2026"]), ("storagelab compare nfs-2025 nfs-2026 --af", ["--after"]),
    ("storagelab che", ["check", "checksums"]), ("storagelab record --study nfs-2025", ["nfs-2025"]),
])  # fmt: skip
def test_a_shell_completes_commands_options_and_studies(typed: str, completed: list[str], tmp_path: Path) -> None:
    for study in ("nfs-2025", "nfs-2026", "other"):
        (tmp_path / "raw" / study).mkdir(parents=True)
        (tmp_path / "raw" / study / "study.yaml").touch()
    asked = {"_STORAGELAB_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    run = "import sys; sys.argv = ['storagelab']; from storagelab.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", run], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT), **asked},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, completed, "")


HEAVY = {"pandas", "xarray", "matplotlib", "papermill", "dvc", "intake", "pint", "rich"}


@pytest.mark.parametrize(
    ("module", "heavy"),
    [("storagelab.cli", {"numpy", "pydantic", *HEAVY}), ("storagelab.store.chunk", HEAVY)],
    ids=["help", "a process that reads logs for a store"],
)
def test_help_and_workers_import_nothing_heavy(module: str, heavy: set[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert not heavy & set(loaded.split())


@pytest.mark.slow
def test_a_reader_that_leaves_early_gets_no_traceback() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [*STORAGELAB, "parse", str(LOGS), "--to", "jsonl"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False)
    os.close(writer)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.mark.slow
def test_ctrl_c_while_commands_are_imported_ends_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storagelab.cli.main", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(SystemExit, match=r"^130$"):
        __main__.main()


@pytest.mark.parametrize(("by", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_is_an_exit_code_and_leaves_nothing(by: signal.Signals, status: int, tmp_path: Path) -> None:
    fifo = tmp_path / "endless.log"
    os.mkfifo(fifo)
    code, err = interrupted(fifo, "parse", fifo, "--to", "jsonl", "--output", tmp_path / "out.jsonl", by=by)
    assert code == status
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == [fifo]


def test_a_termination_cleans_up_and_is_exit_code_143(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def terminated(handle: int) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", terminated)
    before = signal.getsignal(signal.SIGTERM)
    log = LOGS / "dd" / "gnu-9.1-512-bytes.txt"
    assert cli("parse", log, "--to", "csv", "--output", "out.csv").code == 143
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_log_that_may_not_be_read_is_named(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.open

    def refuse(path: Path, *given: Any, **named: Any) -> Any:
        if path.name == "secret.log":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *given, **named)

    (tmp_path / "secret.log").write_text("")
    monkeypatch.setattr(Path, "open", refuse)
    result = cli("parse", tmp_path / "secret.log")
    assert (result.code, result.err) == (1, f"storagelab: {tmp_path / 'secret.log'}: Permission denied\n")


@pytest.mark.slow
def test_standard_input_is_read() -> None:
    log = LOGS / "iozone" / "throughput_c8_children.log"
    with log.open() as text:
        done = subprocess.run(
            [*STORAGELAB, "parse", "-"], stdin=text, capture_output=True, text=True, check=True, cwd=ROOT
        )
    assert done.stdout.startswith("standard input: iozone")


def on_a_terminal(arguments: list[str], stdout: int | None) -> str:
    """What a command writes on a terminal that is its standard error, and its output unless that goes elsewhere."""
    ours, theirs = pty.openpty()
    command, environment = [*STORAGELAB, *arguments], os.environ | {"TERM": "xterm"}
    with subprocess.Popen(command, stdout=stdout or theirs, stderr=theirs, cwd=ROOT, env=environment):
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):
            while chunk := os.read(ours, 1 << 16):
                shown += chunk
    os.close(ours)
    return shown.decode()


@pytest.mark.slow
def test_progress_is_shown_where_nothing_else_is_written_to_the_terminal() -> None:
    log = str(LOGS / "iozone" / "throughput_c8_children.log")
    assert "reading" in on_a_terminal(["parse", log, "--to", "jsonl"], subprocess.DEVNULL)
    assert "reading" not in on_a_terminal(["parse", log, "--to", "jsonl"], None)


@pytest.mark.parametrize(("command", "heavy"), [
    (["trace", "gone.nc", "0"], "storagelab.cli.trace"),
    (["plan", "gone.nc", "throughput", "--by", "layout"], "storagelab.cli.plan"),
    (["verify", "gone.html"], "storagelab.submission"),
])  # fmt: skip
def test_a_file_that_is_not_there_is_refused_before_anything_heavy_is_imported(
    command: list[str], heavy: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, heavy, None)  # its import raises
    done = cli(*command)
    assert done.code == 1
    assert f"{command[1]}: No such file or directory" in done.err

"""What commands seldom come to: errors of the system while a run is recorded, readers that left, studies not named."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import typer

from storagelab import submission
from storagelab.analysis.comparison import campaigns
from storagelab.cli import (
    campaign_commands,
    check,
    compare,
    console,
    csv_table,
    display,
    fork_server,
    formats,
    history,
    keys,
    parse,
    reading,
    record,
    reports,
    shared_options,
    summary,
)
from storagelab.errors import ParseError, StoragelabError
from storagelab.ingest.cost_bounds import Bounds
from storagelab.paper.made_from import Part
from storagelab.study.campaign_plan import Campaign
from storagelab.submission.verification import Compared, Said, Verified
from tests.cli.conftest import Cli
from tests.recording.conftest import STUDY


@pytest.mark.parametrize(("error", "status", "said"), [
    (FileNotFoundError(2, "no such file", "fio"), 127, "fio: no such file"),
    (FileNotFoundError(2, "no such file", "a.log"), 125, "a.log: no such file"),
    (PermissionError(13, "denied", "fio"), 126, "fio: denied"), (PermissionError(13, "denied", "a"), 125, "a: denied"),
    (OSError(28, "disk full"), 125, "disk full"), (StoragelabError("no"), 125, "no"), (None, 3, ""),
])  # fmt: skip
def test_a_run_that_was_not_made_has_an_exit_status_of_its_own(
    error: Exception | None, status: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def recording(order: Any, *streams: Any) -> Any:
        assert (order.folder, order.command, order.set) == (tmp_path, ["fio"], {"clients": "2"})
        assert (order.target, order.drop_caches, order.name) == (Path("/mnt"), True, "a.log")
        if error:
            raise error
        return SimpleNamespace(status=3)

    (tmp_path / "study.yaml").write_text(STUDY)
    monkeypatch.setattr(record, "recording", recording)
    monkeypatch.setattr(console, "warn", told.append)
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=io.BytesIO()))
    found = record.record(["fio"], str(tmp_path), ["clients=2"], Path("/mnt"), "a.log", drop_caches=True)
    assert (found, told) == (status, [said] if said else [])


def test_a_reader_that_left_hears_no_more_and_the_run_goes_on() -> None:
    class Pipe(io.BytesIO):
        left = False

        def flush(self) -> None:
            if self.left:
                raise BrokenPipeError

    pipe = Pipe()
    raw = record.Raw(pipe)
    raw.write(b"one")
    pipe.left = True
    raw.write(b"two")
    pipe.left = False
    raw.write(b"three")
    assert pipe.getvalue() == b"onetwo"


@pytest.mark.parametrize(
    ("asked", "rounds"), [("", 2), ("7", 7), ("auto", "auto"), ("0", None), ("-1", None), ("x", None)]
)
def test_rounds_are_those_of_the_plan_unless_others_are_asked_for(
    asked: str, rounds: int | str | None, tmp_path: Path
) -> None:
    plan = "plan: {repeats: 2, factors: {clients: [1, 2]}, command: 'fio {clients}', pilot: {rounds: 3, most: 4}}\n"
    (tmp_path / "study.yaml").write_text(STUDY + plan)
    if rounds is None:
        with pytest.raises(typer.BadParameter, match=f"expected a number of at least 1, or auto, found '{asked}'"):
            record.plan(tmp_path, asked)
        return
    found = record.plan(tmp_path, asked)
    assert isinstance(found, Campaign)
    assert found.repeats == rounds
    listed = record.listed(tmp_path, found)
    lines = list(record.lines(listed, found))
    made = 3 if asked == "auto" else int(rounds)
    assert [row["run"] for row in record.rows(listed)] == list(range(1, 2 * made + 1))
    assert {row["command"] for row in record.rows(listed)} == {"fio 1", "fio 2"}
    more = ["then as many rounds as the 3 of this pilot ask for, at most 4"] if asked == "auto" else []
    assert lines[2 * made :] == more


def test_the_study_that_is_meant_is_the_one_here_or_the_only_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(typer.BadParameter, match=r"^say which study: there is none; `storagelab new` makes one$"):
        campaign_commands.only_study("--study")
    for name in ("nfs", "ext4", "nfs-2"):
        (tmp_path / "raw" / name).mkdir(parents=True)
    (tmp_path / "raw" / "nfs" / "study.yaml").touch()
    assert campaign_commands.only_study("--study") == "nfs"
    (tmp_path / "raw" / "ext4" / "study.yaml").touch()
    with pytest.raises(typer.BadParameter, match=r"^say which study: there are ext4, nfs$"):
        campaign_commands.only_study("--study")
    assert [shared_options.studies(begun) for begun in ("", "n", "x")] == [["ext4", "nfs"], ["nfs"], []]
    (tmp_path / "study.yaml").touch()
    assert campaign_commands.only_study("--study") == "."
    (tmp_path / "raw" / "nfs" / "plan.yaml").touch()
    assert record.study_of("raw/nfs/plan.yaml") == record.study_of("nfs") == Path("raw", "nfs")


@pytest.mark.parametrize(("error", "message", "reason"), [
    (ParseError("a number", "no", 3, "a.log"), "a.log:3: expected a number, found 'no'", "expected a number"),
    (StoragelabError("no"), "a.log: no", "no"), (OSError(5, "broken", "x"), "x: broken", "broken"),
    (OSError("odd"), "odd", "odd"), (KeyError("x"), "a.log: a mistake in storagelab, please report it: KeyError('x')",
                                     "a mistake in storagelab, please report it: KeyError('x')"),
])  # fmt: skip
def test_why_a_log_was_not_read_is_said_with_its_name_and_without(
    error: Exception, message: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *, name: str, format: str = "") -> None:
        raise error

    warned: list[str] = []
    monkeypatch.setattr(reading, "read_log", refuse)
    monkeypatch.setattr(formats, "read_log", refuse)
    monkeypatch.setattr(formats, "warn", warned.append)
    found = reading.read("a.log", "", Bounds())
    assert isinstance(found, reading.Unread)
    assert found.message.startswith(message)
    assert found.reason.startswith(reason)
    told = formats._told(Path("a.log"))
    assert (told["log"], [told["error"]]) == ("a.log", warned)
    assert warned[0].startswith(str(error) if isinstance(error, StoragelabError) else message)


def test_a_log_that_is_read_block_by_block_is_left_to_who_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Found:
        def __init__(self, blocks: object) -> None:
            self.parsed = SimpleNamespace(blocks=blocks)

    monkeypatch.setattr(reading, "Log", Found)
    for blocks, is_large in ((None, False), (print, True)):
        whole = Found(blocks)
        monkeypatch.setattr(reading, "read_log", lambda path, whole=whole, **said: whole)
        assert reading.read("a.log", "", Bounds()) == (reading.LARGE if is_large else whole)


@pytest.mark.parametrize(("error", "status", "said"), [
    (None, None, []), (OSError(28, "disk full", "standard output"), 1, ["standard output: disk full"]),
    (BrokenPipeError(32, "broken"), 1, []),
])  # fmt: skip
def test_output_that_cannot_be_written_at_the_end_is_told_unless_its_reader_left(
    error: OSError | None, status: int | None, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[object] = []

    def flush() -> None:
        done.append("flush")
        if error:
            raise error

    monkeypatch.setattr(sys, "stdout", SimpleNamespace(flush=flush, fileno=lambda: 1))
    monkeypatch.setattr(console, "warn", done.append)
    monkeypatch.setattr(console.os, "open", lambda path, flags: (path, flags))
    monkeypatch.setattr(console.os, "dup2", lambda one, other: done.append((one, other)))
    if error:
        with pytest.raises(SystemExit) as ended:
            console._exit_with(lambda: None, lambda: done.append("end"))
        assert ended.value.code == status
        assert done == ["end", "flush", ((os.devnull, os.O_WRONLY), 1), *said]
    else:
        console._exit_with(lambda: None, lambda: done.append("end"))
        assert done == ["end", "flush"]


def test_sigterm_ends_a_command_as_ctrl_c_does_with_its_own_status() -> None:
    before = signal.getsignal(signal.SIGTERM)
    cleaned: list[object] = []

    def run() -> None:
        with console._terminable():
            try:
                signal.raise_signal(signal.SIGTERM)
            except KeyboardInterrupt:
                cleaned.append("interrupted")

    with pytest.raises(SystemExit) as ended:
        run()
    assert (ended.value.code, cleaned, signal.getsignal(signal.SIGTERM)) == (143, ["interrupted"], before)
    with console._terminable():
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before

    def look() -> None:
        with console._terminable():
            cleaned.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert cleaned[1:] == [before], "another thread cannot change what a signal does"


def test_stages_are_told_letter_by_letter_and_on_a_terminal_with_a_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = ":warning: [bold]42[/bold] 'a'"
    with reports.display() as shown:
        shown.told(text)
        shown.state(1, 2, {})
    assert capsys.readouterr().out == f"{text}\n"

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("TERM", "xterm")
    with reports.display() as shown:
        shown.told(text)
        shown.state(1, 3, {"ingest nfs": None, "paper nfs": None})
    assert text in out.getvalue()
    assert "1/3" in out.getvalue()
    assert "ingest nfs, paper nfs" in out.getvalue()
    assert out.getvalue().endswith("\x1b[2K"), "the bar is gone at the end"


@pytest.fixture
def handed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """What commands ask of `storagelab.submission`, which does nothing."""
    asked: dict[str, list[Any]] = {"bundle": [], "require_figures": [], "save": [], "printed": []}
    monkeypatch.chdir(tmp_path)
    drawn = [SimpleNamespace(id="rates", width=3.5, fits=True), SimpleNamespace(id="map", width=7.16, fits=False)]
    answers = {"bundle": 12, "printed": drawn}
    for name, calls in asked.items():
        answer = answers.get(name)
        monkeypatch.setattr(submission, name, lambda *said, c=calls, a=answer: (c.append(said), a)[1])
    return asked


def test_figures_for_a_venue_are_told_with_their_widths(handed_in: dict[str, list[Any]], cli: Cli) -> None:
    done = cli("figures", "mine")
    assert (done.code, done.out) == (0, "rates: 3.5 in wide\nmap: 7.16 in wide, too narrow for its labels\n")
    [(drawn, formats, folder)] = handed_in["save"]
    assert ([one.id for one in drawn], formats, folder) == (["rates", "map"], ["pdf"], Path("mine-figures"))
    assert handed_in["require_figures"] == [(folder,), (folder, drawn)]
    assert handed_in["printed"] == [("mine", Path(), submission.venue("ieee"))]
    found = cli("figures", "mine", "--to", "svg", "--to", "pgf", "-o", "made", "--width", "acm", "--json")
    assert json.loads(found.out)["rows"] == [
        {"figure": "rates", "width": 3.5, "fits": True}, {"figure": "map", "width": 7.16, "fits": False},
    ]  # fmt: skip
    assert handed_in["save"][1][1:] == (["svg", "pgf"], Path("made"))
    assert handed_in["printed"][1][2] == submission.venue("acm")


def test_a_zip_of_a_paper_is_told_with_how_many_files_it_has(handed_in: dict[str, list[Any]], cli: Cli) -> None:
    assert cli("bundle", "mine").out == "mine.zip: 12 files\n"
    found = json.loads(cli("bundle", "mine", "-o", "a.zip", "--width", "acm", "--json").out)
    assert (found["study"], found["rows"]) == ("mine", [{"file": "a.zip", "files": 12}])
    assert handed_in["bundle"] == [
        ("mine", Path(), Path("mine.zip"), ""), ("mine", Path(), Path("a.zip"), "acm"),
    ]  # fmt: skip


@pytest.mark.parametrize(("compared", "difference", "others", "status", "said"), [
    (None, None, "", 3, []),
    ("same", None, "", 0, ["eee, the same here\n", "page, not built anew: neither its numbers nor the raw logs were"]),
    ("other", None, "", 1, ["here ffffff", "page, not built anew"]),
    ("", "", "", 1, ["here missing", "page, built anew: the same"]),
    ("same", "", "", 0, ["page, built anew: the same", "files beside it, built anew: the same"]),
    ("same", "line 3", "a.csv", 1, ["page, built anew: line 3", "files beside it, built anew: not the same: a.csv"]),
])  # fmt: skip
def test_what_a_page_is_made_from_is_told_with_what_differs_here(
    compared: str | None, difference: str | None, others: str, status: int, said: list[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, cli: Cli,
) -> None:  # fmt: skip
    part = Part("dataset", "dataset.nc", "e" * 64)
    here = {"same": part.sha256, "other": "f" * 64}.get(compared or "", "")
    seen = () if compared is None else (Compared(part, here),)
    beside = {} if difference is None else {"a.csv": not others, "b.csv": True}
    found = Verified(Said("mine", "Mine", (part,)), seen, difference, beside)
    monkeypatch.setattr(submission, "verify", lambda page, root, *, rebuild: found)
    (tmp_path / "paper.html").touch()
    done = cli("verify", tmp_path / "paper.html")
    assert done.code == status
    assert done.out.startswith("mine: Mine\ndataset: dataset.nc, SHA-256 eeee")
    assert [text for text in said if text not in done.out] == []
    assert ("raw/mine is not here: nothing was compared" in done.err) is (compared is None)
    whole = json.loads(cli("verify", tmp_path / "paper.html", "--json").out)
    assert whole["rows"] == [{"kind": "dataset", "name": "dataset.nc", "sha256": "e" * 64, "sha256_here": here}]
    assert (whole["study"], whole["title"], whole["difference"]) == ("mine", "Mine", difference)
    assert list(whole["differing_files"]) == [others] * bool(others)


def test_at_first_sight_dates_and_details_of_what_is_there_are_left_out() -> None:
    names = ["start_time", "latency", "latency_p99", "throughput_max", "end_time"]
    assert display.main_names(names) == ["latency", "throughput_max"]


def test_a_whole_number_has_no_point_as_long_as_each_is_one() -> None:
    whole = 2.0**53
    cells = [csv_table.cell(value) for value in (whole - 1, whole, -whole, 1.5, float("nan"), 3, "=1")]
    assert [str(cell) for cell in cells] == ["9007199254740991", str(whole), str(-whole), "1.5", "", "3", "'=1"]


@pytest.mark.parametrize(("code", "status"), [(None, 0), (0, 0), (3, 3)])
def test_a_command_of_ours_ends_with_its_own_status(
    code: int | None, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[list[str]] = []

    def main() -> None:
        called.append(sys.argv)
        raise SystemExit(code)

    monkeypatch.setattr("storagelab.cli.main", main)
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setattr(fork_server, "_run_in_shell", lambda command: 7)
    assert fork_server._run("storagelab ingest 'a b'") == status
    assert called == [["storagelab", "ingest", "a b"]]
    others = ["storagelab ingest a | tee b", "ls", "storagelab paper $a", "storagelab a\nls", "storagelab a; ls"]
    assert [fork_server._run(other) for other in others] == [7] * len(others)


def test_lists_are_whole_up_to_their_length_and_say_then_how_many_more_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (summary, keys):
        monkeypatch.setattr(module, "LEVELS", 2)
    monkeypatch.setattr(history, "MOST_LEFT_OUT", 2)
    names = "abc"
    for count, more in ((2, ""), (3, " and 1 more")):
        assert summary._levels("tool", dict.fromkeys(names[:count], 1)) == f"a (1), b (1){more}"
        record: dict[str, Any] = {"key": "tool", "levels": [], "allowed": ["", *names[:count]]}
        assert keys._written(record) == f"a, b{more}"
        record["levels"] = [{"level": name, "count": 1000} for name in names[:count]]
        assert keys._written(record) == f"a (1,000), b (1,000){more}"
        told = list(summary._reasons("Unread", {"no": list(names[:count])}))
        assert told == ["", "Unread", f"  {count} x no", f"    a, b{more} (--json lists all)" if more else "    a, b"]
        cells = [SimpleNamespace(lacking=names[:at], name=at) for at in range(1, count + 1)]
        monkeypatch.setattr(history, "_named", lambda cell: f"cell {cell.name}")
        left_out = list(history._left_out(SimpleNamespace(left_out=cells)))  # type: ignore[arg-type]
        assert left_out[:2] == ["left out: cell 1: not in a", "left out: cell 2: not in a and 1 more"]
        assert left_out[2:] == (["left out: 1 more cells; --json names all"] if more else [])
    assert list(summary._reasons("Unread", {})) == []
    frequent = list(summary._reasons("Unread", {"a": ["1"], "b": ["2", "3"]}, shown=1))
    assert frequent[2:] == ["  2 x b", "    2, 3", "  and 1 more (--json lists all)"]
    assert list(summary._reasons("Unread", {"a": ["1"]}, shown=1))[2:] == ["  1 x a", "    1"]
    assert [check._repeats({*names}) for names in ("1", "1234", "12345")] == ["1", "1, 2, 3, 4", "1 to 5 (5)"]


def test_levels_that_are_numbers_come_by_size_and_words_by_how_often_they_stand() -> None:
    assert summary._ordered({8: 1, 64.0: 5, 9: 1}) == [(8, 1), (9, 1), (64.0, 5)]
    assert summary._ordered({"b": 1, "a": 1, "c": 5}) == [("c", 5), ("a", 1), ("b", 1)]


@pytest.mark.parametrize(("unit", "values", "prefix"), [
    ("B", [0.5], ""), ("B", [1.0], ""), ("B", [2.0**20], "Mi"), ("B", [display.SHORT * 2**10], "G"),
    ("B", [(display.SHORT - 1) * 2**10], "Ki"), ("B/s", [0.99], ""), ("B/s", [1.0], ""),
    ("B/s", [1e3], "k"), ("B/s", [999.0], ""), ("B/s", [1e30], "T"),
    ("s", [1e9], ""), ("B/s", [], ""), ("B/s", [float("inf"), 1e6], "M"),
])  # fmt: skip
def test_one_prefix_fits_all_numbers_of_bytes(unit: str, values: list[float], prefix: str) -> None:
    assert display._prefix(unit, values) == prefix


def test_many_logs_are_summed_up_and_few_or_rows_are_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "FEW", 2)
    one = tmp_path / "a.log"
    one.touch()
    for paths, form in (([one] * 2, "table"), ([one] * 3, "summary"), ([tmp_path], "summary")):
        assert parse.target(paths, None, rows=False) == form
        assert parse.target(paths, None, rows=True) == "table"


def test_a_level_that_cannot_be_told_is_a_case_that_was_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts = [campaigns.SLOWER, campaigns.IN_PART, campaigns.CANNOT_TELL, campaigns.EQUAL]
    report: Any = SimpleNamespace(
        levels=[({"verdict": verdict}, None) for verdict in verdicts], before="a", after="b", unit="B/s", warnings=[],
        found=SimpleNamespace(variable="throughput", levels=None),
    )  # fmt: skip
    monkeypatch.setattr(compare, "_keys", lambda levels: [])
    monkeypatch.setattr(compare, "_told", lambda level, names: level["verdict"])
    monkeypatch.setattr(compare, "_columns", lambda level, unit: ["1.1", unit])
    found = ET.fromstring(compare.junit(report))
    assert {name: found.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "4", "failures": "2", "skipped": "1",
    }  # fmt: skip
    assert [[one.tag for one in case] for case in found] == [["failure"], ["failure"], ["skipped"], []]
    assert [one.get("message") for case in found for one in case] == ["1.1, B/s"] * 3


def test_a_revision_cannot_be_read_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*asked: object, **how: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(compare.subprocess, "run", missing)
    with pytest.raises(StoragelabError, match=r"^v1:raw/a: git is not installed, so that no revision can be read$"):
        compare._extract("v1", "raw/a", tmp_path)
    for said, told in ((b"fatal: no\nnot a tree\n", "not a tree"), (b"", "no reason given")):
        done = SimpleNamespace(returncode=128, stderr=said)
        monkeypatch.setattr(compare.subprocess, "run", lambda *asked, done=done, **how: done)
        with pytest.raises(StoragelabError, match=f"^v1:raw/a: {told}$"):
            compare._extract("v1", "raw/a", tmp_path)

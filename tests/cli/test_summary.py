"""What a folder of logs shows first: a summary; and the commands that say which formats and keys there are."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from storagelab import dataset, open_logs, parsers
from storagelab.cli import console, display
from storagelab.errors import StoragelabError, UnknownNameError
from tests.cli.conftest import Cli
from tests.conftest import LOGS, ROOT

IOR = LOGS / "ior" / "4.1.0dev_file_per_process_8_tasks.txt"
CUT = LOGS / "ior" / "4.1.0dev_cut_after_first_row.txt"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(10):
        (tmp_path / f"poem{number}.txt").write_text(f"Shall I compare thee to a summer's day? {number}\n")
    (tmp_path / "closed.log").symlink_to("nowhere")
    for log in (IOR, CUT):
        shutil.copy(log, tmp_path)
    return tmp_path


def test_a_folder_shows_a_summary_and_no_rows(folder: Path, cli: Cli) -> None:
    result = cli("parse", folder)
    assert (result.code, result.err) == (1, "")
    lines = result.out.splitlines()
    assert lines[0] == "2 logs read, 1 of them incomplete, 11 not read; 7 rows"
    assert "  format  tool           logs  incomplete  runs" in lines
    assert "  ior     ior 4.1.0+dev  2     1           7" in lines
    assert "All rows: tool=ior, api=POSIX, nodes=1, " in result.out
    assert "  processes           2       4 (1), 8 (6)" in lines
    known = len(parsers.PARSERS)
    assert f"  10 x expected a log of one of the {known} formats of `storagelab formats`" in lines
    assert "and 2 more (--json lists all)" in result.out
    assert "  1 x No such file or directory" in lines
    assert "line 34: run 1: no 'Finished' line" in result.out
    assert "throughput" not in result.out


def test_notes_on_whole_logs_are_told_and_the_most_frequent_first(tmp_path: Path, cli: Cli) -> None:
    sources = {"a": "vmstat/procps-4.0.2-S-k.txt", "b": "iostat/short-12.6.1.txt", "c": "iostat/short-12.6.1.txt"}
    for name, source in sources.items():
        shutil.copy(LOGS / source, tmp_path / name)
    noted = json.loads(cli("parse", tmp_path, "--json").out)["noted"]
    assert sorted(noted.values()) == [[f"{tmp_path}/a"], [f"{tmp_path}/b", f"{tmp_path}/c"]]
    (rare, [a]), (frequent, [b, c]) = sorted(noted.items(), key=lambda item: len(item[1]))
    told = cli("parse", tmp_path).out.partition("Notes on logs that are whole\n")[2]
    assert told.startswith(f"  2 x {frequent}\n    {b}, {c}\n  1 x {rare}\n    {a}\n")


def test_a_log_without_text_is_told_from_one_of_no_known_format(folder: Path, cli: Cli) -> None:
    for name, text in {"empty.log": "", "blank.log": "\n \n"}.items():
        (folder / name).write_text(text)
    expected = f"  2 x expected a log with text in it\n    {folder}/blank.log, {folder}/empty.log\n"
    assert expected in cli("parse", folder).out
    said = f"storagelab: {folder}/empty.log:1: expected a log with text in it, found ''\n"
    assert cli("parse", folder / "empty.log") == (1, "", said)


@pytest.mark.parametrize(("logs", "amount"), [
    (["sar/ampm-12.6.1.txt"], r"[1-9]\d* samples"),
    (["sar/ampm-12.6.1.txt", "ior/4.1.0dev_two_tests.txt"], r"[1-9]\d* rows, [1-9]\d* samples"),
    ([], "0 rows"),
])  # fmt: skip
def test_the_first_line_counts_all_that_was_read(logs: list[str], amount: str, tmp_path: Path, cli: Cli) -> None:
    for log in logs:
        shutil.copy(LOGS / log, tmp_path)
    assert re.fullmatch(rf".* not read; {amount}", cli("parse", tmp_path).out.splitlines()[0])


def test_copies_of_a_log_are_told(tmp_path: Path, cli: Cli) -> None:
    for name in ("a", "b", "c"):
        shutil.copy(IOR, tmp_path / name)
    shutil.copy(CUT, tmp_path / "d")
    told = cli("parse", tmp_path).out.partition("Copies, which count like the log that they are of\n")[2]
    assert told.startswith(f"  2 x the same bytes as {tmp_path}/a\n    {tmp_path}/b, {tmp_path}/c\n\n")
    assert json.loads(cli("parse", tmp_path, "--json").out)["copies"] == {
        f"the same bytes as {tmp_path}/a": [f"{tmp_path}/b", f"{tmp_path}/c"]
    }
    warned = [f"storagelab: {tmp_path}/{name}: the same bytes as {tmp_path}/a, and counts beside it" for name in "bc"]
    assert [line for line in cli("parse", tmp_path, "--to", "csv").err.splitlines() if "bytes" in line] == warned


def test_counters_that_nothing_moved_are_no_copies(tmp_path: Path, cli: Cli) -> None:
    for name in ("before", "after"):
        shutil.copy(LOGS / "iostat/short-12.6.1.txt", tmp_path / name)
    assert "Copies" not in cli("parse", tmp_path).out


@pytest.mark.parametrize("option", ["--rows", "--node runs", "--wide", "--to csv"])
def test_a_summary_as_json_takes_nothing_that_asks_for_rows(option: str, folder: Path, cli: Cli) -> None:
    refused = cli("parse", folder, "--json", *option.split())
    assert (refused.code, refused.out) == (2, "")
    assert f"--json: is the summary, and {option.removesuffix(' runs')} is not" in refused.err


def test_a_suffix_that_says_no_kind_of_file_is_refused(folder: Path, cli: Cli) -> None:
    refused = cli("parse", folder, "-o", folder / "rows.cvs")
    assert (
        refused.err == "storagelab: unknown suffix of --output (--to says what to write) '.cvs'; did you mean '.csv'?\n"
    )
    assert (refused.code, (folder / "rows.cvs").exists()) == (1, False)
    assert cli("parse", folder, "--to", "csv", "-o", folder / "rows.cvs").code == 1
    assert (folder / "rows.cvs").read_text().startswith("node,tool,")


def test_a_summary_in_a_file_says_that_logs_were_not_read(folder: Path, tmp_path: Path, cli: Cli) -> None:
    to = tmp_path / "summary.txt"
    assert cli("parse", folder, "-o", to) == (1, "", f"storagelab: 11 not read: {to} says why\n")


def test_a_folder_without_logs_is_told_once(tmp_path: Path, cli: Cli) -> None:
    told = cli("parse", tmp_path)
    assert told.out.endswith(f"\nNot read\n  1 x a folder without logs\n    {tmp_path}\n")
    refused = cli("formats", tmp_path)
    assert (refused.code, refused.err) == (1, f"storagelab: {tmp_path}: a folder without logs\n")


def test_formats_of_all_logs_of_a_folder_are_told(folder: Path, cli: Cli) -> None:
    told = cli("formats", folder)
    assert told.code == 1
    assert f"{folder / IOR.name}: ior, ior 4.1.0+dev, complete\n" in told.out
    assert told.out.count(": not known\n") == 11


def test_rows_are_shown_on_demand_and_of_a_few_logs(folder: Path, cli: Cli) -> None:
    for arguments in ([folder, "--rows"], [folder / IOR.name], [folder, "--to", "table"]):
        assert "throughput [" in cli("parse", *arguments).out
    assert "poem0.txt:1: expected a log of one of the" in cli("parse", folder, "--rows").err


def test_the_summary_as_json_names_all(folder: Path, cli: Cli) -> None:
    found = json.loads(cli("parse", folder, "--json").out)
    assert (found["logs"], found["measurements"]) == (2, 7)
    assert sorted(map(len, found["unread"].values())) == [1, 10]
    assert {"level": 8.0, "rows": 6} in found["keys"]["processes"] or found["shared"]["processes"] == 8.0
    assert cli("parse", folder, "--json", "--to", "csv").code == 2


@pytest.mark.parametrize("to", ["netcdf", "parquet"])
def test_what_is_no_text_needs_a_file(to: str, cli: Cli) -> None:
    result = cli("parse", IOR, "--to", to)
    assert (result.code, "is written to a file: say --output FILE." in result.err) == (2, True)


ONCE = re.compile(r"(?m)^(?:read|write) .* 1   \n")
"""Rows of the second iteration."""


@pytest.mark.parametrize("study", [False, True])
def test_words_in_names_that_no_key_says_are_told_of_logs_without_a_study(
    study: bool, tmp_path: Path, cli: Cli
) -> None:
    """Whatever the number of iterations: those are of one cell."""
    text = IOR.read_text()
    once = ONCE.sub("", text).replace("repetitions         : 2", "repetitions         : 1")
    folders = [tmp_path / version for version in ("6.11", "6.8")]
    for folder in folders:
        folder.mkdir()
        for run, log in enumerate((text, once), 1):
            (folder / f"r{run}.log").write_text(f"{folder.name} {run}\n{log}")
    if study:
        (tmp_path / "study.yaml").touch()
    said = "Names of logs differ in what no key says (6.8 and 6.11): such runs count as repetitions."
    assert (said in cli("parse", *folders).out.splitlines()) != study
    assert json.loads(cli("parse", *folders, "--json").out)["words_without_key"] == ([] if study else [["6.11", "6.8"]])


def test_words_in_names_that_a_key_says_are_not_told(tmp_path: Path, cli: Cli) -> None:
    text = IOR.read_text()
    for api in ("POSIX", "MPIIO"):
        for run in (1, 2):
            (tmp_path / f"{api}_r{run}.log").write_text(f"{run}\n{text.replace('POSIX', api)}")
    told = cli("parse", tmp_path).out
    assert re.search(r"^  api +2 +MPIIO \(12\), POSIX \(12\)$", told, re.MULTILINE)
    assert "Names of logs differ" not in told


class Counted(str):
    """Text that counts how often its length is asked for."""

    __slots__ = ()
    asked = 0

    def __len__(self) -> int:
        Counted.asked += 1
        return super().__len__()


def test_a_column_is_aligned_in_time_linear_in_its_rows() -> None:
    cells = [Counted("x" * (number % 7)) for number in range(500)]
    aligned = display.aligned([[cell] for cell in cells])
    assert len(aligned) == 500
    assert Counted.asked <= 2 * len(cells), "the width is worked out once a column, not once a cell"


def test_progress_is_told_from_time_to_time_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "PERIOD", 10.0)
    clock = iter([0.0, 1.0, 10.0, 11.0, 25.0])
    monkeypatch.setattr("storagelab.cli.console.time.monotonic", lambda: next(clock))
    with console.progress("reading") as advance:
        for done in range(1, 5):
            advance(1000 * done, 4000)
    assert capsys.readouterr().err.splitlines() == [
        "storagelab: reading: 2,000 of 4,000",
        "storagelab: reading: 4,000 of 4,000",
    ]


@pytest.mark.parametrize(("wanted", "is_drawn"), [({}, True), ({"wanted": False}, False)])
def test_progress_is_a_bar_on_a_terminal_where_it_is_wanted(
    wanted: dict[str, bool], is_drawn: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with console.progress("reading", **wanted) as advance:
        advance(1, 2)
    assert ("reading" in terminal.getvalue()) is is_drawn


def test_formats_of_a_log_are_told_with_their_reason(folder: Path, cli: Cli) -> None:
    bandwidth = LOGS / "fio_bw_log" / "avg-offset-3.33_bw.1.log"
    result = cli("formats", folder / IOR.name, bandwidth, folder / "poem1.txt", folder / CUT.name)
    assert result.code == 1
    assert (
        f"{IOR.name}: ior, ior 4.1.0+dev, complete\n  because of 'MPI Coordinated Test of Parallel I/O'" in result.out
    )
    assert "in line 1: IOR-4.1.0+dev: MPI Coordinated Test of Parallel I/O\n  found: 6 runs" in result.out
    assert "the name of the file, and numbers as of fio-bw-log' in avg-offset-3.33_bw.1.log" in result.out
    assert "poem1.txt: not known" in result.out
    assert "ior 4.1.0+dev, incomplete" in result.out
    assert "poem1.txt:1: expected a log of one of the" in result.err
    (known, *_) = json.loads(cli("formats", folder / IOR.name, "--json").out)["rows"]
    assert (known["format"], known["because"][0]["line"], known["rows"]["runs"]) == ("ior", 1, 6)


def test_the_format_of_standard_input_is_told(cli: Cli) -> None:
    own = os.dup(0)
    try:
        with IOR.open("rb") as log:
            os.dup2(log.fileno(), 0)
        assert cli("formats", "-").out.startswith("standard input: ior, ior 4.1.0+dev, complete\n  because of 'MPI")
    finally:
        os.dup2(own, 0)
        os.close(own)


def test_formats_as_json(cli: Cli) -> None:
    assert {"name", "tool", "versions", "reads", "source"} == set(json.loads(cli("formats", "--json").out)["rows"][0])


def test_logs_may_be_skipped_and_are_listed(folder: Path) -> None:
    tree = open_logs(folder, errors="skip")
    assert tree["logs"].sizes["obs"] == 2
    skipped = dataset.about(tree)["skipped"]
    assert len(skipped) == 11
    assert f"{folder}/closed.log: No such file or directory" in skipped
    assert any(line.startswith(f"{folder}/poem3.txt:1: expected a log of one of") for line in skipped)
    assert "11 logs could not be read and were left out; the first: " in repr(tree.storage)


def test_where_all_logs_are_skipped_nothing_is_opened(folder: Path) -> None:
    with pytest.raises(StoragelabError, match="none of 10 logs could be read") as refused:
        open_logs(*sorted(folder.glob("poem*")), errors="skip")
    assert len(str(refused.value).splitlines()) == 11
    with pytest.raises(UnknownNameError, match="unknown way with errors 'ignore'; known: raise, skip"):
        open_logs(folder, errors="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "arguments",
    [
        ["paper", "no-such-2026"], ["claims", "bnl-2007"], ["plan", "x.nc", "throughput", "--by", "nodes"],
        ["trace", "x.nc", "0"], ["compare", "x.nc", "y.nc"],
    ],
    ids=lambda arguments: arguments[0],
)  # fmt: skip
def test_a_missing_dataset_is_said_before_anything_heavy_is_imported(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "raw").symlink_to(ROOT / "raw")
    heavy = "print(sorted({'xarray', 'pandas', 'matplotlib', 'scipy'} & set(sys.modules)))"
    run = "from storagelab.cli import app, console\ntry:\n    console.exit_with(app)\nfinally:\n    "
    code = f"import sys\nsys.argv = ['storagelab', *{arguments}]\n{run}{heavy}"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2)
    assert done.stdout == "[]\n"
    assert "no dataset" in done.stderr or "o such file" in done.stderr


@pytest.mark.parametrize(("name", "value", "written"), [
    ("client_memory", 25_276_510_208.0, "25.2765 GB"), ("file_size", 8 * 2.0**20, "8 MiB"),
    ("file_size", 1025.0, "1.025 kB"), ("client_memory", 64 * 2.0**40, "64 TiB"),
    ("start_time", 1_795_436_906.0, "2026-11-23 12:28:26 UTC"), ("throughput", 3e18, "3e+06 TB/s"),
])  # fmt: skip
def test_a_quantity_is_written_so_that_it_can_be_read(name: str, value: float, written: str) -> None:
    assert display.quantity(name, value) == written

"""Ordinary logs, read in one step, give what their parsers give line by line; damaged ones too, whoever reads them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.ingest import read_log
from storagelab.ingest.rows_as_read import count, names, tables
from storagelab.parsers.fast_path import is_plain
from storagelab.parsers.model import Rows, Sparse
from storagelab.parsers.text import decode
from storagelab.parsers.wrapping.unwrapping import Reader
from tests.fuzz.mutants import MUTATORS
from tests.parsers import test_read_at_once
from tests.published import rendered

ROOT = Path(__file__).parents[2]
WITH_ORDINARY = [parser for parser in parsers.PARSERS if hasattr(parser, "ORDINARY")]
FOLDERS = {
    "fileop": ("raw/loopback-2026/fileop", "raw/bnl-2007/logs/fileop", "tests/logs/fileop"),
    "ior": ("raw/loopback-2026/ior", "raw/llnl-2010/logs/ior", "tests/logs/ior"),
    "iozone": ("raw/loopback-2026/iozone", "raw/fermicloud-2011/logs/iozone", "tests/logs/iozone"),
    "mdtest": ("raw/loopback-2026/mdtest", "raw/llnl-2010/logs/mdtest", "tests/logs/mdtest"),
}
UNUSUAL = re.compile(r"\.json$|_autoexcel_")
"""Measured logs that are read line by line: documents, and reports for a spreadsheet behind a table."""
CASES = sorted(FOLDERS)
IOR_BOTH, IOR_WRITES, IOR_READS, MDTEST_CREATES, MDTEST_TIMES = (
    "ior/4.1.0dev_file_per_process_8_tasks.txt",
    "ior/imitated-4.0-within-io500.txt",
    "ior/imitated-3.3-within-io500-read.txt",
    "mdtest/imitated-3.3-within-io500.txt",
    "mdtest/4.1.0dev_rates_and_times.txt",
)
MOVED = (
    "WARNING: Expected aggregate file size       = 103079215104\n"
    "WARNING: Stat() of aggregate file size      = 103079215104\n"
    "WARNING: Using actual aggregate bytes moved = "
)
STONEWALL = "stonewalling pairs accessed min: 1 max: 2 -- min data: 1.0 GiB mean data: 1.0 GiB time: 19.0s\n"
NOTHING = 4 * "          0.000"


@cache
def line_by_line() -> Reader:
    """Read by the parsers alone."""
    reader = Reader(parsers.PARSERS)
    reader._ordinary = []
    return reader


@cache
def in_one_step() -> Reader:
    return Reader(parsers.PARSERS)


def all_of(reader: Reader, text: str, name: str) -> str:
    """Everything that is read of a log, the order of names included, or why it is refused."""
    try:
        format, parsed = reader.read(text, name)
    except ParseError as error:
        return str(error)
    rows = [list(parsed.runs), list(parsed.clients), parsed.events]
    return repr((format.name, parsed.header, rows, parsed.series, parsed.notes, parsed.complete))


def logs(format: str) -> list[Path]:
    found = [path for folder in FOLDERS[format] for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]
    return [path for path in found if not path.name.endswith(".golden.jsonl")]


def mutants(format: str, count: int) -> Iterator[tuple[str, str, str]]:
    """Logs, and what they are called, each changed once in a way that its number alone decides."""
    paths = logs(format)
    for seed in range(count):
        draw = random.Random(seed)
        path, kind = draw.choice(paths), draw.choice(sorted(MUTATORS))
        yield f"{seed}: {kind} {path.name}", path.name, MUTATORS[kind](draw, decode(path.read_bytes())[0])


def unlike(format: str, count: int) -> tuple[list[str], int]:
    """Return which mutants are read otherwise in one step, and how many were read in one step at all."""
    found, taken = [], 0
    for said, name, text in mutants(format, count):
        taken += in_one_step()._read_at_once(text, name, None) is not None
        if all_of(in_one_step(), text, name) != all_of(line_by_line(), text, name):
            found.append(said)
    return found, taken


def test_all_formats_with_ordinary_logs_are_held_against_their_parsers() -> None:
    elsewhere = [format.replace("_", "-") for format in test_read_at_once.FORMATS]
    assert sorted(parser.FORMAT.name for parser in WITH_ORDINARY) == sorted([*CASES, *elsewhere])


@pytest.mark.parametrize("format", CASES)
def test_log_is_read_the_same(format: str, quick: bool) -> None:
    chosen = logs(format)[:: 40 if quick else 12]
    texts = {path: decode(path.read_bytes())[0] for path in chosen}
    differ = [
        path
        for path, text in texts.items()
        if all_of(in_one_step(), text, path.name) != all_of(line_by_line(), text, path.name)
    ]
    assert differ == []


@pytest.mark.parametrize("format", CASES)
def test_damaged_log_is_read_the_same(format: str, quick: bool) -> None:
    differ, taken = unlike(format, 20 if quick else 60)
    assert differ == []
    assert taken


def _without_chmod(mark: str) -> str:
    """A log of fileop, built not to run chmod, whose cells hold a mark then."""
    text = (ROOT / "tests/logs/fileop/l4_u8_b_w.log").read_text()
    return re.sub(r"(?m)^([ABW](?: +\S+){11} +)\S+", rf"\g<1>{mark}", text)


@pytest.mark.parametrize("mark", ["nan", "-nan"])
def test_operation_that_was_not_run_is_left_out_at_once(mark: str) -> None:
    text = _without_chmod(mark)
    assert text.count(mark) > 2
    assert in_one_step()._read_at_once(text, "fileop.log", None)
    assert all_of(in_one_step(), text, "fileop.log") == all_of(line_by_line(), text, "fileop.log")


@pytest.mark.parametrize(
    ("found", "other"),
    [
        (r" nan", "   5"),
        (r"([AW])( +\d+)( +\d+)", r"\1\2 nan"),
        (r"(W +\d+)( +\d+)", r"\1 -nan"),
        (r" \d+(?= +nan)", "   0"),
        (r"(?m)^([ABW]) +([68]) ", r"\1    1844674407370955161\2 "),
    ],
)
def test_log_of_fileop_that_lacks_some_cells_is_read_the_same(found: str, other: str) -> None:
    text = _without_chmod("nan")
    for changes in (1, 0):
        changed = re.sub(found, other, text, count=changes)
        assert changed != text
        assert all_of(in_one_step(), changed, "fileop.log") == all_of(line_by_line(), changed, "fileop.log")


def verbose_mdtest() -> tuple[str, str]:
    """Return name and text of a report with the times of each iteration, as rendered: raw/ may not have it yet."""
    log = min((log for log in rendered("llnl-2010") if log.path.startswith("mdtest/nodes/")), key=lambda log: log.path)
    return log.path, log.text


def test_iteration_of_mdtest_with_swapped_units_is_no_ordinary_one() -> None:
    name, text = verbose_mdtest()
    assert in_one_step()._read_at_once(text, name, None)
    assert not in_one_step()._read_at_once(text.replace(" sec,", " ops/sec", 1), name, None)


@pytest.mark.parametrize("log", [IOR_BOTH, IOR_WRITES])
def test_warning_of_an_option_hides_no_ordinary_log(log: str) -> None:
    text = (ROOT / "tests" / "logs" / log).read_text()
    warned = text.replace("I/O\n", "I/O\nior WARNING: fsync() only available in POSIX/MMAP.  Using value of 0.\n")
    assert in_one_step()._read_at_once(warned, log, None)
    assert all_of(in_one_step(), warned, log) == all_of(line_by_line(), warned, log)


@pytest.mark.parametrize(
    "above",
    [
        STONEWALL,
        f"{MOVED}536870912\n",
        f"{STONEWALL}WARNING: inconsistent file size by different tasks.\n{MOVED}536870900\n",
        f"Commencing write performance test: Mon Oct 30 23:24:53 2017\n0: stonewalling pairs accessed: 7\n{STONEWALL}",
    ],
)
@pytest.mark.parametrize("row", ["write ", "read ", "(?:write|read) "])
def test_what_stands_above_iterations_of_ior_is_read_at_once(above: str, row: str) -> None:
    text = (ROOT / "tests" / "logs" / IOR_BOTH).read_text()
    table, summary, rest = text.partition("\nSummary of all")
    text = re.sub(rf"(?m)^(?={row})", above, table) + summary + rest
    assert above in text
    assert in_one_step()._read_at_once(text, IOR_BOTH, None)
    assert all_of(in_one_step(), text, IOR_BOTH) == all_of(line_by_line(), text, IOR_BOTH)


def test_test_of_ior_of_which_one_iteration_moved_less_is_of_no_file_size() -> None:
    text = (ROOT / "tests" / "logs" / IOR_BOTH).read_text()
    assert in_one_step().read(text, IOR_BOTH)[1].header["file_size"] == 2**26
    text = re.sub("(?m)^read ", f"{MOVED}536870912\nread ", text, count=1)
    text = re.sub("(?m)^write ", f"{MOVED}536870900\nwrite ", text, count=1)
    for reader in (in_one_step(), line_by_line()):
        assert "file_size" not in reader.read(text, IOR_BOTH)[1].header


@pytest.mark.parametrize("times", [0, 2])
def test_iteration_of_mdtest_has_each_operation_of_the_summary_once(times: int) -> None:
    name, text = verbose_mdtest()
    assert not in_one_step()._read_at_once(text.replace("(of 1 ", "(of 2 "), name, None)
    rows = re.findall(r"(?m)^   [DF].* sec, .*\n", text)
    assert len(rows) > 3
    for row in rows:
        changed = text.replace(row, times * row)
        assert not in_one_step()._read_at_once(changed, name, None)
        assert not in_one_step()._read_at_once(text.replace(row, re.sub(r"\d", "0", row)), name, None)


@pytest.mark.parametrize(
    ("log", "printed", "other"),
    [
        ("ior/4.1.0dev_file_per_process_8_tasks.txt", "229.09      13.02", "299.09      13.02"),
        ("ior/4.1.0dev_file_per_process_8_tasks.txt", "repetitions         : 2\n", ""),
        ("ior/2.10.3_shared_4_tasks_summary_only.txt", "1737.60   1021.94", "1737.60   9021.94"),
        ("iozone/throughput_c8_children.log", "\tTime Resolution = 0.000001 seconds.\n", ""),
        ("iozone/throughput_c8_children.log", "initial writers", "initial riders"),
        ("ior/imitated-4.0-within-io500.txt", " -Q 1 -g -G 271828", ""),
        ("ior/imitated-4.0-within-io500.txt", "repetitions         : 1", "repetitions         : 2"),
        ("ior/imitated-4.0-within-io500.txt", "min: 9120 max: 11840", "min: 11840 max: 9120"),
        ("ior/imitated-4.0-within-io500.txt", "clients per node    : 16", "clients per node    : 15"),
        ("mdtest/imitated-3.3-within-io500.txt", " 306.152        306.152        306.152", " 306.152 306.152 300.152"),
        ("mdtest/imitated-3.3-within-io500.txt", "min: 40210 max: 46115", "min: 46115 max: 40210"),
        ("mdtest/4.1.0dev_rates_and_times.txt", "0.056          0.031          0.042", "0.056 0.031 0.057"),
        ("mdtest/4.1.0dev_rates_and_times.txt", "0.000          0.000          0.000", "0.001 0.000 0.000"),
        ("mdtest/4.1.0dev_rates_and_times.txt", "File stat                       0.057", "File read  0.057"),
    ],
)
def test_log_that_denies_itself_is_no_ordinary_one(log: str, printed: str, other: str) -> None:
    text = (ROOT / "tests" / "logs" / log).read_text()
    assert printed in text
    assert in_one_step()._read_at_once(text, log, None)
    assert not in_one_step()._read_at_once(text.replace(printed, other), log, None)


@pytest.mark.parametrize(
    ("log", "printed", "other"),
    [
        (IOR_BOTH, " -w -r ", " -w -r -D 30 "),
        (IOR_WRITES, "stonewallingTime    : 300\nstoneWallingWearOut : 1\n", ""),
        (IOR_WRITES, r"WARNING: Exp(?:.*\n){4}", ""),
        (IOR_WRITES, "65536000 ", "65536000.5"),
        (IOR_READS, " -r ", " -r -D 30 "),
        (IOR_READS, "12.50      0   ", "12.00      0   "),
        (IOR_READS, "-\nread", f"-\n{MOVED}103079215104\nread"),
        (IOR_READS, "-\nread", f"-\n{MOVED}103000000000\nread"),
        (IOR_BOTH, "  65536 ", "  1.2.3 "),
        ("iozone/throughput_c8_children.log", "Record Size 1024", "Record Size 1,234,567"),
        (IOR_BOTH, "(Command line .*)", r"\1 ="),
        (IOR_BOTH, "(Command line .*)", r"\1" + 30 * " 4"),
        (IOR_BOTH, "(Command line .*)", r'\1 "bwMaxMIB": 1'),
        (MDTEST_TIMES, "(Command line used: .*)", r"\1 -- started at"),
        (IOR_BOTH, "Inodes: ", "Inodes: " + 30 * "4 "),
        (IOR_READS, r"(read  .*\n)", r"\1\1"),
        (IOR_BOTH, r" -w -r (.*(?:\n.*){31})2\.11 {7}0", r" -w -r -D 30 \g<1>2.04       0"),
        (IOR_READS, r" -r (.*(?:\n.*)*)12\.50      0", r" -r -D 30 \g<1>12.00      0"),
        (IOR_BOTH, "-\nwrite", f"-\n{STONEWALL}write"),
        (IOR_BOTH, "-\nwrite", f"-\n{MOVED}536870900\nwrite"),
        (MDTEST_CREATES, NOTHING, " 1.000 2.000 3.000 1.000"),
        (MDTEST_CREATES, NOTHING, " 0.000 0.000 5.000 0.000"),
        (MDTEST_CREATES, "File creation ", "File read "),
        (MDTEST_CREATES, " 9640.209", " 9641.209"),
        (MDTEST_CREATES, f"{NOTHING}\n--", " 0.001 0.001 0.001 0.000\n--"),
        (MDTEST_CREATES, "'-a' 'POSIX'", "io500_mdtest_cmd"),
        (MDTEST_CREATES, r"  9640.212  .*((?:\n.*){7}\n)SUMMARY time(?:.*\n)*(?=-- f)", rf"{NOTHING}\1"),
        (
            MDTEST_CREATES,
            r"Continue.*\n\n(\n(?:.*\n)*)   File creation(.*)  9640.212  .*((?:\n.*){7}\n)SUMMARY time(?:.*\n)*(?=-)",
            rf"\1   File creation \2{NOTHING}\3",
        ),
        (MDTEST_CREATES, r"Continue.*\n\n\n((?:.*\n)*)SUMMARY time(?:.*\n)*(?=-- f)", r"\n\1"),
        (MDTEST_TIMES, "0.056          0.031          0.042", "0.056          0.000          0.042"),
        (MDTEST_TIMES, "0.056          0.031          0.042", "0.000          0.031          0.042"),
        (MDTEST_TIMES, r"   Tree creation .*\n", ""),
        (MDTEST_TIMES, r"SUMMARY time(?:.*\n)*(?=-- f)", ""),
    ],
)
def test_log_with_other_words_is_read_the_same(log: str, printed: str, other: str) -> None:
    text = (ROOT / "tests" / "logs" / log).read_text()
    for changes in (1, 0):
        changed = re.sub(printed, other, text, count=changes)
        assert changed != text
        assert all_of(in_one_step(), changed, log) == all_of(line_by_line(), changed, log)


@pytest.mark.parametrize("format", CASES)
def test_measured_log_never_meets_the_parser(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(text: str) -> object:
        raise AssertionError("the log was read line by line")

    monkeypatch.setattr(parsers.by_name(format), "parse", parse)
    for path in [path for path in logs(format) if "raw" in path.parts and not UNUSUAL.search(str(path))][::20]:
        assert read_log(path).parsed.runs


def test_rows_that_lack_a_value_lack_its_name() -> None:
    rows = Rows()
    rows.add_columns(Sparse(operation=["read", "write"], elapsed=[None, 2.0], line=[3, 4]))
    shared = rows.shared({"part": 1})
    assert list(rows) == [{"operation": "read", "line": 3}, {"operation": "write", "elapsed": 2.0, "line": 4}]
    assert list(shared) == [{"part": 1} | row for row in rows]
    assert rows.distinct("elapsed") == {2.0}
    assert rows.column("elapsed", missing=-1.0) == [-1.0, 2.0]


def test_column_that_lacks_values_has_nan_in_a_table() -> None:
    log = read_log(ROOT / "tests/logs/fileop/f5_b_w_1.63.txt")
    (table,) = filter(count, tables(log, "runs"))
    assert count(table) == 15
    assert "operation_rate_max" in names(table)
    assert isinstance(table, dict)
    assert [rate for rate in table["operation_rate_max"] if rate != rate]
    assert None not in table["operation_rate_max"]


@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\r", "\x7f", "é", "<", "`", "~", "\ud800"])
def test_text_that_may_be_wrapped_is_not_plain(sign: str) -> None:
    assert is_plain("kB  reclen\t1\n")
    assert not is_plain(f"kB{sign}")


def test_names_of_vmstat_in_another_order_are_read_alike_with_the_zone_of_times() -> None:
    text = (ROOT / "tests/logs/vmstat/procps-4.0.2-t-a.txt").read_text()
    changed = text.replace(" si ", " @@ ", 1).replace(" wa ", " si ", 1).replace(" @@ ", " wa ", 1)
    assert changed != text
    assert in_one_step()._read_at_once(changed, "vmstat.log", None)
    assert all_of(in_one_step(), changed, "vmstat.log") == all_of(line_by_line(), changed, "vmstat.log")

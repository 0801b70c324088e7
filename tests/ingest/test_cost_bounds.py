"""What one log may cost: a log that never ends, or needs too much, is refused by name and hides no other."""

from __future__ import annotations

import mmap
import os
import re
import signal
import stat
from pathlib import Path
from types import ModuleType

import pytest

from storagelab import dataset, ingest, parsers
from storagelab.dataset.columns import WIDE
from storagelab.errors import ContractError, ParseError, StoragelabError
from storagelab.ingest import cost_bounds, log_file
from storagelab.ingest.cost_bounds import Bounds
from storagelab.parsers.benchmarks import hdparm
from tests.conftest import ROOT, fixture_logs

LOG = fixture_logs("hdparm")[0]


def endless(text: str) -> None:
    """Take a hundred times as long as the bounds of these tests: without them it ends, and the test fails."""
    for _ in range(10**8):
        pass


def hungry(text: str) -> None:
    bytearray(2**60)


def mistaken(text: str) -> None:
    raise KeyError("a mistake")


def parse_with(monkeypatch: pytest.MonkeyPatch, parse: object) -> ModuleType:
    monkeypatch.setattr(hdparm, "parse", parse)
    return hdparm


def test_a_log_is_read_within_bounds_too_where_the_system_does_not_say_what_a_process_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cost_bounds, "_HAS_PROC", False)
    monkeypatch.setattr(cost_bounds.sys, "platform", "darwin")
    with cost_bounds.of_each_log(Bounds(memory=2.0**33)):
        assert ingest.read_log(LOG).parsed.complete


def test_log_beyond_its_seconds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    parse_with(monkeypatch, endless)
    message = re.escape(f"{LOG}: expected a log that is read in 0.05 seconds (--max-time)")
    with cost_bounds.of_each_log(Bounds(seconds=0.05)), pytest.raises(ParseError, match=message):
        ingest.read_log(LOG)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_expression_that_never_ends_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    parse_with(monkeypatch, lambda text: re.match("(a|a)*b", "a" * 100))
    with cost_bounds.of_each_log(Bounds(seconds=0.05)), pytest.raises(ParseError, match="--max-time"):
        ingest.read_log(LOG)


def test_log_beyond_its_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    parse_with(monkeypatch, hungry)
    message = re.escape(f"{LOG}: expected a log that is read in 64 MiB of memory (--max-memory)")
    with cost_bounds.of_each_log(Bounds(memory=2.0**26)), pytest.raises(ParseError, match=message):
        ingest.read_log(LOG)


def test_memory_that_a_process_has_asked_for_and_not_used_is_no_memory_of_a_log(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parse_with(monkeypatch, lambda text: parsers.Parsed({"command": f"{len(bytearray(2**26))}"}))
    with mmap.mmap(-1, 2**30), cost_bounds.of_each_log(Bounds(memory=2.0**27)):
        assert ingest.read_log(LOG, format="hdparm").parsed.header["command"] == f"{2**26}"


def test_log_that_does_not_fit_at_all_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    parse_with(monkeypatch, hungry)
    with pytest.raises(ParseError, match="fits into memory"):
        ingest.read_log(LOG)


def test_log_within_its_bounds_is_read() -> None:
    with cost_bounds.of_each_log(cost_bounds.bounds(600, "8G")):
        assert ingest.read_log(LOG).parsed.runs
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_mistake_of_a_parser_is_a_refusal_that_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    parse_with(monkeypatch, mistaken)
    with pytest.raises(ParseError, match=r"KeyError at test_cost_bounds\.py:\d+: a mistake in storagelab") as told:
        ingest.read_log(LOG)
    with pytest.raises(ParseError) as told:
        parsers.parse(LOG.read_text())
    assert isinstance(told.value.__cause__, KeyError)


@pytest.mark.parametrize(("seconds", "size"), [(-1.0, "8G"), (float("nan"), "8G"), (1.0, "much")])
def test_bounds_that_are_none_are_refused(seconds: float, size: str) -> None:
    with pytest.raises(StoragelabError, match=r"--max-(time|memory)"):
        cost_bounds.bounds(seconds, size)


def test_bounds_hold_no_longer_than_they_are_asked_for() -> None:
    before = cost_bounds.of_now()
    with cost_bounds.of_each_log(Bounds(1.0)):
        assert cost_bounds.of_now() == Bounds(1.0)
    assert cost_bounds.of_now() == before


def test_zero_is_no_bound() -> None:
    assert cost_bounds.bounds(0, "0") == Bounds()


def test_device_that_never_ends_is_given_up() -> None:
    """The bounds end a reader that does not give up, and say something else."""
    message = r"/dev/zero: expected a device or a pipe that ends within 64 MiB"
    with cost_bounds.of_each_log(Bounds(60, 2.0**30)), pytest.raises(ParseError, match=message):
        ingest.read_log("/dev/zero")


def test_pipe_to_which_nobody_writes_is_given_up(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with cost_bounds.of_each_log(Bounds(seconds=0.05)), pytest.raises(ParseError, match=r"pipe: .*--max-time"):
        ingest.read_log(pipe)


def test_a_pipe_may_hold_as_much_as_is_told_and_no_byte_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(log_file.ENDLESS, stat.S_IFIFO, 2**10)
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as pipe, os.fdopen(writing, "wb", buffering=0) as end:
        ending = log_file.Ending(pipe)
        end.write(bytes(2**10))
        assert ending.read(2**10) == bytes(2**10)
        end.write(b"0")
        with pytest.raises(
            ParseError, match="expected a device or a pipe that ends within 0 MiB, found 'one that goes on'"
        ):
            ending.read(1)


# --- datasets -------------------------------------------------------------------------------------------------------


def rows(longest: int, count: int = 3) -> list[dict[str, object]]:
    commands = ["ior -w", "é" * longest, *["ior"] * (count - 2)]
    return [{"operation": "write", "throughput": 1.0, "options": command} for command in commands]


def test_one_long_text_does_not_widen_its_column(tmp_path: Path) -> None:
    made = dataset.from_rows(rows(100_000, count=2000), origin="measured")
    assert made["options"].nbytes < 100_000
    tree = dataset.tree({"runs": made}, {})
    dataset.save(tree, tmp_path / "dataset.nc")
    assert (tmp_path / "dataset.nc").stat().st_size < 2_000_000
    again = dataset.load(tmp_path / "dataset.nc")["runs"].to_dataset()
    assert again["options"].values.tolist() == made["options"].values.tolist()
    assert dataset.select(again, options="ior").sizes["obs"] == 1998


def test_text_of_usual_length_keeps_its_fixed_width() -> None:
    assert dataset.from_rows(rows(WIDE), origin="measured")["options"].dtype.kind == "U"
    assert dataset.from_rows(rows(WIDE + 1), origin="measured")["options"].dtype.kind == "O"


def test_damaged_dataset_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "dataset.nc"
    dataset.save(dataset.tree({"runs": dataset.from_rows(rows(10), origin="measured")}, {}), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ContractError, match=r"the file is damaged .*make it anew"):
        dataset.load(path)


def test_limits_are_those_that_the_pages_name() -> None:
    device, pipe = log_file.ENDLESS[stat.S_IFCHR], log_file.ENDLESS[stat.S_IFIFO]
    limits = {
        f"`ingest.read_log` asks for this from {log_file.LARGE / 2**20:g} MiB on",
        f"more than `--max-time` ({cost_bounds.SECONDS:g} seconds)"
        f" or `--max-memory` ({cost_bounds.MEMORY.replace('G', ' GiB')})",
        f"A device is given up after {device / 2**20:g} MiB, a pipe after {pipe / 2**30:g} GiB.",
    }
    said = " ".join((ROOT / "docs" / "architecture.md").read_text().split())
    assert {limit for limit in limits if limit not in said} == set()

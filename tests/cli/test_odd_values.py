"""Any value of an option is taken, or refused in a line: no command ends in the middle of Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from storagelab import dataset, open_study
from tests.analysis.tables import cluster
from tests.cli.conftest import Cli
from tests.cli.test_compare import READS, saved
from tests.conftest import LOGS

LOG = LOGS / "iozone" / "throughput_c8_children.log"
NUMBERS = ("0", "-1", "1", "5", "0.5", "1e-300", "1e300", "inf", "-inf", "nan", "five", "")
WORDS = ("nonsense", "", "=", "layout=", "a=b", "operation=write=read")
Command = tuple[object, ...]


def campaign(folder: Path) -> Path:
    """A dataset that was made of no log."""
    path = folder / "pilot.nc"
    dataset.save(dataset.tree({"runs": cluster()}, {"study": "test-2026"}), path)
    return path


def with_each(command: Command, options: str, values: tuple[str, ...]) -> Iterator[Command]:
    yield from ((*command, option, value) for option in options.split() for value in values)


def commands(folder: Path) -> Iterator[Command]:
    pilot, before, after = campaign(folder), saved(folder / "2025.nc", 1), saved(folder / "2026.nc", 2, slower=READS)
    names = (*map(str, open_study(before)["runs"].variables), *WORDS)
    plan = "plan", pilot, "throughput", "--by", "layout", "--by", "clients", "--where", "operation=write"
    yield from with_each(plan, "--effect --cells --margin --power --round-cost", NUMBERS)
    yield from with_each(plan, "--by --where --over --node", names)
    for releases in (("compare", before, after), ("history", before, after)):
        yield from with_each(releases, "--margin", NUMBERS)
        yield from with_each(releases, "--by --over --variable --to", names)
    yield from (("trace", pilot, row) for row in NUMBERS)
    yield from with_each(("trace", pilot, 0), "--context", NUMBERS)
    yield from with_each(("trace", pilot, 0), "--node", WORDS)
    yield from with_each(("parse", LOG, "--to", "jsonl"), "--max-time", NUMBERS)
    yield from with_each(("parse", LOG), "--format --node --to --scheduler --max-memory", (*NUMBERS, *WORDS))


CANNOT_TELL = 3


def test_any_value_is_taken_or_refused_in_a_line(tmp_path: Path, cli: Cli, quick: bool) -> None:
    odd = {}
    for command in [*commands(tmp_path)][:: 4 if quick else 1]:
        try:
            code, out, err = cli(*command)
        except Exception as error:
            odd[command] = repr(error)
            continue
        if "a mistake in storagelab" in err or (code and not err and not out) or code > CANNOT_TELL:
            odd[command] = f"{code}: {err}"
    assert odd == {}


def test_a_row_of_no_log_has_no_line(tmp_path: Path, cli: Cli) -> None:
    result = cli("trace", campaign(tmp_path), 0)
    assert (result.code, result.err) == (1, "storagelab: runs[0] does not say which log it was read from\n")


@pytest.mark.parametrize("command", ["compare", "history"])
def test_a_margin_of_nothing_is_settled_by_no_number_of_runs(command: str, tmp_path: Path, cli: Cli) -> None:
    sides = saved(tmp_path / "2025.nc", 1), saved(tmp_path / "2026.nc", 2)
    assert "cannot tell" in cli(command, *sides, "--margin", "1e-300").out


def test_a_time_longer_than_any_is_no_bound(cli: Cli) -> None:
    assert cli("parse", LOG, "--to", "jsonl", "--max-time", "1e300") == cli("parse", LOG, "--to", "jsonl")

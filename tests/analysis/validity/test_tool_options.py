"""Runs that were made with other options than the rest of their cell."""

from __future__ import annotations

from typing import Any

import pytest

from storagelab import dataset
from storagelab.analysis.validity.checks import Finding, Study
from storagelab.analysis.validity.tool_options import options_of, same_options
from storagelab.errors import AnalysisError
from tests.analysis import tables


def study(*commands: str, column: str = "options", **keys: Any) -> Study:
    """A study with a run for each command, all of them one cell unless keys tell them apart."""
    levels = {name: list(values) for name, values in keys.items()}
    runs, logs = [], []
    for number, command in enumerate(commands):
        of_run = {"run_id": f"r{number}", "log_id": float(number)}
        said = {name: values[number] for name, values in levels.items()}
        runs.append(
            {"operation": "write", "throughput": 1e6 + number, "tool": "dd", "repeat": number, **of_run, **said}
        )
        logs.append({"log": f"r{number}.log", column: command, **of_run})
    nodes = {"runs": tables.node(runs), "logs": tables.node(logs)}
    return Study(dataset.tree(nodes, {"study": "test-2026", "origin": "measured"}))


def found(of: Study) -> list[Finding]:
    return list(same_options(of).findings)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("iozone -t 1 -i 0 -i 2 -c -F cli1.ioz", {"-t 1", "-i 0", "-i 2", "-c", "-F"}),
        ("mdtest '-n' '300' '-i' '2'", {"-n 300", "-i 2"}),
        ("IOR -t 1MiB -b 1.5g -a POSIX -e 7x", {"-t 1MiB", "-b 1.5g", "-a", "-e"}),
        ("fio --randseed 7 --name 4 --bs 4k", {"--randseed", "--name", "--bs 4k"}),
        ("dd if=/dev/zero of=f bs=1M oflag=direct", {"if=", "of=", "bs=1M", "oflag=direct"}),
        ("fio --direct=1 --filename=a --write_bw_log=b", {"--direct=1", "--filename=", "--write_bw_log="}),
        ("fio --rw=read --randseed=7 --size=1.5g", {"--rw=read", "--randseed=", "--size=1.5g"}),
        ("iperf3 --client=10.77.0.1 --time=5", {"--client=", "--time=5"}),
        ("IOR -O stripeCount=4 -o=/gpfs/f", {"-O", "stripeCount=4", "-o="}),
        ("-e", set()),
        ("", set()),
    ],
)  # fmt: skip
def test_options_are_those_in_which_repeats_do_not_differ(command: str, options: set[str]) -> None:
    assert options_of(command) == options


@pytest.mark.parametrize("column", ["options", "command"])
def test_run_with_direct_io_among_buffered_ones_is_found(column: str) -> None:
    plain = "dd if=/dev/zero of=f{} bs=1M conv=fsync"
    commands = [plain.format(0), plain.format(1), "dd if=/dev/zero of=f2 bs=1M oflag=direct", plain.format(3)]
    (one,) = found(study(*commands, column=column))
    assert (one.where, one.log_id, one.run_id, one.size) == ("r2.log", 2.0, "r2", 2.0)
    assert one.cause == "made with oflag=direct and without conv=fsync"
    assert one.found == f"{one.cause}, unlike other runs of its cell"


def test_run_with_another_size_behind_an_option_is_found() -> None:
    (one,) = found(study("mdtest -n 300 -d /a/1", "mdtest -n 300 -d /a/2", "mdtest -n 30 -d /a/3"))
    assert one.cause == "made with -n 30 and without -n 300"


def test_a_log_is_found_once_and_its_cell_is_named() -> None:
    commands = ["iozone -e", "iozone -e -I", "iozone -e", "iozone -e"]
    looked = same_options(study(*commands, clients=[1, 1, 1, 2]))
    (one,) = looked.findings
    assert one.found == "made with -I, unlike other runs of clients=1"
    assert (looked.checked, looked.unit) == (3, "logs")


def test_runs_of_other_cells_may_have_other_options() -> None:
    commands = ["iozone -e", "iozone -e", "iozone -I", "iozone -I"]
    assert found(study(*commands, clients=[1, 1, 2, 2])) == []
    assert len(found(study(*commands))) == 2


def test_a_command_without_options_is_compared_and_a_log_that_says_nothing_is_not() -> None:
    looked = same_options(study("iozone -e", "", "iozone -e", "iozone"))
    assert (looked.checked, [one.cause for one in looked.findings]) == (3, ["made without -e"])
    assert same_options(study("dd", "dd")).findings == []


def test_of_runs_without_a_line_nothing_is_said() -> None:
    ds = tables.node([{"operation": "read", "throughput": 1e6, "run_id": run, "repeat": 1} for run in "ab"])
    logs = tables.node([{"log": run, "log_id": number, "options": "dd -e"} for number, run in enumerate("ab")])
    with pytest.raises(AnalysisError, match="no cell has two runs"):
        same_options(Study(dataset.tree({"runs": ds, "logs": logs}, {"study": "test-2026", "origin": "measured"})))


@pytest.mark.parametrize(
    ("of", "reason"),
    [
        (study("", ""), "no log says how it was made"),
        (study("a", "b", column="notes"), "no log says how it was made"),
        (study("iozone -e", ""), "no cell has two runs whose logs say how they were made"),
        (study("iozone -e", "iozone -I", clients=[1, 2]), "no cell has two runs whose logs say how they were made"),
    ],
)
def test_why_it_cannot_be_said(of: Study, reason: str) -> None:
    with pytest.raises(AnalysisError, match=reason):
        same_options(of)

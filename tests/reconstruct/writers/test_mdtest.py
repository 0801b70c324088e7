"""Logs of mdtest 1.8: rendered and read back, byte for byte, and what cannot be rendered."""

from __future__ import annotations

import dataclasses
import math
import statistics
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.parsers import Row
from storagelab.reconstruct.writers import mdtest
from storagelab.reconstruct.writers.file_system import FileSystem
from storagelab.reconstruct.writers.mdtest import Log
from storagelab.units import TIB
from tests.reconstruct.writers.reading import notes, read_back

FILE_SYSTEM = FileSystem(400 * TIB, 2**29, 0.125, 0.5)
PRINTED = 0.000501
"""Rates and times have three decimals."""
rates = st.floats(min_value=0.01, max_value=1e7)


@st.composite
def logs(draw: st.DrawFn) -> Log:
    kinds = draw(st.sampled_from([("file",), ("directory",), ("directory", "file")]))
    phases = draw(st.sets(st.sampled_from(["create", "stat", "remove"]), min_size=1))
    operations = [f"{kind}_{phase}" for kind in kinds for phase in phases]
    operations += [f"tree_{phase}" for phase in phases & {"create", "remove"}]
    iterations = draw(st.integers(1, 4))
    processes = draw(st.integers(1, 1024))
    return Log(
        draw(st.datetimes(datetime(2000, 1, 1), datetime(2030, 1, 1))),
        {operation: draw(st.lists(rates, min_size=iterations, max_size=iterations)) for operation in operations},
        processes=processes,
        nodes=draw(st.integers(1, processes)),
        items=draw(st.integers(1, 500)),
        file_system=FILE_SYSTEM,
        directory_mode=draw(st.sampled_from(["shared", "unique"])),
        stride=draw(st.integers(0, processes)),
        verbose=draw(st.booleans()),
    )


def near(found: object, expected: float) -> bool:
    return isinstance(found, float) and math.isclose(found, expected, rel_tol=1e-12, abs_tol=PRINTED)


@settings(max_examples=60)
@given(logs())
def test_every_number_comes_back(log: Log) -> None:
    parsed = read_back(mdtest.render(log), "mdtest")
    holds_header(log, parsed.header)
    assert {row["operation"] for row in parsed.runs} == set(log.rates)
    for operation, own in log.rates.items():
        rows = [row for row in parsed.runs if row["operation"] == operation]
        [mean] = [row for row in rows if row["statistic"] == "mean"]
        printed = {"_max": max(own), "_min": min(own), "": statistics.fmean(own), "_std": statistics.pstdev(own)}
        assert all(near(mean[f"operation_rate{suffix}"], value) for suffix, value in printed.items())
        assert mean["samples"] == log.iterations
        single = [row for row in rows if row["statistic"] == "single"]
        assert len(single) == (log.iterations if log.verbose else 0)
        for number, row in enumerate(single):
            assert row["iteration"] == number
            assert near(row["operation_rate"], own[number])
            assert near(row.get("elapsed", 0.0), log.elapsed(operation, number))


def holds_header(log: Log, header: Row) -> None:
    for name in ("processes", "nodes", "items", "directory_mode"):
        assert header[name] == getattr(log, name)
    assert header["tool_version"] == "1.8.3"
    assert header["started"] == log.started.replace(microsecond=0).isoformat()
    assert header["ended"] == log.ended().replace(microsecond=0).isoformat()
    assert header["stat_origin"] == ("neighbour_node" if log.stride else "creating_node")


SMALL = Log(
    datetime(2010, 3, 5, 8, 30, 0),
    {
        "file_create": (1000.0, 2000.0),
        "file_stat": (4000.0, 4000.0),
        "tree_create": (10.0, 20.0),
    },
    processes=16,
    nodes=2,
    items=100,
    file_system=FILE_SYSTEM,
    directory_mode="unique",
    stride=8,
    path="/p/lscratch/mdtest",
    verbose=True,
)
GOLDEN = """\
# reconstructed from published numbers and a model of the test bed, not measured
-- started at 03/05/2010 08:30:00 --

mdtest-1.8.3 was launched with 16 total task(s) on 2 nodes
Command line used: mdtest -d /p/lscratch/mdtest -n 100 -i 2 -F -C -T -N 8 -u -v
Path: /p/lscratch
FS: 400.0 TiB   Used FS: 12.5%   Inodes: 512.0 Mi   Used Inodes: 50.0%

16 tasks, 1600 files

   Operation               Duration              Rate
   ---------               --------              ----
 * iteration 1 *
   Tree creation     :      0.100 sec,     10.000 ops/sec
   File creation     :      1.600 sec,   1000.000 ops/sec
   File stat         :      0.400 sec,   4000.000 ops/sec
   File removal      :      0.000 sec,      0.000 ops/sec
 * iteration 2 *
   Tree creation     :      0.050 sec,     20.000 ops/sec
   File creation     :      0.800 sec,   2000.000 ops/sec
   File stat         :      0.400 sec,   4000.000 ops/sec
   File removal      :      0.000 sec,      0.000 ops/sec

SUMMARY: (of 2 iterations)
   Operation                  Max        Min       Mean    Std Dev
   ---------                  ---        ---       ----    -------
   File creation     :   2000.000   1000.000   1500.000    500.000
   File stat         :   4000.000   4000.000   4000.000      0.000
   File removal      :      0.000      0.000      0.000      0.000
   Tree creation     :     20.000     10.000     15.000      5.000
   Tree removal      :      0.000      0.000      0.000      0.000

-- finished at 03/05/2010 08:30:03 --
"""


def test_a_log_byte_for_byte() -> None:
    assert mdtest.render(SMALL) == GOLDEN


def test_all_phases_of_both_kinds_need_no_flags() -> None:
    operations = [f"{kind}_{phase}" for kind in ("file", "directory") for phase in ("create", "stat", "remove")]
    own = dict.fromkeys([*operations, "tree_create", "tree_remove"], (100.0,))
    text = mdtest.render(dataclasses.replace(SMALL, rates=own, directory_mode="shared", stride=0, verbose=False))
    assert "Command line used: mdtest -d /p/lscratch/mdtest -n 100 -i 1\n" in text
    assert "16 tasks, 1600 files/directories\n" in text


def test_the_log_says_that_it_is_reconstructed(tmp_path: Path) -> None:
    notes(GOLDEN, tmp_path)


def with_rates(**own: tuple[float, ...]) -> dict[str, object]:
    return {"rates": {**SMALL.rates, **own}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"directory_mode": "own"}, "directory_mode: expected shared or unique, found 'own'"),
        ({"processes": 0}, "processes: expected a finite number above 0, found 0"),
        ({"items": 1.5}, "items: expected a whole number .* found 1.5"),
        ({"stride": 17}, "stride: expected a whole number from 0 to 16, found 17"),
        ({"path": "/a\nb"}, r"path: expected text without white space, found '/a\\nb'"),
        ({"file_system": FileSystem(0.0, 1)}, "capacity: expected a finite number above 0, found 0.0"),
        ({"rates": {}}, r"rates: lacks files and directories, or should not have \[\]"),
        (with_rates(write=(1.0, 1.0)), "rates: expected as many each, of directory_create, .*, found 2 of 'write'"),
        (with_rates(file_read=(1.0, 1.0)), "found 2 of 'file_read'"),
        (with_rates(file_stat=(1.0,)), "rates: expected as many each, .* found 1 of 'file_stat'"),
        (with_rates(file_stat=(1.0, 0.0)), "file_stat: expected rates of at least 0.0005 1/s, found 0.0"),
        (with_rates(file_stat=(1.0, math.nan)), "file_stat: .*not negative, found nan"),
        (with_rates(directory_stat=(1.0, 1.0)), r"rates: lacks \['directory_create'\]"),
        (with_rates(tree_remove=(1.0, 1.0)), r"should not have \['tree_remove'\]"),
    ],
)
def test_what_mdtest_cannot_print_is_refused(changes: dict[str, object], message: str) -> None:
    log = dataclasses.replace(SMALL, **changes)  # type: ignore[arg-type]
    with pytest.raises(ReconstructError, match=message):
        mdtest.render(log)


def test_the_least_rate_is_not_printed_as_none() -> None:
    text = mdtest.render(dataclasses.replace(SMALL, **with_rates(file_stat=(1.0, mdtest.LEAST))))  # type: ignore[arg-type]
    assert "   File stat         :      1.000      0.001 " in text
    less = math.nextafter(mdtest.LEAST, 0.0)
    assert f"{less:.3f}" == "0.000"
    with pytest.raises(ReconstructError, match=f"file_stat: expected rates of at least 0.0005 1/s, found {less}"):
        mdtest.render(dataclasses.replace(SMALL, **with_rates(file_stat=(1.0, less))))  # type: ignore[arg-type]


def test_a_file_system_of_which_nothing_is_said_is_empty() -> None:
    assert "Used FS: 0.0%   Inodes: 1.0 Mi   Used Inodes: 0.0%" in FileSystem(TIB, 2**20).render("/mnt/fs/d")


@pytest.mark.parametrize(
    ("kinds", "phases", "said"),
    [
        (["file"], ["create", "stat", "remove"], "-F"),
        (["directory"], ["create", "stat", "remove"], "-D"),
        (["directory"], ["create", "remove"], "-D -C -r"),
    ],
)
def test_a_command_names_phases_where_not_all_ran(kinds: list[str], phases: list[str], said: str) -> None:
    rates = {f"{kind}_{phase}": [100.0] for kind in kinds for phase in phases}
    log = Log(datetime(2026, 1, 2), rates, 2, 1, 10, FILE_SYSTEM)
    assert mdtest._command(log) == f"mdtest -d /mnt/mdtest -n 10 -i 1 {said}"

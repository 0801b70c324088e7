"""Logs of IOzone's automatic mode: rendered and read back, byte for byte, and what cannot be rendered."""

from __future__ import annotations

import dataclasses
import math
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.parsers import parse
from storagelab.reconstruct.writers import iozone_automatic
from storagelab.reconstruct.writers.iozone_automatic import Log, Sweep
from storagelab.reconstruct.writers.iozone_banner import Banner
from storagelab.units import KIB, MIB
from tests.reconstruct.writers.reading import notes, read_back

PAIRS = (
    ("write", "rewrite"),
    ("read", "reread"),
    ("random_read", "random_write"),
    ("backward_read",),
    ("record_rewrite",),
    ("stride_read",),
    ("fwrite", "frewrite"),
    ("fread", "freread"),
)
STARTED = datetime(2007, 4, 2, 9, 5, 0)
rates = st.floats(min_value=KIB, max_value=9e6 * KIB)
fast = st.floats(min_value=1e6 * KIB, max_value=9e7 * KIB)


@st.composite
def sweeps(draw: st.DrawFn) -> Sweep:
    file, record = draw(st.integers(6, 12)), draw(st.integers(2, 6))
    last_file, last_record = draw(st.integers(file, file + 2)), draw(st.integers(record, record + 4))
    least_file, most_file, least_record, most_record = (
        2**power * KIB for power in (file, last_file, record, last_record)
    )
    return Sweep((least_file, most_file), (least_record, most_record))


@st.composite
def logs(draw: st.DrawFn, throughput: st.SearchStrategy[float] = rates) -> Log:
    sweep = draw(sweeps())
    pairs = draw(st.sets(st.sampled_from(PAIRS), min_size=1).map(sorted))
    operations = [operation for pair in pairs for operation in pair]
    if draw(st.booleans()):
        once = [operation for operation in operations if operation not in ("rewrite", "reread", "frewrite", "freread")]
        operations = once
    own = {sizes: {operation: draw(throughput) for operation in operations} for sizes in sweep.sizes()}
    return Log(Banner(STARTED, draw(st.sampled_from(["3.263", "3.308", "3.373", "3.423"]))), sweep, own, "/mnt/f")


def holds(log: Log) -> None:
    """Whether every rate comes back, rounded down to 1024 B/s."""
    parsed = read_back(iozone_automatic.render(log), "iozone")
    found = {
        (row["file_size"], row["record_size"], row["operation"]): row["throughput"]
        for row in (parsed.header | row for row in parsed.runs)
    }
    assert found == {
        (*sizes, operation): math.floor(rate / KIB) * KIB
        for sizes, own in log.throughput.items()
        for operation, rate in own.items()
    }
    assert parsed.header["started"] == STARTED.isoformat()
    assert parsed.header["tool_version"] == log.banner.version


@settings(max_examples=50)
@given(logs())
def test_every_number_comes_back(log: Log) -> None:
    holds(log)


@settings(max_examples=30)
@given(logs(fast))
def test_numbers_that_touch_come_back(log: Log) -> None:
    holds(log)


SMALL = Log(
    Banner(STARTED, "3.308"),
    Sweep((MIB, 2 * MIB), (512 * KIB, 2 * MIB)),
    {
        (MIB, 512 * KIB): {"write": 1e8, "rewrite": 2e8, "stride_read": 3e8},
        (MIB, MIB): {"write": 1.5e8, "rewrite": 2.5e8, "stride_read": 3.5e8},
        (2 * MIB, 512 * KIB): {"write": 1e7, "rewrite": 2e7, "stride_read": 3e7},
        (2 * MIB, MIB): {"write": 1e6, "rewrite": 2e6, "stride_read": 3e6},
        (2 * MIB, 2 * MIB): {"write": 1e5, "rewrite": 2e10, "stride_read": 3e5},
    },
    "/zpool/f",
)
GOLDEN = """\
\tAuto Mode
\tUsing minimum file size of 1024 kilobytes.
\tUsing maximum file size of 2048 kilobytes.
\tUsing Minimum Record Size 512 KB
\tUsing Maximum Record Size 2048 KB
\tCommand line used: iozone -a -n 1024k -g 2048k -y 512k -q 2048k -i 0 -i 5 -f /zpool/f
\tOutput is in Kbytes/sec
\tTime Resolution = 0.000001 seconds.
\tProcessor cache size set to 1024 Kbytes.
\tProcessor cache line size set to 32 bytes.
\tFile stride size set to 17 * record size.
                                                            random  random    bkwd   record   stride                                   \n\
              KB  reclen   write rewrite    read    reread    read   write    read  rewrite     read   fwrite frewrite   fread  freread
            1024     512   97656  195312                                                     292968                                  \n\
            1024    1024  146484  244140                                                     341796                                  \n\
            2048     512    9765   19531                                                      29296                                  \n\
            2048    1024     976    1953                                                       2929                                  \n\
            2048    2048      9719531250                                                        292                                  \n\

iozone test complete.
"""  # noqa: E501


def test_a_log_byte_for_byte() -> None:
    head, _, rest = iozone_automatic.render(SMALL).partition("\tAuto Mode\n")
    assert "\tAuto Mode\n" + rest == GOLDEN
    assert head.endswith("\tRun began: Mon Apr  2 09:05:00 2007\n\n")


OLDER = "64       4     101     102      103      104     105     106     107     108     109      110      111"
NEWER = "64       4     101     102      103      104     105     106     107      108      109      110      111"


@pytest.mark.parametrize(("version", "row"), [("3.263", OLDER), ("3.308", NEWER)])
def test_a_row_of_all_tests_has_the_columns_of_its_version(version: str, row: str) -> None:
    """As `%8d` and `%9d` of iozone.c have them: of 3.3 the columns of record rewrite and stride read are wider."""
    operations = [operation for pair in PAIRS for operation in pair]
    rates = {operation: at * KIB for at, operation in enumerate(operations, 101)}
    sizes = (64 * KIB, 4 * KIB)
    log = Log(Banner(STARTED, version), Sweep((sizes[0],) * 2, (sizes[1],) * 2), {sizes: rates}, "/mnt/f")
    assert f"\n              {row}     112      113\n" in iozone_automatic.render(log)


def test_the_log_says_that_it_is_reconstructed(tmp_path: Path) -> None:
    notes(iozone_automatic.render(SMALL), tmp_path)


def test_columns_are_found_without_the_command_line_too() -> None:
    text = iozone_automatic.render(SMALL)
    lines = [line for line in text.split("\n") if "Command line" not in line and "97195" not in line]
    assert {row["operation"] for row in parse("\n".join(lines)).runs} == {"write", "rewrite", "stride_read"}


def changed(**own: float) -> dict[str, object]:
    return {"throughput": {**SMALL.throughput, (MIB, MIB): {**SMALL.throughput[MIB, MIB], **own}}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"banner": Banner(STARTED, "3.424")}, "version: expected one from 3.200 to 3.423 for a table, found '3.424'"),
        ({"banner": Banner(STARTED, "3.199")}, "version: expected one from 3.200 to 3.479, found '3.199'"),
        ({"sweep": Sweep((MIB, MIB), (100.0, MIB))}, "record_sizes in units of 1024 B: expected a whole number"),
        ({"sweep": Sweep((-MIB, MIB), (MIB, MIB))}, "file_sizes: expected a finite number above 0"),
        ({"sweep": Sweep((MIB, MIB), (MIB, MIB))}, "throughput: expected operations of the 1 pairs of sizes"),
        ({"throughput": {}}, "throughput: expected operations of the 5 pairs of sizes"),
        ({"path": "a b"}, "path: expected text without white space, found 'a b'"),
        (changed(write=-1.0), "write: expected a finite number that is not negative, found -1.0"),
        (changed(write=1000.0), "write: expected at least 1024 B/s, found 1000.0"),
        (changed(write=math.inf), "write: .*found inf"),
        (changed(read=1e6), "throughput: expected write, rewrite, stride_read of .*, found .*, read"),
        ({"throughput": {(MIB, MIB): {"mixed_workload": 1e6}}}, "operation: expected one of write, .*'mixed_workload'"),
        ({"throughput": {(MIB, MIB): {"random_read": 1e6}}}, "tests: random_write always runs with random_read"),
    ],
)
def test_what_iozone_cannot_print_is_refused(changes: dict[str, object], message: str) -> None:
    log = dataclasses.replace(SMALL, **changes)  # type: ignore[arg-type]
    with pytest.raises(ReconstructError, match=message):
        iozone_automatic.render(log)

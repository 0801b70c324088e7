"""Logs of IOzone's throughput mode: rendered and read back, byte for byte, and what cannot be rendered."""

from __future__ import annotations

import dataclasses
import math
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.parsers import Row, parse
from storagelab.reconstruct.writers import iozone_throughput
from storagelab.reconstruct.writers.iozone_banner import Banner
from storagelab.reconstruct.writers.iozone_throughput import Child, Log, ThroughputTest
from storagelab.units import KIB, MIB
from tests.conftest import LOGS
from tests.reconstruct.writers.reading import notes, read_back

HALF = 0.005 * KIB
"""IOzone prints two decimals of 1024 B; besides, it keeps what a child says in single precision (2^-24)."""
SINGLE = 2.0**-24
SETS = (
    ("write", "rewrite", "read", "reread"),
    ("write", "read"),
    ("read",),
    ("random_read", "random_write", "backward_read", "stride_read", "mixed_workload"),
    ("write", "rewrite", "pwrite", "pread", "fwrite", "fread"),
)
BANNER = Banner(datetime(2010, 6, 1, 12, 0, 5), "3.327")
rates = st.floats(min_value=KIB, max_value=2e9)
sizes = st.integers(min_value=1, max_value=2**23).map(lambda size: size * KIB)


@st.composite
def logs(draw: st.DrawFn) -> Log:
    processes = draw(st.integers(min_value=1, max_value=12))
    children = st.lists(st.builds(Child, rates, sizes), min_size=processes, max_size=processes)
    tests = [ThroughputTest(operation, draw(rates), draw(children)) for operation in draw(st.sampled_from(SETS))]
    return Log(
        Banner(draw(st.datetimes(datetime(2000, 1, 1), datetime(2030, 1, 1))), draw(st.sampled_from(VERSIONS))),
        file_size=draw(sizes),
        record_size=draw(sizes),
        tests=draw(st.permutations(tests)),
        files=draw(st.sampled_from([(), tuple(f"/mnt/test/f{child}" for child in range(processes))])),
        fsync=draw(st.booleans()),
        lists_children=draw(st.booleans()),
    )


VERSIONS = ("3.263", "3.308", "3.347", "3.373", "3.424", "3.471")


def near(found: object, expected: float, children: int = 1) -> bool:
    return isinstance(found, float) and math.isclose(
        found, expected, rel_tol=SINGLE, abs_tol=HALF * (1 + 1e-9) + children * SINGLE * expected
    )


@settings(max_examples=60)
@given(logs())
def test_every_number_comes_back(log: Log) -> None:
    parsed = read_back(iozone_throughput.render(log), "iozone")
    assert parsed.header["tool_version"] == log.banner.version
    assert parsed.header["started"] == log.banner.started.replace(microsecond=0).isoformat()
    assert (parsed.header["file_size"], parsed.header["record_size"]) == (log.file_size, log.record_size)
    assert parsed.header["processes"] == log.processes
    rows = {row["operation"]: row for row in parsed.runs}
    assert set(rows) == {test.operation for test in log.tests}
    for test in log.tests:
        holds(test, rows[test.operation])
        shares = [row for row in parsed.clients if row["operation"] == test.operation]
        assert len(shares) == (log.processes if log.lists_children else 0)
        for child, share in zip(test.children, shares, strict=False):
            assert near(share["throughput"], child.throughput)
            assert near(share["data_size"], child.data_size)


def holds(test: ThroughputTest, row: Row) -> None:
    own = [child.throughput for child in test.children]
    assert near(row["throughput"], test.throughput, len(own))
    assert near(row["throughput_parent"], test.throughput_parent)
    assert near(row["throughput_min"], min(own))
    assert near(row["throughput_max"], max(own))
    assert near(row["throughput_mean"], test.throughput / len(own), len(own))
    assert near(row["data_size_min"], min(child.data_size for child in test.children))


SMALL = Log(
    BANNER,
    file_size=64 * MIB,
    record_size=MIB,
    tests=(
        ThroughputTest("read", 50 * MIB, (Child(25.5 * MIB, 64 * MIB), Child(25 * MIB, 63 * MIB))),
        ThroughputTest("write", 9.5 * MIB, (Child(0.0, 0.0), Child(10 * MIB, 64 * MIB))),
    ),
    files=("/mnt/a", "/mnt/b"),
)
GOLDEN = """\
# reconstructed from published numbers and a model of the test bed, not measured
\tIozone: Performance Test of File I/O
\t        Version $Revision: 3.327 $
\t\tCompiled for 64 bit mode.
\t\tBuild: linux-AMD64 \n
\tContributors:William Norcott, Don Capps, Isom Crawford, Kirby Collins
\t             Al Slater, Scott Rhine, Mike Wisner, Ken Goss
\t             Steve Landherr, Brad Smith, Mark Kelly, Dr. Alain CYR,
\t             Randy Dunlap, Mark Montague, Dan Million, Gavin Brebner,
\t             Jean-Marc Zucconi, Jeff Blomberg, Benny Halevy,
\t             Erik Habbinga, Kris Strecker, Walter Wong, Joshua Root.

\tRun began: Tue Jun  1 12:00:05 2010

\tFile size set to 65536 KB
\tRecord Size 1024 KB
\tNo retest option selected
\tInclude fsync in write timing
\tCommand line used: iozone -t 2 -s 65536k -r 1024k -i 0 -i 1 -+n -e -C -F /mnt/a /mnt/b
\tOutput is in Kbytes/sec
\tTime Resolution = 0.000001 seconds.
\tProcessor cache size set to 1024 Kbytes.
\tProcessor cache line size set to 32 bytes.
\tFile stride size set to 17 * record size.
\tThroughput test with 2 processes
\tEach process writes a 65536 Kbyte file in 1024 Kbyte records

\tChildren see throughput for  2 initial writers \t=   10240.00 KB/sec
\tParent sees throughput for  2 initial writers \t=    9728.00 KB/sec
\tMin throughput per process \t\t\t=   10240.00 KB/sec \n\
\tMax throughput per process \t\t\t=   10240.00 KB/sec
\tAvg throughput per process \t\t\t=    5120.00 KB/sec
\tMin xfer \t\t\t\t\t=   65536.00 KB
\tChild[0] xfer count =       0.00 KB, Throughput =       0.00 KB/sec
\tChild[1] xfer count =   65536.00 KB, Throughput =   10240.00 KB/sec

\tChildren see throughput for  2 readers \t\t=   51712.00 KB/sec
\tParent sees throughput for  2 readers \t\t=   51200.00 KB/sec
\tMin throughput per process \t\t\t=   25600.00 KB/sec \n\
\tMax throughput per process \t\t\t=   26112.00 KB/sec
\tAvg throughput per process \t\t\t=   25856.00 KB/sec
\tMin xfer \t\t\t\t\t=   64512.00 KB
\tChild[0] xfer count =   65536.00 KB, Throughput =   26112.00 KB/sec
\tChild[1] xfer count =   64512.00 KB, Throughput =   25600.00 KB/sec



iozone test complete.
"""


def test_a_log_byte_for_byte() -> None:
    assert iozone_throughput.render(SMALL) == GOLDEN


def test_the_log_says_that_it_is_reconstructed(tmp_path: Path) -> None:
    notes(GOLDEN, tmp_path)


def test_newer_versions_spell_units_otherwise() -> None:
    text = iozone_throughput.render(dataclasses.replace(SMALL, banner=Banner(BANNER.started, "3.465")))
    assert "\tEach process writes a 65536 kByte file in 1024 kByte records\n" in text
    assert "10240.00 kB/sec" in text
    assert "KB" not in text


def changed(**changes: object) -> Log:
    return dataclasses.replace(SMALL, **changes)  # type: ignore[arg-type]


def with_test(**changes: object) -> Log:
    return changed(files=(), tests=(dataclasses.replace(SMALL.tests[0], **changes),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (changed(file_size=1500.0), "file_size in units of 1024 B: expected a whole number.*1.46"),
        (changed(record_size=-1.0), "record_size: expected a finite number above 0, found -1.0"),
        (changed(files=("/mnt/a",)), "files: expected one a process, 2, found 1"),
        (changed(files=("/mnt/a b", "/mnt/c")), "file: expected text without white space, found '/mnt/a b'"),
        (changed(tests=()), r"tests: expected some, with as many children each, found \[\]"),
        (changed(tests=(SMALL.tests[0], ThroughputTest("write", 1.0, ()))), r"children each, found \[0, 2\]"),
        (changed(banner=Banner(BANNER.started, "3.508")), "version: expected one from 3.200 to 3.479, found '3.508'"),
        (changed(banner=Banner(BANNER.started, "3.3\n")), "version: expected one from 3.2"),
        (changed(banner=Banner(BANNER.started, build="a b")), "build: expected text without white space"),
        (changed(banner=Banner(BANNER.started, program="a\nb")), "option: expected text on one line"),
        (with_test(operation="append"), "operation: expected one of write, .*, once, found 'append'"),
        (changed(tests=SMALL.tests[:1] * 2), "once, found 'read'"),
        (with_test(operation="reread"), "tests: read always runs with reread"),
        (with_test(operation="random_read"), "tests: random_write always runs with random_read"),
        (with_test(throughput_parent=math.nan), "throughput_parent: .*not negative, found nan"),
        (with_test(children=(Child(-1.0, 0.0),)), "throughput: .*not negative, found -1.0"),
        (with_test(children=(Child(1e300, 1.0),)), "throughput: expected a number that single precision can hold"),
        (with_test(children=(Child(1.0, math.inf),)), "data_size: .*not negative, found inf"),
    ],
)
def test_what_iozone_cannot_print_is_refused(log: Log, message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        iozone_throughput.render(log)


def test_the_numbers_of_a_real_log_give_its_tests_again() -> None:
    real = (LOGS / "iozone" / "throughput_c8_children.log").read_text()
    parsed = parse(real)
    tests = [
        ThroughputTest(
            str(row["operation"]),
            float(row["throughput_parent"]),
            [
                Child(float(share["throughput"]), float(share["data_size"]))
                for share in parsed.clients
                if share["operation"] == row["operation"]
            ],
        )
        for row in parsed.runs
    ]
    log = Log(Banner(BANNER.started, "3.471"), 48 * MIB, MIB, tests)
    cut = "\tThroughput test with 8 processes\n"
    ours, theirs = (without_means(text.partition(cut)[2]) for text in (iozone_throughput.render(log), real))
    assert ours == theirs


def without_means(text: str) -> str:
    """Leave out sums and means: the children's rates are rounded before they can be added up here."""
    return "\n".join(line for line in text.split("\n") if "Children see" not in line and "Avg" not in line)

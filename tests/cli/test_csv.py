"""CSV of many logs: narrow, in bounded memory, the same bytes whatever the number of workers."""

from __future__ import annotations

import csv
import gzip
import io
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from storagelab.cli import csv_table
from tests.cli.conftest import Cli
from tests.conftest import LOGS, ROOT

IOR = ROOT / "raw" / "loopback-2026" / "ior" / "xfs"
STATUS = Path("/proc/self/status")
PEAK = """
import sys
from pathlib import Path
from storagelab.cli import parse
parse.parse([Path(sys.argv[1])], "csv", Path(sys.argv[2]), "", ())
(peak,) = (line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(int(peak) // 1024)
"""
"""What getrusage says counts what the parent had when it started the process: with pytest above it nothing grows."""


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("logs", [IOR, LOGS / "ior", LOGS / "dd", LOGS / "fio_json"])
def test_nothing_is_left_out_but_the_sha256_and_what_is_empty(logs: Path, cli: Cli) -> None:
    rows, whole = (table(cli("parse", logs, "--to", "csv", *how).out) for how in ((), ("--wide",)))
    says = {name for row in whole for name, value in row.items() if value and name != "log_sha256"}
    assert [*rows[0]] == [name for name in whole[0] if name in says]
    assert rows == [{name: value for name, value in row.items() if name in says} for row in whole]
    assert all(len(row["log_sha256"]) == 64 for row in whole)


@pytest.mark.slow
def test_the_bytes_of_tables_are_the_same_whatever_the_number_of_workers(tmp_path: Path, cli: Cli) -> None:
    for suffix in ("csv", "jsonl", "csv.gz"):
        made = []
        for workers in (1, 2, 3):
            output = tmp_path / f"{workers}.{suffix}"
            assert (
                cli("parse", IOR, LOGS / "dd", "-o", output, "--workers", workers).code == 1
            )  # a golden table is no log
            made.append(output.read_bytes())
        assert made[0] == made[1] == made[2]
    assert gzip.decompress(made[0]) == (tmp_path / "1.csv").read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(
    not STATUS.exists(), reason=f"the peak of a process's own memory stands in {STATUS}, on Linux alone"
)
def test_memory_does_not_grow_with_the_logs(tmp_path: Path) -> None:
    """Eight times the logs, and at most 30 MB more."""
    text = (ROOT / "raw" / "loopback-2026" / "iozone" / "xfs" / "kernel_loop-direct_auto_c01_r1.log").read_bytes()
    peaks = []
    for count in (25, 200):
        folder = tmp_path / f"{count}"
        folder.mkdir()
        for number in range(count):
            (folder / f"{number}.log").write_bytes(text)
        asked = [sys.executable, "-c", PEAK, str(folder), str(tmp_path / f"{count}.csv")]
        peaks.append(int(subprocess.run(asked, capture_output=True, text=True, check=True, cwd=ROOT).stdout))
    assert peaks[1] - peaks[0] < 30, peaks


@pytest.mark.parametrize(("column", "levels"), [
    (np.array([2.0, 2.0]), {2.0}), (np.array([1.0, 3.0, 2.0]), {1.0, 3.0}), (np.array([math.nan, 1.0]), {""}),
    (np.array([]), set()), (["a", "a"], {"a"}), (["a", "b", "b"], {"a", "b"}),
    ([], {"otherwise"}),
])  # fmt: skip
def test_a_column_has_no_level_or_one_or_several(column: object, levels: set[object]) -> None:
    found = csv_table.levels({"key": column}, "key", "otherwise")  # type: ignore[dict-item]
    assert {str(level) for level in found} == {str(level) for level in levels}

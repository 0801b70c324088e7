"""What a recorded command says of a log that does not show it: which side of a copy was no storage."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from storagelab import frame
from storagelab.ingest import ingest

COPIED = "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.5 s, 134 MB/s\n"
BOTH = {"read": 134217728.0, "write": 134217728.0}
SIDECAR = "id: copies\ntitle: Copies\norigin: measured\nkeys: {filesystem: ext4, clients: 1}\n"


def throughputs(folder: Path, command: str, log: str = COPIED) -> dict[str, float]:
    """Rates of a study with one log of dd, by operation; none where the row has no rate."""
    folder.mkdir()
    (folder / "study.yaml").write_text(SIDECAR)
    (folder / "runs.csv").write_text(f'file,command\none.log,"{command}"\n')
    (folder / "one.log").write_text(log)
    rows = frame(ingest(folder)["runs"].to_dataset())
    assert rows["records"].tolist() == [64.0, 64.0]
    return {row["operation"]: row["throughput"] for row in rows.to_dict("records") if not math.isnan(row["throughput"])}


@pytest.mark.parametrize(("command", "expected"), [
    ("dd if=/dev/zero of=/mnt/f bs=1M count=64 conv=fdatasync", {"write": BOTH["write"]}),
    ("sudo /bin/dd if=/mnt/f of=/dev/null bs=1M", {"read": BOTH["read"]}),
    ("dd if=/mnt/f of=/mnt/g bs=1M", BOTH),
    ("dd of=/mnt/f bs=1M", BOTH),
    ("dd if=/dev/zero of=/dev/null bs=1M count=64", BOTH),
    ("sh -c 'dd if=/dev/zero of=f; dd if=f of=/dev/null'", BOTH),
    ("./copy.sh", BOTH),
])  # fmt: skip
def test_the_time_of_a_copy_is_that_of_the_side_that_is_storage(
    command: str, expected: dict[str, float], tmp_path: Path
) -> None:
    assert throughputs(tmp_path / "copies", command) == expected


def test_the_command_that_the_log_shows_is_asked_first(tmp_path: Path) -> None:
    shown = f"$ dd if=/mnt/f of=/dev/null bs=1M\n{COPIED}"
    assert throughputs(tmp_path / "copies", "ssh node1 dd if=/dev/zero of=/mnt/f", shown) == {"read": BOTH["read"]}


@pytest.mark.parametrize(("command", "operation"), [("dd if=/mnt/f of=/dev/null", "read"), ("dd of=/mnt/f", "write")])
def test_progress_is_of_the_side_that_is_storage(command: str, operation: str, tmp_path: Path) -> None:
    going = "33554432 bytes (34 MB, 32 MiB) copied, 1 s, 33.6 MB/s\r"
    throughputs(tmp_path / "copies", command, f"{going}\n{COPIED}")
    assert frame(ingest(tmp_path / "copies")["series"].to_dataset())["operation"].tolist() == [operation]

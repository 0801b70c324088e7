"""Counters that are read again and again while a run goes on: what moved in each interval, and how fast."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from storagelab import schema
from storagelab.errors import SidecarError
from storagelab.ingest import ingest
from storagelab.reconstruct.writers import proc_net_dev
from storagelab.reconstruct.writers.proc_net_dev import Counted, Interface, Readings, Snapshot

BOOT = 1300450000.0
STUDY = """\
id: counted
title: Timed readings
origin: reconstructed
"""


def readings(times: Sequence[float], received: Sequence[float], bits: int = 64) -> str:
    snapshots = tuple(
        Snapshot((Interface("eth0", Counted(size, size // 1000), Counted(10.0, 1.0)),), counter_bits=bits)
        for size in received
    )
    return proc_net_dev.render(Readings(tuple(BOOT + time for time in times), snapshots))


def study(parent: Path, logs: dict[str, str]) -> Path:
    folder = parent / "counted"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    rows = ["file,role,client,clients,run_id,basis"]
    for client, text in logs.items():
        (folder / f"{client}.txt").write_text(text)
        rows.append(f"{client}.txt,netdev_readings,{client},{len(logs)},run,model")
    (folder / "runs.csv").write_text("\n".join(rows) + "\n")
    return folder


def received(tree: xr.DataTree, node: str) -> xr.Dataset:
    ds = tree[node].to_dataset()
    return ds.isel(obs=np.flatnonzero(ds.operation == "receive"))


def test_each_interval_is_a_part_with_bytes_time_and_rate(tmp_path: Path) -> None:
    logs = {"a": readings([0, 10, 30], [0, 1e9, 5e9]), "b": readings([0, 20, 30], [7e9, 8e9, 9e9])}
    tree = ingest(study(tmp_path, logs))
    clients = received(tree, "clients")
    assert list(clients.part.values) == [1, 2, 1, 2]
    assert list(clients.throughput.values) == [1e8, 2e8, 5e7, 1e8]
    assert list(clients.network_received.values) == [1e9, 4e9, 1e9, 1e9]
    assert list(clients.elapsed.values) == [10, 20, 20, 10]
    assert list(received(tree, "runs").throughput.values) == [1.5e8, 3e8]


def test_what_moved_leads_to_both_readings(tmp_path: Path) -> None:
    text = readings([0, 10, 30], [0, 1e9, 5e9])
    clients = received(ingest(study(tmp_path, {"a": text})), "clients")
    lines = text.split("\n")
    for before, after, moved in zip(
        clients["counter_before_line"].values, clients["line"].values, clients["network_received"].values, strict=True
    ):
        first, second = (int(lines[int(at) - 1].split(":")[1].split()[0]) for at in (before, after))
        assert second - first == moved
    assert set(clients["network_received_line"].values) == {schema.COMPUTED}
    assert "counter_before_log_id" not in clients.variables


def test_two_readings_are_one_interval_with_its_place_in_time(tmp_path: Path) -> None:
    logs = {"a": readings([0, 10], [0, 1e9]), "b": readings([5, 15], [0, 2e9])}
    runs = received(ingest(study(tmp_path, logs)), "runs")
    assert runs.sizes["obs"] == 1
    assert float(runs.throughput.item()) == 3e8
    assert float(runs.throughput_span.item()) == 3e9 / 15
    assert float(runs.start_time.item()) == BOOT


def test_the_readings_themselves_stay_samples_of_the_series(tmp_path: Path) -> None:
    series = ingest(study(tmp_path, {"a": readings([0, 10], [0, 1e9])}))["series"].to_dataset()
    assert sorted(set(series.time.values)) == [0, 10]


def test_a_counter_of_32_bits_that_ran_over_is_mended(tmp_path: Path) -> None:
    tree = ingest(study(tmp_path, {"a": readings([0, 10], [4e9, 5e9], bits=32)}))
    assert float(received(tree, "clients").network_received.item()) == 1e9


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (readings([0], [0]), r"runs.csv:2: a.txt: expected two readings or more with their times, found 1"),
        (readings([0, 1], [0, 9]).replace("1300450001.000000000\n", ""), "expected two readings .* their times"),
        (readings([0, 1], [2**60, 5]), "the counters of eth0 were reset"),
    ],
)
def test_readings_that_cannot_be_told_apart_in_time_are_refused(tmp_path: Path, text: str, wrong: str) -> None:
    folder = study(tmp_path, {"a": text})
    with pytest.raises(SidecarError, match=wrong):
        ingest(folder)

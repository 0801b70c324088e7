"""What a careless or a dishonest hand does to the logs of a campaign, each done to raw logs and sidecars.

The campaign is a cut-out of cluster-2026. What slows or speeds a run is planted as the tool would have printed it
(rates of whole microseconds, rates and times together), so that it is not found by how it was written down.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from tests.analysis.validity import broken
from tests.studies import cut_out, declare_copies

Row = dict[str, str]
LAYOUTS = {"dist": "distribute", "shard": "distribute+shard", "rep3": "replicate", "ec21": "disperse"}
DESIGN = [
    {
        "name": "external clients",
        "where": {"client_location": "external"},
        "factors": {
            "layout": list(LAYOUTS.values()),
            "clients": [1, 2, 3],
            "operation_group": ["write", "read", "skim"],
            "repeat": [1, 2, 3],
        },
    }
]
RATE = re.compile(r"(?<== )( *)(\d+\.\d\d)(?= kB/sec)")
SIZE = re.compile(r"File size set to (\d+) kB")
BEGAN = re.compile(r"(?<=Run began: ).*")
CTIME = "%a %b %d %H:%M:%S %Y"
FIO_RATES = ("bw_bytes", "bw", "iops", "bw_min", "bw_max", "bw_mean", "iops_min", "iops_max", "iops_mean")


def campaign(folder: Path) -> Path:
    """Cut four layouts with one to three external clients, written, read and skimmed three times each."""

    def wanted(row: Mapping[str, str]) -> bool:
        return row["client_location"] == "external" and row["clients"] in ("1", "2", "3")

    return broken.with_design(cut_out("cluster-2026", wanted, folder), DESIGN)


@dataclass(frozen=True)
class Log:
    """A benchmark's log of the campaign: where it is and what runs.csv says of it."""

    path: Path
    row: Row

    @property
    def rates(self) -> list[float]:
        """Rates that an IOzone log prints, in its kB/s."""
        return [float(found[2]) for found in RATE.finditer(self.path.read_text())]


def rows_of(folder: Path) -> list[Row]:
    """Rows of runs.csv."""
    with (folder / "runs.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def write_rows(folder: Path, rows: Sequence[Row]) -> None:
    """Write runs.csv anew."""
    with (folder / "runs.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def logs(folder: Path, kind: str = "benchmark", **where: str) -> list[Log]:
    """Logs of a kind whose row has some values."""
    rows = [row for row in rows_of(folder) if row["kind"] == kind]
    chosen = [row for row in rows if all(row[name] == value for name, value in where.items())]
    assert chosen, f"no log has {where}"
    return [Log(folder / row["file"], row) for row in chosen]


# --- numbers of a log


def change_rates(log: Log, change: Callable[[float, int], float]) -> None:
    """Give each rate of IOzone a new value, by its value [kB/s] and its place; nothing else."""
    places = iter(range(10_000))
    text = log.path.read_text()
    log.path.write_text(RATE.sub(lambda found: f"{found[1]}{change(float(found[2]), next(places)):.2f}", text))
    assert log.path.read_text() != text, "nothing was planted"


def change_fio(log: Log, factor: float, *, times: bool) -> None:
    """Multiply the rates of a fio report, and divide its times where the change is to be one of the machine."""
    report = json.loads(log.path.read_text())
    for job in report["jobs"]:
        part = job["read"]
        if times:
            part["runtime"] = max(1, round(part["runtime"] / factor))
            exact = part["io_bytes"] * 1000 / part["runtime"] / part["bw_bytes"]
            latencies = [part[name] for name in ("lat_ns", "clat_ns", "slat_ns")]
            for latency in latencies:
                for name in ("min", "max", "mean", "stddev"):
                    latency[name] = type(latency[name])(latency[name] / exact)
        else:
            exact = factor
        for name in FIO_RATES:
            part[name] = type(part[name])(part[name] * exact)
    log.path.write_text(json.dumps(report, indent=2))


def faster(log: Log, factor: float) -> None:
    """Make a client faster by a factor, as its tool would have printed it."""
    if log.row["tool"] == "fio":
        change_fio(log, factor, times=True)
        return
    found = SIZE.search(log.path.read_text())
    assert found
    size = float(found[1])
    change_rates(log, lambda rate, _: size / (round(size / rate / factor * 1e6) / 1e6))


def other_unit(log: Log, factor: float = 1.024) -> None:
    """Take the unit of all rates for another: kB/s that were written down as KiB/s."""
    if log.row["tool"] == "fio":
        change_fio(log, factor, times=False)
    else:
        change_rates(log, lambda rate, _: rate * factor)


# --- clocks and counters


def set_clock(log: Log, seconds: float) -> None:
    """Put the clock of a log forward."""
    text = log.path.read_text()
    if log.row["tool"] == "fio":
        report = json.loads(text)
        report["timestamp"] += round(seconds)
        report["timestamp_ms"] += round(1000 * seconds)
        moment = datetime.fromtimestamp(report["timestamp"], UTC)
        log.path.write_text(json.dumps({**report, "time": moment.strftime(CTIME)}, indent=2))
        return

    def later(found: re.Match[str]) -> str:
        moment = datetime.strptime(found[0].strip(), CTIME).replace(tzinfo=UTC)
        return (moment + timedelta(seconds=round(seconds))).strftime(CTIME)

    log.path.write_text(BEGAN.sub(later, text))
    assert abs(seconds) < 1 or log.path.read_text() != text, "no clock was moved"


def moved_to(text: str, seconds: float) -> str:
    """Add seconds to a moment of runs.csv."""
    return (datetime.fromisoformat(text) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


def starts(folder: Path) -> dict[str, str]:
    """Start of each run, in the order in which they ran."""
    found = {row["run_id"]: row["started_utc"] for row in rows_of(folder)}
    return dict(sorted(found.items(), key=lambda item: item[1]))


def in_another_order(folder: Path, order: Sequence[str]) -> None:
    """Let the runs of a campaign take place in another order: list, logs and counters all say so."""
    before = starts(folder)
    slots = list(before.values())
    begins = dict(zip(order, slots, strict=True))
    rows = rows_of(folder)
    for row in rows:
        later = datetime.fromisoformat(begins[row["run_id"]]) - datetime.fromisoformat(before[row["run_id"]])
        if row["kind"] == "benchmark":
            set_clock(Log(folder / row["file"], row), later.total_seconds())
        row["started_utc"] = begins[row["run_id"]]
    write_rows(folder, rows)
    count_anew(folder)


COUNTERS = re.compile(r"(?<=eth0: )(\d+)((?:\s+\d+){7}\s+)(\d+)")


def counted(path: Path) -> tuple[int, int]:
    """Bytes received and sent, as a reading of counters has them."""
    found = COUNTERS.search(path.read_text())
    assert found
    return int(found[1]), int(found[3])


def count(path: Path, received: int, sent: int) -> None:
    """Write other bytes into a reading of counters."""
    text = COUNTERS.sub(lambda found: f"{received}{found[2]}{sent}", path.read_text())
    path.write_text(text)


def count_anew(folder: Path) -> None:
    """Let the counters of each client rise again in the order of the runs, by what they rose in each."""
    pairs: dict[tuple[str, str], dict[str, Path]] = {}
    for row in rows_of(folder):
        if row["kind"] != "benchmark":
            pairs.setdefault((row["client"], row["run_id"]), {})[row["kind"]] = folder / row["file"]
    order = {run: place for place, run in enumerate(starts(folder))}
    total: dict[str, tuple[int, int]] = {}
    for (client, _), pair in sorted(pairs.items(), key=lambda item: order[item[0][1]]):
        first, second = counted(pair["netdev_before"]), counted(pair["netdev_after"])
        begin = tuple(value + 4000 for value in total.get(client, (10**6, 10**6)))
        end = tuple(value + after - before for value, before, after in zip(begin, first, second, strict=True))
        count(pair["netdev_before"], *begin)
        count(pair["netdev_after"], *end)
        total[client] = (end[0], end[1])


# --- the plants


def copied_run(folder: Path) -> None:
    """A run that was lost is made up from another repeat, and its date is changed."""
    for kind in ("iozone.log", "netdev_before.txt", "netdev_after.txt"):
        for client in ("cli1", "cli2"):
            source, target = (folder / f"gluster/dist/dist_external_02_write_r{n}/{client}.{kind}" for n in (1, 3))
            began = BEGAN.search(target.read_text())
            shutil.copy(source, target)
            if began:
                target.write_text(BEGAN.sub(began[0], target.read_text()))
    declare_copies(folder)


def copied_client(folder: Path) -> None:
    """A client's log that was lost is made up from that of another client of the run, its name changed."""
    run = folder / "gluster/rep3/rep3_external_03_read_r2"
    (run / "cli3.iozone.log").write_text((run / "cli2.iozone.log").read_text().replace("cli2", "cli3"))


def shuffled_starts(folder: Path) -> None:
    """A column of starts that was sorted without the others."""
    before = starts(folder)
    mixed = dict(zip(before, np.random.default_rng(5).permutation(list(before.values())).tolist(), strict=True))
    write_rows(folder, [{**row, "started_utc": mixed[row["run_id"]]} for row in rows_of(folder)])


def clock_off(folder: Path) -> None:
    """The clock of one client is an hour ahead in the whole campaign."""
    for log in logs(folder, client="cli2"):
        set_clock(log, 3600)


def late_client(folder: Path) -> None:
    """One client of one run begins a minute after the others."""
    for log in logs(folder, client="cli3", run_id="dist_external_03_skim_r2"):
        set_clock(log, 60)


def unit_of_a_repeat(folder: Path) -> None:
    """Rates of one repeat were written down in another unit."""
    for log in logs(folder, repeat="2"):
        other_unit(log)


def unit_of_a_layout(folder: Path) -> None:
    """Rates of one layout were written down in another unit."""
    for log in logs(folder, layout="disperse"):
        other_unit(log)


def whole_rates(folder: Path) -> None:
    """Rates of one layout were cut to whole MB/s."""
    for log in logs(folder, layout="replicate", tool="iozone"):
        change_rates(log, lambda rate, _: max(1, int(rate / 1000)) * 1000.0)


def warm_repeat(folder: Path) -> None:
    """The first repeat found its files in the memory of the servers: faster by 1.4, where the link allows it."""
    for log in logs(folder, layout="replicate", repeat="1"):
        if log.row["operation_group"] == "write":
            faster(log, 1.4)


def step_with_the_layout(folder: Path) -> None:
    """The layouts ran one after the other, and the machine became slower by 15 % in between."""
    of = {row["run_id"]: row["layout"] for row in rows_of(folder)}
    order = sorted(starts(folder), key=lambda run: list(LAYOUTS.values()).index(of[run]))
    in_another_order(folder, order)
    for log in logs(folder):
        if log.row["layout"] in ("replicate", "disperse"):
            faster(log, 0.85)


def invented_repeats(folder: Path) -> None:
    """Two of three repeats were never run: the first one's rates, give or take 0.05 %."""
    random = np.random.default_rng(7)
    for log in logs(folder, layout="distribute+shard", clients="3", tool="iozone"):
        if log.row["repeat"] != "1":
            first = Log(Path(re.sub(r"_r\d/", "_r1/", str(log.path))), log.row)
            rates, drawn = first.rates, random.uniform(-0.0005, 0.0005, 2)
            change_rates(log, lambda _, n, rates=rates, drawn=drawn: rates[n] * (1 + drawn[n // 5]))  # type: ignore[misc]


def best_of_three(folder: Path) -> None:
    """The best of three repeats stands for all of them."""
    for group in ("write", "read"):
        of_group = [f"dist_external_03_{group}_r{n}" for n in (1, 2, 3)]
        sums = {run: sum(log.rates[0] for log in logs(folder, run_id=run)) for run in of_group}
        best = max(sums, key=lambda run: sums[run])
        for run in of_group:
            for log in logs(folder, run_id=run) if run != best else ():
                rates = Log(folder / log.row["file"].replace(run, best), log.row).rates
                change_rates(log, lambda _, n, rates=rates: rates[n])  # type: ignore[misc]


def slow_client(folder: Path) -> None:
    """One client is twice as slow as it would be, in every run."""
    for log in logs(folder, client="cli2"):
        faster(log, 0.5)


def restarted_client(folder: Path) -> None:
    """A client's host was restarted in the middle of the campaign: its counters began anew."""
    order = list(starts(folder))
    late = set(order[len(order) // 2 :])
    readings = [log for kind in ("netdev_before", "netdev_after") for log in logs(folder, kind, client="cli1")]
    changed = [log for log in readings if log.row["run_id"] in late]
    least = np.min([counted(log.path) for log in changed], axis=0).tolist()
    for log in changed:
        received, sent = counted(log.path)
        count(log.path, received - least[0] + 500, sent - least[1] + 700)


def overlapping_runs(folder: Path) -> None:
    """A run was started while the one before had not ended."""
    order = list(starts(folder))
    first = "rep3_external_03_write_r2"
    second = order[order.index(first) + 1]
    begin = datetime.fromisoformat(starts(folder)[first]) + timedelta(seconds=4)
    later = (begin - datetime.fromisoformat(starts(folder)[second])).total_seconds()
    rows = rows_of(folder)
    for row in rows:
        if row["run_id"] == second:
            row["started_utc"] = moved_to(row["started_utc"], later)
            if row["kind"] == "benchmark":
                set_clock(Log(folder / row["file"], row), later)
    write_rows(folder, rows)


def another_condition(folder: Path) -> None:
    """Logs of a run on one layout were saved under the name of another layout, whose own were lost."""
    for path in (folder / "gluster/rep3/rep3_external_02_write_r3").iterdir():
        other = folder / "gluster/ec21/ec21_external_02_write_r3" / path.name
        began = BEGAN.search(other.read_text())
        received = counted(other) if "netdev" in other.name else None
        before = counted(other.with_name(other.name.replace("after", "before"))) if received else (0, 0)
        begun = counted(path.with_name(path.name.replace("after", "before"))) if received else (0, 0)
        moved = counted(path) if received else (0, 0)
        shutil.copy(path, other)
        if began:
            other.write_text(BEGAN.sub(began[0], other.read_text()))
        if received:
            count(other, *(own + end - begin for own, begin, end in zip(before, begun, moved, strict=True)))


def direct_io(folder: Path) -> None:
    """A run was made anew by hand, past the caches of its clients."""
    for path in (folder / "gluster/dist/dist_external_02_write_r1").glob("*.iozone.log"):
        path.write_text(path.read_text().replace("iozone -t 1 ", "iozone -I -t 1 ", 1))


def bump_in_the_middle(folder: Path) -> None:
    """The middle third of the campaign was slower by a quarter; the machine recovered."""
    order = list(starts(folder))
    middle = set(order[len(order) // 3 : 2 * len(order) // 3])
    for log in logs(folder):
        if log.row["run_id"] in middle:
            faster(log, 0.75)


Plant = Callable[[Path], None]

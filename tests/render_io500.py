"""Logs of IO500 as its forms print them, out of invented numbers: none of its published logs may be copied here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MODERN = (
    "ior-easy-write", "mdtest-easy-write", "timestamp", "ior-hard-write", "mdtest-hard-write", "find", "ior-easy-read",
    "mdtest-easy-stat", "ior-hard-read", "mdtest-hard-stat", "mdtest-easy-delete", "mdtest-hard-read",
    "mdtest-hard-delete", "ior-rnd4K-easy-read",
)  # fmt: skip
UNSCORED = ("timestamp", "ior-rnd4K-easy-read", "mdworkbench-create", "mdworkbench-delete")
EXTENDED = ("ior-rnd1MB-write", "mdworkbench-create", "find-easy", "mdworkbench-bench", "mdworkbench-delete")


@dataclass(frozen=True)
class Result:
    """A phase's bandwidth in GiB/s or rate in thousands a second, its seconds, and the tool's verdict."""

    value: float
    seconds: float
    invalid: bool = False


Results = Mapping[str, Result]


def is_bandwidth(phase: str) -> bool:
    return phase.startswith("ior")


def scores(results: Results, *, extended: bool = False) -> tuple[float, float, float]:
    """Geometric means of bandwidths and of rates that count, and the geometric mean of both."""
    wanted = results if extended else MODERN
    scored = {phase: result.value for phase, result in results.items() if phase in wanted and phase not in UNSCORED}
    bandwidth = _mean([value for phase, value in scored.items() if is_bandwidth(phase)])
    rate = _mean([value for phase, value in scored.items() if not is_bandwidth(phase)])
    return bandwidth, rate, math.sqrt(bandwidth * rate)


def _mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def summary(results: Results, version: str = "io500-isc25_v2 (standard)") -> str:
    """result_summary.txt of the C application."""
    lines = [f"IO500 version {version}"] if version else []
    for phase, result in results.items():
        tag = "      " if phase in UNSCORED else "RESULT"
        unit = "GiB/s" if is_bandwidth(phase) else "kIOPS"
        verdict = " [INVALID]" if result.invalid else ""
        lines.append(f"[{tag}] {phase:>20} {result.value:15.6f} {unit} : time {result.seconds:.3f} seconds{verdict}")
    verdict = " [INVALID]" if any(result.invalid for result in results.values()) else ""
    bandwidth, rate, total = scores(results)
    lines.append(f"[SCORE ] Bandwidth {bandwidth:f} GiB/s : IOPS {rate:f} kiops : TOTAL {total:f}{verdict}")
    if "(extended)" in version:
        bandwidth, rate, total = scores(results, extended=True)
        lines.append(f"[SCOREX] Bandwidth {bandwidth:f} GiB/s : IOPS {rate:f} kiops : TOTAL {total:f}{verdict}")
    return "\n".join(lines) + "\n"


def script_log(results: Results) -> str:
    """The log of the shell script of 2018: every result when it is there, and all of them again at the end."""
    lines = ["System:  n1", "date=2018.05.12-13.55.14", "io500_ior_easy_params='-t 2048k -b 20g -F'"]
    lines += ["Running the IO500 Benchmark now", "[Creating] directories"]
    said = [_script_line(number, phase, result) for number, (phase, result) in enumerate(results.items(), 1)]
    for (phase, result), line in zip(results.items(), said, strict=True):
        name = phase.replace("-", "_")
        lines += ["", f"[Starting] {name}", f"[Exec] srun {_command(phase)}", f"[Results] in results/{name}.txt."]
        if phase == "find":
            lines.append(f"[FIND] MATCHED 1200/260000 in {result.seconds:.4f} seconds")
        lines.append(line)
    bandwidth, rate, total = scores(results)
    end = f"[SCORE] Bandwidth {bandwidth:g} GB/s : IOPS {rate:g} kiops : TOTAL {total:g}"
    return "\n".join([*lines, "", "[Leaving] datafiles in data/", *said, end]) + "\n"


def _script_line(number: int, phase: str, result: Result) -> str:
    kind, unit = ("BW  ", "GB/s") if is_bandwidth(phase) else ("IOPS", "kiops")
    name = phase.replace("-", "_")
    return (
        f"[RESULT] {kind} phase {number:<2} {name:>24} {result.value:20.3f} {unit} : time {result.seconds:6.2f} seconds"
    )


def _command(phase: str) -> str:
    if is_bandwidth(phase):
        return (
            "bin/ior -w -k -e -t 2048k -b 20g -F -a POSIX"
            if "easy" in phase
            else "bin/ior -w -t 47008 -b 47008 -a MPIIO"
        )
    if phase.startswith("mdworkbench"):
        return "bin/md-workbench -a POSIX -o=data/mdworkbench -P=89 -I=89"
    if phase.startswith("find"):
        return "bin/pfind data/ -newer data/timestampfile -size 3901c -name *01*"
    return (
        "bin/mdtest -C -F -d data -n 3300 -u -L" if "easy" in phase else "bin/mdtest -C -t -F -w 3901 -e 3901 -n 3300"
    )


def application_log(results: Results) -> str:
    """Stdout of the first C application, 2017."""
    lines = ['Arguments: ./io500 "-w" "data" "-r" "results"', "Runtime:", "NODES=4", "NPROC=48"]
    said = [_application_line(phase, result) for phase, result in results.items()]
    for phase, line in zip(results, said, strict=True):
        name = phase.replace("-", "_")
        start = f"[Starting] {name}: Fri Nov  3 03:44:35 2017"
        lines += ["", start, "", start, f'[Exec]: "{_command(phase)[4:]}"', f"[Output] results/{name}-1.log", line]
    lines += ["", "IO500 complete: Fri Nov  3 05:39:23 2017", "", "", "=== IO-500 submission ==="]
    return "\n".join([*lines, *said, "", "Cleaning files from working directory: Fri Nov  3 05:39:23 2017"]) + "\n"


def _application_line(phase: str, result: Result) -> str:
    name, v, s = phase.replace("-", "_"), result.value, result.seconds
    if is_bandwidth(phase):
        stonewall = f"(perf at stonewall min: {v / 2:.3f} GiB/s avg: {v * 2:.3f} GiB/s)"
        return f"[Result] IOR {name} bw: {v:.3f} GiB/s time: {s:.1f}s size: {v * s:.1f} GiB {stonewall}"
    if phase.startswith("find"):
        return f"[Result] {phase} rate: {v:.3f} kiops time: {s:.1f}s err: 0 found: 1200 (scanned 260000 files)"
    return f"[Result] mdtest {name} rate: {v:.3f} kiops time: {s:.1f}s"


def draft(rates: Mapping[str, Result]) -> str:
    """The draft's file of metadata results, 2017; here rates are operations a second."""
    lines = [
        f"{number}/{phase} IOPs:{r.value:.3f} time:{r.seconds:.0f}s"
        for number, (phase, r) in enumerate(rates.items(), 1)
    ]
    return "\n".join(lines) + "\n"


def ini(results: Results, mode: str = "standard") -> str:
    """result.txt of the C application."""
    lines = ["[run]", "procs           = 40", "version         = io500-isc22_v1", "config-hash     = 9713285A"]
    lines += ["result-dir      = ./results/1", f"mode            = {mode}", "; START 2022-06-16 13:33:00", ""]
    for phase, result in results.items():
        lines += ["", f"[{phase}]", "t_start         = 2022-06-16 13:33:00", *_ini_values(phase, result)]
        lines += [f"t_delta         = {result.seconds:.4f}", "t_end           = 2022-06-16 13:39:10"]
    for name in ("SCORE", "SCOREX") if mode == "extended" else ("SCORE",):
        bandwidth, rate, total = scores(results, extended=name == "SCOREX")
        lines += ["", f"[{name}]", f"MD              = {rate:f}", f"BW              = {bandwidth:f}"]
        lines += [f"SCORE           = {total:f}", "hash            = B2613C7C"]
    return "\n".join([*lines, "; END 2022-06-16 15:56:23"]) + "\n"


def _ini_values(phase: str, result: Result) -> list[str]:
    if phase == "timestamp":
        return []
    lines = [f"exe             = ./{_command(phase)}"]
    if phase.endswith("write"):
        name = "throughput" if is_bandwidth(phase) else "rate"
        lines.append(f"{name}-stonewall = {result.value * 1.25:.2f}")
    if phase.startswith("find"):
        lines += ["nproc           = 40", "found           = 1200", "total-files     = 260000"]
    if phase.startswith("mdworkbench"):
        lines += [
            "maxOpTime       = 0.360241",
            f"scoreIteration0 = {result.value * 1.5:f}",
            "maxOpTime0      = 0.206372",
        ]
    return [*lines, f"score           = {result.value:f}"]


def find_csv(entries: Sequence[int], seconds: float) -> str:
    """find.csv of pfind: the entries that each rank looked at."""
    heading = (
        "rank, errors, unknown, found, total, checked, job steal msgs received, work items send, job steal msgs send, "
        "work items stolen, time spend in job stealing in s, number of completion tokens send"
    )
    rows = [f"{rank}, 0, 0, {n // 100}, {n}, {n - 7}, 10, 2, 5, 6, 2.927s, 5" for rank, n in enumerate(entries)]
    return "\n".join([f"runtime: {seconds:f} rate: {sum(entries) / seconds:f}", heading, *rows]) + "\n"

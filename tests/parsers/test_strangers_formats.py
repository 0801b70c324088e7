"""Formats that strangers' logs had: units, what is left out, and what is said where a log lacks something."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.parsers import Parsed
from storagelab.parsers.model import Row
from storagelab.parsers.text import decode
from storagelab.units import BIT, KIB, MB, MIB
from tests.conftest import LOGS, SHARED

FORMATS = {
    "darshan-parser": "darshan-parser",
    "gpfsperf": "gpfsperf",
    "lctl-get-param": "lctl-get-param",
    "mmperfmon": "mmperfmon",
    "smallfile": "smallfile",
    "vdbench": "vdbench",
    "vnstat": "vnstat",
}
"""Folder of the corpus -> format."""


def parsed_log(path: str) -> Parsed:
    return parsers.parse(decode((LOGS / path).read_bytes())[0])


def samples(parsed: Parsed) -> list[Row]:
    names = list(parsed.series)
    return [dict(zip(names, row, strict=True)) for row in zip(*parsed.series.values(), strict=True)]


@pytest.mark.parametrize("folder", FORMATS)
def test_strangers_logs_are_recognised_and_hold_numbers(folder: str) -> None:
    logs = [path for path in sorted((SHARED / "corpus" / "optional" / folder).glob("*")) if path.suffix != ".tsv"]
    if not logs:
        pytest.skip("no corpus of strangers' logs is here")
    for log in logs:
        if log.name in ("truth.json", "not-a-log-error.txt"):
            continue
        text = decode(log.read_bytes())[0]
        assert parsers.recognise(text, log.name).FORMAT.name == FORMATS[folder], log.name
        assert not parsers.parse(text, name=log.name).is_empty(), log.name


def test_kilobits_of_old_vnstat_are_1024_bits_and_of_vnstat_2_1000() -> None:
    old = [row for row in samples(parsed_log("vnstat/imitated-1.11.txt")) if row["label"] == "Feb '14"]
    new = [row for row in samples(parsed_log("vnstat/vnstat-2.10-5min.txt")) if row["label"] == "2026-11-20 17:35"]
    assert old[-1]["throughput"] == 37.25 * KIB * BIT
    assert new[-1]["throughput"] == pytest.approx(100.21 * MB * BIT)


def test_nfsiostat_leaves_out_means_of_no_request() -> None:
    idle = [row for row in samples(parsed_log("nfsiostat/nfs-utils-2.6.2-invented-counters.txt")) if row["part"] == 2.0]
    reads = {row["mount"]: row for row in idle if row["operation"] == "read"}
    assert reads["/scratch"]["throughput"] == pytest.approx(51209.766 * KIB)
    assert reads["/home"]["latency"] != reads["/home"]["latency"]


def test_lustre_start_since_boot_gives_no_elapsed_time() -> None:
    rows = samples(parsed_log("lctl_get_param/imitated-server-2.15.txt"))
    histogram = next(row for row in rows if row["metric"] == "pages per bulk r/w")
    assert histogram["elapsed"] != histogram["elapsed"]
    assert {row["job"] for row in rows} == {"", "ior.1000"}


def test_a_run_of_vdbench_without_averages_is_incomplete() -> None:
    text = decode((LOGS / "vdbench/imitated-5.04.06-totals.html").read_bytes())[0]
    cut = "\n".join(line for line in text.split("\n") if "avg_2-60" not in line)
    parsed = parsers.parse(cut)
    assert not parsed.complete
    assert [note.text for note in parsed.notes] == ["a run has no averages: it was stopped, or the log is cut"]


def test_darshan_parser_says_which_module_is_missing() -> None:
    text = decode((LOGS / "darshan_parser/imitated-3.4-base.txt").read_bytes())[0]
    parsed = parsers.parse(text[: text.index("# STDIO module data")])
    assert "the header lists the module STDIO, which has no section" in [note.text for note in parsed.notes]
    assert not parsed.complete


def test_an_error_of_darshan_parser_is_said() -> None:
    parsed = parsers.parse("Error: darshan_log_open failed to read darshan log file header: Success.\nmore\n")
    assert not parsed.complete
    assert parsed.is_empty()


def test_a_thread_of_smallfile_that_is_missing_is_said() -> None:
    text = decode((LOGS / "smallfile/imitated-2.1-two-hosts.txt").read_bytes())[0]
    parsed = parsers.parse(text.replace("host = n2,thr = 00", "kernel: n2,thr = 00"))
    assert [note.text for note in parsed.notes] == ["expected 4 threads, found 3"]


def test_a_row_of_mmperfmon_that_is_missing_is_said() -> None:
    text = decode((LOGS / "mmperfmon/imitated-operations.txt").read_bytes())[0]
    lines = text.split("\n")
    parsed = parsers.parse("\n".join([*lines[:9], *lines[10:]]))
    assert [note.text for note in parsed.notes] == ["row 2 is missing"]


def test_htar_counts_with_commas_and_hsi_in_kib() -> None:
    archives = parsed_log("hpss/imitated-htar.txt").runs
    assert [row["data_size"] for row in archives] == [28396544.0, 3072.0]
    assert parsed_log("hpss/imitated-hsi.txt").runs[0]["throughput"] == 250138.5 * KIB


def test_a_capped_size_of_hpss_is_left_out() -> None:
    parsed = parsed_log("hpss/imitated-ftp.log")
    assert [row.get("data_size") for row in parsed.runs] == [7184842752.0, None, 464566784.0]
    assert [note.text for note in parsed.notes] == ["a size of 2147483647 is capped: left out"]


def test_rates_of_warps_json_are_those_of_its_report() -> None:
    (put,) = parsed_log("warp/imitated-1.2-realtime.json").runs
    assert put["throughput"] == 64 * MIB
    assert put["latency"] == pytest.approx(0.125)


def test_a_benchmark_of_warp_that_had_not_ended_is_incomplete() -> None:
    text = decode((LOGS / "warp/imitated-1.2-realtime.json").read_bytes())[0]
    parsed = parsers.parse(text.replace('"final": true', '"final": false'))
    assert [note.text for note in parsed.notes] == ["the benchmark had not ended"]


def test_seconds_of_darshan_without_their_bytes_are_said() -> None:
    text = decode((LOGS / "darshan_parser" / "imitated-3.4-total-file-perf.txt").read_bytes())[0]
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("# total_bytes")]
    assert len(lines) < text.count("\n")
    parsed = parsers.parse("".join(lines), format="darshan-parser")
    assert not parsed.complete
    assert "seconds of a transfer whose bytes are missing" in {note.text for note in parsed.notes}


OLD_TRACES = """\
# DXT, file_id: 42, file_name: /demo/a.out
# DXT, rank: 3, write_count: 1, read_count: 0
# DXT, mnt_pt: /work, fs_type: lustre
# DXT, stripe_size: 65536, stripe_count: 4
# DXT, OST: 7
# Module    Rank  Wt/Rd  Segment       Length    Start(s)      End(s)
 X_MPIIO       3  write        0         4096      1.5000      1.7500
"""


def test_traces_of_an_old_darshan_have_ranks_beside_counts_and_no_offsets() -> None:
    parsed = parsers.parse(OLD_TRACES)
    [request], [client] = samples(parsed), parsed.clients
    assert (request["process"], request["time"], request["request_size"], request["latency"]) == ("3", 1.5, 4096, 0.25)
    assert "offset" not in request
    assert (client["operation"], client["operations"], client["stripe_count"], client["line"]) == ("write", 1, 4, 2)
    assert "offset" not in samples(parsers.parse(OLD_TRACES.replace("         4096", "   N/A   4096")))[0]


def test_a_request_that_a_trace_of_darshan_lacks_is_said() -> None:
    text = decode((LOGS / "darshan_parser" / "imitated-3.4-dxt.txt").read_bytes())[0]
    lines = [line for line in text.splitlines(keepends=True) if "0.5250      0.5750" not in line]
    parsed = parsers.parse("".join(lines))
    assert not parsed.complete
    assert [note.text for note in parsed.notes] == ["expected 2 requests to write /scratch/stencil.out, found 1"]

"""A heading that is lost is said: what stood below it is not taken for what the heading before it is of."""

from __future__ import annotations

import math
import re

import pytest

from storagelab import parsers
from storagelab.parsers.model import Parsed
from storagelab.parsers.sample_checks import no_sample_twice
from storagelab.parsers.text import decode
from tests.conftest import LOGS

LOST = [
    (
        "ifconfig/imitated-net-tools-1.60.txt",
        r"^lo +Link.*\n",
        "expected the first line of another interface than 'eth0'",
    ),
    ("ifconfig/net-tools-2.10-a.txt", r"^ifb1: flags.*\n", "expected the first line of another interface than 'ifb0'"),
    ("fio_text/multi-2.21.txt", r"^randread: \(groupid.*\n", "expected the line of another job than "),
    (
        "io500/rendered-result-extended.txt",
        r"^\[find-easy\]\n",
        "another section than [mdworkbench-create] above its 't_start'",
    ),
    ("io500/rendered-result-2022.txt", r"^\[SCORE\]\n", "expected the line '[SCORE]' above the score"),
    ("ior/4.1.0dev_json_4_tasks.json", r'^ *"access": "write", *\n', "'bwMiB' of nothing that is named"),
    ("ior/4.1.0dev_json_4_tasks.json", r'^"summary": \[\n', "'operation' of nothing that is named"),
    ("iperf3/iperf3-3.12-udp.json", r'^\t+"end":\t1\.003723,\n', "expected '\"end\"' as often as '\"start\"'"),
    ("iperf3/iperf3-3.12-tcp-P4.json", r'^\t{5}"bytes":\t187564032,\n', "lacks the bytes of its sender"),
    ("mdtest/4.1.0dev_rank_statistics_verbose.txt", r"^3 tasks, 600 files.*\n", "tasks, ... files/directories"),
    (
        "mountstats/nfs-utils-2.6.2-xprt-invented-counters.txt",
        r"^Stats for .*\n",
        "expected a mount above the counters",
    ),
    ("mountstats/imitated-linux-6.1.txt", r"^device oss1.*\n", "expected a mount above the counters"),
    ("cmssw_timereport/imitated-cmssw-9.txt", r"^.*Initiating request to open.*\n", "expected a request to open "),
    ("warp/imitated-1.1-clients.txt", r"^Throughput by client:\n", "expected the heading of clients or of sizes above"),
    ("warp/imitated-1.2-sizes.txt", r"^Request size .*\n", "expected the heading of clients or of sizes above"),
    (
        "mountstats/nfs-utils-2.6.2-invented-counters.txt",
        r"^Stats for oss2.*\n",
        "expected the heading of another item than '/scratch oss1:/scratch",
    ),
    (
        "mountstats/nfs-utils-2.6.2-invented-counters.txt",
        r"^READ:\n",
        "another operation than GETATTR above its counts",
    ),
    (
        "nfsiostat/nfs-utils-2.6.2-invented-counters.txt",
        r"^oss2.*\n",
        "expected the heading of another item than '/scratch oss1:/scratch",
    ),
    (
        "vdbench/imitated-5.04.05-histogram.html",
        r"^Reads:\n",
        "expected the heading of another item than 'rd1 0.200 to",
    ),
    (
        "iostat/imitated-aix-D.txt",
        r"^ +write: +wps.*\n",
        "expected the heading of another item than 'single since boot read",
    ),
    ("collectl/4.3.1-detail-oT.txt", r"^### RECORD    2.*\n", "expected the heading of another item than "),
    (
        "lctl_get_param/imitated-proc-1.8.txt",
        r"^==> .*OST0004/stats <==\n",
        "another device than 'obdfilter.demo-OST0003' above its time",
    ),
    ("rrd_xport/two-hosts-1.7.2.json", r'^ *"node 10.99.0.1 in",\n', "a row wants 1 values, found 2"),
    ("ip_link/iproute2-6.1-s-s-j-p.json", r'^ *"tx": \{\n', "expected JSON, found"),
]


def read(name: str, text: str) -> Parsed:
    return parsers.parse(text, name=name.partition("/")[2])


@pytest.mark.parametrize(("name", "heading", "said"), LOST, ids=[f"{name}-{said[:30]}" for name, _, said in LOST])
def test_a_lost_heading_is_said(name: str, heading: str, said: str) -> None:
    text = decode((LOGS / name).read_bytes())[0]
    assert not any(said in note.text for note in read(name, text).notes)
    damaged = re.sub(heading, "", text, count=1, flags=re.MULTILINE)
    assert damaged != text
    assert any(said in note.text for note in read(name, damaged).notes), read(name, damaged).notes


def test_swap_is_no_memory_where_the_line_of_groups_is_lost() -> None:
    name = "collectl/4.3.1-verbose.txt"
    text = decode((LOGS / name).read_bytes())[0]
    whole, damaged = (read(name, log).series for log in (text, re.sub(r"(?m)^#<-+Physical Memory.*\n", "", text)))
    assert damaged["memory_free"] == whole["memory_free"]
    assert damaged["swap_total"] == whole["swap_total"]


def test_counters_below_a_lost_heading_are_not_of_the_interface_before() -> None:
    name = "ifconfig/imitated-net-tools-1.60.txt"
    text = decode((LOGS / name).read_bytes())[0]
    series = read(name, re.sub(r"(?m)^lo +Link.*\n", "", text)).series
    assert set(series["interface"]) == {"eth0"}
    assert 5153960755.0 in series["counter_bytes"]
    assert 6156.0 not in series["counter_bytes"]


def test_a_report_below_a_lost_heading_is_of_no_job() -> None:
    name = "fio_text/multi-2.21.txt"
    text = decode((LOGS / name).read_bytes())[0]
    whole, damaged = (read(name, log) for log in (text, re.sub(r"(?m)^randread: \(groupid.*\n", "", text, count=1)))
    rates, left = ({(row.get("job"), row["throughput"]) for row in one.runs} for one in (whole, damaged))
    assert {row for row in left if row[0]} < rates


def test_a_second_direction_is_of_another_job_where_the_end_of_the_report_is_lost_too() -> None:
    name = "fio_text/multi-2.21.txt"
    text = decode((LOGS / name).read_bytes())[0]
    cut = re.sub(r"(?m)^ +issued .*\n", "", text)
    second = [found.start() for found in re.finditer(r"(?m)^randread: \(groupid", cut)][1]
    damaged = read(name, cut[:second] + cut[cut.index("\n", second) + 1 :])
    said = "expected the line of another job than 'randread' above its 'read'"
    assert any(said in note.text for note in damaged.notes), damaged.notes


@pytest.mark.parametrize(("time", "said"), [(1.0, 1), (math.nan, 0)], ids=["at one time", "at no time"])
def test_samples_without_a_time_may_be_of_two_times(time: float, said: int) -> None:
    series = {"line": [1, 2], "device": ["vda", "vda"], "time": [time, time], "throughput": [1.0, 2.0]}
    log = Parsed({}, series=series)
    no_sample_twice(log)
    assert len(log.notes) == said


def test_sections_below_a_lost_heading_change_no_phase() -> None:
    name = "io500/rendered-result-extended.txt"
    text = decode((LOGS / name).read_bytes())[0]
    whole, damaged = (read(name, log) for log in (text, text.replace("[find-easy]\n", "")))
    elapsed = [[(row["job"], row.get("elapsed")) for row in one.runs] for one in (whole, damaged)]
    assert elapsed[1] == [row for row in elapsed[0] if row[0] != "find-easy"]


def test_what_stands_above_the_first_mount_and_is_no_counter_leaves_a_log_whole() -> None:
    lines = (LOGS / "mountstats" / "imitated-linux-6.1.txt").read_text()
    assert parsers.parse(f"Fri Nov 20 10:00:00 UTC 2026\n{lines}").complete
    assert not parsers.parse(f"\tage:\t86401\n{lines}").complete

"""What golden tables do not show of fio's human output: units, headings, glued lines, several runs, damage."""

from __future__ import annotations

import re
import textwrap

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.fio import text_report
from storagelab.parsers.fio.text_report import directions, quantities
from storagelab.parsers.model import Row
from storagelab.units import GIB, KIB, MIB
from tests.conftest import LOGS


def text_of(name: str) -> str:
    return (LOGS / "fio_text" / name).read_text()


PRIORITIES = text_of("imitated-3.36-priorities.txt")
UNIFIED = """\
m: (groupid=0, jobs=1): err= 0: pid=15: Sun Nov 29 11:58:15 2026
{heading}
    clat (usec): min=2, max=4974, avg=33.50, stdev=91.58
     issued rwts: total={issued} short=0,0,0,0 dropped=0,0,0,0

Run status group 0 (all jobs):
  MIXED: bw=101MiB/s (106MB/s), 101MiB/s-101MiB/s (106MB/s-106MB/s), io=202MiB (212MB), run=2001-2001msec
"""
BITS, MULTI, OLD = (text_of(f"{name}.txt") for name in ("bits-kb1024-3.33", "multi-3.33", "multi-2.0.15"))


@pytest.mark.parametrize(
    ("text", "old", "size"),
    [
        ("7677.6MB", True, 7677.6 * MIB),
        ("40898KB", True, 40898 * KIB),
        ("512B", True, 512.0),
        ("33.7MiB", False, 33.7 * MIB),
        ("35.3MB", False, 35.3e6),
        ("804kB", False, 804e3),
        ("23.3GiB", False, 23.3 * GIB),
        ("9367Mibit", False, 9367 * MIB / 8),
        ("9822Mbit", False, 9822e6 / 8),
        ("54.3Mi", False, 54.3 * MIB),
        ("56.9M", False, 56.9e6),
    ],
)
def test_units_mean_what_the_version_means(text: str, old: bool, size: float) -> None:
    assert quantities.size(text, old) == pytest.approx(size)


@pytest.mark.parametrize(("text", "count"), [("8614", 8614.0), ("18.7k", 18700.0), ("1.25M", 1.25e6)])
def test_counts_are_decimal(text: str, count: float) -> None:
    assert quantities.count(text) == pytest.approx(count)


@pytest.mark.parametrize(
    "line",
    [
        "  read : io=6573.2MB, bw=1643.3MB/s, iops=420680 , runt=  4000msec",
        "  read: io=6573.2MB, bw=1643.3MB/s, iops=420680, runt=4000msec",
        "   read: IOPS=421k, BW=1643MiB/s (1723MB/s)(6573MiB/4000msec)",
        "  read: IOPS=421k, BW=1643MiB/s (1723MB/s)(6573MiB/4000msec); 0 zone resets",
    ],
)
def test_a_direction_in_every_spelling(line: str) -> None:
    row = directions.of_a_job(line)
    assert row["throughput"] == pytest.approx(1643.3 * MIB, rel=1e-3)
    assert row["data_size"] == pytest.approx(6573.2 * MIB, rel=1e-4)
    assert (row["elapsed"], row["operation_rate"]) == (4.0, pytest.approx(420680, rel=1e-3))


@pytest.mark.parametrize(
    ("line", "name"),
    [("clat (nsec): min=1, max=2", "latency"), ("bw (: min=1", "rates"), ("| 99.00th=[ 1], 99.50th=[", "percentiles")],
)
def test_a_line_that_cannot_be_read_is_refused(line: str, name: str) -> None:
    read = {"latency": quantities.latency, "percentiles": quantities.percentiles}.get(name)
    with pytest.raises(ValueError, match=re.escape(line)):
        read(line) if read else quantities.rates(line, False)


def test_a_report_behind_a_progress_line_with_carriage_returns() -> None:
    head = "Jobs: 1 (f=1): [R(1)][50.0%][r=9G/s][eta 00m:01s]\rJobs: 1 (f=1): [R(1)][100.0%][r=9G/s][eta 00m:00s]"
    alone, glued = (
        parsers.parse(text) for text in (BITS, BITS.replace("\nunits: (groupid", f"\n{head}units: (groupid"))
    )
    assert glued.runs == alone.runs
    assert glued.complete


def test_percentiles_of_something_else_are_not_those_of_completion() -> None:
    (row, *_) = parsers.parse(BITS.replace("clat percentiles", "high prio clat percentiles")).runs
    assert not [name for name in row if name.startswith("latency_p")]


def test_the_sum_of_a_group_is_no_measurement_of_its_own() -> None:
    parsed = parsers.parse(MULTI)
    single = [row for row in parsed.runs if "statistic" not in row]
    sums = [row for row in parsed.runs if row.get("statistic") == "sum"]
    assert [(row["job"], row["operation"]) for row in single] == [
        ("seqwrite", "write"), ("randread", "read"), ("mix", "read"), ("mix", "write"),
    ]  # fmt: skip
    assert [row["label"] for row in sums] == ["group 0", "group 1", "group 2", "group 2"]
    for one, other in zip(single, sums, strict=True):
        assert one["throughput"] == pytest.approx(other["throughput"], rel=0.01)


def test_two_runs_in_one_log_are_parts() -> None:
    parsed = parsers.parse(OLD + MULTI)
    assert {row["part"] for row in parsed.runs} == {1.0, 2.0}
    assert parsed.header["tool_version"] == "2.0.15"
    assert any("another version of fio: 3.33" in note.text for note in parsed.notes)


def test_hosts_of_a_client_are_shares_of_one_run() -> None:
    parsed = parsers.parse(text_of("client-server-two-hosts-3.33.txt"))
    assert (parsed.complete, parsed.notes) == (True, [])
    jobs = {row["operation"]: row for row in parsed.runs if row["job"] in ("w", "r")}
    assert {row["clients"] for row in jobs.values()} == {2.0}
    for everything in (row for row in parsed.runs if row.get("label") == "All clients"):
        assert jobs[everything["operation"]]["throughput"] == pytest.approx(everything["throughput"], rel=0.01)
    groups = [row for row in parsed.clients if row.get("label") == "group 0"]
    assert [(row["client"], row["operation"]) for row in groups] == [
        (host, operation) for host in ("node1", "node2") for operation in ("read", "write")
    ]


def test_mixture_of_directions_has_its_operations_and_its_latencies() -> None:
    with_rates = "  mixed: IOPS=25.8k, BW=101MiB/s (106MB/s)(202MiB/2001msec)"
    unified = UNIFIED.format(heading=with_rates, issued="51653,0,0,0")
    (mixed, _) = parsers.parse(unified).runs
    assert (mixed["operation"], mixed["operations"], mixed["latency"]) == ("mixed_workload", 51653, 33.5e-6)
    without_rates = UNIFIED.format(heading="  mixed: IOPS=0, BW=0 (0)(0B/2001msec)", issued="51653,0,0,0")
    (mixed, _) = parsers.parse(without_rates).runs
    assert (mixed["latency"], "throughput" in mixed) == (33.5e-6, False)


@pytest.mark.parametrize("mark", ["Run status group 1", "All clients: "])
def test_a_log_that_lost_its_end_is_incomplete(mark: str) -> None:
    text = text_of("client-server-3.33.txt")
    parsed = parsers.parse(text[: text.index(mark)])
    assert not parsed.complete
    assert parsed.notes


SEVERAL = """\
w: (g=0): rw=write, bs=(R) 128KiB-128KiB, (W) 128KiB-128KiB, (T) 128KiB-128KiB, ioengine=sync, iodepth=1
...
fio-3.36
Starting 10 threads
"""
OF_SEVERAL = """\
w: (groupid=0, jobs=10): err= 0: pid=19358: Tue Dec 10 14:31:21 2024
  write: IOPS=14.3k, BW=1792MiB/s (1879MB/s)(8745MiB/4880msec); 0 zone resets
    clat (usec): min=10, max=938354, avg=728.89, stdev=21651.15
"""


def test_a_report_of_several_jobs_that_breaks_off_is_the_sum_of_them() -> None:
    parsed = parsers.parse(SEVERAL + OF_SEVERAL)
    [row] = parsed.runs
    assert (row["processes"], row["record_size"], row["throughput"]) == (10, 131072, 1792 * MIB)
    assert (parsed.clients, parsed.complete) == ([], False)
    for text in (OF_SEVERAL.replace("jobs=10", "jobs=1"), OF_SEVERAL * 2, f"hostname=a, be=0\n{OF_SEVERAL}"):
        assert not parsers.parse(SEVERAL + text).runs, text


@pytest.mark.parametrize(
    "text", ["fio: engine nosuch not loadable\n", "x: (g=0): rw=read, bs=4K-4K, ioengine=psync\nfio-3.33\n"]
)
def test_a_log_without_a_report_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="expected"):
        parsers.parse(text)


def test_percentiles_of_a_terse_line_in_pieces_hide_no_report() -> None:
    pieces = 'REPORT = "3;fio-3.33;x;0;0;1;2;3;4;" \\\n         "1.000000%=5;5.000000%=6;10.000000%=7;"\n'
    assert parsers.parse(BITS + pieces).runs == parsers.parse(BITS).runs


def test_a_report_in_comments_is_read_and_not_the_terse_line_in_pieces_below_it() -> None:
    line = (LOGS / "fio_terse/multi-v3-3.33.txt").read_text().partition("\n")[0]
    pieces = '"\n  "'.join(line[at : at + 60] for at in range(0, len(line), 60))
    commented = "".join(f"# {text}\n" for text in BITS.splitlines())
    parsed = parsers.parse(f'{commented}\nTERSE = (\n  "{pieces}"\n)\n')
    assert [row["throughput"] for row in parsed.runs] == [row["throughput"] for row in parsers.parse(BITS).runs]


def test_excerpt_has_no_jobs_and_says_so() -> None:
    text = text_of("imitated-excerpt-3.txt")
    parsed = parsers.parse(text)
    assert [note.text for note in parsed.notes] == ["an excerpt: no line says of which job its numbers are"]
    assert not parsed.complete
    assert [(row["operation"], row["line"]) for row in parsed.clients] == [("read", 1), ("write", 2)]
    assert [row["throughput"] for row in parsed.runs] == [33.7 * MIB, 7.81 * MIB]


BEHEADED = """\
   bw (  KiB/s): min=1000, max=3000, per=100.00%, avg=2000.00, stdev=10.00, samples=8
   iops        : min=  250, max=  750, avg=500.00, stdev= 2.50, samples=8
  cpu          : usr=1.00%, sys=2.00%, ctx=10, majf=0, minf=0
     issued rwts: total={issued} short=0,0,0,0 dropped=0,0,0,0

Run status group 0 (all jobs):
  WRITE: bw=2000KiB/s (2048kB/s), 2000KiB/s-2000KiB/s (2048kB/s-2048kB/s), io=7.81MiB (8192kB), run=4000-4000msec
"""


def test_details_without_a_direction_are_of_the_only_one_that_was_issued() -> None:
    parsed = parsers.parse(BEHEADED.format(issued="0,2000,0,0"))
    assert [note.text.partition(":")[0] for note in parsed.notes] == ["an excerpt"] * 2
    (share,) = parsed.clients
    assert (share["operation"], share["line"], share["operations"]) == ("write", 1, 2000)
    assert (share["throughput_mean"], share["operation_rate_max"]) == (2000 * KIB, 750)
    averaged = BEHEADED.format(issued="0,2000,0,0").replace("stdev= 2.50, samples=8", "stdev= 2.50, samples=2")
    assert (share["samples"], parsers.parse(averaged).clients[0]["samples"]) == (8, 8)
    old = BEHEADED.replace("bw (  KiB/s)", "bw (KB  /s)").replace("issued rwts: total", "issued    : total")
    (share,) = parsers.parse(old.format(issued="r=0/w=2000/d=0,")).clients
    assert share["throughput_mean"] == 2000 * KIB
    (alone,) = parsers.parse(BEHEADED.format(issued="0,2000,0,0").split("\n", 3)[3]).clients
    assert (alone["operation"], alone["operations"]) == ("write", 2000)


@pytest.mark.parametrize("issued", ["1000,1000,0,0", "0,0,0,0"])
def test_details_without_a_direction_are_left_out_where_none_or_several_were_issued(issued: str) -> None:
    parsed = parsers.parse(BEHEADED.format(issued=issued))
    assert ([row["operation"] for row in parsed.runs], parsed.clients) == (["write"], [])
    assert [note.line for note in parsed.notes if "cannot be read" in note.text] == [1, 2, 4]


def test_numbers_above_the_first_report_are_an_excerpt_and_jobs_may_be_called_fio() -> None:
    parsed = parsers.parse(text_of("imitated-3.36-reports-below-an-excerpt.txt"))
    assert [note.text for note in parsed.notes] == ["an excerpt: no line says of which job its numbers are"]
    assert [(row["throughput"], row.get("latency")) for row in parsed.clients] == [
        (640 * MIB, pytest.approx(38.25e-6)),
        (576 * MIB, None),
    ]
    job = parsed.runs[0]
    assert (job["job"], job["record_size"], job["queue_depth"]) == ("fio-scratch", 8192, 4)
    assert parsed.header["tool_version"] == "3.36"


def test_each_summary_of_an_excerpt_that_repeats_is_a_part() -> None:
    text = text_of("imitated-grep-groups-2.txt")
    assert [(row["part"], row["data_size"]) for row in parsers.parse(text).runs] == [(1, 5120 * MIB), (2, 2560 * MIB)]
    directions = "".join(f"  read: IOPS={iops}, BW=4KiB/s (4kB/s)(4KiB/1000msec)\n" for iops in (1, 2, 3))
    assert [row["operation_rate"] for row in parsers.parse(directions).clients] == [1, 2, 3]


_LIST = re.compile(r"     \|  1\.00th=(?:.*\n)+?     \| 99\.99th=.*\n")


@pytest.mark.parametrize(
    "printed",
    [
        "     | 50.00th=[    6], 99.00th=[ 1680], 99.90th=[ 6652]\n",
        "     |  1.00th=[    4], 10.00th=[    5], 50.00th=[    6], 90.00th=[    7],\n     | 99.00th=[ 1680]\n",
        "     | 99.00th=[ 1680], 99.50th=[ 3425], 99.90th=[ 6652], 99.95th=[ 7898],\n     | 99.99th=[ 9896]\n",
    ],
)
def test_a_percentile_list_of_the_user_is_whole(printed: str) -> None:
    text, count = _LIST.subn(printed, MULTI)
    assert count
    assert not parsers.parse(text).notes


@pytest.mark.parametrize(
    "lost", [" percentiles (", "|  1.00th=", "| 30.00th=", "| 70.00th=", "| 99.00th=", "| 99.99th="]
)
def test_a_lost_line_of_percentiles_is_said(lost: str) -> None:
    whole = MULTI.split("\n")
    del whole[next(at for at, line in enumerate(whole) if lost in line)]
    assert any("a piece of the log is missing" in note.text for note in parsers.parse("\n".join(whole)).notes)


def test_latencies_of_a_direction_that_cannot_be_read_are_not_those_of_the_one_before() -> None:
    text = (LOGS / "fio_text" / "imitated-2.0.8-bytes.txt").read_text()
    whole, damaged = parsers.parse(text), parsers.parse(text.replace("bw=358400 B/s", "bw=358400 ?/s"))
    assert not damaged.complete
    (read,) = [row for row in [*damaged.runs, *damaged.clients] if row.get("job") and row["operation"] == "read"]
    assert read["latency"] == whole.runs[0]["latency"]


def test_lines_of_fio_are_padded_or_jobs_indented_in_a_paste() -> None:
    plain = parsers.parse(MULTI)
    padded = parsers.parse("".join(f"{line:<140}\n" for line in MULTI.split("\n")[:-1]))
    assert padded.header == plain.header
    assert (padded.runs, padded.clients, padded.notes) == (plain.runs, plain.clients, plain.notes)
    jobs = parsers.parse(re.sub(r"(?m)^(?=.*groupid=)", "   ", MULTI))
    assert [row["job"] for row in jobs.runs if "job" in row] == [row["job"] for row in plain.runs if "job" in row]


@pytest.mark.parametrize("text", [MULTI, OLD, text_of("fdatasync-lat-percentiles-3.33.txt")])
@pytest.mark.parametrize("width", [66, 72])
def test_lines_that_a_mail_broke_say_what_they_said(text: str, width: int) -> None:
    broken = "\n".join(
        "\n".join(textwrap.wrap(line, width, break_on_hyphens=False, drop_whitespace=False)) if line else ""
        for line in text.split("\n")
    )
    assert broken != text
    whole, found = parsers.parse(text, "fio-text"), parsers.parse(broken, "fio-text")
    assert not [note.text for note in found.notes if "cannot be read" in note.text]
    assert [without_lines(row) for row in found.runs] == [without_lines(row) for row in whole.runs]
    assert found.complete == whole.complete


@pytest.mark.parametrize("quote", ["", "> ", "> > >> "])
def test_a_mail_of_which_only_broken_lines_of_groups_are_left(quote: str) -> None:
    line = (
        "WRITE: bw=21.5MiB/s (22.5MB/s), 21.5MiB/s-21.5MiB/s\n(22.5MB/s-22.5MB/s), io=512MiB (537MB), run={0}-{0}msec\n"
    )
    text = "Twice in a row:\n\n" + line.format(23814) + line.format(23908) + "\nWhat else can I try?\n"
    parsed = parsers.parse("".join(f"{quote}{part}\n" for part in text.split("\n")))
    assert [(row["elapsed"], row["data_size"], row["line"]) for row in parsed.runs] == [
        (23.814, 512 * 2**20, 3),
        (23.908, 512 * 2**20, 5),
    ]
    assert not parsed.complete


@pytest.mark.parametrize("end", ["\\", " \\", "\\\r"])
def test_lines_that_end_with_a_backslash_say_what_they_say(end: str) -> None:
    plain, ended = (parsers.parse(text, "fio-text") for text in (MULTI, MULTI.replace("\n", f"{end}\n")))
    assert (ended.runs, ended.clients, ended.complete) == (plain.runs, plain.clients, plain.complete)


def test_what_fio_says_next_is_no_rest_of_a_line() -> None:
    parsed = parsers.parse(re.sub(r"(?m)^(  WRITE: bw=.*), io=.*$", r"\1,", MULTI))
    assert not parsed.complete
    assert not any(row["operation"] == "write" and row.get("statistic") == "sum" for row in parsed.runs)


def without_lines(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "line" and not name.endswith("_line")}


def test_priorities_as_fio_3_17_prints_them() -> None:
    old = BITS.replace(
        "    clat percentiles",
        "    high prio_clat (usec): min=2, max=9, avg=4.50, stdev=1.25\n"
        "    high prio (9.50%) clat percentiles (usec):\n"
        "     | 50.00th=[    4], 99.00th=[    9]\n    clat percentiles",
    )
    (part,) = (row for row in parsers.parse(old).runs if row.get("label") == "clat high prio")
    assert [part[name] for name in ("latency", "latency_p50", "latency_p99")] == pytest.approx([4.5e-6, 4e-6, 9e-6])


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        (r".*clat prio 1/2/3 \(usec\).*\n", "clat prio 1/2/3: latency or percentiles are missing"),
        (r".*clat prio 1/2/3 \(20.*\n.*\n", "clat prio 1/2/3: latency or percentiles are missing"),
        (r"(?<=clat prio 1/2/3 \(usec\): min=)\d", "a line that cannot be read"),
    ],
)
def test_a_lost_priority_is_said(lost: str, said: str) -> None:
    text, count = re.subn(lost, lambda found: "" if "\n" in found[0] else "x", PRIORITIES)
    assert count == 1
    assert said in " ".join(note.text for note in parsers.parse(text).notes)


def test_percentiles_of_a_part_before_any_direction_are_said() -> None:
    heading = BITS.partition("  read: IOPS")[0]
    text = heading + "    slat percentiles (usec):\n" + BITS[len(heading) :]
    assert "a line that cannot be read: 'slat percentiles (usec):'" in {note.text for note in parsers.parse(text).notes}


def test_syncs_alone_and_again_are_excerpts() -> None:
    text = (LOGS / "fio_text/imitated-3.20-sync-alone.txt").read_text()
    parsed = parsers.parse(text + "\n" + text.replace("avg=1021.45", "avg=2042.90"))
    assert [(row["operation"], row["latency"]) for row in parsed.clients] == [
        ("sync", pytest.approx(1.02145e-3)),
        ("sync", pytest.approx(2.0429e-3)),
    ]
    assert not parsed.complete
    both = parsers.parse("  write: IOPS=1000, BW=3.91MiB/s (4.10MB/s)(39.1MiB/10000msec)\n" + text)
    assert sorted(str(row["operation"]) for row in both.clients) == ["sync", "write"]
    assert len({str(row["process"]) for row in both.clients}) == 1


def test_mean_rates_of_a_steady_state() -> None:
    text = (LOGS / "fio_text/imitated-3.36-steadystate.txt").read_text()
    (steady,) = [row for row in parsers.parse(text).runs if row.get("label") == "steadystate"]
    assert (steady["operation"], steady["throughput"], steady["operation_rate"]) == ("read", 394 * 2.0**20, 50400.0)
    write = "  write: IOPS=10, BW=1024KiB/s (1049kB/s)(10.0MiB/10000msec); 0 zone resets\n"
    mixed = parsers.parse(text.replace("  cpu   ", f"{write}  cpu   "))
    assert "mixed_workload" in [row["operation"] for row in mixed.clients if row.get("label") == "steadystate"]
    damaged = parsers.parse(text.replace("attained=yes, bw=394", "attained=yes, bw="))
    assert "a line that cannot be read: 'steadystate  : attained=yes" in damaged.notes[0].text


def test_a_summary_in_front_of_another_run_is_read_and_its_missing_report_said() -> None:
    summary = (
        "   READ: bw=120MiB/s (126MB/s), 120MiB/s-120MiB/s (126MB/s-126MB/s), io=7200MiB (7550MB), run=60000-60000msec"
    )
    for heading in ("Run status group 0 (all jobs):\n", ""):
        parsed = parsers.parse(f"{heading}{summary}\n\n{MULTI}")
        (first,) = [row for row in parsed.runs if row["part"] == 1.0]
        assert (first["operation"], first["data_size"], first["elapsed"]) == ("read", 7200 * MIB, 60.0)
        assert "no report of read of group" in " ".join(note.text for note in parsed.notes)
    cut = parsers.parse(f"    clat (usec): min=9, max=90, avg=20.00, stdev= 3.00\n{MULTI}")
    assert "a line that cannot be read: 'clat (usec): min=9" in cut.notes[0].text


def test_the_spread_of_latencies_up_to_submission_and_of_both_together() -> None:
    slat = "    slat (nsec): min=200, max=9000, avg=400.00, stdev=50.00\n"
    row = parsers.parse(MULTI.replace("    clat (", f"{slat}    clat (")).runs[0]
    names = ["submission_latency_min", "submission_latency_max", "submission_latency_std"]
    assert [row[name] for name in names] == pytest.approx([2e-7, 9e-6, 5e-8])
    names = ["total_latency", "total_latency_min", "total_latency_max", "total_latency_std"]
    assert [row[name] for name in names] == pytest.approx([8.45e-6, 3e-6, 0.011297, 1.0411e-4])


def test_a_job_that_was_announced_behind_the_words_of_a_logger_has_its_options() -> None:
    heading, _, rest = MULTI.partition("\n")
    run = parsers.parse(f"12:30:45 - INFO - {heading}\n{rest}", format="fio-text").runs[0]
    assert (run["job"], run["record_size"]) == ("seqwrite", 65536.0)
    for glued in ("run 1 ====", "# ", "node3:"):
        assert parsers.parse(f"{glued}{heading}\n{rest}", format="fio-text").runs[0]["record_size"] == 65536.0
    assert "record_size" not in parsers.parse(f"my{heading}\n{rest}", format="fio-text").runs[0]
    twice = parsers.parse(f"1 {heading}\n2 {heading}\n{rest}", format="fio-text").runs[0]
    assert "record_size" not in twice


def test_the_depth_of_a_lone_job_is_stated_below_its_numbers_too() -> None:
    announced, _, report = MULTI.partition("\n\n")
    reports = report.replace("depth=1\n", "depth=16\n", 1)
    lone = parsers.parse(reports, format="fio-text").runs[0]
    assert (lone["job"], lone["queue_depth"]) == ("seqwrite", 16.0)
    assert reports.split("\n")[int(lone["queue_depth_line"]) - 1].strip().startswith("latency   : target=0")
    assert parsers.parse(f"{announced}\n\n{reports}", format="fio-text").runs[0]["queue_depth"] == 1.0
    searched = reports.replace("target=0, window=0", "target=900, window=5000", 1)
    assert "queue_depth" not in parsers.parse(searched, format="fio-text").runs[0]


def test_a_job_that_failed_before_it_moved_anything_is_said() -> None:
    failed = "fio: pid=0, err=38/file:filesetup.c:184, func=ftruncate, error=Function not implemented"
    parsed = parsers.parse(MULTI.replace("Starting 5 processes\n", f"Starting 5 processes\n{failed}\n"))
    assert ([note.text for note in parsed.notes], parsed.complete) == ([failed], False)
    assert parsers.parse(MULTI.replace("5 processes\n", "5 processes\nfio: pid=7, err=0/none\n")).complete


def test_excerpts_behind_commands_are_runs_of_their_own() -> None:
    lines = [
        "  read: IOPS=5001, BW=19.5MiB/s (20.5MB/s)(1172MiB/60001msec)",
        " write: IOPS=803, BW=3212KiB/s (3289kB/s)(188MiB/60003msec)",
    ]
    parsed = parsers.parse("".join(f"$ fio {at}.fio | grep IOPS\n{line}\n" for at, line in enumerate(lines)))
    rows = [{**parsed.header, **row} for row in parsed.clients]
    assert [(row["part"], row["operation"], row.get("operation_group", "")) for row in rows] == [
        (1.0, "read", ""),
        (2.0, "write", ""),
    ]


def test_the_name_of_a_job_is_not_the_prompt_in_front_of_it() -> None:
    name = "seqwrite: (groupid="
    parsed = parsers.parse(MULTI.replace(f"\n{name}", f"\nroot@node9:~# {name}", 1))
    assert not [row for row in [*parsed.runs, *parsed.clients] if "@" in str(row.get("job"))]


@pytest.mark.parametrize(
    "sizes",
    [
        "4K-4K/4K-4K",
        "4096-4096/4096-4096/4096-4096",
        "4096B-4096B,4096B-4096B,4096B-4096B",
        "(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B",
    ],
)
def test_sizes_of_blocks_in_every_spelling(sizes: str) -> None:
    announced = re.compile(r"bs=\(R\) .*?(?=, ioengine)")
    (first, *_) = parsers.parse(announced.sub(f"bs={sizes}", MULTI)).runs
    assert first["record_size"] == 4096.0


@pytest.mark.parametrize("end", ["", "fio-3.33\nStarting 1 process\n"])
def test_a_job_that_was_announced_last_and_not_reported_makes_a_log_incomplete(end: str) -> None:
    announced = f"again: (g=0): rw=read, bs=(R) 4096B-4096B, ioengine=psync, iodepth=1\n{end}"
    parsed = parsers.parse(BITS + announced)
    said = "the log ends before the report of a job that fio announces"
    at = BITS.count("\n") + 1
    assert ([(note.line, note.text) for note in parsed.notes], parsed.complete) == ([(at, said)], False)
    assert parsed.runs == parsers.parse(BITS).runs
    assert parsers.parse(announced + BITS).complete


def test_the_year_of_a_report_may_stand_in_front_of_its_direction() -> None:
    """As in a mail whose lines were filled anew."""
    whole = parsers.parse(BITS)
    broken = re.sub(r"(?m)( \d\d:\d\d:\d\d)( 20\d\d)\n {2}(?=\w+ *: (?:IOPS|io)=)", r"\1\n\2 ", BITS)
    assert broken != BITS
    parsed = parsers.parse(broken)
    assert (parsed.runs, parsed.complete) == (whole.runs, True)


LOST_HEADINGS = """\
  read: IOPS=100, BW=400KiB/s (410kB/s)(4000KiB/10000msec)
    clat (usec): min=1, max=9, avg=5.00, stdev= 1.00
    clat percentiles (usec):
     |  1.00th=[    1], 50.00th=[    5], 99.00th=[    9]
    sync (usec): min=2, max=20, avg=10.00, stdev= 2.00
     |  1.00th=[    2], 50.00th=[   10], 99.00th=[   19]
"""


def test_percentiles_without_their_heading_are_not_those_of_what_stands_above() -> None:
    parsed = text_report.parse(LOST_HEADINGS)
    assert [row.get("latency_p50") for row in parsed.clients] == [pytest.approx(5e-6), None]
    assert (6, "a line that cannot be read: '|  1.00th=[    2], 50.00th=[   10], 99.00th=[   19]'") in parsed.notes


def test_errors_that_a_job_went_on_after_are_counted_on_their_line() -> None:
    lines = text_of("bits-kb1024-3.33.txt").split("\n")
    at = next(at for at, line in enumerate(lines) if line.lstrip().startswith("cpu"))
    lines.insert(at + 1, "     errors    : total=3, first_error=5/<Input/output error>")
    first = text_report.parse("\n".join(lines)).runs[0]
    assert (first["errors"], first["errors_line"]) == (3.0, at + 2)
    lines[at + 1] = "     errors    : several"
    parsed = text_report.parse("\n".join(lines))
    assert not parsed.complete
    assert [note.line for note in parsed.notes] == [at + 2]

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab import parsers, read_log, schema
from storagelab.errors import ParseError
from storagelab.parsers.benchmarks import file_system as places
from storagelab.parsers.benchmarks import ior
from storagelab.parsers.benchmarks.ior import json_document, json_summary
from storagelab.parsers.benchmarks.ior.options import argument, exact_size, keys
from storagelab.parsers.benchmarks.ior.tables import aligned, heads_iterations, iteration_columns, summary_columns
from storagelab.parsers.text import decode
from storagelab.units import GIB, KIB, MIB, TIB
from tests.conftest import LOGS, SHARED, fixture_logs, log_id
from tests.parsers.readings import LABELS, check_cuts, check_finite, readings

CORPUS = SHARED / "corpus" / "ior"
WHOLE = LOGS / "ior" / "4.1.0dev_file_per_process_8_tasks.txt"
JSON = LOGS / "ior" / "4.1.0dev_json_4_tasks.json"
IO500 = "./ior -C -Q 1 -g -G 27 -k -e -o ./easy/file -w -a POSIX"
SUMMARY_CSV = """access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter
write,100.5000,101.0000,0.0100,65536.0000,1024.0000,0.1000,1.2000,0.3000,1.6000,4,0
read,200.0000,201.0000,0.0050,65536.0000,1024.0000,0.1000,0.9000,0.1000,1.1000,4,0
"""
RANKS_CSV = """access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput
write,0,2.0000000000e+00,1.0000000000e+00,5.0000000000e+07,1.0000000000e+08
write,1,2.5000000000e+00,1.0000000000e+00,4.0000000000e+07,1.0000000000e+08
write,0,2.0000000000e+00,1.6000000000e+00,5.0000000000e+07,6.2500000000e+07
write,1,2.0000000000e+00,1.6000000000e+00,5.0000000000e+07,6.2500000000e+07
"""


ONLY_READ = """IOR-3.0.1: MPI Coordinated Test of Parallel I/O

Began: Fri Nov 20 16:14:20 2026
Command line used: ior -r -t 1m -b 4m -o f
Machine: Linux n1

access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ---------- ---------  --------   --------   --------   --------   ----
read      4.00       4096       1024.00    0.000100   0.999800   0.000100   1.00       0

Summary of all tests:
Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev    Mean(s) Test# #Tasks tPN reps fPP reord reordoff \
reordrand seed segcnt blksiz xsize aggsize API RefNum
read            4.00       4.00       4.00       0.00    1.00000 0 1 1 1 0 0 1 0 0 1 4194304 1048576 4194304 POSIX 0 \
EXCEL

Finished: Fri Nov 20 16:14:21 2026
"""


def test_how_often_files_are_hit_is_no_table() -> None:
    lines = ONLY_READ.split("\n")
    text = "\n".join([*lines[:8], "#File Hits Dist: 3 4 1 0 0", *lines[8:]])
    assert parsers.parse(text).notes == parsers.parse(ONLY_READ).notes


CALLED = """\
$ mpirun -np 64 ./ior -t 1m -b 64m -s6 -F

Results:
access    bw(MiB/s)  IOPS
------    ---------  ----
write     50.28      50.28

[me@n1 src]$ OMP_NUM_THREADS=1 srun -N2 ./ior -t=4k -b 1m -z -i 10
Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev
write         314.67     188.81     264.35      41.68
"""
OTHER_CALL = "$ mpirun -np 32 ./ior -t 2m\n"


def test_a_call_at_a_prompt_says_what_the_excerpt_below_it_does_not() -> None:
    first, second = parsers.parse(CALLED).runs
    assert (first["part"], first["record_size"], first["record_size_line"]) == (1, MIB, 1)
    assert (first["block_size"], first["segments"], first["file_mode"]) == (64 * MIB, 6, "file-per-process")
    assert (second["part"], second["record_size"], second["record_size_line"], second["samples"]) == (2, 4 * KIB, 8, 10)
    assert (second["access_pattern"], "file_mode" in second) == ("random", False)


@pytest.mark.parametrize("above", [OTHER_CALL, "we ran ior -t 2m -b 4m\n", "$ ior -t 2m\n" + "\n" * 8])
def test_a_call_that_may_be_of_another_excerpt_says_nothing(above: str) -> None:
    excerpt = CALLED.partition("\n")[2] if above != OTHER_CALL else CALLED
    (first, *_) = parsers.parse(above + excerpt).runs
    assert (first["throughput"], "record_size" in first) == (50.28 * MIB, False)


SUMMARY = """\
Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev    Mean(s) Test# #Tasks tPN reps fPP reord reordoff reordrand \
seed segcnt blksiz xsize aggsize API RefNum
write         143.22     143.22     143.22       0.00    0.11172 0 16 8 1 0 0 1 0 0 1 1048576 262144 16777216 POSIX 0
"""


@pytest.mark.parametrize("above", ["$ ior -t 8m -F\n", "$ ior -t 256k -F\n[me@n1 ~]$ tail slurm-216.out\n"])
def test_a_call_of_other_sizes_or_above_another_command_is_not_that_of_an_excerpt(above: str) -> None:
    called, other = parsers.parse("$ ior -t 256k -F\n" + SUMMARY), parsers.parse(above + SUMMARY)
    assert (called.header["command"], called.header["record_size"]) == ("ior -t 256k -F", 256 * KIB)
    assert ("command" in other.header, other.header["record_size"]) == (False, 256 * KIB)


def test_a_call_says_nothing_of_what_ior_prints_itself() -> None:
    parsed = parsers.parse(OTHER_CALL + ONLY_READ)
    assert parsed.header["command"] == "ior -r -t 1m -b 4m -o f"
    assert parsed.header["record_size"] == MIB
    assert parsed.complete


def test_the_end_of_a_report_is_cut() -> None:
    parsed = parsers.parse(ONLY_READ[ONLY_READ.index("Summary of all") :])
    assert (len(parsed.runs), parsed.complete) == (1, False)
    assert "its banner is left out" in parsed.notes[0].text


def whole() -> str:
    return WHOLE.read_text()


def corpus_logs() -> list[object]:
    if not CORPUS.is_dir():
        return [pytest.param("", marks=pytest.mark.skip(reason=f"no corpus at {CORPUS}"))]
    return sorted(json.loads((CORPUS / "truth.json").read_text()))


@pytest.mark.parametrize("name", corpus_logs())
def test_iterations_of_strangers_logs_are_those_read_by_hand(name: str) -> None:
    truth = json.loads((CORPUS / "truth.json").read_text())[name]
    parsed = parsers.parse(decode((CORPUS / name).read_bytes())[0])
    check_finite(parsed)
    assert parsed.complete == truth["complete"]
    found = {(row["operation"], row.get("iteration"), row.get("throughput")) for row in parsed.runs}
    for fact in truth["facts"]:
        if fact["metric"] == "bandwidth" and fact["statistic"].startswith("iteration"):
            assert (fact["operation"], fact["iteration"], fact["value"] * MIB) in found


@pytest.mark.parametrize("log", [log for log in fixture_logs("ior") if "cut" not in log.name], ids=log_id)
def test_a_cut_log_is_incomplete_and_invents_nothing(log: Path) -> None:
    check_cuts(decode(log.read_bytes())[0])


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("text", [WHOLE.read_text(), JSON.read_text(), SUMMARY_CSV], ids=["text", "json", "csv"])
def test_labels_and_quotes_before_lines_change_nothing(text: str, label: str) -> None:
    plain = parsers.parse(text)
    labelled = parsers.parse("".join(f"{label}{line}\n" for line in text.split("\n")))
    assert labelled.runs == plain.runs
    assert labelled.complete
    assert {**labelled.header} == {**plain.header}


def test_several_runs_in_a_log_are_parts_with_their_own_keys() -> None:
    other = (LOGS / "ior" / "4.1.0dev_shared_file_2_tasks.txt").read_text()
    parsed = parsers.parse(whole() + other)
    assert parsed.complete
    assert {(row["part"], row["processes"], row["file_mode"]) for row in parsed.runs} == {
        (1, 8.0, "file-per-process"),
        (2, 2.0, "shared-file"),
    }
    assert "command" not in parsed.header
    assert [note.line for note in parsed.notes] == [3, 3 + whole().count("\n")]
    assert [note.text[:14] for note in parsed.notes] == ["command line: "] * 2


def test_decimal_commas_are_read() -> None:
    text = re.sub(r"(?<=\d)\.(?=\d)", ",", whole().replace("4.1.0", "4-1-0"))
    plain = {reading[-1] for reading in readings(parsers.parse(whole()))}
    assert {reading[-1] for reading in readings(parsers.parse(text))} == plain


def test_the_environment_of_vvv_is_not_kept() -> None:
    dump = "STARTING ENVIRON LOOP\nSECRET_TOKEN=hunter2\nwrite 1 2 3\ntasks : 99\nENDING ENVIRON LOOP\n"
    lines = whole().split("\n")
    text = "\n".join(lines[:5]) + "\n" + dump + "\n".join(lines[5:])
    parsed = parsers.parse(text)
    assert "hunter2" not in repr(parsed)
    header = parsers.parse(whole()).header
    later = {name: line and line + 5 for name, line in header.items() if name in schema.VALUE_AT}
    assert parsed.header == header | later
    assert [row["line"] for row in parsed.runs] == [row["line"] + 5 for row in parsers.parse(whole()).runs]


def test_time_stamps_of_tasks_are_their_shares() -> None:
    stamps = ["open start", "open stop", "start", "stop", "close start", "close stop"]
    lines = [
        f"Test 0: Iter=1, Task={task}, Time={task + 0.25 * step:f}, write {stamp}"
        for step, stamp in enumerate(stamps)
        for task in (0, 1)
    ]
    parsed = parsers.parse(whole().replace("\nread ", "\n" + "\n".join(lines[:-1]) + "\nread ", 1))
    first, cut = parsed.clients
    assert first == {
        "operation": "write",
        "statistic": "single",
        "share": "rank",
        "process": "0",
        "iteration": 1,
        "line": 35,
        "open_time": 0.25,
        "transfer_time": 0.25,
        "close_time": 0.25,
        "elapsed": 1.25,
    }
    assert (cut["process"], cut["line"], "close_time" in cut, "elapsed" in cut) == ("1", 36, False, False)


def test_within_io500_a_log_without_summary_and_end_is_whole() -> None:
    text = whole().replace("-w -r -F -t 1m -b 64m -e -i 2 -o ior.f", IO500[6:]).replace(": ior ", ": ./ior ")
    rows = text[: text.index("\nSummary of all tests")]
    assert parsers.parse(rows).complete
    first = rows[: rows.index("read ")]
    assert not parsers.parse(first).complete
    last = IO500.replace("-C -Q 1 ", "") + " -C -Q 2"
    assert parsers.parse(rows.replace(IO500, last)).complete


def test_without_an_end_any_other_log_is_cut() -> None:
    parsed = parsers.parse(whole()[: whole().index("\nSummary of all tests")])
    assert not parsed.complete
    assert parsed.notes[0].text == "run 1: no 'Finished' line"


def test_an_iteration_lost_behind_a_foreign_message_is_missed() -> None:
    parsed = parsers.parse(whole().replace("\nread ", "\n[n1:7] a message without a line end read ", 1))
    assert not parsed.complete
    assert parsed.notes[-1].text == "run 1: 1 of 2 iterations of read"


@pytest.mark.parametrize(
    ("log", "lost", "said"),
    [
        ("2.10.3_shared_4_tasks_summary_only.txt", r"Max Read: .*\n", "no maximum of read"),
        ("2.10.3_shared_4_tasks_summary_only.txt", r"write  .*\n", "no write in the summary"),
        (
            "2.10.3_shared_4_tasks_summary_only.txt",
            r"(?:write|read)  .*\n(?s:.*?)\n\n",
            "no write in the summary, no read in",
        ),
        ("4.1.0dev_file_per_process_8_tasks.txt", r"(?m)^write .*[01]   \n", "0 of 2 iterations of write"),
    ],
)
def test_an_operation_that_a_report_has_in_some_places_alone_is_missed(log: str, lost: str, said: str) -> None:
    text = (LOGS / "ior" / log).read_text()
    assert parsers.parse(text).complete
    parsed = parsers.parse(re.sub(lost, "", text))
    assert not parsed.complete
    assert parsed.notes[-1].text.startswith(f"run 1: {said}"), parsed.notes


def test_an_operation_that_has_a_maximum_and_no_iteration_is_missed() -> None:
    best = "Max Write: 1.00 MiB/sec (1.05 MB/sec)\nMax Read:  4.00 MiB/sec (4.19 MB/sec)\n"
    text = re.sub(r"Summary of all tests:\n(?s:.*)EXCEL\n", best, ONLY_READ)
    assert parsers.parse(text.replace("Max Write: 1.00 MiB/sec (1.05 MB/sec)\n", "")).complete
    assert parsers.parse(text).notes[-1].text == "run 1: no iteration of write"


def test_reads_that_only_check_need_no_summary() -> None:
    text = re.sub(r"Max (?:Write|Read): .*\n|(?m:^(?:write|read) .*EXCEL\n)", "", ONLY_READ)
    assert not parsers.parse(text).complete
    assert parsers.parse(text.replace(" -r ", " -R ")).complete


def test_an_iteration_that_a_stonewall_ended_did_not_move_what_was_asked_for() -> None:
    parsed = parsers.parse((LOGS / "ior/imitated-4.1-stonewalled.txt").read_text())
    single, mean = parsed.runs
    assert parsed.complete
    assert ("data_size" in single, mean["data_size"]) == (False, 40960 * MIB)


def test_bytes_really_moved_beat_those_asked_for() -> None:
    lines = whole().split("\n")
    lines.insert(33, "WARNING: Using actual aggregate bytes moved = 1000")
    lines.insert(33, "stonewalling pairs accessed min: 5 max: 9 -- min data: 0.0 GiB mean data: 0.5 GiB time: 3.5s")
    parsed = parsers.parse("\n".join(lines))
    first = parsed.runs[0]
    assert (first["data_size_mean"], "data_size_min" in first) == (512 * MIB, False)
    assert (first["data_size_line"], first["operations_min_line"], first["stonewall_time_line"]) == (35, 34, 34)
    assert (first["data_size"], first["stonewall_time"], first["operations_min"], first["operations_max"]) == (
        1000.0,
        3.5,
        5.0,
        9.0,
    )
    assert "file_size" not in parsed.header
    assert parsed.runs[1]["data_size"] == 8 * 64 * MIB


def test_an_unequal_number_of_tasks_on_nodes_is_not_hidden() -> None:
    text = whole().replace("nodes               : 1", "nodes               : 3")
    parsed = parsers.parse(text)
    assert "processes_per_node" not in parsed.header
    assert parsed.notes[0].text == "8 tasks on the first of 3 nodes, 8.0 in all"


DAMAGE = {
    "a row lost a cell": (r"(?m)^(write +)\S+ ", r"\1 ", "a damaged one"),
    "a row lost its end": (r"(?m)^(read .{60}).*$", r"\1", "a damaged one"),
    "the header lost its end": (r"(?m)^(access +bw.*) iter", r"\1", "header of the table of iterations is damaged"),
    "the header lost a word": (r"IOPS  ", "      ", "a damaged one"),
    "the summary's header is gone": (r"(?m)^Operation .*$", "", "a row that no header explains"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_noted_and_invents_nothing(what: str) -> None:
    pattern, replacement, note = DAMAGE[what]
    parsed = parsers.parse(re.sub(pattern, replacement, whole()))
    assert not parsed.complete
    assert any(note in found.text for found in parsed.notes)
    assert readings(parsed) <= readings(parsers.parse(whole()))


def test_foreign_lines_inside_the_tables_are_passed_over() -> None:
    noise = "[n1:77] 3 more processes have sent help message\nread error: none\nwrite failed once\n"
    text = whole().replace("\nread ", "\n" + noise + "read ")
    parsed = parsers.parse(text)
    assert parsed.complete
    assert readings(parsed) == readings(parsers.parse(whole()))


def test_errors_are_noted_and_the_first_ones_are_enough() -> None:
    error = "ior ERROR: open failed, errno 5 (aiori-POSIX.c:300) "
    text = whole().split("\nResults:")[0] + f"\n{error:x<300}" * 20
    parsed = parsers.parse(text)
    errors = [note for note in parsed.notes if "ERROR" in note.text]
    assert [note.text for note in errors] == [f"{error:x<200}"] * 5
    assert not parsed.complete
    assert parsed.header["processes"] == 8.0


def test_summary_csv() -> None:
    parsed = parsers.parse(SUMMARY_CSV)
    assert parsed.complete
    assert parsed.header == {"tool": "ior", "statistic": "single"}
    assert parsed.runs[0] == {
        "operation": "write",
        "throughput": 100.5 * MIB,
        "operation_rate": 101.0,
        "latency": 0.01,
        "block_size": 64 * MIB,
        "record_size": MIB,
        "open_time": 0.1,
        "transfer_time": 1.2,
        "close_time": 0.3,
        "elapsed": 1.6,
        "processes": 4.0,
        "iteration": 0,
        "line": 2,
    }


def test_csv_of_ranks() -> None:
    parsed = parsers.parse(RANKS_CSV)
    assert parsed.runs == []
    assert parsed.header["processes"] == 2.0
    assert [(row["process"], row["iteration"], row["line"]) for row in parsed.clients] == [
        ("0", 0, 2),
        ("1", 0, 3),
        ("0", 1, 4),
        ("1", 1, 5),
    ]
    second = parsed.clients[1]
    assert (second["share"], second["throughput"], second["throughput_transfer"]) == ("rank", 4e7, 1e8)
    assert (second["elapsed"], second["transfer_time"]) == (2.5, 1.0)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (SUMMARY_CSV[:-10], "no line end"),
        (SUMMARY_CSV.replace("100.5000", "fast"), "no number"),
        (SUMMARY_CSV.replace(",4,0\nread", "\nread"), "no row of the table"),
        (SUMMARY_CSV.split("\n")[0] + "\n", "no rows"),
        (RANKS_CSV.replace("write,1", "write,x", 1), "no number"),
    ],
)
def test_damaged_csv(text: str, note: str) -> None:
    parsed = parsers.parse(text)
    assert not parsed.complete
    assert any(note in found.text for found in parsed.notes)


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "expected an IOR report"), ("hello\nworld\n", "expected an IOR report"), ("{}\n", "expected an IOR report")],
)
def test_what_is_nothing_of_ior_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        ior.parse(text)


def test_json_that_lost_a_line_invents_nothing() -> None:
    lines = JSON.read_text().split("\n")
    full = readings(parsers.parse(JSON.read_text()))
    for place, line in enumerate(lines):
        if '"access"' in line or '"operation"' in line:
            parsed = parsers.parse("\n".join(lines[:place] + lines[place + 1 :]))
            assert {reading[-2:] for reading in readings(parsed)} <= {reading[-2:] for reading in full}


def test_json_with_a_value_cut_is_incomplete() -> None:
    text = re.sub(r'("bwMiB": \d+)\.\d+, ', r"\1", JSON.read_text(), count=1)
    parsed = parsers.parse(text)
    assert not parsed.complete
    assert "value of 'bwMiB' is damaged" in parsed.notes[0].text


@pytest.mark.parametrize(
    ("printed", "candidates", "size"),
    [
        ("47008 bytes", (47000.0,), 47008.0),
        ("9.46 TiB", (None, 10401873920000.0), 10401873920000.0),
        ("9.46 TiB", (5.0,), 9.46 * TIB),
        ("188.10 GiB", (192616 * MIB,), 192616 * MIB),
        ("", (None, 4 * KIB), 4 * KIB),
        ("", (None,), None),
        ("many", (2.0,), 2.0),
        ("0.00 GiB", (GIB,), 0.0),
        ("1.MiB", (5.0,), MIB),
    ],
)
def test_exact_size(printed: str, candidates: tuple[float | None, ...], size: float | None) -> None:
    assert exact_size(printed, *candidates) == size


@pytest.mark.parametrize(
    ("command", "size"),
    [
        ("ior -b 4m", 4 * MIB),
        ("ior -b=47008 -w", 47008.0),
        ('ior "-b" "128g"', 128 * GIB),
        ("ior -b", None),
        ("", None),
    ],
)
def test_argument(command: str, size: float | None) -> None:
    assert argument(command, "-b") == size


def test_options_of_old_reports() -> None:
    options = {
        "api": "MPIIO (version=3, subversion=1)",
        "access": "single-shared-file, independent",
        "pattern": "strided (77872 segments)",
        "ordering in a file": "random offsets",
        "clients": "2400 (8 per node)",
        "xfersize": "47000 bytes",
    }
    assert keys(options, {}) == {
        "api": "MPIIO",
        "file_mode": "shared-file",
        "access_pattern": "random",
        "processes": 2400.0,
        "processes_per_node": 8.0,
        "segments": 77872.0,
        "record_size": 47000.0,
    }


def test_numbers_of_a_summary_of_2_10_that_touch_are_cut() -> None:
    log = (LOGS / "ior" / "2.10.3_shared_4_tasks_summary_only.txt").read_text()
    cut = "3475.20   2043.88   0.02437"
    assert cut in log
    row = next(row for row in ior.parse(log.replace(cut, "3475.201234567.891234.56789")).runs if "samples" in row)
    assert (row["operation_rate"], row["operation_rate_std"], row["elapsed"]) == (3475.2, 1234567.89, 1234.56789)


def test_columns_are_those_of_the_header() -> None:
    assert [name for _, name, _ in iteration_columns("access    bw(MiB/s)  block(KiB) total(s)  iter")] == [
        "throughput",
        "block_size",
        "elapsed",
        "iteration",
    ]
    assert iteration_columns("access bw(furlongs/s) iter") == ((2, "iteration", 1.0),)
    old = (
        "Operation Max (MiB) Min (MiB) Mean (MiB)   Std Dev  Max (OPs)  Mean (OPs)   Std Dev  Mean (s)  Op grep #Tasks"
    )
    assert [(place, name) for place, name, _ in summary_columns(old)][3:] == [
        (4, "throughput_std"),
        (5, "operation_rate_max"),
        (6, "operation_rate"),
        (7, "operation_rate_std"),
        (8, "elapsed"),
        (9, "processes"),
    ]


def test_a_cell_that_is_blank_is_found_by_its_header() -> None:
    assert aligned("access    bw(MiB/s)  iter", "write                0") == ["write", "-", "0"]
    with pytest.raises(ValueError, match="write"):
        aligned("access    bw(MiB/s)  iter", "write   3 0")


def test_logs_of_other_tools_are_not_claimed() -> None:
    claimed = [log_id(log) for log in fixture_logs() if ior.sniff(decode(log.read_bytes())[0][:4096])]
    assert [log for log in claimed if not log.startswith("ior/")] == []


@pytest.mark.parametrize("mark", ["[RESULT] BW phase 1", "IO500 version io500-sc21"])
def test_ior_within_an_io500_log_is_left_to_io500(mark: str) -> None:
    assert not ior.sniff(f"{mark}\n{whole()[:4000]}")


FRAGMENTS = [line for log in (WHOLE, JSON) for line in log.read_text().split("\n")]


@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=30), max_size=60), st.sampled_from(["\n", "", "\n\n"]))
def test_anything_is_read_or_refused(lines: list[str], end: str) -> None:
    for head in ("", "IOR-4.0.0: MPI Coordinated Test of Parallel I/O\n", SUMMARY_CSV.split("\n")[0] + "\n"):
        try:
            parsed = parsers.model.check(ior.parse(head + "\n".join(lines) + end))
        except ParseError:
            continue
        check_finite(parsed)


@given(st.data())
def test_a_json_document_is_read_by_orjson_as_it_is_by_pairs(data: st.DataObject) -> None:
    lines = JSON.read_text().split("\n")
    start = data.draw(st.integers(0, len(lines)))
    end = data.draw(st.integers(start, min(start + 30, len(lines))))
    text = "\n".join(lines[:start] + lines[end:])
    parsed = json_document.parse(text)
    assert parsed is None or parsed == json_summary.parse(text)


@pytest.mark.parametrize("layout", [{}, {"indent": 1}, {"separators": (",", ":")}], ids=["line", "indent", "dense"])
def test_a_json_document_of_any_layout_is_read_by_orjson(layout: dict[str, object]) -> None:
    text = json.dumps(json.loads(JSON.read_text()), **layout)
    parsed = json_document.parse(text)
    assert parsed is not None
    assert parsed == json_summary.parse(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"iops": 1289.1141', '"iops": 1289.1141, "iops": 7.0'),
        ('"iops": 1289.1141', '"iops": "1289.1141"'),
        ('"iops": 1289.1141', '"iops": true'),
        ('"iops": 1289.1141', '"iops": -nan'),
        ('"repetitions": 2,', '"repetitions": 2, "bwMiB": 5.0,'),
        ('"Version": "4.1.0+dev"', '"Version": 4'),
        ('"Machine": "', '"Machine": "a\\\\b'),
    ],
)
def test_json_of_another_shape_is_left_to_the_reader_of_pairs(old: str, new: str) -> None:
    text = JSON.read_text()
    assert old in text
    changed = text.replace(old, new, 1)
    assert json_document.parse(changed) is None
    assert ior.parse(changed) == json_summary.parse(changed)


HINTS = "hints returned from opened file {{\n\tcb_buffer_size       = 16777216\n\tromio_aggregator_list = {}\n}}\n"


@pytest.mark.parametrize("one", ["{}", "10.0.0.{}:1"], ids=["ranks", "addresses"])
@pytest.mark.parametrize("ranks", [range(9), range(0, 400, 4), range(24, 9000, 24)], ids=len)
@pytest.mark.parametrize("before", ["\nread ", "\nFinished"])
def test_hints_of_mpi_io_are_no_damaged_rows(one: str, ranks: range, before: str) -> None:
    hints = HINTS.format(" ".join(map(one.format, ranks)))
    parsed = parsers.parse(whole().replace(before, f"\n{hints}{before[1:]}"))
    assert (parsed.complete, parsed.notes) == (True, [])
    plain = parsers.parse(whole())
    assert [row["throughput"] for row in parsed.runs] == [row["throughput"] for row in plain.runs]


def wrapped(text: str, width: int, *, rows: bool) -> str:
    """Break the headers of both tables, and their rows, as a terminal does."""
    found = []
    for line in text.split("\n"):
        is_header = line.startswith(("access ", "Operation ")) and "iB" in line
        is_row = rows and line.startswith(("write ", "read ")) and len(line.split()) > 7
        broken = is_header or is_row
        found += [line[at : at + width] for at in range(0, len(line), width)] if broken else [line]
    return "\n".join(found)


@pytest.mark.parametrize("rows", [False, True], ids=["headers", "rows too"])
@pytest.mark.parametrize("width", [80, 100, 120, 132, 160])
def test_tables_that_a_terminal_wrapped_are_whole(width: int, rows: bool) -> None:
    plain, parsed = parsers.parse(whole()), parsers.parse(wrapped(whole(), width, rows=rows))
    assert parsed.complete, parsed.notes
    assert [row | {"line": 0} for row in parsed.runs] == [row | {"line": 0} for row in plain.runs]


def test_no_whole_log_of_strangers_is_called_incomplete() -> None:
    read = {path.name: read_log(path).parsed for path in sorted(CORPUS.glob("ior*"))}
    assert [name for name, parsed in read.items() if not parsed.complete] == []
    if CORPUS.exists():
        assert len(read) > 30


def test_where_it_ran_is_kept_of_the_log_and_tells_no_rows_apart() -> None:
    parsed = parsers.parse(whole())
    place = ("machine", "ran_on", "tested_path", "filesystem_size", "filesystem_used")
    assert [parsed.header[name] for name in place] == ["Linux vm", "vm", "ior.f.00000000", 5.9 * GIB, 0.012]
    log = read_log(WHOLE)
    assert {name: log.record()[name] for name in place} == {name: parsed.header[name] for name in place}
    assert not set(place) & set(next(log.rows("runs")))


def test_json_says_where_it_ran_both_ways() -> None:
    text = JSON.read_text()
    fast, slow = json_document.parse(text), json_summary.parse(text)
    assert fast is not None
    assert fast.header == slow.header
    assert fast.header["ran_on"] == "vm"
    assert fast.header["filesystem_size"] > GIB


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("443.8 TiB   Used FS: 0.6%", 443.8 * TIB),
        ("1.5 PiB", 1.5 * 1024 * TIB),
        ("12,5 GiB", 12.5 * GIB),
        ("much", None),
        ("0.0 GiB   Used FS: -nan%", None),
    ],
)
def test_sizes_of_file_systems(text: str, size: float | None) -> None:
    assert places.agreed([places.file_system(text)]).get("filesystem_size") == size


def test_what_runs_of_a_log_say_differently_is_left_out() -> None:
    one = {"ran_on": "a", "tested_path": "/x", "filesystem_used": 0.1}
    other = {"ran_on": "b", "tested_path": "/x", "filesystem_used": 0.2}
    assert places.agreed([one, other]) == {"tested_path": "/x", "filesystem_used": 0.1}


@pytest.mark.parametrize("line", ["Path  ", "FS    "])
def test_a_lost_line_of_the_file_system_is_told(line: str) -> None:
    parsed = parsers.parse("\n".join(each for each in whole().split("\n") if not each.startswith(line)))
    assert [note.text for note in parsed.notes] == [
        "of the lines Path and FS, which are printed together, one is missing"
    ]


def test_lines_that_say_nothing_of_the_file_system_are_no_lost_ones() -> None:
    text = re.sub(r"(?m)^Path .*", "Path                : ", whole())
    parsed = parsers.parse(re.sub(r"(?m)^FS .*", "FS                  : 0.0 GiB   Used FS: -nan%", text))
    assert (parsed.complete, parsed.notes) == (True, [])
    assert not {"tested_path", "filesystem_size", "filesystem_used"} & set(parsed.header)


def test_lines_of_the_highest_rates_alone_are_known_and_lack_their_end() -> None:
    parsed = parsers.parse("Max Write: 10.00 MiB/sec (10.49 MB/sec)\nMax Read:  20.00 MiB/sec (20.97 MB/sec)\n")
    assert [(row["operation"], row["throughput"]) for row in parsed.runs] == [("write", 10.49e6), ("read", 20.97e6)]
    assert [row["throughput_rounded"] for row in parsed.runs] == [10 * MIB, 20 * MIB]
    assert not parsed.complete


def test_a_table_that_lacks_columns_is_whole_only_if_its_header_names_known_ones() -> None:
    text = (LOGS / "ior" / "imitated-table-with-columns-left-away.txt").read_text()
    assert len(parsers.parse(text).runs) == 2
    with pytest.raises(ParseError, match="expected an IOR report"):
        parsers.parse(text.replace("bw(MiB/s)", "bw(XiB/s)"), format="ior")


def test_a_row_shorter_than_a_header_with_a_comma_is_not_read() -> None:
    """A comma divides words of a header, but not the places below it: found by a mutant."""
    text = (LOGS / "ior" / "4.1.0dev_file_per_process_8_tasks.txt").read_text()
    whole = parsers.parse(text).runs
    row = next(line for line in text.split("\n") if line.startswith("write  "))
    damaged = parsers.parse(text.replace("IOPS ", "I,PS ").replace(row, row[:-5].rstrip()), format="ior")
    assert not damaged.complete
    assert len(damaged.runs) < len(whole)


def test_highest_rates_whose_brackets_were_left_out() -> None:
    parsed = parsers.parse("Max Write: 10.00 MiB/sec\nMax Read:  20.00 MiB/sec  \n")
    assert [(row["operation"], row["throughput"]) for row in parsed.runs] == [
        ("write", 10 * 2.0**20),
        ("read", 20 * 2.0**20),
    ]
    assert not parsed.complete


def test_tables_of_a_manual_with_single_blanks_are_runs_of_their_own() -> None:
    table = """    access bw(MiB/s) block(KiB) xfer(KiB) open(s)  wr/rd(s) close(s) total(s) iter
    ------ --------- ---------- --------- -------- -------- -------- -------- ----
    write  512.25    8192       512.00    0.125000 15.50    12.25    15.75    0
    remove -         -          -         -        -        -        0.250000 0
"""
    again = table.replace("512.25 ", "256.50 ")
    parsed = parsers.parse(
        f"With one file for all::\n\n    $ srun -n 8 ./ior -t 512k\n{table}\nand with its own:\n\n{again}"
    )
    rates = [(row["part"], row["throughput"]) for row in parsed.runs if "throughput" in row]
    assert rates == [(1, 512.25 * MIB), (2, 256.5 * MIB)]
    assert {row["block_size"] for row in parsed.runs} == {8 * MIB}
    assert not parsed.complete


MAXIMUM = "Max Read:  4.00 MiB/sec (4.19 MB/sec)\n\n"
END_OF_3 = ONLY_READ[ONLY_READ.index("Summary of all") :]
END_OF_2 = """Operation  Max (MiB)  Min (MiB)  Mean (MiB)   Std Dev  Mean (s)
---------  ---------  ---------  ----------   -------  --------
read            4.00       4.00        4.00      0.00   1.00000   EXCEL

"""


@pytest.mark.parametrize(("first", "second"), [
    (MAXIMUM + END_OF_3, MAXIMUM + END_OF_3), (END_OF_3, MAXIMUM + END_OF_3), (END_OF_2 + MAXIMUM, END_OF_2 + MAXIMUM),
], ids=["maxima-above", "cut-below-maxima", "maxima-below"])  # fmt: skip
def test_ends_of_several_logs_are_runs_of_their_own(first: str, second: str) -> None:
    second = second.replace(" 0 1 1 1 0", " 0 8 8 1 0").replace("4.19 MB", "4.20 MB")
    parsed = parsers.parse(f"$ tail a.out\n{first}$ tail b.out\n{second}", format="ior")
    assert [row["part"] for row in parsed.runs if row["statistic"] == "mean"] == [1, 2]
    assert [row["part"] for row in parsed.runs if row["throughput"] == 4.2e6] == [2]
    if "#Tasks" in first:
        assert [row["processes"] for row in parsed.runs if row["part"] == 1] == [1] * (1 + ("Max R" in first))


def test_a_table_below_a_summary_is_of_another_run() -> None:
    text = ONLY_READ[ONLY_READ.index("access ") :]
    parsed = parsers.parse(text + text.replace("4194304 1048576 4194304", "8388608 1048576 8388608"), format="ior")
    assert [(row["part"], row["statistic"]) for row in parsed.runs] == [
        (part, statistic) for part in (1, 2) for statistic in ("single", "mean")
    ]
    assert [row["block_size"] for row in parsed.runs] == [4 * MIB, 4 * MIB, 8 * MIB, 8 * MIB]


@pytest.mark.parametrize("above", ["IOR-4.0.0: MPI Coordinated Test of Parallel I/O\n", "Options: \napi : POSIX\n"])
def test_two_tables_below_a_banner_or_options_are_of_one_run(above: str) -> None:
    table = """access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ---------- ---------  --------   --------   --------   --------   ----
write     512.25     8192       512.00     0.125000   15.50      12.25      15.75      0
"""
    parsed = parsers.parse(above + table + table.replace("write     512.25", "read      256.50"), format="ior")
    assert [row["throughput"] for row in parsed.runs] == [512.25 * MIB, 256.5 * MIB]
    assert not any("part" in row for row in parsed.runs)


@pytest.mark.parametrize(("header", "is_one"), [
    ("access", True), ("access bw(MiB/s) blo", True), ("access bw(MiB/s) other", False),
    ("access other blo", False), ("other bw(MiB/s) blo", False),
])  # fmt: skip
def test_a_line_is_a_header_as_far_as_it_goes(header: str, is_one: bool) -> None:
    assert heads_iterations(header) is is_one


def test_a_summary_with_single_blanks_lacks_no_heading() -> None:
    lines = (LOGS / "ior/4.1.0dev_shared_file_2_tasks.txt").read_text().splitlines()
    parsed = parsers.parse("".join(" ".join(line.split()) + "\n" for line in lines))
    assert parsed.complete
    assert not [note.text for note in parsed.notes if "is missing" in note.text]


@pytest.mark.parametrize("said", ["All done.\n", "\nreal\t0m10.012s\n", "[root@n1 ~]# exit\n"])
def test_what_stands_behind_a_json_summary_does_not_cut_it(said: str) -> None:
    summary = (LOGS / "ior" / "4.1.0dev_json_4_tasks.json").read_text()
    assert parsers.parse(summary + said).complete
    assert parsers.parse(summary + said + summary + said).complete
    for cut in (summary[: summary.rindex("}")] + said, summary + said + "{\n", summary + said + summary[:900]):
        assert not parsers.parse(cut).complete

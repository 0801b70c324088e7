from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab import parsers, schema
from storagelab.errors import ParseError
from storagelab.parsers.benchmarks import mdtest
from storagelab.parsers.benchmarks.mdtest.log import OPERATIONS, timestamp
from storagelab.parsers.benchmarks.mdtest.options import keys
from storagelab.parsers.benchmarks.mdtest.tables import row, table, values
from storagelab.parsers.model import Row
from storagelab.parsers.text import decode
from tests.conftest import LOGS, SHARED, fixture_logs, log_id
from tests.parsers.readings import LABELS, check_cuts, check_finite, readings

CORPUS = SHARED / "corpus" / "mdtest"
RATES = LOGS / "mdtest" / "4.1.0dev_unique_directories_8_tasks.txt"
TIMES = LOGS / "mdtest" / "4.1.0dev_rates_and_times.txt"
RANKS = LOGS / "mdtest" / "4.1.0dev_rank_statistics_verbose.txt"
ALL_PROCESSES = LOGS / "mdtest" / "4.1.0dev_all_processes_times_only.txt"
RANKS_CSV = """rank,items,rate-Directory creation,time-Directory creation,rate-File creation,time-File creation,\
rate-Tree creation,time-Tree creation,rate-Tree removal,time-Tree removal
all,500,,,1.0000000000e+02,1.0000000000e+01,2.0000000000e+00,5.0000000000e-01,,
0,,,,5.0000000000e+01,9.0000000000e+00
1,,,,4.0000000000e+01,1.0000000000e+01
"""
OLD = """-- started at 03/01/2012 10:00:00 --

mdtest-1.8.3 was launched with 4 total task(s) on 2 nodes
Command line used: ./mdtest -n 100 -Fu -v -d /scratch/t
Path: /scratch
FS: 1.0 TiB   Used FS: 1.0%   Inodes: 1.0 Mi   Used Inodes: 1.0%

4 tasks, 400 files

   Operation               Duration              Rate
   ---------               --------              ----
V-1: main: * iteration 1 03/01/2012 10:00:00 *
V-1:   File creation     :          0.400 sec,       1000.000 ops/sec
V-1:   File stat         :          0.000 sec,          0.000 ops/sec

SUMMARY: (of 1 iterations)
   Operation                  Max        Min       Mean    Std Dev
   ---------                  ---        ---       ----    -------
   File creation     :   1000.000   1000.000   1000.000      0.000
   File stat         :      0.000      0.000      0.000      0.000
   Tree creation     :      9.000      9.000      9.000      0.000
   Tree removal      :      0.000      0.000      0.000      0.000

-- finished at 03/01/2012 10:00:10 --
"""


def corpus_logs() -> list[object]:
    if not CORPUS.is_dir():
        return [pytest.param("", marks=pytest.mark.skip(reason=f"no corpus at {CORPUS}"))]
    return sorted(json.loads((CORPUS / "truth.json").read_text()))


def operation(words: str) -> str:
    item, _, verb = words.partition("_")
    return OPERATIONS.get((item.capitalize(), verb), "")


@pytest.mark.parametrize("name", corpus_logs())
def test_rates_of_strangers_logs_are_those_read_by_hand(name: str) -> None:
    truth = json.loads((CORPUS / "truth.json").read_text())[name]
    parsed = parsers.parse(decode((CORPUS / name).read_bytes())[0])
    check_finite(parsed)
    assert parsed.complete == truth["complete"]
    found = {(row["operation"], row.get("operation_rate")) for row in parsed.runs}
    for fact in truth["facts"]:
        if fact["metric"] == "rate" and fact["statistic"] == "mean" and operation(fact["operation"]) and fact["value"]:
            assert (operation(fact["operation"]), fact["value"]) in found


@pytest.mark.parametrize("log", [log for log in fixture_logs("mdtest") if "cut" not in log.name], ids=log_id)
def test_a_cut_log_is_incomplete_and_invents_nothing(log: Path) -> None:
    check_cuts(log.read_text())


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("log", [RATES, TIMES, ALL_PROCESSES], ids=log_id)
def test_labels_and_quotes_before_lines_change_nothing(log: Path, label: str) -> None:
    plain = parsers.parse(log.read_text())
    labelled = parsers.parse("".join(f"{label}{line}\n" for line in log.read_text().split("\n")))
    assert (labelled.runs, labelled.clients, labelled.header) == (plain.runs, plain.clients, plain.header)
    assert labelled.complete


def test_an_old_report_with_iterations() -> None:
    parsed = parsers.parse(OLD)
    assert parsed.complete
    assert parsed.header == {
        "tool": "mdtest",
        "tool_version": "1.8.3",
        "command": "./mdtest -n 100 -Fu -v -d /scratch/t",
        "started": "2012-03-01T10:00:00",
        "ended": "2012-03-01T10:00:10",
        "tested_path": "/scratch",
        "filesystem_size": 2.0**40,
        "filesystem_used": 0.01,
        "items": 100.0,
        "directory_mode": "unique",
        "stat_origin": "creating_node",
        "processes": 4.0,
        "nodes": 2.0,
        "processes_per_node": 2.0,
        "files": 400.0,
        "nodes_line": 3,
        "items_line": 4,
        "files_line": 8,
        "processes_line": 8,
        "processes_per_node_line": schema.COMPUTED,
    }
    single, create, tree = parsed.runs
    assert single == {
        "operation": "file_create",
        "statistic": "single",
        "operation_rate": 1000.0,
        "line": 13,
        "elapsed": 0.4,
        "iteration": 0,
    }
    assert (create["operation"], create["statistic"], create["samples"], create["line"]) == (
        "file_create",
        "mean",
        1.0,
        19,
    )
    assert (tree["operation"], tree["operation_rate"], tree["operation_rate_std"]) == ("tree_create", 9.0, 0.0)


def test_rates_of_rank_zero_are_its_share_and_those_of_all_tasks_are_not() -> None:
    assert not parsers.parse(OLD).clients
    rank_zero = parsers.parse(OLD.replace("       1000.000 ops", "        250.000 ops"))
    assert [(share["process"], share["operation_rate"]) for share in rank_zero.clients] == [("0", 250.0)]
    assert all(found["statistic"] == "mean" for found in rank_zero.runs)
    at_once = parsers.parse(OLD.replace("0.400 sec,       1000.000 ops", "0.000 sec,     500000.000 ops"))
    assert [share["operation_rate"] for share in at_once.clients] == [500000.0], "100 files in less than half a ms"


def test_times_stand_on_the_row_of_the_rate() -> None:
    create = parsers.parse(TIMES.read_text()).runs[4]
    lines = TIMES.read_text().split("\n")
    assert create["operation"] == "file_create"
    assert "File creation" in lines[create["line"] - 1]
    assert "SUMMARY rate" in lines[create["line"] - 8]
    assert (create["elapsed"], create["elapsed_max"], create["elapsed_std"]) == (0.042, 0.056, 0.013)


def test_a_time_below_the_printed_digits_is_no_value() -> None:
    tree = parsers.parse(TIMES.read_text()).runs[8]
    assert tree["operation"] == "tree_create"
    assert not {"elapsed", "elapsed_max"} & tree.keys()


def test_statistics_over_ranks_are_shares_and_those_over_iterations_the_runs() -> None:
    parsed = parsers.parse(RANKS.read_text())
    whole = next(found for found in parsed.runs if found["operation"] == "file_create")
    share = next(
        found for found in parsed.clients if found["operation"] == "file_create" and found["statistic"] == "mean"
    )
    assert (whole["operation_rate"], whole["operation_rate_std"], whole["samples"]) == (43033.003, 7111.156, 3.0)
    assert (share["operation_rate"], share["operation_rate_max"], share["samples"]) == (18274.524, 24576.24, 9.0)
    assert (share["share"], "operation_rate_std" in share) == ("rank", False)


def test_several_numbers_of_tasks_in_one_launch_are_parts() -> None:
    head, summary, end = OLD.partition("SUMMARY")[0], OLD[OLD.index("SUMMARY") : OLD.index("\n-- fin")], OLD[-38:]
    text = head.replace("4 tasks, 400", "2 tasks, 200") + summary + "\n4 tasks, 400 files\n\n" + summary + "\n" + end
    parsed = parsers.parse(text)
    assert parsed.complete
    assert {(found["part"], found["processes"], found["items"]) for found in parsed.runs} == {
        (1, 2.0, 100.0),
        (2, 4.0, 100.0),
    }


def test_several_runs_in_a_log_are_parts_with_their_own_keys() -> None:
    parsed = parsers.parse(RATES.read_text() + OLD)
    assert parsed.complete
    assert {(found["part"], found["processes"], found["items"]) for found in parsed.runs} == {
        (1, 8.0, 300.0),
        (2, 4.0, 100.0),
    }
    assert not {"command", "tool_version"} & parsed.header.keys()
    assert (parsed.header["started"], parsed.header["ended"]) == ("2012-03-01T10:00:00", "2026-11-20T17:08:51")


@pytest.mark.parametrize("between", ["", "with the patch:\nCommand line used: mdtest -n 5 -d /b\n"])
def test_a_second_summary_is_a_second_run_where_a_quotation_left_out_the_launch(between: str) -> None:
    summary = RATES.read_text().partition("SUMMARY rate")[2].partition("-- finished")[0]
    quoted = f"Command line used: mdtest -n 5 -d /a\nSUMMARY rate{summary}{between}SUMMARY rate{summary}"
    parsed = mdtest.parse(quoted)
    first, second = ([row for row in parsed.runs if row["part"] == part] for part in (1, 2))
    assert parsed.complete
    assert [row["operation_rate"] for row in first] == [row["operation_rate"] for row in second]
    assert min(float(row["line"]) for row in second) > max(float(row["line"]) for row in first)


def test_the_stonewall_is_beside_the_phase_it_stopped() -> None:
    row = "   File create (stonewall)   :             NA             NA        900.500             NA\n"
    text = OLD.replace("   Tree creation     :", row + "   Tree creation     :")
    text = text.replace(
        "4 tasks, 400 files\n", "4 tasks, 400 files\nContinue stonewall hit min: 80 max: 100 avg: 90.0 \n"
    )
    create = parsers.parse(text).runs[1]
    assert (create["operation"], create["operation_rate_stonewall"]) == ("file_create", 900.5)
    assert (create["operations_min"], create["operations_max"], create["operations_mean"]) == (80.0, 100.0, 90.0)


@pytest.mark.parametrize(
    ("pattern", "replacement", "note"),
    [
        (r"(?m)^(   File stat  .*) \S+$", r"\1", "a row of the summary is damaged"),
        (r"(?m)^(   File stat  .*)\d\d$", r"\1", "a row of the summary is damaged"),
        (r"(?m)^(   File stat  +)\d+\.\d+", r"\1", "a row of the summary is damaged"),
        (r"SUMMARY rate ", "SUMMARY      ", "the heading of a summary is damaged"),
    ],
)
def test_damage_is_noted_and_invents_nothing(pattern: str, replacement: str, note: str) -> None:
    parsed = parsers.parse(re.sub(pattern, replacement, RATES.read_text()))
    assert not parsed.complete
    assert note in parsed.notes[0].text
    assert readings(parsed) < readings(parsers.parse(RATES.read_text()))


def test_rows_below_a_damaged_heading_are_not_those_of_the_table_before() -> None:
    text = OLD.replace("   Tree removal      :      0.000      0.000      0.000      0.000\n", "")
    again = "SUMMARY rate: (of x iterations)\n   File stat         :    777.000    777.000    777.000      0.000\n"
    parsed = parsers.parse(text.replace("-- finished", f"{again}-- finished"))
    assert "the heading of a summary is damaged" in parsed.notes[0].text
    assert 777.0 not in {row.get("operation_rate") for row in parsed.runs}


def test_a_damaged_line_of_processes_is_noted() -> None:
    parsed = parsers.parse(re.sub(r"(?m)^(Test File stat .*),\S+$", r"\1", ALL_PROCESSES.read_text()))
    assert not parsed.complete
    assert "table of processes is damaged" in parsed.notes[0].text
    assert "file_stat" not in {share["operation"] for share in parsed.clients}


def test_decimal_commas_are_read() -> None:
    text = re.sub(r"(?<=\d)\.(?=\d{3}\b)", ",", RATES.read_text())
    assert readings(parsers.parse(text)) == readings(parsers.parse(RATES.read_text()))


def test_an_aborted_run_keeps_what_it_says_of_itself() -> None:
    text = OLD.split("   Operation")[0] + "03/01/2012 10:00:01: Process 0(n1): FAILED in create, No space left\n"
    parsed = parsers.parse(text + "Application 77 exit codes: 134\n")
    assert not parsed.complete
    assert not parsed.runs
    assert (parsed.header["processes"], parsed.header["items"], parsed.header["exit_status"]) == (4.0, 100.0, 134.0)
    assert [note.text for note in parsed.notes] == ["FAILED in create, No space left", "run 1: no summary"]


def test_csv_of_ranks() -> None:
    parsed = parsers.parse(RANKS_CSV)
    assert parsed.complete
    assert parsed.header == {"tool": "mdtest", "statistic": "single", "items": 500.0, "processes": 2.0}
    assert parsed.runs[0] == {
        "operation": "file_create",
        "iteration": 0,
        "operation_rate": 100.0,
        "elapsed": 10.0,
        "line": 2,
    }
    assert [(share["process"], share["elapsed"], share["line"]) for share in parsed.clients] == [
        ("0", 9.0, 3),
        ("1", 10.0, 4),
    ]


def test_csv_of_several_calls_has_parts() -> None:
    parsed = parsers.parse(RANKS_CSV + RANKS_CSV.partition("\n")[2])
    assert {found["part"] for found in parsed.runs} == {1, 2}
    assert [(share["part"], share["iteration"]) for share in parsed.clients] == [(1, 0), (1, 0), (2, 0), (2, 0)]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (RANKS_CSV[:-3], "the last line has no end"),
        (RANKS_CSV.replace("9.0000000000e+00", "nine"), "no number"),
        (RANKS_CSV.replace("1,,,,4", "1,,,4"), "no row of the table"),
        (RANKS_CSV.split("\n")[0] + "\n", "no rows"),
    ],
)
def test_damaged_csv(text: str, note: str) -> None:
    parsed = parsers.parse(text)
    assert not parsed.complete
    assert any(note in found.text for found in parsed.notes)


@pytest.mark.parametrize("text", ["", "hello\nworld\n", "\n\n"])
def test_what_is_nothing_of_mdtest_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="expected an mdtest report"):
        mdtest.parse(text)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("", {}),
        ("mdtest -n 10", {"items": 10.0, "directory_mode": "shared", "stat_origin": "creating_node"}),
        ("mdtest '-N' '1'", {"stride": 1.0, "directory_mode": "shared", "stat_origin": "neighbour_node"}),
        ("mdtest -N=0 -uL", {"stride": 0.0, "directory_mode": "unique", "stat_origin": "creating_node"}),
        ("mdtest -n5 -w 0 -S -a dfs", {"items": 5.0, "directory_mode": "shared", "stat_origin": "creating_node"}),
    ],
)
def test_keys_of_the_command_line(command: str, found: dict[str, object]) -> None:
    extra = {"file_mode": "shared-file", "api": "DFS"} if "-S" in command else {}
    assert keys(command, 3.0, 1.0) == found | extra


def test_items_are_those_of_one_task() -> None:
    assert keys("mdtest -n 40", 4.0, 156.0)["items"] == 39.0
    assert keys("mdtest -n 1 -S", 128.0, 1.0)["items"] == 1.0


def test_rows_and_tables_of_all_forms() -> None:
    assert row("| File stat | 1.000 | 2.000 |") == ("file_stat", False, ["1.000", "2.000"])
    assert row("   Directory creation:   1415.301   1415.301") == ("directory_create", False, ["1415.301", "1415.301"])
    assert row("   File system : x") is None
    with pytest.raises(ValueError, match=r"1\.000"):
        values(table("elapsed"), ["1.000"])


@pytest.mark.parametrize("text", ["", "next", "13/40/2020 10:00:00", "1/2", "11/20/2026"])
def test_no_timestamp(text: str) -> None:
    assert timestamp(text) == ""


def test_logs_of_other_tools_are_not_claimed() -> None:
    claimed = [log_id(log) for log in fixture_logs() if mdtest.sniff(decode(log.read_bytes())[0][:4096])]
    assert [log for log in claimed if not log.startswith("mdtest/")] == []


@pytest.mark.parametrize("mark", ["[RESULT] IOPS phase 1", "IO500 version io500-sc21"])
def test_mdtest_within_an_io500_log_is_left_to_io500(mark: str) -> None:
    assert not mdtest.sniff(f"{mark}\n{RATES.read_text()[:4000]}")


FRAGMENTS = [line for log in (RANKS, ALL_PROCESSES) for line in log.read_text().split("\n")]


@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=30), max_size=60), st.sampled_from(["\n", "", "\n\n"]))
def test_anything_is_read_or_refused(lines: list[str], end: str) -> None:
    for head in ("", OLD.split("V-1")[0], RANKS_CSV.split("\n")[0] + "\n"):
        try:
            parsed = parsers.model.check(mdtest.parse(head + "\n".join(lines) + end))
        except ParseError:
            continue
        check_finite(parsed)


@pytest.mark.parametrize("digits", ["9" * 10, "9" * 400, "\u0663"])
def test_an_iteration_that_nobody_counts_to_is_none(digits: str) -> None:
    whole, text = mdtest.parse(ALL_PROCESSES.read_text()), ALL_PROCESSES.read_text()
    parsed = mdtest.parse(re.sub(r"(?m)^(iteration: ?)\d+$", rf"\g<1>{digits}", text))
    assert len(parsed.runs) + len(parsed.clients) == len(whole.runs) + len(whole.clients)
    assert all(float(row.get("iteration", 0)) < 10 for row in [*parsed.runs, *parsed.clients])


def test_a_report_that_stands_as_far_to_the_right_as_its_rows_says_its_file_system() -> None:
    text = RATES.read_text()
    indented = "\n".join(f"   {line}" if line else line for line in text.split("\n"))
    there, found = parsers.parse(text), parsers.parse(indented)
    for name in ("filesystem_size", "started", "ended"):
        assert found.header[name] == there.header[name]
    assert found.runs == there.runs


def test_a_report_in_quotes_of_a_program_says_its_times() -> None:
    text = RATES.read_text()
    there = parsers.parse(text)
    quoted = parsers.parse(f"const report =\n`{text.strip()}`\n")
    assert [quoted.header[name] for name in ("started", "ended")] == [
        there.header[name] for name in ("started", "ended")
    ]
    assert [row["operation_rate"] for row in quoted.runs] == [row["operation_rate"] for row in there.runs]


@pytest.mark.parametrize("is_headed", [True, False])
@pytest.mark.parametrize("sign", [".", ","])
@pytest.mark.parametrize("kept", [1, 2, 3])
def test_rows_that_a_mail_broke_say_what_they_said(kept: int, sign: str, is_headed: bool) -> None:
    heading = "SUMMARY rate: (of 2 iterations)\n   Operation                      Max            Min           Mean"
    rows = {"Directory creation": ["22.500", "20.250", "21.375", "1.125"], "Tree removal": ["1907.750"] * 3 + ["0.000"]}
    broken = "".join(
        f"   {name:<26}:   {'   '.join(row[:kept])}\n         {'   '.join(row[kept:])}\n" for name, row in rows.items()
    )
    text = (f"{heading}\n Std Dev\n" if is_headed else "") + broken.replace(".", sign)
    assert mdtest.sniff(text)
    parsed = parsers.parse(text)
    assert [row["operation_rate"] for row in parsed.runs] == [21.375, 1907.75]
    assert [row["operation_rate_std"] for row in parsed.runs] == [1.125, 0]
    assert parsed.complete == is_headed


@pytest.mark.parametrize(
    ("log", "lost", "said"),
    [
        (RANKS, r"V-1: Rank .*File stat +:.*\n", "2 of 3 iterations of file_stat"),
        (RANKS, r"V-1: Rank .*Directory stat +:.*\n", "2 of 3 iterations of directory_stat"),
    ],
)
def test_an_iteration_that_verbosity_does_not_show_is_missed(log: Path, lost: str, said: str) -> None:
    text = log.read_text()
    assert parsers.parse(text).complete
    parsed = parsers.parse(re.sub(lost, "", text, count=1))
    assert not parsed.complete
    assert [note for note in parsed.notes if said in note.text], parsed.notes


@pytest.mark.parametrize(
    "lost", ["Directory creation", "Directory removal", "File stat", "Tree creation", "Tree removal"]
)
def test_a_row_that_the_summary_lacks_is_told(lost: str) -> None:
    text = RATES.read_text()
    assert not parsers.parse(text).notes
    parsed = parsers.parse(re.sub(rf" +{lost} .*\n", "", text))
    assert [note for note in parsed.notes if note.text.startswith(f"expected '{lost}")], parsed.notes


@pytest.mark.parametrize("above", ["", "as they wrote:\n"])
@pytest.mark.parametrize("end", [" ", "\n"])
def test_a_row_alone_is_recognised_where_a_line_begins(end: str, above: str) -> None:
    row = f"   File stat                 :     412.250       400.000{end}      406.125         6.125\n"
    assert mdtest.sniff(above + row)
    assert not mdtest.sniff(f"{above}see {row}")


def test_a_report_that_a_page_has_in_one_line_is_the_same() -> None:
    text = RATES.read_text()
    folded = parsers.parse(" ".join(text.split()) + "\n")
    whole = parsers.parse(text)
    assert folded.complete
    assert _without_lines(folded.header) == _without_lines(whole.header)
    assert [*map(_without_lines, folded.runs)] == [*map(_without_lines, whole.runs)]
    assert {row["line"] for row in folded.runs} == {1}


def _without_lines(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "line" and name not in schema.VALUE_AT}


EXCERPT = OLD[OLD.index("SUMMARY") : OLD.index("-- finished")]


def test_a_call_at_a_prompt_is_that_of_the_excerpt_below_it() -> None:
    calls = "[me@n1 src]$ srun -N2 ./mdtest -n 100 -w 4k -Fu\n", "mdtest -b 3 -z 2\n"
    parsed = parsers.parse("".join(f"{call}\n{EXCERPT}\n" for call in calls))
    means = [row for row in parsed.runs if row["operation"] == "file_create"]
    assert [(row["part"], row["directory_mode"], row.get("file_size"), row.get("branching")) for row in means] == [
        (1, "unique", 4096, None),
        (2, "shared", None, 3),
    ]
    second = 1 + calls[0].count("\n") + 1 + EXCERPT.count("\n") + 1
    assert (means[0]["file_size_line"], means[1]["branching_line"]) == (1, second)


def test_a_call_is_not_that_of_a_second_excerpt_nor_one_of_several() -> None:
    call = "$ ./mdtest -n 100 -u\n"
    _, second = (row for row in parsers.parse(call + EXCERPT * 2).runs if row["operation"] == "file_create")
    assert "directory_mode" not in second
    assert "directory_mode" not in parsers.parse(f"{call}$ ./mdtest -n 1\n{EXCERPT}").header


def test_a_call_says_nothing_of_what_mdtest_prints_itself() -> None:
    said = parsers.parse(f"$ mpirun -np 8 mdtest -n 1 -z 5\n{OLD}").header
    assert (said["command"], "depth" in said) == ("./mdtest -n 100 -Fu -v -d /scratch/t", False)

"""IO500: what its forms say is what the parser reads, for any numbers; verdicts, ends, and several runs in a log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.benchmarks import io500
from storagelab.parsers.benchmarks.io500 import phases
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import decode
from tests import render_io500 as render
from tests.conftest import LOGS, SHARED
from tests.render_io500 import Result, Results

CORPUS = SHARED / "corpus" / "io500"
GIB = 2.0**30
SCORED = tuple(phase for phase in render.MODERN if phase not in render.UNSCORED)
COMMON = {"ior-easy-write": Result(12.5, 300.0), "mdtest-easy-write": Result(40.25, 310.0), "find": Result(900.5, 20.0)}

values = st.decimals("0.001", "99999", places=3).map(float)
results = st.fixed_dictionaries(
    {phase: st.builds(Result, values, st.decimals("0.1", "9999", places=1).map(float)) for phase in SCORED}
)


def by_job(parsed: Parsed) -> dict[str, Row]:
    return {str(row["job"]): row for row in parsed.runs}


def in_si(phase: str, result: Result) -> float:
    return result.value * (GIB if render.is_bandwidth(phase) else 1000.0)


def measured(row: Row) -> float:
    return float(row.get("throughput", row.get("operation_rate", 0.0)))


def check(parsed: Parsed, expected: Results) -> None:
    assert parsed.complete
    rows = by_job(parsed)
    for phase, result in expected.items():
        assert measured(rows[phase]) == pytest.approx(in_si(phase, result), rel=1e-9)
        assert rows[phase]["elapsed"] == pytest.approx(result.seconds)


@given(results)
def test_summary_is_read_back(expected: Results) -> None:
    parsed = parsers.parse(render.summary(expected))
    check(parsed, expected)
    assert parsed.header["tool_version"] == "io500-isc25_v2"
    score = by_job(parsed)["SCORE"]
    bandwidth, rate, total = render.scores(expected)
    assert score["throughput"] == pytest.approx(bandwidth * GIB, rel=1e-3)
    assert score["operation_rate"] == pytest.approx(rate * 1000, rel=1e-3)
    assert score["score"] == pytest.approx(total, rel=1e-3)


@given(results)
def test_script_log_is_read_back_once(expected: Results) -> None:
    parsed = parsers.parse(render.script_log(expected))
    check(parsed, expected)
    assert len(parsed.runs) == len(expected) + 1


@given(results)
def test_application_log_is_read_back_once(expected: Results) -> None:
    parsed = parsers.parse(render.application_log(expected))
    check(parsed, expected)
    assert len(parsed.runs) == len(expected)


@given(results)
def test_result_txt_is_read_back(expected: Results) -> None:
    check(parsers.parse(render.ini(expected)), expected)


@given(st.lists(st.integers(100, 10**6), min_size=1, max_size=40), st.floats(0.1, 1e4))
def test_find_csv_is_read_back(entries: list[int], seconds: float) -> None:
    parsed = parsers.parse(render.find_csv(entries, seconds))
    assert [row["items"] for row in parsed.clients] == entries
    assert {row["share"] for row in parsed.clients} == {"rank"}


@pytest.mark.parametrize(
    ("phase", "operation", "pattern"),
    [
        ("ior-easy-write", "write", "sequential"),
        ("ior_hard_read", "read", ""),
        ("ior-rnd4K-easy-read", "read", "random"),
        ("IOR EASY WRITE", "write", "sequential"),
        ("mdtest-hard-write", "file_create", ""),
        ("mdtest_easy_create", "file_create", ""),
        ("md-easy-stat", "file_stat", ""),
        ("mdtest-hard-read", "file_read", ""),
        ("mdtest-easy-delete", "file_remove", ""),
        ("mdworkbench-bench", "mixed_workload", ""),
        ("find-easy", "find", ""),
        ("timestamp", "job", ""),
        ("a phase of the future", "job", ""),
    ],
)
def test_phases_are_operations_of_the_contract(phase: str, operation: str, pattern: str) -> None:
    row = phases.keys(phase)
    assert (row["operation"], row.get("access_pattern", "")) == (operation, pattern)


def test_gb_of_the_script_are_gib() -> None:
    text = "[RESULT] BW   phase 1            ior_easy_write               40.915 GB/s : time 586.58 seconds\n"
    assert by_job(parsers.parse(text))["ior-easy-write"]["throughput"] == 40.915 * GIB


def test_verdicts_of_the_tool_are_kept() -> None:
    everything = {**COMMON, "ior-hard-write": Result(1.0, 3.0, invalid=True), "ior-rnd4K-easy-read": Result(2.0, 3.0)}
    rows = by_job(parsers.parse(render.summary(everything)))
    assert {job: row.get("valid", "") for job, row in rows.items()} == {
        "ior-easy-write": "",
        "mdtest-easy-write": "",
        "find": "",
        "ior-hard-write": "invalid",
        "ior-rnd4K-easy-read": "unscored",
        "SCORE": "invalid",
    }


@pytest.mark.parametrize(
    "text",
    [
        "One or more test phases invalid.  Not valid for IO-500 submission.\n[SCORE-valid] {}\n",
        "[SCORE ] {}\n    [INVALID]\n",
    ],
)
def test_a_verdict_on_a_line_of_its_own_is_the_score_s(text: str) -> None:
    score = text.format("Bandwidth 2.0 GiB/s : IOPS 8.0 kiops : TOTAL 4.0")
    parsed = io500.parse(f"[RESULT]  find  500.5 kIOPS : time 16.5 seconds\n{score}")
    assert [row.get("valid") for row in parsed.runs] == [None, "invalid"]
    assert parsed.complete


def test_zero_means_that_nothing_ran() -> None:
    text = render.summary(COMMON).replace("900.500000", "  0.000000").replace("time 20.000", "time 0.000")
    assert "find" not in by_job(parsers.parse(text))


def test_extended_run_wants_its_second_score() -> None:
    text = render.summary(COMMON, "io500-sc21 (extended)")
    assert parsers.parse(text).complete
    without = parsers.parse(text[: text.index("[SCOREX]")])
    assert (without.complete, without.notes[-1].text) == (False, "the log ends before the score")


def test_result_txt_without_its_end_is_incomplete() -> None:
    text = render.ini(COMMON)
    parsed = parsers.parse(text[: text.index("; END")])
    assert (parsed.complete, parsed.notes[-1].text) == (False, "there is no '; END' for each result")


def test_lost_ranks_are_missed() -> None:
    text = render.find_csv([100, 200, 300], 2.0)
    cut = parsers.parse("".join(line for line in text.splitlines(keepends=True) if not line.startswith("1,")))
    assert (cut.complete, cut.notes[-1].text) == (
        False,
        "the ranks' entries add up to 400, rate times runtime to 600",
    )


def test_two_runs_in_one_log_are_parts() -> None:
    other = {phase: Result(result.value * 2, result.seconds) for phase, result in COMMON.items()}
    parsed = parsers.parse(render.summary(COMMON) + render.summary(other))
    assert [row["part"] for row in parsed.runs] == [1.0] * 4 + [2.0] * 4
    assert parsed.complete


def test_run_that_another_follows_before_its_score_is_incomplete() -> None:
    first = render.summary(COMMON, version="")
    other = {phase: Result(result.value * 2, result.seconds) for phase, result in COMMON.items()}
    parsed = parsers.parse(first[: first.index("[SCORE")] + render.summary(other, version=""))
    assert not parsed.complete
    assert parsed.notes == [(4, "a run ends before its score, and another begins")]


def test_unreadable_result_names_its_line() -> None:
    text = render.summary(COMMON).replace("40.250000 kIOPS", "40.250000 furlongs")
    assert parsers.parse(text).notes[0].line == 3


def test_command_lines_give_keys() -> None:
    rows = by_job(parsers.parse(render.script_log({**COMMON, "mdtest-hard-write": Result(1.0, 2.0)})))
    easy, hard = rows["ior-easy-write"], rows["mdtest-hard-write"]
    assert (easy["record_size"], easy["file_mode"], easy["api"]) == (2097152.0, "file-per-process", "POSIX")
    assert (hard["file_size"], hard["directory_mode"], hard.get("record_size")) == (3901.0, "shared", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IO500 version io500-isc25\n", r"expected a result of an IO500 phase, found 'IO500 version io500-isc25'"),
        ("[run]\nversion = io500\nconfig-hash = 1\n", r"expected a result of an IO500 phase, found '\[run\]"),
        ("\x00\x05\x16\x07Mac OS X", r"expected a result of an IO500 phase"),
    ],
)
def test_what_holds_no_result_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        io500.parse(text)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the collection of other people's logs is not here")
@pytest.mark.parametrize("log", sorted(CORPUS.glob("io500-*.txt")), ids=lambda log: log.name)
def test_other_people_s_logs_give_what_they_print(log: Path) -> None:
    truth = json.loads((CORPUS / "truth.json").read_text())[log.name]
    parsed = parsers.parse(decode(log.read_bytes())[0])
    assert parsed.complete == truth["complete"]
    rates = {round(measured(row) / scale, 6) for row in parsed.runs for scale in (GIB, 1000.0, 1.0)}
    facts = [fact for fact in truth["facts"] if fact["metric"] in ("bandwidth", "rate") and fact["statistic"] == "mean"]
    assert [fact["value"] for fact in facts if fact["value"] and fact["value"] not in rates] == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the collection of other people's logs is not here")
def test_file_of_the_macintosh_is_refused() -> None:
    (log,) = CORPUS.glob("*.bin")
    with pytest.raises(ParseError, match="expected a log of one of"):
        parsers.parse(decode(log.read_bytes())[0])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("TOTAL 37.024026", "TOTAL 47.024026", "expected a score of 37.024 = sqrt(1370.78), found 47.024"),
        (
            "52.131317 kIOPS",
            "12.131317 kIOPS",
            "expected a mean operation_rate of all phases of 38967.1, found 46757.1",
        ),
        ("71.801317 GiB/s", "11.801317 GiB/s", "expected a mean throughput of all phases of"),
    ],
)
def test_a_score_that_its_results_deny_makes_a_log_incomplete(old: str, new: str, said: str) -> None:
    text = (LOGS / "io500/rendered-summary-2025-invalid.txt").read_text()
    parsed = parsers.parse(text.replace(old, new))
    assert not parsed.complete
    assert any(note.text.startswith(said) for note in parsed.notes), parsed.notes
    assert not any("expected a" in note.text for note in parsers.parse(text).notes)


def test_a_result_that_lost_its_numbers_and_has_a_time_of_day_is_no_result() -> None:
    text = (LOGS / "io500/rendered-application-2017.txt").read_text()
    whole = "[Result] mdtest mdtest_hard_stat rate: 79.471 kiops time: 360.1s"
    parsed = parsers.parse(text.replace(whole, "[Result] mdtest mdtest_hard_i Nov  3 03:44:35 2017"))
    assert not parsed.complete
    assert len(parsed.runs) == len(parsers.parse(text).runs) - 1


@pytest.mark.parametrize("name", ["find", "ior-easy-write", "mdtest-hard-delete"])
def test_sections_alone_are_an_excerpt(name: str) -> None:
    text = (LOGS / "io500/rendered-result-2022.txt").read_text()
    (whole,) = [row for row in parsers.parse(text).runs if row.get("job") == name]
    section = text[text.index(f"[{name}]") :].partition("\n\n")[0] + "\n"
    parsed = parsers.parse(section)
    assert not parsed.complete
    (found,) = parsed.runs
    assert (found["elapsed"], found["operation"]) == (whole["elapsed"], whole["operation"])
    beside = parsers.parse(f"{section}\n{(LOGS / 'mdtest/4.1.0dev_rates_and_times.txt').read_text()}")
    assert beside.header["tool"] == "mdtest"


def text_of(name: str) -> str:
    return (LOGS / "io500" / name).read_text()


def test_the_runtime_of_a_phase_that_was_too_short_is_that_of_the_result_below_or_above() -> None:
    below = parsers.parse(text_of("imitated-2026-below-stonewall.txt"))
    above = parsers.parse(text_of("rendered-aborted-2020.txt"))
    assert [(row["elapsed"], row.get("elapsed_line", row["line"])) for row in below.runs] == [
        (0.000041, 3),
        (4.25, 7),
        (0.000038, 9),
    ]
    assert [(row["elapsed"], row.get("elapsed_line", row["line"])) for row in above.runs] == [(0.000016, 3), (3.5, 4)]


def test_summary_sections_and_ranks_of_find_in_one_log_are_all_read() -> None:
    names = ("rendered-summary-2025-invalid.txt", "rendered-result-2022.txt", "rendered-find.csv")
    alone = [parsers.parse(text_of(name)) for name in names]
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        parsed = parsers.parse("".join(text_of(names[at]) for at in order))
        assert len(parsed.runs) == sum(len(one.runs) for one in alone)
        assert (len(parsed.clients), parsed.complete) == (len(alone[2].clients), True)


@pytest.mark.parametrize("above", ["", "as they wrote:\n"])
def test_a_score_of_the_draft_is_recognised_where_a_line_begins(above: str) -> None:
    for phase, rate in (("1/md-easy-create", 21500.125), ("5/find", 40250), ("8/md-real-io", 17300.5)):
        score = f"{phase} IOPs:{rate} time:310s\n"
        assert io500.sniff(above + score)
        assert not io500.sniff(f"{above}see {score}")
        parsed = parsers.parse(above + score)
        assert [(row["operation_rate"], row["elapsed"]) for row in parsed.runs] == [(rate, 310)]
        assert parsed.complete is (phase != "1/md-easy-create")


def test_nodes_and_processes_are_those_of_their_run() -> None:
    """Runs of several sizes in one file, each of which says its own above its results."""
    one = (LOGS / "io500" / "rendered-application-2017.txt").read_text()
    larger = one.replace("NODES=4", "NODES=8").replace("NPROC=48", "NPROC=96").replace("79.183", "99.183")
    two = io500.parse(one + larger)
    assert {(row["part"], row["nodes"], row["processes"]) for row in two.runs} == {(1, 4, 48), (2, 8, 96)}
    assert two.complete
    same = io500.parse(one + larger.replace("=8", "=4").replace("=96", "=48"))
    assert (same.header["nodes"], same.header["processes"], "nodes" in same.runs[0]) == (4, 48, False)

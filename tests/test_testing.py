"""The damage harness for anybody's format: a sound parser passes all of it, and each check finds a bad one out."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from storagelab import parsers, testing
from storagelab.errors import ParseError, UnknownNameError
from storagelab.parsers import Format, Parsed
from storagelab.parsers.model import Row
from storagelab.testing import damage_checks
from storagelab.testing.damage import blanked_column, foreign_lines, not_utf8
from tests.conftest import fixture_logs

FORMAT = Format("toy", "toy", "1", "a toy's lines", "this test")
LOG = "toy 1.0\n" + "".join(f"write {number}.25 MB/s\n" for number in range(100, 112)) + "12 writes done\n"
DONE = re.compile(r"([0-9]+) writes done")
LINE = re.compile(r"write ([0-9]{3}\.[0-9]{2}) MB/s")


def parse(text: str) -> Parsed:
    """Read the toy's log: lines of one width, and how many there were."""
    parsed = Parsed({"tool": "toy", "statistic": "single"})
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if found := LINE.fullmatch(line):
            parsed.runs.append({"operation": "write", "throughput": float(found[1]) * 1e6, "line": number})
    if not parsed.runs:
        raise ParseError("a line 'write NUMBER MB/s'", text[:80], line=1)
    done = [int(found[1]) for line in lines if (found := DONE.fullmatch(line))]
    if done != [len(parsed.runs)] or text[-1:] != "\n":
        parsed.incomplete("the last line is missing, or counts others")
    return parsed


def toy(parse: Callable[[str], Parsed] = parse, sniff: Callable[[str], bool] = lambda head: "toy 1.0" in head) -> Any:
    return SimpleNamespace(FORMAT=FORMAT, sniff=sniff, parse=parse)


@pytest.mark.parametrize("check", testing.CHECKS)
def test_a_sound_parser_passes(check: str) -> None:
    testing.check_format(toy(), LOG, check)


def never_incomplete(text: str) -> Parsed:
    parsed = parse(text)
    parsed.complete = True
    return parsed


def of_any_width(text: str) -> Parsed:
    """Takes the head of a number for the number."""
    return never_incomplete(re.sub(r"write ([0-9])$", r"write 00\1.00 MB/s", text))


def raises_what_it_likes(text: str) -> Parsed:
    if not text.strip("\x00\n"):
        raise ValueError("nothing")
    return parse(text)


def reads_anything(text: str) -> Parsed:
    return Parsed({"tool": "toy"}, runs=[{"operation": "write", "throughput": 1.0, "line": 1}])


def counts_lines_from_nowhere(text: str) -> Parsed:
    parsed = parse(text)
    for row in parsed.runs:
        row["line"] += 100
    return parsed


def counts_from_one_line_on(text: str) -> Parsed:
    parsed = parse(text)
    for row in parsed.runs:
        row["line"] += text.count("\n") - len(parsed.runs)
    return parsed


def wants_unix(text: str) -> Parsed:
    if "\r" in text:
        raise ParseError("line ends of Unix", "others")
    return parse(text)


BAD = {
    "recognised": (toy(sniff=lambda head: False), "the log is not recognised: "),
    "read": (toy(counts_lines_from_nowhere), "rows stand on lines "),
    "refused": (toy(reads_anything), "'' is read as a log"),
    "cut between lines": (toy(never_incomplete), "a cut log is passed off as whole: rows or header are missing"),
    "cut inside numbers": (toy(of_any_width), "numbers that the whole log does not have: "),
    "not utf8": (toy(never_incomplete), "a damaged log is called complete, but lost "),
}


@pytest.mark.parametrize("check", BAD)
def test_a_bad_parser_is_found_out(check: str) -> None:
    parser, said = BAD[check]
    with pytest.raises(AssertionError, match=f"^{re.escape(said)}"):
        testing.check_format(parser, LOG, check)
    with pytest.raises(AssertionError):
        testing.check_format(parser, LOG)


def test_what_a_whole_log_lacks_is_said() -> None:
    for parse, said in (
        (refuses_all, "the log is refused: log: expected a toy, found '"),
        (lambda text: Parsed({"tool": "toy"}), "the log gives no row"),
        (never_complete, "the log is called incomplete: a line is missing"),
    ):
        with pytest.raises(AssertionError, match=f"^{re.escape(said)}"):
            testing.check_format(toy(parse), LOG, "read")


def refuses_all(text: str) -> Parsed:
    raise ParseError("a toy", text[:8])


def never_complete(text: str) -> Parsed:
    parsed = parse(text)
    parsed.incomplete("a line is missing")
    return parsed


def test_a_row_may_stand_on_the_last_line() -> None:
    testing.check_format(toy(counts_from_one_line_on), LOG, "read")
    with pytest.raises(AssertionError, match=r"^rows stand on lines \[17\] of a log with 16$"):
        testing.check_format(toy(counts_from_one_line_on), f"\n{LOG}", "read")


def test_another_error_than_ours_is_found_out() -> None:
    with pytest.raises(AssertionError, match=r"^the parser raises ValueError: nothing$"):
        testing.check_format(toy(raises_what_it_likes), LOG, "refused")


def test_a_log_without_an_end_is_excused_between_lines_only() -> None:
    testing.check_format(toy(never_incomplete), LOG, "cut between lines", endless=True)
    with pytest.raises(AssertionError, match=r"^numbers that the whole log does not have: "):
        testing.check_format(toy(of_any_width), LOG, "cut inside numbers", endless=True)


def test_a_check_that_is_none_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown check 'cut between line'; did you mean 'cut between lines'"):
        testing.check_format(toy(), LOG, "cut between line")


def test_one_of_our_formats_passes() -> None:
    log = next(log for log in fixture_logs("ior") if parsers.parse(log.read_text()).complete)
    testing.check_format(parsers.by_name("ior"), log.read_text(), name=log.name)


@pytest.mark.parametrize(("lines", "blocks"), [(1, 1), (7, 7), (8, 8), (16, 8), (17, 9)])
def test_lines_of_others_stand_between_those_of_a_log_about_eight_times(lines: int, blocks: int) -> None:
    log = [f"line {place}" for place in range(lines)]
    found = foreign_lines("\n".join(log)).split("\n")
    assert [line for line in found if line.startswith("line ")] == log
    assert sum(line.startswith("slurmstepd: ") for line in found) == blocks - 1
    assert sum("nfs: server" in line for line in found) == blocks - 1


def test_one_byte_is_damaged_in_the_middle() -> None:
    assert not_utf8("abcd") == "ab\ufffdd"
    assert not_utf8("") == ""


def test_tables_of_three_words_a_line_are_damaged() -> None:
    table = "name first second\nsda 1.0 2.0\nsdb 3.0 4.0\n"
    assert blanked_column(table) == "name first second\nsda     2.0\nsdb     4.0\n"
    assert blanked_column("of the disks\nsda read 2.0\nsdb read 4.0\n") == "of the disks\nsda      2.0\nsdb      4.0\n"
    assert blanked_column("sda 1.0\nsdb 3.0\n") == "sda 1.0\nsdb 3.0\n"


@pytest.mark.parametrize("cuts", [testing.cuts_between_lines, testing.cuts_inside_lines])
def test_cuts_are_spread_from_the_first_place_to_the_last(cuts: Callable[..., Iterator[str]]) -> None:
    every = [*cuts(LOG)]
    assert len(every) > 4
    for count in (2, 3, len(every) - 1):
        some = [*cuts(LOG, count=count)]
        assert len(some) == count
        assert (some[0], some[-1]) == (every[0], every[-1])
        assert [cut for cut in every if cut in some] == some
    assert [*cuts(LOG, count=1)] == every[:1]
    assert [*cuts(LOG, count=len(every))] == [*cuts(LOG, count=len(every) + 1)] == [*cuts(LOG, count=0)] == every


def test_of_lines_that_differ_in_numbers_only_the_first_two_and_the_last_are_cut() -> None:
    table = "".join(f"write  {number}.5 {10 * number}\n" for number in range(1, 6))
    text = f"toy 12\n{table}5 done, at last\n"
    ends = [len(cut) for cut in testing.cuts_between_lines(text)]
    assert [text[:end].count("\n") for end in ends] == [1, 2, 3, 5, 6]
    assert all(text[end - 1] == "\n" for end in ends)
    words = [re.findall(r"\S+$", cut)[0] for cut in testing.cuts_inside_lines(text)]
    assert words == ["1", "1", "1", "2", "2", "5", "5"], "each behind its first digit"


def test_a_text_without_an_end_of_line_and_one_of_blank_lines_behind_are_cut_before_what_is_lost() -> None:
    assert [*testing.cuts_between_lines("a\nb")] == ["a\n"]
    assert [*testing.cuts_between_lines("a\nb\n\n \n")] == ["a\n"]
    assert [*testing.cuts_inside_lines("1 22\n3")] == ["1 2"]


def test_a_log_stands_behind_a_log() -> None:
    assert testing.two_logs("a\n") == testing.two_logs("a", "a\n") == "a\na\n"
    assert testing.two_logs("a\n", "b") == "a\nb"


def test_a_parser_that_hangs_is_found_out_and_leaves_no_alarm_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(damage_checks, "SECONDS", 0.02)
    before = signal.getsignal(signal.SIGVTALRM)

    def endless(text: str) -> Parsed:
        while True:
            pass

    with pytest.raises(AssertionError, match=r"^the parser hangs: no answer after 0\.02 CPU seconds$"):
        testing.survive(endless, LOG)
    assert testing.survive(parse, LOG)
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGVTALRM) is before


def one_row(text: str) -> Parsed:
    row: Row = {"operation": "write", "throughput": 1.0, "line": 1}
    return Parsed({"tool": "toy", "tool_version": "dos" if "\r" in text else "unix"}, runs=[row])


def test_a_log_that_lost_only_what_says_that_its_run_ended_is_not_whole() -> None:
    whole = testing.Whole(one_row, "write\nRun finished: now\n")
    with pytest.raises(AssertionError, match=r"a cut log is passed off as whole: \['Run finished: '\] is missing"):
        testing.check_cut(one_row, whole, "write\n")
    testing.check_cut(one_row, whole, "write\n", endless=True)
    testing.check_cut(one_row, whole, "write\nRun finished: no")


def test_damage_that_loses_nothing_changes_no_word() -> None:
    whole = testing.Whole(one_row, "write\n")
    with pytest.raises(AssertionError, match=r"^the rows or the header differ$"):
        testing.check_same(one_row, whole, "write\r\n")
    testing.check_same(one_row, whole, "write\n\n")
    with pytest.raises(AssertionError, match=r"^one of the two is refused$"):
        testing.check_same(refuses_all, whole, "write\r\n")


@pytest.mark.parametrize(("line", "stands"), [(0, False), (1, True), (2, True), (3, False)])
def test_rows_stand_on_lines_of_the_log(line: int, stands: bool) -> None:
    def on_a_line(text: str) -> Parsed:
        parsed = one_row(text)
        parsed.runs[0]["line"] = line
        return parsed

    with nullcontext() if stands else pytest.raises(AssertionError, match=rf"^rows stand on lines \[{line}\] of a log"):
        testing.check_format(toy(on_a_line), "toy 1.0\n", "read")

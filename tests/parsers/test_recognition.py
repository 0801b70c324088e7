"""Which parsers are asked about a log: whoever would claim it is among them, and few others are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storagelab import parsers, testing
from storagelab.errors import ParseError
from storagelab.parsers.model import Format, Parsed, Parser
from storagelab.parsers.recognition import HEAD, Recogniser, claims, windows
from storagelab.parsers.text import decode
from tests.conftest import SHARED, fixture_logs, log_id

FIXTURES = fixture_logs()
RECOGNISER = Recogniser(parsers.PARSERS)
FEW = 24
"""Parsers that are asked about a log at most: nine of these are fio's logs over time, and tell each other by name."""

every_log = pytest.mark.parametrize("log", FIXTURES, ids=log_id)


def read(log: Path) -> str:
    return decode(log.read_bytes())[0]


def overlooked(recogniser: Recogniser, known: Iterable[Parser], window: str) -> list[str]:
    """Names of the parsers that accept a window, whatever its file name, and would not be asked about it."""
    asked = {parser.FORMAT.name for parser in recogniser.candidates(window)}
    others = (parser for parser in known if parser.FORMAT.name not in asked)
    return [parser.FORMAT.name for parser in others if parser.sniff(window)]


def by_asking_all(text: str, name: str) -> list[str]:
    """Names of all formats that claim the first window that anybody claims."""
    everybody = ([p.FORMAT.name for p in parsers.PARSERS if claims(p, window, name)] for window in windows(text))
    return next(filter(None, everybody), [])


def recognised(text: str, name: str) -> list[str]:
    """Return the same as the public function says it: one name, the names of its complaint, or nothing."""
    try:
        return [parsers.recognise(text, name).FORMAT.name]
    except ParseError as error:
        several = re.search(r"claims by (.*)'", str(error))
        return several[1].split(", ") if several else []


def corpus_logs() -> Iterator[Path]:
    """Yield all logs of strangers, and every ninth of our campaigns, in which one run's are like the next one's."""
    for folder, step in (("corpus", 1), ("measured", 9)):
        yield from [path for path in sorted((SHARED / folder).rglob("*")) if path.is_file()][::step]


def test_marks_are_words() -> None:
    for parser in parsers.PARSERS:
        marks = parser.FORMAT.marks
        assert [mark for mark in marks if not re.fullmatch("[A-Za-z]+( [A-Za-z]+)*", mark)] == [], parser.FORMAT.name
        assert len(set(marks)) == len(marks), parser.FORMAT.name


@every_log
def test_who_would_claim_a_log_is_asked(log: Path) -> None:
    text = read(log)
    glued = "./run" + text
    for changed in (text, glued, *(change(text) for change in testing.DAMAGES.values())):
        for window in windows(changed):
            assert overlooked(RECOGNISER, parsers.PARSERS, window) == []


@every_log
def test_a_log_is_recognised_as_if_all_were_asked_and_few_are(log: Path) -> None:
    text = read(log)
    for name in ("", log.name):
        assert recognised(text, name) == by_asking_all(text, name)
    assert len(RECOGNISER.candidates(text[:HEAD])) <= (FEW if text else len(parsers.PARSERS))


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_who_would_claim_a_piece_of_a_log_is_asked(data: st.DataObject) -> None:
    text = read(data.draw(st.sampled_from(FIXTURES)))
    start = data.draw(st.integers(0, max(0, len(text) - 1)))
    end = data.draw(st.integers(start, start + HEAD))
    assert overlooked(RECOGNISER, parsers.PARSERS, text[start:end]) == []


@pytest.mark.slow
def test_strangers_logs_are_recognised_as_if_all_were_asked() -> None:
    logs = [path for path in corpus_logs() if path.stat().st_size]
    if not logs:
        pytest.skip("no corpus of strangers' logs is here")
    for log in logs:
        with log.open("rb") as file:
            text = decode(file.read(16 * HEAD))[0]
        assert recognised(text, log.name) == by_asking_all(text, log.name), log
        for window in windows(text):
            assert overlooked(RECOGNISER, parsers.PARSERS, window) == [], log


class Marked:
    """A toy: claims texts that hold ``speed:``, whatever its marks promise."""

    def __init__(self, *marks: str) -> None:
        self.FORMAT = Format("toy", "toy", "", "", "", marks=marks)

    def sniff(self, head: str) -> bool:
        return "speed:" in head

    def parse(self, text: str) -> Parsed:
        return Parsed({"tool": "toy"})


@pytest.mark.parametrize("text", ["speed: 5", "1speed:5", "a\ufffdspeed:", "\udc80speed: 5", "peed:\nspeed:"])
def test_marks_are_found_between_whatever_is_no_letter(text: str) -> None:
    toy = Marked("speed")
    assert Recogniser([toy]).claims(text, "") == [toy]


def test_words_of_a_format_are_claimed_by_no_other() -> None:
    whose = {
        (word, parser.FORMAT.name)
        for parser in parsers.PARSERS
        for word in (*parser.FORMAT.openings, *parser.FORMAT.marks)
    }
    by_content = [parser for parser in parsers.PARSERS if not parser.FORMAT.names]
    claimed = {
        (word, parser.FORMAT.name, name)
        for word, name in whose
        for parser in by_content
        if parser.FORMAT.name != name and claims(parser, f"{word} of it\n", "")
    }
    assert not claimed


def test_a_word_that_marks_a_format_is_no_log_of_it() -> None:
    """But for the name of a report that says what every line of it is."""
    marks = [(parser, mark) for parser in parsers.PARSERS for mark in parser.FORMAT.marks]
    assert [mark for parser, mark in marks if claims(parser, f"{mark} of it\n", "")] == ["TimeReport"]


def test_without_marks_a_parser_is_always_asked() -> None:
    toy = Marked()
    assert Recogniser([toy]).candidates("") == [toy]


def test_of_a_mark_of_several_words_all_are_there() -> None:
    asked = Recogniser([Marked("speed limit")])
    assert [len(asked.candidates(text)) for text in ("speed", "limit", "the limit of speed")] == [0, 0, 1]


def test_shapes_are_found_where_there_is_no_word() -> None:
    toy = Marked()
    toy.FORMAT = Format("toy", "toy", "", "", "", marks=("velocity",), shapes=(r"\d:\d",))
    assert Recogniser([toy]).candidates("1:2") == Recogniser([toy]).candidates("velocity") == [toy]
    assert Recogniser([toy]).candidates("12") == []


@pytest.mark.parametrize("mark", ["velocity", "Speed", "spee"])
def test_marks_that_promise_too_much_are_found_out(mark: str) -> None:
    toy = Marked(mark)
    assert overlooked(Recogniser([toy]), [toy], "speed: 5") == ["toy"]


def test_of_two_formats_that_claim_a_log_the_one_is_asked_that_reads_it() -> None:
    """Of tables without their times mpstat's are read, and pidstat's are none."""
    text = (
        "CPU  %usr  %nice  %sys %iowait  %irq  %soft  %idle\n"
        "all  61.00   0.00  8.00    5.00  0.00   1.00  25.00\n\n"
        "UID       PID    %usr %system  %CPU  CPU  Command\n"
        "1000     8842   96.00    1.00 97.00    3  python3\n"
    )
    format, parsed = parsers.read(text)
    assert (format.name, parsed.complete, parsed.series["cpu_user"][0]) == ("mpstat", False, 0.61)

"""Every fixture log of every format, damaged in every way that logs are damaged in."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storagelab import parsers, testing
from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import decode
from storagelab.testing import damage_checks
from tests import damage
from tests.conftest import LOGS, fixture_logs, log_id

FIXTURES = fixture_logs()
FORMATS = sorted(folder.name for folder in LOGS.iterdir())
PAIRS = [(a, b) for a, b in pairwise(FIXTURES) if (a.parent, a.suffix) == (b.parent, b.suffix)]
FIO_LOGS = [name for name in FORMATS if name.startswith("fio_") and name.endswith("_log") and "hist" not in name]
HOLDS_OUTPUT_OF = {
    *(
        ("io500", "ior"),
        ("io500", "mdtest"),
        ("fio_json", "fio_text"),
        ("fio_json", "fio_terse"),
        ("fio_terse", "fio_text"),
        ("xrdcl_log", "xrdcp"),
    ),
    *permutations(FIO_LOGS, 2),
}
"""Formats whose logs may hold, within them, what another tool printed, or cannot be told apart by their content."""

every_log = pytest.mark.parametrize("log", FIXTURES, ids=log_id)


@cache
def read(log: Path) -> str:
    return decode(log.read_bytes())[0]


def own_parser(log: Path) -> Callable[[str], Parsed]:
    """The parser of the log's folder, whether or not it recognises what is left of the log."""
    return lambda text: parsers.parse(text, format=log.parent.name.replace("_", "-"))


@cache
def whole(log: Path) -> testing.Whole:
    return testing.Whole(own_parser(log), read(log))


# --- all logs -------------------------------------------------------------------------------------------------------


FEW_CUTS = 12
LOGS_OF_A_FORMAT = 5
"""As often as so many logs the logs of a format are cut in all, so that one with more of them takes no longer."""


def cuts_of(log: Path, most: int, quick: bool) -> int:
    """How often a log is cut."""
    share = most * LOGS_OF_A_FORMAT // len(fixture_logs(log.parent.name))
    return FEW_CUTS if quick else max(FEW_CUTS, min(most, share))


@every_log
def test_log_cut_between_lines(log: Path, quick: bool) -> None:
    """The first place, the last and a spread between: ``python -m tests.fuzz --cuts`` goes on to all."""
    for cut in testing.cuts_between_lines(read(log), count=cuts_of(log, 24, quick)):
        testing.check_cut(own_parser(log), whole(log), cut, endless=log.parent.name in damage.ENDLESS)


@every_log
def test_log_cut_inside_numbers(log: Path, quick: bool) -> None:
    for cut in testing.cuts_inside_lines(read(log), count=cuts_of(log, 32, quick)):
        testing.check_cut(own_parser(log), whole(log), cut)


@every_log
def test_log_with_crlf_gives_the_same(log: Path) -> None:
    testing.check_same(own_parser(log), whole(log), testing.crlf(read(log)))


@every_log
def test_damaged_log_loses_nothing_silently(log: Path) -> None:
    """Nor is it claimed by a parser that crashes; what its own has claimed, that is not asked again.

    But for headings that lost their sign of a comment: collectl's hold no group then, and no column has its own name.
    """

    def check(kind: str) -> None:
        damaged = testing.DAMAGES[kind](read(log))
        claimed: list[Parsed] = []

        def as_recognised(text: str) -> Parsed:
            format, parsed = parsers.read(text)
            claimed.extend([parsed] if format is own and parsed.header.get("wrapping") != "commented" else [])
            return parsed

        testing.survive(as_recognised, damaged)
        parse = (lambda _: claimed[0]) if claimed else own_parser(log)
        testing.check_no_silent_loss(parse, whole(log), damaged)

    own = parsers.by_name(log.parent.name.replace("_", "-")).FORMAT
    assert damage.faults(check, testing.DAMAGES) == {}


@every_log
def test_the_same_log_twice_is_two_runs_or_said_to_be_one(log: Path) -> None:
    once, twice = whole(log).parsed, testing.survive(own_parser(log), testing.two_logs(read(log)))
    if once and twice and once.complete and twice.complete and len(twice.runs) != 2 * len(once.runs):
        assert len(twice.runs) == len(once.runs)
        assert set(twice.notes) - set(once.notes), "half of the log is dropped without a note"


@pytest.mark.parametrize(("log", "other"), PAIRS, ids=log_id)
def test_two_logs_in_one_file_lose_no_run(log: Path, other: Path) -> None:
    alone = [whole(log).parsed, whole(other).parsed]
    together = testing.survive(own_parser(log), testing.two_logs(read(log), read(other)))
    if together and together.complete and all(alone):
        rows = [row for parsed in alone if parsed for row in parsed.runs]
        assert len(together.runs) == len(rows)
        assert sorted(map(rate, together.runs)) == sorted(map(rate, rows))


def rate(row: Row) -> float:
    return float(row.get("throughput", row.get("operation_rate", row.get("elapsed", 0.0))))


def check_refused(text: str, name: str) -> None:
    """A format's parser refuses a text, and says what it expected."""
    with pytest.raises(ParseError, match=r"expected .+, found "):
        parsers.parse(text, format=name.replace("_", "-"))


@pytest.mark.parametrize("text", ["", "\n", "\x00" * 100, "no log of any tool\n"])
def test_what_is_no_log_is_refused(text: str) -> None:
    assert damage.faults(lambda name: check_refused(text, name), FORMATS) == {}


TURNS = 6
"""Each other format is asked about the first log of a format, and about one of so many of those behind it."""


@every_log
def test_log_of_another_tool_is_refused(log: Path) -> None:
    number = fixture_logs(log.parent.name).index(log)
    asked = FORMATS if number == 0 else FORMATS[number % TURNS :: TURNS]
    others = [name for name in asked if log.parent.name != name and (log.parent.name, name) not in HOLDS_OUTPUT_OF]
    assert damage.faults(lambda name: check_refused(read(log), name), others) == {}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_log_with_random_bytes_changed_is_read_or_refused(data: st.DataObject) -> None:
    log = data.draw(st.sampled_from([log for log in FIXTURES if log.stat().st_size]), label="log")
    raw = bytearray(log.read_bytes())
    changes = data.draw(st.lists(st.tuples(st.integers(0, len(raw) - 1), st.integers(0, 255)), max_size=20))
    for place, byte in changes:
        raw[place] = byte
    text = decode(bytes(raw))[0]
    testing.survive(own_parser(log), text)
    testing.survive(parsers.parse, text)


# --- do the checks find what they look for? -------------------------------------------------------------------------

VALUES = "".join(f"write {number}.5 MB/s\n" for number in range(100, 140)) + "; END \n"


def rows_of(text: str, take_last: bool) -> list[Row]:
    """Read the toy format of these tests: ``write NUMBER MB/s`` lines and an end mark."""
    *lines, last = text.split("\n")
    lines = [*lines, last] if take_last else lines
    words = [line.split() for line in lines]
    wanted = 2 if take_last else 3
    return [
        {"operation": "write", "throughput": float(w[1]), "line": at}
        for at, w in enumerate(words, 1)
        if w[:1] == ["write"] and len(w) >= wanted and w[1].replace(".", "").isdecimal()
    ]


def honest(text: str) -> Parsed:
    parsed = Parsed({"tool": "toy"}, runs=rows_of(text, take_last=False))
    if "; END \n" not in text or len(parsed.runs) != 40:
        parsed.incomplete("the end is missing, or a line is")
    if not parsed.runs:
        raise ParseError("a line 'write NUMBER MB/s'", text[:80], line=1)
    return parsed


def passes_a_cut_off_as_whole(text: str) -> Parsed:
    return Parsed({"tool": "toy"}, runs=rows_of(text, take_last=False))


def forgets_the_end(text: str) -> Parsed:
    """Has all rows, but does not look for the end mark."""
    parsed = Parsed({"tool": "toy"}, runs=rows_of(text, take_last=False))
    parsed.complete = len(parsed.runs) == 40
    return parsed


def trusts_the_last_line(text: str) -> Parsed:
    parsed = Parsed({"tool": "toy"}, runs=rows_of(text, take_last=True))
    parsed.incomplete("always")
    return parsed


def sums_what_is_left(text: str) -> Parsed:
    rows = rows_of(text, take_last=False)
    total: Row = {"operation": "write", "throughput": sum(float(row["throughput"]) for row in rows), "line": 1}
    parsed = Parsed({"tool": "toy"}, runs=[total])
    parsed.incomplete("always")
    return parsed


def crashes(text: str) -> Parsed:
    raise KeyError(text[:10])


def hangs(text: str) -> Parsed:
    while True:
        pass


def counts_lines_by_carriage_return(text: str) -> Parsed:
    return Parsed({"tool": "toy"}, runs=[{"operation": "write", "line": len(text.splitlines())}])


def check_all_cuts(parse: testing.Parse) -> None:
    whole = testing.Whole(parse, VALUES)
    for cut in [*testing.cuts_between_lines(VALUES), *testing.cuts_inside_lines(VALUES)]:
        testing.check_cut(parse, whole, cut)


def test_an_honest_parser_passes_every_check() -> None:
    check_all_cuts(honest)
    for kind in testing.DAMAGES.values():
        testing.check_no_silent_loss(honest, testing.Whole(honest, VALUES), kind(VALUES))
    testing.check_same(honest, testing.Whole(honest, VALUES), testing.crlf(VALUES))


@pytest.mark.parametrize(
    ("parse", "complaint"),
    [
        (passes_a_cut_off_as_whole, "passed off as whole: rows or header"),
        (forgets_the_end, "passed off as whole: .*END"),
        (trusts_the_last_line, "numbers that the whole log does not have"),
        (sums_what_is_left, "numbers that the whole log does not have"),
        (crashes, "raises KeyError"),
    ],
)
def test_cuts_find_a_bad_parser_out(parse: testing.Parse, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_all_cuts(parse)


@pytest.mark.parametrize("kind", ["not_utf8", "rank_prefixes", "blanked_column"])
def test_silent_loss_is_found(kind: str) -> None:
    whole = testing.Whole(passes_a_cut_off_as_whole, VALUES)
    with pytest.raises(AssertionError, match="called complete, but lost"):
        testing.check_no_silent_loss(passes_a_cut_off_as_whole, whole, testing.DAMAGES[kind](VALUES))


def test_invented_numbers_are_found() -> None:
    whole = testing.Whole(sums_what_is_left, VALUES)
    with pytest.raises(AssertionError, match="numbers that the undamaged log does not have"):
        testing.check_no_silent_loss(sums_what_is_left, whole, testing.two_logs(VALUES))


def test_a_difference_is_found() -> None:
    whole = testing.Whole(counts_lines_by_carriage_return, VALUES)
    with pytest.raises(AssertionError, match="rows or the header differ"):
        testing.check_same(counts_lines_by_carriage_return, whole, VALUES.replace("\n", "\r\r"))


def test_a_parser_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(damage_checks, "SECONDS", 0.2)
    with pytest.raises(AssertionError, match="hangs"):
        testing.survive(hangs, VALUES)


def test_faults_are_told_with_their_names() -> None:
    assert damage.faults({"good": 1, "other": 2}.__getitem__, ["good", "bad"]) == {"bad": "KeyError: 'bad'"}
    nobody = damage.faults(lambda name: pytest.fail(f"{name} raised nothing"), ["good"])
    assert nobody == {"good": "Failed: good raised nothing"}


@pytest.mark.parametrize("kind", [kind for kind in testing.DAMAGES if kind != "decimal_commas"])
def test_damage_changes_the_text(kind: str) -> None:
    assert testing.DAMAGES[kind](VALUES) != VALUES


def test_decimal_points_become_commas() -> None:
    assert testing.decimal_commas("1.5 a.b 1.") == "1,5 a.b 1."

"""A few mutants of each kind, always the same; ``make fuzz`` tries as many as there is time for."""

from __future__ import annotations

import math
import random
import re

import pytest

from storagelab.errors import ParseError
from storagelab.parsers.benchmarks.ior import fast_path
from storagelab.parsers.model import Parsed
from tests.conftest import LOGS
from tests.fuzz import mutants, oracle

MUTANTS, CUTS = 316, 158


def test_mutants_are_read_or_refused() -> None:
    faults = {}
    for seed in range(MUTANTS):
        log, done, text = mutants.mutant(seed)
        if said := oracle.fault(text, log.name, log.parent.name.replace("_", "-")):
            faults[f"{seed} {log.name} {done}"] = said
    assert faults == {}


def test_cuts_invent_nothing_and_lose_nothing_in_silence() -> None:
    faults = {}
    for seed in range(CUTS):
        log, done, text = mutants.cut(seed)
        if said := oracle.fault_of_cut(log, text):
            faults[f"{seed} {log.name} {done}"] = said
    assert faults == {}


def test_no_mutant_takes_more_room_than_a_parser_may() -> None:
    text = "7 " * mutants.LONGEST
    longest = max(map(len, mutants.EXTREMES))
    for seed in range(len(mutants.EXTREMES)):
        assert len(mutants.every_number(random.Random(seed), text)) <= len(text) + mutants.LONGEST + longest


def test_a_number_gives_the_same_mutant_again() -> None:
    assert mutants.mutant(17) == mutants.mutant(17) != mutants.mutant(18)
    assert mutants.cut(17) == mutants.cut(17)


@pytest.mark.parametrize("name", mutants.MUTATORS)
def test_mutator_changes_a_log(name: str) -> None:
    text = '{"a": 1,\n "b": "two words"}\nrow 1 2 3\nrow 4 5 6 \u4e2d\n' * 20
    assert any(mutants.MUTATORS[name](random.Random(seed), text) != text for seed in range(20))


# --- does the oracle see what it looks for? --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"throughput": 1.0, "line": 1, "operation": "write"}], ""),
        ([{"throughput": "fast", "line": 1}], "throughput is 'fast'"),
        ([{"operation": 3.0, "line": 1}], "operation is 3.0"),
        ([{"throughput": 10**400, "line": 1}], "throughput is 10+.*no number of 8 bytes"),
        ([{"throughput": math.nan, "line": 1}], ""),
    ],
)
def test_oracle_finds_what_breaks_the_contract(rows: list[dict[str, float | str]], said: str) -> None:
    found = oracle.broken(Parsed({"tool": "toy"}, runs=list(rows)))
    assert re.search(said, found)
    assert bool(said) == bool(found)


def test_oracle_finds_what_is_read_otherwise_in_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    log = LOGS / "ior" / "4.1.0dev_file_per_process_8_tasks.txt"
    assert oracle.read_otherwise(log.read_text(), log.name) == ""
    monkeypatch.setattr(fast_path, "has_all_tasks", lambda facts: facts.pop("nodes"))
    assert re.match("read in one step: .*, line by line: ", oracle.read_otherwise(log.read_text(), log.name))


def test_oracle_tells_a_mistake_from_a_refusal() -> None:
    mistake = ParseError("a log", "KeyError at x.py:3")
    mistake.__cause__ = KeyError("x")
    assert oracle.mistake(mistake) == "KeyError at x.py:3"
    assert oracle.mistake(ParseError("a log", "nothing")) == ""
    assert oracle.fault("no log of any tool") == ""

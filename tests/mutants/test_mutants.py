"""Mutants: what is changed in a module, and whether a test that sees the change is told from one that does not."""

from __future__ import annotations

import ast
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from storagelab import errors
from storagelab.parsers.benchmarks.iozone import automatic_columns
from tests.faults import steps
from tests.mutants import known as known_module
from tests.mutants import trials
from tests.mutants.__main__ import _part
from tests.mutants.changes import Mutant, mutants
from tests.mutants.known import Known, Verdict, begin, calls_elsewhere
from tests.mutants.rooms import PACKAGE, rooms
from tests.mutants.trials import Called, Room, _of_module, changed_codes, in_turn, key_of, survives_import

MODULE = '''\
"""A module of 2 lines."""

LIMIT = 3


def small(values: "list[int]") -> bool:
    """Whether 2 values are small."""
    if not values:
        raise ValueError(f"{len(values) + 1}")
    return (len(values) < LIMIT
            and values[0] == 0)
'''


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_text(MODULE)
    return path


def test_what_is_run_is_changed_and_nothing_else(module: Path) -> None:
    assert [(one.line, one.instead, one.in_function) for one in mutants(module)] == [
        (3, "(4)", False),
        (8, "(values)", True),
        (9, "pass", True),
        (10, "return None", True),
        (10, "(len(values) < LIMIT or values[0] == 0)", True),
        (10, "(len(values) <= LIMIT)", True),
        (11, "(values[0] != 0)", True),
        (11, "(1)", True),
        (11, "(1)", True),
    ]


def test_what_a_dataclass_forbids_is_left_alone(module: Path) -> None:
    module.write_text("@dataclass(frozen=True, slots=True)\nclass Point:\n    x: int = 1\n")
    assert [(one.line, one.instead) for one in mutants(module)] == [(3, "(2)")]


def test_what_a_zip_promises_is_left_alone(module: Path) -> None:
    module.write_text("def pairs(a, b):\n    return [*zip(a, b, strict=True)]\n")
    assert [(one.line, one.instead) for one in mutants(module)] == [(2, "return None")]


@pytest.mark.parametrize("how", ["lru_cache(maxsize=256)", "read(use_threads=False)"])
def test_how_much_a_cache_keeps_and_how_many_threads_read_is_left_alone(how: str, module: Path) -> None:
    module.write_text(f"@{how}\ndef of(word):\n    return word\n")
    assert [(one.line, one.instead) for one in mutants(module)] == [(3, "return None")]


def test_what_is_returned_instead_is_not_false_where_nothing_was(module: Path) -> None:
    returned = ["None", "False", "0.0", "True", "''", "()", "[]", "{}", "len([])"]
    module.write_text("\n".join(f"def of():\n    return {one}" for one in returned))
    of_line: dict[int, list[str]] = {}
    for one in mutants(module):
        of_line.setdefault(one.line // 2 - 1, []).append(one.instead)
    assert {returned[at]: instead for at, instead in of_line.items()} == {
        "False": ["(True)"],
        "0.0": ["(1.0)"],
        "True": ["return None", "(False)"],
        "''": ["return '?'"],
        "()": ["return (None,)"],
        "[]": ["return [None]"],
        "{}": ["return {None: None}"],
        "len([])": ["return None"],
    }


def test_a_mutant_is_a_module_whose_other_lines_stand_where_they_stood(module: Path) -> None:
    for mutant in mutants(module):
        assert ast.dump(ast.parse(mutant.source())) != ast.dump(ast.parse(MODULE))
        assert mutant.source().count("\n") == MODULE.count("\n")
        assert str(mutant).startswith(f"{module}:{mutant.line}: ")


def test_a_change_takes_the_place_of_the_function_that_it_is_in(module: Path) -> None:
    names: dict[str, Any] = {}
    exec(compile(MODULE, str(module), "exec", dont_inherit=True), names)
    small = names["small"]
    assert callable(small)
    assert small([0])
    [flipped] = [one for one in mutants(module) if "!=" in one.instead]
    [(was, new)] = changed_codes(flipped)
    assert small.__code__ == was
    small.__code__ = new  # type: ignore[attr-defined]
    assert not small([0])


def test_a_comprehension_that_is_left_out_changes_who_called_it_and_no_function_behind(module: Path) -> None:
    """Without it there is a piece of code less, and those behind it are none the other."""
    module.write_text(
        "def pairs(of):\n    return [(one, 1) for one in of]\n\n\ndef behind(of):\n    return {one for one in of}\n"
    )
    left_out, *_ = (one for one in mutants(module) if one.instead == "return None")
    assert [(was.co_name, new.co_name) for was, new in changed_codes(left_out)] == [("pairs", "pairs")]


def test_every_module_is_in_one_room_and_every_room_has_tests() -> None:
    found = [path for modules, _ in rooms().values() for path in modules]
    assert sorted(found) == sorted(PACKAGE.rglob("*.py"))
    assert [name for name, (_, tests) in rooms().items() if not tests or not all(test.exists() for test in tests)] == []


def test_a_room_is_tried_by_tests_that_lie_elsewhere_and_import_it() -> None:
    names = {test.name for test in rooms()["interactive"][1]}
    assert {"interactive", "test_entrance.py", "test_outside.py"} <= names
    assert "test_writing.py" not in names
    assert "figures" in {test.name for test in rooms()["wording"][1]}, "which has no tests of its own"


@pytest.mark.forks
def test_what_a_forked_process_calls_is_called_by_its_test(tmp_path: Path) -> None:
    called = Called(tmp_path / "called")

    def call() -> None:
        sys.settrace(called.trace)
        errors.place("ior.log", 12)

    steps.in_a_process(call, tmp_path / "said")
    assert "place" in {key.rpartition(":")[2] for key in called.taken()}
    assert called.taken() == set()


def test_what_a_cache_keeps_is_called_by_each_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    items: list[Any] = [SimpleNamespace(nodeid=name) for name in ("first", "second")]
    monkeypatch.setattr(
        trials, "_run", lambda items: (automatic_columns.layout("kB", 1, ()) and item for item in items)
    )
    automatic_columns.layout.cache_clear()
    known = Known(tmp_path, "parsers")
    room = Room([one for one in mutants(Path(automatic_columns.__file__)) if one.in_function], "", 0.0, known)
    before = sys.gettrace()
    try:
        room._record_calls(items, slow=False)
    finally:
        sys.settrace(before)
    calls = known.calls() or {}
    assert set(calls[key_of(automatic_columns.layout.__wrapped__.__code__)]) == {"first", "second"}


@pytest.mark.parametrize(
    ("called", "names"),
    [(["module.py:1:one", "other.py:1:two"], ["a"]), (["other.py:1:two", "third.py:1:three"], ["b", "a"])],
)
def test_a_module_that_is_done_when_it_is_imported_is_tried_by_all_tests(
    called: list[str], names: list[str], module: Path
) -> None:
    tests = ({"a": 1.0}, {"b": 1.0})
    calls = {f"{module.parent}/{key}": test for key, test in zip(called, tests, strict=True)}
    assert sorted(_of_module(mutants(module)[0], calls)) == sorted(names)


def test_what_is_quick_or_calls_what_few_call_sees_first_what_runs_at_import(module: Path) -> None:
    calls = {
        f"{module}:1:rare": {"t.py::test_rare": 1.0, "t.py::test_slow": 9.0},
        f"{module}:9:often": {"t.py::test_quick": 0.1, "t.py::test_often": 0.9, "t.py::test_rare": 1.0},
    }
    assert _of_module(mutants(module)[0], calls) == [
        f"t.py::test_{name}" for name in ("quick", "rare", "often", "slow")
    ]


ALWAYS, BY_THE_CHANGE, NEVER = (SimpleNamespace(nodeid=f"test_{name}") for name in ("always", "by_the_change", "never"))


class Failing(Room):
    """A room of which one test fails always, and one where anything is changed."""

    def _run_mutant(self, changed: Any, functions: Any, items: Any, seconds: float) -> None:
        for item in items:
            if item is ALWAYS or (changed and item is BY_THE_CHANGE):
                self.killer.write_text(item.nodeid)
                raise AssertionError


@pytest.mark.parametrize(("tests", "survives"), [([NEVER, ALWAYS], True), ([ALWAYS, NEVER, BY_THE_CHANGE], False)])
def test_a_test_that_fails_without_the_change_says_nothing_of_it(tests: Any, survives: bool, tmp_path: Path) -> None:
    room = Failing([], "", 0.0, Known(tmp_path, "parsers"))
    assert room._survives([(None, None)], {}, tests, 1.0) is survives  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("names", "with_it", "without", "survives"),
    [([], "fails", "passes", True), (["a"], "fails", "passes", False), (["a"], "fails", "fails", True)],
)
def test_what_runs_at_import_dies_by_a_test_that_passes_without_the_change(
    names: list[str], with_it: str, without: str, survives: bool, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without names pytest would run all tests there are, which end sooner or later in one way or another."""

    def run(mutant: Mutant | None, *_: object) -> None:
        assert (with_it if mutant else without) == "passes"

    monkeypatch.setattr(trials, "_import_mutant", run)
    monkeypatch.setattr(trials, "_quietly", lambda function: function())
    [at_import] = [one for one in mutants(module) if not one.in_function]
    assert survives_import(at_import, names, "", 1.0) is survives


class Answered(Room):
    """A room whose tests are counted, and say the same of each mutant."""

    survives = False

    def _tried(self, items: Any, found: Any, marks: str, seconds: float) -> Iterator[tuple[Mutant, bool, int]]:
        self.marks += f" {len(items)}"
        yield from ((mutant, self.survives, 1) for mutant in found)


@pytest.mark.parametrize(("survives", "at_import", "asked"), [(False, False, ""), (True, False, 1), (False, True, 1)])
def test_slow_tests_run_only_where_a_mutant_may_survive(
    survives: bool, at_import: bool, asked: object, module: Path, tmp_path: Path
) -> None:
    found = [one for one in mutants(module) if one.in_function or at_import]
    room = Answered(found, "of fast and of slow tests:", 1.0, Known(tmp_path, "parsers"))
    room.survives = survives
    items = [SimpleNamespace(get_closest_marker=lambda name, slow=slow: slow) for slow in (None, None, "slow")]
    session: Any = SimpleNamespace(items=items)
    room.pytest_runtestloop(session)
    assert room.marks == f"of fast and of slow tests: 2 {asked}".strip()


def test_a_draw_that_was_stopped_tries_what_is_left(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A verdict is kept as soon as it is found: of the first, before the second ends all."""
    found = mutants(module)
    tried = []

    def stop_at_the_third(mutant: Mutant, *_: object) -> Verdict:
        tried.append(mutant)
        if len(tried) == 3:
            raise KeyboardInterrupt
        return Verdict(True, len(tried), True, 0)

    monkeypatch.setattr(trials, "_tried_at_import", stop_at_the_third)
    monkeypatch.setattr(trials, "_status", lambda collect: 0)
    known = Known(tmp_path / "kept", "single modules")
    begin(known.folder, "draw")
    with pytest.raises(KeyboardInterrupt):
        trials.try_room(found, [], "", 0.0, known)
    trials.try_room(found, [], "", 0.0, Known(known.folder, known.room))
    assert tried == [*found[:3], *found[2:]]
    assert [known.verdict(mutant) for mutant in found] == [
        Verdict(True, count, True, 0) for count in (1, 2, *range(4, len(found) + 2))
    ]


def test_a_room_whose_tests_do_not_run_is_no_verdict(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "output").write_text("ImportError")
    monkeypatch.setattr(trials, "_status", lambda collect: 1)
    with pytest.raises(RuntimeError, match="parsers: its tests did not run:\nImportError"):
        trials.try_room(mutants(module), [], "", 0.0, Known(tmp_path, "parsers"))


@pytest.mark.forks
@pytest.mark.parametrize("limit", [0, 1])
def test_what_is_tried_ends_with_who_is_interrupted(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", interrupt)
    before = psutil.Process().children()
    with pytest.raises(KeyboardInterrupt):
        trials._status(signal.pause, limit)
    assert psutil.Process().children() == before


def test_a_draw_goes_on_with_what_it_began_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROOT", "PACKAGE", "TESTS"):
        monkeypatch.setattr(known_module, name, tmp_path)
    code = tmp_path / "units.py"
    code.write_text("KIB = 1024.0")
    begin(tmp_path, "200 of seed 1")
    begin(tmp_path, "200 of seed 1")
    with pytest.raises(ValueError, match=r"draw: holds .*another draw(?s:.*)seed 1\n(?s:.*)expected:\n200 of seed 2"):
        begin(tmp_path, "200 of seed 2")
    code.write_text("KIB = 1000.0")
    with pytest.raises(ValueError, match="other code"):
        begin(tmp_path, "200 of seed 1")


def test_parts_are_rooms_of_the_same_draw() -> None:
    rooms_of_it = ["parsers", "analysis", "figures", "paper", "units"]
    assert sorted(_part(rooms_of_it, "1/2") + _part(rooms_of_it, "2/2")) == sorted(rooms_of_it)
    assert _part(rooms_of_it, "2/2") == ["analysis", "paper"]


def test_each_function_has_its_turn_before_many_cases_of_one() -> None:
    names = {"t.py::many[1]": 1.0, "t.py::many[2]": 1.0, "t.py::many[3]": 1.0, "t.py::slow": 2.5, "t.py::quick": 0.5}
    assert in_turn(names) == ["t.py::quick", "t.py::many[1]", "t.py::many[2]", "t.py::slow", "t.py::many[3]"]


def test_survivors_are_tried_by_tests_of_other_rooms_that_call_their_modules(module: Path, tmp_path: Path) -> None:
    key = f"{module}:6:small"
    units, parsers = Known(tmp_path, "units"), Known(tmp_path, "parsers")
    units.add_calls({key: {"own": 1.0}}, slow=False)
    parsers.add_calls({key: {"own": 1.0, "slow": 3.0, "quick": 2.0}, "other.py:1:of_another": {"no": 1.0}}, slow=False)
    elsewhere = calls_elsewhere([units, parsers], {"units": mutants(module), "parsers": []})
    assert {key: [*names] for key, names in elsewhere.items()} == {
        key: ["quick", "slow"],
        f"{module}:1:<module>": ["tests/test_signatures.py"],
    }

"""Mutants of one room tried in processes that are forked once its tests are collected; no file is changed.

A mutant of a function takes its place in the loaded module. One of what runs at import is put under the loader of a
process that has imported nothing of storagelab yet, and tried by those first that are quick and call what few call of
its module: hundreds ask each parser whether a log is its own.
"""

from __future__ import annotations

import gc
import math
import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType

import psutil
import pytest

from tests import once
from tests.mutants.changes import Mutant
from tests.mutants.known import Calls, Known, Verdict
from tests.mutants.rooms import ROOT

FAST = 10.0
"""CPU seconds of fast tests after which a mutant has survived them."""
FROM_NOTHING = 25.0
"""The same for what runs at import: its tests run in a process that has imported nothing, which counts too."""
HANGS = 6
"""So many times as long, and it hangs, and has died."""
MANY = 1000
"""Of the tests that reach a module, those that a mutant of what runs at import is tried with."""
IDLE = 120.0
"""Seconds without any work after which a mutant waits for what never comes, and has died."""
DIED = 1
OPTIONS = ("--hypothesis-profile", "quick", "-q", "-p", "no:xdist", "-p", "no:cacheprovider")
Changed = list[tuple[CodeType, CodeType]]
Functions = dict[str, list[FunctionType]]


def try_room(found: list[Mutant], tests: list[Path], marks: str, slow: float, known: Known) -> None:
    """Try each mutant of a room of which nothing is known; a survivor by slow tests for some CPU seconds, if any."""
    room = Room([one for one in found if one not in known], marks, slow, known)
    if room.mutants or (room.at_import and known.calls() is None):
        collect = partial(_collect, [*map(str, tests), "-m", "" if slow else marks, *OPTIONS], room)
        if _status(partial(_quietly, collect)):
            raise RuntimeError(f"{known.room}: its tests did not run:\n{_output().read_text()}")
    calls, slow_calls = known.calls() or {}, known.calls(slow=True) or {}
    for mutant in found:  # what no test of the room calls is left too
        if mutant not in known:
            known.add(mutant, _tried_at_import(mutant, calls, slow_calls, marks, slow))


def try_elsewhere(found: list[Mutant], marks: str, known: Known) -> None:
    """Try survivors of rooms by the tests of others, of which is known what they call."""
    calls = known.calls() or {}
    found = [one for one in found if not one.in_function or _callers(changed_codes(one), calls)]
    files = sorted({name.partition("::")[0] for names in calls.values() for name in names})
    if files:
        try_room(found, [ROOT / file for file in files], marks, 0.0, known)


def _collect(arguments: list[str], room: Room) -> None:
    if pytest.main(arguments, plugins=[room]) not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        os._exit(DIED)


def _tried_at_import(mutant: Mutant, calls: Calls, slow_calls: Calls, marks: str, slow: float) -> Verdict:
    """Try what runs at import, or is in a function that no test calls: it may be called there."""
    names, slow_names = _of_module(mutant, calls), _of_module(mutant, slow_calls)
    survived = survives_import(mutant, names, marks, FROM_NOTHING)
    both = survived and survives_import(mutant, slow_names, "", slow)
    return Verdict(survived, len(names), both, len(slow_names))


def survives_import(mutant: Mutant, names: list[str], marks: str, seconds: float) -> bool:
    """Whether no test fails because of a change of what runs at import; where there is no test, none fails.

    Where one fails, or they cannot be collected, the same are run without the change: what fails then too says nothing.
    """
    arguments = [*names[:MANY], "-m", marks, *OPTIONS]

    def survives(tried: Mutant | None) -> bool:
        return _survives(partial(_quietly, partial(_import_mutant, tried, arguments, seconds)), seconds)

    return not names or survives(mutant) or not survives(None)


def _of_module(mutant: Mutant, calls: Calls) -> list[str]:
    """Return the tests that run a module, those first that are quick and call what few call of it.

    Of one that is done when it is imported, no test calls anything: then all that call something.
    """
    of_module = [names for key, names in calls.items() if key.startswith(f"{mutant.path}:")]
    weights: dict[str, float] = {}
    for names in of_module or calls.values():
        for name, took in names.items():
            weights[name] = min(weights.get(name, math.inf), took * len(names))
    return in_turn(weights)


def in_turn(names: Mapping[str, float]) -> list[str]:
    """Order tests so that the quickest come first, and other functions before many cases of the same one.

    Of a function that thousands of tests call a mutant has no time for all, and a thousand cases of one see the same.
    """
    turns: Counter[str] = Counter()
    last: dict[str, float] = {}
    for name, took in sorted(names.items(), key=lambda one: one[1]):
        of = name.partition("[")[0]
        turns[of] += 1
        last[name] = took * turns[of]
    return sorted(last, key=last.__getitem__)


class Room:
    """A plugin that runs all tests to see what they call, then for each mutant those that call what it changes."""

    def __init__(self, found: list[Mutant], marks: str, slow: float, known: Known) -> None:
        self.mutants = [one for one in found if one.in_function]
        self.at_import = len(found) > len(self.mutants)
        self.marks, self.slow, self.known = marks, slow, known
        self.killer = known.folder / "killer"
        self.failed: set[str] = set()
        self.stop = self.anew = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """End the process of a mutant at the first test that fails."""
        if report.failed and self.stop:
            self.killer.write_text(report.nodeid)
            os._exit(DIED)
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try all mutants by the fast tests, and those that survive by the slow ones; keep each verdict at once."""
        by_mark: dict[bool, list[pytest.Item]] = {False: [], True: []}
        for item in session.items:
            by_mark[self.slow > 0 and item.get_closest_marker("slow") is not None].append(item)
        left: dict[Mutant, int] = {}
        for mutant, survives, tests in self._tried(by_mark[False], self.mutants, self.marks, FAST):
            if survives and (self.slow or not tests):
                left[mutant] = tests
            else:
                self.known.add(mutant, Verdict(survives, tests, survives, 0))
        if self.slow and (left or self.at_import):
            for mutant, survives, slow_tests in self._tried(by_mark[True], [*left], "", self.slow):
                if left[mutant]:
                    self.known.add(mutant, Verdict(True, left[mutant], survives, slow_tests))
        return True

    def _tried(
        self, items: list[pytest.Item], found: list[Mutant], marks: str, seconds: float
    ) -> Iterator[tuple[Mutant, bool, int]]:
        """Yield each mutant, whether it survives some tests, and how many of them call what it changes.

        A test that takes longer than a mutant may is not asked.
        """
        if items:
            items[0].config.option.markexpr = marks
        self.stop, self.anew = False, not marks
        slow = not marks
        if (taken := self.known.calls(slow)) is None:
            _status(lambda: self._record_calls(items, slow))
            taken = self.known.calls(slow) or {}
        calls = {key: {name: took for name, took in of.items() if took < seconds} for key, of in taken.items()}
        functions = self._functions()
        self.stop = True
        by_name = {item.nodeid: item for item in items}
        for mutant in found:
            changed = changed_codes(mutant)
            callers = [by_name[name] for name in in_turn(_callers(changed, calls))]
            yield mutant, self._survives(changed, functions, callers, seconds), len(callers)

    def _survives(self, changed: Changed, functions: Functions, items: list[pytest.Item], seconds: float) -> bool:
        """Whether no test fails because of the change: one that fails without it, behind the same, does not count."""
        self.killer.unlink(missing_ok=True)
        if not items or _survives(partial(self._run_mutant, changed, functions, items, seconds), seconds):
            return True
        killer = self.killer.read_text() if self.killer.exists() else items[-1].nodeid
        at = [item.nodeid for item in items].index(killer)
        if _survives(partial(self._run_mutant, [], {}, items[: at + 1], seconds), seconds):
            return False
        return self._survives(changed, functions, [*items[:at], *items[at + 1 :]], seconds)

    def _run_mutant(self, changed: Changed, functions: Functions, items: list[pytest.Item], seconds: float) -> None:
        if self.anew:
            once.open_folder()  # what was made without the change shows nothing of it
        for was, new in changed:
            for function in functions[key_of(was)]:
                function.__code__ = new
        for _ in _run(items):
            if time.process_time() > seconds:
                return

    def _record_calls(self, items: list[pytest.Item], slow: bool) -> None:
        calls: dict[str, list[tuple[str, float]]] = defaultdict(list)
        called = Called(self.known.folder / "called")
        caches = [one for module in self._modules() for one in vars(module).values() if hasattr(one, "cache_clear")]
        begun = time.process_time()
        sys.settrace(called.trace)
        for item in _run(items):
            sys.settrace(None)  # what ends meanwhile is called by no test
            took, begun = time.process_time() - begun, time.process_time()
            seen = called.taken()
            if item.nodeid not in self.failed:
                for key in seen:
                    calls[key].append((item.nodeid, took))
            for cache in caches:  # what it keeps is called by the next test too
                cache.cache_clear()
            sys.settrace(called.trace)
        self.known.add_calls({key: dict(sorted(of, key=lambda one: one[1])) for key, of in calls.items()}, slow)

    def _modules(self) -> list[ModuleType]:
        names = {".".join(one.path.relative_to(ROOT).with_suffix("").parts) for one in self.mutants}
        return [import_module(name.removesuffix(".__init__")) for name in names]

    def _functions(self) -> Functions:
        self._modules()
        gc.unfreeze()
        found = defaultdict(list)
        for one in gc.get_objects():
            if type(one) is FunctionType:
                found[key_of(one.__code__)].append(one)
        gc.freeze()
        return found


class Called:
    """What is called of storagelab, in this process and in those that are forked from it."""

    def __init__(self, elsewhere: Path) -> None:
        self._process, self._seen, self._elsewhere = os.getpid(), set[str](), elsewhere
        self._folder = str(ROOT / "storagelab")

    def trace(self, frame: FrameType, event: str, argument: object) -> None:
        """Note a call; a process that is forked writes it down, if its disk is not made full for a test."""
        if frame.f_code.co_filename.startswith(self._folder) and (key := key_of(frame.f_code)) not in self._seen:
            self._seen.add(key)
            if os.getpid() != self._process:
                with suppress(OSError), self._elsewhere.open("a", encoding="utf-8") as file:
                    file.write(f"{key}\n")

    def taken(self) -> set[str]:
        """Return what was called since the last time."""
        seen = self._seen | set(self._elsewhere.read_text().splitlines() if self._elsewhere.exists() else ())
        self._elsewhere.unlink(missing_ok=True)
        self._seen.clear()
        return seen


def _callers(changed: Changed, calls: Calls) -> Mapping[str, float]:
    """Return the tests that call the innermost function of a change."""
    return calls.get(key_of(changed[-1][0]), {}) if changed else {}


def key_of(code: CodeType) -> str:
    """Return by which name a piece of code is known: of its file and first line."""
    return f"{code.co_filename}:{code.co_firstlineno}:{code.co_qualname}"


def changed_codes(mutant: Mutant) -> Changed:
    """Return the functions of a module that the change is in, as they are and as they become, the innermost last.

    A comprehension or a lambda that the change leaves out becomes nothing: who called it is what has changed.
    """
    path = str(mutant.path)
    was, new = (
        _by_key(compile(text, path, "exec", dont_inherit=True)) for text in (mutant.path.read_text(), mutant.source())
    )
    both = [key for key in was if len(was[key]) == len(new.get(key, ()))]
    pairs = (pair for key in both for pair in zip(was[key], new[key], strict=True))
    return [(one, other) for one, other in pairs if one != other and one.co_name != "<module>"]


def _by_key(code: CodeType) -> dict[str, list[CodeType]]:
    found: dict[str, list[CodeType]] = {}
    for one in _codes(code):
        found.setdefault(key_of(one), []).append(one)
    return found


def _codes(code: CodeType) -> list[CodeType]:
    return [code, *(found for inner in code.co_consts if isinstance(inner, CodeType) for found in _codes(inner))]


def _run(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    for item, after in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        yield item


def _quietly(function: Callable[[], object]) -> None:
    place = os.open(_output(), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(place, 1)
    function()


def _output() -> Path:
    return Path(os.environ["TMPDIR"]) / "output"


class Limit:
    """A plugin that ends a run of tests once they have taken some CPU seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.begun = seconds, 0.0

    def pytest_collection_finish(self) -> None:
        """Count from here."""
        self.begun = time.process_time()

    def pytest_runtest_logfinish(self) -> None:
        """End the process where time is up."""
        if time.process_time() - self.begun > self.seconds:
            os._exit(0)


def _import_mutant(mutant: Mutant | None, arguments: list[str], seconds: float) -> None:
    read = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        if mutant and Path(loader.path) == mutant.path:
            return compile(mutant.source(), loader.path, "exec", dont_inherit=True)
        return read(loader, name)

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]
    if pytest.main([*arguments, "-x"], plugins=[Limit(seconds)]):
        os._exit(DIED)


def _survives(function: Callable[[], object], seconds: float) -> bool:
    return _status(function, int(HANGS * seconds)) == 0


def _status(function: Callable[[], object], limit: int = 0) -> int:
    """Return how a process ends in which a function is called: 0 where it returned; it may be given CPU seconds."""
    if not (process := os.fork()):
        try:
            if limit:
                used = int(time.process_time())
                resource.setrlimit(resource.RLIMIT_CPU, (used + limit, resource.RLIM_INFINITY))
            function()
        except BaseException:
            if not limit:
                traceback.print_exc()
            os._exit(DIED)
        os._exit(0)
    try:
        return _waited_for(process, limit)
    except BaseException:
        root = psutil.Process(process)
        for one in [root, *root.children(recursive=True)]:
            one.kill()
        os.waitpid(process, 0)
        raise


def _waited_for(process: int, limit: int) -> int:
    done, since = 0.0, time.monotonic()
    while not (ended := os.waitpid(process, os.WNOHANG))[0]:
        if limit and time.monotonic() - since > IDLE:
            if (now := _work(process)) == done:
                os.kill(process, signal.SIGKILL)
            done, since = now, time.monotonic()
        time.sleep(0.01)
    return ended[1]


def _work(process: int) -> float:
    """Return the CPU seconds of a process and of those that it started; NaN where one ended meanwhile."""
    try:
        root = psutil.Process(process)
        return sum(sum(one.cpu_times()[:4]) for one in [root, *root.children(recursive=True)])
    except psutil.Error:
        return math.nan

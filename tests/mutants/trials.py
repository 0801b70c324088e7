"""Mutants of one room tried in processes that are forked once its tests are collected; no file is changed.

A mutant of a function takes its place in the loaded module. One of what runs at import is put under the loader of a
process that has imported nothing of storagelab yet, and tried by those that call what fewest call of its module first:
hundreds ask each parser whether a log is its own.
"""

from __future__ import annotations

import gc
import json
import math
import os
import resource
import signal
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, FunctionType

import psutil
import pytest

from tests.mutants.changes import Mutant
from tests.mutants.rooms import ROOT

BUDGET = 10.0
"""CPU seconds of tests after which a mutant has survived; one that takes six times as long hangs."""
Changed = list[tuple[CodeType, CodeType]]
IDLE = 120.0
"""Seconds without any work after which a mutant waits for what never comes, and has died."""
DIED = 1


def try_room(found: list[Mutant], tests: list[Path], marks: str) -> Iterator[tuple[Mutant, bool, int]]:
    """Yield each mutant, whether it survived, and how many tests run what it changes."""
    kept = Path(os.environ["TMPDIR"]) / "verdicts"
    room = Room([one for one in found if one.in_function], kept)
    options = ["-m", marks, "--hypothesis-profile", "quick", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    collect = partial(pytest.main, [*map(str, tests), *options], plugins=[room])
    _status(partial(_quietly, collect), limited=False)
    verdicts, calls = json.loads(kept.read_text())
    for mutant, (survived, covered) in zip(room.mutants, verdicts, strict=True):
        yield mutant, survived, covered
    for mutant in found:
        if not mutant.in_function:
            of_module = sorted((names for key, names in calls.items() if key.startswith(f"{mutant.path}:")), key=len)
            names = list(dict.fromkeys(name for names in of_module for name in names))
            survived = _survives(partial(_quietly, partial(_import_mutant, mutant, [*names[:200], *options])))
            yield mutant, survived, len(names)


class Room:
    """A plugin that runs all tests to see what they call, then for each mutant those that call what it changes."""

    def __init__(self, mutants: list[Mutant], kept: Path) -> None:
        self.mutants, self.kept, self.killer = mutants, kept, kept.with_name("killer")
        self.failed: set[str] = set()
        self.passes: dict[str, bool] = {}
        self.stop = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """End the process of a mutant at the first test that fails."""
        if report.failed and self.stop:
            self.killer.write_text(report.nodeid)
            os._exit(DIED)
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try all mutants."""
        _status(lambda: self._record_calls(session.items), limited=False)
        calls = {key: dict(of) for key, of in json.loads(self.kept.read_text()).items()}
        functions = self._functions()
        items = {item.nodeid: item for item in session.items}
        self.stop = True
        verdicts = []
        for mutant in self.mutants:
            changed = changed_codes(mutant)
            names = calls.get(key_of(changed[-1][0]), {}) if changed else {}
            chosen = [items[name] for name in names]
            verdicts.append((self._survives(changed, functions, chosen), len(chosen)))
        self.kept.write_text(json.dumps((verdicts, calls)))
        return True

    def _survives(self, changed: Changed, functions: dict[str, list[FunctionType]], items: list[pytest.Item]) -> bool:
        """Whether no test fails because of the change: one that fails without it, run alone, does not count."""
        self.killer.unlink(missing_ok=True)
        if _survives(lambda: self._run_mutant(changed, functions, items)):
            return True
        killer = self.killer.read_text() if self.killer.exists() else None
        for item in items:
            if item.nodeid == killer and not self.passes.setdefault(killer, _survives(lambda one=item: [*_run([one])])):
                return self._survives(changed, functions, [one for one in items if one is not item])
        return False

    def _run_mutant(self, changed: Changed, functions: dict[str, list[FunctionType]], items: list[pytest.Item]) -> None:
        for was, new in changed:
            for function in functions[key_of(was)]:
                function.__code__ = new
        for _ in _run(items):
            if time.process_time() > BUDGET:
                return

    def _record_calls(self, items: list[pytest.Item]) -> None:
        seen: set[str] = set()
        folder = str(ROOT / "storagelab")

        def trace(frame: FrameType, event: str, argument: object) -> None:
            if frame.f_code.co_filename.startswith(folder):
                seen.add(key_of(frame.f_code))

        calls: dict[str, list[tuple[str, float]]] = defaultdict(list)
        begun = time.process_time()
        sys.settrace(trace)
        for item in _run(items):
            took, begun = time.process_time() - begun, time.process_time()
            if item.nodeid not in self.failed:
                for key in seen:
                    calls[key].append((item.nodeid, took))
            seen.clear()
            sys.settrace(trace)
        quickest = {key: sorted(of, key=lambda one: one[1]) for key, of in calls.items()}
        self.kept.write_text(json.dumps(quickest))

    def _functions(self) -> dict[str, list[FunctionType]]:
        for path in {mutant.path for mutant in self.mutants}:
            import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
        gc.unfreeze()
        found = defaultdict(list)
        for one in gc.get_objects():
            if type(one) is FunctionType:
                found[key_of(one.__code__)].append(one)
        gc.freeze()
        return found


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
    place = os.open(Path(os.environ["TMPDIR"]) / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(place, 1)
    function()


def _import_mutant(mutant: Mutant, arguments: list[str]) -> None:
    read = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        ours = Path(loader.path) == mutant.path
        return compile(mutant.source(), loader.path, "exec", dont_inherit=True) if ours else read(loader, name)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    if pytest.main([*arguments, "-x"]):
        os._exit(DIED)


def _survives(function: Callable[[], object]) -> bool:
    return _status(function, limited=True) == 0


def _status(function: Callable[[], object], *, limited: bool) -> int:
    """Return how a process ends in which a function is called: 0 where it returned."""
    if not (process := os.fork()):
        try:
            if limited:
                used = int(time.process_time())
                resource.setrlimit(resource.RLIMIT_CPU, (used + int(6 * BUDGET), resource.RLIM_INFINITY))
            function()
        except BaseException:
            if not limited:
                traceback.print_exc()
            os._exit(DIED)
        os._exit(0)
    done, since = 0.0, time.monotonic()
    while not (ended := os.waitpid(process, os.WNOHANG))[0]:
        if limited and time.monotonic() - since > IDLE:
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

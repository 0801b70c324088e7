"""Which stages run at once and in which order, and what is told of them, without dvc and without processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from storagelab import pinned_environment, project
from storagelab.cli import reports, stages
from storagelab.cli.command_processes import Ended
from tests.cli.conftest import Cli


class Stages:
    """Four stages: `last` waits for two, of which `right` is the longer one; `fresh` is up to date."""

    def __init__(self) -> None:
        self.waiting: dict[str, set[str]] = {
            "last": {"left", "right", "fresh"},
            "left": set(),
            "right": set(),
            "fresh": set(),
        }
        self.made: list[str] = []
        self.looked = False

    def look_ahead(self) -> None:
        self.looked = True

    def order(self) -> dict[str, tuple[int, int]]:
        return {"last": (0, 0), "left": (-1, -1), "right": (-1, -2), "fresh": (-1, -3)}

    def command(self, name: str) -> str:
        return f"make {name}"

    def folder(self, name: str) -> str:
        return "."

    def begin(self, name: str) -> bool:
        return name != "fresh"

    def end(self, name: str) -> None:
        self.made.append(name)


class AtHand:
    """Workers whose commands end when they are asked for; some fail."""

    def __init__(self, statuses: Mapping[str, int]) -> None:
        self.statuses, self.running, self.seen = statuses, dict[str, str](), list[list[str]]()

    def start(self, name: str, command: str, folder: str) -> None:
        self.running[name] = command

    def ended(self, tick: float) -> Iterator[Ended]:
        self.seen.append([*self.running])
        for name in [*self.running]:
            del self.running[name]
            yield Ended(name, self.statuses.get(name, 0), "said\n", 1.25)


class Told:
    """What a person sees."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.states: list[tuple[int, int, list[str]]] = []

    def told(self, text: str) -> None:
        self.lines.append(text)

    def state(self, done: int, total: int, running: Mapping[str, object]) -> None:
        self.states.append((done, total, [*running]))


def run(jobs: int, monkeypatch: pytest.MonkeyPatch, **statuses: int) -> tuple[int, Stages, AtHand, Told]:
    stages, workers, told = Stages(), AtHand(statuses), Told()
    stand_ins: dict[str, Any] = {"pipeline": stages, "Workers": workers, "display": told}
    for name, one in stand_ins.items():
        monkeypatch.setattr(reports, name, lambda *_, one=one, **__: nullcontext(one))
    monkeypatch.setattr(project, "renew", lambda root: None)
    monkeypatch.setattr(reports, "some_output_is_missing", lambda root: False)
    return reports.reports(jobs), stages, workers, told


@pytest.mark.parametrize(
    ("jobs", "at_once"), [(1, [["right"], ["left"], ["last"]]), (2, [["right", "left"], ["last"]])]
)
def test_no_more_stages_run_at_once_than_are_asked_for_the_longest_first(
    jobs: int, at_once: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    status, stages, workers, told = run(jobs, monkeypatch)
    assert (status, workers.seen, stages.made) == (0, at_once, ["right", "left", "last"])
    assert told.lines[0] == "right: make right (1.2 s)\nsaid"
    assert told.lines[-1] == "3 of 4 stages ran, the others were up to date"
    done = [1, 2, 3] if jobs == 1 else [1, 3]
    assert told.states == [(number, 4, names) for number, names in zip(done, at_once, strict=True)]


def test_the_next_command_runs_while_what_was_made_is_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, made = AtHand.start, Stages.end
    order: list[str] = []

    def start(self: AtHand, name: str, command: str, folder: str) -> None:
        order.append(f"start {name}")
        begun(self, name, command, folder)

    def end(self: Stages, name: str) -> None:
        order.append(f"end {name}")
        made(self, name)

    monkeypatch.setattr(AtHand, "start", start)
    monkeypatch.setattr(Stages, "end", end)
    _, stages, _, _ = run(1, monkeypatch)
    assert order == ["start right", "start left", "end right", "end left", "start last", "end last"]
    assert stages.looked


def test_behind_a_stage_that_fails_none_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    found, stages, workers, told = run(2, monkeypatch, right=3, left=9)
    assert (found, workers.seen, stages.made) == (3, [["right", "left"]], [])
    assert told.lines == [
        "right: make right: failed with exit status 3\nsaid",
        "left: make left: failed with exit status 9\nsaid",
    ]


@pytest.mark.parametrize(("given", "at_once"), [((), 5), (("--jobs", "0"), 5), (("--jobs", "2"), 2)])
def test_one_command_more_runs_than_there_are_cores(
    given: tuple[str, ...], at_once: int, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    monkeypatch.setattr(pinned_environment, "cores", lambda: 4)

    def noted(jobs: int) -> int:
        seen.append(jobs)
        return 0

    monkeypatch.setattr(reports, "reports", noted)
    assert cli("reports", *given).code == 0
    assert seen == [at_once]


def test_a_stage_is_as_long_as_it_wrote_bytes_as_far_as_dvc_knows() -> None:
    outs = [SimpleNamespace(meta=meta) for meta in (SimpleNamespace(size=5), SimpleNamespace(size=None), None)]
    assert stages._written(SimpleNamespace(outs=[*outs, *outs])) == 10

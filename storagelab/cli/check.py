"""``storagelab check``: what is wrong with a study, which planned runs it lacks, and rules for logs without any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from storagelab import ingest
from storagelab.cli import command_output, console
from storagelab.errors import (
    IncompleteLogError,
    IncompleteRunError,
    SidecarError,
    StoragelabError,
    UnknownNameError,
)
from storagelab.ingest import checksums, plan_progress
from storagelab.ingest.plan_progress import Counted
from storagelab.ingest.rules_against_logs import keys_of, proposed
from storagelab.reconstruct import campaign
from storagelab.recording.campaign import plan_of
from storagelab.study import UNCOVERED, published, rules_from_names, yaml_reading
from storagelab.study.rules_from_names import Proposal
from storagelab.study.study_yaml import Sidecar
from storagelab.study.value_checks import written

CELLS = 30
"""Rows of the table of keys; of more only how many."""


def check_all(folders: Sequence[Path], *, as_json: bool) -> bool:
    """Tell all that is wrong with studies, also behind one that cannot be read; return whether anything is."""
    wrong = False
    for folder in folders:
        try:
            wrong |= check(folder, as_json=as_json)
        except StoragelabError as error:
            console.warn_of(error)
            wrong = True
    return wrong


def check(folder: Path, *, as_json: bool) -> bool:
    """Tell all that is wrong with a study; return whether anything is that would stop `ingest` or the paper."""
    found = Checked.of(folder)
    for problem in found.problems:
        if not _says_uncovered(problem):
            console.warn_of(problem)
    if found.uncovered:
        console.warn(
            f"{folder}: {_logs_have(len(found.uncovered))} no row of runs.csv and no rule of study.yaml, such as "
            f"{found.uncovered[0]}"
        )
    command_output.give(found.rows(), found.lines(), as_json=as_json, **found.about())
    return found.wrong


@dataclass(frozen=True, slots=True)
class Checked:
    """A study looked through: its problems, its plan, and rules for logs that nothing is said of."""

    folder: Path
    logs: int
    problems: Sequence[StoragelabError]
    plan: Sequence[Counted]
    uncovered: Sequence[str]
    proposals: Sequence[Proposal]

    @classmethod
    def of(cls, folder: Path) -> Checked:
        """Look through a study."""
        with console.progress("reading") as advance:
            found = ingest.survey(folder, advance)
            sidecar = found.study.sidecar
            of_sidecar = [*_of_its_plan(folder, sidecar), *_of_what_is_expected(folder, sidecar)]
            problems = [*found.problems, *of_sidecar, *_of_its_kind(folder), *_of_its_paper(folder)]
        counted = plan_progress.counted(sidecar, found.rows)
        logs = len(found.study.entries) + len(found.uncovered)
        return cls(folder, logs, problems, counted, found.uncovered, proposed(folder, found.uncovered))

    @property
    def wrong(self) -> bool:
        """Whether anything is that is more than a log or a run which was cut."""
        return not all(map(_is_incomplete, self.problems))

    def rows(self) -> list[dict[str, Any]]:
        """Return the problems, a row each."""
        return [
            {
                "problem": problem.text,
                "file": getattr(problem, "file", ""),
                "line": getattr(problem, "line", 0),
                "log": getattr(problem, "log", ""),
                "only_incomplete": _is_incomplete(problem),
            }
            for stands_for in self.problems
            for problem in (stands_for, *stands_for.others)
        ]

    def about(self) -> dict[str, Any]:
        """Return what is there, what the plan lacks and which rules are proposed."""
        return {
            "study": str(self.folder),
            "logs": self.logs,
            "wrong": self.wrong,
            "plan": [asdict(part) for part in self.plan],
            "proposals": [
                {"regex": one.regex, "columns": one.columns, "logs": list(one.logs)} for one in self.proposals
            ],
        }

    def lines(self) -> Iterator[str]:
        """Tell the same for people, without the problems, which stand on standard error."""
        yield from _proposals(self.folder, self.proposals)
        yield from map(str, self.plan)
        count = len(self.problems)
        if self.wrong:
            yield f"{self.folder}: {self.logs} logs, {count} {'thing is' if count == 1 else 'things are'} wrong"
            return
        lacking = sum(part.planned - part.there for part in self.plan)
        but = [f"{count} incomplete {'log or run' if count == 1 else 'logs or runs'}"] if count else []
        but += [f"{lacking} planned {'run is' if lacking == 1 else 'runs are'} missing"] if lacking else []
        yield f"{self.folder}: nothing wrong" + (f" but {' and '.join(but)}" if but else "")


def _logs_have(count: int) -> str:
    return "1 log has" if count == 1 else f"{count} logs have"


def _is_incomplete(problem: StoragelabError) -> bool:
    return isinstance(problem, (IncompleteLogError, IncompleteRunError))


def _says_uncovered(problem: StoragelabError) -> bool:
    """Whether it is that nothing is said of a log: all of these are told together, with rules for them."""
    return isinstance(problem, SidecarError) and problem.message.startswith(UNCOVERED)


def _of_its_plan(folder: Path, sidecar: Sidecar) -> Iterator[StoragelabError]:
    """What `storagelab campaign` would refuse."""
    if sidecar.plan:
        try:
            plan_of(folder)
        except SidecarError as error:
            yield error


def _of_what_is_expected(folder: Path, sidecar: Sidecar) -> Iterator[StoragelabError]:
    """Names of checks that `validity` does not know."""
    if not sidecar.expected:
        return
    from storagelab.analysis.validity.report import NAMES

    path = folder / "study.yaml"
    for number, expected in enumerate(sidecar.expected):
        if expected.check not in NAMES:
            line = yaml_reading.line_of(yaml_reading.tree_of(path), ("expected", number, "check"))
            unknown = UnknownNameError("check of `validity`", expected.check, NAMES)
            yield SidecarError(str(path), f"expected.{number}.check: {unknown}", line)


def _of_its_kind(folder: Path) -> list[StoragelabError]:
    """What is wrong with how the study is sealed: by what it was rendered from, or by checksums."""
    if (folder / published.NAME).exists():
        return list(campaign.differences(folder))
    return [] if checksums.are_there(folder) else list(checksums.problems(folder))


def _of_its_paper(folder: Path) -> Iterator[StoragelabError]:
    """What of a project stands in the way of the paper; a study that is in none has none."""
    whole = folder.resolve()
    if whole.parent.name == "raw" and (whole.parent.parent / "dvc.yaml").is_file():
        root = Path() if whole.parent.parent == Path.cwd() else whole.parent.parent
        if lacking := console.missing_notebook(root, whole.name):
            yield StoragelabError(lacking)


def _proposals(folder: Path, found: Sequence[Proposal]) -> Iterator[str]:
    if not found:
        return
    yield f"# Rules for {folder / 'study.yaml'}, read from the names of these logs; look at them before they go there:"
    yield from rules_from_names.lines(found)
    yield ""
    yield "# The keys that they give:"
    yield from _table(found)


def _table(found: Sequence[Proposal]) -> Iterator[str]:
    """A row a cell, with its repeats and logs."""
    logs: Counter[tuple[tuple[str, str], ...]] = Counter()
    repeats: dict[tuple[tuple[str, str], ...], set[str]] = {}
    for one in found:
        for path in one.logs:
            keys = _keys(one, path)
            repeat = keys.pop("repeat", "")
            cell = tuple(keys.items())
            logs[cell] += 1
            repeats.setdefault(cell, set()).add(repeat)
    names = list(dict.fromkeys(name for cell in logs for name, _ in cell))
    rows = [
        [*(dict(cell).get(name, "") for name in names), _repeats(repeats[cell]), str(n)] for cell, n in logs.items()
    ]
    yield from _laid_out([*names, "repeats", "logs"], sorted(rows, key=_in_order)[:CELLS])
    if len(rows) > CELLS:
        yield f"... and {len(rows) - CELLS} cells more"


def _in_order(row: Sequence[str]) -> list[tuple[float, str]]:
    return [(float(cell), "") if cell.replace(".", "", 1).isdecimal() else (float("inf"), cell) for cell in row]


def _repeats(found: set[str]) -> str:
    numbers = sorted(found, key=lambda text: (len(text), text))
    return ", ".join(numbers) if len(numbers) <= 4 else f"{numbers[0]} to {numbers[-1]} ({len(numbers)})"


def _keys(one: Proposal, path: str) -> dict[str, str]:
    """Return keys of a log as the rule would give them, and parts of its name that are none yet."""
    known = {name: written(value) for name, value in keys_of(one, path).items()}
    return {**known, **{name: text for name, text in one.groups(path).items() if "ignore" in one.columns.get(name, {})}}


def _laid_out(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[place]) for row in [heads, *rows]) for place in range(len(heads))]
    for row in [heads, *rows]:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()

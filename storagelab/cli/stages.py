"""The stages of dvc.yaml as dvc knows them: what each waits for, whether it is out of date, what it left behind."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from storagelab import optional_packages, writing
from storagelab.errors import StoragelabError


class Pipeline:
    """The pipeline of a repository, for as long as its lock is held.

    Everything is dvc's: its stages, its checksums, its lock file. Only the running of commands is left to the caller,
    and two things are done once that ``dvc repro`` does for each stage: what many stages depend on is looked at and
    hashed once, and dvc.lock is written at the end: beside its place, since half of one would stop everything.
    """

    def __init__(self, repo: Any) -> None:
        from dvc.repo.reproduce import get_active_graph, plan_repro

        graph = get_active_graph(repo.index.graph)
        ours = [stage for stage in graph if stage.dvcfile.relpath == "dvc.yaml"]
        stages = plan_repro(graph, ours)
        self._repo = repo
        self._stages = {stage.addressing: stage for stage in stages}
        self._before = {stage.addressing: {one.addressing for one in graph.successors(stage)} for stage in stages}
        self._looked_at: dict[tuple[str, str], bool] = {}
        self._hashed: dict[str, Any] = {}
        self._done: list[Any] = []

    @property
    def waiting(self) -> dict[str, set[str]]:
        """All stages, and the stages that each waits for."""
        return {name: set(before) for name, before in self._before.items()}

    def order(self) -> dict[str, tuple[int, int]]:
        """Rank the stages: first those on which the longest chain waits, among them those that wrote most last time.

        What a stage writes says best how long it takes: drawing takes most of the time. With the longest first, no core
        stands idle at the end for long.
        """
        depth: dict[str, int] = {}
        for name in reversed(list(self._stages)):
            depth.setdefault(name, 0)
            for one in self._before[name]:
                depth[one] = max(depth.get(one, 0), depth[name] + 1)
        return {name: (-depth[name], -_written(stage)) for name, stage in self._stages.items()}

    def look_ahead(self) -> None:
        """Look at what the stages depend on that wait for no other, while the warm process still imports."""
        for name, stage in self._stages.items():
            if _has_command(stage) and not self._before[name]:
                for dep in stage.deps:
                    self._differs(dep)

    def command(self, name: str) -> str:
        """Return what a stage runs."""
        return str(self._stages[name].cmd)

    def folder(self, name: str) -> str:
        """Return where a stage runs."""
        return str(self._stages[name].wdir)

    def begin(self, name: str) -> bool:
        """Return whether the command of a stage has to run, its old outputs removed; False: it is up to date."""
        stage = self._stages[name]
        if not _has_command(stage):
            if stage.reproduce():
                stage.dump()
            return False
        if not self._changed(stage):
            return False
        stage.remove_outs()
        return True

    def end(self, name: str) -> None:
        """Take over what the command of a stage made."""
        stage = self._stages[name]
        for out in stage.outs:
            if not out.exists:
                raise StoragelabError(f"stage {name}: its command ended well and did not make {out}")
        for dep in stage.deps:
            self._hash(dep)
        stage.save_outs()
        if all(out.use_cache for out in stage.outs):
            self._repo.stage_cache.save(stage)
        stage.commit()
        self._done.append(stage)

    def record(self) -> None:
        """Write into dvc.lock what was made."""
        from dvc.stage.serialize import to_lockfile
        from dvc.utils.serialize import dumps_yaml, parse_yaml

        if self._done:
            place = Path(self._repo.root_dir, "dvc.lock")
            old: Any = parse_yaml(place.read_text("utf-8"), place) if place.exists() else {}  # type: ignore[no-untyped-call]
            lock = {"schema": "2.0", "stages": {}, **old}
            for stage in self._done:
                lock["stages"].update(to_lockfile(stage))
            with writing.new_file(place) as beside:
                writing.put(beside, dumps_yaml(lock).encode("utf-8"))  # type: ignore[no-untyped-call]
            self._repo.scm_context.files_to_track = {place.name}
            self._done = []

    def _changed(self, stage: Any) -> bool:
        return bool(
            stage.always_changed
            or stage.changed_stage()
            or any(self._differs(dep) for dep in stage.deps)
            or any(out.status() for out in stage.outs)
        )

    def _hash(self, dep: Any) -> None:
        """Give a file or folder its checksum: what an earlier stage depended on is not read again."""
        known = self._hashed.setdefault(str(dep), dep)
        if known is dep:
            dep.save()
        else:
            dep.hash_info, dep.meta, dep.obj, dep.files = known.hash_info, known.meta, known.obj, known.files

    def _differs(self, dep: Any) -> bool:
        """Whether a file or folder is not the one of the last run; sources do not change while the pipeline runs."""
        key = (str(dep.fs_path), str(dep.hash_info))
        if key not in self._looked_at:
            self._looked_at[key] = bool(dep.status())
        return self._looked_at[key]


def some_output_is_missing(root: Path) -> bool:
    """Whether one sees without dvc that there is something to do: there is no dvc.lock, or an output of it is missing.

    The other way round nothing follows: what is there can be out of date.
    """
    place = root / "dvc.lock"
    try:
        stages = yaml.load(place.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))["stages"].values()
        return not all((root / out["path"]).exists() for stage in stages for out in stage.get("outs", ()))
    except (OSError, yaml.YAMLError, TypeError, KeyError, AttributeError):  # dvc says what is wrong with it
        return True


def _has_command(stage: Any) -> bool:
    """Whether a stage is run: not data that dvc tracks, nor what somebody keeps as it is."""
    return bool(stage.cmd and not stage.frozen)


def _written(stage: Any) -> int:
    """Bytes that a stage wrote when it last ran, as dvc.lock says; none where it never ran."""
    return sum((out.meta.size or 0) if out.meta else 0 for out in stage.outs)


@contextmanager
def pipeline(root: Path) -> Iterator[Pipeline]:
    """Open the pipeline of a repository; what was made is recorded however it ends.

    Raises
    ------
    MissingPackageError
        If dvc is not installed.
    StoragelabError
        If dvc cannot read the pipeline, or another dvc holds its lock.
    """
    optional_packages.require("pipeline", "storagelab reports")
    from dvc.exceptions import DvcException
    from dvc.lock import LockError
    from dvc.logger import set_loggers_level
    from dvc.repo import Repo, lock_repo

    writing.sweep(root)
    try:
        with set_loggers_level(logging.WARNING), Repo(str(root)) as repo, lock_repo(repo), repo.scm_context(quiet=True):
            opened = Pipeline(repo)
            try:
                yield opened
            finally:
                opened.record()
    except LockError:
        raise StoragelabError("another `storagelab reports` or dvc works on this project: one at a time") from None
    except DvcException as error:
        raise StoragelabError(" ".join(_said(error))) from error


def _said(error: BaseException | None) -> Sequence[str]:
    """Say an error with what caused it: dvc tells the reason in the cause."""
    return [] if error is None else [str(error), *_said(error.__cause__)]

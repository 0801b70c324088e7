"""One log of a study, and what the sidecars say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from storagelab.study.value_checks import Keys


@dataclass(frozen=True, slots=True)
class Entry:
    """A log of the study with all that the sidecars say of it.

    `file` and `line` are the place that says it, for messages; the line is 0 where only rules of study.yaml do.
    `events` are what the experimenter did to the run, with the moments as the place spells them. `hidden` are keys
    whose text was made harmless: it held characters that nobody sees, or was too long. `of_row` are keys that a row of
    runs.csv says; what else there is of keys study.yaml says.
    """

    path: str
    keys: Keys
    file: str
    line: int
    events: Mapping[str, str] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    of_row: frozenset[str] = frozenset()

    @property
    def role(self) -> str:
        """What the log is in its run: benchmark, netdev_before, ..."""
        return str(self.keys.get("role", "benchmark"))

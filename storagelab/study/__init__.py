"""The sidecars of a study: ``study.yaml`` (the plan, and how logs map to keys) and ``runs.csv`` (a row a log)."""

from storagelab.study.entry import Entry
from storagelab.study.keys_of_logs import RECORD, UNCOVERED, Study, entries_of, is_sidecar, load
from storagelab.study.study_yaml import Sidecar, read_sidecar
from storagelab.study.value_checks import LOG_LEVEL, Key, Keys, moment, zone

__all__ = [
    "LOG_LEVEL", "RECORD", "UNCOVERED", "Entry", "Key", "Keys", "Sidecar", "Study", "entries_of", "is_sidecar", "load",
    "moment", "read_sidecar", "zone",
]  # fmt: skip

"""The way from raw/ to a dataset: logs read, held against their sidecars, joined run by run."""

from storagelab.ingest.logs import Log, read_log
from storagelab.ingest.study_dataset import Progress, incomplete, ingest, problems, survey, tidy, unsealed

__all__ = ["Log", "Progress", "incomplete", "ingest", "problems", "read_log", "survey", "tidy", "unsealed"]

"""The way from raw/ to a dataset: logs read, held against their sidecars, joined run by run."""

from storagelab.ingest.build import Progress, ingest, problems, tidy
from storagelab.ingest.logs import Log, read_log

__all__ = ["Log", "Progress", "ingest", "problems", "read_log", "tidy"]

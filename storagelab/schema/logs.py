"""What leads back to a log, and what is known of one."""

from __future__ import annotations

from storagelab.schema.lines import PLACES
from storagelab.schema.names import Field
from storagelab.schema.vocabularies import VALUES

TRACE = [
    Field("log_id", "trace", "1", "row of the node logs"),
    Field("line", "trace", "1", "line of the log, from 1"),
    Field("log_count", "trace", "1", "clients' logs that were added up; 1 where the value comes from one log"),
    *PLACES,
]

LOG_FIELDS = [
    Field("log", "key", None, "path of the log below its study"),
    Field("log_sha256", "key", None, "SHA-256 of the log"),
    Field("format", "key", None, "format of the log"),
    Field("role", "key", None, "role of the log in its run", VALUES["role"]),
    Field("tool_version", "key", None, "version of the tool"),
    Field("command", "key", None, "command line"),
    Field("options", "key", None, "command line or options, as the log itself prints them"),
    Field("started", "key", None, "start (ISO 8601, UTC)"),
    Field("ended", "key", None, "end (ISO 8601, UTC)"),
    Field("machine", "key", None, "system that ran the tool, as the log prints it: name, host, kernel, architecture"),
    Field("ran_on", "key", None, "host that ran the tool; of several the first"),
    Field("tested_path", "key", None, "file or directory that was tested"),
    Field("filesystem_size", "variable", "B", "size of the file system that was tested"),
    Field("filesystem_used", "variable", "1", "share of the file system in use when the tool began"),
    Field("log_started", "key", None, "start by the clock of the log itself (ISO 8601)"),
    Field("time_zone", "key", None, "time zone of the log's clock, where the log does not say it"),
    Field(
        "complete", "variable", "1", "1 where all logs behind the row are whole, 0 where one is cut or its tool failed"
    ),
    Field("wrapping", "key", None, "what was put around the log and taken away to read it"),
    Field("notes", "key", None, "what the parser has to say about the log"),
]

"""IOzone's tests: the operations in the order in which every version runs and prints them, and all their names."""

from __future__ import annotations

TESTS = (
    ("write", "rewrite"),
    ("read", "reread"),
    ("random_read", "random_write"),
    ("backward_read",),
    ("record_rewrite",),
    ("stride_read",),
    ("fwrite", "frewrite"),
    ("fread", "freread"),
    ("pwrite", "repwrite"),
    ("pread", "repread"),
)
"""What ``-i 0`` to ``-i 7`` choose in automatic mode, then what ``-E`` adds to the table."""

COLUMNS = tuple(operation for test in TESTS for operation in test)

THROUGHPUT_NAMES = {
    "initial writers": "write",
    "rewriters": "rewrite",
    "readers": "read",
    "re-readers": "reread",
    "reverse readers": "backward_read",
    "stride readers": "stride_read",
    "random readers": "random_read",
    "mixed workload": "mixed_workload",
    "random writers": "random_write",
    "pwrite writers": "pwrite",
    "pread readers": "pread",
    "pwritev writers": "pwritev",
    "preadv readers": "preadv",
    "fwriters": "fwrite",
    "freaders": "fread",
}
"""Names in "Children see throughput for N ..." -> operations."""

REPORT_NAMES = {
    "writer": "write",
    "re-writer": "rewrite",
    "reader": "read",
    "re-reader": "reread",
    "random read": "random_read",
    "random write": "random_write",
    "backward read": "backward_read",
    "record rewrite": "record_rewrite",
    "stride read": "stride_read",
    "fwrite": "fwrite",
    "re-fwrite": "frewrite",
    "fread": "fread",
    "re-fread": "freread",
    "pwrite": "pwrite",
    "re-pwrite": "repwrite",
    "pread": "pread",
    "re-pread": "repread",
    "pwritev": "pwritev",
    "re-pwritev": "repwritev",
    "preadv": "preadv",
    "re-preadv": "repreadv",
    # the lines of the throughput report
    "initial write": "write",
    "rewrite": "rewrite",
    "read": "read",
    "re-read": "reread",
    "reverse read": "backward_read",
    "mixed workload": "mixed_workload",
}
"""Names in Excel reports, in lower case -> operations."""

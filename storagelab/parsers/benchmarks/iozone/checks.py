"""What IOzone prints together."""

from __future__ import annotations

from storagelab.parsers.checks import Checks, words

CHECKS = Checks(
    together=(
        words(
            "Command line used:",
            "Time Resolution =",
            "Processor cache size set to",
            "Processor cache line size set to",
            "File stride size set to",
        ),
        words("Min throughput per ", "Max throughput per ", "Avg throughput per "),
        words("Using minimum file size of", "Using maximum file size of"),
    ),
    sums=True,
)

"""What IOzone prints together."""

from __future__ import annotations

from storagelab.parsers.declared_checks import Checks, words

CHECKS = Checks(
    together=(
        words(
            "Command line used:",
            "Time Resolution =",
            "Processor cache size set to",
            "Processor cache line size set to",
            "File stride size set to",
        ),
        words(
            "Children see throughput for ",
            "Min throughput per ",
            "Max throughput per ",
            "Avg throughput per ",
        ),
        words("I/O Diagnostic mode enabled", "Performance measurements are invalid in this mode"),
        words("Using minimum file size of", "Using maximum file size of"),
    ),
    below=(
        words("Iozone: Performance Test of File I/O", "$Revision", "Run began:", "Command line used:"),
        words("Throughput test with ", " writes a "),
    ),
    sums=True,
)

"""mdtest, the metadata benchmark (LLNL, now part of hpc/ior)."""

from __future__ import annotations

from storagelab.parsers.mdtest import report
from storagelab.parsers.model import Format, Parsed

FORMAT = Format(
    name="mdtest",
    tool="mdtest",
    versions="1.8 to 4.x",
    reads="text report and CSV of ranks",
    source="https://github.com/hpc/ior/blob/main/src/mdtest.c",
)


def sniff(head: str) -> bool:
    """Whether the text is mdtest's, and not that of IO500, which runs mdtest."""
    if "[RESULT" in head or "IO500 version" in head or "io500_mdtest_cmd" in head:
        return False
    if "mdtest-" in head and "was launched with" in head:
        return True
    return "SUMMARY" in head and " iterations)" in head and ("File creation" in head or "Directory creation" in head)


def parse(text: str) -> Parsed:
    """Read an mdtest log."""
    return report.parse(text)

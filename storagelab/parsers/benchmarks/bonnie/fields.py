"""Names of the fields in a row of bonnie++'s CSV: of 1.03, of 1.9x, and of format 1.98."""

from __future__ import annotations

import re

from storagelab.parsers.benchmarks.bonnie.table import FILES, OUTPUT

_RATES = (*OUTPUT, *FILES)
_WITH_CPU = [name for rate in _RATES for name in (rate, f"{rate}_cpu")]
_ABOUT_FILES = ["num_files", "max_size", "min_size", "num_dirs", "file_chunk_size"]
NEW = [
    *("format_version", "bonnie_version", "name", "concurrency", "seed", "file_size", "io_chunk_size"),
    *(*_WITH_CPU[:12], *_ABOUT_FILES, *_WITH_CPU[12:]),
    *(f"{rate}_latency" for rate in _RATES),
]
NEWEST = [*NEW[:7], "seek_count", "seek_processes", *NEW[7:]]
"""Format 1.98 has two fields more than its own heading names."""
OLD = ["name", "file_size", *_WITH_CPU[:12], "num_files", *_WITH_CPU[12:]]
_NEW_ROW = re.compile(r"(1\.9[3-9]),\d[\w.]+,")
_OLD_ROW = re.compile(r"[^,\s]*,\d+[MG](?::\d+k?)?,(?:\d*,|\++,){5}")
HEADING = "format_version,bonnie_version,"


def field_names(line: str) -> list[str]:
    """Names of the fields of a row of CSV, by its first fields; nothing where it is none."""
    if line.startswith(HEADING):
        return NEW
    if version := _NEW_ROW.match(line):
        return NEWEST if version[1] >= "1.98" else NEW
    return OLD if _OLD_ROW.match(line) and line.count(",") < len(OLD) + 6 else []


def printed_names(words: list[str], names: list[str]) -> list[str]:
    """Names of the fields of a row; 1.96 prints one too few for a test of files alone (`-s 0`)."""
    files = NEW.index("num_files")
    filled = [word for word in words[NEW.index("file_size") : files - 1] if word]
    if names is NEW and len(filled) <= 1 and len(words) >= files and words[files - 1]:
        return [name for name in NEW if name != "io_chunk_size"]
    return names

"""What event loops print around ROOT's own statistics: which file, how much of it, and what TFile counted.

::

    Processing root://host//events0.root
    Entries read 1500 of 3000, 20 of 40 branches, 7157131 bytes read in 5 calls, file size 14326600
    ...
    Total entries 6000

The bytes and calls are those of TFile (GetBytesRead, GetReadCalls): they also count headers and keys, which
TTreePerfStats does not.
"""

from __future__ import annotations

import re

from storagelab.parsers.model import Row

_PROCESSING = re.compile(r"Processing (\S+)$")
_ENTRIES = re.compile(
    r"Entries read (\d+)(?: of (\d+))?(?:, (\d+)(?: of (\d+))? branches)?"
    r"(?:, (\d+) bytes read(?: in (\d+) calls)?)?(?:, file size (\d+))?$"
)
_NAMES = ("entries", "entries_total", "branches", "branches_total", "data_size_file", "operations_file", "file_size")
_TOTAL = re.compile(r"Total entries:? (\d+)$")
_PLAIN = re.compile(r"Reading (\d+) bytes in (\d+) transactions$")


def file_in(text: str) -> str:
    """Return the file whose turn it is, or ""; ROOT's own ``Processing macro.C...`` is none."""
    match = _PROCESSING.match(text) if text.startswith("Processing ") and not text.endswith("...") else None
    return match[1] if match else ""


def entries_in(text: str) -> Row | None:
    """Read how much of a file was read, and what TFile counted."""
    match = _ENTRIES.match(text) if text.startswith("Entries read ") else None
    if not match:
        return None
    return {name: float(value) for name, value in zip(_NAMES, match.groups(), strict=True) if value}


def total_in(text: str) -> float | None:
    """Read the entries of all files."""
    match = _TOTAL.match(text) if text.startswith("Total entries") else None
    return float(match[1]) if match else None


def reads_in(text: str) -> Row | None:
    """Read what TFile counted where there is no cache."""
    match = _PLAIN.match(text) if text.startswith("Reading ") else None
    return {"operation": "read", "data_size": float(match[1]), "operations": float(match[2])} if match else None

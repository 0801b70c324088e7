"""What tests ask of every writer: its log is recognised, says that it is reconstructed, and is read without loss."""

from __future__ import annotations

from pathlib import Path

from storagelab import parsers, schema
from storagelab.ingest.log_file import read_log
from storagelab.parsers import Parsed
from storagelab.parsers.recognition import HEAD, claims
from storagelab.reconstruct.log import MARK


def read_back(text: str, format: str, name: str = "") -> Parsed:
    """Read a log that one parser claims, that of `format`, and that is whole and marked."""
    claimants = [parser.FORMAT.name for parser in parsers.PARSERS if claims(parser, text[:HEAD], name)]
    assert claimants == [format]
    assert MARK in text[:HEAD]
    found, parsed = parsers.read(text, name=name)
    assert found.name == format
    assert parsed.complete, parsed.notes
    return parsed


def notes(text: str, folder: Path, name: str = "log.txt") -> str:
    """Return what `storagelab parse` notes of a log: first of all, that it is reconstructed."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    found = read_log(path).notes()
    assert schema.SAYS_RECONSTRUCTED in found
    return found

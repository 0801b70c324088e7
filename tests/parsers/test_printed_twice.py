"""What tools print twice, held against itself: a piece that is lost, or a digit that changed, is said."""

from __future__ import annotations

import re

import pytest

from storagelab import parsers
from storagelab.parsers.text import decode
from tests.conftest import LOGS

WORKBENCH = "md_workbench/imitated-ior-4.0.txt"
SERVER = "lctl_get_param/imitated-server-2.15.txt"
CLIENT = "lctl_get_param/imitated-client-2.12.txt"


def text_of(name: str) -> str:
    return decode((LOGS / name).read_bytes())[0]


@pytest.mark.parametrize("name", [WORKBENCH, SERVER, CLIENT])
def test_a_whole_log_fits_itself(name: str) -> None:
    assert parsers.parse(text_of(name)).complete


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (WORKBENCH, r"0: benchmark .*\n", "", "expected the 60000 objects of benchmark in its processes, found 30000"),
        (WORKBENCH, r"precreate .*\n", "", "expected the phase precreate, found benchmark, cleanup"),
        (WORKBENCH, r"objects:20000 dsets", "objects:21000 dsets", "expected file_rate = files / elapsed = "),
        (SERVER, r"1:\t\t       150 .*\n", "", "a bucket is missing or changed"),
        (CLIENT, "33554432", "1", "expected a sum of 64 values from 4096 to 1048576, found 1"),
    ],
)
def test_what_does_not_fit_is_said(name: str, old: str, new: str, said: str) -> None:
    text = re.sub(old, new, text_of(name), count=1)
    assert text != text_of(name)
    parsed = parsers.parse(text)
    assert not parsed.complete
    assert any(said in note.text for note in parsed.notes), parsed.notes


def test_a_histogram_without_its_last_buckets_is_said() -> None:
    lines = text_of(SERVER).splitlines(keepends=True)
    heading = next(at for at, line in enumerate(lines) if "% cum %" in line)
    last = next(at for at in range(heading + 1, len(lines)) if not lines[at].strip() or "cum %" in lines[at + 1]) - 1
    while "100" not in lines[last]:
        last -= 1
    parsed = parsers.parse("".join(lines[:last] + lines[last + 1 :]))
    assert not parsed.complete
    assert any("it lacks its last buckets" in note.text for note in parsed.notes), parsed.notes

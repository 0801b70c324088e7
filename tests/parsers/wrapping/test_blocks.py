"""Logs in blocks of scripts and documents are whole, and what is cut in one stays cut."""

from __future__ import annotations

import textwrap

import pytest

from storagelab import parsers
from storagelab.parsers.wrapping.blocks import in_blocks, in_comments
from storagelab.parsers.wrapping.lines import Lines
from tests.conftest import LOGS
from tests.fuzz.mutants import read

LOG = read(LOGS / "vmstat" / "procps-4.0.2.txt")
INDENTED = textwrap.indent(LOG, " " * 8)
BLOCKS = {
    "here-document": f"#!/bin/sh\ncat > out 2>&1 <<'EOF'\n{LOG}EOF\ngrep -c 2 out\ncat <<-END\n{LOG}\tEND\nexit 0\n",
    "YAML": f"runs:\n  - a: 1\n    log: |\n{INDENTED}    day: 2024-03-02\n  - log: >-\n{INDENTED}    exit 0: 1\n",
    "AsciiDoc": f"= Report\n\n.Disk 1\n[source]\n----\n{LOG}----\n\nSome 3 words.\n\n....\n{LOG}....\n",
}


@pytest.mark.parametrize("kind", BLOCKS)
def test_a_log_in_a_block_is_whole(kind: str) -> None:
    parsed, plain = parsers.parse(BLOCKS[kind]), parsers.parse(LOG)
    assert (parsed.complete, parsed.header["wrapping"], parsed.notes) == (True, "block", plain.notes)
    assert len(parsed.series["line"]) == 2 * len(plain.series["line"])
    lines = BLOCKS[kind].split("\n")
    assert lines[parsed.series["line"][-1] - 1].strip() == LOG.rstrip("\n").rpartition("\n")[2].strip()


@pytest.mark.parametrize("kind", BLOCKS)
def test_a_log_that_is_cut_in_a_block_stays_cut(kind: str) -> None:
    last = LOG.rstrip("\n").rpartition("\n")[2]
    assert not parsers.parse(BLOCKS[kind].replace(last, last[:-12])).complete


MPSTAT = read(LOGS / "mpstat" / "all-processors-12.6.1.txt")


@pytest.mark.parametrize("log", [LOG, MPSTAT])
@pytest.mark.parametrize(
    ("shape", "begin"),
    [
        ("import os\n\n{}import sys\n\nprint(1)\n", "# "),
        ("/*\n{} */\nint main() {{ return 0; }}\n", " * "),
        ("{}#include <stdio.h>\n", "// "),
        ("SELECT 1;\n{}", "-- "),
    ],
)
def test_a_log_in_comments_is_whole(shape: str, begin: str, log: str) -> None:
    text = shape.format(textwrap.indent(f"What it printed:\n{log}", begin, lambda _: True))
    parsed, plain = parsers.parse(text), parsers.parse(log)
    assert (parsed.complete, parsed.header["wrapping"]) == (True, "commented")
    assert repr(parsed.series | {"line": []}) == repr(plain.series | {"line": []})
    assert text.split("\n")[parsed.series["line"][0] - 1].startswith(begin)


def test_two_comments_are_no_log() -> None:
    assert in_comments(Lines.of(f"# 1\n# 2\n{LOG}; 3\n")) is None


@pytest.mark.parametrize("text", [f"run 1\n----\n{LOG}----\n", f"x << y\n{LOG}", f"a: | b\n{LOG}", LOG])
def test_dividers_and_signs_are_no_blocks(text: str) -> None:
    assert in_blocks(Lines.of(text)) is None

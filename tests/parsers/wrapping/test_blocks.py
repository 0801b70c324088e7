"""Logs in blocks of scripts and documents are whole, and what is cut in one stays cut."""

from __future__ import annotations

import textwrap

import pytest

from storagelab import parsers
from storagelab.parsers.wrapping.blocks import in_blocks, in_comments, in_margins
from storagelab.parsers.wrapping.lines import Lines
from storagelab.parsers.wrapping.markup import fenced
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
COLLECTL = read(LOGS / "collectl" / "4.3.1-brief-oDm.txt")


@pytest.mark.parametrize("log", [LOG, MPSTAT, COLLECTL])
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


def test_messages_in_comments_keep_their_own_times() -> None:
    """The mark is on every line, and no part of the times behind it."""
    messages = read(LOGS / "xrdcl_log" / "debug-copy.log")
    parsed, plain = parsers.parse(textwrap.indent(messages, "# ", lambda _: True)), parsers.parse(messages)
    assert (parsed.complete, parsed.header) == (True, plain.header | {"wrapping": "commented"})
    assert parsed.series["time"] == plain.series["time"]


def test_examples_of_org_are_read_as_comments() -> None:
    comments = in_comments(Lines.of("* Results\n: 1 2\n:\n: 3 4\nThat is all.\n"))
    assert comments is not None
    assert list(comments.texts) == ["1 2", "", "3 4"]


def test_two_comments_are_no_log() -> None:
    assert in_comments(Lines.of(f"# 1\n# 2\n{LOG}; 3\n")) is None


@pytest.mark.parametrize("text", [f"run 1\n----\n{LOG}----\n", f"x << y\n{LOG}", f"a: | b\n{LOG}", LOG])
def test_dividers_and_signs_are_no_blocks(text: str) -> None:
    assert in_blocks(Lines.of(text)) is None


def test_a_fence_ends_with_one_as_long_that_says_nothing() -> None:
    block = fenced(Lines.of("a\n```sh\n1 2\n``` x\n```\nb\n~~~~\n3 4\n~~~\n~~~~\nc\n"))
    assert block is not None
    assert list(block.texts) == ["1 2", "``` x", "3 4", "~~~"]


def test_a_heading_above_a_fence_is_the_tools_own() -> None:
    heading, _, table = MPSTAT.partition("\n")
    assert parsers.parse(f"{heading}\n```\n{table}```\n").header == parsers.parse(MPSTAT).header


NFS = read(LOGS / "nfsiostat" / "nfs-utils-2.6.2-a-invented-counters.txt")
CLIENT = read(LOGS / "fio_text" / "client-server-3.33.txt")


@pytest.mark.parametrize("log", [NFS, CLIENT])
@pytest.mark.parametrize(
    ("shape", "margin"),
    [
        ("# Results\n\nWhat it printed:\n\n{}\nThat is all.\n", "    "),
        ("# Results\n\nWhat it printed:\n\n{}\nThat is all.\n", "\t"),
        ("It printed::\n\n{}", "    "),
        ("a: b\nlog: |\n{}", "  "),
    ],
)
def test_what_a_document_indents_loses_nothing(shape: str, margin: str, log: str) -> None:
    parsed, plain = parsers.parse(shape.format(textwrap.indent(log, margin))), parsers.parse(log)
    assert (parsed.complete, len(parsed.runs)) == (True, len(plain.runs))
    assert parsed.series.get("value") == plain.series.get("value")


def test_a_block_of_yaml_may_tell_its_margin() -> None:
    """As it must where the first line of the log begins with blanks."""
    log = read(LOGS / "iostat_bsd" / "imitated-freebsd-13-tty.txt")
    parsed = parsers.parse(f"runs:\n- host: n1\n  log: |2\n{textwrap.indent(log, ' ' * 4)}  rc: 0\n")
    assert (log[0], parsed.complete) == (" ", True)
    assert repr(parsed.series | {"line": []}) == repr(parsers.parse(log).series | {"line": []})


def test_a_margin_that_yaml_tells_is_taken_away_and_no_more() -> None:
    block = in_blocks(Lines.of("- log: |1\n    1 2\n   3\nrc: 0\n"))
    assert block is not None
    assert list(block.texts) == [" 1 2", "3"]


INDENTED_NUMBERS = "    1 2\n    3 4\n"


def test_numbers_that_a_document_indents_are_a_block() -> None:
    indented = in_margins(Lines.of(f"a\n\n{INDENTED_NUMBERS}b\n"), "    1 2", is_refused=False)
    assert indented is not None
    assert list(indented.texts) == ["", "1 2", "3 4"]


@pytest.mark.parametrize("shape", ["a\n{}", "a\n\n{}  b\n", "{}a\n", "\n{}a\n", "a\n"])
def test_lines_that_stand_further_in_are_no_block(shape: str) -> None:
    assert in_margins(Lines.of(shape.format(INDENTED_NUMBERS)), "    1 2", is_refused=False) is None


@pytest.mark.parametrize(("first_read", "is_refused", "is_shown"), [("1 2", True, True), ("  1 2", False, False)])
def test_small_margins_are_of_documents_where_nobody_knows_the_text(
    first_read: str, is_refused: bool, is_shown: bool
) -> None:
    text = "a\n\n 1 2\n 3 4\n"
    assert (in_margins(Lines.of(text), first_read, is_refused=is_refused) is not None) == is_shown

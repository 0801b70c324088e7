"""Which way a transfer goes, and the command lines that say so."""

from __future__ import annotations

import pytest

from storagelab.parsers.transfers.source_and_destination import between, command, numbered


@pytest.mark.parametrize(
    ("source", "target", "operation", "protocol"),
    [
        ("/a", "root://h//b", "upload", "root"),
        ("file:///a", "gsiftp://h/b", "upload", "gsiftp"),
        ("davs://h/b", "./", "download", "davs"),
        ("gsiftp://h/a", "root://h/b", "copy", "root"),
        ("/a", "/b", "copy", None),
        ("root://h/a", "", "copy", "root"),
        ("", "", "copy", None),
    ],
)
def test_ends_say_which_way_a_transfer_goes(source: str, target: str, operation: str, protocol: str | None) -> None:
    row = between(source, target)
    assert row["operation"] == operation
    assert row.get("protocol") == protocol
    assert row.get("file", "") == source


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("$ dccp a b", ["dccp", "a", "b"]),
        ("[me@host ~]$ /usr/bin/dccp -d 2 a b", ["dccp", "-d", "2", "a", "b"]),
        ("$ time nice -n10 dccp a b", ["dccp", "a", "b"]),
        ("+ dccp 'a c' b", ["dccp", "a c", "b"]),
        ("dccp 'a b", ["dccp", "'a", "b"]),
        ("the tool dccp failed", []),
        ("dccp", []),
    ],
)
def test_command_behind_a_prompt(line: str, words: list[str]) -> None:
    assert command(line, "dccp") == words


def test_one_transfer_has_no_part() -> None:
    sample = {"part": 1.0, "line": 2}
    assert numbered([{"line": 1}], [], [sample]) == [{"line": 1}]
    assert sample == {"line": 2}
    phase = {"part": 2.0, "line": 9}
    assert numbered([{"line": 1}, {"line": 5}], [phase], []) == [
        {"part": 1.0, "line": 1},
        {"part": 2.0, "line": 5},
        phase,
    ]

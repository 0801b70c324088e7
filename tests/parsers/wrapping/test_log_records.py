"""Lines of a log that a program kept as the messages of its records."""

from __future__ import annotations

import json

import pytest

from storagelab import parsers
from storagelab.parsers.wrapping.lines import Lines
from storagelab.parsers.wrapping.log_records import in_records

DD = ("1+0 records in", "1+0 records out", "1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s")


def unwrapped(text: str) -> tuple[list[str], list[int]] | None:
    found = in_records(Lines.of(text))
    return None if found is None else (list(found.texts), list(found.numbers))


def docker(*messages: str) -> str:
    return "".join(json.dumps({"log": message, "stream": "stderr"}) + "\n" for message in messages)


def test_pieces_of_a_long_line_of_docker_are_one() -> None:
    text = docker("a\n", "b", "c\n", "d\n")
    assert unwrapped(text) == (["a", "bc", "d", ""], [1, 2, 4, 5])
    found = in_records(Lines.of(text))
    assert found
    assert (found.rests, found.everywhere, found.foreign) == ({3: 2}, True, True)


def test_each_line_of_a_message_has_the_number_of_its_record() -> None:
    text = "".join(f'{{"level":"info","msg":{json.dumps(said)}}}\n' for said in ("a", "b\nc\n", "", "d"))
    assert unwrapped(text) == (["a", "b", "c", "", "d", ""], [1, 2, 2, 3, 4, 5])


def test_what_is_no_record_stays_and_is_told() -> None:
    """Few lines of many may be cut: the others are read, and the log is not whole."""
    records = docker(*(f"{line}\n" for line in DD * 20)).splitlines(keepends=True)
    assert unwrapped("".join([*records, '["log"]\n'])) == ([*DD * 20, '["log"]', ""], [*range(1, 63)])
    found = parsers.parse("".join([*records, '{"log": "1+0 recor\n']))
    assert (len(found.runs), found.complete) == (2 * 20, False)
    assert unwrapped("".join(records[:9]) + "no record\n") is None


@pytest.mark.parametrize(
    "line",
    [
        '{"a": 1}',
        '{"msg": 1}',
        '{"msg": ["a"]}',
        '{"MESSAGE": [256]}',
        '["msg"]',
        '{"msg": ' + "[" * 100_000 + "}",
        "level=info said=a",
        "level=",
        "",
    ],
)
def test_lines_without_a_message_are_no_records(line: str) -> None:
    assert unwrapped(f"{line}\n" * 5) is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"MESSAGE": [195, 169, 32, 255]}', "é \ufffd"),
        ("ts=1 msg=done", "done"),
        (r'level=info msg="a \"b\" \u00e9" job=1', 'a "b" é'),
        (r'time=1 message="\x"', r'"\x"'),
    ],
)
def test_messages_are_as_they_were_said(line: str, said: str) -> None:
    assert unwrapped(f"{line}\n" * 3) == ([said] * 3 + [""], [1, 2, 3, 4])


def test_two_records_are_too_few() -> None:
    assert unwrapped(docker("a\n", "b\n")) is None

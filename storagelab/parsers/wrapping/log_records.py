"""Lines that a program logged as records: a JSON object a line, or fields ``key=value``, with the line as its message.

Sources: the log driver json-file of Docker, systemd.journal-fields(7) and journalctl(1) ``--output=json`` (a message
that is no UTF-8 is a list of its bytes), the JSON and the text handler of Go's slog, logrus, zap and pino.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from storagelab.parsers.wrapping.lines import Lines

_MESSAGES = ("MESSAGE", "log", "message", "msg", "text", "line")
"""Names that programs give to what was said."""
_BEGINS_WITH_FIELDS = re.compile(r"(?:time|ts|t|level|lvl)=\S")
_FIELD = re.compile(r'(?:^|\s)(?:msg|message)=("(?:[^"\\]|\\.|(?!))*+"|\S*)')
_FEWEST = 3
_NEARLY_ALL = 0.97


def in_records(lines: Lines) -> Lines | None:
    """Leave the messages of records, each line of one with the number of its record; None where there are none.

    A line that is no record stays as it is.
    """
    filled = [text for text in lines.texts if text.strip()]
    if len(filled) < _FEWEST or not (message_of := _reader(filled[0])):
        return None
    messages = [message_of(text) for text in lines.texts]
    if sum(message is not None for message in messages) < _NEARLY_ALL * len(filled):
        return None
    places: list[int] = []
    texts: list[str] = []
    rests: dict[int, int] = {}
    goes_on = False
    for place, (text, message) in enumerate(zip(lines.texts, messages, strict=True)):
        said = text if message is None else message
        first, *others = said.removesuffix("\n").split("\n")
        if goes_on:
            texts[-1] += first
            rests[lines.numbers[place]] = lines.numbers[places[-1]]
        else:
            places.append(place)
            texts.append(first)
        places += [place] * len(others)
        texts += others
        goes_on = message is not None and message_of is _of_docker and not said.endswith("\n")
    kept = lines.chosen(places).without(texts, "log records", everywhere=True, foreign=True, sure=True)
    return kept.with_rests(rests)


def _reader(first: str) -> Callable[[str], str | None] | None:
    """Return what takes the message out of records like the first one; None where that is none."""
    if _BEGINS_WITH_FIELDS.match(first):
        return _of_fields
    if not first.startswith('{"'):
        return None
    return next((of_name for name, of_name in _READERS.items() if of_name(first) is not None), None)


def _of_fields(text: str) -> str | None:
    """Message among fields, without the quotes and escapes that it has where it holds blanks."""
    found = _FIELD.search(text)
    if not found:
        return None
    with suppress(ValueError):
        return str(json.loads(found[1]))
    return found[1]


def _of_json(text: str, name: str) -> str | None:
    """Message of a JSON object that stands under a name, "" where there is nothing under it."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or name not in record:
        return None
    said = record[name]
    if isinstance(said, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in said):
        return bytes(said).decode(errors="replace")
    return said if isinstance(said, str) else None


_READERS = {name: partial(_of_json, name=name) for name in _MESSAGES}
_of_docker = _READERS["log"]
"""Its messages have their line ends; of a long line all pieces but the last have none."""

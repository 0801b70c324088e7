"""JSON as Python prints it once it is loaded: ``{u'steps': {'cmsRun1': {'status': 0, 'site': None}}}``.

Documented in the language reference of Python, "Lexical analysis"; of Python 2 text has a ``u`` in front, and large
integers an ``L`` behind.
"""

from __future__ import annotations

import json
import re

from storagelab.parsers.wrapping.lines import Lines

_OPENS = re.compile(r"\{\s*+[uU]?'")
_TOKEN = re.compile(
    r"[uUbB]?(?P<quote>['\"])(?P<inside>(?:\\.|(?!(?P=quote))[^\\\n]|(?!))*+)(?P=quote)"
    r"|\b(?P<name>True|False|None)\b|(?<=\d)(?P<long>L)\b"
)
_TEXT = re.compile(r'"(?:[^"\\\n]|\\.|(?!))*+"')
_IN_PIECES = re.compile(rf"{_TEXT.pattern}(?:[ \t]*\n[ \t]*{_TEXT.pattern}|(?!))++")
"""A long text, which ``pprint`` breaks."""
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
_SIGNS = {"n": "\n", "t": "\t", "r": "\r"}
_NAMES = {"True": "true", "False": "false", "None": "null"}


def in_python_literals(lines: Lines) -> Lines | None:
    """Write the dictionaries of Python in a text as JSON; None where there are none."""
    text = lines.text
    if not _OPENS.search(text):
        return None
    return lines.shown(as_json(text).split("\n"), "Python literals")


def as_json(text: str) -> str:
    """Return a text with all literals of Python as those of JSON, each on its line.

    Examples
    --------
    >>> as_json("{u'site': None, 'size': 12L}")
    '{"site": null, "size": 12}'
    """
    return _IN_PIECES.sub(_joined, _TOKEN.sub(_token, text))


def _joined(pieces: re.Match[str]) -> str:
    """Make one text of several behind each other, with their ends of lines behind it."""
    texts = _TEXT.findall(pieces[0])
    return '"' + "".join(text[1:-1] for text in texts) + '"' + "\n" * pieces[0].count("\n")


def _token(found: re.Match[str]) -> str:
    if found["quote"]:
        return json.dumps(_ESCAPE.sub(_sign, found["inside"]))
    return _NAMES.get(found[0], "")


def _sign(escape: re.Match[str]) -> str:
    code = escape[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _SIGNS.get(code, code)

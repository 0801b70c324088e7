"""JSON as Python prints it once it is loaded: ``{u'steps': {'cmsRun1': {'status': 0, 'site': None}}}``.

Documented in the language reference of Python, "Lexical analysis"; of Python 2 text has a ``u`` in front, and large
integers an ``L`` behind.
"""

from __future__ import annotations

import json
import re

_OPENS = re.compile(r"\{\s*+[uU]?'")
_TOKEN = re.compile(
    r"[uUbB]?(?P<quote>['\"])(?P<inside>(?:\\.|(?!(?P=quote))[^\\\n]|(?!))*+)(?P=quote)"
    r"|\b(?P<name>True|False|None)\b|(?<=\d)(?P<long>L)\b"
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
_SIGNS = {"n": "\n", "t": "\t", "r": "\r"}
_NAMES = {"True": "true", "False": "false", "None": "null"}


def as_json(text: str) -> str:
    """Return a text with its Python dictionaries as JSON, each value on its line; JSON stays as it is.

    Examples
    --------
    >>> as_json("{u'site': None, 'size': 12L}")
    '{"site": null, "size": 12}'
    """
    return _TOKEN.sub(_token, text) if _OPENS.search(text) else text


def _token(found: re.Match[str]) -> str:
    if found["quote"]:
        return json.dumps(_ESCAPE.sub(_sign, found["inside"]))
    return _NAMES.get(found[0], "")


def _sign(escape: re.Match[str]) -> str:
    code = escape[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _SIGNS.get(code, code)

"""Regular expressions of sidecars, matched in time linear in the path: by RE2, which pyarrow brings along.

Python's own would take longer than anybody lives for ``(a|a)*b`` and a path of sixty letters. RE2 knows what it knows
but for references to groups and for looking around: https://github.com/google/re2/wiki/Syntax. Letters and digits are
those of any script, as in Python.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from storagelab import optional_packages

LONGEST = 1000
"""Characters of an expression."""

_PART = re.compile(r"\\.|\[\^?\]?(?:[^\]\\]|\\.|(?!))*+\]|\((?!\?)", re.DOTALL)
_NAME = re.compile(r"\(\?P<(\w+)>")
_SETS = {r"\w": r"\pL\pN_", r"\d": r"\p{Nd}"}


def check(pattern: str) -> None:
    """Refuse what RE2 does not know.

    Raises
    ------
    ValueError
        If the expression is none, or cannot be matched in linear time; for pydantic.
    """
    if len(pattern) > LONGEST:
        raise ValueError(f"regex: expected at most {LONGEST} characters, found {len(pattern)}")
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"regex: {error}") from None
    fullmatch(pattern, "")


def names(pattern: str) -> list[str]:
    """Names of the groups of an expression."""
    return list(re.compile(pattern).groupindex)


def fullmatch(pattern: str, text: str) -> dict[str, str] | None:
    """Return the named groups where an expression matches a whole text, else None; what took nothing is left out.

    Raises
    ------
    ValueError
        If RE2 does not know the expression.
    """
    return fullmatches(pattern, [text])[0]


def fullmatches(pattern: str, texts: Sequence[str]) -> list[dict[str, str] | None]:
    """Match an expression with many texts, as `fullmatch` does with one: RE2 compiles it once a call.

    A file name that is not UTF-8 is matched by nothing.
    """
    optional_packages.require("study", "a rule with `regex`")
    import pyarrow
    import pyarrow.compute

    try:
        asked = pyarrow.array([text if _is_utf_8(text) else None for text in texts], pyarrow.string())
        found = pyarrow.compute.extract_regex(asked, _translated(pattern)).to_pylist()
    except pyarrow.ArrowInvalid as error:
        reason = str(error).partition("Invalid regular expression: ")[2] or str(error)
        raise ValueError(f"regex: expected what RE2 can match in linear time, found {pattern!r}: {reason}") from None
    return [groups and {name: part for name, part in groups.items() if part and name != _WHOLE} for groups in found]


def _is_utf_8(text: str) -> bool:
    return text.encode("utf-8", "ignore").decode() == text


_WHOLE = "storagelab_whole"


@functools.cache
def _translated(pattern: str) -> str:
    """Write an expression of Python for RE2: no group without a name, letters and digits of any script."""
    return rf"\A(?P<{_WHOLE}>(?:{_PART.sub(_for_re2, pattern)}))\z"


def _for_re2(part: re.Match[str]) -> str:
    text = part[0]
    if text == "(":
        return "(?:"
    if text.startswith("["):
        return re.sub(r"\\.", lambda escape: _SETS.get(escape[0], escape[0]), text)
    return f"[{_SETS[text]}]" if text in _SETS else r"\z" if text == r"\Z" else text

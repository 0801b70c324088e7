"""Text of data inside Markdown: shown as it is written, whatever marks it holds."""

from __future__ import annotations

import re

_MARKS = re.compile(
    r"[\\`*\[\]<>&~$!{}\n]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # one between letters stands for itself
    r"|:(?=//)"  # an address becomes a link
    r"|\A[\W_]|\A\d+(?=[.)])"  # headings, lists, rules and code begin a paragraph
)
_ENTITY = re.compile(r"&#(\d+);")


def literal(text: str) -> str:
    """Write text so that Markdown shows it as it is: each of its marks as the number of its character.

    The marks are those of CommonMark 0.31.2 (section 6, Inlines; section 4, Leaf blocks), of the plugins of nbconvert
    (addresses, strikethrough, TeX), and the references of papers: ``{{fact}}``, ``[@fig:id]``.

    Examples
    --------
    >>> literal("**x** of read_ahead")
    '&#42;&#42;x&#42;&#42; of read_ahead'
    """
    return _MARKS.sub(lambda marks: "".join(f"&#{ord(mark)};" for mark in marks[0]), text)


def read(text: str) -> str:
    """Read what `literal` wrote.

    Examples
    --------
    >>> read("&#42;&#42;x")
    '**x'
    """
    return _ENTITY.sub(lambda entity: chr(int(entity[1])), text)

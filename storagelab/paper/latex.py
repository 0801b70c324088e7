"""Tables and numbers of a paper for LaTeX: booktabs, and a command for each fact; a stock TeX Live compiles both."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from typing import Any

import pandas as pd

from storagelab.errors import PaperError
from storagelab.paper import mathml, tables
from storagelab.paper.facts_as_text import in_form, in_words
from storagelab.paper.sections import untagged
from storagelab.paper.tables import Column, Look

SIGNS: Mapping[str, str] = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "\u00a0": "~", "\u2009": r"\,", "\u202f": r"\,", "\u2011": "-",
    "\u2012": "--", "\u2013": "--", "\u2014": "---", "\u2018": "`", "\u2019": "'", "\u201c": "``", "\u201d": "''",
    "\u2026": r"\ldots{}", "\u2212": "$-$", "\u00d7": r"$\times$", "\u00b1": r"$\pm$", "\u00b7": r"$\cdot$",
    "\u00b0": r"$^\circ$", "\u00b5": r"$\mu$", "\u03bc": r"$\mu$", "\u2264": r"$\leq$", "\u2265": r"$\geq$",
    "\u2248": r"$\approx$", "\u2260": r"$\neq$", "\u2192": r"$\rightarrow$", "\u221a": r"$\surd$",
    "\u221e": r"$\infty$",
}  # fmt: skip
"""Signs that LaTeX reads as something else, or that its fonts have only in formulas."""
LETTERS = range(0xA1, 0x180)
"""Signs of Latin-1 and of the Latin letters behind it, which LaTeX knows in UTF-8."""

LINE, GAP = 84, 2
"""Letters of a line of a page in small type, and of the space between two columns."""
LONG = 30
"""Letters from which on the cells of a column of text go on below, where a line does not hold all columns."""
PAGE = 40
"""Rows from which on a table goes on on the next page."""

_DIGITS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
_PARTS = re.compile(r"[a-z]+|\d")


def escape(text: str) -> str:
    """Write plain text for LaTeX; what none of its usual fonts has is named by its code point."""
    return text.translate(_WRITTEN)


class _Written(dict[int, str]):
    """How each sign is written, worked out when it first occurs."""

    def __missing__(self, code: int) -> str:
        self[code] = _sign(chr(code))
        return self[code]


_WRITTEN = _Written()


def _sign(sign: str) -> str:
    if sign in SIGNS:
        return SIGNS[sign]
    if sign in "\n\t\r":
        return " "
    return sign if (sign.isascii() and sign.isprintable()) or ord(sign) in LETTERS else f"[U+{ord(sign):04X}]"


def _of_html(text: str) -> str:
    return escape(unescape(text))


# --- tables


def tabular(frame: pd.DataFrame, look: Look) -> str:
    """Print a frame as the page does, as a tabular of booktabs; of many rows as a longtable, which needs no float.

    Parameters
    ----------
    frame : DataFrame
        Numbers in SI.
    look : Look

    Returns
    -------
    str
        What all rows have alike is the last line, a note.
    """
    kept, alike = tables.printed(frame, look)
    environment = "longtable" if len(frame) >= PAGE else "tabular"
    head = " & ".join(_of_html(column.words_of_head) for column in kept)
    rows = [" & ".join(map(_of_html, cells)) for cells in zip(*(column.cells for column in kept), strict=True)]
    note = [f"\\multicolumn{{{len(kept)}}}{{p{{0.95\\linewidth}}}}{{{_of_html(tables.said_once(alike))}}}"] * bool(
        alike
    )
    lines = [
        f"\\begin{{{environment}}}{{{''.join(_alignment(kept))}}}", "\\toprule", f"{head} \\\\", "\\midrule",
        *(["\\endhead"] if environment == "longtable" else []), *(f"{row} \\\\" for row in rows), "\\bottomrule", *note,
        f"\\end{{{environment}}}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _alignment(made: Sequence[Column]) -> Iterator[str]:
    """Columns as they are where a line holds them; else each with a share of it, in which its text goes on below."""
    full = [max(map(len, [column.words_of_head, *map(unescape, column.cells)])) for column in made]
    if sum(full) + GAP * len(made) <= LINE:
        yield from ("r" if column.number else "l" for column in made)
        return
    wanted = [_wanted(column, letters) for column, letters in zip(made, full, strict=True)]
    for column, letters in zip(made, wanted, strict=True):
        share = (1 - GAP * len(made) / LINE) * letters / sum(wanted)
        ragged = "raggedleft" if column.number else "raggedright"
        yield f">{{\\{ragged}\\arraybackslash}}p{{{share:.3f}\\linewidth}}"


def _wanted(column: Column, full: int) -> int:
    """Letters of the width that a column should have: of numbers those of its cells, else no more than `LONG`."""
    cells = [len(unescape(cell)) for cell in column.cells]
    words = [len(word) for text in [column.words_of_head, *map(unescape, column.cells)] for word in text.split()]
    return max([*cells, *map(len, column.words_of_head.split())]) if column.number else max(min(full, LONG), *words)


def table(tabular: str, id: str, caption: str, origin: str = "") -> str:
    r"""Put a tabular into a float with its caption and a label; a longtable has them inside.

    Parameters
    ----------
    tabular : str
        As `tabular` prints it.
    id : str
        What ``\ref{tab:ID}`` names.
    caption : str
        HTML.
    origin : str
        What the caption says of the data; "" where it says so already.
    """
    badge = f" {origin.capitalize()} data." if origin else ""
    told = mathml.in_tex(caption.strip(), lambda text: escape(untagged(text)), "${}$").replace("\\text{", "\\mbox{")
    named = f"\\caption{{{told}{escape(badge)}}}\\label{{tab:{id}}}"
    if tabular.startswith("\\begin{longtable}"):
        opening, _, rest = tabular.partition("\n")
        return f"% needs array, booktabs and longtable\n{{\\footnotesize\n{opening}\n{named} \\\\\n{rest}}}\n"
    return (
        f"% needs array and booktabs\n\\begin{{table}}\n\\centering\\footnotesize\n{named}\n{tabular}\\end{{table}}\n"
    )


# --- numbers


def numbers(facts: Iterable[dict[str, Any]], study: str, origin: str = "measured") -> str:
    r"""Write a file of commands: ``\factNetHighest`` is the fact ``net_highest`` with its unit.

    ``\factNetHighestFull`` has its interval too.

    Parameters
    ----------
    facts : iterable of dict
        Records of facts.
    study, origin : str

    Raises
    ------
    PaperError
        If two facts would have one command: LaTeX has no digits in names.
    """
    commands = [command for fact in facts for command in _commands(fact)]
    if twice := [name for name, count in Counter(name for name, _ in commands).items() if count > 1]:
        why = "LaTeX has no digits and no underscores in such names: rename one"
        raise PaperError(f"two facts of {study} are \\{twice[0]} in LaTeX: {why}")
    head = (
        f"% Numbers of {study}, {origin} data, with units; Full: with intervals. \\input this file in the preamble.\n"
    )
    return head + "".join(f"\\newcommand{{\\{name}}}{{{text}}}\n" for name, text in commands)


def _commands(fact: dict[str, Any]) -> Iterator[tuple[str, str]]:
    name = command(fact["name"])
    yield name, escape(in_words(fact))
    if full := in_form(fact, "full"):
        yield f"{name}Full", escape(full)


def command(name: str) -> str:
    """Name of the command of a fact: ``c_test2_rate`` is ``factCTestTwoRate``."""
    parts = _PARTS.findall(name)
    return "fact" + "".join(_DIGITS[int(part)] if part.isdigit() else part.capitalize() for part in parts)

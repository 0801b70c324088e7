"""Many lines of a table at once: lines of one length are a picture, of which a slice shows a column of signs.

This is what makes long tables cheap: whether hundreds of lines have their numbers in the same places takes two slices
a column instead of a look at every line.
"""

from __future__ import annotations

import re


def read_picture(model: str, lines: list[str]) -> list[float]:
    """Read the whole numbers of lines that have theirs where the model has its own.

    Parameters
    ----------
    model : str
        A line whose numbers all end in front of a blank or at its end.
    lines : list of str
        Lines as long as the model.

    Returns
    -------
    list of float
        As many numbers a line as the model has words, line by line; empty if any line is different.
    """
    ends = [word.end() for word in re.finditer(r"\S+", model)]
    text = "\n".join(lines) + "\n"
    columns = ((text[end - 1 :: len(model) + 1], text[end :: len(model) + 1]) for end in ends)
    words = text.split()
    alike = (
        len(words) == len(lines) * len(ends)
        and "\t" not in text
        and "".join(words).isdecimal()
        and all(last.isdecimal() and not behind.strip() for last, behind in columns)
    )
    return list(map(float, words)) if alike else []

"""Many lines of a table at once: lines of one length are a picture, of which a slice shows a column of signs.

This is what makes long tables cheap: whether hundreds of lines have their numbers in the same places takes two slices
a column instead of a look at every line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

_DIGITS_AND_BLANKS = str.maketrans("", "", "0123456789 \n")


def read_picture(model: str, lines: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.int64]] | None:
    """Read the whole numbers of lines that have theirs where the model has its own.

    Parameters
    ----------
    model : str
        A line of numbers, each of which ends in front of a blank or at the end of the line.
    lines : list of str
        Lines as long as the model.

    Returns
    -------
    numpy.ndarray or None
        A row a line, a column a number; None if any line is different.
    """
    import numpy as np

    text = "\n".join(lines) + "\n"
    ends = [word.end() for word in re.finditer(r"\S+", model)]
    columns = ((text[end - 1 :: len(model) + 1], text[end :: len(model) + 1]) for end in ends)
    if text.translate(_DIGITS_AND_BLANKS) or not all(last.isdecimal() and behind.isspace() for last, behind in columns):
        return None
    numbers = np.fromstring(text, dtype=np.int64, sep=" ")
    return numbers.reshape(len(lines), -1) if len(numbers) == len(lines) * len(ends) else None

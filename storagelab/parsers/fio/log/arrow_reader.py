"""Blocks of lines read by Arrow's CSV reader, large ones on all processors; it is loaded when a log needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PIECE = 2**20
"""Bytes that one thread reads at once."""


def read(block: bytes, width: int, lines: int) -> tuple[npt.NDArray[np.int64], ...]:
    """Columns of a block in which every line is a sample; () where one may be none, for others to look at.

    What Arrow would let pass is refused too: empty lines, missing and negative numbers.
    """
    try:
        import pyarrow
        from pyarrow import csv
    except ImportError:  # the light core: Python reads the block
        return ()

    if b"\r" in block or b"-" in block:
        return ()
    names = [str(place) for place in range(width)]
    try:
        table = csv.read_csv(
            pyarrow.py_buffer(block),
            read_options=csv.ReadOptions(column_names=names, block_size=PIECE, use_threads=len(block) > PIECE),
            parse_options=csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pyarrow.int64())),
        )
    except (pyarrow.ArrowInvalid, pyarrow.ArrowKeyError):
        return ()
    if table.num_rows != lines or any(column.null_count for column in table.columns):
        return ()
    return tuple(column.to_numpy() for column in table.columns)

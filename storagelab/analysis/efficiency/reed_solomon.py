"""A Reed-Solomon erasure code with a Cauchy matrix, on plain arrays: it encodes, loses fragments, and decodes.

Bytes are numbers of the field of 256 elements with the polynomial ``x^8 + x^4 + x^3 + x^2 + 1`` (0x11D), in which
addition is exclusive or. Fragment i of the redundancy is ``sum_j a_ij d_j`` with ``a_ij = 1 / ((k + i) xor j)``. Every
square part of a Cauchy matrix can be inverted, so that any k of the k + m fragments give the data back.

Sources: J. Bloemer, M. Kalfane, R. Karp, M. Karpinski, M. Luby, D. Zuckerman, "An XOR-based erasure-resilient coding
scheme" (ICSI TR-95-048, 1995) for the matrix; Intel ISA-L, erasure_code/ec_base.c (``gf_gen_cauchy1_matrix``) for its
numbers and the polynomial.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from storagelab.errors import AnalysisError

Bytes: TypeAlias = npt.NDArray[np.uint8]
Flags: TypeAlias = npt.NDArray[np.bool_]

POLYNOMIAL = 0x11D
ELEMENTS = 256


@lru_cache(maxsize=1)
def _tables() -> tuple[npt.NDArray[np.intp], Bytes]:
    """Logarithms to the base 2, and powers of 2 for sums of two logarithms."""
    powers = np.zeros(2 * ELEMENTS, dtype=np.uint8)
    value = 1
    for exponent in range(ELEMENTS - 1):
        powers[exponent] = powers[exponent + ELEMENTS - 1] = value
        value = value << 1 ^ (POLYNOMIAL if value & 0x80 else 0)
    logs = np.zeros(ELEMENTS, dtype=np.intp)
    logs[powers[: ELEMENTS - 1]] = np.arange(ELEMENTS - 1)
    return logs, powers


def times(a: Bytes, b: Bytes) -> Bytes:
    """Multiply elements of the field, one by one.

    Examples
    --------
    >>> int(times(np.uint8(0x80), np.uint8(2)))
    29
    """
    logs, powers = _tables()
    product: Bytes = np.where((a == 0) | (b == 0), np.uint8(0), powers[logs[a] + logs[b]])
    return product


def inverse(a: Bytes) -> Bytes:
    """Invert elements of the field that are not 0; what 0 gives is no inverse."""
    logs, powers = _tables()
    found: Bytes = powers[(ELEMENTS - 1 - logs[a]) % (ELEMENTS - 1)]
    return found


def matrix(data: int, redundancy: int) -> Bytes:
    """Return the Cauchy matrix of a code, shape (redundancy, data).

    Raises
    ------
    AnalysisError
        If the field has fewer elements than the code fragments, or a number is below 1.
    """
    if data < 1 or redundancy < 1 or data + redundancy > ELEMENTS:
        raise AnalysisError(f"a code over bytes has 2 to {ELEMENTS} fragments, not {data}+{redundancy}")
    rows, columns = np.arange(data, data + redundancy), np.arange(data)
    return inverse((rows[:, None] ^ columns[None, :]).astype(np.uint8))


def encode(blocks: Bytes, redundancy: int) -> Bytes:
    """Append the redundancy to data, shape (data, bytes): all fragments, shape (data + redundancy, bytes)."""
    weights = matrix(len(blocks), redundancy)
    return np.concatenate([blocks, np.bitwise_xor.reduce(times(weights[:, :, None], blocks[None]), axis=1)])


def decode(fragments: Bytes, redundancy: int, lost: npt.NDArray[np.intp]) -> tuple[Bytes, Flags]:
    """Work out fragments that were lost from those that were not.

    Parameters
    ----------
    fragments : ndarray, shape (data + redundancy, bytes)
        What is stored; the values of what is lost change nothing.
    redundancy : int
    lost : ndarray, shape (patterns, losses)
        The places of the fragments that are lost, one pattern a row.

    Returns
    -------
    ndarray, shape (patterns, losses, bytes)
        The lost fragments, 0 where they cannot be known.
    ndarray, shape (patterns,)
        Whether they can be known: the equations of the code suffice for all that is lost.
    """
    data = len(fragments) - redundancy
    check = np.concatenate([matrix(data, redundancy), np.eye(redundancy, dtype=np.uint8)], axis=1)
    terms = times(check[:, :, None], fragments[None])
    of_lost = np.bitwise_xor.reduce(terms[:, lost], axis=2)
    sums = (np.bitwise_xor.reduce(terms, axis=1)[:, None] ^ of_lost).transpose(1, 0, 2)  # of what is known: lost cancel
    return _solved(np.concatenate([check[:, lost].transpose(1, 0, 2), sums], axis=2), lost.shape[1])


def _solved(equations: Bytes, unknowns: int) -> tuple[Bytes, Flags]:
    """Solve many systems at once by Gauss and Jordan: columns of unknowns first, then the right-hand sides."""
    patterns, count, width = equations.shape
    found = np.zeros((patterns, unknowns, width - unknowns), dtype=np.uint8)
    if unknowns > count:
        return found, np.zeros(patterns, dtype=np.bool_)
    every, solvable = np.arange(patterns), np.ones(patterns, dtype=np.bool_)
    for column in range(unknowns):
        pivot = column + np.argmax(equations[:, column:, column] != 0, axis=1)
        solvable &= equations[every, pivot, column] != 0
        equations[every, pivot], equations[every, column] = equations[every, column], equations[every, pivot]
        row = times(equations[:, column], inverse(equations[:, column, column])[:, None])
        equations ^= times(equations[:, :, column][:, :, None], row[:, None])
        equations[:, column] = row
    found[solvable] = equations[solvable, :unknowns, unknowns:]
    return found, solvable

"""The field, the matrix, and decoding: against other ways to compute them, and against known numbers."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.analysis.efficiency.reed_solomon import (
    ELEMENTS,
    POLYNOMIAL,
    Bytes,
    decode,
    encode,
    inverse,
    matrix,
    times,
)
from storagelab.errors import AnalysisError

byte = st.integers(0, 255)


def by_hand(a: int, b: int) -> int:
    """Multiply polynomials over two elements, and divide by that of the field."""
    product = 0
    for bit in range(8):
        product ^= a << bit if b >> bit & 1 else 0
    for bit in reversed(range(8, 16)):
        product ^= POLYNOMIAL << bit - 8 if product >> bit & 1 else 0
    return product


def losses_of(whole: int, losses: int) -> npt.NDArray[np.intp]:
    every = list(itertools.combinations(range(whole), losses))
    return np.array(every, dtype=np.intp).reshape(len(every), losses)


def random_blocks(data: int, length: int = 5) -> Bytes:
    return np.random.default_rng(data).integers(0, 256, (data, length), dtype=np.uint8)


@given(byte, byte)
def test_products_are_those_of_polynomials(a: int, b: int) -> None:
    assert int(times(np.uint8(a), np.uint8(b))) == by_hand(a, b)


def test_an_element_times_its_inverse_is_one() -> None:
    every = np.arange(1, ELEMENTS, dtype=np.uint8)
    assert (times(every, inverse(every)) == 1).all()


def test_the_matrix_of_isa_l() -> None:
    """gf_gen_cauchy1_matrix for 2+2: inverses of 2, 3 and of 3, 2."""
    assert matrix(2, 2).tolist() == [[142, 244], [244, 142]]
    assert by_hand(2, 142) == by_hand(3, 244) == 1


def test_data_stand_in_the_code_as_they_are() -> None:
    blocks = random_blocks(10)
    assert (encode(blocks, 2)[:10] == blocks).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(1, 4), st.data())
def test_any_loss_up_to_the_redundancy_comes_back(data: int, redundancy: int, given_: st.DataObject) -> None:
    stored = encode(random_blocks(data), redundancy)
    losses = given_.draw(st.integers(0, redundancy))
    lost = losses_of(len(stored), losses)
    found, solvable = decode(stored, redundancy, lost)
    assert solvable.all()
    assert (found == stored[lost]).all()


@settings(deadline=None)
@given(st.integers(1, 8), st.integers(1, 3))
def test_one_loss_more_does_not(data: int, redundancy: int) -> None:
    stored = encode(random_blocks(data), redundancy)
    lost = losses_of(len(stored), redundancy + 1)
    found, solvable = decode(stored, redundancy, lost)
    assert not solvable.any()
    assert not found.any()


def test_what_is_lost_is_not_looked_at() -> None:
    stored = encode(random_blocks(10), 2)
    lost = np.array([[3, 11]])
    damaged = stored.copy()
    damaged[lost] = 0
    assert (decode(damaged, 2, lost)[0] == stored[lost]).all()


def test_a_fragment_that_is_wrong_is_not_noticed_by_the_code_alone() -> None:
    """Why the system keeps a checksum with each block: the code takes every fragment that is there for true."""
    stored = encode(random_blocks(10), 2)
    damaged = stored.copy()
    damaged[0] ^= 1
    found, solvable = decode(damaged, 2, np.array([[3]]))
    assert solvable.all()
    assert (found != stored[3]).any()


@pytest.mark.parametrize(("data", "redundancy"), [(0, 1), (1, 0), (255, 2)])
def test_a_code_that_the_field_does_not_hold(data: int, redundancy: int) -> None:
    with pytest.raises(AnalysisError, match="a code over bytes has 2 to 256 fragments, not"):
        matrix(data, redundancy)

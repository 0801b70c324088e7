"""Random numbers repeat, and differ where their names differ."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from storagelab.analysis.inference.seeds import generator


def test_the_same_names_give_the_same_numbers() -> None:
    assert np.array_equal(
        generator("cluster-2026", "bootstrap").random(5), generator("cluster-2026", "bootstrap").random(5)
    )


def test_the_seed_is_the_digest_of_the_names() -> None:
    digest = list(hashlib.sha256(b"cluster-2026\nbootstrap").digest())
    assert generator("cluster-2026", "bootstrap").random() == np.random.default_rng(digest).random()


@pytest.mark.parametrize("names", [("cluster-2026",), ("bootstrap", "cluster-2026"), ("xrootd-2026", "bootstrap"), ()])
def test_other_names_give_other_numbers(names: tuple[str, ...]) -> None:
    assert generator(*names).random() != generator("cluster-2026", "bootstrap").random()

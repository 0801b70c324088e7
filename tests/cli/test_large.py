"""What is said of a log that is too large to be held before a dataset is made of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from storagelab.cli import parse


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        (True, ["a.log: 3000000 samples: a dataset of them needs about 1.1 GB of memory; csv and jsonl need none"]),
        (False, []),
    ],
)
def test_the_memory_that_a_dataset_needs_is_said(
    blocks: bool, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [{"line": range(2_000_000)}, {"line": range(1_000_000)}]
    log: Any = SimpleNamespace(name="a.log", parsed=SimpleNamespace(blocks=blocks, tables=lambda: tables))
    told: list[str] = []
    monkeypatch.setattr(parse, "warn", told.append)
    assert parse._told_if_large(log) is log
    assert told == said

"""One reconstructed log: where it lies, what stands in it, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MARK = "reconstructed from published numbers and a model of the test bed, not measured"
"""What each says of itself, in the first place where its tool leaves room for free text."""

Key = str | float


@dataclass(frozen=True, slots=True)
class Log:
    """A log to be written.

    Attributes
    ----------
    path : str
        Below the folder ``logs`` of the study, with ``/`` between folders.
    text : str
        What stands in it, line ends and all.
    keys : mapping
        Its row of runs.csv: names of the contract, in SI. `basis` is always there: whether its values are printed
        (published), computed from printed ones (derived) or chosen by the model.
    """

    path: str
    text: str
    keys: Mapping[str, Key] = field(default_factory=dict)

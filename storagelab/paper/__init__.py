"""From a thin notebook to a self-contained HTML paper.

In a notebook: `begin`, `figure`, `table`, `fact`, `finding`, `claimed` for a published study, and `compared` for
several. For the command line: `build_paper`, `build_index`. All are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from storagelab import optional_packages

optional_packages.require("paper", "storagelab.paper")

if TYPE_CHECKING:
    from storagelab.paper.build import build_paper
    from storagelab.paper.findings import finding
    from storagelab.paper.index import build_index
    from storagelab.paper.publish import begin, fact, figure, table
    from storagelab.paper.quotable_claims import claimed, compared
    from storagelab.paper.validity_facts import validity

__all__ = [
    "begin",
    "build_index",
    "build_paper",
    "claimed",
    "compared",
    "fact",
    "figure",
    "finding",
    "table",
    "validity",
]

_HOMES = {
    **dict.fromkeys(("begin", "fact", "figure", "table"), "publish"),
    **dict.fromkeys(("claimed", "compared"), "quotable_claims"),
    "finding": "findings",
    "validity": "validity_facts",
    "build_paper": "build",
    "build_index": "index",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)

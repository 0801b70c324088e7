"""The campaigns of published studies, a module a study: which logs there were, with the values that they must show."""

from __future__ import annotations

import pkgutil


def known() -> list[str]:
    """Return the studies that can be reconstructed."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__))

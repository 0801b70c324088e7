"""How long a transfer or a job takes."""

from __future__ import annotations


def with_start(size: float, start: float, rate: float) -> float:
    """Return the seconds of a transfer that starts before it moves bytes: ``t0 + size / rate``."""
    return start + size / rate


def cpu_share(cpu: float, waiting: float) -> float:
    """Return the share of its real time that a job spends on the processor: ``c / (c + w)``."""
    return cpu / (cpu + waiting)

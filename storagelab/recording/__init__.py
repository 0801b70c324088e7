"""Runs recorded while they are made: `record` keeps what is always forgotten, `campaign` makes all runs of a plan."""

from storagelab.recording.record import Order, record

__all__ = ["Order", "record"]

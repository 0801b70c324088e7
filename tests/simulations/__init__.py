"""Simulated campaigns whose truth is known: how often intervals cover it, tests err, and by how much estimators miss.

A module of this package is a room of `storagelab.analysis`, and lists in STUDIES what is simulated of it.
`python -m tests.simulations --write` prints all of them into docs/simulations.md, which the slow tests hold against a
fresh simulation.
"""

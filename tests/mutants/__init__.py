"""Mutants of storagelab's own code, and whether its tests see them."""

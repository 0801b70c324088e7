"""Whether a measurement means what it says: caches, limits, drift, holes in the design."""

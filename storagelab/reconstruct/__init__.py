"""Logs of studies whose own logs were never published, rendered from what they print and a model of their test beds.

A published number and a test bed go in; text in the formats of the tools comes out, byte for byte the same everywhere,
and every log says that nothing in it was measured.
"""

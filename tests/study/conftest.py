"""The command line, for tests of sidecars."""

from tests.cli.conftest import cli

__all__ = ["cli"]

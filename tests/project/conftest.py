"""The command line, for tests of projects."""

from tests.cli.conftest import cli

__all__ = ["cli"]

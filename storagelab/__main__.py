"""``python -m storagelab``, and the console script."""

from __future__ import annotations

import sys

from storagelab import optional_packages
from storagelab.errors import MissingPackageError

INTERRUPTED = 130
"""Exit status of a command that Ctrl-C ended: 128 and the number of the signal."""


def main() -> None:
    """Run the command line, or say in one line which extra brings it; Ctrl-C ends it also while it is imported."""
    try:
        optional_packages.require("cli", "the command storagelab")
    except MissingPackageError as error:
        sys.exit(f"storagelab: {error}")
    try:
        from storagelab import cli

        cli.main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()

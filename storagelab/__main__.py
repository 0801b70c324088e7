"""``python -m storagelab``, and the console script."""

from __future__ import annotations

import sys

from storagelab import extras
from storagelab.errors import MissingPackageError


def main() -> None:
    """Run the command line, or say in one line which extra brings it."""
    try:
        extras.require("cli", "the command storagelab")
    except MissingPackageError as error:
        sys.exit(f"storagelab: {error}")
    from storagelab import cli

    cli.main()


if __name__ == "__main__":
    main()

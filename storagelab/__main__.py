"""``python -m storagelab``."""

from storagelab.cli import main

main()

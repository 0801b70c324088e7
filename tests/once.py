"""What is dear is made once in a run, by the worker that asks first; the others wait for it and read it."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

FOLDER = "STORAGELAB_MADE_IN_THIS_RUN"
"""Variable by which the workers of a run know its folder."""


def open_folder() -> None:
    """Make the folder of this run, which every worker that is started from now on inherits."""
    os.environ[FOLDER] = mkdtemp(prefix="storagelab-tests-")


def remove_folder() -> None:
    """Remove the folder with all that was made."""
    shutil.rmtree(os.environ.pop(FOLDER), ignore_errors=True)


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """Return a file or folder of this run; where nobody has made it yet, by calling a function with its place.

    Where the function raises, what it left is removed, and the next who asks tries again.
    """
    folder = Path(os.environ[FOLDER])
    place = folder / name / "made"
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        whole = folder / f"{name}.whole"
        if not whole.exists():
            shutil.rmtree(place.parent, ignore_errors=True)
            place.parent.mkdir()
            make(place)
            whole.touch()
    return place

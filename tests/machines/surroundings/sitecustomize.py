"""What no environment variable can pretend: Python runs this first wherever this folder is in PYTHONPATH.

Another day, folders that list their entries in another order, another umask; and children that run under the emulator
as their parent does, or not at all. `STORAGELAB_SURROUNDINGS` says which, as JSON.
"""

from __future__ import annotations

import ctypes
import datetime
import gc
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any


def main() -> None:
    wanted = json.loads(os.environ.get("STORAGELAB_SURROUNDINGS", "{}"))
    for name, value in wanted.get("environment", {}).items():
        if os.environ.get(name) != value:
            sys.exit(f"{name} is {os.environ.get(name)!r}, not {value!r}: nobody may undo what is simulated")
    if "emulated_by" in wanted:
        stay_emulated(wanted["emulated_by"])
    if "umask" in wanted:
        os.umask(wanted["umask"])
    if "days" in wanted:
        move_clock(86400 * wanted["days"])
    if wanted.get("listing") == "backwards":
        list_backwards()


def stay_emulated(launcher: str) -> None:
    """Refuse to run on the true processor: the launcher tells the emulator its own pid, which it keeps."""
    if os.environ.get("STORAGELAB_EMULATED") != str(os.getpid()):
        sys.exit("this process is not emulated: it was not started by sys.executable")
    sys.executable = launcher


def move_clock(seconds: float) -> None:
    """Let everything that asks Python for the time see another one; clocks that only measure stay."""
    true, true_ns = time.time, time.time_ns
    time.time = lambda: true() + seconds
    time.time_ns = lambda: true_ns() + int(seconds * 1e9)
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, _at_the_moved_time(getattr(time, name)))
    strftime, asctime = time.strftime, time.asctime
    time.strftime = lambda form, t=None: strftime(form, time.localtime() if t is None else t)
    time.asctime = lambda t=None: asctime(time.localtime() if t is None else t)
    # A subclass would not do: pydantic and pandas know the class itself. today() asks time.time().
    moved = datetime.timedelta(seconds=seconds)
    attributes: dict[str, Any] = gc.get_referents(datetime.datetime.__dict__)[0]
    now, utcnow = attributes["now"], attributes["utcnow"]
    attributes["now"] = classmethod(lambda cls, tz=None: now.__get__(None, cls)(tz) + moved)
    attributes["utcnow"] = classmethod(lambda cls: utcnow.__get__(None, cls)() + moved)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime.datetime))


def _at_the_moved_time(function: Callable[[float], Any]) -> Callable[..., Any]:
    return lambda seconds=None: function(time.time() if seconds is None else seconds)


def list_backwards() -> None:
    """Let folders list their entries in falling order, as a file system is free to."""
    listdir, scandir = os.listdir, os.scandir
    replaced: Any = os
    replaced.listdir = lambda path=".": sorted(listdir(path), reverse=True)

    class Entries:
        def __init__(self, path: Any = ".") -> None:
            with scandir(path) as found:
                self._entries = iter(sorted(found, key=lambda entry: entry.name, reverse=True))

        def __iter__(self) -> Entries:
            return self

        def __next__(self) -> os.DirEntry[Any]:
            return next(self._entries)

        def __enter__(self) -> Entries:
            return self

        def __exit__(self, *error: object) -> None:
            self.close()

        def close(self) -> None:
            self._entries = iter(())

    replaced.scandir = Entries


main()

"""From what IOR prints of its options to the keys of the contract; text and JSON logs use the same words."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from storagelab.errors import UnknownNameError
from storagelab.parsers.model import Row
from storagelab.parsers.shell import words_of
from storagelab.schema import COMPUTED, LINE_OF
from storagelab.units import binary_size

PRINTED = frozenset(
    {"api", "access", "pattern", "segments", "ordering in a file", "nodes", "tasks", "clients per node", "clients"}
    | {"repetitions", "xfersize", "blocksize", "aggregate filesize", "stonewallingTime", "Using stonewalling"}
)  # fmt: skip
"""The options that say something of a measurement, as IOR 2.10 to 4.x spell them."""

_SAID_AS = {
    "processes": ("tasks", "clients"),
    "processes_per_node": ("clients per node", "clients"),
    "nodes": ("nodes",),
    "segments": ("segments", "pattern"),
    "record_size": ("xfersize",),
    "block_size": ("blocksize",),
}
"""Keys, and the options that say them."""
_FILE_MODES = {"file-per-process": "file-per-process", "single-shared-file": "shared-file"}


def keys(options: Mapping[str, str], exact: Mapping[str, float], command: str = "") -> Row:
    """Keys of one test.

    Parameters
    ----------
    options : mapping
        Names and values as printed in the options block.
    exact : mapping
        Sizes in bytes and counts that another place of the log (summary table, JSON parameters) gives in full; the
        options block rounds sizes to two decimals.
    command : str
        Command line, asked for ``-b`` and ``-t`` only where a size is rounded everywhere else.

    Returns
    -------
    Row
        The keys that the log states. `file_size` is there only where it follows: not after a stonewall.
    """
    return dict(_keys(tuple(options.items()), tuple(exact.items()), command))


@functools.lru_cache(maxsize=256)
def _keys(texts: tuple[tuple[str, str], ...], sizes: tuple[tuple[str, float], ...], command: str) -> Row:
    """Keys of one test, found once: the logs of a campaign repeat them."""
    options, exact = dict(texts), dict(sizes)
    found: Row = {**_words(options), **_counts(options)}
    for name in ("processes", "processes_per_node", "segments"):
        if name in exact:
            found.setdefault(name, exact[name])
    for name, option, flag in (("record_size", "xfersize", "-t"), ("block_size", "blocksize", "-b")):
        printed = options.get(option, "")
        given = argument(command, flag) if "." in printed or not printed else None
        value = exact_size(printed, exact.get(name), given)
        if value:
            found[name] = value
    return found


def lines_of_keys(facts: Row, said_on: Mapping[str, int]) -> Row:
    """Lines of keys, by those of the options; that of a size of a file only where it is printed for all that share it.

    A file of each process is as large as its blocks together.
    """
    of_all = {"file_size": ("aggregate filesize",)} if facts.get("file_mode") == "shared-file" else {}
    lines = (
        (key, next((said_on[name] for name in names if name in said_on), None))
        for key, names in (_SAID_AS | of_all).items()
        if key in facts
    )
    found: Row = {LINE_OF[key]: line for key, line in lines if line}
    return found | ({} if of_all or "file_size" not in facts else {LINE_OF["file_size"]: COMPUTED})


_VALUED = {
    "-a": "api",
    "-b": "blocksize",
    "-D": "stonewallingTime",
    "-i": "repetitions",
    "-s": "segments",
    "-t": "xfersize",
}
_SWITCHES = {"-F": {"access": "file-per-process"}, "-z": {"ordering in a file": "random offsets"}}


def called(command: str) -> Mapping[str, str]:
    """Return what a call says of the options that IOR prints, by the names under which it does.

    Examples
    --------
    >>> called("./ior -t 1m -s6 -F")
    {'xfersize': '1m', 'segments': '6', 'access': 'file-per-process'}
    """
    words = words_of(command)
    said: dict[str, str] = {}
    for word, following in zip(words, [*words[1:], ""], strict=True):
        flag, rest = word[:2], word[2:]
        if flag in _VALUED:
            said[_VALUED[flag]] = rest.removeprefix("=") or following
        else:
            said |= _SWITCHES.get(word, {})
    return said


def _words(options: Mapping[str, str]) -> Row:
    found: Row = {}
    if options.get("api"):
        found["api"] = options["api"].partition(" ")[0].upper()
    mode = _FILE_MODES.get(options.get("access", "").partition(",")[0])
    if mode:
        found["file_mode"] = mode
    pattern = options.get("ordering in a file", "").partition(" ")[0]
    if pattern in ("sequential", "random"):
        found["access_pattern"] = pattern
    return found


def _counts(options: Mapping[str, str]) -> Row:
    """Read counts, where 2.x and 3.0 say ``clients = 2400 (8 per node)`` and ``strided (77872 segments)``."""
    clients = options.get("clients", "").split()
    pattern = options.get("pattern", "").replace("(", " ").split()
    texts = {
        "processes": options.get("tasks") or (clients[0] if clients else ""),
        "processes_per_node": options.get("clients per node") or (clients[1].lstrip("(") if len(clients) > 1 else ""),
        "nodes": options.get("nodes", ""),
        "segments": options.get("segments") or (pattern[1] if len(pattern) > 1 else ""),
    }
    return {name: float(text) for name, text in texts.items() if text.isdecimal()}


_DIGITS = re.compile(r"\s*+[\d.]++")


@functools.lru_cache(maxsize=256)
def exact_size(printed: str, *candidates: float | None) -> float | None:
    """Bytes of a size such as ``9.46 TiB``: the first candidate that rounds to what is printed, else what is printed.

    A size without a decimal point is exact as it stands.
    """
    try:
        size = binary_size(printed) if printed else None
    except UnknownNameError:
        size = None
    if size is None:
        return next((candidate for candidate in candidates if candidate), None)
    if "." not in printed or not size:
        return size
    half_digit = size / float(_DIGITS.match(printed)[0]) * 0.00501  # type: ignore[index]
    return next((other for other in candidates if other and abs(other - size) <= half_digit), size)


def argument(command: str, flag: str) -> float | None:
    """Bytes that follow a flag of the command line, as ``-b 64m`` or ``-b=64m``."""
    words = command.replace('"', " ").replace("'", " ").split()
    for word, following in zip(words, [*words[1:], ""], strict=False):
        text = following if word == flag else word[len(flag) + 1 :] if word.startswith(flag + "=") else ""
        if text:
            try:
                return binary_size(text)
            except UnknownNameError:
                return None
    return None

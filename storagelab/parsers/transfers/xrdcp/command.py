"""Command lines of xrdcp as logs show them, and which way they copy."""

from __future__ import annotations

import re

_LISTED = re.compile(r'"cmd": ?\[([^\[\]]*)\]')
_NAMES = ("xrdcp", "xrdcopy")
_WORD = re.compile(r'"([^"]*)"')
_TYPED = re.compile(r"(?:^|[\s/`(])(xrdcp|xrdcopy)\s+(\S.*)")
_PLACEHOLDER = re.compile(r"<[^<>]*>")
_REDIRECTION = re.compile(r"\s(?:\d?>|[|;&<])")


def is_named(line: str) -> bool:
    """Whether a line holds a name of the command: it is installed as xrdcp and as xrdcopy."""
    return "xrdc" in line and any(name in line for name in _NAMES)


def command_in(line: str) -> str:
    """Return the command line of xrdcp that a line shows, typed at a prompt or listed in JSON, or ""."""
    if not is_named(line) or "://" not in line:
        return ""
    listed = _LISTED.search(line)
    if listed:
        words = _WORD.findall(listed[1])
        return " ".join(words) if words and words[0].endswith(_NAMES) else ""
    typed = _TYPED.search(line)
    if not typed or "://" not in typed[2]:
        return ""
    return f"{typed[1]} {_PLACEHOLDER.sub('_', typed[2])}"


def direction(command: str) -> str:
    """Return the operation of a command line: towards a URL is an upload, from one to here a download.

    Between two URLs, or where there is no URL, it is a copy.
    """
    words = _REDIRECTION.split(command)[0].split()[1:]
    return between([word for word in words[:-1] if _is_remote(word)], words[-1] if words else "")


def between(sources: list[str], target: str) -> str:
    """Return the operation that copies these sources to a target."""
    from_remote, to_remote = any(map(_is_remote, sources)), _is_remote(target)
    if from_remote == to_remote:
        return "copy"
    return "upload" if to_remote else "download"


def _is_remote(word: str) -> bool:
    return "://" in word and not word.startswith(("file:", "-", "stdio:"))

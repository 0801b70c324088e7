"""What a command line may hold and no file may: passwords, tokens, keys. They are found by their shape.

An option or an assignment whose name says so (``--password=x``, ``--s3-key x``, ``AWS_SECRET_ACCESS_KEY=x``), what
stands before the ``@`` of a URL, the value of ``Authorization`` and ``-u NAME:PASSWORD`` of curl, and tokens that are
known by how they begin.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

HIDDEN = "***"
SHORTEST = 4
"""Characters of a secret that is looked for in what the command prints; shorter ones would blot out half of it."""

_KEY = r"(?:api|access|account|private|s3|sas|auth)[-_]?key(?:[-_]?id)?"
_WORD = rf"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|credentials?|cookie|{_KEY}|authorization|bearer)"
_NAME = re.compile(rf"(?i)(?<![^-_.]){_WORD}(?:$|[-_.])")
_ASSIGNED = re.compile(r"(?s)(?P<name>-{0,2}[A-Za-z][\w.-]*)(?P<sign>=|:\s*)(?P<value>.+)")
_URL = re.compile(r"(?<=://)(?P<value>[^/@\s]+)(?=@)")
_QUERY = re.compile(rf"(?i)(?<=[?&])(?P<name>[\w.-]*{_WORD}[\w.-]*|sig|signature|x-amz-[\w-]+)=(?P<value>[^&\s]+)")
_LISTED = re.compile(rf"(?i)(?<=[,;])(?P<name>[\w.-]*{_WORD}[\w.-]*)=(?P<value>[^,;\s]+)")
_SHAPES = re.compile(
    r"AKIA[0-9A-Z]{16}|gh[pousr]_\w{20,}|glpat-[\w-]{20,}|xox[a-z]-[\w-]{10,}"
    r"|(?<![\w-])eyJ[\w-]{5,}+\.[\w-]{5,}+\.[\w-]*|(?i:bearer|basic)\s+[\w.~+/-]{8,}=*"
)


def redacted(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words of a command without secrets, and the secrets that were in them.

    Examples
    --------
    >>> redacted(["mount", "--password=hunter2", "https://me:pw@host/x"])
    (['mount', '--password=***', 'https://***@host/x'], ['hunter2', 'me:pw'])
    """
    shown: list[str] = []
    found: list[str] = []
    expects_one = ""
    for word in arguments:
        if expects_one and (word[:1] != "-" or expects_one == "-u"):
            hidden = [word] if expects_one != "-u" or ":" in word else []
            text = HIDDEN if hidden else word
        else:
            text, hidden = _of_a_word(word)
        shown.append(text)
        found += hidden
        expects_one = _asks_for_one(word, arguments[0])
    return shown, list(dict.fromkeys(found))


def _asks_for_one(word: str, program: str) -> str:
    """Say which option a word is that has its secret in the next word; "" for all others."""
    if word == "-u" and program.rpartition("/")[2] == "curl":
        return word
    return word if word.startswith("-") and "=" not in word and _is_one(word) else ""


def _is_one(name: str) -> bool:
    return bool(_NAME.search(name.lstrip("-")))


def _of_a_word(word: str) -> tuple[str, list[str]]:
    """Hide what is secret in one word, which may itself be a command of a shell."""
    if " " in word or "\n" in word:
        return _of_a_script(word)
    found: list[str] = []

    def hide(match: re.Match[str]) -> str:
        found.append(match["value"] if "value" in match.re.groupindex else match[0])
        name = f"{match['name']}=" if "name" in match.re.groupindex else ""
        return name + HIDDEN

    assigned = _ASSIGNED.fullmatch(word)
    if assigned and _is_one(assigned["name"]):
        return f"{assigned['name']}{assigned['sign']}{HIDDEN}", [assigned["value"]]
    for pattern in (_URL, _QUERY, _LISTED, _SHAPES):
        word = pattern.sub(hide, word)
    return word, found


def _of_a_script(text: str) -> tuple[str, list[str]]:
    """Hide what is secret in the words of a script, the rest of which stays letter by letter."""
    try:
        words = shlex.split(text)
    except ValueError:  # no quotes of a shell: words between blanks
        words = text.split()
    if (header := _ASSIGNED.fullmatch(text)) and _is_one(header["name"]):
        return f"{header['name']}{header['sign']}{HIDDEN}", [header["value"]]
    whole = [found[0] for found in _SHAPES.finditer(text)]
    secrets = [*whole, *(redacted(words)[1] if words else [])]
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text, secrets


class Veil:
    """Hides secrets in what a command prints, piece by piece: one may begin in a piece and end in the next."""

    def __init__(self, secrets: Sequence[str]) -> None:
        known = {secret.encode() for secret in secrets if len(secret) >= SHORTEST}
        self._secrets = sorted(known, key=len, reverse=True)
        self._kept = b""

    def __call__(self, data: bytes) -> bytes:
        """Return what can be shown by now."""
        text = self._hidden(self._kept + data)
        keep = max(self._open(text), default=0)
        self._kept = text[len(text) - keep :]
        return text[: len(text) - keep]

    def rest(self) -> bytes:
        """Return what was kept back."""
        kept, self._kept = self._kept, b""
        return self._hidden(kept)

    def _hidden(self, text: bytes) -> bytes:
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN.encode())
        return text

    def _open(self, text: bytes) -> Iterator[int]:
        """Lengths of the ends of a text with which a secret may begin."""
        for secret in self._secrets:
            yield from (size for size in range(1, len(secret)) if text.endswith(secret[:size]))

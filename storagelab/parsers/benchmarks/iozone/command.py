"""IOzone's command line, read the way ``getopt`` reads it: ``-Rab out.wks -ceIT -i0 -i 1 -r4k``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from storagelab.errors import UnknownNameError
from storagelab.units import KIB, binary_size

WITH_VALUE = frozenset("JjkVrtsfFdluUSLHPibXYgnyq")
_IOZONE = re.compile(r"(?:^|[\s/;\"'`#$>(])(iozone\S*(?:[ \t]+\S+)+)")


@dataclass(slots=True)
class Command:
    """A command line and its options: each letter with the values it was given ("" where it takes none)."""

    text: str = ""
    options: dict[str, list[str]] = field(default_factory=dict)

    def has(self, letter: str) -> bool:
        """Whether the option was given."""
        return letter in self.options

    def size(self, letter: str) -> float | None:
        """Bytes behind the one size given with an option."""
        sizes = self.sizes(letter)
        return sizes[0] if len(sizes) == 1 else None

    def sizes(self, letter: str) -> list[float]:
        """Bytes behind each size given with an option; without a suffix IOzone takes KiB. Empty where one is none."""
        try:
            return [binary_size(text) * (KIB if text.isdecimal() else 1) for text in self.options.get(letter, [])]
        except UnknownNameError:
            return []

    def count(self, letter: str) -> float | None:
        """Return the one whole number given with an option."""
        values = self.options.get(letter, [])
        return float(values[0]) if len(values) == 1 and values[0].isdecimal() else None

    def tests(self) -> list[int]:
        """Return the tests chosen with ``-i``, in the order in which IOzone runs them."""
        return sorted({int(value) for value in self.options.get("i", []) if value.isdecimal() and len(value) < 3})


def find_command(line: str) -> str:
    """Return the call of iozone on a line (a prompt, a note, a header line) with a first option, or ""."""
    match = _IOZONE.search(line) if "iozone" in line else None
    if not match or not re.search(r"\s-[A-Za-z+]", match[1]):
        return ""
    start = (
        line.rfind(" ", 0, match.start(1)) + 1 if line[match.start(1) - 1 : match.start(1)] == "/" else match.start(1)
    )
    return line[start:].strip().strip("`|").strip()


def read_command(text: str) -> Command:
    """Split a command line into its options."""
    command = Command(text)
    words = iter(text.split()[1:])
    for word in words:
        if word.startswith("-+"):
            command.options.setdefault(word[1:3], []).append(word[3:])
        elif word.startswith("-"):
            _read_letters(word[1:], words, command.options)
    return command


def _read_letters(letters: str, words: Iterator[str], options: dict[str, list[str]]) -> None:
    for place, letter in enumerate(letters, 1):
        if letter in WITH_VALUE:
            value = letters[place:] or next(words, "")
            options.setdefault(letter, []).append(value)
            return
        options.setdefault(letter, []).append("")

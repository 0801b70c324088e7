"""Calls at a prompt, above an excerpt of what IOR, mdtest or iperf3 prints, that lacks the command line."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_LAUNCHERS = frozenset(
    {"mpirun", "mpiexec", "srun", "aprun", "jsrun", "ibrun", "prun"}
    | {"time", "timeout", "sudo", "taskset", "numactl", "ip", "ssh", "kubectl", "docker", "podman", "singularity"}
)
_PROMPT = ("$", "#", "%", ">")
_PROMPTED = re.compile(r"(?:\[\S+ \S+\]|\S*)[$#%] +\S")
"""A command at a prompt, of any program."""
_LONGEST = 1000
_NEAR = 8
"""Lines above an excerpt among which its command stands; one further up may be of another."""


def call_of(program: str, line: str) -> str:
    """Return the call of a program on a line, without prompt and launcher; "" where the line is none.

    Examples
    --------
    >>> call_of("ior", "[me@n1 src]$ srun -N2 ./ior -t 1m -F"), call_of("ior", "we ran ior -t 1m")
    ('./ior -t 1m -F', '')
    """
    if f"{program} -" not in line or len(line) > _LONGEST:
        return ""
    words = line.split()
    for place, (word, following) in enumerate(itertools.pairwise(words)):
        if _name(word) == program and following.startswith("-"):
            return " ".join(words[place:]) if _is_launch(words[:place]) else ""
    return ""


def is_command(line: str) -> bool:
    """Whether a line is a command at a prompt: what stands below it is no more what an earlier one printed.

    Examples
    --------
    >>> is_command("-bash-4.2$ tail slurm-216.out"), is_command("[me@n1 src]$ ls"), is_command("Max Write: 3 MiB/sec")
    (True, True, False)
    """
    return bool(_PROMPTED.match(line))


def _is_launch(words: Iterable[str]) -> bool:
    """Whether what stands before a program is a prompt, variables and a launcher with its options, each if at all."""
    rest: list[str] = []
    for word in words:
        rest = [] if not rest[1:] and word.endswith(_PROMPT) else [*rest, word]
    rest = [word for word in rest if "=" not in word]
    return not rest or _name(rest[0]) in _LAUNCHERS


def _name(word: str) -> str:
    return word.rpartition("/")[2]


@dataclass(slots=True)
class Calls:
    """The calls of a program since its last output: with several nothing says which of them the next one is of."""

    program: str
    said: list[str] = field(default_factory=list)
    line: int = 0

    def hear(self, line: str, number: int) -> bool:
        """Keep the call on a line, and say whether there is one."""
        if not (call := call_of(self.program, line)):
            if self.said and is_command(line):
                self.said = []
            return False
        self.said.append(call)
        self.line = number
        return True

    def take(self, number: int) -> str:
        """Return the call of output that begins on a line: the only one since the last output, if it stands near."""
        said, self.said = self.said, []
        return said[0] if len(said) == 1 and 0 <= number - self.line <= _NEAR else ""

"""What `time` of a shell prints behind the report of dd."""

from __future__ import annotations

import re

from storagelab.parsers.benchmarks.dd.rate_line import NUMBER
from storagelab.parsers.model import Row
from storagelab.parsers.text import printf_number

TIME = re.compile(rf"([Rr]eal|[Uu]ser|[Ss]ys)\s+(?:(\d+)m\s*)?({NUMBER})s?$")
ZSH_TIME = re.compile(
    rf"(?<![\d.,eE+-])(?P<user>{NUMBER})s user (?P<sys>{NUMBER})s system \d+% cpu "
    rf"(?P<clock>(?:\d+:){{0,2}})(?P<real>{NUMBER}) total$"
)
_NAMES = {"real": "elapsed", "user": "cpu_user_time", "sys": "cpu_system_time"}


def shell_time(time: re.Match[str]) -> tuple[str, float]:
    """Name and seconds of a line of the three that ``time`` of bash or POSIX prints."""
    return _NAMES[time[1].lower()], 60 * float(time[2] or 0) + printf_number(time[3])


def zsh_times(time: re.Match[str]) -> Row:
    """What ``time`` of zsh says in one line, hours and minutes before colons."""
    real = printf_number(time["real"])
    for power, part in enumerate(reversed(time["clock"].split(":")[:-1]), start=1):
        real += float(part) * 60.0**power
    times: Row = {_NAMES[name]: printf_number(time[name]) for name in ("user", "sys")}
    return times | {"elapsed": real}

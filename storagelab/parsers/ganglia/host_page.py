"""The host page of Ganglia's web front end: its tables "Time and String Metrics" and "Constant Metrics".

Written by host_view.php (ganglia-web 2 and 3: getHostOverViewData and host_overview.tpl). A page that was saved as
HTML, or whose text was copied, is read alike: a name (``boottime``, or since ganglia-web 3 a title such as ``Last
Boot Time``) and a value with its unit. The pictures of the page hold the series; what these tables say is the date:
`started` is boot time + uptime, the moment of the snapshot, with the offset from UTC that the page prints, if any.
Without both, it is the date in the heading of the page.

Constants go where gmond's metrics go. Text (the release of the system, ...) stands in `label`; addresses and
locations are left out. Dates become seconds since 1970 only where the page prints their offset.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from storagelab.parsers.declared_checks import Checks, words
from storagelab.parsers.ganglia import metrics
from storagelab.parsers.ganglia.samples import LineNumbers
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import line_at, without_prefix

_GANGLIA_PAGE = (
    ("Last Boot Time", "Machine Type", "Operating System Release", "Uptime"),
    ("CPU Count", "CPU Speed", "Memory Total", "Swap Space Total"),
    ("boottime ", "machine_type ", "os_name ", "os_release ", "uptime "),
    ("cpu_num ", "cpu_speed ", "mem_total ", "swap_total "),
    (" Host Report ", "Time and String Metrics", "Constant Metrics"),
)

CHECKS = Checks(
    together=tuple(words(*names) for names in _GANGLIA_PAGE),
    lacking_samples="times are the ages of single values",
)

FORMAT = Format(
    "ganglia-host-page",
    "ganglia",
    "ganglia-web 3.7",
    "constants and date of a host page",
    "host_view.php",
    marks=("String", "Constant", "Report"),
    opens=(
        "Time and String Metrics",
        "Constant Metrics",
        " Host Report",
    ),
    checks=CHECKS,
)

_STRINGS, _CONSTANTS = "Time and String Metrics", "Constant Metrics"
_TITLES = {
    "Last Boot Time": "boottime", "Uptime": "uptime", "Gmond Started": "gmond_started",
    "Last Reported": "last_reported",
    "Operating System": "os_name", "Operating System Release": "os_release", "Machine Type": "machine_type",
    "Gexec Status": "gexec", "IP Address": "ip_address", "Location": "location", "CPU Count": "cpu_num",
    "CPU Speed": "cpu_speed", "Memory Total": "mem_total", "Swap Space Total": "swap_total",
    "Total Disk Space": "disk_total",
}  # fmt: skip
"""Titles that gmond gives its metrics -> their names."""
_BEGINNINGS = {title.split()[0] for title in _TITLES if " " in title}

_DATES = ("boottime", "gmond_started", "reported", "sys_clock")
_AGES = ("uptime", "last_reported")
_NUMBERS = ("cpu_num", "cpu_speed", "mtu")
_TEXTS = ("os_name", "os_release", "machine_type", "gexec")
_PRIVATE = ("ip_address", "location")

_CELLS = re.compile(r"<td\b[^<>]*>([^<>]*)</td>\s*<td\b[^<>]*>([^<>]*)</td>", re.IGNORECASE)
_TABLE_END = re.compile(r"</table", re.IGNORECASE)
_TITLED = re.compile(rf"[ \t]*({'|'.join(sorted(_TITLES, key=len, reverse=True))}):?[ \t]+(\S.*)")
_NAMED = re.compile(r"[ \t]*(\w{1,60})(:?[ \t]+)(\S.*)")
_AGE = re.compile(r"(?:(\d{1,6}) ?d(?:ays?)?,? ?)?(?:(\d{1,2}):(\d{1,2})(?::(\d{1,2}))?)?")
_QUANTITY = re.compile(r"([-+]?\d{1,30}(?:\.\d{0,30})?(?:[eE][-+]?\d{1,3})?)(?:\s+(\S.*))?")
_WHEN = r"\w{3}, \d{1,2} \w{3} \d{4} [\d:]{5,8}(?: [+-]\d{4})?"
_HEADING = re.compile(rf"(?<![\w.-])([\w.-]{{1,255}}) Host Report(?: (?:for|at) ({_WHEN}))?")

Pair = tuple[str, str, int]


def sniff(head: str) -> bool:
    """Whether one of the two tables, or the title of the front end's host page, stands here."""
    return _STRINGS in head or _CONSTANTS in head or " Host Report</title>" in head


def parse(text: str) -> Parsed:
    """Read both tables into `series`, and the moment of the snapshot into the header.

    Raises
    ------
    ParseError
        If there is no line of either table.
    """
    parsed = Parsed({"tool": "ganglia"})
    text = "\n".join(without_prefix(text.split("\n")))
    pairs = [(_TITLES.get(name, name), value, line) for name, value, line in _pairs(text, parsed)]
    rows = [row for pair in pairs for row in _rows(*pair, parsed)]
    if not rows:
        raise refusal(f"tables {_STRINGS!r} and {_CONSTANTS!r} with a row", text)
    if _CONSTANTS not in text:
        parsed.incomplete(f"no table {_CONSTANTS!r}", text.count("\n") + 1)
    if (another := text.find(_CONSTANTS, text.find(_CONSTANTS) + 1)) > 0:
        parsed.incomplete("expected one page, found the table of another", line_at(text, another))
    headings = _HEADING.findall(text)
    moment = _moment(
        {name: value for name, value, _ in reversed(pairs)}, next((when for _, when in headings if when), "")
    )
    parsed.header |= {"host": headings[0][0]} if headings else {}
    parsed.header |= {"started": moment.isoformat()} if moment else {}
    parsed.series = columns(rows)
    return parsed


def _pairs(text: str, parsed: Parsed) -> list[Pair]:
    """Read name, value and line of each row of the two tables."""
    begin = min((at for at in map(text.find, (_STRINGS, _CONSTANTS)) if at >= 0), default=len(text))
    if not _CELLS.search(text, begin):
        return list(_text_pairs(text, begin, parsed))
    end = _TABLE_END.search(text, max(text.find(_CONSTANTS), begin))
    if not end:
        parsed.incomplete("the tables do not end", text.count("\n") + 1)
    return list(_cells(text, begin, end.start() if end else len(text)))


def _cells(text: str, begin: int, end: int) -> Iterator[Pair]:
    numbers = LineNumbers(text)
    for match in _CELLS.finditer(text, begin, end):
        yield _plain(match[1]), _plain(match[2]), numbers.at(match.start(1))


def _plain(cell: str) -> str:
    return " ".join(html.unescape(cell).split())


def _text_pairs(text: str, begin: int, parsed: Parsed) -> Iterator[Pair]:
    """Read lines of a name and its value: names that are known, or that stand well apart from their value."""
    *lines, rest = text[begin:].split("\n")
    parsed.cut_line(rest, text.count("\n") + 1)
    for number, line in enumerate(lines, line_at(text, begin)):
        found = _TITLED.fullmatch(line) or _NAMED.fullmatch(line)
        if found and (found.re is _TITLED or found[2] != " " or _is_name(found[1])):
            yield found[1], found[found.re.groups].strip(), number


def _is_name(word: str) -> bool:
    return word in _TITLES.values() or word in _DATES or word in _NUMBERS or metrics.is_known(word)


def _rows(name: str, value: str, line: int, parsed: Parsed) -> Iterator[Row]:
    row: Row = {"operation": "", "statistic": "single", "time": 0.0, "line": line}
    quantity = _QUANTITY.fullmatch(value)
    if "\ufffd" in name + value:
        parsed.incomplete("bytes of this row are no text", line)
    elif name in _BEGINNINGS:
        parsed.incomplete(f"the title that begins with {name} is not whole", line)
    elif name in _AGES or name in _DATES:
        seconds = _age(value) if name in _AGES else _epoch(value)
        if seconds is None:
            parsed.note(f"{name} gives no seconds: {value}", line)
        else:
            yield row | {"metric": name, "unit": "s", "value": seconds}
    elif quantity and name not in _TEXTS:
        keys, variable, factor = metrics.reading(name, quantity[2] or "")
        yield row | keys | {variable: float(quantity[1]) * factor}
    elif metrics.is_known(name) or name in _NUMBERS:
        parsed.incomplete(f"{name} is no number", line)
    elif name and value and name not in _PRIVATE:
        yield row | {"metric": name, "label": value}


def _age(text: str) -> float | None:
    """Seconds of ``11 days, 20:37:04``, ``11d 20:37`` or ``0:05:10``."""
    match = _AGE.fullmatch(text.strip())
    if not (match and match[0]):
        return None
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return days * 86400 + hours * 3600 + minutes * 60 + seconds


def _date(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _epoch(text: str) -> float | None:
    """Seconds since 1970 of a date with its offset from UTC."""
    date = _date(text)
    return date.timestamp() if date and date.tzinfo else None


def _moment(values: dict[str, str], heading: str) -> datetime | None:
    """Take boot time + uptime, or the date in the heading of the page."""
    booted, uptime = _date(values.get("boottime", "")), _age(values.get("uptime", ""))
    if booted and uptime is not None:
        try:
            return booted + timedelta(seconds=uptime)
        except OverflowError:
            return None
    return _date(heading)

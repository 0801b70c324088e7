"""The line of a data direction, of a job or of a group, in the words of fio 2 and of fio 3."""

from __future__ import annotations

import re

from storagelab.parsers.fio.text_report.quantities import COUNT, GROUPED, OLD_SIZE, SIZE, count, size
from storagelab.parsers.model import Row
from storagelab.units import MILLISECOND

_OLD = re.compile(
    rf"\s*(\w+)\s*: io=\s*(?P<io>{OLD_SIZE}), bw=\s*(?P<bw>{OLD_SIZE}/s)(?:ec)?"
    rf"(?:, iops=\s*(?P<iops>{GROUPED}[kKMGTPE]?))?\s*, runt=\s*(?P<time>\d+)\s*msec"
)
_NEW = re.compile(
    rf"\s*(\w+)\s*: IOPS=\s*(?P<iops>{COUNT}), BW=\s*(?P<bw>{SIZE})(?:/s)? \((?P<also>{SIZE})(?:/s)?\)"
    rf"\((?P<io>{SIZE})/(?P<time>\d+)\s*msec\)(?:;.*)?\s*"
)
_RATE = rf"(?:{OLD_SIZE}/s|\d+)"
_OLD_GROUP = re.compile(
    rf"\s*(\w+): io=\s*(?P<io>{OLD_SIZE}), aggrb=\s*(?P<bw>{_RATE}), minb=\s*(?P<low>{_RATE}), "
    rf"maxb=\s*(?P<high>{_RATE}), mint=\s*(?P<least>\d+)\s*msec, maxt=\s*(?P<time>\d+)\s*msec"
)
_NEW_GROUP = re.compile(
    rf"\s*(\w+): bw=\s*(?P<bw>{SIZE})/s \((?P<also>{SIZE})/s\), (?P<low>{SIZE})/s-(?P<high>{SIZE})/s "
    rf"\({SIZE}/s-{SIZE}/s\), io=\s*(?P<io>{SIZE}) \({SIZE}\), run=\s*(?P<least>\d+)-(?P<time>\d+)\s*msec"
)
_STEADY = re.compile(
    rf"\s*steadystate\s*: attained=(?:yes|no), bw=\s*(?P<bw>{SIZE})/s \((?P<also>{SIZE})/s\), "
    rf"iops=\s*(?P<iops>{COUNT}), .*"
)
_OF_JOBS = (_NEW, _OLD)
_FORMS = (*_OF_JOBS, _NEW_GROUP, _OLD_GROUP)


def are_in(text: str) -> bool:
    """Whether a line of a text is that of a direction."""
    return _has(text, _FORMS)


def of_jobs_are_in(text: str) -> bool:
    """Whether a line of a text is that of a direction of a job."""
    return _has(text, _OF_JOBS)


def _has(text: str, forms: tuple[re.Pattern[str], ...]) -> bool:
    lines = text.split("\n") if "msec" in text else []
    return any(form.fullmatch(line.rstrip()) for line in lines if "msec" in line for form in forms)


def of_a_job(line: str) -> Row:
    """Bytes, rates and time of a direction of a job; `throughput_rounded` is the rate in fio's other unit.

    Raises
    ------
    ValueError
        If the line says something else.
    """
    match = _NEW.fullmatch(line) or _OLD.fullmatch(line)
    if not match:
        raise ValueError(line)
    row = _row(match)
    if match["iops"]:
        row["operation_rate"] = count(match["iops"])
    return _measured(row)


def of_a_group(line: str) -> Row:
    """Bytes, rates and times of a direction of all jobs of a group.

    Raises
    ------
    ValueError
        If the line says something else.
    """
    match = _NEW_GROUP.fullmatch(line) or _OLD_GROUP.fullmatch(line)
    if not match:
        raise ValueError(line)
    old = match.re is _OLD_GROUP
    row = _row(match)
    row |= {"throughput_min": _rate(match["low"], old), "throughput_max": _rate(match["high"], old)}
    return _measured(row | {"elapsed_min": int(match["least"]) * MILLISECOND})


def of_a_steady_state(line: str) -> Row:
    """Mean rates of the seconds in which fio looked for a steady state.

    Raises
    ------
    ValueError
        If the line says something else.
    """
    match = _STEADY.fullmatch(line)
    if not match:
        raise ValueError(line)
    rates: Row = {"throughput": size(match["bw"], old=False), "throughput_rounded": size(match["also"], old=False)}
    return rates | {"operation_rate": count(match["iops"])}


def is_old(line: str) -> bool:
    """Whether a direction is written as fio before 2.17 does, with binary units throughout."""
    return " io=" in line.partition(" bw=")[0]


def _row(match: re.Match[str]) -> Row:
    old = match.re in (_OLD, _OLD_GROUP)
    row: Row = {"throughput": _rate(match["bw"], old)}
    if not old:
        row["throughput_rounded"] = size(match["also"], old)
    return row | {"data_size": size(match["io"], old), "elapsed": int(match["time"]) * MILLISECOND}


def _rate(text: str, old: bool) -> float:
    """Bytes per second; the first fio printed KiB without a unit."""
    return size(f"{text}K" if old and text.isdecimal() else text.removesuffix("/s"), old)


def _measured(row: Row) -> Row:
    """Return the numbers other than 0; {} for a direction that did nothing."""
    return {name: value for name, value in row.items() if value} if row["data_size"] or row["throughput"] else {}

"""Lines with which fio announces a job, begins its report, or names itself and its host."""

from __future__ import annotations

import re

from storagelab.parsers.fio.text_report import quantities

JOB = re.compile(
    r"(?P<job>(?:(?!: \(groupid=).|(?!))*+): \(groupid=(?P<group>\d+)(?:, jobs=(?P<jobs>\d+))?\): "
    r"err=\s*(?P<error>-?\d{1,9}+)(?: \((?P<why>.*)\))?:(?: pid=-?\d+(?::\s*(?P<date>.*))?)?"
)
ANNOUNCED = re.compile(r"(?P<job>(?:(?!: \(g=\d+\): rw=).)+): \(g=(?P<group>\d+)\): (?P<options>rw=.+)")
BARE_VERSION = re.compile(r"[12]\.\d{1,2}(?:\.\d{1,2})?")
VERSION = re.compile(r"(?:fio[- ])?(\d+\.\d++\S*+)|hostname=(?:(?!\bfio=fio-).)*\bfio=fio-(\d+\.\d+[^\s,]*),.*")
GROUP = re.compile(r"Run status group (\d+) \(all jobs\):")
HOST = re.compile(r"<([^>\s]+)>(?: |$)")
SIGNAL = "fio: terminating on signal"
FAILED = re.compile(r"fio: pid=\d+, err=[1-9]\d*/.*")
"""A job that moved nothing before it failed has no report."""
_SIZE = re.compile(quantities.SIZE)
_BLOCK_SIZES = re.compile(r"\([RWT]\) ")


def announced_options(text: str) -> dict[str, str]:
    """Return the options in the line that announces a job; of sizes of blocks that vary none."""
    text = _BLOCK_SIZES.sub("", text)
    found = dict(option.partition("=")[::2] for option in re.split(r", (?=[a-z]+=)", text))
    sizes = [_one_size(sizes) for sizes in re.split(r", ?|/", found.pop("bs", ""))]
    return found | ({"bs": ",".join(sizes)} if all(sizes) else {})


def _one_size(text: str) -> str:
    """Return the size of a range such as ``4096B-4096B`` that is one size, else ""."""
    low, _, high = text.partition("-")
    return low if low == high and _SIZE.fullmatch(low) else ""

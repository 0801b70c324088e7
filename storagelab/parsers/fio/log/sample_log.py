"""Logs of one quantity, read whole or block by block."""

from __future__ import annotations

import io
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from storagelab.errors import ParseError
from storagelab.parsers.fio.log.layout import DIRECTIONS, Layout
from storagelab.parsers.fio.log.lines import NARROWEST, WIDEST, Reader, Samples, numbers
from storagelab.parsers.fio.log.samples import EPOCH, Survey, iso, parts, times, with_direction
from storagelab.parsers.model import Columns, Format, Parsed, Value, Words
from storagelab.units import NANOSECOND

SAMPLE_LINES = 8
"""Lines of a log's beginning, most of which must be samples."""
ANY_SUFFIX = "clat_hist|bw|iops|lat|clat|slat"


def file_name(suffix: str) -> str:
    """Pattern of the names that fio gives: ``x_bw.1.log``, ``x_bw.log``, ``bw.log``, ``x_bw.1.log.client``."""
    return rf"(?:^|[^a-z0-9])(?:{suffix})(?:\.\d+)?\.(?:log|csv|txt)\b"


NO_SUFFIX = rf"\A(?!.*{file_name(ANY_SUFFIX)})"
NEVER = r"(?!)"


@dataclass(slots=True)
class SampleLog:
    """Parser of the logs of one quantity.

    Attributes
    ----------
    FORMAT : Format
        Its name, and the file names that tell it from the others.
    variable : str
        The contract's name of the values; "" where nothing says what they are.
    factor : float
        From the values to SI.
    also : str
        Name of the largest value of an interval, where the log has it; "" where the contract has none.
    """

    FORMAT: Format
    variable: str
    factor: float = 1.0
    also: str = ""

    def sniff(self, head: str) -> bool:
        """Whether most of the first lines are samples; a log without any is known by its name."""
        if not head:
            return self.FORMAT.names not in (NO_SUFFIX, NEVER)
        lines = list(filter(str.strip, head.split("\n")))[:SAMPLE_LINES]
        return 2 * sum(map(_is_sample, lines)) > len(lines)

    def parse(self, text: str) -> Parsed:
        """Read the whole log.

        Raises
        ------
        ParseError
            If no line of it is a sample.
        """
        data = text.encode(errors="replace")
        parsed = self.stream(lambda: io.BytesIO(data))
        series: dict[str, list[Value]] = defaultdict(list)
        for block in parsed.tables():
            for name, column in block.items():
                series[name] += column.tolist() if isinstance(column, np.ndarray) else column
        parsed.series, parsed.blocks = dict(series), None
        return parsed

    def stream(self, opened: Callable[[], BinaryIO]) -> Parsed:
        """Read the log once, block by block, and return its samples as blocks to be read again.

        Raises
        ------
        ParseError
            If no line of it is a sample.
        """
        survey = Survey()
        with opened() as file:
            reader = Reader(file)
            deque(survey.read(reader), maxlen=0)
        parsed = Parsed({"tool": "fio", "statistic": "single"})
        if survey.layout:
            self._describe(parsed, survey, reader)
            parsed.blocks = partial(self._blocks, opened, survey, survey.layout)
        elif reader.skipped or reader.cut:
            line, found = reader.first
            raise ParseError("a whole line 'time, value, direction, block size'", found, line)
        else:
            parsed.note("no samples were logged")
        return parsed

    def _blocks(self, opened: Callable[[], BinaryIO], survey: Survey, layout: Layout) -> Iterator[Columns]:
        with opened() as file:
            reader = Reader(file)
            for samples in reader:
                directed = with_direction(samples, layout, reader)
                if len(directed.lines):
                    yield self._columns(directed, survey, layout)

    def _describe(self, parsed: Parsed, survey: Survey, reader: Reader) -> None:
        """Say in header and notes what holds for the whole log."""
        if survey.start >= EPOCH:
            parsed.header["started"] = iso(survey.start)
        if not self.variable:
            parsed.note("neither the file's name (x_bw.1.log) nor a format says what the values are, nor their unit")
        if self.factor == NANOSECOND and survey.may_be_old():
            parsed.note("latencies are taken to be nanoseconds; of fio before 3.0 they are microseconds: see formats")
        for line in survey.restarts[:3]:
            parsed.note("the time starts again: what follows is another job or another run", line)
        if reader.skipped:
            line, found = reader.first
            more = f", and {reader.skipped - 1} more lines are none" if reader.skipped > 1 else ""
            parsed.incomplete(f"no sample: {found!r}{more}", line)
        if reader.cut:
            parsed.incomplete("the last line has no end and is not trusted", reader.cut)

    def _columns(self, samples: Samples, survey: Survey, layout: Layout) -> Columns:
        columns: Columns = {"time": sequence(times(samples, survey.start))}
        columns["operation"] = Words(DIRECTIONS, samples.columns[layout.direction].astype(np.int8))
        columns |= self._values(samples, survey, layout)
        for place, name in ((layout.size, "request_size"), (layout.offset, "offset"), (layout.priority, "priority")):
            if place in survey.used:
                columns[name] = sequence(samples.columns[place])
        if survey.restarts:
            columns["part"] = sequence(parts(samples, survey.restarts))
        columns["line"] = sequence(samples.lines, samples.lines.dtype)
        return columns

    def _values(self, samples: Samples, survey: Survey, layout: Layout) -> Columns:
        values = sequence(samples.columns[1] * self.factor)
        if not self.variable:
            return {"metric": Words(("value",), np.zeros(len(values), np.int8)), "value": values}
        if self.variable == "operation_rate" and survey.per_io and survey.one_each:
            return {"operations": values}
        largest: Columns = {}
        if self.also and layout.maximum:
            largest[self.also] = sequence(samples.columns[layout.maximum] * self.factor)
        return {self.variable: values, **largest}


def sequence(numbers: npt.NDArray[Any], dtype: npt.DTypeLike = np.float64) -> Sequence[float]:
    """Return an array as the column of numbers that it is: numpy's are no `Sequence` to a type checker."""
    return cast("Sequence[float]", numbers.astype(dtype, copy=False))


def _is_sample(line: str) -> bool:
    row = numbers(line.encode(errors="replace"))
    directions = range(len(DIRECTIONS))
    return NARROWEST <= len(row) <= WIDEST and (row[2] in directions or (len(row) > NARROWEST and row[3] in directions))

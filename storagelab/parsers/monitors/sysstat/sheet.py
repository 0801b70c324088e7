"""The lines of one table, gathered as columns and taken apart into rows of the contract."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from storagelab import schema
from storagelab.parsers.model import Columns, Value
from storagelab.parsers.monitors.sysstat.cells import numbers
from storagelab.parsers.monitors.sysstat.layout import Share, layout

_RECENT = 5000
"""Lines among which the last two samples are looked for."""

Floats = npt.NDArray[np.float64]
Block = dict[str, list[str] | Floats]

_FIRST = ("part", "time", "elapsed", "statistic", "phase", "host", "operation", "interface", "device", "cpu", "metric")


class Sheet:
    """A table with one set of columns.

    Parameters
    ----------
    columns : tuple of str
        The columns as printed, without the time before them.
    stamp : tuple of str
        What the parser says of each line: names of the contract such as time and statistic.
    """

    def __init__(self, columns: tuple[str, ...], stamp: tuple[str, ...]) -> None:
        self.layout = layout(columns)
        self.lines: list[int] = []
        self.stamps: list[tuple[Value, ...]] = []
        self.keys: list[tuple[str, ...]] = []
        self.is_awaited = True
        self._number_lines: list[list[int]] = []
        self._stamp = stamp
        self._numbers: list[float] = []

    def add(self, words: list[str], stamp: tuple[Value, ...], line: int, lines: Sequence[int] = ()) -> None:
        """Add a line of the table; `lines` says where each number stands, if they are not all in one line.

        Raises
        ------
        ValueError
            If it has not the table's columns.
        """
        plan = self.layout
        words = self._fitted(words)
        self._numbers += numbers(words[plan.start : plan.stop], plan.natives)
        self.keys.append(tuple([words[at] for at, _ in plan.keys]))
        self.stamps.append(stamp)
        self.lines.append(line)
        if lines:
            self._number_lines.append(list(lines))
        self.is_awaited = False

    def _fitted(self, words: list[str]) -> list[str]:
        wanted = len(self.layout.columns)
        if len(words) == wanted:
            return words
        places = sum(kind in ("place", "node") for _, kind in self.layout.keys)
        if places > 1 and len(words) == wanted - places:
            return [words[0], *[""] * places, *words[1:]]
        if len(words) > wanted and self.layout.ends_in_text:
            return [*words[: wanted - 1], " ".join(words[wanted - 1 :])]
        raise ValueError(f"{wanted} columns wanted, found {len(words)}")

    def lacks_items(self) -> bool:
        """Whether the last sample lacks an item that the sample before has."""
        samples: dict[tuple[Value, ...], set[tuple[str, ...]]] = {}
        for stamp, keys in zip(self.stamps[-_RECENT:], self.keys[-_RECENT:], strict=True):
            samples.setdefault(stamp, set()).add(keys)
        *_, before, last = [set[tuple[str, ...]](), *samples.values()]
        return not last >= before if len(samples) > 2 or len(self.lines) <= _RECENT else False

    def blocks(self) -> Iterator[Block]:
        """Yield the rows that each share of the lines becomes, as columns."""
        if not self.lines or self.layout.is_ignored:
            return
        table = np.array(self._numbers, dtype=np.float64).reshape(len(self.lines), -1)
        table[~np.isfinite(table)] = math.nan
        common = self._stamped() | {"line": np.array(self.lines, dtype=np.float64)}
        for share in self.layout.shares:
            block = self._share(share, table, common)
            yield from _sums_apart(block) if self._is_interrupts else (block,)

    @property
    def _is_interrupts(self) -> bool:
        return any(kind == "interrupt" for _, kind in self.layout.keys)

    def _stamped(self) -> Block:
        found: Block = {}
        for name, column in zip(self._stamp, zip(*self.stamps, strict=True), strict=True):
            text = schema.is_text(name)
            found[name] = [str(value) for value in column] if text else np.array(column, dtype=np.float64)
        return found

    def _share(self, share: Share, table: Floats, common: Block) -> Block:
        values: Block = {name: table[:, at] * factor for name, at, factor in share.values}
        block: Block = {name: [text] * len(self.lines) for name, text in share.constants.items()}
        line = {"line": self._lines_of(share)} if self._number_lines else {}
        return _without_empty(common | line | block | self._named(block) | values, tuple(values))

    def _lines_of(self, share: Share) -> Floats:
        """Where a row's primary value stands: its throughput, or else its first number."""
        at = next((at for name, at, _ in share.values if name == "throughput"), share.values[0][1])
        return np.array([lines[at] for lines in self._number_lines], dtype=np.float64)

    def _named(self, block: Block) -> Block:
        """Return the keys of every line; what the contract has no key for goes before the metric's name."""
        kinds = {kind for _, kind in self.layout.keys}
        found: Block = {}
        for (_, kind), words in zip(self.layout.keys, zip(*self.keys, strict=True), strict=False):
            if kind in ("interface", "device", "cpu"):
                found[kind] = list(words)
            elif kind == "node" and "cpu" not in kinds:
                found["cpu"] = [word if word == "all" else f"node {word}" for word in words]
            elif kind in ("sensor", "interrupt"):
                found["metric"] = [f"{metric} {word}" for metric, word in zip(block["metric"], words, strict=True)]
        return found


def _without_empty(block: Block, names: tuple[str, ...]) -> Block:
    """Drop the rows that have no value at all."""
    empty = np.logical_and.reduce([np.isnan(np.asarray(block[name], dtype=np.float64)) for name in names])
    return _where(block, ~empty) if empty.any() else block


def _sums_apart(block: Block) -> Iterator[Block]:
    """Interrupts of all sources together have a name in the contract."""
    is_sum = np.array([str(metric).endswith(" sum") for metric in block["metric"]])
    total = {name: column for name, column in _where(block, is_sum).items() if name not in ("metric", "unit", "value")}
    yield total | {"interrupt_rate": _where(block, is_sum)["value"]}
    yield _where(block, ~is_sum)


def _where(block: Block, mask: npt.NDArray[np.bool_]) -> Block:
    return {
        name: column[mask]
        if isinstance(column, np.ndarray)
        else [text for text, wanted in zip(column, mask, strict=True) if wanted]
        for name, column in block.items()
    }


def assemble(sheets: Iterable[Sheet]) -> Columns:
    """Put the rows of all tables together, in the order of their lines."""
    blocks = [block for sheet in sheets for block in sheet.blocks() if len(block["line"])]
    if not blocks:
        return {}
    found = dict.fromkeys(name for block in blocks for name in block)
    names = [*(name for name in _FIRST if name in found), *(n for n in found if n not in (*_FIRST, "line")), "line"]
    order = np.argsort(np.concatenate([block["line"] for block in blocks]), kind="stable")
    columns: Columns = {name: _column(name, blocks, order) for name in names}
    for name, plain in (("part", {1.0}), ("phase", {""})):
        if set(columns.get(name, ())) == plain:
            del columns[name]
    columns["line"] = [int(line) for line in columns["line"]]
    return columns


def _column(name: str, blocks: list[Block], order: npt.NDArray[np.intp]) -> list[Value]:
    if schema.is_text(name):
        texts = [text for block in blocks for text in block.get(name) or [""] * len(block["line"])]
        return [texts[at] for at in order.tolist()]
    numbers = np.full(len(order), math.nan)
    end = 0
    for block in blocks:
        start, end = end, end + len(block["line"])
        if name in block:
            numbers[start:end] = block[name]
    return list(numbers[order].tolist())

"""Logs of fileop 1.5 and 1.6: rates of metadata operations on a tree of files, as a table.

The format is what ``fileop.c`` prints (http://www.iozone.org). The force factor X makes X directories with X
directories of X entries each. fileop prints no command line, so that its log begins with the trace of the script that
called it. What is imitated with it: whole operations per second in tables, ``inf`` where the fastest operation took
less than the clock could see, a blank at the end of lines, the count of all files behind every operation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable, shell

OPERATIONS = (
    "mkdir", "chdir", "rmdir", "create", "open", "read", "write", "close", "stat", "access", "chmod", "readdir",
    "link", "unlink", "delete",
)  # fmt: skip
"""The columns of the table, in their order; older versions lack chdir, and some of them open."""
_LACKING = (frozenset[str](), frozenset({"chdir"}), frozenset({"chdir", "open"}))


@dataclass(frozen=True, slots=True)
class Rates:
    """How fast one operation was [1/s]: on average, the fastest one and the slowest one.

    The fastest may be ``math.inf``: it took less than the clock could see.
    """

    operation_rate: float
    operation_rate_max: float
    operation_rate_min: float


@dataclass(frozen=True, slots=True)
class Log:
    """One run of fileop.

    Attributes
    ----------
    rates : mapping of int to mapping of str to Rates
        For each force factor the operations of the contract. Factors are one, or a range with one step.
    file_size : float
        Bytes of a file.
    directory : str
        Where it worked.
    shows_extremes : bool
        Whether the table has lines of the fastest and the slowest operations (``-b``, ``-w``).
    """

    rates: Mapping[int, Mapping[str, Rates]]
    file_size: float = 1.0
    directory: str = "."
    shows_extremes: bool = False

    @property
    def operations(self) -> list[str]:
        """The operations that this fileop knows, in the order of the columns."""
        known = next(iter(self.rates.values()), {})
        return [operation for operation in OPERATIONS if operation in known]


def render(log: Log) -> str:
    """Return the text of a log.

    Raises
    ------
    ReconstructError
        If a value is one that fileop could not have printed; names it.
    """
    _check(log)
    size = printable.whole("file_size", log.file_size, most=2**31 - 1)
    where = f"Working in {log.directory}, File size is {size}"
    start = f"\nFileop:  {where},  Output is in Ops/sec. (A=Avg, B=Best, W=Worst)\n"
    return f"{shell.REMARK}{shell.traced(_command(log))}{start}{''.join(_table(log))}"


def _check(log: Log) -> None:
    printable.word("directory", log.directory)
    for factor, rates in log.rates.items():
        printable.positive("factor", printable.whole("factor", factor, most=9999))
        if frozenset(OPERATIONS) - set(rates) not in _LACKING or set(rates) != set(log.operations):
            raise ReconstructError(f"rates of {factor}: expected {', '.join(OPERATIONS)}, found {', '.join(rates)}")
        for operation, own in rates.items():
            _check_rates(operation, own)


def _check_rates(operation: str, rates: Rates) -> None:
    best = rates.operation_rate_max
    for value in (rates.operation_rate, rates.operation_rate_min, *([best] if best != inf else [])):
        if printable.positive(operation, value) < _LEAST:
            raise ReconstructError(f"{operation}: expected a rate of at least {_LEAST} 1/s, found {value!r}")
    if not rates.operation_rate_min <= rates.operation_rate <= best:
        raise ReconstructError(f"{operation}: expected a mean between the slowest and the fastest, found {rates}")


_LEAST = 1.0
"""Slower operations are printed as 0 or 1, or a time longer than their columns."""


def _command(log: Log) -> str:
    factors = sorted(log.rates)
    if not factors:
        raise ReconstructError("rates: expected those of one force factor at least, found none")
    if len(factors) == 1:
        extent = f"-f {factors[0]}"
    else:
        step = factors[1] - factors[0]
        if factors != list(range(factors[0], factors[-1] + 1, step)):
            raise ReconstructError(f"rates: expected force factors with one step between them, found {factors}")
        extent = f"-l {factors[0]} -u {factors[-1]} -i {step}"
    flags = " -b -w" if log.shows_extremes else ""
    return f"fileop {extent} -s {log.file_size:.0f} -d {log.directory}{flags}"


def _table(log: Log) -> Iterator[str]:
    names = (f"{_HEADED.get(operation, operation):>7} " for operation in log.operations)
    yield f" .     {''.join(names)} Total_files\n"
    for factor in sorted(log.rates):
        own = [log.rates[factor][operation] for operation in log.operations]
        yield _line("A", factor, [rates.operation_rate for rates in own])
        if log.shows_extremes:
            yield _line("B", factor, [rates.operation_rate_max for rates in own])
            yield _line("W", factor, [rates.operation_rate_min for rates in own])


_HEADED = {"link": "link  "}


def _line(tag: str, factor: int, rates: list[float]) -> str:
    return f"{tag} {factor:4d} {''.join(f'{rate:7.0f} ' for rate in rates)}{factor**3:10d} \n"

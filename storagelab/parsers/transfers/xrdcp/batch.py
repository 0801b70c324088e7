"""The transfers of one command while their bars come in."""

from __future__ import annotations

from storagelab.parsers.transfers.xrdcp.progress import Print
from storagelab.parsers.transfers.xrdcp.transfer import Transfer


class Batch:
    """The transfers of one command.

    Attributes
    ----------
    transfers : list of Transfer
        In the order in which they began.
    jobs : dict of int to Transfer
        Those that the log numbers, by their number.
    announced : int
        How many are to come, as far as the log says.
    """

    def __init__(self) -> None:
        self.announced = 0
        self.transfers: list[Transfer] = []
        self.jobs: dict[int, Transfer] = {}
        self._places: dict[int, int] = {}
        self._without_bar: list[Transfer] = []
        self._with_bar: dict[int, Transfer] = {}

    def begin(self, operation: str, job: int) -> Transfer:
        """Begin a transfer, of a number or without one: 0."""
        transfer = Transfer(operation, job=job)
        self.transfers.append(transfer)
        if job:
            self.jobs[job] = transfer
            self._places[job] = len(self._places)
            self._without_bar.append(transfer)
        return transfer

    def show(self, transfer: Transfer, one: Print) -> None:
        """Take a print of the bar of a transfer."""
        transfer.prints.append(one)
        transfer.line = one.line
        transfer.ended = bool(one.job)
        if transfer.job:
            self._with_bar[transfer.job] = transfer

    def open_job(self) -> Transfer | None:
        """Return the numbered transfer that a bar without number is of: the first whose bar goes on, or the last."""
        self._with_bar = {job: one for job, one in self._with_bar.items() if one.is_open()}
        if self._with_bar:
            return min(self._with_bar.values(), key=self.place_of)
        while self._without_bar and (self._without_bar[-1].prints or not self._without_bar[-1].is_open()):
            self._without_bar.pop()
        return self._without_bar[-1] if self._without_bar else None

    def lacking(self) -> str:
        """Say that fewer were begun than announced; "" if not."""
        begun = len(self.jobs)
        return f"{begun} of {self.announced} files were begun" if begun < self.announced else ""

    def place_of(self, transfer: Transfer) -> int:
        """Return how many numbered transfers began before one; -1 of one without a number, which comes first."""
        return self._places.get(transfer.job, -1)

"""From the lines of a log to its transfers."""

from __future__ import annotations

import re

from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.transfers.shell_time import NAMES, times_in
from storagelab.parsers.transfers.xrdcp import command
from storagelab.parsers.transfers.xrdcp.batch import Batch
from storagelab.parsers.transfers.xrdcp.progress import Print, bars, summary
from storagelab.parsers.transfers.xrdcp.transfer import DONE, Transfer
from storagelab.parsers.values_on_several_lines import on, settled

_RETURN = re.compile(r"\r|\\r")
_JOB = re.compile(r"Job: +(\d{1,9})/(\d{1,9})")
_QUOTES = " \t\"'`"
"""What stands in front of a line in a program's text."""
_ERROR = re.compile(r"\[(?:ERROR|FATAL)\] *(.*)|Last server error +(\d{1,9}) *(.*)")
_CODE = re.compile(r"\[(\d{3,5})\]")
_COPY_JOB = re.compile(r"copy job, from (\S+) to (\S+)")
_CHECKSUM = re.compile(r"\w+: [0-9a-f]{4,128} \S+ (\d+)")
_DELTA = re.compile(r'"delta": ?"(\d{1,6}):(\d{1,6}):(\d+(?:\.\d+)?)"')
_EXIT = re.compile(r'"rc": ?(-?\d{1,9})')
_DAMAGED = "\ufffd"
_CLIENT_LOG = re.compile(r"\[\d{4}-\d\d-\d\d ")


class Reader:
    """Takes a log's lines one by one.

    Attributes
    ----------
    transfers : list of Transfer
        In the order in which they began.
    jobs : list of Row
        What ``time`` said of a command that copied several files.
    commands : list of str
        Command lines that the log shows.
    """

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.transfers: list[Transfer] = []
        self.jobs: list[Row] = []
        self.commands: list[str] = []
        self._operation = "copy"
        self._batch = Batch()
        self._shown: list[Transfer] = []
        self._time: Row = {}

    def line(self, text: str, number: int, whole: bool = True) -> None:
        """Read a line; `whole` says that it ended with a newline.

        What does not end is trusted where it has its own end, as bars and the codes of errors have.
        """
        if text.startswith("[20") and "/s]" not in text and _CLIENT_LOG.match(text):
            self._client_log(text)
            return
        if whole and command.is_named(text):
            self._command(text)
        if _DAMAGED in text:
            self.parsed.incomplete("bytes that are not UTF-8", number)
        self._shown = []
        pieces = _RETURN.split(text) if "\r" in text or "\\r" in text else [text]
        shown = [self._piece(piece.strip(" \t"), number, whole) for piece in pieces]
        if any(shown):
            self._end_of_bars(whole and '"rc"' in text, text, _ends(pieces[-1], number, whole), number)
        elif text.strip():
            self._confirm()

    def end(self) -> None:
        """Say what is missing at the end of the log."""
        for transfer in self.transfers:
            if not transfer.is_result():
                self.parsed.incomplete(_why(transfer), transfer.line)
        if self._time:
            self.parsed.incomplete("`time` was cut", int(self._time["line"]))
        self._all_announced()

    def _piece(self, text: str, number: int, whole: bool) -> bool:
        """Read what stands between two carriage returns; whether it is a bar."""
        found = False
        for one in bars(text, number):
            self._bar(one)
            found = True
        if not found and _is_error(text):
            self._error(text, number)
        elif not found and whole:
            self._said(text, number)
        return found

    def _said(self, text: str, number: int) -> None:
        """Read a piece that is no bar."""
        job = _JOB.match(text)
        if job:
            self._job(int(job[1]), int(job[2]), number)
        elif text.startswith(("Source: ", "Target: ")):
            self._url(text)
        elif "[xrdcp] #" in text:
            self._summary(text, number)
        elif text.startswith(("real", "user", "sys")) or "elapsed " in text:
            self._clock(text, number)
        elif ": " in text:
            self._checksum(text, number)

    # --- bars ---------------------------------------------------------------------------------------------------

    def _bar(self, one: Print) -> None:
        transfer = self._of_job(one.job) if one.job else self._current()
        self._batch.show(transfer, one)
        self._shown.append(transfer)

    def _current(self) -> Transfer:
        """Return the transfer that an unnumbered bar is about."""
        if job := self._batch.open_job():
            return job
        last = self._batch.transfers[-1] if self._batch.transfers else None
        return last if last and not last.ended else self._begin()

    def _of_job(self, job: int) -> Transfer:
        return self._batch.jobs.get(job) or self._begin(job)

    def _begin(self, job: int = 0) -> Transfer:
        self.transfers.append(self._batch.begin(self._operation, job))
        return self.transfers[-1]

    def _end_of_bars(self, listed: bool, text: str, whole: bool, number: int) -> None:
        """Close what the line's bars were about; a JSON line also has its command's status and time."""
        transfer = min(self._shown, key=self._batch.place_of)
        if not (whole or transfer.ended):
            return
        transfer.ended = True
        if listed:
            self._ansible(transfer, text, number)

    def _ansible(self, transfer: Transfer, text: str, number: int) -> None:
        delta, status = _DELTA.search(text), _EXIT.search(text)
        if delta:
            seconds = 3600 * int(delta[1]) + 60 * int(delta[2]) + float(delta[3])
            transfer.said |= on(number, {"elapsed": seconds})
        if status and int(status[1]):
            transfer.error = f"exit status {status[1]}"
        transfer.confirmed = True

    # --- what stands around them ----------------------------------------------------------------------------------

    def _command(self, text: str) -> None:
        line = command.command_in(text)
        if line:
            self._all_announced()
            self._confirm()
            self.commands.append(line)
            self._operation = command.direction(line)
            self._batch = Batch()

    def _client_log(self, text: str) -> None:
        """Read the client log's word on what is copied where."""
        match = _COPY_JOB.search(text) if "copy job, from " in text else None
        if match:
            self._operation = command.between([match[1]], match[2])

    def _confirm(self) -> None:
        if self.transfers and self.transfers[-1].ended:
            self.transfers[-1].confirmed = True

    def _job(self, job: int, jobs: int, number: int) -> None:
        if job == 1 and self._batch.jobs:
            self._all_announced()
            self._batch = Batch()
        self._batch.announced = jobs
        self._of_job(job).line = number

    def _all_announced(self) -> None:
        if lacking := self._batch.lacking():
            self.parsed.incomplete(lacking)
        self._batch.announced = 0

    def _url(self, text: str) -> None:
        if not self._batch.transfers or self.transfers[-1].prints:
            return
        word, _, url = text.partition(": ")
        transfer = self.transfers[-1]
        if word == "Source":
            transfer.file = url.strip()
        else:
            source, target = transfer.file, url.strip()
            transfer.operation = command.between([source], target)
            transfer.file = target if transfer.operation == "upload" else source

    def _summary(self, text: str, number: int) -> None:
        found = summary(text)
        if found:
            transfer = self.transfers[-1] if self._batch.transfers else self._begin()
            transfer.said |= on(number, {found[0]: found[1]})
            transfer.line, transfer.ended = number, True

    def _checksum(self, text: str, number: int) -> None:
        match = _CHECKSUM.fullmatch(text)
        if match and self._batch.transfers and self.transfers[-1].is_done():
            self.transfers[-1].said |= on(number, {"data_size": float(match[1])})

    def _error(self, text: str, number: int) -> None:
        """Blame the transfer of the command that did not get to its end, or its last one."""
        match = _ERROR.search(text)
        if not match:
            return
        batch = self._batch.transfers or [self._begin()]
        unfinished = (one for one in batch if not one.is_done() or one.moved_nothing())
        transfer = next(unfinished, batch[-1])
        message = match[1] if match[1] is not None else match[3]
        code = match[2] or next(iter(_CODE.findall(message)), 0)
        transfer.error, transfer.error_code, transfer.line = message.strip(" \0"), int(code), number
        transfer.error = transfer.error or "error"
        self._batch = Batch()

    def _clock(self, text: str, number: int) -> None:
        found = times_in(text)
        if not found:
            return
        self._time = self._time | on(number, found) | {"line": number}
        if self._time.keys() >= {*NAMES.values()}:
            times = {name: value for name, value in self._time.items() if name != "line"}
            batch = [one for one in self._batch.transfers if not one.error]
            if len(batch) == 1:
                batch[0].said |= times
            elif batch:
                self.jobs.append(settled({"operation": "job", **times, "line": number}))
            self._time = {}
            self._batch = Batch()


def _is_error(text: str) -> bool:
    return ("[ERROR]" in text or "[FATAL]" in text or "Last server" in text) and not _CLIENT_LOG.match(
        text.lstrip(_QUOTES)
    )


def _ends(piece: str, number: int, whole: bool) -> bool:
    """Whether the line of a bar ends: nothing is behind the bar, and not the client's log with its own line end."""
    rest = piece[max((one.end for one in bars(piece, number)), default=0) :].strip()
    return not _CLIENT_LOG.match(rest) if whole else not rest


def _why(transfer: Transfer) -> str:
    """Why a transfer is no result."""
    what = f"job {transfer.job}" if transfer.job else "a transfer"
    if transfer.error:
        return f"{what} failed: {transfer.error}"
    if not transfer.prints:
        return f"{what} has no bar"
    if transfer.prints[-1].progress < DONE:
        return f"{what} ended at {transfer.prints[-1].progress:.0%}"
    if transfer.moved_nothing():
        return f"{what} moved nothing, and the log does not say whether the file is empty"
    return f"{what}: the line of its bar does not end"

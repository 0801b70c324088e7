r"""What rsync prints of what it copied: the summary of ``-v`` and ``--stats``, and ``--progress`` (main.c, progress.c).

The summary is two lines, ``sent 4,821 bytes  received 535,033 bytes  63,512.24 bytes/sec`` and ``total size is
51,072,714  speedup is 94.60``: a row of `runs`. `throughput` is what went over the wire, both ways, over the seconds
of the whole call and half a second; ``--stats`` adds how many regular files were transferred and their bytes
(`files`, `data_size`). All else that the two say are rows of `series` with `metric`. What to beware of:

- Numbers have commas between thousands since 3.1, or points, as the locale has it: none of them but rates, ratios and
  seconds has decimals. With ``-h`` there are decimals and a letter, a power of 1000; with ``-hh`` one of 1024, which
  only the command tells.
- Progress is rewritten by carriage returns, ``  1,532 100%    1.46MB/s    0:00:00 (xfr#1, to-chk=0/1)``: a sample
  each. Rates are powers of 1024, whatever the letters. The time is what is left, in the last print of a file
  (``xfr#1``) what it took. With ``--info=progress2`` all files are one.
- ``(DRY RUN)`` copied nothing: the row has that as its label; its files and their bytes are metrics.
- A daemon and ``--log-file`` put date and process in front, and say the total size in the first line, without a rate.
- Versions up to 2.5 say ``wrote 4821 bytes  read 535033 bytes``.
- openrsync writes ``B`` behind sizes, ``KB/s`` in progress, and speaks of unmatched data.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence

from storagelab import units
from storagelab.parsers.line_formats import Rule, apply, fill, metric, trusted_lines
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.transfers.source_and_destination import command
from storagelab.parsers.values_on_several_lines import on, settled
from storagelab.schema import line_of

FORMAT = Format(
    "rsync",
    "rsync",
    "2.4 to 3.4, openrsync",
    "summary of -v, --stats, --progress, --info=progress2, log files",
    "RsyncProject/rsync, main.c (output_summary), progress.c",
    marks=("sent received bytes", "Total transferred file size", "xfr", "xfer"),
    opens=(
        "sending incremental file list",
        "receiving incremental file list",
        "building file list ...",
        " bytes  received ",
        " bytes  read ",
        "Number of files: ",
        "Total transferred file size: ",
        "(xfr#",
        "(xfer#",
    ),
    reads_returns=True,
    stamped=True,
)

EXPECTED = "a summary of rsync ('sent 79 bytes  received 12 bytes  9.58 bytes/sec'), --stats, or its progress"

_STAMP = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[\d{1,10}\] ")
_WHOLE = r"\d{1,3}(?:,\d{3}){1,6}|\d{1,3}(?:\.\d{3}){1,6}(?![\d.,]*[KMGTP])|\d{1,20}(?![.,]?\d)"
_HUMAN = r"\d{1,6}[.,]\d\d[KMGTP]"
_NUMBER = rf"(?:{_HUMAN}|{_WHOLE})"
_DECIMAL = rf"(?:{_HUMAN}|[\d.,]{{1,30}}[.,]\d\d|\d{{1,20}})"
_SENT = re.compile(
    rf"(?:sent|wrote) ({_NUMBER}) bytes\s{{1,4}}(?:received|read) ({_NUMBER}) bytes\s{{1,4}}"
    rf"(?:({_DECIMAL}) bytes/sec|total size ({_NUMBER}))\s*$"
)
_TOTAL = re.compile(rf"total size is ({_NUMBER})\s{{1,4}}speedup is ({_DECIMAL})( \(DRY RUN\)| \(BATCH ONLY\))?\s*$")
_JOINED = re.compile(r"(?<= bytes/sec)\s{1,4}(?=total size is\b)")
_COUNTED = re.compile(
    r"Number of ((?:[a-z]{1,20} ){0,2}files(?: [a-z]{1,20})?): "
    rf"({_NUMBER})(?: \(((?:[a-z]{{1,9}}: {_NUMBER}(?:, )?){{1,9}})\))?\s*$"
)
_KINDS = re.compile(rf"([a-z]{{1,9}}): ({_NUMBER})(?:, |$)")
_SIZED = re.compile(
    r"(Total file size|Total transferred file size|Literal data|Unmatched data|Matched data|File list size|"
    rf"Total (?:bytes )?(?:sent|received|written|read)): ({_NUMBER})(?: bytes| B)?\s*$"
)
_TIMED = re.compile(r"(File list (?:generation|transfer) time): (\d{1,9}[.,]\d{1,6}) seconds\s*$")
_PROGRESS = re.compile(
    rf"\s*({_NUMBER})\s{{1,4}}(\d{{1,3}})%\s{{1,9}}(\d{{1,9}}[.,]\d\d)([kKMG])B/s\s{{1,9}}"
    r"(?:(\d{1,5}):(\d\d):(\d\d)|\?\?:\?\?:\?\?)(?: \((?:xfr|xfer)#(\d{1,9}), (?:to|ir)-che?c?k=\d{1,9}/\d{1,9}\))?\s*$"
)
_NAMED = re.compile(rf"(\S[^\r]{{0,4095}}?)(?<=\S)\s++(?={_PROGRESS.pattern})")
"""The name of a file and its progress in one line, as some terminals show them whose lines were copied."""
_TORN = re.compile(
    r"(?:sent|wrote) .{0,60}bytes|total size is|.{0,120}(?:\bbytes/sec|\bspeedup is )|.{0,60}\bNumber of .{0,60}:"
    r"|.{0,60}\bfiles(?: transferred)?:|.{0,60}\bfile size:|(?:Total|Literal|Unmatched|Matched|File list) [a-z ]{3,40}:"
    r"|\s*\S{1,30}\s{1,4}\d{1,3}%\s.{1,40}B/s"
)
_ERROR = re.compile(r"rsync(?:\(\d{1,9}\))? ?(?:error)?: .{0,1000}")
_WARNING = re.compile(r"rsync warning: .{0,1000}")
_BEGUN = re.compile(r"(sending|receiving|building) (?:incremental )?file list")
_REMOTE = re.compile(r"rsync://|(?:[\w.-]{1,99}@)?(?:[\w.-]{1,255}|\[[\w:]{1,45}\])::?")
_SHORT_OPTIONS = re.compile(r"-[A-Za-z0-9]{1,40}")
_RATES = units.powers(units.KIB, "KMG") | {"k": units.KIB}
_SIGNS = (" bytes/sec", " total size ", "Total transferred file size: ", "(xfr#", "(xfer#")
_DRY = "dry run"
_ROUNDED, _LAST_DIGIT = 0.02, 0.0051
"""How far a speedup may be from its terms: two of them rounded to three digits, and its own two decimals."""
_TRANSFERRED = ("files transferred", "regular files transferred")


def sniff(head: str) -> bool:
    """Whether a line of the summary stands here, of the statistics, or the last print of a file's progress."""
    if not any(sign in head for sign in _SIGNS):
        return False
    kinds = (_SENT, _SIZED, _PROGRESS)
    pieces = (_STAMP.sub("", piece) for line in head.split("\n") for piece in _pieces(line))
    return any(kind.match(piece) for piece in pieces for kind in kinds)


def _pieces(line: str) -> list[str]:
    """Split a line where a carriage return begins it anew, and where somebody joined the two of a summary."""
    return _JOINED.sub("\r", line).split("\r")


def parse(text: str) -> Parsed:
    """Read every call: its summary as a row of ``runs``, statistics and progress as ``series``.

    Raises
    ------
    ParseError
        If there is neither a summary, nor statistics, nor progress, nor an error of rsync.
    """
    parsed = Parsed({"tool": "rsync", "statistic": "single"})
    reader = _Reader(parsed)
    for at, line in trusted_lines(text, parsed):
        for piece in _pieces(_STAMP.sub("", line)):
            if piece.strip():
                reader.piece(piece, at)
    reader.end()
    return fill(parsed, reader.samples, EXPECTED, text)


class _Reader:
    """What has been read so far; a call ends with its summary."""

    def __init__(self, parsed: Parsed) -> None:
        self.samples: list[Row] = []
        self._parsed = parsed
        self._part = 1.0
        self._commands: list[str] = []
        self._operation = "copy"
        self._letters = units.powers(1000.0, "KMGTP")
        self._is_taken_for_thousands = False
        self._statistics: Row = {}
        self._summary: Row = {}
        self._name = ("", 0)
        self._unfinished = 0
        self._moved, self._rounded = math.nan, False
        self._counted_at = 0
        self._rules: Sequence[Rule] = (
            (_PROGRESS, self._progress),
            (_SENT, self._sent),
            (_TOTAL, self._total),
            (_COUNTED, self._counted),
            (_SIZED, self._sized),
            (_TIMED, self._timed),
            (_BEGUN, self._begun),
            (_WARNING, lambda found, at: parsed.note(found[0].strip(), at)),
            (_ERROR, lambda found, at: parsed.incomplete(found[0].strip(), at)),
            (_TORN, self._torn),
        )

    def piece(self, piece: str, at: int) -> None:
        """Read a line, or what stands between two carriage returns; above progress stands the name of its file."""
        if "B/s" in piece and (named := _NAMED.match(piece)):
            self._name, piece = (named[1], at), piece[named.end() :]
        if apply(self._rules, piece, at):
            return
        if words := command(piece, "rsync"):
            self._call(words)
        self._name = ("" if words else piece.strip(), at)

    def end(self) -> None:
        """Say what was cut: a file on its way, statistics without their summary, a summary behind its first line."""
        if self._unfinished:
            self._parsed.incomplete("the progress of a file ends before the file does", self._unfinished)
        if self._summary:
            self._parsed.incomplete("expected the total size behind what was sent", int(self._summary["line"]))
        elif self._counted_at:
            self._parsed.incomplete("expected what was sent and received below the statistics", self._counted_at)
        if self._summary or self._statistics:
            self._finish({})
        if self._is_taken_for_thousands:
            self._parsed.note(
                "letters are taken for powers of 1000 (-h): of 1024 with -hh, which the log does not tell"
            )
        if len(self._commands) == 1:
            self._parsed.header["command"] = self._commands[0]
        if self._part <= 2.0:
            for row in (*self._parsed.runs, *self.samples):
                row.pop("part", None)

    def _call(self, words: list[str]) -> None:
        self._commands.append(" ".join(words))
        options = [word for word in words[1:] if _SHORT_OPTIONS.fullmatch(word)]
        humane = sum(word.count("h") for word in options) + words.count("--human-readable")
        self._letters = units.powers(1000.0 if humane < 2 else units.KIB, "KMGTP")
        said = itertools.takewhile(lambda word: not word.startswith("#"), words[1:])
        ends = [word for word in said if not word.startswith("-")]
        here, there = (bool(_REMOTE.match(end)) for end in (ends[-2:] if len(ends) > 1 else ("", "")))
        self._operation = "copy" if here == there else "download" if here else "upload"

    def _begun(self, found: re.Match[str], at: int) -> None:
        """Learn from the side that prints it which way files go; a local copy sends, as one to a server does."""
        if found[1] == "receiving":
            self._operation = "download"
        self._name = ("", at)

    def _torn(self, found: re.Match[str], at: int) -> None:
        line = found.string.strip()
        self._parsed.incomplete(f"expected a summary or progress of rsync, found {line[:60]!r}", at)

    def _timed(self, found: re.Match[str], at: int) -> None:
        self._metric(found[1], float(found[2].replace(",", ".")), "s", at)

    def _progress(self, found: re.Match[str], at: int) -> None:
        size, share, rate, letter, hours, minutes, seconds, ordinal = found.groups()
        sample: Row = {"part": self._part, "operation": self._operation, "data_size": self._number(size)}
        sample |= {"progress": int(share) / 100, "throughput": float(rate.replace(",", ".")) * _RATES[letter]}
        self._unfinished = 0 if ordinal or share == "100" else at
        if ordinal and hours:
            sample["time"] = 3600.0 * int(hours) + 60.0 * int(minutes) + float(seconds)
        name, above = self._name
        if name and at - above <= 1:
            sample["file"] = name
            self._name = (name, at)
        self.samples.append(sample | {"line": at})

    def _sent(self, found: re.Match[str], at: int) -> None:
        sent, received, rate, size = found.groups()
        self._metric("sent", self._number(sent), "B", at)
        self._metric("received", self._number(received), "B", at)
        self._moved = self._number(sent) + self._number(received)
        self._rounded = sent[-1].isalpha() or received[-1].isalpha()
        self._counted_at = self._unfinished = 0
        self._summary = {"line": at}
        if rate:
            self._summary |= on(at, {"throughput": self._number(rate)})
        else:
            self._metric("total size", self._number(size), "B", at)
            self._finish({})

    def _total(self, found: re.Match[str], at: int) -> None:
        size, speedup, dry = found.groups()
        self._metric("total size", self._number(size), "B", at)
        self._metric("speedup", self._number(speedup), "1", at)
        self._rounded |= size[-1].isalpha()
        self._weigh(self._number(size), self._number(speedup), at)
        if not self._summary:
            self._parsed.incomplete("expected what was sent above the total size", at)
            self._summary = {"line": at}
        self._finish({"label": dry.strip(" ()").lower()} if dry else {})

    def _weigh(self, size: float, speedup: float, at: int) -> None:
        """Hold the ratio against its terms, which have three digits at least where letters stand behind them."""
        expected = size / self._moved if self._moved else math.nan
        near = math.isclose(speedup, expected, rel_tol=_ROUNDED if self._rounded else 0.0, abs_tol=_LAST_DIGIT)
        if not (near or math.isnan(expected)):
            self._parsed.incomplete(f"expected a speedup near {expected:.6g}, found {speedup:.6g}", at)

    def _finish(self, more: Row) -> None:
        """Add the row of a call; what one that only tries would copy is no measurement of a copy."""
        line = int((self._summary or self._statistics)["line"])
        if more.get("label") == _DRY:
            for name, unit in (("files", "1"), ("data_size", "B")):
                if name in self._statistics:
                    value, at = float(self._statistics.pop(name)), line_of(self._statistics, name)
                    self._metric(f"{name} to be transferred", value, unit, at)
            self._statistics = {}
        measured = self._statistics | self._summary | more
        if measured.keys() - {"line"}:
            row = {"part": self._part, "operation": self._operation, **measured, "line": line}
            self._parsed.runs.append(settled(row))
        self._part += 1.0
        self._summary, self._statistics, self._name = {}, {}, ("", line)

    def _counted(self, found: re.Match[str], at: int) -> None:
        what, count, kinds = found.groups()
        self._counted_at = at
        if what in _TRANSFERRED:
            self._statistics |= {"line": at} | on(at, {"files": self._number(count)})
        else:
            self._metric(what, self._number(count), "1", at)
        for kind, many in _KINDS.findall(kinds or ""):
            self._metric(f"{what} ({kind})", self._number(many), "1", at)

    def _sized(self, found: re.Match[str], at: int) -> None:
        what, size = found.groups()
        self._counted_at = at
        if what == "Total transferred file size":
            self._statistics |= {"line": at} | on(at, {"data_size": self._number(size)})
        else:
            self._metric(what, self._number(size), "B", at)

    def _metric(self, name: str, value: float, unit: str, at: int) -> None:
        sample = metric(name, value, unit, at, operation=self._operation)
        self.samples.append(sample | {"part": self._part})

    def _number(self, text: str) -> float:
        """Read a number whose last two digits are decimals where a comma or point stands before them."""
        letter = text[-1] if text[-1] in self._letters else ""
        self._is_taken_for_thousands |= bool(letter) and not self._commands
        digits = text.removesuffix(letter)
        decimals = len(digits) > 3 and digits[-3] in ".,"
        plain = re.sub(r"[.,]", "", digits[:-3] if decimals else digits)
        return float(f"{plain}.{digits[-2:]}" if decimals else plain) * (self._letters[letter] if letter else 1.0)

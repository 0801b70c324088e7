"""What people put around logs on their way: each way as a function, and where it puts the lines.

A way takes the text of a log and returns the bytes of a file that holds it, with the number of the line that each line
of the log has there.
"""

from __future__ import annotations

import bz2
import gzip
import html
import io
import json
import lzma
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pyarrow as pa


class Wrapped(NamedTuple):
    """A file: its bytes, and the number in it of each line of the log, the first at place 0."""

    data: bytes
    numbers: Sequence[int]


Way = Callable[[str], Wrapped]


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _prefixed(prefix: Callable[[int], str]) -> Way:
    """Put something in front of every line; what ends with a blank loses it where the line is empty."""

    def way(text: str) -> Wrapped:
        lines = [prefix(at) + line for at, line in enumerate(_lines(text))]
        return Wrapped(("\n".join(lines) + "\n").encode(), range(1, len(lines) + 1))

    return way


def _around(before: Sequence[str], after: Sequence[str], change: Callable[[str], str] = str) -> Way:
    def way(text: str) -> Wrapped:
        lines = [change(line) for line in _lines(text)]
        first = len(before) + 1
        return Wrapped(("\n".join([*before, *lines, *after]) + "\n").encode(), range(first, first + len(lines)))

    return way


def _as_bytes(change: Callable[[str], bytes]) -> Way:
    return lambda text: Wrapped(change(text), range(1, len(_lines(text)) + 1))


def clock(at: int) -> str:
    """Time of day, three lines a second."""
    seconds = 5 * 3600 + 31 * 60 + at // 3
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _zstd(data: bytes) -> bytes:
    sink = io.BytesIO()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
        stream.flush()
        return_value = sink
    return return_value.getvalue()


def zstd(data: bytes) -> bytes:
    return pa.Codec("zstd").compress(data, asbytes=True)


PREAMBLE = [
    f"[host{at % 7}:{4000 + at % 13}] mca: base: components_open: found loaded component {at}" for at in range(2000)
]
BATCH = [
    "Loading mpi/openmpi-x86_64",
    "  Loading requirement: gcc/12.2 ucx/1.14",
    "+ module list",
    "+ srun --mpi=pmix -n 4 ./run.sh",
    "SLURM_JOB_ID=4711",
]
EPILOGUE = [
    "+ exit 0",
    "slurmstepd: info: Setting TMPDIR to /tmp",
    "------------------------------------------------------------",
    "Sender: LSF System <lsfadmin@node17>",
    "Resource usage summary:",
    "    CPU time :                                   12.00 sec.",
    "    Max Memory :                                 14 MB",
    "Job ID: 4711",
    "State: COMPLETED (exit code 0)",
]


def _recorded(record: Callable[[int, str], str]) -> Way:
    """Write each line as the message of a record, as a program that logs does."""

    def way(text: str) -> Wrapped:
        lines = [record(at, line) for at, line in enumerate(_lines(text))]
        return Wrapped(("\n".join(lines) + "\n").encode(), range(1, len(lines) + 1))

    return way


def _in_docker(at: int, line: str) -> str:
    return json.dumps({"log": f"{line}\n", "stream": "stdout", "time": f"2026-11-23T{clock(at)}.000000001Z"})


def _in_journal(at: int, line: str) -> str:
    said = line if line.isascii() else list(line.encode())
    return json.dumps({"__REALTIME_TIMESTAMP": f"1795412{at:09}", "MESSAGE": said, "_PID": "4711"})


PREFIXES: dict[str, Way] = {
    "mail": _prefixed(lambda at: "> "),
    "mail_twice": _prefixed(lambda at: ">> "),
    "grep_H": _prefixed(lambda at: "results/run-07.log:"),
    "grep_n": _prefixed(lambda at: f"{at + 1}:"),
    "grep_Hn": _prefixed(lambda at: f"results/run-07.log:{at + 1}:"),
    "grep_C": _prefixed(lambda at: f"results/run-07.log-{at + 1}-"),
    "ts": _prefixed(lambda at: f"Nov 23 {clock(at)} "),
    "ts_two_blanks": _prefixed(lambda at: f"Nov 23 {clock(at)}  "),
    "ts_iso": _prefixed(lambda at: f"2026-11-23T{clock(at)}+0000 "),
    "ts_elapsed": _prefixed(lambda at: f"00:{at // 60 % 60:02}:{at % 60:02} "),
    "ts_micro": _prefixed(lambda at: f"1795412{at % 1000:03}.{at * 7919 % 1000000:06} "),
    "ts_brackets": _prefixed(lambda at: f"[2026-11-23 {clock(at)}] "),
    "syslog": _prefixed(lambda at: f"Nov 23 {clock(at)} node17 bench[4711]: "),
    "syslog_two_blanks": _prefixed(lambda at: f"Nov 23 {clock(at)} node17 bench[4711]:  "),
    "syslog_5424": _prefixed(lambda at: f"<14>1 2026-11-23T{clock(at)}.000Z node17 bench 4711 - - "),
    "journal_iso": _prefixed(lambda at: f"2026-11-23T{clock(at)}+0000 node17 bench.sh[4711]: "),
    "kubernetes": _prefixed(lambda at: f"2026-11-23T{clock(at)}.{at:09}Z stdout F "),
    "stern": _prefixed(lambda at: "bench-7c9fd-x2k4l bench "),
    "buildkite": _prefixed(lambda at: f"\x1b_bk;t=17954{at:08}\x07"),
    "compose": _prefixed(lambda at: "bench-1  | "),
    "mpirun": _prefixed(lambda at: "[1,0]<stdout>:"),
    "mpirun_host": _prefixed(lambda at: "[prterun-n17-99@1,0]<stdout>: "),
    "srun": _prefixed(lambda at: "0: "),
    "srun_wide": _prefixed(lambda at: "  0: "),
    "mpiexec": _prefixed(lambda at: "[0] "),
    "pdsh": _prefixed(lambda at: "node17: "),
    "parallel": _prefixed(lambda at: "node17\t"),
    "cat_n": _prefixed(lambda at: f"{at + 1:6}\t"),
    "indented": _prefixed(lambda at: "    "),
    "diff": _prefixed(lambda at: "+"),
    "comment": _prefixed(lambda at: "# "),
    "python_logging": _prefixed(lambda at: f"2026-11-23 {clock(at)},{at % 1000:03} - bench - INFO - "),
    "jenkins": _prefixed(lambda at: f"[{clock(at)}] [node17] "),
    "learned": _prefixed(lambda at: f"@@ job {at % 3}/x => "),
    "mail_of_ts": _prefixed(lambda at: f"> Nov 23 {clock(at)} "),
    "srun_of_ts": _prefixed(lambda at: f"0: 2026-11-23T{clock(at)}+0000 "),
}


def returns(text: str) -> Wrapped:
    r"""Ends of lines as old Macs had them, which only logs without a ``\r`` of their own can have."""
    return Wrapped("\r".join(_lines(text)).encode() + b"\r", range(1, len(_lines(text)) + 1))


def coloured(text: str) -> Wrapped:
    lines = [f"\x1b[1;32m{line}\x1b[0m\x1b[K" if line else line for line in _lines(text)]
    return Wrapped("\n".join(lines).encode() + b"\n", range(1, len(lines) + 1))


def progress(text: str) -> Wrapped:
    r"""A bar that was written before every line, as ``\r`` leaves it in a file."""
    lines = [f" 10%|#         |\r 70%|#######   |\r{line}" for line in _lines(text)]
    return Wrapped("\n".join(lines).encode() + b"\n", range(1, len(lines) + 1))


def ranks_by_turns(text: str) -> Wrapped:
    """Lines of rank 0, between those of ranks that have little to say."""
    lines, numbers = [], []
    for at, line in enumerate(_lines(text)):
        if at % 5 == 0:
            lines.append(f"{1 + at % 3}: libfabric: provider {at} is not used")
        lines.append(f"0: {line}")
        numbers.append(len(lines))
    return Wrapped("\n".join(lines).encode() + b"\n", numbers)


def listed(text: str) -> Wrapped:
    """Strings of a list, of which the last has no comma, as Ansible prints what a command said."""
    items = ",\n".join(f"        {json.dumps(line)}" for line in _lines(text))
    before = ["ok: [node17] => {", '    "out.stdout_lines": [']
    return _between(before, items, ["    ]", "}"])


def notebook(text: str) -> Wrapped:
    """Lines with their ends in a list of strings, as a notebook keeps what its cell printed, below its own prose."""
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Results\n", "of last night\n", "on node 17"]},
        {"cell_type": "code", "outputs": [{"output_type": "stream", "text": ["@@"]}], "source": ["!./run.sh"]},
    ]
    before, after = json.dumps({"cells": cells, "nbformat": 4}, indent=1).split('"@@"')
    items = ",\n      ".join(json.dumps(line + "\n") for line in _lines(text))
    return _between(before.rstrip(" ").split("\n")[:-1], f"      {items}", after.strip("\n").split("\n"))


def _between(before: Sequence[str], items: str, after: Sequence[str]) -> Wrapped:
    lines = items.split("\n")
    first = len(before) + 1
    return Wrapped("\n".join([*before, *lines, *after, ""]).encode(), range(first, first + len(lines)))


def difference(text: str) -> Wrapped:
    """A file that is new in a unified difference."""
    head = ["diff --git a/out.txt b/out.txt", "--- /dev/null", "+++ b/out.txt", f"@@ -0,0 +1,{len(_lines(text))} @@"]
    return _around(head, ["-- ", "2.39.2"], lambda line: f"+{line}")(text)


OTHERS: dict[str, Way] = {
    "gzip": _as_bytes(lambda text: gzip.compress(text.encode(), mtime=0)),
    "bzip2": _as_bytes(lambda text: bz2.compress(text.encode())),
    "xz": _as_bytes(lambda text: lzma.compress(text.encode())),
    "zstd": _as_bytes(lambda text: zstd(text.encode())),
    "gzip_in_xz": _as_bytes(lambda text: lzma.compress(gzip.compress(text.encode(), mtime=0))),
    "bom": _as_bytes(lambda text: text.encode("utf-8-sig")),
    "utf16": _as_bytes(lambda text: text.encode("utf-16")),
    "utf16_without_mark": _as_bytes(lambda text: text.encode("utf-16-le")),
    "utf16_be": _as_bytes(lambda text: b"\xfe\xff" + text.encode("utf-16-be")),
    "utf32": _as_bytes(lambda text: text.encode("utf-32")),
    "crlf": _as_bytes(lambda text: text.replace("\n", "\r\n").encode()),
    "returns": returns,
    "coloured": coloured,
    "progress": progress,
    "docker_json": _recorded(_in_docker),
    "journal_json": _recorded(_in_journal),
    "logrus": _recorded(lambda at, line: f'time="2026-11-23T{clock(at)}Z" level=info msg={json.dumps(line)}'),
    "ranks_by_turns": ranks_by_turns,
    "listed": listed,
    "notebook": notebook,
    "difference": difference,
    "preamble": _around(PREAMBLE, []),
    "batch": _around(BATCH, EPILOGUE),
    "script": _around(
        [
            'Script started on 2026-11-23 05:31:00+00:00 [TERM="xterm" TTY="/dev/pts/0" COLUMNS="80" LINES="24"]',
            "$ ./run",
        ],
        ["$ exit", "", 'Script done on 2026-11-23 05:35:00+00:00 [COMMAND_EXIT_CODE="0"]'],
    ),
    "fence": _around(["# Results", "", "As measured last night:", "", "```text"], ["```", "", "More soon."]),
    "indented_block": _around(
        ["Hello all,", "", "this is what I get:", ""], ["", "Any idea?"], lambda line: f"    {line}"
    ),
    "quoted_in_mail": _around(
        ["Date: Mon, 23 Nov 2026 05:31:00 +0000", "Subject: slow", "", "On Monday somebody wrote:"],
        ["", "That is slow indeed."],
        lambda line: f"> {line}",
    ),
    "html": _around(
        ["<html><body>", "<p>Results</p>", "<pre>"], ["</pre>", "</body></html>"], lambda line: html.escape(line)
    ),
}
BLOCKS = {
    "latex": ("\\begin{verbatim}", "\\end{verbatim}"),
    "noformat": ("{noformat}", "{noformat}"),
    "code": ("{code:title=out|borderStyle=solid}", "{code}"),
    "trac": ("{{{", "}}}"),
    "org": ("#+BEGIN_EXAMPLE", "#+END_EXAMPLE"),
}
OTHERS |= {
    name: _around(["Results", "", opening], [closing, "", "More soon."]) for name, (opening, closing) in BLOCKS.items()
}
WAYS: dict[str, Way] = {**PREFIXES, **OTHERS}

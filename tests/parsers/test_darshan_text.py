"""What golden tables do not show of darshan-parser: counters whose names were damaged."""

from __future__ import annotations

import re

import pytest

from storagelab import parsers
from tests.conftest import LOGS


def test_a_counter_without_a_name_is_no_bytes_of_a_sync() -> None:
    text = (LOGS / "darshan_parser" / "imitated-3.4-base.txt").read_text()
    record, opens = "POSIX\t-1\t6301063301082038805\tPOSIX_", "OPENS\t4"
    torn = text.replace(record + opens, f"{record}FSYNCS\t1\n{record}\t4", 1)
    assert torn != text
    rows = [row for row in parsers.parse(torn).runs if row["operation"] == "sync"]
    assert all("data_size" not in row for row in rows)


def test_a_counter_that_a_record_has_no_number_of_is_not_missed() -> None:
    text = (LOGS / "darshan_parser" / "imitated-3.4-base.txt").read_text()
    unknown = text.replace("POSIX\t2\t17\tPOSIX_SEEKS\t0", "POSIX\t2\t17\tPOSIX_SEEKS\tN/A")
    assert unknown != text
    assert parsers.parse(unknown).complete
    assert parsers.parse(unknown.replace("\tPOSIX_SEEKS\t4096\t", "\tPOSIX_SEEKS\tN/A\t")).complete


@pytest.mark.parametrize(
    ("log", "lost", "said"),
    [
        ("imitated-3.4-base.txt", r"POSIX\t2\t17\tPOSIX_WRITES\t.*\n", "expected POSIX_WRITES of /scratch/demo/own.2"),
        ("imitated-3.4-dxt.txt", r"# DXT, write_count: .*\n", "expected the file, the rank and the counts of 'X_POSIX"),
        ("imitated-3.4-dxt.txt", r"# DXT, file_id: .*\n", "above it, found None, '0'"),
        ("imitated-3.4-dxt.txt", r"# DXT, rank: .*\n", "above it, found '/scratch/stencil.out', None"),
        ("imitated-3.4-total-file-perf.txt", r"# read_only: .*\n", "expected '# read_only:' as often as '# total:'"),
        ("imitated-2.2-base-perf.txt", r"# agg_perf_by_open: .*\n", "expected 'agg_perf_by_open:' as often as"),
    ],
)
def test_a_line_that_a_record_or_a_block_lacks_is_told(log: str, lost: str, said: str) -> None:
    text = (LOGS / "darshan_parser" / log).read_text()
    assert parsers.parse(text).complete
    notes = [note.text for note in parsers.parse(re.sub(lost, "", text, count=1)).notes]
    assert [note for note in notes if said in note], notes


KINDS = """\
# <file_type> <file_count> <total_bytes> <max_byte_offset>
# total: 12 4096 1024
# read_only: 10 3072 1024
# write_only: 2 1024 512
# read_write: 0 0 0
# unique: 12 4096 1024
# shared: 0 0 0
"""


def test_kinds_of_files_that_were_cut_out_are_read_and_of_no_known_module() -> None:
    parsed = parsers.parse(KINDS)
    assert not parsed.complete
    assert [(row["label"], row["files"], row["api"]) for row in parsed.runs[:2]] == [
        ("total", 12.0, "unknown"),
        ("read_only", 10.0, "unknown"),
    ]


@pytest.mark.parametrize("tab", ["\t", "     ", " "])
def test_counters_of_a_record_that_were_cut_out_are_read(tab: str) -> None:
    counters = {"POSIX_READS": 27, "POSIX_BYTES_READ": 4096, "POSIX_F_READ_TIME": 0.5}
    where = ("/scratch/a b.h5", "/scratch", "lustre")
    text = "".join(
        f"{tab.join(['POSIX', '3', '12386', name, f'{value}', *where])}\n" for name, value in counters.items()
    )
    parsed = parsers.parse(text)
    assert not parsed.complete
    row = parsed.clients[0]
    assert (row["process"], row["file"], row["operations"], row["data_size"]) == ("3", "/scratch/a b.h5", 27.0, 4096.0)

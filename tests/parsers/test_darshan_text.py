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

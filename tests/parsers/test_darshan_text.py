"""What golden tables do not show of darshan-parser: counters whose names were damaged."""

from __future__ import annotations

from storagelab import parsers
from tests.conftest import LOGS


def test_a_counter_without_a_name_is_no_bytes_of_a_sync() -> None:
    text = (LOGS / "darshan_parser" / "imitated-3.4-base.txt").read_text()
    record, opens = "POSIX\t-1\t6301063301082038805\tPOSIX_", "OPENS\t4"
    torn = text.replace(record + opens, f"{record}FSYNCS\t1\n{record}\t4", 1)
    assert torn != text
    rows = [row for row in parsers.parse(torn).runs if row["operation"] == "sync"]
    assert all("data_size" not in row for row in rows)

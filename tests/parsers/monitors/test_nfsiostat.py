"""nfsiostat: what golden tables do not show."""

from __future__ import annotations

from storagelab.parsers.monitors import nfsiostat
from tests.conftest import LOGS


def test_a_percentage_below_no_columns_is_told() -> None:
    """Found by a mutant."""
    text = (LOGS / "nfsiostat/imitated-1.2-python3.txt").read_text()
    parsed = nfsiostat.parse(f"{text} (0.0%)\n")
    assert [note.text for note in parsed.notes] == ["expected numbers of no columns, found []"]
    assert not parsed.complete
    assert parsed.series == nfsiostat.parse(text).series


def test_what_is_drawn_below_a_title_is_no_number() -> None:
    text = (LOGS / "nfsiostat/imitated-1.2-python3.txt").read_text()
    parsed = nfsiostat.parse(f"{text}\nnfsstat\n-------\n")
    assert (parsed.complete, parsed.notes) == (True, [])


def test_a_mount_that_reads_and_never_writes_lost_a_part() -> None:
    """Posted logs end there, and so may one that was copied from a terminal."""
    text = (LOGS / "nfsiostat/imitated-1.2-tabs.txt").read_text()
    parsed = nfsiostat.parse(text[: text.rindex("write:")])
    assert [note.text for note in parsed.notes] == ["'read:' of a mount without its 'write:', which follows it"]
    assert not parsed.complete

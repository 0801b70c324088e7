"""nfsiostat: what golden tables do not show."""

from __future__ import annotations

import pytest

from storagelab.parsers.monitors import nfsiostat
from tests.conftest import LOGS
from tests.parsers.monitors.samples import rows


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


MOUNT = """nas4:/vol mounted on /vol:

           ops/s       rpc bklog
           2.500           0.000

"""
SENTENCES = {
    "9 inode revalidations, hitting in cache 66.67% of the time": {
        "inode revalidations": 9.0,
        "inode revalidations that hit in cache": 0.6667,
    },
    "4 open operations (mandatory GETATTR requests)": {"open operations (mandatory GETATTR requests)": 4.0},
    "12.50% of GETATTRs resulted in data cache invalidations": {
        "GETATTRs that resulted in data cache invalidations": 0.125
    },
    "8 dentry revalidates and 6 vfs lookup requests\nresulted in 3 LOOKUPs on the wire": {
        "dentry revalidates": 8.0,
        "vfs lookup requests": 6.0,
        "LOOKUPs on the wire": 3.0,
    },
    "8 dentry revalidates and 6 vfs lookup requests resulted in 3 LOOKUPs on the wire": {
        "dentry revalidates": 8.0,
        "vfs lookup requests": 6.0,
        "LOOKUPs on the wire": 3.0,
    },
    "5 vfs getdents calls resulted in 2 READDIRs on the wire": {"vfs getdents calls": 5.0, "READDIRs on the wire": 2.0},
    "7 nfs_readahead() calls read 21 pages\n(3.0 pages per call)": {
        "nfs_readahead() calls": 7.0,
        "nfs_readahead() pages": 21.0,
        "nfs_readahead() pages per call": 3.0,
    },
    "2 nfs_writepages() calls wrote 9 pages (4.5 pages per call)": {
        "nfs_writepages() calls": 2.0,
        "nfs_writepages() pages": 9.0,
        "nfs_writepages() pages per call": 4.5,
    },
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_each_number_of_a_sentence_on_caches_and_pages_has_a_name(sentence: str) -> None:
    parsed = nfsiostat.parse(f"{MOUNT}{sentence}\n")
    told = {str(row["metric"]): row["value"] for row in rows(parsed) if row.get("metric", "rpc bklog") != "rpc bklog"}
    assert (told, parsed.notes) == (pytest.approx(SENTENCES[sentence]), [])
    assert {row["mount"] for row in rows(parsed)} == {"/vol"}
    assert max(row["line"] for row in rows(parsed)) == 6 + sentence.count("\n")


def test_pages_of_a_call_that_is_not_above_are_left_alone() -> None:
    parsed = nfsiostat.parse(f"{MOUNT}7 nfs_readpages() calls read 21 pages\n\n(3.0 pages per call)\n")
    assert "nfs_readpages() pages per call" not in parsed.series["metric"]


def test_a_sentence_that_nfsiostat_has_not_is_told() -> None:
    parsed = nfsiostat.parse(f"{MOUNT}5 vfs getdents calls resulted in\n")
    assert not parsed.complete
    assert "expected a counter of nfsiostat, found '5 vfs getdents" in parsed.notes[0].text

"""What `make reports` made is used by tests only as long as nothing has changed since."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import reports
from tests.cli.test_reports import dvc, repository, stage


@pytest.mark.slow
def test_reports_are_up_to_date_until_a_source_or_an_output_changes(tmp_path: Path) -> None:
    root = repository(tmp_path / "root", {"copy": stage("cp source made", "made", deps=("source",))})
    assert reports.changed_stages(root) != reports.NOTHING_CHANGED, "nothing was made yet"
    dvc("repro", "--quiet", cwd=root)
    assert reports.changed_stages(root) == reports.NOTHING_CHANGED
    (root / "made").write_text("edited by hand\n")
    assert '"copy"' in reports.changed_stages(root)
    dvc("repro", "--quiet", "--force", cwd=root)
    (root / "source").write_text("another source\n")
    assert '"copy"' in reports.changed_stages(root)


def test_where_dvc_cannot_tell_they_are_not(tmp_path: Path) -> None:
    assert reports.changed_stages(tmp_path) != reports.NOTHING_CHANGED


def test_what_is_stale_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "up_to_date", lambda: False)
    assert reports.report_or("a", lambda: tmp_path) == tmp_path / "reports" / "a"
    assert reports.dataset_or("stale-in-a-test", lambda place: place.write_text("made")).read_text() == "made"
    monkeypatch.setattr(reports, "up_to_date", lambda: True)
    assert reports.report_or("a", lambda: tmp_path) == reports.ROOT / "reports" / "a"
    assert reports.dataset_or("a", Path.mkdir) == reports.ROOT / "reports" / "a" / "dataset.nc"

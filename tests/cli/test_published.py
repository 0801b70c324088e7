"""reconstruct and claims: what they print, and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest
import xarray as xr

from storagelab import claims, dataset
from storagelab.cli.claims import _why
from tests.claims import tiny
from tests.cli.conftest import Cli


def conditions(study: str, origin: str) -> xr.Dataset:
    """What the runs of a study were made under, by the five keys."""
    keys = {"filesystem": "lustre", "driver": "unknown", "striping": "not applicable", "clients": 3.0}
    rows = [{"run_id": mode, "server_mode": mode, **keys} for mode in ("bare-metal", "virtual")]
    return dataset.from_rows(rows, origin=origin, study=study)


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny published study below a repository that is the working directory, its dataset made."""
    monkeypatch.chdir(tmp_path)
    return published()


def published() -> Path:
    """Write a tiny published study into the working directory, and a campaign that speaks of its claims."""
    Path("raw").mkdir()
    for name, origin in (("tiny", "reconstructed"), ("cluster-2026", "measured")):
        nodes = {"runs": tiny.logs(origin)["runs"].to_dataset(), "conditions": conditions(name, origin)}
        tree = dataset.tree(nodes, {"study": name, "title": "tiny"})
        dataset.save(tree, Path("reports", name, "dataset.nc"))
    folder = tiny.write(Path("raw", "tiny"))
    (folder / "study.yaml").write_text("{id: tiny, title: Tiny, origin: reconstructed}\n")
    return folder


def test_the_ledger_is_printed_and_nothing_is_written_before_the_verdicts_are_accepted(study: Path, cli: Cli) -> None:
    result = cli("claims", "tiny")
    assert result.code == 1
    assert (
        "read: consistent with the printed text [350 MB/s | 350 MB/s] (the pipeline: the number was put in)"
        in result.out
    )
    assert "read: no verdict -> supported" in result.err
    assert "accept them with --accept" in result.err
    assert not Path("reports/tiny/claims.json").exists()


def test_accepted_verdicts_pass_until_one_changes(study: Path, cli: Cli) -> None:
    assert cli("claims", "tiny", "--accept").code == 0
    assert claims.read("reports/tiny/claims.json").verdicts()["read"] == "supported"
    result = cli("claims", "tiny")
    assert (result.code, result.err) == (0, "")
    tiny.write(study, claims=("stated: 350 MB/s", "stated: 450 MB/s"))
    result = cli("claims", "tiny")
    assert result.code == 1
    assert "read: supported -> not supported" in result.err
    assert result.err.count("->") == 1


def test_a_dataset_that_is_missing_is_named(study: Path, cli: Cli) -> None:
    Path("reports/cluster-2026/dataset.nc").unlink()
    result = cli("claims", "tiny")
    assert result.code == 1
    assert "reports/cluster-2026/dataset.nc: no dataset: run `storagelab ingest cluster-2026` first" in result.err


def test_all_that_a_paper_lacks_is_named_at_once(study: Path, cli: Cli) -> None:
    for name in ("checks.yaml", "figures.yaml"):
        (study / name).unlink()
    result = cli("claims", "tiny")
    assert result.code == 1
    assert (
        "raw/tiny: claims are those of a paper, in claims.yaml, checks.yaml, figures.yaml, published.yaml" in result.err
    )
    assert result.err.endswith(": has no checks.yaml, figures.yaml\n")


@pytest.mark.parametrize(("interval", "said"), [("3 to 4 MB/s", "  95 % interval 3 to 4 MB/s (n = 6); "), ("", "  ")])
def test_what_has_an_interval_is_told_with_it(interval: str, said: str) -> None:
    row = {"95 % interval": interval, "tolerance": "border", "flips at": "", "why": ""}
    assert list(_why(row, 6.0)) == [f"{said}tolerance border"]


def test_numbers_that_do_not_come_out_are_printed(study: Path, cli: Cli) -> None:
    tiny.write(study, checks=('result: "3.571"', 'result: "4.571"'))
    out = cli("claims", "tiny").out
    assert "does not agree: concluded: printed 3, comes out 3.57143" in out
    assert "does not agree: k1: 4.571, comes out 3.57" in out


def test_a_study_without_a_campaign_cannot_be_reconstructed(study: Path, cli: Cli) -> None:
    result = cli("reconstruct", "tiny")
    assert result.code == 1
    assert "reconstructions has no module that renders logs" in result.err
    assert not (study / "logs").exists()


EXTRACTS = """\
title: Both
nodes:
  effects:
    variable: ratio
    extracts:
    - {study: tiny, label: writes, quantity: {expression: vi_write / bm_write}}
    - study: cluster-2026
      label: reads
      quantity:
        where: {operation: read}
        steps: [{compare: {variable: throughput, factor: server_mode, base: bare-metal, other: virtual, by: []}}]
        take: ratio
"""


def beside(text: str = EXTRACTS) -> None:
    Path("raw/synthesis").mkdir(exist_ok=True)
    Path("raw/synthesis/extracts.yaml").write_text(text)
    figure = "{id: xs, origin: proposed, status: new, shows: effects, drawn: [effects], claims: [four]}"
    Path("raw/synthesis/figures.yaml").write_text(f"figures: [{figure}]\n")
    group = "{id: g-x, claims: [four, three], verdict: tension, why: both round}"
    Path("raw/synthesis/checks.yaml").write_text(f"groups: [{group}]\n")


def test_numbers_of_several_studies_are_set_side_by_side(study: Path, cli: Cli) -> None:
    beside()
    result = cli("synthesis")
    assert (result.code, result.out) == (0, "reports/synthesis/dataset.nc: 2 in effects, 4 in conditions\n")
    tree = dataset.load("reports/synthesis/dataset.nc")
    assert tree["effects"]["origin"].values.tolist() == ["reconstructed", "measured"]
    record = claims.read("reports/synthesis/claims.json")
    assert (record.study, record.origin) == ("synthesis", "measured and reconstructed")
    assert [part["id"] for part in (*record.figures, *record.groups)] == ["xs", "g-x"]


def test_a_study_whose_dataset_is_missing_or_whose_number_is_is_named(study: Path, cli: Cli) -> None:
    beside(EXTRACTS.replace("vi_write /", "vi_writ /"))
    result = cli("synthesis")
    assert result.code == 1
    assert "tiny, writes: no published value 'vi_writ'" in result.err
    assert not Path("reports/synthesis").exists()
    Path("reports/cluster-2026/dataset.nc").unlink()
    assert "run `storagelab ingest cluster-2026` first" in cli("synthesis").err

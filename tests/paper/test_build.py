"""From a notebook and a dataset to a folder a reader can open; through a kernel, so few tests."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
import xarray as xr

from storagelab import dataset
from storagelab.errors import PaperError
from storagelab.paper import build_index, build_paper, data_provenance, run_notebook
from storagelab.paper.index import read_summary
from tests.paper.conftest import CELLS, OPENING, PRINTS_ITSELF, STUDY, notebook, opened, write_root

PARAMETERS = CELLS[1]


def files(root: Path) -> dict[str, bytes]:
    folder = root / "reports" / STUDY
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.slow
def test_a_second_build_elsewhere_gives_the_same_bytes(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"TZ": "Asia/Tokyo", "LC_ALL": "C", "COLUMNS": "40", "PYTHONHASHSEED": "7"}.items():
        monkeypatch.setenv(name, value)
    root = write_root(tmp_path / "another" / "and a longer" / "place", origin="reconstructed")
    spec = tmp_path / "jupyter" / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text('{"argv": ["false"], "display_name": "none of ours", "language": "python"}')
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    (tmp_path / "matplotlibrc").write_text("font.size: 20\n")
    monkeypatch.chdir(tmp_path)
    build_paper(STUDY, root)
    assert files(root) == files(built)
    assert not any(str(place).encode() in content for content in files(root).values() for place in (tmp_path, built))


def test_everything_a_paper_consists_of_and_nothing_else(built: Path) -> None:
    names = {f"figures/throughput.{suffix}" for suffix in ("csv", "png", "svg")}
    names |= {"dataset.nc", "facts.json", "metrics.json", "summary.json", "paper.html", "tables/cases.csv"}
    names |= {"numbers.tex", "tables/cases.tex"}
    assert set(files(built)) == names
    assert {path.name for path in (built / "notebooks").iterdir()} == {"tiny_2026.ipynb", "references.bib"}


def test_facts_lead_to_the_lines_of_all_clients(built: Path) -> None:
    facts = json.loads(files(built)["facts.json"])["facts"]
    assert facts["best"]["value"] == 415e6
    assert facts["best"]["unit"] == "B/s"
    assert facts["best"]["origin"] == "reconstructed"
    assert facts["best"]["interval"] == {"low": 373.5e6, "high": 456.5e6, "level": 0.95}
    assert facts["best"]["trace"] == {"raw/tiny-2026/a.log": [11, 12, 13, 91], "raw/tiny-2026/b.log": [14, 15, 16, 92]}
    assert facts["unused"]["text"] == "12.3\u202f%"
    assert not facts["unused"]["used"]


def test_summary_is_what_the_index_and_metrics_what_dvc_needs(built: Path) -> None:
    summary = json.loads(files(built)["summary.json"])
    assert summary["title"] == "A tiny paper"
    assert summary["abstract"] == "The best of 6 is 415 MB/s."
    assert summary["dates"] == "2011-03", "the days in logs that were not measured are no dates"
    data = {"runs": 6, "measurements": 6, "logs": 2}
    assert summary["counts"] == {**data, "figures": 1, "tables": 1, "facts": 3}
    metrics = json.loads(files(built)["metrics.json"])
    assert metrics == {
        "counts": summary["counts"],
        "rows": {"clients": 2, "logs": 2, "runs": 6},
        "facts": {"best": 415e6, "cases": 6, "unused": 0.123456},
    }
    assert summary["notes"] == ["fact 'unused' is never used"]


def test_reconstruction_cannot_be_lost(built: Path) -> None:
    made = files(built)
    assert b"reconstructed data</text>" in made["figures/throughput.svg"]
    for table in ("figures/throughput.csv", "tables/cases.csv"):
        head, *rows = made[table].decode().splitlines()
        assert head.split(",")[-2:] == ["log", "origin"] or head.endswith(",origin")
        assert all(row.endswith("reconstructed") for row in rows)
    page = made["paper.html"].decode()
    whole, *cards = page.split('<div popover="auto"')
    assert whole.count("Reconstructed data</span>") == 3
    assert [card.count("Reconstructed data</span>") for card in cards] == [1] * len(cards) == [1, 1]
    assert "were not written by a benchmark" in page


def test_stamp_lies_inside_the_drawing(built: Path) -> None:
    svg = files(built)["figures/throughput.svg"].decode()
    height = float(svg.split('viewBox="0 0 ')[1].split('"')[0].split()[1])
    y = float(svg.split("reconstructed data")[0].rsplit(' y="', 1)[1].split('"')[0])
    assert height - 8 < y < height


def test_table_has_full_numbers_in_its_file_and_rounded_ones_in_the_page(built: Path) -> None:
    head, first, *_ = files(built)["tables/cases.csv"].decode().splitlines()
    assert head == "basis,filesystem,clients,file_size,throughput,origin"
    assert first == "model,ext4,1.0,4194304.0,100000000.0,reconstructed"
    page = files(built)["paper.html"].decode()
    assert '<td class="number">100</td>' in page
    assert '<p class="alike">The same in each row: File size: 4\u202fMiB.</p>' in page


@pytest.mark.slow
def test_failing_cell_is_named_and_the_notebook_kept(
    make: Callable[..., Path], capfd: pytest.CaptureFixture[str]
) -> None:
    root = make("# T", PARAMETERS, (OPENING,), ("x = 1\nraise ValueError('bad clients')",))
    old = files(root)
    with pytest.raises(PaperError, match=r"(?s)tiny_2026.ipynb: cell 4: ValueError: bad clients\n    x = 1\n"):
        build_paper(STUDY, root)
    kept = nbformat.read(root / "notebooks" / "tiny_2026.failed.ipynb", as_version=4)
    assert kept.cells[-1].outputs[0].evalue == "bad clients"
    assert files(root) == old
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "why", "printed"),
    [
        ("raise ValueError('bad clients')", "ValueError: bad clients", []),
        ("os._exit(3)", "Kernel died", ["    no memory for a buffer", "    lost 1 page"]),
    ],
)
def test_what_the_process_of_a_kernel_prints_is_told_only_where_it_dies(
    make: Callable[..., Path], capfd: pytest.CaptureFixture[str], end: str, why: str, printed: list[str]
) -> None:
    root = make("# T", PARAMETERS, (OPENING,), (PRINTS_ITSELF + end,))
    with pytest.raises(PaperError, match=rf"tiny_2026\.ipynb: cell 4: {why}\n") as failed:
        build_paper(STUDY, root)
    told = [one.text for one in failed.value.others]
    assert [line for line in told if line in ("    no memory for a buffer", "    lost 1 page")] == printed
    assert capfd.readouterr() == ("", "")


def test_a_kernel_that_does_not_start_is_told(make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("Kernel died before replying to kernel_info")

    monkeypatch.setattr(run_notebook, "execute_notebook", refuse)
    root = make()
    with pytest.raises(PaperError, match=r"tiny_2026\.ipynb: before the first cell: Kernel died before replying"):
        build_paper(STUDY, root)


@pytest.mark.slow
def test_why_a_cell_failed_is_told_where_the_notebook_cannot_be_kept(
    make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, executed: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(run_notebook.failed_path(path)))

    root = make("# T", PARAMETERS, (OPENING,), ("raise ValueError('bad clients')",))
    monkeypatch.setattr(run_notebook, "keep_failed", refuse)
    with pytest.raises(PaperError, match=r"tiny_2026\.ipynb: cell 4: ValueError: bad clients\n") as failed:
        build_paper(STUDY, root)
    *_, last = str(failed.value).splitlines()
    kept = root / "notebooks" / "tiny_2026.failed.ipynb"
    assert last == f"the failed notebook could not be kept: {kept}: Read-only file system"
    assert [one.text for one in failed.value.others] == ["    raise ValueError('bad clients')", last]


def test_broken_reference_keeps_what_was_there_and_the_notebook(
    make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    executed = notebook("# T", ("begin()", [opened()]), "## Abstract\n\nSee [@fig:gone].")
    monkeypatch.setattr(run_notebook, "run", lambda *arguments: executed)
    root = make()
    (root / "reports" / STUDY / "paper.html").write_text("the old one")
    with pytest.raises(PaperError, match=r"tiny_2026.ipynb: cell 3: unknown figure 'gone'"):
        build_paper(STUDY, root)
    assert (root / "reports" / STUDY / "paper.html").read_text() == "the old one"
    assert (root / "notebooks" / "tiny_2026.failed.ipynb").is_file()


def test_no_dataset_and_no_notebook(make: Callable[..., Path], tmp_path: Path) -> None:
    root = make()
    (root / "notebooks" / "tiny_2026.ipynb").unlink()
    with pytest.raises(PaperError, match=r"tiny_2026\.ipynb: no such notebook$"):
        build_paper(STUDY, root)
    os.unlink(root / "reports" / STUDY / "dataset.nc")  # noqa: PTH108
    with pytest.raises(
        PaperError, match=r"no dataset reports/tiny-2026/dataset\.nc: run `storagelab ingest tiny-2026`"
    ):
        build_paper(STUDY, root)


def test_index_lists_every_paper(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "reports", tmp_path / "reports")
    build_index(tmp_path)
    page = (tmp_path / "reports" / "index.html").read_text()
    assert '<a href="tiny-2026/paper.html">A tiny paper</a>' in page
    assert "Reconstructed data" in page
    assert "6&nbsp;runs, 6&nbsp;measurements, 2&nbsp;logs, 1&nbsp;figure, 1&nbsp;table, 3&nbsp;facts" in page
    assert [path.name for path in (tmp_path / "reports").iterdir() if path.name.startswith(".")] == []


def test_index_of_nothing(tmp_path: Path) -> None:
    build_index(tmp_path)
    assert "No paper has been built yet." in (tmp_path / "reports" / "index.html").read_text()


@pytest.mark.parametrize(("content", "message"), [("{", "x/summary.json: "), ("{}", "lacks study, title, abstract")])
def test_index_refuses_a_broken_summary(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "x" / "summary.json"
    path.parent.mkdir()
    path.write_text(content)
    with pytest.raises(PaperError, match=message):
        read_summary(path)


def test_operations_of_one_run_are_one_run() -> None:
    rows = [{"run_id": run, "operation": operation} for run in ("a", "b") for operation in ("write", "read")]
    tree = dataset.tree({"runs": dataset.from_rows(rows, origin="measured")}, {"origin": "measured"})
    said = data_provenance.provenance(data_provenance.Opened("tiny-2026", tree), Path(__file__))
    assert (said["runs"], said["rows"]["runs"]) == (2, 4)


@pytest.mark.parametrize(("complete", "incomplete"), [({}, 0), ({"complete": [1.0, 0.0, 0.0]}, 2)])
def test_logs_that_were_cut_are_counted(complete: dict[str, list[float]], incomplete: int) -> None:
    logs = xr.Dataset({name: ("obs", values) for name, values in {"bytes": [1.0] * 3, **complete}.items()})
    tree = xr.DataTree.from_dict({"/": xr.Dataset(attrs={"origin": "measured"}), "logs": logs})
    assert (
        data_provenance.provenance(data_provenance.Opened("tiny-2026", tree), Path(__file__))["incomplete"]
        == incomplete
    )


def test_tools_are_said_once_with_their_versions() -> None:
    said = [("fio", "3.36"), ("iozone", ""), ("fio", "3.36"), ("fio", "3.1"), ("", "")]
    logs = dataset.from_rows([{"tool": tool, "tool_version": of_it} for tool, of_it in said], origin="measured")
    tree = dataset.tree({"logs": logs}, {"origin": "measured"})
    found = data_provenance.provenance(data_provenance.Opened("tiny-2026", tree), Path(__file__))
    assert found["tools"] == ["fio 3.1", "fio 3.36", "iozone"]

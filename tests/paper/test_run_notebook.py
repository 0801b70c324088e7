"""What a kernel sees, and what is left of a run in its notebook."""

from __future__ import annotations

import json
import sys
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_output

from storagelab.figures.style import SHEET
from storagelab.paper import run_notebook
from storagelab.paper.reproducible_notebook import normalise, scrub
from storagelab.paper.run_notebook import PaperKernel, environment
from storagelab.pinned_environment import PINNED
from tests.paper.conftest import notebook


def test_environment_is_pinned_whatever_the_machine_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("PYTHONSTARTUP", "/start.py")
    found = environment("/scratch")
    assert {name: found[name] for name in PINNED} == dict(PINNED)
    assert found["TZ"] == "UTC"
    assert found["MATPLOTLIBRC"] == str(SHEET)
    assert found["PYTHONPATH"].endswith(":/somewhere")
    assert found["IPYTHONDIR"] == "/scratch"
    assert "PYTHONSTARTUP" not in found


def test_a_kernel_on_a_busy_machine_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jupyter gives up after four seconds without output: no machine may decide whether a paper is built."""
    asked: dict[str, Any] = {}

    def execute(source: str, output: None, **options: Any) -> None:
        asked.update(options)
        options["ours"].executed = notebook("# T")

    monkeypatch.setattr(run_notebook, "execute_notebook", execute)
    nbformat.write(notebook("# T"), tmp_path / "t.ipynb")
    run_notebook.run(tmp_path / "t.ipynb", {})
    assert asked["iopub_timeout"] == asked["start_timeout"] >= 600


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such sockets on Windows")
@pytest.mark.parametrize(("folder", "transport"), [("short", "ipc"), ("long" * 30, "tcp")])
def test_a_kernel_is_talked_to_over_sockets_in_its_folder_where_their_path_is_not_too_long(
    monkeypatch: pytest.MonkeyPatch, folder: str, transport: str
) -> None:
    """A port of TCP that was free can be another program's when the kernel asks for it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        scratch = Path(place, folder)
        scratch.mkdir()
        found: list[PaperKernel] = []
        start = PaperKernel._async_pre_start_kernel

        async def starting(kernel: PaperKernel, **options: Any) -> tuple[list[str], dict[str, Any]]:
            found.append(kernel)
            return await start(kernel, **options)

        monkeypatch.setattr(tempfile, "tempdir", str(scratch))
        monkeypatch.setattr(PaperKernel, "_async_pre_start_kernel", starting)
        nbformat.write(notebook("# T", ("1 + 1",)), scratch / "t.ipynb")
        assert run_notebook.run(scratch / "t.ipynb", {}).cells[1].outputs[0].data["text/plain"] == "2"
        assert [kernel.transport for kernel in found] == [transport]


def executed() -> NotebookNode:
    made = notebook(
        "# T",
        ("study = 'a'", "parameters"),
        ("study = 'b'", "injected-parameters"),
        (
            "x",
            [
                new_output("execute_result", execution_count=3, data={"text/plain": "<a at 0x7f00aa>"}),
                new_output("stream", name="stderr", text="/tmp/ipykernel_12/345.py:1: UserWarning"),
            ],
        ),
    )
    made.cells[3].execution_count = 3
    made.cells[3].metadata["papermill"] = {"duration": 0.1}
    made.metadata["papermill"] = {"start_time": "now"}
    return made


def test_normalised_notebook_says_nothing_of_its_run() -> None:
    nb = normalise(executed())
    assert [cell.id for cell in nb.cells] == ["cell-1", "cell-2", "injected-parameters", "cell-3"]
    assert set(nb.metadata) == {"authors", "language_info", "kernelspec"}
    assert nb.cells[3].metadata == {}
    assert nb.cells[3].execution_count is None
    assert nb.cells[3].outputs[0].execution_count is None
    assert nb.cells[3].outputs[0].data["text/plain"] == "<a>"
    assert nb.cells[3].outputs[1].text == "<cell>:1: UserWarning"


def test_an_error_in_a_cell_names_no_file_of_this_machine() -> None:
    failed = [new_output("error", ename="E", evalue="e", traceback=["/tmp/ipykernel_12/345.py:1", "<a at 0x7f00aa>"])]
    assert normalise(notebook("# T", ("x", failed))).cells[1].outputs[0].traceback == ["<cell>:1", "<a>"]


def test_what_an_output_says_of_itself_has_its_names_in_order() -> None:
    said = new_output("display_data", {"text/plain": "x"}, metadata={"b": {"d": [{"f": 1, "e": 2}], "c": 3}, "a": 4})
    (_, cell) = normalise(notebook("# T", ("x", [said]))).cells
    assert json.dumps(cell.outputs[0].metadata) == '{"a": 4, "b": {"c": 3, "d": [{"e": 2, "f": 1}]}}'


def test_normalising_twice_changes_nothing() -> None:
    once = normalise(executed())
    assert normalise(deepcopy(once)) == once


def test_uuids_are_numbered_as_they_appear_and_paths_hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    one, two = "0b5ae16e-3f5b-4bb4-8f5d-6f4c1a5d9a01", "1b5ae16e-3f5b-4bb4-8f5d-6f4c1a5d9a01"
    assert scrub(f"{two} {one} {two}", {}) == "uuid-1 uuid-2 uuid-1"
    assert scrub(f"{tmp_path}/x {Path.home()}/y", {}) == "<folder>/x ~/y"

"""The Artifact Description, tables and numbers in LaTeX: what they say, and that a stock TeX Live compiles them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from storagelab import dataset, submission
from storagelab.errors import PaperError
from storagelab.ingest.checksums import sha256
from storagelab.paper import latex
from storagelab.paper.tables import Look
from storagelab.study import read_sidecar
from storagelab.submission.appendix import _breakable, _contributions, _plan
from tests.cli.conftest import Cli
from tests.submission.conftest import STUDY

PDFLATEX = shutil.which("pdflatex")
DOCUMENT = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{textcomp,array,booktabs,longtable}
\input{numbers}
\begin{document}
%s
\end{document}
"""


COMPARISON = f"""\
title: Two schedulers
limits: [A scale model.]
nodes:
  effects:
    variable: value
    extracts:
    - {{study: {STUDY}, label: one, quantity: rate}}
"""


def test_it_says_what_the_forms_ask_for(handed_in: Path) -> None:
    text = submission.appendix(STUDY, handed_in)
    assert r"\item[$C_{1}$] Which scheduler is faster?" in text
    assert "$C_{1}$ to $C_" not in text
    assert r"\item One disk at 100 \% \& no other\_one." in text
    assert r"\item host, cpu: 2 cores" in text
    assert "fio 3.35" in text
    assert r"https://doi.org/10.5281/zenodo.123\_4" in text
    assert r"https://example.org/disks?a=1\&b=2" in text
    assert "CC-BY-4.0" in text
    assert "12 raw logs" in text
    measured = dataset.load(handed_in / f"reports/{STUDY}/dataset.nc")["runs"].to_dataset()
    names = [one.attrs["long_name"] for one in measured.data_vars.values() if "units" in one.attrs]
    assert re.findall(r"\\item\[Metrics\] (.*)\.", text) == [", ".join(names)]
    assert not re.search(r"<<| None\.|\bnan\b|\{\}|\[\]", text)
    for name in ("Contributions", "Artifact Setup", "Artifact Execution", "Expected Results", "Check-List"):
        assert name in text


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (
            "factors: {clients: [1, 4, 16], operation: [read, write]}, command: x",
            "clients (3 levels), operation (2 levels)",
        ),
        (
            "blocks: {levels: [{filesystem: xfs}, {filesystem: ext4}]}, "
            "groups: [{factors: {clients: [1, 4]}, command: x}, {factors: {processes: [1, 2, 3]}, command: y}]",
            "2 blocks, clients (2 levels), processes (3 levels)",
        ),
    ],
)
def test_it_says_what_was_planned(plan: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(f"id: one\ntitle: One\norigin: measured\nplan: {{repeats: 5, {plan}}}\n")
    assert _plan(read_sidecar(path)) == f"5 rounds of {said}"
    path.write_text("id: one\ntitle: One\norigin: measured\n")
    assert _plan(read_sidecar(path)) == ""


def test_contributions_are_numbered_and_long_digits_broken() -> None:
    assert (_contributions(1), _contributions(3)) == ("$C_{1}$", "$C_{1}$ to $C_{3}$")
    assert _breakable("0123456789abcdef01") == r"01234567\allowbreak 89abcdef\allowbreak 01"


def test_a_comparison_names_the_datasets_of_its_studies(handed_in: Path) -> None:
    folder = handed_in / "raw/both"
    folder.mkdir()
    (folder / "extracts.yaml").write_text(COMPARISON)
    shutil.copytree(handed_in / f"reports/{STUDY}", handed_in / "reports/both")
    tree = dataset.load(handed_in / f"reports/{STUDY}/dataset.nc")
    tree.attrs["study"] = "both"
    dataset.save(tree, handed_in / "reports/both/dataset.nc")
    text = submission.appendix("both", handed_in)
    assert rf"\texttt{{reports/{STUDY}/dataset.nc}} ({sha256(handed_in / f'reports/{STUDY}/dataset.nc')[:8]}" in text
    assert rf"\item {STUDY}: as its own artifact description says" in text
    assert r"\item[$T_1$] \texttt{storagelab synthesis raw/both}: datasets of the studies to one dataset." in text
    assert "numbers: 1; studies: 1; origin: measured" in text
    assert r"\item A scale model." in text
    assert "<<" not in text


def test_what_is_missing_is_named(handed_in: Path, cli: Cli) -> None:
    with pytest.raises(PaperError, match=r"^no raw/other/study\.yaml: the appendix is made from what it says$"):
        submission.appendix("other", handed_in)
    (handed_in / f"reports/{STUDY}/summary.json").unlink()
    with pytest.raises(PaperError, match=rf"^no paper reports/{STUDY}/paper\.html: build it first with"):
        submission.appendix(STUDY, handed_in)


def test_the_command_writes_a_file(handed_in: Path, cli: Cli) -> None:
    assert cli("appendix", STUDY, "--output", "a.tex").code == 0
    assert (handed_in / "a.tex").read_text() == cli("appendix", STUDY).out


@pytest.mark.slow
@pytest.mark.skipif(
    PDFLATEX is None, reason="pdflatex is not installed (on Debian: apt install texlive-latex-recommended)"
)
def test_tables_numbers_and_appendix_compile(handed_in: Path, tmp_path: Path) -> None:
    reports = handed_in / "reports" / STUDY
    shutil.copy(reports / "numbers.tex", tmp_path)
    tables = sorted((reports / "tables").glob("*.tex"))
    assert tables
    commands = re.findall(r"\\newcommand\{(\\\w+)\}", (reports / "numbers.tex").read_text())
    body = "\n\n".join([*commands, *(path.read_text() for path in tables), submission.appendix(STUDY, handed_in)])
    compile_(body, tmp_path)


def compile_(body: str, folder: Path) -> None:
    if not (folder / "numbers.tex").exists():
        (folder / "numbers.tex").write_text("")
    (folder / "main.tex").write_text(DOCUMENT % body)
    done = subprocess.run(
        [str(PDFLATEX), "-interaction=nonstopmode", "-halt-on-error", "main.tex"],
        cwd=folder, capture_output=True, text=True, check=False, errors="replace",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]


HOSTILE = r"a\b{c}$d&e#f%g_h~i^j<k>l|m" + "\"n' \u00b5s \u2009\u202f\u00a0\u2212\u00d7\u00e9\u6f22 `x` ``y''"


@pytest.mark.slow
@pytest.mark.skipif(
    PDFLATEX is None, reason="pdflatex is not installed (on Debian: apt install texlive-latex-recommended)"
)
@pytest.mark.parametrize("rows", [2, 60])
def test_any_text_compiles(rows: int, tmp_path: Path) -> None:
    frame = pd.DataFrame({"job": [f"{HOSTILE} {i}" for i in range(rows)], HOSTILE: [HOSTILE] * rows, "throughput": 1e6})
    made = latex.table(latex.tabular(frame, Look()), "a", HOSTILE.replace("<", "&lt;"))
    compile_(made, tmp_path)


@pytest.mark.parametrize(("rows", "environment"), [(latex.PAGE - 1, "tabular"), (latex.PAGE, "longtable")])
def test_only_a_table_that_fills_a_page_may_be_broken(rows: int, environment: str) -> None:
    written = latex.tabular(pd.DataFrame({"throughput": [1e6 * row for row in range(rows)]}), Look())
    assert written.startswith(f"\\begin{{{environment}}}")
    assert (r"\endhead" in written) == (environment == "longtable")


def test_a_table_in_latex_says_what_that_of_the_page_says() -> None:
    frame = pd.DataFrame({
        "job": ["a_b", "c", "d", "e"], "throughput": [1e6, 2e6, 3e6, 4e6], "throughput_low": [0.5e6, 1e6, 2e6, 3e6],
        "throughput_high": [2e6, 3e6, 4e6, 5e6], "disk": ["ssd"] * 4,
    })  # fmt: skip
    made = latex.tabular(frame, Look())
    assert made.splitlines() == [
        r"\begin{tabular}{lrr}", r"\toprule", made.splitlines()[2], r"\midrule",
        r"a\_b & 1.00 & 0.50 to 2.00 \\", r"c & 2.00 & 1.00 to 3.00 \\", r"d & 3.00 & 2.00 to 4.00 \\",
        r"e & 4.00 & 3.00 to 5.00 \\", r"\bottomrule",
        r"\multicolumn{3}{p{0.95\linewidth}}{The same in each row: Disk: ssd.}", r"\end{tabular}",
    ]  # fmt: skip
    assert "MB/s" in made.splitlines()[2]


def test_each_fact_is_a_command_and_no_two_are_one() -> None:
    fact = {"value": 2.5e6, "unit": "B/s", "digits": 3, "display": "", "interval": (2e6, 3e6), "level": 0.95, "n": 3}
    text = latex.numbers([{"name": "c_test2_rate", **fact}], "s")
    assert r"\newcommand{\factCTestTwoRate}{2.50" in text
    assert r"\newcommand{\factCTestTwoRateFull}{2.50" in text
    with pytest.raises(PaperError, match=r"^two facts of s are \\factATwo in LaTeX: LaTeX has no digits"):
        latex.numbers([{"name": "a2", **fact}, {"name": "a_two", **fact}], "s")

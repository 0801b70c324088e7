"""The table of docs/metrics.md, made from `storagelab.analysis.metrics`; ``python -m tests.docs_metrics`` writes it."""

from __future__ import annotations

import inspect

from storagelab import analysis
from storagelab.analysis.metrics import METRICS, Metric
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "metrics.md"
START, END = "<!-- metrics -->\n", "\n<!-- /metrics -->"


def answer(name: str) -> str:
    """Function and the first line of its documentation."""
    return f"`{name}`: {(inspect.getdoc(getattr(analysis, name)) or '').splitlines()[0].replace('|', chr(92) + '|')}"


def line(metric: Metric) -> str:
    """One line of the table."""
    return f"| {metric.id} | {metric.title} | {'<br>'.join(answer(name) for name in metric.functions)} |"


def table() -> str:
    """Lay all metrics out."""
    return "\n".join(["| id | question | functions of `storagelab.analysis` |", "|---|---|---|", *map(line, METRICS)])


def main() -> None:
    """Put the table into the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    PAGE.write_text(f"{before}{START}{table()}{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Every metric of the field has a function, every function a test that looks at its units, and the page shows both."""

from __future__ import annotations

import re

import pytest

from storagelab import analysis
from tests import docs_metrics
from tests.conftest import ROOT
from tests.docs_metrics import METRICS, Metric

SOURCES = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests" / "analysis").rglob("test_*.py"))]
GROUPS = {"A": 8, "B": 9, "C": 10, "D": 8, "E": 11, "F": 6, "G": 6, "H": 5, "I": 3, "J": 2}


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.id)
def test_every_metric_is_answered_by_tested_functions(metric: Metric) -> None:
    assert metric.functions
    for name in metric.functions:
        assert callable(getattr(analysis, name))
        assert any(re.search(rf"\b{name}\(", source) and "units" in source for source in SOURCES), name


def test_no_metric_is_left_out() -> None:
    assert [metric.id for metric in METRICS] == [f"{group}{i}" for group, n in GROUPS.items() for i in range(1, n + 1)]


def test_the_page_is_up_to_date() -> None:
    assert docs_metrics.table() in docs_metrics.PAGE.read_text(encoding="utf-8"), "python -m tests.docs_metrics"

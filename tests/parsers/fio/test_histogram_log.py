"""What golden tables do not show of fio's histogram logs: bins of every version, impossible counts, percentiles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.fio import histogram_log
from storagelab.parsers.fio.histogram_log import edges, percentiles


def line(counts: dict[int, int], bins: int = 1856, time: int = 1000) -> str:
    return f"{time}, 0, 4096, " + ", ".join(str(counts.get(place, 0)) for place in range(bins)) + "\n"


@pytest.mark.parametrize("bins", [1856 >> step for step in range(7)] + [1216 >> step for step in range(7)])
def test_bins_of_every_coarseness_leave_no_gap(bins: int) -> None:
    limits = np.array(edges(bins))
    assert len(limits) == bins + 1
    assert limits[0] == 0
    assert (np.diff(limits) > 0).all()
    assert limits[-1] == pytest.approx(17.18 if bins in {1856 >> s for s in range(7)} else 16.78, rel=0.01)


def test_a_number_of_bins_that_fio_does_not_print_is_noted() -> None:
    assert edges(100) == edges(0) == ()
    parsed = parsers.parse(line({3: 1}) + line({3: 1}, bins=1800), "fio-hist-log")
    assert (parsed.complete, parsed.notes[0].line) == (False, 2)


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=50))
def test_percentiles_fall_into_the_bin_of_the_exact_one(latencies: list[int]) -> None:
    limits = np.array(edges(1856))
    places = np.searchsorted(limits, np.array(latencies) * 1e-9 * (1 + 1e-12), side="right") - 1
    found = percentiles(np.bincount(places, minlength=1856).tolist())
    exact = np.quantile(np.array(latencies) * 1e-9, 0.5, method="inverted_cdf")
    assert found["latency_p50"] == pytest.approx(exact, rel=0.02, abs=1e-9)


def test_counts_that_are_none_are_left_out() -> None:
    parsed = histogram_log.parse(line({5: 8532478939214341485}) + line({5: 7}, time=2000))
    assert str(parsed.series["operations"]) == "[nan, 7.0]"
    assert "never written" in parsed.notes[0].text
    assert list(parsed.series["time"]) == [1.0, 2.0]


def test_other_logs_are_refused() -> None:
    with pytest.raises(ParseError, match="expected a line 'time, direction, block size, counts'"):
        histogram_log.parse("1000, 4088, 0, x\n")

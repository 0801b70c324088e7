"""How long a link takes for a block: by hand, with units, and refused where nothing would arrive."""

from __future__ import annotations

import pytest

from storagelab import analysis
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats


def test_blocks_on_a_link() -> None:
    """128 kB at 25 MB/s take 5.12 ms, two take twice that."""
    found = analysis.serialisation_delays(node(repeats((25e6,), layout="disperse")), 128e3, multiples=(1, 2))
    assert found["elapsed"].to_numpy().tolist() == pytest.approx([5.12e-3, 10.24e-3])
    assert found["data_size"].to_numpy().tolist() == [128e3, 256e3]
    assert set(found["layout"].to_numpy()) == {"disperse"}
    assert (found["elapsed"].attrs["units"], found["data_size"].attrs["units"]) == ("s", "B")
    assert "elapsed_low" not in found


def test_a_fast_link_is_the_low_end() -> None:
    means = analysis.summarise(node(repeats((24e6, 25e6, 26e6), layout="disperse")), "throughput", ["layout"])
    row = frame(analysis.serialisation_delays(means, 1e6)).iloc[0]
    assert row["elapsed_low"] == pytest.approx(1e6 / means["throughput_high"].item())
    assert row["elapsed_low"] < row["elapsed"] < row["elapsed_high"]


def test_what_never_arrives() -> None:
    ds = node(repeats((25e6,)))
    with pytest.raises(AnalysisError, match="a block holds bytes, got 0 B times 1"):
        analysis.serialisation_delays(ds, 0.0)
    with pytest.raises(AnalysisError, match="needs a rate in B/s, latency is in s"):
        analysis.serialisation_delays(node(repeats((0.1,), "latency")), 1e6, "latency")
    with pytest.raises(AnalysisError, match="throughput is not positive in every row"):
        analysis.serialisation_delays(node(repeats((0.0,))), 1e6)

"""Dumps of round-robin databases, written and read back: values to eleven digits, times exactly."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import rrd_dump
from storagelab.reconstruct.writers.rrd_dump import Archive, Dump
from tests.reconstruct.writers.reading import notes, read_back

ELEVEN_DIGITS = 5.1e-11
DUMP = Dump(1700000420, (Archive(((1.5,), (math.nan,))),), (700.5,))

values = st.floats(-1e15, 1e15) | st.just(math.nan)


def archives(sources: int) -> st.SearchStrategy[Archive]:
    row = st.tuples(*[values] * sources)
    return st.builds(
        Archive,
        st.lists(row, min_size=1, max_size=5).map(tuple),
        st.integers(1, 5760),
        st.sampled_from(["mean", "min", "max", "single"]),
    )


@st.composite
def dumps(draw: st.DrawFn) -> Dump:
    sources = draw(st.sampled_from([("sum",), ("sum", "num")]))
    return Dump(
        updated=draw(st.integers(10**9, 2 * 10**9)),
        archives=tuple(draw(st.lists(archives(len(sources)), min_size=1, max_size=3))),
        last=tuple(draw(st.floats(0, 1e12)) for _ in sources),
        sources=sources,
        step=draw(st.sampled_from([15.0, 60.0, 300.0])),
    )


def test_golden() -> None:
    assert rrd_dump.render(DUMP) == (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<!DOCTYPE rrd SYSTEM "http://oss.oetiker.ch/rrdtool/rrdtool.dtd">\n'
        "<!-- reconstructed from published numbers and a model of the test bed, not measured -->\n"
        "<!-- Round Robin Database Dump --><rrd>\n"
        "\t<version>0003</version>\n"
        "\t<step>15</step> <!-- Seconds -->\n"
        "\t<lastupdate>1700000420</lastupdate> <!-- 2023-11-14 22:20:20 UTC -->\n"
        "\n"
        "\t<ds>\n"
        "\t\t<name> sum </name>\n"
        "\t\t<type> GAUGE </type>\n"
        "\t\t<minimal_heartbeat>120</minimal_heartbeat>\n"
        "\t\t<min>NaN</min>\n"
        "\t\t<max>NaN</max>\n"
        "\n"
        "\t\t<!-- PDP Status -->\n"
        "\t\t<last_ds>700.50</last_ds>\n"
        "\t\t<value>0.0000000000e+00</value>\n"
        "\t\t<unknown_sec> 0 </unknown_sec>\n"
        "\t</ds>\n"
        "\n"
        "\t<!-- Round Robin Archives -->\n"
        "\t<rra>\n"
        "\t\t<cf>AVERAGE</cf>\n"
        "\t\t<pdp_per_row>1</pdp_per_row> <!-- 15 seconds -->\n"
        "\n"
        "\t\t<params>\n"
        "\t\t<xff>5.0000000000e-01</xff>\n"
        "\t\t</params>\n"
        "\t\t<cdp_prep>\n"
        "\t\t\t<ds>\n"
        "\t\t\t<primary_value>NaN</primary_value>\n"
        "\t\t\t<secondary_value>0.0000000000e+00</secondary_value>\n"
        "\t\t\t<value>NaN</value>\n"
        "\t\t\t<unknown_datapoints>0</unknown_datapoints>\n"
        "\t\t\t</ds>\n"
        "\t\t</cdp_prep>\n"
        "\t\t<database>\n"
        "\t\t\t<!-- 2023-11-14 22:20:00 UTC / 1700000400 --> <row><v>1.5000000000e+00</v></row>\n"
        "\t\t\t<!-- 2023-11-14 22:20:15 UTC / 1700000415 --> <row><v>NaN</v></row>\n"
        "\t\t</database>\n"
        "\t</rra>\n"
        "</rrd>\n"
    )


@given(dumps())
@settings(max_examples=50)
def test_all_values_and_times_come_back(wanted: Dump) -> None:
    series = read_back(rrd_dump.render(wanted), "rrd-dump").series
    first, *_ = [_ends(wanted, archive)[0] for archive in wanted.archives]
    samples = [
        (float(part), archive.statistic, wanted.step * archive.per_row, source, end - first, row[place])
        for part, archive in enumerate(wanted.archives, 1)
        for place, source in enumerate(wanted.sources)
        for row, end in zip(archive.values, _ends(wanted, archive), strict=True)
        if not math.isnan(row[place])
    ]
    last = len(series["line"]) - len(samples)
    assert last == 1 + len(wanted.sources)
    for place, name in enumerate(("part", "statistic", "elapsed", "metric", "time") if samples else ()):
        assert [*series[name]][last:] == [sample[place] for sample in samples]
    assert [*series["value"]][last:] == pytest.approx([sample[5] for sample in samples], rel=ELEVEN_DIGITS)
    assert [*series["value"]][1:last] == pytest.approx(wanted.last, abs=0.00501)
    assert series["value"][0] == wanted.updated


def _ends(dump: Dump, archive: Archive) -> list[float]:
    width = dump.step * archive.per_row
    end = dump.updated // width * width
    return [end - width * back for back in reversed(range(len(archive.values)))]


def test_the_log_says_what_it_is(tmp_path: Path) -> None:
    notes(rrd_dump.render(DUMP), tmp_path, "bytes_in.xml")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"archives": ()}, "archives: expected at least one, each with a row, found none"),
        ({"archives": (Archive(()),)}, "archives: expected at least one, each with a row, found none"),
        ({"archives": (Archive(((1.0, 2.0),)),)}, r"values: expected 1 numbers a row, none infinite, found \(1.0, 2.0"),
        ({"archives": (Archive(((math.inf,),)),)}, r"values: expected 1 numbers a row, none infinite, found \(inf"),
        ({"archives": (Archive(((1.0,),), 0),)}, "per_row: expected a finite number above 0, found 0"),
        ({"last": (-1.0,)}, "last: expected a finite number that is not negative, found -1.0"),
        ({"last": ()}, "last: expected a value for each of .*, found 0"),
        ({"step": 0.5}, "step: expected a whole number .*, found 0.5"),
        ({"updated": 0.5}, "updated: expected a whole number .*, found 0.5"),
        ({"sources": ("a b",)}, "sources: expected text without white space, found 'a b'"),
    ],
)
def test_what_cannot_be_printed_is_refused(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        rrd_dump.render(dataclasses.replace(DUMP, **changed))  # type: ignore[arg-type]

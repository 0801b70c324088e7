"""Constraints of figures.yaml: from what a text says to the envelope of a figure."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from storagelab import claims
from storagelab.claims.record import Record
from storagelab.errors import SidecarError, StoragelabError
from tests.claims import tiny
from tests.claims.test_evaluation import CAMPAIGNS

PERMITS = """\
permits:
- figure: rates
  variable: throughput
  x: clients
  at: [1, 2, 4]
  curves: {bare: {server_mode: bare-metal}, virtual: {server_mode: virtual}}
  says:
  - {curve: bare, value: bm_write, at: 4, because: it is printed}
  - {curve: bare, rises: true, because: it rises}
  - {curve: virtual, of: bare, most: 0.5, because: half at best}
  - {curve: virtual, value: vi_write, somewhere: true, because: the place is not said}
"""


def record(tmp_path: Path, old: str = "", new: str = "") -> Record:
    assert old in PERMITS
    folder = tiny.write(tmp_path / "tiny")
    (folder / "figures.yaml").write_text(tiny.FIGURES + (PERMITS.replace(old, new) if old else PERMITS))
    return claims.evaluate(folder, tiny.logs(), CAMPAIGNS)


def bands(found: Record) -> dict[tuple[str, float], tuple[float, float]]:
    ds = claims.permitted(found, "rates")
    keys = zip(ds["server_mode"].values, ds["clients"].values, strict=True)
    ends = zip(ds["permitted_low"].values, ds["permitted_high"].values, strict=True)
    return {(str(mode), float(n)): (float(low), float(high)) for (mode, n), (low, high) in zip(keys, ends, strict=True)}


def test_what_is_said_becomes_an_envelope(tmp_path: Path) -> None:
    found = bands(record(tmp_path))
    assert found["bare-metal", 4.0] == (250e6, 250e6)
    assert found["bare-metal", 1.0] == (0.0, 250e6)
    assert found["virtual", 4.0] == (0.0, 70e6), "nobody says that it is reached with 4 clients"


def test_a_printed_number_leaves_room_for_its_error(tmp_path: Path) -> None:
    of_error = "value: bm_write, error: bm_write_error"
    assert bands(record(tmp_path, "value: bm_write", of_error))["bare-metal", 4.0] == (249.4e6, 250.6e6)


@pytest.mark.parametrize(
    ("old", "new", "where", "high"),
    [
        ("  - {curve: bare, rises: true, because: it rises}\n", "", ("bare-metal", 1.0), math.inf),
        (
            "  - {curve: virtual, value: vi_write, somewhere: true, because: the place is not said}\n",
            "",
            ("virtual", 4.0),
            125e6,
        ),
        ("  - {curve: bare, value: bm_write, at: 4, because: it is printed}\n", "", ("bare-metal", 4.0), math.inf),
    ],
)
def test_each_constraint_matters(tmp_path: Path, old: str, new: str, where: tuple[str, float], high: float) -> None:
    assert bands(record(tmp_path, old, new))[where][1] == high


def test_numbers_come_from_what_is_printed(tmp_path: Path) -> None:
    ds = claims.permitted(record(tmp_path), "rates")
    assert [value for value in ds["printed"].values if math.isfinite(value)] == [250e6]
    assert {value for value in ds["reached"].values if math.isfinite(value)} == {70e6}
    assert not ds["beyond"].values.any(), "what is reached is printed, and nothing goes beyond it"
    assert ds.attrs["origin"] == "published"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("value: bm_write, at: 4", "value: bm_wirte, at: 4", "bm_wirte"),
        ("value: bm_write, at: 4", "value: servers, at: 4", "rates: servers is in '1', expected 'B/s'"),
        (
            "{curve: virtual, of: bare, most: 0.5",
            "{curve: virtual, of: bare, least: 3",
            "rates: no curve satisfies all that is said",
        ),
    ],
)
def test_what_cannot_be_worked_out_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(StoragelabError, match=message):
        record(tmp_path, old, new)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("curve: virtual, of: bare", "curve: virtuel, of: bare", "rates has no curve 'virtuel'"),
        ("at: 4, because", "at: 3, because", "rates has no place 3"),
        ("most: 0.5, because", "because", "a rule says one thing"),
        ("rises: true", "rises: true, value: bm_read", "a rule says one thing"),
        ("somewhere: true", "somewhere: true, at: 4", "reached somewhere is a `value` or a `least`, and has no place"),
        *(
            ("most: 0.5", given, "values in order need `mean`, `count`, `least` and `most`")
            for given in (
                "most: 0.5, mean: bm_read",
                "least: 0.4, most: 0.5, mean: bm_read",
                "least: 0.4, most: 0.5, count: 2",
                "most: 0.5, mean: bm_read, count: 2",
                "least: 0.4, mean: bm_read, count: 2",
            )
        ),
        (", because: it rises", "", "because"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(SidecarError, match=rf"figures.yaml:\d+: .*{message}"):
        record(tmp_path, old, new)


def test_a_figure_of_which_nothing_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoragelabError, match="no constraints of a figure 'rate'; did you mean 'rates'"):
        claims.permitted(record(tmp_path), "rate")


def test_every_constraint_has_its_sentence(tmp_path: Path) -> None:
    shown = claims.rules_table(record(tmp_path))
    assert list(shown.columns) == ["figure", "curve", "says", "because"]
    assert shown["curve"].tolist() == ["bare", "bare", "virtual", "virtual"]
    assert shown["says"].tolist() == [
        "bm_write at 4",
        "rises with clients",
        "at most 0.5 times bare",
        "vi_write somewhere",
    ]


def test_a_constraint_of_no_curve_is_one_of_all(tmp_path: Path) -> None:
    shown = claims.rules_table(record(tmp_path, "{curve: bare, rises: true", "{rises: true"))
    assert shown["curve"].tolist() == ["bare", "bare, virtual", "virtual", "virtual"]


def test_what_is_said_of_a_part_of_the_axis_holds_there_alone(tmp_path: Path) -> None:
    old = "{curve: bare, rises: true, because: it rises}"
    found = record(tmp_path, old, "{curve: bare, least: 50 MB/s, most: 300 MB/s, between: [1, 2], because: it is seen}")
    ends = bands(found)
    assert ends["bare-metal", 1.0] == ends["bare-metal", 2.0] == (50e6, 300e6)
    assert ends["bare-metal", 4.0] == (250e6, 250e6)
    at_most = bands(record(tmp_path, old, "{curve: bare, most: 300 MB/s, because: it is seen}"))
    assert at_most["bare-metal", 1.0] == (0.0, 300e6)
    assert claims.rules_table(found)["says"][1] == "at least 50 MB/s and at most 300 MB/s from 1 to 2"


def test_values_in_order(tmp_path: Path) -> None:
    rule = "{curve: virtual, count: 2, mean: vi_write, least: 60 MB/s, most: 90 MB/s, because: it is printed}"
    ds = claims.permitted(
        record(tmp_path, "{curve: virtual, of: bare, most: 0.5, because: half at best}", rule), "rates"
    )
    own = ds.isel(obs=(ds["server_mode"] == "virtual").values)
    assert own["clients"].values.tolist() == [1.0, 2.0], "two values, two places"
    assert own["permitted_low"].values.tolist() == [60e6, 70e6]

"""What is said of outputs that differ."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from PIL import Image

from tests.machines import differences
from tests.machines.differences import compare, measured, relative


def said(name: str, ours: bytes | str, theirs: bytes | str) -> tuple[str, float | None]:
    a, b = (text.encode() if isinstance(text, str) else text for text in (ours, theirs))
    found = measured(name, a, b)
    assert found is not None
    return found.what, found.relative


@pytest.mark.parametrize("name", ["a.json", "a.csv", "a.svg", "a.html", "a.png", "a.nc", "a.log"])
def test_equal_bytes_are_no_difference(name: str) -> None:
    assert measured(name, b"{}", b"{}") is None


@pytest.mark.parametrize(("a", "b", "expected"), [
    (1.0, 1.0, 0.0), (1.0, 1.1, 0.1 / 1.1), (-1.0, 1.0, 2.0), (0.0, 1e-300, 1.0), (np.nan, np.nan, 0.0),
    (np.nan, 1.0, np.inf), (np.inf, np.inf, 0.0), (np.inf, 1.0, np.inf),
])  # fmt: skip
def test_relative_difference_is_over_the_larger(a: float, b: float, expected: float) -> None:
    assert relative(a, b) == pytest.approx(expected, rel=1e-12)
    assert relative([a, 5.0], [b, 5.0]).tolist() == pytest.approx([expected, 0.0], rel=1e-12)


def test_numbers_of_json_are_named() -> None:
    ours, theirs = (json.dumps({"facts": {"crossed": x, "n": 3}}) for x in (1.0201276783286892, 1.020127678328691))
    what, worst = said("metrics.json", ours, theirs)
    assert what == "1 of 2 numbers by 1.7e-15 at most (facts.crossed: 1.020127678328691 for 1.0201276783286892)"
    assert worst == pytest.approx(1.7e-15, rel=0.1)


def test_an_integer_for_a_float_is_no_other_number() -> None:
    assert said("a.json", '{"a": 1}', '{"a": 1.0}') == ("only the order or the spelling differs", None)


def test_text_in_json_is_told_before_numbers() -> None:
    what, worst = said("a.json", '{"a": "won", "b": 1, "c": [true]}', '{"a": "lost", "b": 2, "c": [false]}')
    assert what == "a is 'lost' for 'won', and 1 more"
    assert worst is None


def test_a_number_that_is_lacking_in_json_is_named() -> None:
    assert said("a.json", '{"a": 1, "b": 2}', '{"a": 1}') == ("b is None for 2", None)


@pytest.mark.parametrize("name", ["a.csv", "a.svg", "a.html", "a.log"])
def test_numbers_in_text_have_their_line(name: str) -> None:
    what, worst = said(name, "x,y\n1,2.5\n3,4e-3\n", "x,y\n1,2.5\n3,5e-3\n")
    assert what == "1 of 4 numbers by 2.0e-01 at most (line 3: 5e-3 for 4e-3)"
    assert worst == pytest.approx(0.2)


def test_words_that_differ_are_shown_where_they_do() -> None:
    what, worst = said("a.csv", "a\nxfs won by 3\n", "a\nxfs lost by 4\n")
    assert what == "text differs, first in line 2: 'xfs lost by 4' for 'xfs won by 3'"
    assert worst is None
    assert said("a.csv", "a\nb\n", "a\n")[0] == "text differs, first in line 2: '(nothing)' for 'b'"


def test_digests_and_embedded_files_are_no_numbers() -> None:
    page = '<img src="data:image/png;base64,{}"> {} <path clip-path="url(#{})" d="M {} 2"/>'
    one = page.format("AB12", "12ab34cd" * 8, "p245c192faa", 1.5)
    assert said("a.html", one, page.format("AB13", "12ab35cd" * 8, "pdbf6a60422", 1.5)) == (
        "3 of 3 digests or embedded files differ", None,
    )  # fmt: skip
    what, worst = said("a.svg", one, page.format("AB12", "12ab34cd" * 8, "pdbf6a60422", 1.2))
    assert what.startswith("1 of 3 digests or embedded files differ, and 1 of ")
    assert worst == pytest.approx(0.2)
    assert "text differs" in said("a.html", one, one + "base64,AB12")[0]


def dataset(folder: Path, rate: float, level: str = "xfs") -> bytes:
    path = folder / "study.nc"
    tree = xr.DataTree.from_dict({"runs": xr.Dataset({"rate": ("obs", [1.0, rate])}, {"fs": ("obs", [level, "ext4"])})})
    tree.to_netcdf(path, engine="netcdf4")
    return path.read_bytes()


def test_variables_of_a_dataset_are_named(tmp_path: Path) -> None:
    what, worst = said("study.nc", dataset(tmp_path, 4.0), dataset(tmp_path, 5.0))
    assert what == "runs/rate by 2.0e-01 at most"
    assert worst == pytest.approx(0.2)
    what, worst = said("study.nc", dataset(tmp_path, 4.0), dataset(tmp_path, 5.0, "zfs"))
    assert what == "runs/fs differs in more than numbers"
    assert worst is None


def png(*pixels: int, width: int = 2) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.array(pixels, dtype=np.uint8).reshape(-1, width)).save(buffer, "png")
    return buffer.getvalue()


def test_pixels_are_counted() -> None:
    assert said("a.png", png(0, 1, 2, 3), png(0, 1, 9, 4))[0] == "2 of 4 pixels by 7 of 255 at most"
    assert said("a.png", png(0, 1, 2, 3), png(0, 1))[0] == "2 x 1 pixels for 2 x 2"
    again = io.BytesIO()
    Image.open(io.BytesIO(png(0, 1, 2, 3))).save(again, "png", compress_level=0)
    assert said("a.png", png(0, 1, 2, 3), again.getvalue())[0] == "only its bytes differ"


def test_all_files_of_two_folders_are_compared(tmp_path: Path) -> None:
    for folder, rate in (("ours", 1), ("theirs", 2)):
        for name in ("out/same.csv", f"out/sub/{folder}.csv", "out/rate.csv", "other/rate.csv"):
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(0 if "same" in name else rate))
    count, found = compare(tmp_path / "ours", tmp_path / "theirs", ["out", "no/such/file"])
    assert count == 4
    assert [str(one) for one in found] == [
        "out/rate.csv: 1 of 1 numbers by 5.0e-01 at most (line 1: 2 for 1)",
        "out/sub/ours.csv: is missing here",
        "out/sub/theirs.csv: is made only here",
    ]
    assert set(differences.MEASURES) == {".json", ".ipynb", ".nc", ".png"}

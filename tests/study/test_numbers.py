"""Numbers with units and digits, arithmetic on them, and the sidecars that hold them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from storagelab.errors import ReconstructError, SidecarError
from storagelab.study.amount import amount
from storagelab.study.expressions import evaluate, in_si, names_in
from storagelab.study.published import joined, read_published
from storagelab.study.testbed import read_testbed
from storagelab.study.topology import Tier, rows


@pytest.mark.parametrize(
    ("written", "si", "unit", "half"),
    [
        ("12.55 MB/s", 12.55e6, "B/s", 5e3),
        ("9.0 MB/s", 9e6, "B/s", 5e4),
        ("350 MB/s", 350e6, "B/s", 5e5),
        ("1 Gbit/s", 125e6, "B/s", 62.5e6),
        ("24 GiB", 24 * 2**30, "B", 2**29),
        ("85 %", 0.85, "1", 0.005),
        ("16 ms", 0.016, "s", 0.0005),
        ("3", 3.0, "1", 0.5),
        (3, 3.0, "1", 0.5),
        ("-2.2 %", -0.022, "1", 0.0005),
        ("1200 1/s", 1200.0, "1/s", 0.5),
    ],
)
def test_an_amount_keeps_its_digits(written: str, si: float, unit: str, half: float) -> None:
    read = amount(written)
    assert (read.si, read.si_unit, read.half_digit) == (pytest.approx(si), unit, pytest.approx(half))


@pytest.mark.parametrize("written", ["fast", "", True, "3 parsecs_per_fortnight", "12 kg", "1,5 MB"])
def test_what_is_no_amount_is_refused(written: object) -> None:
    with pytest.raises(ValueError, match="expected a number and its unit"):
        amount(written)


NAMES = {
    "bm": amount("250 MB/s").quantity,
    "vi": amount("70 MB/s").quantity,
    "server": SimpleNamespace(link=amount("1 Gbit/s").quantity, count=3),
}


@pytest.mark.parametrize(
    ("expression", "value", "unit"),
    [
        ("bm / vi", 250 / 70, "1"),
        ("1 - vi / bm", 0.72, "1"),
        ("server.link * server.count", 375e6, "B/s"),
        ("bm / (server.link * server.count)", 2 / 3, "1"),
        ("hypot(bm, vi)", 259615099.71494338, "B/s"),
        ("max(bm, vi) - min(bm, vi)", 180e6, "B/s"),
        ("sqrt(16)", 4.0, "1"),
        ("abs(vi - bm)", 180e6, "B/s"),
        ("floor(bm / vi)", 3.0, "1"),
        ("-2 ** 2", -4.0, "1"),
    ],
)
def test_arithmetic_minds_units(expression: str, value: float, unit: str) -> None:
    assert in_si(evaluate(expression, NAMES)) == (pytest.approx(value), unit)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("bn / vi", "unknown name 'bn'; did you mean 'bm'|unknown name 'bn'"),
        ("bm + 1", "Cannot convert"),
        ("server.lunk", "lunk"),
        ("__import__('os')", "expected arithmetic.*'os'"),
        ("bm /", "'bm /'"),
        ("1 / 0", "'1 / 0'"),
        ("[1, 2]", "'\\[1, 2\\]'"),
    ],
)
def test_what_is_no_arithmetic_is_refused(expression: str, message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        evaluate(expression, NAMES)


def test_an_expression_lists_its_names() -> None:
    assert names_in("server.link * ost.count + sqrt(bm) - bm") == ["server.link", "ost.count", "bm"]
    with pytest.raises(ReconstructError, match="invalid syntax"):
        names_in("1 +")


PUBLISHED = """\
values:
  read:
    what: rate of reads
    value: "12.50"
    error: "0.06"
    unit: MB/s
    section: "4.2"
    quantity: {steps: [{summarise: {variable: throughput, by: []}}], take: throughput}
  servers: {what: servers, value: "3", setting: server.count}
"""
BED = """\
parts:
  server: {is: storage server, count: 3, link: 1 Gbit/s, cpu: eight cores}
paths:
  read:
  - {stage: links, each: server.link, count: server.count}
  - {stage: disks, each: 200 MB/s, count: 4, crossings: 2}
model:
  unevenness: {value: 2 %, why: nothing is printed}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "published.yaml").write_text(PUBLISHED)
    (tmp_path / "testbed.yaml").write_text(BED)
    return tmp_path


def test_published_values_are_in_si_with_their_errors(folder: Path) -> None:
    published = read_published(folder)
    assert published.si("read") == 12.5e6
    assert published.error("read") == pytest.approx(6e4)
    assert published["read"].amount.half_digit == pytest.approx(5e3)
    with pytest.raises(ReconstructError, match="servers has no error"):
        published.error("servers")
    with pytest.raises(ReconstructError, match=r"no published value 'raed'.*read"):
        published.si("raed")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('value: "12.50"', "value: 12.50", r"published.yaml:4: values.read.value: .*in quotes, found 12.5"),
        ('value: "12.50"', 'value: "fast"', r"published.yaml:4: .*as it is printed, found 'fast'"),
        ("unit: MB/s", "unit: MB/fortnoght", r"published.yaml:6: values.read.unit: unknown unit"),
        ("setting: server.count", "about: true", r"published.yaml:9: .*one of `quantity`, `setting` and `context`"),
        ("take: throughput}", "expression: a / b}", r"published.yaml:8: .*an expression stands alone"),
        ("take: throughput}", "at: {}}", r"published.yaml:8: .*either `take`"),
        ("section:", "sectoin:", r"published.yaml:7: unknown key 'values.read.sectoin'"),
    ],
)
def test_mistakes_in_published_values_name_their_line(folder: Path, old: str, new: str, message: str) -> None:
    (folder / "published.yaml").write_text(PUBLISHED.replace(old, new))
    with pytest.raises(SidecarError, match=message):
        read_published(folder)


def test_a_test_bed_says_what_its_stages_carry(folder: Path) -> None:
    bed = read_testbed(folder)
    assert bed.capacities("read") == {"links": pytest.approx(375e6), "disks": pytest.approx(400e6)}
    assert [(stage["stage"], stage["made_of"], stage["link_bytes"]) for stage in bed.stages()] == [
        ("links", "3 × 1 Gbit/s", 1.0),
        ("disks", "4 × 200 MB/s", 2.0),
    ]
    assert bed.si("server.link * 2") == pytest.approx(250e6)
    assert bed.chosen("unevenness") == pytest.approx(0.02)
    assert bed.text("server", "cpu") == "eight cores"


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda bed: bed.capacities("raed"), "no path 'raed'.*read"),
        (lambda bed: bed.chosen("uneven"), "no parameter 'uneven'.*unevenness"),
        (lambda bed: bed.text("srver", "cpu"), "no part 'srver'.*server"),
        (lambda bed: bed.text("server", "gpu"), "server has no property 'gpu'.*cpu"),
        (lambda bed: bed.si("server.cpu"), "cpu"),
    ],
)
def test_what_a_test_bed_does_not_have_is_refused(folder: Path, ask: object, message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        ask(read_testbed(folder))  # type: ignore[operator]


def test_a_value_and_a_part_may_not_share_a_name(folder: Path) -> None:
    (folder / "published.yaml").write_text(PUBLISHED.replace("servers:", "server:"))
    with pytest.raises(ReconstructError, match="'server' is both a published value and a part"):
        joined(read_published(folder), read_testbed(folder).namespace())


def test_a_drawing_has_a_row_for_each_kind_of_thing_inside_each_kind_of_machine() -> None:
    drawing = [
        {"tier": "clients", "link": "125e6", "network": "switch",
         "boxes": [{"name": "client", "count": "4", "most": "8"}]},
        {"tier": "servers", "boxes": [
            {"name": "server", "holds": [{"name": "OSS"}, {"name": "OST", "count": "6"}]}, {"name": "MDS"}]},
    ]  # fmt: skip
    found = list(rows("small", tuple(map(Tier.model_validate, drawing)), float))
    told = ("drawing", "row", "tier", "network", "box", "count", "most", "inside", "inside_count")
    assert [tuple(row[name] for name in told) for row in found] == [
        ("small", 0, "clients", "switch", "client", 4.0, 8.0, "", 0.0),
        ("small", 1, "servers", "", "server", 1.0, 1.0, "OSS", 1.0),
        ("small", 1, "servers", "", "server", 1.0, 1.0, "OST", 6.0),
        ("small", 1, "servers", "", "MDS", 1.0, 1.0, "", 0.0),
    ]
    assert [row["link"] for row in found[:2]] == pytest.approx([125e6, float("nan")], nan_ok=True)


@pytest.mark.parametrize("text", ["12.55 MB/s", "24 GiB", "3"])
def test_an_amount_is_printed_as_it_was_written(text: str) -> None:
    assert str(amount(text)) == text

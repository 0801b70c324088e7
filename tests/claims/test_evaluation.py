"""A tiny paper held against its logs: every verdict by hand, and each one changes when what it rests on does."""

from __future__ import annotations

import dataclasses
from collections import ChainMap
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from storagelab import claims
from storagelab.claims import accepted_verdicts
from storagelab.claims.claims_yaml_entries import Second
from storagelab.claims.number_evaluation import Found
from storagelab.claims.printed_numbers import agrees
from storagelab.claims.record import Record
from storagelab.claims.study_numbers import Numbers
from storagelab.errors import ReconstructError, SidecarError, StoragelabError
from storagelab.study.amount import Amount
from storagelab.study.published import Published, Value, read_published
from storagelab.study.testbed import read_testbed
from tests.claims import tiny

STRICT = "tolerance: {relative: 0.05, source: ours, reason: strict},\n   stated_value: said, contradicts: "
DIGITS = "tolerance: printed-digits, stated_value: said, contradicts: "
NEAR = "tolerance: {relative: 0.1025, source: ours, reason: 3.59 or more},\n   stated_value: said, contradicts: "
"""Beyond 3.571 and its printed error, and within what 250 MB/s and all that rounds to 70 MB/s give."""
FINER = ('value: "70",', 'value: "70.0",')
CAMPAIGNS = {"cluster-2026": tiny.logs("measured")}


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return claims.evaluate(tiny.write(tmp_path / "tiny"), tiny.logs(), CAMPAIGNS)


def test_verdicts(record: Record) -> None:
    assert {row["claim"]: row["verdict"] for row in record.ledger} == {
        "read": "supported",
        "same": "supported",
        "four": "internally inconsistent",
        "three": "internally inconsistent",
        "links": "supported",
        "fastest": "supported",
        "opinion": "not testable",
        "silent": "not reported",
    }


def test_reconstructed_logs_are_worded_as_such_and_say_what_they_test(record: Record) -> None:
    assert tiny.row(record, "read")["wording"] == "consistent with the printed text"
    assert {row["claim"]: row["basis"] for row in record.ledger} == {
        "read": "published",
        "same": "published",
        "four": "derived",
        "three": "derived",
        "links": "derived",
        "fastest": "published",
        "opinion": "",
        "silent": "",
    }
    behind = {row["claim"]: row["inputs"] for row in record.ledger}
    assert (behind["read"], behind["four"]) == ({"bm_read": 350e6}, {"bm_write": 250e6, "vi_write": 70e6})
    assert {row["claim"]: row["part"] for row in record.ledger} == {
        "read": "transcription",
        "same": "transcription",
        "four": "falsifiable",
        "three": "falsifiable",
        "links": "identity",
        "fastest": "transcription",
        "opinion": "",
        "silent": "",
    }
    assert tiny.row(record, "read")["tests"] == "the pipeline: the number was put in"
    assert tiny.row(record, "four")["tests"] == "whether printed numbers agree"


def test_what_the_model_chose_tests_nothing(tmp_path: Path) -> None:
    record = claims.evaluate(tiny.write(tmp_path / "tiny"), tiny.logs(basis="model"), CAMPAIGNS)
    assert tiny.row(record, "same")["tests"] == "nothing: the model was made so"
    assert tiny.row(record, "read")["basis"] == "published"
    assert tiny.row(record, "four")["basis"] == "derived"


def test_numbers_are_in_si_with_their_errors_propagated(record: Record) -> None:
    four = tiny.row(record, "four")
    assert four["value"] == pytest.approx(250 / 70)
    assert four["value_error"] == pytest.approx(0.6 / 70, rel=1e-4)  # that of 70 MB/s is not printed
    assert np.isnan(tiny.row(record, "read")["value_error"])
    assert (tiny.row(record, "read")["unit"], tiny.row(record, "read")["value"]) == ("B/s", pytest.approx(350e6))
    assert tiny.row(record, "fastest")["level"] == "bare-metal"


def test_what_rounds_to_printed_numbers_goes_with_arithmetic_on_them(record: Record) -> None:
    four, read = tiny.row(record, "four"), tiny.row(record, "read")
    assert (four["rounded_low"], four["rounded_high"]) == pytest.approx((250 / 70.5, 250 / 69.5))
    assert np.isnan([read["rounded_low"], read["rounded_high"]]).all()


@pytest.mark.parametrize(
    ("number", "by"),
    [
        ({"value": "70", "unit": "MB/s"}, 0.5e6),
        ({"value": "12.55", "unit": "MB/s"}, 5e3),
        ({"value": "50", "unit": "%"}, 0.005),
        ({"value": "2.6"}, 0.05),
        ({"value": "49"}, 0.0),
        ({"value": "70", "unit": "MB/s", "error": "2"}, 0.0),
    ],
)
def test_a_rounded_number_is_off_by_half_a_digit_and_a_count_is_not(number: dict[str, str], by: float) -> None:
    assert Value(what="it", context="alone", **number).rounded_by == pytest.approx(by)


def printed_numbers(folder: Path, **values: str) -> Numbers:
    numbers = {name: Value(what=name, context="alone", value=value, unit="MB/s") for name, value in values.items()}
    bed = read_testbed(tiny.write(folder / "tiny"))
    return Numbers(Published(values=numbers), bed, tiny.logs())


def test_of_many_rounded_numbers_each_is_tried_alone(tmp_path: Path) -> None:
    """All combinations of the ends of forty would never end."""
    numbers = printed_numbers(tmp_path, **{f"n{at}": "10" for at in range(40)})
    added, taken = (" + ".join(f"n{at}" for at in half) for half in (range(20), range(20, 40)))
    assert numbers.rounded(f"({added}) / ({taken})") == pytest.approx((190 / 210, 210 / 190))
    assert numbers.rounded("n0 * n1 / n2 - n3") == pytest.approx(
        (9.5**2 / 10.5 * 1e6 - 10.5e6, 10.5**2 / 9.5 * 1e6 - 9.5e6)
    )


def test_ends_without_a_result_are_left_out(tmp_path: Path) -> None:
    numbers = printed_numbers(tmp_path, more="10", less="10")
    assert numbers.rounded("sqrt(more / less - 1)") == pytest.approx((0.0, (10.5 / 9.5 - 1) ** 0.5))


def test_a_setting_is_printed_whole() -> None:
    assert Value(what="link", value="1.5", unit="Gbit/s", setting="server.link").rounded_by == 0.0


def test_measured_campaigns_give_a_second_verdict(record: Record) -> None:
    assert [(row["claim"], row["verdict"]) for row in record.measured] == [
        ("same", "replicated"),
        ("same", "not comparable"),
    ]
    assert record.measured[0]["value"] == pytest.approx(350e6)


@pytest.mark.parametrize(
    ("claim", "change", "factors", "verdict"),
    [
        ("read", {"claims": ("{relative: 0.07,", "{relative: 0.0001,")}, {"bare_metal_read": 1.001}, "not supported"),
        ("read", {"claims": ("stated: 350 MB/s", "stated: 450 MB/s")}, {}, "not supported"),
        ("same", {}, {"virtual_read": 0.8}, "not supported"),
        ("four", {"claims": ("contradicts: [three]", "contradicts: []")}, {}, "not supported"),
        ("four", {"claims": (f"{STRICT}[three]", f"{DIGITS}[]")}, {}, "supported"),
        ("four", {"claims": (f"{STRICT}[three]", f"{NEAR}[]")}, {}, "undecided"),
        ("four", {"claims": (f"{STRICT}[three]", f"{NEAR}[]"), "published": FINER}, {}, "not supported"),
        ("links", {"testbed": ("1 Gbit/s", "10 Gbit/s")}, {}, "not supported"),
        ("fastest", {"claims": ("level: bare-metal", "level: virtual")}, {}, "not supported"),
        ("silent", {"claims": ("3 ms, tolerance: about", "3 ms, testable: false")}, {}, "not testable"),
    ],
)  # fmt: skip
def test_a_change_of_text_logs_or_tolerance_changes_the_verdict(
    tmp_path: Path, claim: str, change: dict[str, tuple[str, str]], factors: dict[str, float], verdict: str
) -> None:
    record = claims.evaluate(tiny.write(tmp_path / "tiny", **change), tiny.logs(**factors), CAMPAIGNS)
    assert tiny.row(record, claim)["verdict"] == verdict


def test_a_second_verdict_changes_with_what_was_measured(tmp_path: Path) -> None:
    slow = {"cluster-2026": tiny.logs("measured", bare_metal_read=0.01, virtual_read=0.01)}
    record = claims.evaluate(tiny.write(tmp_path / "tiny"), tiny.logs(), slow)
    assert record.measured[0]["verdict"] == "not replicated"


def test_printed_numbers_come_out_to_their_digits(record: Record) -> None:
    found = {row["name"]: (row["agrees"], row["from"]) for row in record.printed}
    assert found == {
        "bm_read": ("yes", "logs"),
        "bm_write": ("yes", "logs"),
        "vi_write": ("yes", "logs"),
        "said": ("yes", "logs"),
        "concluded": ("no", "other printed numbers"),
        "servers": ("yes", "test bed"),
        "planned": ("", ""),
    }
    of_write = next(row for row in record.printed if row["name"] == "bm_write")
    assert of_write["value"] == pytest.approx(250.0)
    assert {row["name"]: row["printed_error"] for row in record.printed if row["printed_error"]} == {"bm_write": "0.6"}
    assert {row["printed_error"] for row in record.printed} == {"", "0.6"}


@pytest.mark.parametrize(
    ("written", "unit", "number", "agree"),
    [
        ("0", "1", 0.5, True), ("0", "1", 0.51, False), ("12.5", "1", 12.55, True), ("12.5", "1", 12.56, False),
        ("3e9", "1", 3.5e9 + 0.5, True), ("3e9", "1", 3.5e9 + 1e3, False), ("2", "MB/s", 2.5e6, True),
    ],
)  # fmt: skip
def test_a_number_agrees_to_half_of_the_last_digit_and_what_rounding_leaves(
    written: str, unit: str, number: float, agree: bool
) -> None:
    assert agrees(Amount(Decimal(written), unit), number) is agree


def test_errors_that_are_small_are_handed_on_and_one_of_nothing_is_none(tmp_path: Path) -> None:
    folder = tiny.write(tmp_path / "tiny")
    numbers = Numbers(read_published(folder), read_testbed(folder), tiny.logs())
    found = numbers._propagated("a - b", {"a": Found(3.0, error=0.3, unit="s"), "b": Found(1.0, error=0.4, unit="s")})
    assert (found.value, found.error) == pytest.approx((2.0, 0.5))
    assert (found.low, found.high) == pytest.approx((2 - 1.96 * 0.5, 2 + 1.96 * 0.5), abs=1e-4)
    certain = numbers._propagated("2 * a", {"a": Found(3.0, error=0.0, unit="s")})
    assert certain.value == 6.0
    assert np.isnan(certain.error), "nothing is certain"


@pytest.mark.parametrize(
    ("change", "factors", "name"),
    [
        ({"published": ('value: "350"', 'value: "351"')}, {}, "bm_read"),
        ({"published": ('error: "0.6"', 'error: "0.7"')}, {}, "bm_write"),
        ({}, {"virtual_write": 1.008}, "vi_write"),
        ({"testbed": ("count: 3", "count: 4")}, {}, "servers"),
    ],
)
def test_a_number_that_does_not_come_out_stops_the_build_unless_an_inconsistency_names_it(
    tmp_path: Path, change: dict[str, tuple[str, str]], factors: dict[str, float], name: str
) -> None:
    folder = tiny.write(tmp_path / "tiny", **change)
    with pytest.raises(StoragelabError, match=f"{name}: printed .*, and no inconsistency names it a misfit"):
        claims.evaluate(folder, tiny.logs(**factors), CAMPAIGNS)


def test_arithmetic_is_done_on_printed_numbers_and_on_those_out_of_logs(tmp_path: Path) -> None:
    record = claims.evaluate(tiny.write(tmp_path / "tiny"), tiny.logs(virtual_write=1.004), CAMPAIGNS)
    first, second, third = record.checks
    assert (first["value"], first["agrees"]) == (pytest.approx(250 / 70), "yes")
    assert first["from_logs"] == pytest.approx(250 / 70 / 1.004)
    assert second["value"] == pytest.approx(0.0024)
    assert np.isnan(third["from_logs"])


def test_a_wrong_result_of_a_check_is_seen(tmp_path: Path) -> None:
    folder = tiny.write(tmp_path / "tiny", checks=('result: "3.571"', 'result: "3.572"'))
    assert claims.evaluate(folder, tiny.logs(), CAMPAIGNS).checks[0]["agrees"] == "no"


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("claims", "quantity: bm_read", "quantity: bm_raed", "read: no published value 'bm_raed'.*bm_read"),
        ("claims", "quantity: bm_read", "quantity: planned", "read: planned: nothing here can give it: they were"),
        ("claims", "take: ratio", "take: ratoi", "same: .*ratoi"),
        ("claims", "compare: {", "compere: {", "same: unknown analysis 'compere'.*compare"),
        ("claims", "base: bare-metal", "base: metal", "same: .*metal"),
        ("claims", "study: cluster-2026\n    distance", "study: moon-2026\n    distance", "@ moon-2026: no dataset"),
        ("claims", "expression: server.link", "expression: server.lunk", "links: .*lunk"),
        ("claims", 'stated: "4"', "stated: 4 MB/s", "claim four: the quantity is in '1', the claim in 'B/s'"),
        ("checks", "expression: bm_write / vi_write", "expression: bm_write", "k1: 3.571: comes out in 'B/s'"),
    ],
)  # fmt: skip
def test_a_quantity_that_cannot_be_taken_is_named(tmp_path: Path, file: str, old: str, new: str, message: str) -> None:
    folder = tiny.write(tmp_path / "tiny", **{file: (old, new)})
    with pytest.raises(StoragelabError, match=message):
        claims.evaluate(folder, tiny.logs(), CAMPAIGNS)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("claims", "operator: argmax", "operator: argmux", r"claims.yaml:\d+: claims.5.operator"),
        ("claims", "{relative: 0.07,", "{relative: 0.07, z: 2,", "expected one of .* found relative, z"),
        ("claims", "level: bare-metal", "level: ''", "argmax needs the level"),
        ("claims", "id: three", "id: four", r"claims.yaml:\d+: four stands here again"),
        ("claims", "contradicts: [three]", "contradicts: [five]", "four names the claim 'five'"),
        ("claims", "figures: [fig1]", "figures: [fig9]", "read names the figure 'fig9'"),
        ("claims", "  - {study: cluster-2026, comparable: false", "  - {study: cluster-2026", "needs a `quantity`"),
        ("checks", "checks: [k1], verdict", "checks: [k9], verdict", "g1 names the check 'k9'"),
        ("checks", "g1, claims: [four", "g1, claims: [five", "g1 names the claim 'five'"),
        ("checks", "times., claims: [four", "times., claims: [five", "x1 names the claim 'five'"),
        ("checks", "id: k2", "id: k1", r"checks.yaml:\d+: k1 stands here again"),
        ("figures", "claims: [read, same]", "claims: [read, five]", "fig1 names the claim 'five'"),
        ("figures", "id: fig2", "id: fig1", r"figures.yaml:\d+: fig1 stands here again"),
        ("figures", "drawn: [rates], ", "", "figures.yaml:2: .*either `drawn`"),
    ],
)
def test_mistakes_in_the_sidecars_are_named(tmp_path: Path, file: str, old: str, new: str, message: str) -> None:
    folder = tiny.write(tmp_path / "tiny", **{file: (old, new)})
    with pytest.raises(SidecarError, match=message):
        claims.evaluate(folder, tiny.logs(), CAMPAIGNS)


def test_a_second_verdict_needs_measured_logs(tmp_path: Path) -> None:
    with pytest.raises(StoragelabError, match="cluster-2026 is reconstructed: a second verdict needs measured logs"):
        claims.evaluate(tiny.write(tmp_path / "tiny"), tiny.logs(), {"cluster-2026": tiny.logs()})


def test_a_value_that_rests_on_itself_is_refused(tmp_path: Path) -> None:
    quantity = tiny.PUBLISHED[tiny.PUBLISHED.index("quantity: {where: {server_mode: virtual") :]
    old = quantity[: quantity.index("}}\n") + 1]
    folder = tiny.write(tmp_path / "tiny", published=(old, "quantity: {expression: vi_write / 1}"))
    with pytest.raises(StoragelabError, match="vi_write rests on itself: vi_write -> vi_write"):
        claims.evaluate(folder, tiny.logs(), CAMPAIGNS)


def test_behind_a_claim_stand_the_numbers_that_its_values_are_worked_out_of(tmp_path: Path) -> None:
    behind = {name: {name: number} for name, number in (("planned", 5000.0), ("servers", 3.0), ("server.count", 3.0))}
    behind |= {"said": {"bm_write": 250e6, "vi_write": 70e6}, "bm_write_error": {"bm_write": 250e6}}
    folder = tiny.write(tmp_path / "tiny")
    numbers = Numbers(read_published(folder), read_testbed(folder), tiny.logs())
    assert {expression: numbers.inputs(expression) for expression in behind} == behind
    assert numbers.inputs(" * ".join(behind)) == dict(ChainMap(*behind.values()))


def test_an_error_is_known_where_it_is_printed_worked_out_or_measured(tmp_path: Path) -> None:
    sidecars = read_published(folder := tiny.write(tmp_path / "tiny")), read_testbed(folder)
    known = {
        origin: [
            Numbers(*sidecars, tiny.logs(origin))._error_is_known(name) for name in ("bm_write", "said", "vi_write")
        ]
        for origin in ("reconstructed", "measured")
    }
    assert known == {"reconstructed": [True, True, False], "measured": [True, True, True]}


def test_a_circle_behind_a_claim_is_refused_as_such(tmp_path: Path) -> None:
    claim = ("expression: bm_write / vi_write", "expression: said / 1")
    folder = tiny.write(tmp_path / "tiny", claims=claim, published=claim)
    with pytest.raises(StoragelabError, match="said rests on itself: said -> said"):
        claims.evaluate(folder, tiny.logs(), CAMPAIGNS)


def test_a_record_comes_back_as_it_was_written(record: Record, tmp_path: Path) -> None:
    path = tmp_path / "reports" / "claims.json"
    claims.save(record, path)
    again = claims.read(path)
    assert again.verdicts() == record.verdicts()
    assert again.printed[0] == record.printed[0] | {"value_error": pytest.approx(np.nan, nan_ok=True)}
    assert [path.name for path in path.parent.iterdir()] == ["claims.json"]


def test_a_record_has_nine_digits(record: Record, tmp_path: Path) -> None:
    noisy = dataclasses.replace(record, checks=[{"check": "k", "value": 1.0201276783286892, "n": 3}])
    claims.save(noisy, tmp_path / "claims.json")
    assert claims.read(tmp_path / "claims.json").checks == [{"check": "k", "value": 1.02012768, "n": 3}]


@pytest.mark.parametrize(
    ("content", "message"), [("", "not a record"), ("{}", "not a record"), ("[1]", "not a record")]
)
def test_what_is_no_record_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "claims.json"
    path.write_text(content)
    with pytest.raises(StoragelabError, match=message):
        claims.read(path)
    with pytest.raises(StoragelabError, match="no such record: run `storagelab claims STUDY`"):
        claims.read(tmp_path / "none.json")


def test_verdicts_are_accepted_and_changes_are_told(record: Record, tmp_path: Path) -> None:
    assert accepted_verdicts.read_accepted(tmp_path) == {}
    accepted_verdicts.accept(tmp_path, record.verdicts())
    assert accepted_verdicts.changes(record.verdicts(), accepted_verdicts.read_accepted(tmp_path)) == []
    changed = record.verdicts() | {"read": "not supported"}
    del changed["silent"]
    assert accepted_verdicts.changes(changed, accepted_verdicts.read_accepted(tmp_path)) == [
        "read: supported -> not supported",
        "silent: not reported -> no verdict",
    ]


def test_tables_are_to_be_read(record: Record) -> None:
    ledger = claims.ledger_table(record, "read", "four").set_index("claim")
    assert ledger.loc["read", "comes out"] == "350 MB/s"
    assert ledger.loc["four", "stated"] == "4"
    others = claims.ledger_table(record, "fastest", "silent").set_index("claim")
    assert others["stated"].tolist() == ["bare-metal", "3 ms"]
    assert others["comes out"].tolist() == ["bare-metal", ""]
    assert list(claims.ledger_table(record, roles=["nominal"])["claim"]) == ["links"]
    assert list(claims.ledger_table(record, verdicts=["not reported"])["claim"]) == ["silent"]
    printed = claims.printed_table(record).set_index("value")
    assert printed.loc["bm_read", "printed"] == "about 350 MB/s"
    assert printed.loc["bm_write", "comes out"] == "250 ± 0.58 MB/s"
    assert printed.loc["planned", "from"] == "they were never there"
    assert claims.check_table(record)["from printed numbers"].tolist() == ["3.571", "0.0024", "2500"]
    assert claims.tolerance_table(record).iloc[0].tolist() == ["relative 0.07", "a plot", "it is read off", "read"]
    assert ledger.loc["read", "flips at"] in ("325.5 MB/s", "374.5 MB/s")
    assert claims.inconsistency_table(record)["computed"].tolist() == ["how much slower: 3.571"]
    assert claims.absent_figures(record)["figure"].tolist() == ["Fig. 2"]
    assert claims.group_table(record)["verdict"].tolist() == ["rounding differs"]
    assert claims.measured_table(record)["verdict"].tolist() == ["replicated", "not comparable"]
    assert claims.properties_table(record)["value"].tolist() == ["3", "1 Gbit/s"]
    assert claims.parts_table(record).loc[0].tolist() == ["server", "", "count 3, link 1 Gbit/s", ""]
    assert claims.model_table(record)["parameter"].tolist() == ["noise"]
    assert claims.stages(record)["bound"].values == pytest.approx([375e6])


def test_a_printed_number_in_si(record: Record) -> None:
    assert claims.printed_number(record, "bm_read") == 350e6
    with pytest.raises(ReconstructError, match="no published value 'bm_red'; did you mean 'bm_read'"):
        claims.printed_number(record, "bm_red")


def test_counts_add_up(record: Record) -> None:
    counted = claims.counts(record)
    parts = ("judged", "transcription", "identity", "model", "not_testable", "not_reported")
    assert counted["claims"] == sum(counted[name] for name in parts) == 8
    verdicts = ("consistent", "not_consistent", "inconsistent", "open")
    assert counted["judged"] == sum(counted[name] for name in verdicts) == 2
    assert counted["falsifiable"] == 3
    assert (counted["values"], counted["values_agree"], counted["values_misfit"]) == (7, 5, 1)
    assert counted["values_recomputed"] == 6
    assert (counted["checks"], counted["checks_agree"]) == (3, 3)
    assert (counted["inconsistencies"], counted["severe"]) == (1, 1)
    assert (counted["figures"], counted["figures_drawn"], counted["figures_absent"]) == (2, 1, 1)
    assert counted["figures_of_document"] == 2


def test_coverage_has_a_row_for_every_figure(record: Record) -> None:
    covered = claims.coverage([record]).set_index("figure")
    assert covered.loc["fig1", ["origin", "drawn", "claims", "tested", "supported"]].tolist() == [
        "reconstructed", "rates", 2, 0, 0,
    ]  # fmt: skip
    assert covered.loc["fig2", ["origin", "absent"]].tolist() == ["", "the number is skipped"]
    with pytest.raises(StoragelabError, match="several figures have the id fig1"):
        claims.coverage([record, record])


@pytest.mark.parametrize(
    ("stated", "written"),
    [
        ("approx,\n   stated: 350 MB/s", "350 MB/s"),
        ("between,\n   stated: 340 MB/s, until: 360 MB/s", "340 to 360 MB/s"),
        ("approx,\n   stated: 350 MB/s, error: 2 MB/s", "350 +- 2 MB/s"),
    ],
)
def test_what_a_claim_states_is_written_with_its_range_or_its_error(stated: str, written: str, tmp_path: Path) -> None:
    folder = tiny.write(tmp_path / "tiny", claims=("approx,\n   stated: 350 MB/s", stated))
    assert tiny.row(claims.evaluate(folder, tiny.logs(), CAMPAIGNS), "read")["stated"] == written


def test_a_number_of_a_measured_campaign_is_spelled_out() -> None:
    said = {"study": "cluster-2026", "distance": "same mechanism", "because": "it is near", "quantity": "bm_read"}
    with pytest.raises(ValueError, match="quantity of a measured campaign is spelled out: it has no published values"):
        Second.model_validate(said)

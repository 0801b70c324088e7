"""Numbers of a published study and of a campaign, side by side: each keeps its origin and what it rests on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from storagelab import claims, dataset
from storagelab.analysis.significant_digits import PRINTED, significant
from storagelab.claims.extracts import read_extracts, read_figures
from storagelab.claims.number_evaluation import Found
from storagelab.claims.quoted_numbers import is_computed
from storagelab.claims.synthesis import refuse_other_interval, verdict_of
from storagelab.errors import AnalysisError, SidecarError, StoragelabError, UnknownNameError
from storagelab.study.sidecar_numbers import Quantity
from tests.analysis.tables import node, repeats
from tests.claims import tiny

EXTRACTS = """\
title: Two studies
reported:
  tiny: {statistic: single values, error: none}
  cluster-2026: {statistic: means, error: 95 % intervals}
nodes:
  effects:
    variable: ratio
    extracts:
    - {study: tiny, case: virtual, label: writes, quantity: {expression: vi_write / bm_write}}
    - study: cluster-2026
      case: virtual
      label: reads
      quantity: &compared
        where: {operation: read}
        steps: [{compare: {variable: throughput, factor: server_mode, base: bare-metal, other: virtual, by: []}}]
        take: ratio
    - {study: tiny, case: virtual, label: reads, quantity: *compared}
  curves:
    variable: curve_share
    extracts:
    - study: cluster-2026
      label: by operation
      quantity:
        where: {server_mode: bare-metal}
        steps: [{over_peak: {variable: throughput, by: [operation]}}]
        take: curve_share
      keep: {clients: clients, case: operation}
  answers:
    variable: value
    extracts:
    - {study: tiny, case: best read, label: printed, quantity: bm_read}
    - {study: tiny, case: bottleneck, label: links, quantity: {expression: server.link * server.count}}
    - study: cluster-2026
      case: best read
      label: mean
      quantity:
        where: {operation: read}
        steps: [{summarise: {variable: throughput, by: [server_mode]}}]
        take: throughput
        at: {server_mode: virtual}
"""

FIGURES = (
    "figures:\n- {id: xs-fig, origin: proposed, status: new, shows: effects, drawn: [effects], claims: [four, read]}\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What is set side by side, beside the sidecars of a published study."""
    tiny.write(tmp_path / "tiny")
    return written(tmp_path / "beside")


def written(folder: Path, old: str = "", new: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    assert old in EXTRACTS
    (folder / "extracts.yaml").write_text(EXTRACTS.replace(old, new) if old else EXTRACTS)
    (folder / "figures.yaml").write_text(FIGURES)
    return folder


def studies() -> dict[str, xr.DataTree]:
    return {"tiny": tiny.logs(), "cluster-2026": tiny.logs("measured", virtual_read=0.5)}


def test_every_row_keeps_its_study_its_origin_and_what_it_rests_on(folder: Path) -> None:
    rows = dataset.frame(claims.synthesise(folder, studies())["effects"].to_dataset())
    told = rows[["study", "origin", "basis", "label"]].to_numpy().tolist()
    assert told == [
        ["tiny", "reconstructed", "derived", "writes"],
        ["cluster-2026", "measured", "", "reads"],
        ["tiny", "reconstructed", "published", "reads"],
    ]
    assert rows["ratio"].tolist() == pytest.approx([0.28, 0.5, 1.0], rel=1e-3)
    assert (rows["ratio_low"] < rows["ratio"]).tolist() == [True, True, False]
    assert rows["ratio_low"].isna().tolist() == [False, False, True], "scatter that a model drew has no interval"


def test_a_curve_has_a_row_a_level_under_the_names_that_are_asked_for(folder: Path) -> None:
    tree = claims.synthesise(folder, studies())
    rows = dataset.frame(tree["curves"].to_dataset())
    assert rows["case"].tolist() == ["read", "write"]
    assert rows["clients"].tolist() == [3.0, 3.0]
    assert "tiny" not in set(rows["study"])


def curve_of_the_reconstructed(folder: Path, basis_of_writes: str) -> xr.DataTree:
    whole = tiny.logs()["runs"].to_dataset()
    basis = np.where(whole["operation"] == "write", basis_of_writes, "published")
    mixed = dataset.tree({"runs": whole.assign_coords(basis=("obs", basis))}, {"title": "tiny"})
    written(
        folder, "    - study: cluster-2026\n      label: by operation", "    - study: tiny\n      label: by operation"
    )
    return claims.synthesise(folder, {**studies(), "tiny": mixed})


def test_rows_of_a_curve_rest_on_those_rows_of_the_study_that_have_their_keys(folder: Path) -> None:
    rows = dataset.frame(curve_of_the_reconstructed(folder, "derived")["curves"].to_dataset())
    assert dict(zip(rows["case"], rows["basis"], strict=True)) == {"read": "published", "write": "derived"}


def test_a_curve_that_a_model_drew_is_refused(folder: Path) -> None:
    with pytest.raises(StoragelabError, match=r"tiny.*1 of 2 points rest on a model"):
        curve_of_the_reconstructed(folder, "model")


def test_the_whole_says_all_origins_and_comes_back_from_its_file(folder: Path, tmp_path: Path) -> None:
    tree = claims.synthesise(folder, studies())
    assert tree.attrs["origin"] == "measured and reconstructed"
    dataset.save(tree, tmp_path / "dataset.nc")
    again = dataset.load(tmp_path / "dataset.nc")
    assert again["effects"].to_dataset().identical(tree["effects"].to_dataset())
    assert dataset.about(again)["reported"]["tiny"] == {"statistic": "single values", "error": "none"}


def test_numbers_side_by_side_have_nine_digits(folder: Path) -> None:
    whole = claims.synthesise(folder, studies())
    numbers = [one.to_numpy() for node in whole.children.values() for one in node.data_vars.values()]
    found = np.concatenate([values for values in numbers if values.dtype.kind == "f"])
    assert found[np.isfinite(found)].size > 10
    assert np.array_equal(found, significant(found, PRINTED), equal_nan=True)


def test_of_measured_studies_alone_the_whole_is_measured(folder: Path) -> None:
    text = (folder / "extracts.yaml").read_text()
    (folder / "extracts.yaml").write_text("\n".join(line for line in text.splitlines() if "study: tiny" not in line))
    assert claims.synthesise(folder, studies()).attrs["origin"] == "measured"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "quantity: bm_read}",
            "quantity: bm_red}",
            "tiny, printed: no published value 'bm_red'; did you mean 'bm_read'",
        ),
        ("quantity: bm_read}", "quantity: planned}", "planned: nothing here can give it: they were never there"),
        ("vi_write / bm_write", "vi_write", "tiny, writes: in 'B/s', but ratio is in '1'"),
        ("        at: {server_mode: virtual}\n", "", "cluster-2026, mean: 2 rows: name the keys to `keep`"),
        ("keep: {clients: clients, case: operation}", "keep: {}", "2 rows: name the keys to `keep`"),
        ("keep: {clients: clients, case: operation}", "keep: {nodes: nodes}", "no 'nodes'"),
        (
            "study: cluster-2026\n      case: best read",
            "study: cluster-2027\n      case: best read",
            "no dataset of cluster-2027",
        ),
        ("variable: throughput, by: [server_mode]", "variable: throughputs, by: [server_mode]", "throughputs"),
    ],
)
def test_a_number_that_cannot_be_taken_is_named(folder: Path, old: str, new: str, message: str) -> None:
    written(folder, old, new)
    with pytest.raises(StoragelabError, match=message):
        claims.synthesise(folder, studies())


def test_each_study_is_named_once(folder: Path) -> None:
    assert read_extracts(folder).studies() == ["tiny", "cluster-2026"]


def test_all_numbers_that_cannot_be_taken_are_named_at_once(folder: Path) -> None:
    text = (folder / "extracts.yaml").read_text().replace("bm_read}", "bm_red}").replace("vi_write /", "vi_writ /")
    (folder / "extracts.yaml").write_text(text)
    with pytest.raises(StoragelabError, match=r"(?s)vi_writ'.*bm_red'"):
        claims.synthesise(folder, studies())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "variable: ratio",
            "variable: ratios",
            "beside/extracts.yaml:7: .*unknown column 'ratios'; did you mean 'ratio'",
        ),
        ("keep: {clients: clients", "keep: {clint: clients", "unknown column 'clint'"),
        ("title: Two studies", "titel: Two studies", "title: needed, but missing"),
        (
            "quantity: bm_read}",
            "quantity: bm_read, keep: {clients: clients}}",
            "a published value and an expression none",
        ),
        ("label: printed, ", "", "nodes.answers.extracts.0.label: needed, but missing"),
    ],
)
def test_mistakes_in_the_extracts_are_named_with_their_line(folder: Path, old: str, new: str, message: str) -> None:
    written(folder, old, new)
    with pytest.raises(SidecarError, match=message):
        read_extracts(folder)


def test_answers_stand_in_a_table_that_says_what_each_rests_on(folder: Path) -> None:
    answers = claims.synthesise(folder, studies())["answers"].to_dataset()
    wide = claims.comparison_table(answers, "best read", "bottleneck").set_index("study")
    assert wide.index.tolist() == ["tiny", "cluster-2026"], "as they are asked for"
    assert wide.loc["tiny"].tolist() == ["reconstructed", "350 MB/s (p)", "375 MB/s (d)"]
    assert wide.loc["cluster-2026"].tolist() == ["measured", "175 MB/s", ""]
    long = claims.extracts_table(answers, ["bottleneck", "best read"])
    assert long["question"].tolist() == ["bottleneck", "best read", "best read"]
    assert long["rests on"].tolist() == ["derived", "published", "measured"]
    assert long["95 % interval"].tolist()[2] == "173 to 177 MB/s"
    with pytest.raises(UnknownNameError, match="unknown question 'best reed'; did you mean 'best read'"):
        claims.comparison_table(answers, "best reed")


def test_what_a_paper_reports_of_itself_is_published(folder: Path) -> None:
    said = claims.reporting(claims.synthesise(folder, studies())).set_index("study")
    assert said["origin"].to_dict() == {"tiny": "published", "cluster-2026": "measured"}
    assert said.loc["tiny", "error"] == "none"


def test_figures_that_show_several_studies_are_read_without_claims_of_their_own(folder: Path) -> None:
    (figure,) = read_figures(folder)
    assert (figure.id, figure.drawn, figure.claims) == ("xs-fig", ("effects",), ("four", "read"))


SOURCES = """\
sources:
  cluster-2026:
    levels: [server_mode]
    aggregates: [{refused: sum of the clients' rates, says: wrong as a bandwidth}]
words: {server_mode: {virtual: [guests]}}
"""


def allowed(folder: Path, old: str = "", new: str = "") -> Path:
    """What is set side by side, where the paper of the campaign refuses sums of its clients' rates."""
    written(folder, old, new)
    (folder / "sources.yaml").write_text(SOURCES)
    return folder


def test_a_sum_of_rates_is_refused_by_its_source_and_may_only_warn(folder: Path) -> None:
    with pytest.raises(StoragelabError, match="cluster-2026, mean: throughput is a sum of the clients' rates, which"):
        claims.synthesise(allowed(folder), studies())
    each = (
        "steps: [{per_client: {by: [server_mode]}}, {summarise: {variable: throughput_per_client, by: [server_mode]}}]"
    )
    text = (folder / "extracts.yaml").read_text()
    text = text.replace("steps: [{summarise: {variable: throughput, by: [server_mode]}}]", each)
    text = text.replace("        take: throughput\n", "        take: throughput_per_client\n")
    for label in ("label: reads\n      quantity: &", "label: by operation\n"):
        text = text.replace(label, label.replace("\n", "\n      warns: it shows what a sum does\n", 1))
    (folder / "extracts.yaml").write_text(text)
    rows = dataset.frame(claims.synthesise(folder, studies())["effects"].to_dataset())
    assert rows["aggregate"].tolist() == ["", "sum of the clients' rates", ""]
    assert '"one_of":["added","add up","sum"]' in rows["demands"][1]


def test_repeats_that_are_not_the_units_of_their_source_are_refused(folder: Path) -> None:
    compare = "        steps: [{compare: {variable: throughput, "
    written(folder, f"        where: {{operation: read}}\n{compare}", f"{compare}over: [operation], ")
    unit = "{key: operation, factors: [server_mode], says: with the operation as the unit}"
    (folder / "sources.yaml").write_text(f"sources: {{cluster-2026: {{units: [{unit}]}}}}\n")
    with pytest.raises(
        StoragelabError, match="cluster-2026, reads: n = 3, but cluster-2026 takes operation as the unit"
    ):
        claims.synthesise(folder, studies())


def test_a_verdict_that_is_another_at_another_level_is_quoted_with_both(folder: Path) -> None:
    (folder / "sources.yaml").write_text("sources: {cluster-2026: {levels: [operation]}}\n")
    measured = tiny.logs("measured", virtual_read=0.5, virtual_write=10)
    whole = claims.synthesise(folder, {**studies(), "cluster-2026": measured})
    assert whole["effects"]["changes"].to_numpy().tolist()[1] == "operation read: lower, write: higher"


@pytest.mark.parametrize(
    ("quantity", "carried"),
    [
        ("quantity: bm_read", ["run", "the run", ""]),
        ("quantity: {expression: bm_read * 1}", ["run", "the run", ""]),
        (
            "quantity: {take: write_amplification, steps: [{redundancy: {}}], at: {layout: replicate}}",
            ["", "", "layout replicate"],
        ),
    ],
)
def test_a_number_that_is_printed_or_computed_carries_no_aggregate_over_clients(
    quantity: str, carried: list[str], folder: Path
) -> None:
    written(folder, "quantity: bm_read", quantity)
    (folder / "sources.yaml").write_text("sources: {tiny: {levels: [layout]}}\n")
    runs = tiny.logs("measured")["runs"].to_dataset().assign_coords(layout=("obs", ["replicate"] * 12))
    study = dataset.tree({"runs": runs.assign_coords(replicas=("obs", [3.0] * 12))}, {"title": "copies"})
    rows = dataset.frame(claims.synthesise(folder, {**studies(), "tiny": study})["answers"].to_dataset())
    assert rows.loc[0, ["unit_of_repetition", "aggregate", "selection"]].tolist() == carried


def test_a_sum_of_rates_answers_no_question_of_a_table(folder: Path) -> None:
    written(folder, "      label: mean\n", "      label: mean\n      warns: it shows what a sum does\n")
    with pytest.raises(SidecarError, match="mean: an aggregate that its study refuses answers no question"):
        read_extracts(folder)


def quoting(folder: Path, text: str) -> Path:
    """Quote a fact of the campaign's paper in place of a quantity."""
    old = EXTRACTS[EXTRACTS.index("    - study: cluster-2026\n      case: virtual") : EXTRACTS.index("  curves:")]
    return written(folder, old, f"    - {{study: cluster-2026, case: virtual, label: reads, {text}}}\n")


FACT = {
    "value": 0.5,
    "unit": "1",
    "interval": {"low": 0.25, "high": 2.0},
    "n": 3,
    "verdict": "undecided",
    "keys": {"server_mode": "virtual"},
    "changes": {"server_mode": {"bare-metal": "lower", "virtual": "undecided"}},
    "trace": {f"raw/cluster-2026/{name}.log": [7, 9] for name in "abcdef"},
}


def test_a_fact_is_quoted_with_the_interval_verdict_and_levels_of_its_paper(folder: Path) -> None:
    quoting(folder, "fact: cost, inverse: true")
    (folder / "sources.yaml").write_text("words: {server_mode: {virtual: [guests]}}\n")
    tree = claims.synthesise(folder, studies(), {"cluster-2026": {"cost": FACT}})
    row = dataset.frame(tree["effects"].to_dataset()).iloc[1]
    assert [row["ratio"], row["ratio_low"], row["ratio_high"], row["n"]] == [2.0, 0.5, 4.0, 3.0]
    assert (row["verdict"], row["selection"]) == ("undecided", "server_mode virtual")
    assert row["changes"] == "server_mode bare-metal: higher, virtual: undecided"
    assert '"one_of":["guests"]' in row["demands"]
    assert "its source leaves it undecided" in row["demands"]
    assert row["trace"] == "{" + ",".join(f'"raw/cluster-2026/{name}.log":[7]' for name in "abcd") + "}"


def test_a_fact_that_the_paper_does_not_state_is_named(folder: Path) -> None:
    quoting(folder, "fact: costs")
    with pytest.raises(StoragelabError, match="the paper cluster-2026 states no fact 'costs'; did you mean 'cost'"):
        claims.synthesise(folder, studies(), {"cluster-2026": {"cost": FACT}})


def test_a_number_that_its_paper_states_with_another_interval_is_refused() -> None:
    fact = {"value": 0.75, "unit": "1", "interval": {"low": 0.5, "high": 1.0}}
    paper = {"all_rows": fact, "a word": {"value": "lower", "unit": "1"}}
    refuse_other_interval(Found(0.75, 0.5, 1.0, unit="1"), "cluster-2026", paper)
    refuse_other_interval(Found(0.76, 0.6, 0.9, unit="1"), "cluster-2026", paper)
    refuse_other_interval(Found(0.75, 0.6, 0.9, unit="s"), "cluster-2026", paper)
    with pytest.raises(AnalysisError, match=r"interval of 0\.5 to 1, not 0\.6 to 0\.9: quote it with `fact: all_rows`"):
        refuse_other_interval(Found(0.75, 0.6, 0.9, unit="1"), "cluster-2026", paper)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fact: cost, quantity: bm_read", "needs either a `quantity`, or a `fact`"),
        ("case: other", "needs either a `quantity`, or a `fact`"),
        ("quantity: bm_read, inverse: true", "only a `fact` is quoted the other way round"),
    ],
)
def test_an_extract_is_a_quantity_or_a_fact(folder: Path, text: str, message: str) -> None:
    quoting(folder, text.replace("case: other", "inverse: false"))
    with pytest.raises(SidecarError, match=message):
        read_extracts(folder)


@pytest.mark.parametrize(
    ("said", "turned"), [("lower", "higher"), ("higher", "lower"), ("no difference", "no difference"), ("", "")]
)
def test_the_verdict_on_a_quotient_turns_round_with_it(said: str, turned: str) -> None:
    assert (verdict_of({"verdict": said}, False), verdict_of({"verdict": said}, True)) == (said, turned)


def test_what_follows_from_the_layout_is_computed_and_not_measured() -> None:
    assert is_computed(Quantity(steps=({"redundancy": {}},), take="write_amplification"))
    assert not is_computed(Quantity(steps=({"amplification": {}},), take="amplification"))


OF_ONE = """\
title: One study
reported: {cluster-2026: {statistic: means, error: none}}
nodes:
  answers:
    variable: value
    extracts:
    - study: cluster-2026
      case: reads
      label: mean
      quantity: {take: throughput, steps: [{summarise: {variable: throughput, by: [layout, clients]}}], SELECTED}
      KEPT
"""


@pytest.mark.parametrize(
    ("at", "kept", "message"),
    [
        ("", "", "cluster-2026, mean: 2 rows: name the keys to `keep`, or those that choose one row"),
        ("at: {layout: a, clients: 2}", "keep: {case: layout}", "cluster-2026, mean: 0 rows: name the keys"),
        ("at: {layout: c}", "", "unknown value of layout 'c'; known: a, b"),
        ("", "keep: {nodes: nodes}", "no 'nodes'"),
    ],
)
def test_what_chooses_no_row_or_several_is_named(at: str, kept: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "figures.yaml").write_text("figures: []\n")
    (tmp_path / "extracts.yaml").write_text(OF_ONE.replace("SELECTED", at).replace("KEPT", kept))
    runs = node([*repeats([1.0, 2.0], layout="a", clients=1.0), *repeats([3.0, 4.0], layout="b", clients=2.0)])
    with pytest.raises(StoragelabError, match=message):
        claims.synthesise(tmp_path, {"cluster-2026": dataset.tree({"runs": runs}, {"title": "Two layouts"})})

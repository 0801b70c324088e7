"""Keys that a study declares itself: what may be declared, and what every mistake says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from storagelab import analysis, dataset, schema, study
from storagelab.errors import AnalysisError, ContractError, SidecarError, UnknownNameError
from storagelab.schema import Field
from storagelab.schema.own_keys import OwnKeys
from storagelab.wording.levels import ordered

HEAD = "id: mine-2026\ntitle: mine\norigin: measured\n"


def written(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(HEAD + text)
    return folder


def loaded(tmp_path: Path, text: str, *logs: str) -> study.Study:
    folder = written(tmp_path / "mine-2026", text)
    for log in logs:
        (folder / log).write_text(log)
    return study.load(folder)


def declared(name: str, unit: str | None = None, levels: tuple[str | float, ...] = ()) -> Field:
    return Field(name, "key", unit, f"{name} in words", levels, own=True)


@pytest.mark.parametrize(
    ("keys", "line", "message"),
    [
        (
            "  Kernel: {}",
            6,
            "keys.Kernel: expected a name of small letters, digits and _, such as mount_options, found",
        ),
        ("  class: {unit: s, levels: [a]}", 6, "keys.class: levels: expected numbers in s, found the text 'a'"),
        ("  nodes: {}", 6, "keys.nodes: 'nodes' is a key of the contract (client nodes): logs, `match`, runs.csv or"),
        ("  throughput: {}", 6, "keys.throughput: 'throughput' is a variable of the contract (throughput)"),
        ("  kernel: 6.1", 4, "kernel: expected long_name, unit, levels, description, found 6.1: what all logs have in"),
        ("  filesystem: {unit: B}", 4, "filesystem is one of the five keys: expected its value, found a declaration"),
        ("  kernel: {nuit: B}", 6, "unknown key 'keys.kernel.nuit'; did you mean 'unit'?"),
        ("  kernel: {unit: MiB}", 6, "keys.kernel.unit: expected '', 'B', 'B/s', '1/s', 's' or '1', found 'MiB'"),
        ("  kernel: {levels: [1, a]}", 6, "levels: expected all text or all numbers, found 1, 'a': quote the texts"),
        ("  kernel: {levels: [a, a]}", 6, "levels: expected each once, found 'a', 'a'"),
        ("  kernel: {levels: [yes]}", 6, "expected text or a number, found True: put text in quotes"),
    ],
)
def test_what_cannot_be_declared(keys: str, line: int, message: str, tmp_path: Path) -> None:
    with pytest.raises(SidecarError, match=re.escape(message)) as refused:
        loaded(tmp_path, f"keys:\n  striping: none\n{keys}\n")
    assert f"study.yaml:{line}: " in str(refused.value)


def test_all_mistakes_are_said_at_once(tmp_path: Path) -> None:
    text = "keys:\n  kernel: {nuit: B}\ncolours: red\nmatch:\n- {glob: '*', keys: {kernal: x, nods: 3}}\n"
    with pytest.raises(SidecarError, match=r"unknown key 'keys\.kernel\.nuit'") as refused:
        loaded(tmp_path, text)
    lines = str(refused.value).splitlines()
    assert [re.sub(r".*study.yaml:(\d+).*", r"\1", line) for line in lines] == ["5", "8", "8", "6"]
    assert "match.0.keys.nods: unknown key 'nods'; did you mean 'nodes'" in lines[2]


def test_a_key_of_another_study_is_none_of_this_one(tmp_path: Path) -> None:
    schema.OWN.declare(declared("kernel"), "theirs-2026")
    with pytest.raises(SidecarError, match=r"study.yaml:5: match.0.keys.kernel: unknown key 'kernel'") as refused:
        loaded(tmp_path, "match:\n- {glob: '*', keys: {kernel: x}}\n", "a.log")
    assert "`storagelab keys` lists the keys of the contract" in str(refused.value)


def test_a_column_of_runs_csv_is_a_declared_key(tmp_path: Path) -> None:
    text = "keys:\n  tuning: {unit: B}\n  kernel:\ncolumns: {tun: {key: tuning, unit: KiB}}\n"
    folder = written(tmp_path / "mine-2026", text)
    (folder / "a.log").write_text("a")
    (folder / "runs.csv").write_text("file,kernel,tun\na.log,6.1,4\n")
    assert study.load(folder).entries[0].keys == {"kernel": "6.1", "tuning": 4096.0}
    (folder / "runs.csv").write_text("file,kernal,tun\na.log,6.1,4\n")
    with pytest.raises(SidecarError, match="column 'kernal' is neither a key of the contract nor explained") as refused:
        study.load(folder)
    assert "did you mean 'kernel'" in str(refused.value)


def test_levels_are_all_there_may_be(tmp_path: Path) -> None:
    text = "keys:\n  release: {levels: [A, B]}\nmatch: [{regex: 'r(?P<release>.)_.*'}]\n"
    logs = [f"rC_{number}.log" for number in range(60)]
    found = loaded(tmp_path, text, "rA_1.log", *logs).problems
    assert len(found) == 1, "sixty logs with one mistake are one mistake"
    assert "rC_0.log: match rule 1 of study.yaml: unknown release 'C'; known: A, B" in str(found[0])
    assert "(so it is with 59 other logs: rC_1.log, rC_10.log, rC_11.log, ...)" in str(found[0])


def test_logs_that_nothing_covers_are_told_once_and_how_to_cover_them(tmp_path: Path) -> None:
    found = loaded(tmp_path, "", *[f"{number}.log" for number in range(60)]).problems
    assert len(found) == 1
    assert "(?P<nodes>[0-9]+)" in str(found[0])
    assert "(so it is with 59 other logs: 1.log, 10.log, 11.log, ...)" in str(found[0])


def test_a_missing_key_is_told_where_names_of_logs_may_say_it() -> None:
    rows = dataset.from_rows([{"operation": "read", "throughput": 1.0, "run_id": "a"}], origin="measured")
    with pytest.raises(AnalysisError, match=r"a group \(\?P<nodes>...\) of a `regex` in `match` of study.yaml"):
        analysis.summarise(rows, "throughput", "nodes")


def test_one_name_means_one_thing() -> None:
    schema.OWN.declare(declared("tuning"), "a")
    schema.OWN.declare(declared("tuning", "B"), "a")
    with pytest.raises(
        ContractError, match="key 'tuning' of b: expected a number in 'B', as a declares it, found text"
    ):
        schema.OWN.declare(declared("tuning"), "b")
    schema.OWN.declare_all([], "a")
    assert "tuning" not in schema.FIELDS


def test_a_dataset_brings_its_keys_along(tmp_path: Path) -> None:
    schema.OWN.declare(declared("tuning", "1", (1.0, 2.0)), "mine")
    rows = [{"operation": "read", "tuning": level, "throughput": 1.0, "run_id": "a"} for level in (1.0, 2.0)]
    tree = dataset.tree({"runs": dataset.from_rows(rows, origin="measured", study="mine")}, {"origin": "measured"})
    dataset.save(tree, tmp_path / "x.nc")
    schema.OWN.forget()
    with pytest.raises(UnknownNameError, match="unknown name 'tuning'"):
        schema.field("tuning")
    ds = dataset.load(tmp_path / "x.nc")["runs"].to_dataset()
    assert schema.field("tuning").values == (1.0, 2.0)
    schema.OWN.forget()
    assert set(analysis.summarise(ds, "throughput", "tuning").coords) == {"tuning"}, (
        "also without opening the file anew"
    )


def test_a_key_cannot_have_the_name_of_a_column_of_results() -> None:
    schema.OWN.declare(declared("ratio"), "mine")
    ds = dataset.from_rows([{"operation": "read", "ratio": "x", "throughput": 1.0}], origin="measured")
    with pytest.raises(ContractError, match="key 'ratio' has the name of a column that analyses make: rename it"):
        analysis.summarise(ds, "throughput", "ratio")


def test_levels_stand_in_the_declared_order() -> None:
    schema.OWN.declare(declared("release", levels=("beta", "alpha")), "mine")
    assert ordered("release", ["alpha", "beta"]) == ["beta", "alpha"]


def test_a_name_that_nobody_has_taken_is_not_refused() -> None:
    assert OwnKeys({}).refused("mount_options") == ""


def test_keys_that_a_study_does_not_declare_any_more_are_forgotten_and_those_of_others_stay() -> None:
    fields: dict[str, Field] = {}
    own = OwnKeys(fields)
    own.declare_all([declared("kernel"), declared("scheduler")], "first")
    own.declare_all([declared("firmware")], "second")
    own.declare_all([declared("kernel")], "first")
    assert [*own] == ["firmware", "kernel"] == [*fields]

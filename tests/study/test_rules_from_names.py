"""Rules for study.yaml out of file names, and runs held against the plan while some are missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from storagelab.cli import check
from storagelab.ingest.plan_progress import counted
from storagelab.study import rules_from_names
from storagelab.study.campaign_plan import Campaign, Plan
from storagelab.study.study_yaml import Column, Rule, Sidecar
from storagelab.study.value_checks import to_keys
from tests.cli.conftest import Cli
from tests.conftest import LOGS, ROOT

NAMES = [
    f"ior/n{n:02}_p{p}_{release}_xfs_4k_r{r}.log" for n in (1, 8) for p in (4, 16) for release in "AB" for r in (1, 2)
]


def keys(paths: list[str]) -> list[dict[str, object]]:
    """Keys that the proposals give each path; each covers its own, and none of the others."""
    found = rules_from_names.proposed(paths)
    given: dict[str, dict[str, object]] = {}
    for one in found:
        for path in paths:
            (groups,) = Rule(regex=one.regex).match([path])
            assert (groups is not None) == (path in one.logs), (one.regex, path)
            if groups is not None:
                columns = {name: Column.model_validate(one.columns.get(name, {"key": name})) for name in groups}
                given[path] = dict(to_keys(groups, columns))
    return [given[path] for path in paths]


def test_numbers_words_and_sizes_become_keys() -> None:
    found = keys(NAMES)
    assert found[0] == {"nodes": 1.0, "processes": 4.0, "filesystem": "xfs", "record_size": 4096.0, "repeat": 1.0}
    assert found[-1]["nodes"] == 8.0
    [one] = rules_from_names.proposed(NAMES)
    assert "(?P<part1>A|B)" in one.regex
    assert one.columns["part1"]["ignore"]


@pytest.mark.parametrize(("paths", "expected"), [
    (["randread_qd32_run1.json", "randwrite_qd1_run2.json"], [
        {"operation": "random_read", "queue_depth": 32.0, "repeat": 1.0},
        {"operation": "random_write", "queue_depth": 1.0, "repeat": 2.0}]),
    (["lustre/bs1m/c4-r1.txt", "gluster/bs4m/c16-r2.txt"], [
        {"filesystem": "lustre", "record_size": 2.0**20, "clients": 4.0, "repeat": 1.0},
        {"filesystem": "glusterfs", "record_size": 2.0**22, "clients": 16.0, "repeat": 2.0}]),
    (["ext4_n1.log", "ext3_n2.log"], [{"filesystem": "ext4", "nodes": 1.0}, {"filesystem": "ext3", "nodes": 2.0}]),
    (["a.log"], [{}]), (["x+y (1).log", "x+y (2).log"], [{}, {}]), (["no_suffix_n4"], [{"nodes": 4.0}]),
    (["n4_n8_r1.log", "n4_n9_r1.log"], [{"nodes": 4.0, "repeat": 1.0}] * 2),
    (["zq1_zq2.log", "zq3_zq4.log"], [{}, {}]),
    (["fio_64k_r1.json", "fio_1m_r1.json"], [
        {"record_size": 65536.0, "repeat": 1.0}, {"record_size": 2.0**20, "repeat": 1.0}]),
    (["bs4K_1k.log", "bs4k_2m.log"], [{"record_size": 4096.0}] * 2), (["qd4k.log", "qd1m.log"], [{}, {}]),
    (["node01_sar.log", "node12_sar.log"], [{"host": "node01"}, {"host": "node12"}]), (["node4.log"], [{"nodes": 4.0}]),
])  # fmt: skip
def test_names_of_the_field_are_read(paths: list[str], expected: list[dict[str, object]]) -> None:
    assert keys(paths) == expected


def test_a_number_of_which_neither_word_nor_unit_is_known_is_no_key() -> None:
    for names in (["foo1k.log", "foo2k.log"], ["1.log", "2.log"], ["foo1.log", "foo2.log"]):
        assert keys(names) == [{}, {}], names
    assert keys(["1k.log", "2k.log"]) == [{"record_size": 1024.0}, {"record_size": 2048.0}]


@pytest.mark.parametrize(("paths", "rule"), [
    (["6.8/n1.log", "6.11/n2.log"], r"(?P<part1>6\.11|6\.8)/n(?P<nodes>\d+)\.log"),
    (["linux-v6.8.0/n1.log", "linux-v6.11/n1.log"], r"linux-(?P<part1>v6\.11|v6\.8\.0)/n(?P<nodes>\d+)\.log"),
    (["ior.4.16.log", "ior.8.32.log"], r"ior\.(?P<part1>\d+)\.(?P<part2>\d+)\.log"),
])  # fmt: skip
def test_a_version_is_one_word_where_dots_join_nothing_else(paths: list[str], rule: str) -> None:
    [one] = rules_from_names.proposed(paths)
    assert one.regex == rule


def test_real_names_of_this_repository_are_covered_each_once() -> None:
    for study in ("loopback-2026", "cluster-2026", "virtual-2026", "xrootd-2026"):
        folder = ROOT / "raw" / study
        keys([path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*_r1*")) if path.is_file()][:200])


def test_what_is_proposed_is_a_sidecar(tmp_path: Path) -> None:
    text = (
        "id: a\ntitle: A\norigin: measured\n"
        + "\n".join(rules_from_names.lines(rules_from_names.proposed(NAMES)))
        + "\n"
    )
    found = Sidecar.model_validate(yaml.safe_load(text))
    assert len(found.match) == 1


def test_a_proposal_is_written_as_yaml_has_it() -> None:
    written = list(rules_from_names.lines(rules_from_names.proposed(["it's.log"])))
    assert written == ["match:", "  # 1 log, such as it's.log", r"  - regex: 'it''s\.log'"]
    assert yaml.safe_load("\n".join(written)) == {"match": [{"regex": r"it's\.log"}]}


def test_check_proposes_and_after_pasting_is_content(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("raw", "iors")
    (folder / "ior").mkdir(parents=True)
    (folder / "study.yaml").write_text("id: iors\ntitle: I\norigin: measured\n")
    printed = (LOGS / "ior" / "4.1.0dev_file_per_process_8_tasks.txt").read_text()
    for place, name in enumerate(NAMES):
        nodes = int(name.partition("/n")[2][:2])
        said = {"nodes               : 1": nodes, "tasks               : 8": 4, "clients per node    : 8": 4}
        text = printed
        for line, number in said.items():
            assert line in text
            text = text.replace(line, f"{line.rpartition(' ')[0]} {number}")
        log = folder / name.replace("_4k", "").replace("p16", "p4")
        log.write_text(text + "\n" * place)
    shown = cli("check", "iors")
    assert shown.code == 1
    assert "8 logs have no row of runs.csv and no rule of study.yaml, such as ior/n01_p4_A_xfs_r1.log" in shown.err
    assert "covers it" not in shown.err, "what is true of all is not said of each"
    assert re.search(r"^nodes +processes +filesystem +part1 +repeats +logs$", shown.out, re.MULTILINE)
    assert re.search(r"^8 +4 +xfs +B +1, 2 +2$", shown.out, re.MULTILINE)
    with (folder / "study.yaml").open("a") as more:
        more.write(shown.out.partition("# The keys")[0])
    again = cli("check", "iors")
    assert again.err == "storagelab: raw/iors/SHA256SUMS: no such file: write it with `storagelab checksums`\n"
    assert again.out == "raw/iors: 8 logs, 1 thing is wrong\n"


def test_numbers_of_a_table_of_keys_stand_in_their_order_before_words() -> None:
    cells = [["1.2.3"], ["10"], ["9.5"], ["²"], ["9"]]
    assert sorted(cells, key=check._in_order) == [["9"], ["9.5"], ["10"], ["1.2.3"], ["²"]]


@pytest.mark.parametrize("more", [0, 2])
def test_a_table_of_keys_says_how_many_rows_it_leaves_out(more: int) -> None:
    names = [f"n{nodes}_r1.log" for nodes in range(1, check.CELLS + more + 1)]
    lines = list(check._table(rules_from_names.proposed(names)))
    assert lines[check.CELLS + 1 :] == ([f"... and {more} cells more"] if more else [])


PLAN = Plan(name="main", where={"filesystem": "xfs"}, factors={"clients": (1, 4), "repeat": (1, 2, 3, 4, 5)})


def rows(repeats: range, *, clients: tuple[float, ...] = (1.0, 4.0)) -> list[dict[str, object]]:
    return [{"filesystem": "xfs", "clients": n, "repeat": float(r)} for n in clients for r in repeats]


def sidecar(plan: Plan | None = PLAN, campaign: Campaign | None = None) -> Sidecar:
    return Sidecar(id="a", title="A", origin="measured", design=(plan,) if plan else (), plan=campaign)


@pytest.mark.parametrize(("there", "said"), [
    (rows(range(1, 6)), "main: 10 of 10 runs"),
    (rows(range(5)), "main: 8 of 10 runs; missing: clients 1, repeat 5; clients 4, repeat 5; "
     "not planned: repeat 0 (2 runs)"),
    (rows(range(1, 6), clients=(1.0, 2.0)), "main: 5 of 10 runs; missing: clients 4, repeat 1 and 2 and 3 and 4 and 5; "
     "not planned: clients 2 (5 runs)"),
    ([], "main: 0 of 10 runs; missing: clients 1, repeat 1 and 2 and 3 and 4 and 5; clients 4, "
     "repeat 1 and 2 and 3 and 4 and 5"),
])  # fmt: skip
def test_runs_are_counted_against_the_plan(there: list[dict[str, object]], said: str) -> None:
    assert [str(part) for part in counted(sidecar(), there)] == [said]


def test_many_missing_cells_are_counted_and_not_all_named() -> None:
    plan = Plan(name="main", factors={"clients": tuple(float(n) for n in range(1, 21))})
    [part] = counted(sidecar(plan), [])
    assert str(part).endswith("clients 8; and 12 cells more")


def test_the_plan_of_a_campaign_is_a_part_of_the_design() -> None:
    campaign = Campaign(repeats=2, factors={"clients": (1, 4)}, set={"filesystem": "xfs"}, command="x")
    [part] = counted(sidecar(None, campaign), rows(range(1, 2)))
    assert str(part) == "plan: 2 of 4 runs; missing: clients 1, repeat 2; clients 4, repeat 2"
    auto = campaign.model_copy(update={"repeats": "auto"})
    assert counted(sidecar(None, auto), rows(range(1, 2))) == []

"""Sidecars: what they say, and that every mistake in them names its file and line."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from storagelab import schema, study
from storagelab.errors import SidecarError
from storagelab.study import linear_regex
from storagelab.study.value_checks import LOG_LEVEL, checked
from tests.conftest import ROOT

YAML = """\
id: tiny
title: A tiny study
origin: measured
defaults: {server_mode: bare-metal}
columns:
  link_mbit: {key: client_link, unit: Mbit/s}
  erasure: {key: erasure_code, words: {two_and_one: "2+1"}}
"""
RUNS = """\
file,filesystem,link_mbit,erasure,clients,repeat
a.log,ext4,200,two_and_one,4,1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "study.yaml").write_text(YAML)
    (folder / "runs.csv").write_text(RUNS)
    (folder / "a.log").write_text("log")
    return folder


def problems(folder: Path) -> list[str]:
    return [str(problem).removeprefix(f"{folder}/") for problem in study.load(folder).problems]


def test_a_sidecar_that_is_not_utf_8_says_at_which_byte(folder: Path) -> None:
    (folder / "study.yaml").write_bytes(b"id: tiny\ntitle: Z\xfcrich\n")
    with pytest.raises(SidecarError, match=r"study\.yaml: not UTF-8: invalid start byte at byte 17$"):
        study.load(folder)


def test_columns_become_keys_in_si(folder: Path) -> None:
    (entry,) = study.load(folder).entries
    assert entry.keys == {
        "server_mode": "bare-metal",
        "filesystem": "ext4",
        "client_link": 25e6,
        "erasure_code": "2+1",
        "clients": 4.0,
        "repeat": 1.0,
    }
    assert (entry.path, entry.line) == ("a.log", 2)


def test_a_hidden_copy_of_a_study_is_no_part_of_it(folder: Path) -> None:
    copy = folder / ".snapshot" / "daily"
    copy.mkdir(parents=True)
    for name in ("runs.csv", "a.log"):
        shutil.copy(folder / name, copy / name)
    (folder / "deep").mkdir()
    (folder / "deep" / ".a.log.swp").write_text("")
    loaded = study.load(folder)
    assert [entry.path for entry in loaded.entries] == ["a.log"]
    assert loaded.hidden == (".snapshot/", "deep/.a.log.swp")
    assert loaded.problems == ()


def test_a_column_may_say_what_was_done_to_the_run(folder: Path) -> None:
    (folder / "study.yaml").write_text(YAML + "  broken: {event: server_failed}\n")
    (folder / "runs.csv").write_text(RUNS.replace("repeat", "broken").replace(",1\n", ",2026-11-20T18:10:35Z\n"))
    (entry,) = study.load(folder).entries
    assert entry.events == {"server_failed": "2026-11-20T18:10:35Z"}
    assert "event" not in entry.keys


def test_what_was_done_has_a_date(folder: Path) -> None:
    (folder / "study.yaml").write_text(YAML + "  broken: {event: server_failed}\n")
    (folder / "runs.csv").write_text(RUNS.replace("repeat", "broken").replace(",1\n", ",noon\n"))
    assert problems(folder)[0] == "runs.csv:2: server_failed: expected a date and time in ISO 8601, found 'noon'"


@pytest.mark.parametrize("zone", ["UTC", "+02:00", "-0330", "Europe/Zurich"])
def test_time_zones(folder: Path, zone: str) -> None:
    (folder / "study.yaml").write_text(YAML.replace("bare-metal}", f"bare-metal, time_zone: '{zone}'}}"))
    assert study.load(folder).entries[0].keys["time_zone"] == zone


def test_rules_take_keys_from_paths(folder: Path) -> None:
    rule = r"match: [{regex: 'sub/(?P<filesystem>\w+)_c(?P<clients>\d+)\.txt', keys: {mount: nfs}}]"
    (folder / "study.yaml").write_text(YAML + rule + "\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "xfs_c12.txt").write_text("log")
    found = study.load(folder)
    assert not found.problems
    assert found.entries[1].keys == {"server_mode": "bare-metal", "mount": "nfs", "filesystem": "xfs", "clients": 12.0}


def test_the_expression_of_a_rule_is_compiled_as_often_for_many_logs_as_for_few(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "study.yaml").write_text(
        f"{YAML}match: [{{regex: '(?P<layout>disperse).*'}}, {{regex: '[a-z]+[.]log'}}]\n"
    )
    fullmatches, calls = linear_regex.fullmatches, []
    monkeypatch.setattr(linear_regex, "fullmatches", lambda *said: calls.append(said) or fullmatches(*said))
    study.load(folder)
    few = len(calls)
    for number in range(50):
        (folder / f"disperse{number}.log").write_text(f"{number}")
    calls.clear()
    loaded = study.load(folder)
    assert len(calls) == few
    assert sum(entry.keys.get("layout") == "disperse" for entry in loaded.entries) == 50


def test_a_log_that_nothing_covers(folder: Path) -> None:
    (folder / "b.log").write_text("log")
    assert problems(folder) == [f"study.yaml: b.log: {study.UNCOVERED}"]


def test_a_log_can_be_set_aside_with_a_reason(folder: Path) -> None:
    (folder / "b.log").write_text("log")
    (folder / "study.yaml").write_text(YAML + "match: [{glob: b.log, ignore: a rehearsal}]\n")
    assert problems(folder) == []
    assert [entry.path for entry in study.load(folder).entries] == ["a.log"]


def test_a_rule_that_covers_nothing(folder: Path) -> None:
    (folder / "study.yaml").write_text(YAML + "match: [{glob: '*.json', keys: {mount: nfs}}]\n")
    assert problems(folder) == ["study.yaml:8: match rule 1 (*.json) covers no log"]
    rules = "".join(f"- {{glob: '*.{end}', keys: {{mount: nfs}}}}\n" for end in ("json", "log", "txt"))
    (folder / "study.yaml").write_text(f"{YAML}match:\n{rules}")
    assert problems(folder) == [
        "study.yaml:9: match rule 1 (*.json) covers no log", "study.yaml:11: match rule 3 (*.txt) covers no log"
    ]  # fmt: skip


def test_a_plan_stands_in_one_place(folder: Path) -> None:
    (folder / "plan.yaml").write_text("repeats: 2\nfactors: {clients: [1, 2]}\ncommand: x\n")
    assert [plan.repeats for plan in [study.load(folder).sidecar.plan] if plan] == [2]
    (folder / "study.yaml").write_text(f"{YAML}plan: {{repeats: 3, factors: {{clients: [1]}}, command: x}}\n")
    with pytest.raises(SidecarError, match=r"plan\.yaml: study\.yaml has a `plan` too: keep one of both"):
        study.load(folder)


def test_a_row_of_a_file_that_is_aside_says_how_a_log_is_left_out(folder: Path) -> None:
    (folder / "bad.log").write_text("log")
    (folder / "study.yaml").write_text(YAML + "aside: {bad.log: the server was rebooted}\n")
    (folder / "runs.csv").write_text(RUNS + "bad.log,ext4,200,,4,2\n")
    assert problems(folder) == [
        "runs.csv:3: bad.log: no log of the study by `aside` of study.yaml; a log with a row is left out by a rule of "
        "`match` with `ignore`"
    ]
    (folder / "study.yaml").write_text(YAML + "match: [{glob: bad.log, ignore: the server was rebooted}]\n")
    assert problems(folder) == []


def test_a_row_without_its_log(folder: Path) -> None:
    (folder / "runs.csv").write_text(RUNS + "gone.log,ext4,200,,4,2\n")
    assert problems(folder) == ["runs.csv:3: gone.log: no such log"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a.log,ext4,fast,,4,1", "client_link: expected a number, found 'fast'"),
        ("a.log,ext4,200,,4", "the row does not have the 6 cells of the header, but 5"),
        ("a.log,ext4,200,,4,1,9", "the row does not have the 6 cells of the header, but 7"),
        ("a.log,ext4,nan,,4,1", "client_link: expected a number, found nan"),
        ("a.log,ext4,200,,-4,1", "clients: expected a number of at least 0, found -4"),
        ("a.log,ext4,-200,,4,1", "client_link: expected a number of at least 0, found -200"),
        ('a.log,ext4,"1,200",,4,1', "client_link: expected a number that can be read in one way (this may be 1.200 or"),
        ("a.log,ex\0t4,200,,4,1", "filesystem: expected text, found a NUL character"),
        (",ext4,200,,4,1", "the cell of the column 'file' is empty"),
        ("/etc/a.log,ext4,200,,4,1", "/etc/a.log is not below the folder of the study"),
        ("../a.log,ext4,200,,4,1", "../a.log is not below the folder of the study"),
    ],
)
def test_a_bad_row(folder: Path, row: str, message: str) -> None:
    (folder / "runs.csv").write_text(RUNS.splitlines()[0] + "\n" + row + "\n")
    assert any(problem.startswith(f"runs.csv:2: {message}") for problem in problems(folder))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("title: A", "titel: A"), r"study\.yaml:\d+: title: needed, but missing"),
        (("title: A tiny study", "title: [A, B]"), r"study\.yaml:2: title: expected text, found \['A', 'B'\]"),
        (("id: tiny", "id: tiny\nasks: how fast"), r"study\.yaml:2: asks: expected a list, found 'how fast'"),
        (
            ("id: tiny", "id: tiny\ntestbed: two hosts"),
            r"study\.yaml:2: testbed: expected keys and values, found 'two h",
        ),
        (("id: tiny", "id: tiny\nlimits:"), r"study\.yaml:2: limits: expected a list, found nothing"),
        (
            ("id: tiny", "id: tiny\ndesign: [{name: x, factors: {mount: []}}]"),
            r"study\.yaml:2: design\.0\.factors\.mount: expected 1 or more, found \[\]",
        ),
        (
            ("id: tiny", "id: tiny\ndesign: [{nam: x}]"),
            r"study\.yaml:2: unknown key 'design\.0\.nam'; did you mean 'name'",
        ),
        (
            ("origin: measured", "origin: guessed"),
            r"study\.yaml:3: origin: expected 'measured', 'published' or 'reconstructed', found 'guessed'",
        ),
        (("{server_mode:", "{server_mod:"), r"study\.yaml:4: .*unknown key 'server_mod'; did you mean 'server_mode'"),
        (("key: client_link", "key: throughput"), r"study\.yaml:6: .*unknown key 'throughput'"),
        (("bare-metal}", "bare-metal, time_zone: CET/X}"), r"study\.yaml:4: .*expected UTC, an offset such as \+02:00"),
        (
            ("bare-metal}", "bare-metal, time_zone: Europe/Zurch}"),
            r"found 'Europe/Zurch'; did you mean 'Europe/Zurich'",
        ),
        (
            ("{key: client_link, unit: Mbit/s}", "{event: server_fail}"),
            r"study\.yaml:6: .*did you mean 'server_failed'",
        ),
        (("{key: client_link, unit: Mbit/s}", "{}"), r"study\.yaml:6: .*either a key of the contract, or `ignore`"),
        (("columns:", "columns: ["), r"study\.yaml:\d+: not YAML: "),
        (("id: tiny", "id: tiny\ncolour: red"), r"study\.yaml:2: unknown key 'colour'"),
        (("id: tiny", "id: tiny\nid: other"), r"study\.yaml:2: 'id' stands here again, first on line 1"),
        (("bare-metal}", "virtual, server_mode: virtual}"), r"study\.yaml:4: 'server_mode' stands here again"),
        (("bare-metal}", "metal}"), r"study\.yaml:4: defaults\.server_mode: unknown server_mode 'metal'"),
        (
            ("{server_mode: bare-metal}", "{clients: four}"),
            r"study\.yaml:4: .*clients: expected a number, found 'four'",
        ),
        (("{server_mode: bare-metal}", "{clients: .nan}"), r"study\.yaml:4: .*clients: expected a number, found nan"),
        (("{server_mode: bare-metal}", "{mount: 4}"), r"study\.yaml:4: .*expected text, found the number 4: put it in"),
        (
            ("{server_mode: bare-metal}", "{mount: on}"),
            r"study\.yaml:4: .*found True \(YAML reads yes, no, on and off so\)",
        ),
        (
            ("{server_mode: bare-metal}", "{mount: }"),
            r"study\.yaml:4: defaults\.mount: .*found nothing: put text in quo",
        ),
        (
            ("id: tiny", "date: 2026-13-45\nid: tiny"),
            r"study\.yaml:1: date: expected a date in ISO 8601 .*'2026-13-45'",
        ),
        (
            ("id: tiny", "date: 2026-11-20/2026-11-10\nid: tiny"),
            r"study\.yaml:1: date: .*/last\), found '2026-11-20/20",
        ),
        (("id: tiny", "date: spring\nid: tiny"), r"study\.yaml:1: date: expected a date in ISO 8601 .*'spring'"),
        (("unit: Mbit/s", "unit: kg"), r"study\.yaml:6: columns\.link_mbit: unknown unit .*'kg'"),
        (
            ("{key: erasure_code,", "{key: erasure_code, unit: m,"),
            r"study\.yaml:7: .*erasure_code is text and has no unit",
        ),
        (("id: tiny", "testbed: &a {me: *a}\nid: tiny"), r"study\.yaml:1: an anchor that holds itself"),
        (("id: tiny", f"testbed:\n {'[' * 100_000}"), r"study\.yaml:2: more than 100 lists and mappings in each other"),
        (
            ("id: tiny", "match: [{regex: '(', keys: {mount: x}}]\nid: tiny"),
            r"study\.yaml:1: match\.0: regex: missing \)",
        ),
        (
            ("id: tiny", "match: [{regex: '(?P<layot>.*)'}]\nid: tiny"),
            r"study\.yaml:1: match\.0\.regex: unknown key 'layot'; did you mean 'layout'",
        ),
        (
            ("id: tiny", "design: [{name: a, factors: {clients: [1,\n two]}}]\nid: tiny"),
            r"study\.yaml:2: design\.0\.factors\.clients\.1: clients: expected a number, found 'two'",
        ),
        (
            ("id: tiny", "design: [{name: a, where: {file_mode: shared}, factors: {clients: [1]}}]\nid: tiny"),
            r"study\.yaml:1: design\.0\.where\.file_mode: unknown file_mode 'shared'",
        ),
        (("id: tiny", "identical: {'*.log': ' '}\nid: tiny"), r"study\.yaml:1: .*expected the reason, found nothing"),
        (
            ("id: tiny", "plan: {repeats: 2, command: x, groups: [{command: x}]}\nid: tiny"),
            r"study\.yaml:1: plan: command: with `groups` each group says its own",
        ),
        (
            ("id: tiny", "plan: {repeats: 2, command: x}\nid: tiny"),
            r"study\.yaml:1: plan: expected `factors`, or `groups` that have theirs",
        ),
        (
            ("id: tiny", "plan: {repeats: 2, factors: {clients: [1, 4, 1]}, command: x}\nid: tiny"),
            r"study\.yaml:1: plan: factors\.clients: expected each level once, found 1(\.0)?, 4(\.0)?, 1",
        ),
        (
            ("id: tiny", "plan: {repeats: 2, factors: {clients: [1]}, set: {clients: 2}, command: x}\nid: tiny"),
            r"study\.yaml:1: plan: clients: one of `repeats`, `set`, `blocks` and `factors` says it already",
        ),
        (
            ("id: tiny", "plan: {repeats: 0, factors: {clients: [1]}, command: x}\nid: tiny"),
            r"study\.yaml:1: plan\.repeats: expected a whole number from 1 on, or auto, found 0",
        ),
        (
            ("id: tiny", "plan: {repeats: yes, factors: {clients: [1]}, command: x}\nid: tiny"),
            r"study\.yaml:1: plan\.repeats: expected a whole number from 1 on, or auto, found True",
        ),
        (("id: tiny", "match: [{keys: {mount: x}}]\nid: tiny"), r"study\.yaml:1: match\.0: .*either `glob` or `regex`"),
        (
            ("id: tiny", "match: [{glob: x, regex: x}]\nid: tiny"),
            r"study\.yaml:1: match\.0: a rule needs either `glob` or `regex`",
        ),
        (
            ("id: tiny", "keys: {filesystem: ''}\nid: tiny"),
            r"study\.yaml:1: .*filesystem: expected a word, 'not applicable' or 'unknown', found nothing",
        ),
        (
            ("id: tiny", "keys: {clients: not applicable}\nid: tiny"),
            r"study\.yaml:1: .*clients: expected a number, found 'not applicable'",
        ),
    ],
)
def test_a_bad_study_yaml_names_the_line(folder: Path, change: tuple[str, str], message: str) -> None:
    (folder / "study.yaml").write_text(YAML.replace(*change))
    with pytest.raises(SidecarError, match=message):
        study.load(folder)


def test_a_plan_may_leave_the_rounds_to_a_pilot(folder: Path) -> None:
    planned = "plan: {{repeats: {}, factors: {{clients: [1, 4]}}, command: x}}\n"
    for repeats in ("auto", 1):
        (folder / "study.yaml").write_text(YAML + planned.format(repeats))
        assert [plan.repeats for plan in [study.load(folder).sidecar.plan] if plan] == [repeats]


def test_a_folder_that_is_no_study(tmp_path: Path) -> None:
    with pytest.raises(SidecarError, match=r"study\.yaml: no such file: a study is a folder with a study\.yaml"):
        study.load(tmp_path)


def test_a_column_that_nobody_explains(folder: Path) -> None:
    (folder / "runs.csv").write_text("file,filesystm\na.log,ext4\n")
    with pytest.raises(SidecarError, match=r"runs\.csv:1: column 'filesystm' is neither .* did you mean 'filesystem'"):
        study.load(folder)


def test_a_table_without_files(folder: Path) -> None:
    (folder / "runs.csv").write_text("log,filesystem\na.log,ext4\n")
    with pytest.raises(SidecarError, match=r"runs\.csv:1: needs a column 'file', has log, filesystem"):
        study.load(folder)


def test_an_operation_that_does_not_exist(folder: Path) -> None:
    (folder / "runs.csv").write_text("file,operation\na.log,wrte\n")
    assert problems(folder)[0] == "runs.csv:2: unknown operation 'wrte'; did you mean 'write', 'writev', 'pwrite'?"


@pytest.mark.parametrize("date", ["2026-11-20", "2026-11", "2011", "2011-03-19/2011-03-25", "'2026-11-20'"])
def test_dates_need_no_quotes(date: str, folder: Path) -> None:
    (folder / "study.yaml").write_text(f"date: {date}\n{YAML}")
    assert study.load(folder).sidecar.date == date.strip("'")


@pytest.mark.parametrize("text", ["", "- 1", "words"])
def test_a_study_yaml_without_keys(text: str, folder: Path) -> None:
    (folder / "study.yaml").write_text(text)
    with pytest.raises(SidecarError, match=r"study\.yaml:1: expected keys and values \(id, title"):
        study.load(folder)


def test_a_row_that_is_wrong_is_said_once_and_nothing_else_of_its_log(folder: Path) -> None:
    (folder / "runs.csv").write_text(RUNS.replace(",4,1", ",many,1"))
    assert problems(folder) == ["runs.csv:2: clients: expected a number, found 'many'"]
    (folder / "runs.csv").write_text(RUNS.replace(",4,1", ",4"))
    assert problems(folder) == ["runs.csv:2: the row does not have the 6 cells of the header, but 5"]


def test_the_id_is_the_name_of_the_folder(folder: Path) -> None:
    (folder / "study.yaml").write_text(YAML.replace("id: tiny", "id: other"))
    assert problems(folder) == ["study.yaml:1: id: expected 'tiny', the name of its folder, found 'other'"]


def test_a_study_without_logs_is_a_mistake(folder: Path) -> None:
    (folder / "runs.csv").unlink()
    (folder / "a.log").unlink()
    assert problems(folder) == [f"{folder}: a study without logs"]


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b",ext4,", b", ext4 ,"),
        lambda data: data.replace(b",ext4,", b',"ext4",'),
        lambda data: data.replace(b"\na.log", b"\n\n./sub/../a.log"),
    ],
    ids=["a byte order mark", "CRLF", "blanks around a cell", "quotes", "an empty line and a roundabout path"],
)
def test_what_spreadsheets_do_to_a_table_changes_nothing(change: Callable[[bytes], bytes], folder: Path) -> None:
    before = study.load(folder).entries
    table = folder / "runs.csv"
    table.write_bytes(change(table.read_bytes()))
    found = study.load(folder)
    assert found.problems == ()
    assert [(entry.path, entry.keys) for entry in found.entries] == [(entry.path, entry.keys) for entry in before]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (b"", r"runs\.csv:1: needs a column 'file', has none"),
        (b"file;clients\na.log;4\n", r"runs\.csv:1: needs a column 'file', has .*; cells are separated by commas"),
        (b"file,clients,clients\na.log,4,5\n", r"runs\.csv:1: column 'clients' stands twice"),
        (b"file,clients,file\na.log,4,b.log\n", r"runs\.csv:1: column 'file' stands twice"),
        (b"file,erasure,erasure_code\na.log,,\n", r"columns 'erasure' and 'erasure_code' both say erasure_code"),
        (b'file,mount\n\na.log,"x\n', r"runs\.csv:3: the row that begins here is no CSV: unexpected end of data"),
        (b"file,mount\na.log,x\nb.log,gl\xfcster\n", r"runs\.csv:3: not UTF-8: invalid start byte b'\\xfc'"),
    ],
)
def test_a_table_that_cannot_be_read_names_the_line(table: bytes, message: str, folder: Path) -> None:
    (folder / "runs.csv").write_bytes(table)
    with pytest.raises(SidecarError, match=message):
        study.load(folder)


def test_the_line_of_a_row_is_where_it_begins(folder: Path) -> None:
    (folder / "runs.csv").write_text('file,command,clients\na.log,"two\nlines",1\nb.log,"two\nlines",many\n')
    found = study.load(folder)
    assert [entry.line for entry in found.entries] == [2]
    assert "runs.csv:4: clients: expected a number, found 'many'" in problems(folder)


def test_a_log_that_is_listed_twice(folder: Path) -> None:
    (folder / "runs.csv").write_text(RUNS + "sub/../a.log,xfs,200,,4,2\n")
    assert problems(folder) == [f"runs.csv:3: a.log has a row already, {folder}/runs.csv:2"]


def test_rules_and_rows_may_not_disagree_but_beat_defaults(folder: Path) -> None:
    rule = "match: [{glob: a.log, keys: {server_mode: virtual, mount: nfs}}]\n"
    (folder / "study.yaml").write_text(YAML + rule)
    assert problems(folder) == []
    assert study.load(folder).entries[0].keys["server_mode"] == "virtual"
    (folder / "study.yaml").write_text(YAML + rule.replace("mount: nfs", "filesystem: xfs"))
    by_row = "filesystem is 'ext4' by the row of runs.csv, but 'xfs' by match rule 1 of study.yaml"
    assert problems(folder) == [f"runs.csv:2: a.log: {by_row}"]
    (folder / "study.yaml").write_text(YAML + rule.replace("]", ", {glob: '*.log', keys: {mount: fuse}}]"))
    assert "mount is 'fuse' by match rule 2 of study.yaml, but 'nfs' by match rule 1" in problems(folder)[0]


@pytest.mark.parametrize("key", ["clients", "file_mode"])
def test_a_named_group_that_is_no_value_of_its_key(key: str, folder: Path) -> None:
    (folder / "runs.csv").unlink()
    (folder / "study.yaml").write_text(f"{YAML}match: [{{regex: '(?P<{key}>.*)'}}]\n")
    assert problems(folder)[0].startswith("study.yaml: a.log: match rule 1 of study.yaml: ")
    assert "'a.log'" in problems(folder)[0]


def test_a_role_and_a_date_that_do_not_exist(folder: Path) -> None:
    (folder / "runs.csv").write_text("file,role,started\na.log,netdev_aftr,\nb.log,,yesterday\n")
    assert problems(folder)[:2] == [
        "runs.csv:2: unknown role 'netdev_aftr'; did you mean 'netdev_after', 'netdev_before', 'netdev_readings'?",
        "runs.csv:3: started: expected a date and time in ISO 8601, found 'yesterday'",
    ]


@pytest.mark.parametrize("rule", ["", "match: [{regex: '.*', keys: {layout: replicate}}]\n"])
def test_a_name_that_is_not_utf_8(rule: str, folder: Path) -> None:
    (folder / "study.yaml").write_text(YAML + rule)
    (folder / os.fsdecode(b"b\xff.log")).write_text("log")
    assert problems(folder) == [f"{folder}: the name 'b\\udcff.log' has characters that are not UTF-8 or not printable"]


@pytest.mark.parametrize("name", ["loopback-2026", "cluster-2026", "virtual-2026", "xrootd-2026"])
def test_the_measured_campaigns_are_covered_without_a_gap(name: str) -> None:
    found = study.load(ROOT / "raw" / name)
    assert found.problems == ()
    assert found.id == name


def test_a_number_is_finite_and_a_count_not_below_zero() -> None:
    names = {one.name for one in schema.KEYS} | LOG_LEVEL
    for name in (one for one in names if not schema.is_text(one)):
        assert checked(name, 0.0) == 0.0
        for number in (math.inf, math.nan, "1"):
            with pytest.raises(ValueError, match=f"^{name}: expected a number, found "):
                checked(name, number)
        if name in LOG_LEVEL:
            assert checked(name, -1.5) == -1.5
        else:
            with pytest.raises(ValueError, match=f"^{name}: expected a number of at least 0, found -1.5$"):
                checked(name, -1.5)


def test_numbers_that_begin_anew_in_each_level_of_another_key(folder: Path) -> None:
    (folder / "study.yaml").write_text(YAML + "  group: {key: block, within: repeat}\n")
    (folder / "runs.csv").write_text("file,group,repeat\na.log,5,2\n")
    assert study.load(folder).entries[0].keys["block"] == 2005


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a.log,1000,2", r"runs.csv:2: block: expected a number below 1000 and its repeat, found 1000.0 and 2.0"),
        ("a.log,5,", r"runs.csv:2: block: expected a number below 1000 and its repeat, found 5.0 and None"),
    ],
)
def test_numbers_that_cannot_be_told_apart_so(folder: Path, row: str, message: str) -> None:
    (folder / "study.yaml").write_text(YAML + "  group: {key: block, within: repeat}\n")
    (folder / "runs.csv").write_text(f"file,group,repeat\n{row}\n")
    assert message in problems(folder)


def test_only_numbers_are_numbered_within_others(folder: Path) -> None:
    (folder / "study.yaml").write_text(YAML + "  group: {key: filesystem, within: repeat}\n")
    with pytest.raises(SidecarError, match="`within` numbers a key within another, and filesystem is no number"):
        study.load(folder)


@pytest.mark.parametrize("name", ["cluster-2026", "loopback-2026", "xrootd-2026"])
def test_what_is_said_of_some_logs_is_what_is_said_of_them_among_all(name: str) -> None:
    folder = ROOT / "raw" / name
    some = {entry.path: entry for entry in study.load(folder).entries[::7]}
    assert study.entries_of(folder, [*some, "no such log"]) == some


def test_a_value_that_is_wrong_is_told_of_each_row_that_has_it(folder: Path) -> None:
    table = folder / "runs.csv"
    header, row, *_ = table.read_text().splitlines()
    column = header.split(",").index("repeat")
    cells = row.split(",")
    wrong = [",".join([f"{name}.log", *cells[1:column], "one", *cells[column + 1 :]]) for name in ("a", "b")]
    table.write_text("\n".join([header, *wrong, ""]))
    assert [line for line in problems(folder) if "found 'one'" in line] == [
        "runs.csv:2: repeat: expected a number, found 'one'",
        "runs.csv:3: repeat: expected a number, found 'one'",
    ]

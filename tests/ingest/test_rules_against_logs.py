"""Rules out of file names, held against what the logs say of the same numbers."""

from __future__ import annotations

from pathlib import Path

from benchmarks import generate
from storagelab.ingest.rules_against_logs import keys_of, proposed
from tests import first_hour


def test_a_number_is_the_key_by_which_the_logs_say_it(tmp_path: Path) -> None:
    [one] = proposed(tmp_path, [path.name for path in first_hour.write_ior_logs(tmp_path)])
    assert one.regex == r"ior_n(?P<nodes>\d+)_p(?P<processes_per_node>\d+)_(?P<part1>relA|relB)_r(?P<repeat>\d+)\.log"
    assert keys_of(one, "ior_n08_p16_relA_r3.log") == {"nodes": 8.0, "processes_per_node": 16.0, "repeat": 3.0}


def test_a_number_that_no_key_of_the_logs_says_is_a_part_until_somebody_names_it(tmp_path: Path) -> None:
    logs = first_hour.write_ior_logs(tmp_path)[:4]
    names = [path.rename(tmp_path / f"ior_np{number}.log").name for number, path in enumerate(logs, start=1000)]
    [one] = proposed(tmp_path, names)
    assert one.regex == r"ior_np(?P<processes_part>\d+)\.log"
    why = "the logs say another processes: write `key:` and the key that it is, or why it is none"
    assert one.columns["processes_part"]["ignore"] == why
    assert keys_of(one, names[0]) == {}


def test_a_word_that_the_logs_contradict_is_no_key(tmp_path: Path) -> None:
    [path] = generate.generate(tmp_path, "fio-json", 1)
    for name in ("randread_xfs_r1.json", "randread_xfs_r2.json"):
        (tmp_path / name).write_bytes(path.read_bytes())
    [one] = proposed(tmp_path, ["randread_xfs_r1.json", "randread_xfs_r2.json"])
    why = "the logs say another operation: write `key:` and the key that it is, or why it is none"
    assert one.columns == {"operation_word": {"ignore": why}}
    assert keys_of(one, "randread_xfs_r1.json") == {"filesystem": "xfs", "repeat": 1.0}


def test_an_operation_that_is_one_of_a_log_is_its_key(tmp_path: Path) -> None:
    [path] = generate.generate(tmp_path, "ior", 1)
    [one] = proposed(tmp_path, [path.rename(tmp_path / "read_ext4.log").name])
    assert keys_of(one, "read_ext4.log") == {"operation": "read", "filesystem": "ext4"}


def test_logs_that_cannot_be_read_say_nothing_against_a_name(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"np{number}.log").write_text("a poem")
    [one] = proposed(tmp_path, ["np1.log", "np2.log", "np3.log"])
    assert one.regex == r"np(?P<processes>\d+)\.log"

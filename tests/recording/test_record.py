"""`storagelab record` keeps the run: its log, its row, what the machine was like; and hides no exit status."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from storagelab import ingest, select, writing
from storagelab.errors import SidecarError
from storagelab.recording import fits_in_memory, machine, places, process, table
from storagelab.study import read_sidecar
from storagelab.study.study_yaml import Column
from tests import warm
from tests.cli.conftest import Cli
from tests.recording import standin
from tests.recording.conftest import on_path

pytestmark = pytest.mark.forks


def rows(study: Path) -> list[dict[str, str]]:
    with (study / "runs.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def seen(study: Path, log: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(places.of_log(study / log).read_text())
    return found


def test_a_run_is_kept_with_its_output_its_row_and_its_machine(study: Path, fio: str, cli: Cli) -> None:
    for _ in range(2):
        done = cli("record", "--set", "clients=2", "--", fio, "--numjobs=2", "--say=note")
        assert done.code == 0
        assert done.out.startswith('{\n  "fio version"')
        assert "note\n" in done.err
    first, second = rows(study)
    assert [first["file"], second["file"]] == ["fio/clients2_r1.log", "fio/clients2_r2.log"]
    assert (first["clients"], first["repeat"], second["repeat"]) == ("2", "1", "2")
    assert first["command"] == "fio --numjobs=2 --say=note"
    assert (study / "fio/clients2_r2.log").read_text() == done.out + "note\n"
    kept = seen(study, first["file"])
    assert kept["kernel"].startswith(os.uname().sysname)
    assert kept["mount"]["filesystem"] == first["filesystem"]
    assert kept["memory"] == float(first["client_memory"]) == machine.memory()
    assert kept["counters_before"]["interfaces"].keys() == kept["counters_after"]["interfaces"].keys()
    assert "environ" not in json.dumps(kept).lower()
    made = ingest.ingest(study)["runs"].to_dataset()
    assert set(made["repeat"].values) == {1.0, 2.0}
    assert set(made["clients"].values) == {2.0}


@pytest.mark.parametrize(("command", "status"), [
    (["sh", "-c", "echo hello; exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137), (["no-such-tool"], 127),
])  # fmt: skip
def test_the_exit_status_is_the_commands(command: list[str], status: int, study: Path, cli: Cli) -> None:
    done = cli("record", "--", *command)
    assert done.code == status
    if status == 127:
        assert done.err == "storagelab: no-such-tool: No such file or directory\n"
        assert sorted(path.name for path in study.rglob("*") if path.is_file()) == [writing.LOCK, "study.yaml"]
    else:
        assert [row["exit_status"] for row in rows(study)] == [str(status)]
        assert "no parser reads it" in done.err


@pytest.mark.parametrize(("arguments", "said"), [
    (["--set", "clients"], "raw/mine: --set clients: expected KEY=VALUE, such as clients=4"),
    (["--set", "clinets=4"], "raw/mine/study.yaml: --set: unknown key 'clinets'; did you mean 'clients', 'client'?"),
    (["--set", "clients=four"], "raw/mine/study.yaml: --set: clients: expected a number, found 'four'"),
    (["--set", "clients=1", "--set", "clients=2"], "raw/mine: --set clients=2: clients is set already, to '1'"),
    (["--study", "mime"], "unknown study (a folder below raw/ with a study.yaml) 'mime'; did you mean 'mine'?"),
    (["--log", "../out.log"], "raw/mine/../out.log: expected a log below the folder of its study"),
])  # fmt: skip
def test_what_cannot_be_recorded_is_said_before_anything_runs(
    arguments: list[str],
    said: str,
    study: Path,
    cli: Cli,
    tmp_path: Path,
) -> None:
    done = cli("record", *arguments, "--", "touch", tmp_path / "ran")
    assert (done.code, done.err.splitlines()[-1][: len(said) + 12]) == (125, f"storagelab: {said}")
    assert not (tmp_path / "ran").exists()


def test_a_sealed_study_takes_no_further_run(study: Path, cli: Cli) -> None:
    (study / "SHA256SUMS").write_text("")
    done = cli("record", "--", "true")
    assert done.code == 125
    assert "SHA256SUMS: the study is sealed, and a run more would not be what was sealed" in done.err


def test_secrets_are_neither_in_the_row_nor_beside_the_log_nor_in_it(study: Path, cli: Cli) -> None:
    done = cli("record", "--", "sh", "-c", 'echo "$0"', "--password=hunter2")
    assert done.code == 0
    assert "the command holds what looks like a secret: it is kept as ***" in done.err
    kept = {path: path.read_bytes() for path in study.rglob("*") if path.is_file()}
    assert [path for path, data in kept.items() if b"hunter2" in data] == []
    assert b"--password=***" in kept[study / rows(study)[0]["file"]]


def test_the_last_that_is_printed_is_kept_though_a_secret_begins_with_it(study: Path, cli: Cli) -> None:
    assert cli("record", "--", "sh", "-c", "printf 'all of it: hunt'", "--password=hunter2").code == 0
    assert (study / rows(study)[0]["file"]).read_text() == "all of it: hunt"


def test_no_environment_is_kept(study: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "swordfish")
    assert cli("record", "--", "true").code == 0
    assert not any(b"swordfish" in path.read_bytes() for path in study.rglob("*") if path.is_file())


PROGRAM = """
import sys
from storagelab.cli import main
main()
"""


HEEDS = """
from signal import SIG_BLOCK, SIGINT, SIGTERM, pthread_sigmask, sigwait
pthread_sigmask(SIG_BLOCK, heeded := (SIGINT, SIGTERM))
print("begun", flush=True)
came = sigwait(heeded)
print("caught")
raise SystemExit(128 + came)
"""
"""A shell may lose a signal that comes while it starts a command."""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_goes_to_the_command_and_what_it_printed_is_kept(study: Path, number: int, status: int) -> None:
    command = [sys.executable, "-c", PROGRAM, "record", "--", sys.executable, "-I", "-S", "-c", HEEDS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdout is not None
        assert recorder.stdout.readline() == "begun\n"
        recorder.send_signal(number)
        recorder.communicate()
    assert recorder.returncode == status
    [row] = rows(study)
    printed = (study / row["file"]).read_text()
    assert printed.startswith("begun\n")
    assert printed.endswith("caught\n")
    assert row["exit_status"] == str(status)
    assert seen(study, row["file"])["signals"] == [signal.Signals(number).name]


@pytest.mark.slow
def test_what_was_printed_before_the_recorder_was_killed_is_there_and_no_log(study: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, "record", "--", "sh", "-c", "echo begun; exec sleep 600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as recorder:
        assert recorder.stdout is not None
        assert recorder.stdout.readline() == "begun\n"
        while (writing.begun(study / "sh/r1.log")).read_text() != "begun\n":
            time.sleep(0.01)
        recorder.kill()
    assert writing.begun(study / "sh/r1.log").read_text() == "begun\n"
    assert not (study / "sh/r1.log").exists()
    assert not (study / "runs.csv").exists()


@pytest.mark.slow
def test_two_recorders_at_once_keep_both_rows_and_share_no_name(study: Path, quick: str) -> None:
    command = [*warm.command(), "record", "--set", "clients=1", "--", quick]
    both = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(2)]
    assert [one.wait() for one in both] == [0, 0]
    assert sorted(row["file"] for row in rows(study)) == ["fio/clients1_r1.log", "fio/clients1_r2.log"]


@pytest.mark.slow
def test_nothing_heavy_is_imported_before_the_command_runs(study: Path) -> None:
    """It would take a second of each run, and memory that what is measured may want."""
    heavy = "{'numpy', 'pandas', 'xarray', 'scipy', 'pyarrow', 'storagelab.parsers'}"
    code = PROGRAM.replace(
        "main()",
        f"""
from storagelab.recording import process
run = process.run
process.run = lambda *said: (print(sorted({heavy} & set(sys.modules)), file=sys.stderr), run(*said))[1]
main()
""",
    )
    command = [sys.executable, "-c", code, "record", "--", "echo", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[0] == "[]"


def test_rows_added_by_many_at_once_are_all_there(study: Path) -> None:
    sidecar = read_sidecar(study / "study.yaml")
    with (study / "runs.csv").open("w") as old:
        old.write("file,tool\nold.log,fio\n")

    def add(number: int) -> None:
        table.add(study, sidecar, [({"file": f"{number}.log", "clients": f"{number}"}, {"elapsed": 0.5})])

    threads = [threading.Thread(target=add, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = rows(study)
    assert found[0] == {"file": "old.log", "tool": "fio", "clients": "", "elapsed": ""}
    assert sorted(int(row["clients"]) for row in found[1:]) == list(range(20))


def test_a_row_is_written_in_the_columns_that_the_study_has(study: Path, quick: str, cli: Cli) -> None:
    with (study / "study.yaml").open("a") as more:
        more.write(
            "columns:\n  wall_ms: {key: elapsed, unit: ms}\n  stripe_mib: {key: stripe_size, unit: MiB}\n"
            "  why: {ignore: no key}\n"
        )
    (study / "runs.csv").write_text("file,wall_ms,why\n")
    assert cli("record", "--set", "stripe_mib=4", "--set", "why=a, b", "--", quick).code == 0
    [row] = rows(study)
    assert list(row)[:4] == ["file", "wall_ms", "why", "stripe_mib"]
    assert "elapsed" not in row
    assert row["why"] == "a, b"
    kept = seen(study, row["file"])["elapsed"]
    assert float(row["wall_ms"]) == pytest.approx(1000 * kept)
    logs = select(ingest.ingest(study)["logs"].to_dataset(), role="benchmark")
    assert logs["elapsed"].to_numpy().tolist() == pytest.approx([kept])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_and_not_us(number: int) -> None:
    nobody = bytearray().extend
    ended = process.run(["sleep", "5"], nobody, nobody, nobody, told=lambda command: os.kill(os.getpid(), number))
    assert ended == process.Ended(128 + number, [signal.Signals(number).name])


def test_lines_of_standard_error_do_not_fall_into_lines_of_standard_output() -> None:
    kept = bytearray()
    whole = process.Whole(kept.extend)
    whole.out(b'{"a": ')
    whole.err(b"half a ")
    whole.err(b"note\nan")
    whole.out(b"1}\n")
    whole.err(b"other")
    whole.out(b"tail")
    whole.end()
    assert kept == b'{"a": 1}\nhalf a note\ntail\nanother'


MOUNTS = r"""21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro
30 21 0:40 / /mnt/my\040data rw,noatime - fuse.glusterfs host:/vol0 rw,user_id=0
31 21 0:41 / /mnt/my\040data/deep rw - nfs4 host:/x rw,vers=4.2
33 21 8:3 / /mnt rw - ext2 /dev/sdc rw
32 21 8:2 / /mnt rw - xfs /dev/sdb rw
garbled
"""


@pytest.mark.parametrize(("path", "point", "filesystem", "source"), [
    ("/etc", "/", "ext4", "/dev/sda1"), ("/mnt/my data/file", "/mnt/my data", "glusterfs", "host:/vol0"),
    ("/mnt/my data/deep/er", "/mnt/my data/deep", "nfs", "host:/x"), ("/mnt/my dataset", "/mnt", "xfs", "/dev/sdb"),
])  # fmt: skip
def test_the_mount_is_the_last_of_the_longest_that_hold_the_target(
    path: str, point: str, filesystem: str, source: str
) -> None:
    found = machine.mount_of(Path(path), MOUNTS)
    assert found is not None
    assert (found.point, found.source) == (point, source)
    assert machine.filesystem_of({"filesystem": found.filesystem}) == filesystem


@pytest.mark.parametrize(("command", "tool", "target"), [
    (["fio", "--directory=/mnt/a", "--filename=/b"], "fio", "/mnt/a"),
    (["/usr/bin/ior", "-w", "-o", "/s/f"], "ior", "/s/f"),
    (["mpirun", "-n", "4", "/opt/ior", "-o", "/s/f"], "ior", "/s/f"), (["dd", "if=/dev/zero", "of=x"], "dd", "x"),
    (["mpirun", "-n", "4", "mine"], "mpirun", "."), (["fio", "--directory"], "fio", "."),
])  # fmt: skip
def test_the_target_is_what_the_tools_options_say(command: list[str], tool: str, target: str) -> None:
    assert places.tool_of(command) == tool
    assert places.target_of(command) == Path(target)


def test_a_reading_of_the_layout_is_kept_where_there_is_the_tool(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(tmp_path, monkeypatch, "lfs", 'echo "stripe_count:  4 $*"')
    assert machine.layout(Path("/x"), {"filesystem": "lustre", "source": ""}) == "stripe_count:  4 getstripe -d /x\n"
    assert machine.layout(Path("/x"), {"filesystem": "ext4", "source": ""}) == ""

    on_path(tmp_path, monkeypatch, "gluster", 'echo "$*"; [ "$3" = vol0 ]')
    assert machine.layout(Path("/x"), {"filesystem": "fuse.glusterfs", "source": "h:/vol0"}) == "volume info vol0\n"
    assert machine.layout(Path("/x"), {"filesystem": "fuse.glusterfs", "source": "h:/gone"}) == "", "it failed"
    assert machine.layout(Path("/x"), {"filesystem": "fuse.glusterfs", "source": ""}) == "", "it has no name"
    assert machine.layout(Path("/x"), {"filesystem": "gpfs", "source": ""}) == "", "there is no such tool here"
    (tmp_path / "bin" / "beegfs-ctl").write_text("#!/nowhere\n")
    (tmp_path / "bin" / "beegfs-ctl").chmod(0o755)
    assert machine.layout(Path("/x"), {"filesystem": "beegfs", "source": ""}) == "", "it cannot be started"


@pytest.fixture
def proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What stands for /proc of a host."""
    for folder in ("net", "sys/vm"):
        (tmp_path / "proc" / folder).mkdir(parents=True)
    monkeypatch.setattr(machine, "PROC", tmp_path / "proc")
    return tmp_path / "proc"


def test_counters_are_those_of_the_targets_disk_else_of_all_that_moved_anything(proc: Path) -> None:
    (proc / "net" / "dev").write_text(
        "Inter-|   Receive        |  Transmit\n face |bytes packets errs\n"
        "    lo: 7 1 0 0 0 0 0 0 8 1 0 0 0 0 0 0\n  eth0:100 2 0 0 0 0 0 0 200 3 0 0 0 0 0 0\n"
    )
    disks = ["8 0 sda 9 0 4 0 9 0 6 0 0 0 0", "8 1 sda1 9 0 2 0 9 0 0 0 0 0 0", "7 0 loop0 0 0 0 0 0 0 0 0 0 0 0"]
    (proc / "diskstats").write_text("\n".join(disks) + "\n")
    (proc / "loadavg").write_text("0.25 0.5 0.75 1/100 1234\n")
    sda, sda1 = {"read": 2048.0, "written": 3072.0}, {"read": 1024.0, "written": 0.0}
    assert machine.counters("8:1") == {
        "interfaces": {"lo": {"received": 7.0, "sent": 8.0}, "eth0": {"received": 100.0, "sent": 200.0}},
        "disks": {"sda1": sda1},
        "load_1": 0.25,
    }
    assert machine.counters("0:40")["disks"] == {"sda": sda, "sda1": sda1}


def test_caches_are_dropped_behind_what_is_dirty_or_it_is_said_why_not(
    proc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = proc / "sys" / "vm" / "drop_caches"
    monkeypatch.setattr(os, "sync", lambda: place.write_text("0\nx"))
    assert machine.drop_caches() == ""
    assert place.read_text() == "3\nx"
    monkeypatch.setattr(os, "sync", lambda: place.unlink(missing_ok=True))
    assert machine.drop_caches() == f"{place}: No such file or directory"
    monkeypatch.setattr(machine, "PROC", Path("/proc"))
    monkeypatch.setattr(os, "open", lambda path, flags: os.pipe()[1])
    monkeypatch.setattr(os, "sync", lambda: None)
    assert machine.drop_caches() == "Illegal seek"


def test_caches_that_cannot_be_dropped_stop_the_run(
    study: Path,
    cli: Cli,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(machine, "drop_caches", lambda: "drop_caches: Permission denied")
    done = cli("record", "--drop-caches", "--", "touch", tmp_path / "ran")
    assert done.code == 125
    assert "caches cannot be dropped, so nothing was run: drop_caches: Permission denied" in done.err
    assert not (tmp_path / "ran").exists()


def test_whether_caches_were_dropped_is_a_key_of_the_run(
    study: Path, quick: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "drop_caches", lambda: "")
    assert [cli("record", *asked, "--", quick).code for asked in ((), ("--drop-caches",))] == [0, 0]
    assert [row["cache_dropped"] for row in rows(study)] == ["no", "yes"]


def test_a_table_that_is_none_is_refused_with_its_line(study: Path) -> None:
    (study / "runs.csv").write_text("file,tool\na.log,fio,more\n")
    with pytest.raises(SidecarError, match=r"runs\.csv:2: more cells than the 2 of the header"):
        table.rows(study)
    (study / "runs.csv").write_bytes(b"file,tool\na.log,\xff\n")
    with pytest.raises(SidecarError, match=r"runs\.csv: no table in CSV: .*0xff"):
        table.rows(study)
    (study / "runs.csv").write_text("log,tool\na.log,fio\n")
    with pytest.raises(SidecarError, match=r"runs\.csv:1: needs a column 'file', has log, tool"):
        table.add(study, read_sidecar(study / "study.yaml"), [({"file": "b.log"}, {})])


def test_files_that_fit_in_memory_are_told(study: Path, quick: str, cli: Cli) -> None:
    told = cli("record", "--", quick).err
    assert "its files (256 MiB) fit in the memory of this host" in told


@pytest.mark.parametrize(
    ("memory", "told"),
    [(2.0**28, True), (2.0**28 - 1, False), (None, False)],
)
def test_files_as_large_as_the_memory_fit_in_it(memory: float | None, told: bool) -> None:
    log = ingest.read_log(standin.SHAPE)
    expected = "its files (256 MiB) fit in the memory of this host (256 MiB): what was read may have come from"
    assert fits_in_memory.fit(log, memory).startswith(expected) is told
    assert bool(fits_in_memory.fit(log, memory)) is told


@pytest.mark.parametrize(
    ("value", "text"),
    [(1023.0, "1.02e+03 B"), (1024.0, "1 KiB"), (1.5 * 2**20, "1.5 MiB"), (2.0**30, "1 GiB"), (3.0 * 2**40, "3 TiB")],
)
def test_a_size_is_told_in_the_unit_that_keeps_it_short(value: float, text: str) -> None:
    assert fits_in_memory._size(value) == text


@pytest.mark.parametrize(
    ("set_", "name"),
    [
        ({"filesystem": "ext 4", "clients": "2", "repeat": "7"}, "fio/ext-4_clients2_r3.log"),
        ({"file_size": "4k"}, "fio/file-size4k_r3.log"),
        ({"layout": ".."}, "fio/run_r3.log"),
        ({}, "fio/r3.log"),
        ({"layout": "a" * 80}, f"fio/{'a' * 80}_r3.log"),
    ],
)
def test_a_log_is_named_by_tool_settings_and_repeat(set_: dict[str, str], name: str) -> None:
    assert places.named(set_, ["/usr/bin/fio", "job"], 3) == name
    assert places.named(set_, ["/usr/bin/fio", "job"], 3, of_a_folder=True) == name.removesuffix(".log")


def test_long_settings_that_begin_alike_have_names_of_their_own() -> None:
    one, other = (places.named({"layout": "a" * 80 + end}, ["fio"], 1) for end in "bc")
    assert one != other
    assert len(one) == len(other) == len("fio/" + "a" * 80 + "-12345678_r1.log")


def test_a_name_that_is_taken_gets_a_number(study: Path) -> None:
    begun = [places.claim(study, {}, ["fio"], "a.log").log.name for _ in range(3)]
    assert begun == ["a.log", "a_2.log", "a_3.log"]


def test_runs_that_were_set_alike_and_ran_the_same_are_repeats(study: Path) -> None:
    asked: list[tuple[dict[str, str], list[str]]] = [
        ({}, ["fio"]), ({}, ["fio"]), ({"clients": "2"}, ["fio"]), ({}, ["fio", "-x"]), ({"repeat": "9"}, ["fio"]),
        ({}, ["fio"]),
    ]  # fmt: skip
    assert [places.claim(study, *one).repeat for one in asked] == [1, 2, 1, 1, 9, 10]


@pytest.mark.parametrize("name", [".warm-up.log", ".aside/run.log"])
def test_a_run_whose_log_is_hidden_counts_as_a_repeat(name: str, study: Path) -> None:
    (study / name).parent.mkdir(exist_ok=True)
    places.claim(study, {}, ["fio"], name=name)
    assert places.claim(study, {}, ["fio"]).repeat == 2


def test_a_run_that_does_not_say_its_repeat_is_none_of_them(study: Path) -> None:
    (study / f"a.log{places.RECORD}").write_text('{"set": {}, "command": ["fio"]}')
    assert places.claim(study, {}, ["fio"]).repeat == 1


def test_heads_of_a_table_of_others_are_taken_without_the_blanks_around_them(study: Path) -> None:
    (study / table.NAME).write_text("file , clients\nold.log,1\n")
    assert table.rows(study) == [{"file": "old.log", "clients": "1"}]


@pytest.mark.parametrize(
    ("value", "cell"),
    [(3 * 2.0**20, "3"), (2.0**19, "0.5"), (float("nan"), ""), ("two", "II"), ("three", "three")],
)
def test_a_cell_is_in_the_unit_and_words_of_its_column(value: float | str, cell: str) -> None:
    column = Column(key="file_size", unit="MiB", words={"II": "two"})
    assert table._cell("file_size", value, column) == cell


def test_a_cell_of_no_column_is_in_si() -> None:
    assert table._cell("file_size", 3 * 2.0**20, None) == "3145728"

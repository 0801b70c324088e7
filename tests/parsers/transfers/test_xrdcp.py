"""What golden tables do not show of xrdcp: other clients, directions, failures, bars that are not whole."""

from __future__ import annotations

import re

import pytest

from storagelab.errors import ParseError
from storagelab.parsers import parse, recognise
from storagelab.parsers.model import Parsed
from storagelab.parsers.transfers import xrdcl_log, xrdcp
from storagelab.parsers.transfers.xrdcp.command import command_in, direction
from tests.conftest import SHARED
from tests.work import lines

FULL = "=" * 50


def bar(done: str, total: str = "", percent: int = 100, speed: str = "1MB") -> str:
    return (
        f"\r[{done}/{total or done}][{percent:3}%][{FULL[: percent // 2]}{'' if percent == 100 else '>'}][{speed}/s]  "
    )


def only(parsed: Parsed) -> dict[str, object]:
    (row,) = parsed.runs
    return dict(row)


@pytest.mark.parametrize(
    ("printed", "size"),
    [("13B", 13.0), ("4kB", 4096.0), ("26.51kB", 26.51 * 1024), ("1.177MB", 1.177 * 2**20), ("16.11GB", 16.11 * 2**30)],
)
def test_letters_are_powers_of_1024(printed: str, size: float) -> None:
    row = only(xrdcp.parse(bar(printed, speed=printed) + "\n"))
    assert (row["data_size"], row["throughput"]) == (size, size)


def test_the_last_print_is_the_result_and_those_before_it_are_samples() -> None:
    parsed = xrdcp.parse(
        bar("75MB", "300MB", 25, "75MB") + bar("300MB", speed="75MB") + bar("300MB", speed="60MB") + "\n"
    )
    assert only(parsed)["throughput"] == 60 * 2**20
    assert list(parsed.series["progress"]) == [0.25, 1.0]
    assert list(parsed.series["throughput"]) == [75 * 2**20, 75 * 2**20]


def test_a_speed_of_nothing_is_no_rate() -> None:
    assert "throughput" not in only(xrdcp.parse(bar("938kB", speed="0B") + "\n"))


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("Run: [ERROR] Server responded with an error: [3011] Unable to open /x; no such file (source)", 3011.0),
        ("Run: [FATAL] Auth failed", None),
        ("Last server error 3010 ('opening path disallowed')", 3010.0),
    ],
)
def test_a_failure_is_no_result_although_the_bar_is_full(message: str, code: float | None) -> None:
    parsed = xrdcp.parse(bar("0B", speed="0B") + f"\n{message}\n")
    row = only(parsed)
    assert row.get("error_code") == code
    assert row["errors"] == 1.0
    assert not {"throughput", "data_size", "elapsed"} & set(row)
    assert not parsed.complete


def test_a_file_that_arrived_and_has_the_wrong_checksum_failed() -> None:
    parsed = xrdcp.parse(bar("4kB") + "\nRun: [ERROR] CheckSum error\n")
    assert only(parsed)["errors"] == 1.0


def test_the_error_of_several_files_is_of_the_one_that_stopped() -> None:
    jobs = [f"Job: {job}/3\nSource: file:///d/{job}\nTarget: root://h//d/{job}\n" for job in (1, 2, 3)]
    bars = [bar("4kB"), bar("8MB", "9MB", 88), bar("4kB")]
    text = "".join(f"{job}{one}\n" for job, one in zip(jobs, bars, strict=True)) + "Run: [ERROR] Operation expired\n"
    parsed = xrdcp.parse(text)
    assert ["errors" in row for row in parsed.runs] == [False, True, False]
    assert [row["file"] for row in parsed.runs] == ["root://h//d/1", "root://h//d/2", "root://h//d/3"]


def test_nothing_moved_and_nothing_said_is_not_known_to_have_succeeded() -> None:
    assert not xrdcp.parse(bar("0B", speed="0B") + "\n").complete
    empty = xrdcp.parse(bar("0B", speed="0B") + "\nreal 0.01\nuser 0.00\nsys 0.00\n")
    assert only(empty)["data_size"] == 0.0
    assert empty.complete


def test_fewer_files_than_announced() -> None:
    parsed = xrdcp.parse("Job: 1/2\nSource: root://h//a\nTarget: file:///a\n" + bar("4kB") + "\n")
    assert only(parsed)["operation"] == "download"
    assert not parsed.complete
    assert "1 of 2 files" in parsed.notes[-1].text


def test_a_bar_overwritten_on_its_way_is_not_whole() -> None:
    glued = f"[26.51kB/26.51kB][100%][{FULL}][26.5[26.51kB/26.51kB][100%][{FULL}][26.51kB/s]  \n"
    parsed = xrdcp.parse(glued)
    assert only(parsed)["throughput"] == 26.51 * 1024
    assert not parsed.series


def test_times_of_bash_of_posix_and_of_gnu() -> None:
    gnu = "0.25user 0.125system 1:02.50elapsed 1%CPU (0avgtext+0avgdata 9maxresident)k\n"
    for text in ("real\t1m2.500s\nuser\t0m0.250s\nsys\t0m0.125s\n", "real 62.50\nuser 0.25\nsys 0.125\n", gnu):
        row = only(xrdcp.parse(bar("4kB") + "\n" + text))
        assert (row["elapsed"], row["cpu_user_time"], row["cpu_system_time"]) == (62.5, 0.25, 0.125)


def test_times_of_several_files_are_those_of_a_job() -> None:
    text = "Job: 1/2\n" + bar("4kB") + "\nJob: 2/2\n" + bar("4kB") + "\nreal 2.00\nuser 0.10\nsys 0.20\n"
    parsed = xrdcp.parse(text)
    assert [row["operation"] for row in parsed.runs] == ["copy", "copy", "job"]
    assert parsed.runs[2]["elapsed"] == 2.0
    assert "elapsed" not in parsed.runs[0]


@pytest.mark.parametrize("damage", ["real 0.5\nuser 0.1\n", "real 0.5\nuser 0.1\nsys 0."])
def test_times_that_were_cut(damage: str) -> None:
    parsed = xrdcp.parse(bar("4kB") + "\n" + damage)
    assert not parsed.complete
    assert "elapsed" not in only(parsed)


def test_the_old_client_counts_bytes_in_2_to_the_20_and_rates_in_millions() -> None:
    text = "[xrootd] Total 0.76 MB\t|>...................| 3.00 % [1.5 Mb/s]\r" + (
        "[xrootd] Total 0.76 MB\t|====================| 100.00 % [inf MB/s]\n"
    )
    parsed = xrdcp.parse(text)
    row = only(parsed)
    assert row["data_size"] == pytest.approx(0.76 * 2**20)
    assert "throughput" not in row
    assert list(parsed.series["throughput"]) == [1.5e6]


def test_the_summary_of_the_old_client_is_exact() -> None:
    text = (
        "[xrootd] Total 952.37 MB\t|====================| 100.00 % [115.9 MB/s]\n"
        "[xrdcp] #################################################################\n"
        "[xrdcp] # Source Name              : root://h//a\n"
        "[xrdcp] # Data Copied [bytes]      : 998633472\n"
        "[xrdcp] # Realtime [s]             : 8.617000\n"
        "[xrdcp] # Eff.Copy. Rate[MB/s]     : 115.891084\n"
        "[xrdcp] #################################################################\n"
    )
    row = only(xrdcp.parse(text))
    assert (row["data_size"], row["elapsed"], row["throughput"]) == (998633472.0, 8.617, 115.891084e6)
    assert row["line"] == 6


@pytest.mark.parametrize(
    ("line", "operation"),
    [
        ("$ xrdcp root://eos.cern.ch//a /tmp/", "download"),
        ("$ xrdcp -f -S 4 /tmp/a root://eos.cern.ch//a 2> log", "upload"),
        ("$ xrdcp --tpc only root://one//a root://two//a", "copy"),
        ("% xrdcp file:///tmp/a xroot://h//a", "upload"),
        ("> xrdcp root://h//a - > /tmp/a", "download"),
        ("+ xrdcopy /tmp/a root://h//a", "upload"),
        ('{"cmd": ["/usr/bin/xrdcopy", "root://h//a", "/tmp/a"], "rc": 0}', "download"),
        ("user $ xrdcp /bin/sh root://<XROOTD HOST>/<PATH>", "upload"),
        ('{"cmd": ["xrdcp", "root://h//a", "/tmp/a"], "rc": 0}', "download"),
    ],
)
def test_direction_of_a_command(line: str, operation: str) -> None:
    assert direction(command_in(line)) == operation


def test_the_other_name_of_the_command_stays() -> None:
    assert command_in("$ xrdcopy root://h//a /tmp/a") == "xrdcopy root://h//a /tmp/a"


@pytest.mark.parametrize("line", ["TASK [xrdcp there to here] ****", "apt install xrdcp", "the xrdcp at root"])
def test_lines_that_are_no_command(line: str) -> None:
    assert command_in(line) == ""


def test_the_command_is_the_log_s_where_there_is_one() -> None:
    parsed = xrdcp.parse("$ xrdcp root://h//a /tmp/a\n" + bar("4kB") + "\n")
    assert parsed.header["command"] == "xrdcp root://h//a /tmp/a"
    assert only(parsed)["operation"] == "download"


def test_ansible_s_status_and_time() -> None:
    shown = bar("4kB").replace("\r", r"\r")
    line = '{"cmd": ["xrdcp", "/a", "root://h//a"], "delta": "0:01:08.25", "rc": 0, "stderr": "' + shown + '"}\n'
    assert only(xrdcp.parse(line))["elapsed"] == 68.25
    assert only(xrdcp.parse(line.replace('"rc": 0', '"rc": 54')))["errors"] == 1.0


def test_a_line_without_end_is_marked() -> None:
    parsed = xrdcp.parse(bar("300MB", speed="75MB"))
    assert only(parsed)["throughput"] == 75 * 2**20
    assert not parsed.complete
    for begun in (2, 30):
        cut = xrdcp.parse(bar("300MB", speed="75MB") + bar("300MB")[:begun])
        assert not cut.runs
        assert not cut.complete


def test_no_bar_is_refused() -> None:
    with pytest.raises(ParseError, match=r"log:2: expected a bar of xrdcp .* found 'nothing'"):
        xrdcp.parse("\nnothing\n")


def test_logs_of_strangers_are_recognised() -> None:
    logs = [log for log in sorted((SHARED / "corpus" / "xrdcp").glob("*.txt")) if log.name != "index.tsv"]
    if not logs:
        pytest.skip("the corpus is not here")
    for log in logs:
        text = log.read_text(errors="replace").replace("\r\n", "\n")
        has_messages = re.search(r"(?m)^\[\d{4}-\d\d-\d\d [^]]*\]\[", text)
        assert recognise(text) is (xrdcl_log if has_messages else xrdcp), log


def test_progress_of_the_campaign_is_whole() -> None:
    logs = sorted((SHARED / "measured" / "xrootd-2026" / "xrdcp").rglob("*.xrdcp.log"))
    if not logs:
        pytest.skip("the campaign is not here")
    for log in logs:
        parsed = parse(log.read_bytes().decode().replace("\r\n", "\n"))
        assert parsed.complete, log
        assert {"throughput", "data_size", "elapsed", "cpu_user_time", "cpu_system_time"} <= set(only(parsed)), log


def test_many_jobs_of_one_command_take_work_in_proportion() -> None:
    def work(count: int) -> int:
        text = "".join(f"[#{job}: 100% 24MB/s]\n" for job in range(1, count + 1))
        return lines(lambda: xrdcp.parse(text))

    assert work(400) <= 4.4 * work(100)


def test_a_bar_without_number_is_of_the_first_job_that_is_not_done() -> None:
    parsed = xrdcp.parse("[#1: 40% 24MB/s] [#2: 50% 24MB/s]\n[50MB/50MB][100%][====>][50MB/s]\n")
    assert [note.text for note in parsed.notes] == ["job 2 ended at 50%"]

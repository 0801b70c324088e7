"""elbencho: phases, units and layouts that no log of the repository shows; layouts are those of its source."""

from __future__ import annotations

import json
import re

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.benchmarks import elbencho
from storagelab.parsers.benchmarks.elbencho import commands, expected_phases
from storagelab.units import MIB
from tests.conftest import LOGS

HEADING = (
    "OPERATION   RESULT TYPE         FIRST DONE   LAST DONE\n=========== ================    ==========   =========\n"
)
MIX = f"""\
ISO DATE start: 2026-07-22T11:07:04-0700
COMMAND LINE: "elbencho" "-w" "--rwmixpct" "30"
{HEADING}RWMIX30     Elapsed time     :    1m0.200s    2m3.241s
            IOPS write       :         700         690
            IOPS read        :         300         290
            IOPS total       :        1000         980
            MiB/s write      :         700         690
            MiB/s read       :         300         290
            MiB/s total      :        1000         980
            MiB write        :       42000       85000
            MiB read         :       18000       35700
            IO wr latency    : [ min=8us avg=1.50ms max=2.1s ]
            IO wr lat % us   : [ 1%<=9.5 50%<=1218 75%<=1448 99%<=4096 99.9%<=8192 ]
            IO rd latency    : [ min=6us avg=500us max=9.99ms ]
---
ISO DATE end  : 2026-07-22T11:09:07-0700
"""


def test_a_log_of_another_tool_is_refused() -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a phase of elbencho .*, found 'a log of another tool"):
        elbencho.parse("a log of another tool\n")


def test_a_phase_ends_where_the_next_begins_though_nothing_stands_between_them() -> None:
    text = (LOGS / "elbencho" / "elbencho-3.1-1-resfile.txt").read_text()
    rates = [(row["operation"], row["throughput"]) for row in elbencho.parse(text).runs]
    assert len(rates) > 1
    assert [(row["operation"], row["throughput"]) for row in elbencho.parse(text.replace("---\n\n", "")).runs] == rates


def test_the_end_of_a_block_in_markdown_ends_the_phase() -> None:
    readme = f"{MIX.partition('---')[0]}```\n\nMIX is what elbencho did.\n".replace("RWMIX30", "WRITE  ")
    parsed = elbencho.parse(readme)
    assert (parsed.complete, parsed.notes) == (True, [])
    assert not elbencho.parse(readme.replace("```", "and so on")).complete


def test_a_mix_is_writes_reads_and_both() -> None:
    parsed = elbencho.parse(MIX)
    assert parsed.complete
    assert parsed.header["started"] == "2026-07-22T11:07:04-0700"
    rows = {str(row["operation"]): row for row in parsed.runs}
    assert {name: row["throughput"] for name, row in rows.items()} == {
        "mixed_workload": 980 * 2.0**20,
        "write": 690 * 2.0**20,
        "read": 290 * 2.0**20,
    }
    assert {row["read_share"] for row in parsed.runs} == {0.3}
    assert all(row["elapsed"] == pytest.approx(123.241) for row in parsed.runs)
    assert rows["write"]["latency"] == pytest.approx(1.5e-3)
    assert rows["write"]["latency_p99_9"] == pytest.approx(8192e-6)
    assert rows["read"]["latency_max"] == pytest.approx(9.99e-3)
    assert rows["read"]["line"] == 10


@pytest.mark.parametrize(
    ("printed", "seconds"),
    [("82ms", 0.082), ("30.140s", 30.14), ("2m3.241s", 123.241), ("1h2m3.005s", 3723.005), ("48210", 48.21)],
)
def test_times_as_versions_print_them(printed: str, seconds: float) -> None:
    parsed = elbencho.parse(f"{HEADING}WRITE       Elapsed time     :  -  {printed}\n            IOPS   :  1  2\n---\n")
    assert parsed.runs[0]["elapsed"] == pytest.approx(seconds)
    assert parsed.complete


def test_decimal_throughput_and_latency_of_version_1() -> None:
    parsed = elbencho.parse(
        f"{HEADING}READ        Elapsed ms       :       6001       6001\n"
        "          Throughput MB/s  :         32         33\n"
        "          IO latency us    : [ min=91 avg=120 max=1583 ]\n---\n"
    )
    row = parsed.runs[0]
    assert (row["throughput"], row["throughput_stonewall"]) == (33e6, 32e6)
    assert row["latency_max"] == pytest.approx(1583e-6)


def test_directories_of_a_file_phase_are_not_its_files() -> None:
    parsed = elbencho.parse(
        f"{HEADING}WRITE+s     Elapsed time     :       586ms       588ms\n"
        "            Files/s          :       16962       16978\n"
        "            Dirs/s           :          16          17\n---\n"
    )
    assert parsed.runs[0]["operation"] == "write"
    assert parsed.runs[0]["file_rate"] == 16978


def test_a_phase_that_is_not_known_keeps_its_name() -> None:
    parsed = elbencho.parse(
        f"{HEADING}PUTOACL     Elapsed time     :   5ms   6ms\n            Objects/s   :  10  12\n---\n"
    )
    assert parsed.runs[0]["label"] == "PUTOACL"
    assert (parsed.runs[0]["operation"], parsed.runs[0]["operation_rate"]) == ("unknown", 12)


def test_json_of_a_mix_with_latencies() -> None:
    done = {"elapsed_time_ms": "100", "iops": "70", "bytes/s": "7000", "bytes": "700"}
    reads = {"iops": "30", "bytes/s": "3000", "bytes": "300"}
    latency = {"IO": {"min_us": "1", "avg_us": "20", "max_us": "300", "rwmix_read": {"avg_us": "10"}}}
    phase = {
        "phase_type": "RWMIX30",
        "config": {"hosts": "2", "threads": "4", "version": "3.1-1"},
        "first_done": {**done, "rwmix_read": reads},
        "last_done": {**done, "rwmix_read": reads, "latency": latency},
    }
    parsed = elbencho.parse(json.dumps(phase) + "\n")
    write, read = parsed.runs
    assert (write["operation"], write["throughput"], write["latency"]) == ("write", 7000, pytest.approx(20e-6))
    assert (read["operation"], read["throughput"], read["latency"]) == ("read", 3000, pytest.approx(10e-6))
    assert (read["elapsed"], read["processes"]) == (0.1, 8)


def test_csv_of_a_mix() -> None:
    cells = {
        "ISO date": "2026-07-22T11:07:04-0700",
        "label": "",
        "operation": "MIX-T2",
        "time ms [first]": "90",
        "time ms [last]": "100",
        "MiB/s [first]": "8",
        "MiB/s [last]": "7",
        "rwmix read MiB/s [first]": "4",
        "rwmix read MiB/s [last]": "3",
    }
    parsed = elbencho.parse(f"{','.join(cells)}\n{','.join(cells.values())}\n")
    assert [(row["operation"], row["throughput"]) for row in parsed.runs] == [
        ("write", 7 * 2.0**20),
        ("read", 3 * 2.0**20),
    ]


@pytest.mark.parametrize("wrong", ["null", "[]", "7", '"x"', '{"rwmix_read": [1]}'])
def test_json_with_something_else_in_its_place(wrong: str) -> None:
    parsed = elbencho.parse(
        f'{{"phase_type": "READ", "config": {wrong}, "first_done": {wrong}, "last_done": {wrong}}}\n'
    )
    assert not parsed.complete
    assert not parsed.runs


def test_a_figure_that_bytes_and_time_deny_makes_a_log_incomplete() -> None:
    text = (LOGS / "elbencho/imitated-3.0-svcelapsed.txt").read_text()
    assert parsers.parse(text).complete
    parsed = parsers.parse(
        text.replace(":          16          16\n            Total", ":          16          61\n            Total")
    )
    assert not parsed.complete
    assert "expected throughput = data_size / elapsed" in parsed.notes[0].text


def test_a_list_without_its_brackets_is_said() -> None:
    text = (LOGS / "elbencho/imitated-3.0-svcelapsed.txt").read_text()
    parsed = parsers.parse(text.replace("[ 62500 64000 ]", "62500"))
    assert [note.text for note in parsed.notes] == ["Time ms each: expected a list in brackets, found '62500'"]
    hosts = parsers.parse(text.replace("=1m2.500s", "=1m2.5.00s"))
    assert "expected hosts and their times" in hosts.notes[0].text


def test_a_document_cut_after_any_of_its_characters_is_said() -> None:
    text = (LOGS / "elbencho/elbencho-3.1-1-two-phases.json").read_text()
    second = text.index("\n") + 1
    whole = [at for at in range(second - 1, len(text) + 1) if parsers.parse(text[:at], "elbencho").complete]
    assert whole == [len(text)], "where one document ends, the command asks for another"


def test_a_console_that_ends_with_the_heading_of_live_samples_is_cut() -> None:
    """Found by a mutant."""
    before, heading, _ = (LOGS / "elbencho/imitated-3.0-livecsv-stdout.txt").read_text().partition("ISO Date,Label")
    parsed = parsers.parse(before + heading + ",Phase,RuntimeMS,Rank")
    assert not parsed.complete
    assert not parsed.series


def test_a_console_that_ends_with_live_samples_lacks_the_results_of_their_phase() -> None:
    text = (LOGS / "elbencho/imitated-3.0-livecsv-stdout.txt").read_text()
    parsed = parsers.parse(text[: text.index("READ        Elapsed")])
    said = "the log ends before the results of the phase whose live statistics it has"
    assert ([note.text for note in parsed.notes], parsed.complete, parsed.runs) == ([said], False, [])
    assert parsed.series["throughput"]


def test_an_arrow_that_somebody_drew_behind_a_line_is_no_figure() -> None:
    text = (LOGS / "elbencho/elbencho-3.1-1-resfile.txt").read_text()
    parsed = parsers.parse(re.sub(r"(?m)^(.*Elapsed time.*)$", r"\1     <<<<<<", text))
    assert parsed.runs == parsers.parse(text).runs
    assert parsed.complete


def test_phases_without_a_heading_are_an_excerpt() -> None:
    phase = "WRITE       Elapsed time     :  820ms  1.250s\n" + "".join(
        f"            {what} : {figures}\n" for what, figures in (("Throughput MiB/s", "40 32"), ("Total MiB", "33 40"))
    )
    phase += "---\n"
    parsed = parsers.parse(phase)
    assert ([row["throughput"] for row in parsed.runs], parsed.complete) == ([32 * 2.0**20], False)
    heading = "OPERATION   RESULT TYPE         FIRST DONE   LAST DONE\n"
    assert parsers.parse(heading + phase).notes == []
    with pytest.raises(ParseError, match="expected a log of one of"):
        parsers.parse("WRITE Elapsed time : 820ms\n")


def test_figures_above_the_first_line_of_a_phase_are_of_none_and_said() -> None:
    figures = "            Throughput MiB/s : 40 32\n            Total MiB        : 33 40\n---\n"
    whole = f"{HEADING}WRITE       Elapsed time     :  820ms  1.250s\n{figures}"
    parsed = elbencho.parse(figures + whole)
    assert [row["throughput"] for row in parsed.runs] == [32 * 2.0**20]
    said = "figures of a phase whose first line is missing"
    assert [(note.line, note.text) for note in parsed.notes if note.text == said] == [(1, said)]
    assert not parsed.complete


def test_rates_and_sizes_below_one_are_not_known() -> None:
    text = """OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
=========== ================    ==========   =========
WRITE       Elapsed time     :        62ms        65ms
            Files/s          :         290         307
            IOPS             :         290         307
            Throughput MiB/s :           0           1
            Total MiB        :           0           0
            Files total      :           0          20
---
"""
    (row,) = parsers.parse(text).runs
    assert (row["files_stonewall"], row["files"], row["throughput"]) == (0.0, 20.0, 2.0**20)
    assert row.keys().isdisjoint(("throughput_stonewall", "data_size", "data_size_stonewall"))


@pytest.mark.parametrize(
    ("command", "stated"),
    [
        ('"-w" "-t" "4" "-b" "64k" "-s" "1g"', {"record_size": 65536, "file_size": 2.0**30, "processes": 4}),
        ("-r -t4 -b64k --size=1g", {"record_size": 65536, "file_size": 2.0**30, "processes": 4}),
        (
            '"--block" "1m" "--iodepth" "16" "--rand"',
            {"record_size": MIB, "queue_depth": 16, "access_pattern": "random"},
        ),
        ('"--hosts" "n1,n2 n3" "-t" "2"', {"clients": 3, "processes": 6}),
        ('"--hosts" "n[1-9]" "-t" "2"', {"clients": 9, "processes": 18}),
        ('"--hosts" "n[1,3,08-10]r[1,2],m" "-t" "2"', {"clients": 11, "processes": 22}),
        ('"--hosts" "n[9-1]" "-t" "2"', {}),
        ('"--hostsfile" "all" "-t" "2"', {}),
        ('"-b" "half" "-t" "many" "-s"', {}),
        ('"-w" "/data/a b', {}),
        ('"-t" "4" \\', {"processes": 4}),
    ],
)
def test_a_command_states_the_keys_of_its_phases(command: str, stated: dict[str, object]) -> None:
    assert commands.keys(f'"elbencho" "/d/f" {command}') == stated


def test_keys_of_a_command_stand_on_its_line_and_go_to_the_phases_below_it() -> None:
    text = (LOGS / "elbencho/imitated-3.1-2-two-commands.txt").read_text()
    assert text.count('"-t" "2"') == 2
    second = text.rindex('"-t" "2"')
    parsed = parsers.parse(text[:second] + '"-t" "7" "-b" "8k"' + text[second + len('"-t" "2"') :])
    (write, *stats) = parsed.runs
    assert (write["processes"], "record_size" in write) == (2, False)
    places = [at for at, line in enumerate(text.split("\n"), 1) if line.startswith("COMMAND LINE:")]
    assert write["processes_line"] == places[0]
    assert {(row["processes"], row["record_size"], row["record_size_line"]) for row in stats} == {(7, 8192, places[1])}


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("elbencho -w -r -t 2 /mnt/f", ["--write", "--read"]),
        ("elbencho -dwF -n 4 --stat --deldirs /mnt/d", ["--mkdirs", "--write", "--stat", "--delfiles", "--deldirs"]),
        ("elbencho -d -w -D -n 0 /mnt/d", ["--write"]),
        ("elbencho -d -w --dirs=0 /mnt/d", ["--write"]),
        ("elbencho -d -w --dirs 0 /mnt/d", ["--write"]),
        ("elbencho -w -r --timelimit 60 /mnt/f", []),
        ("elbencho -w --timelimit=60 /mnt/f", []),
        ("elbencho -w --dryrun /mnt/f", []),
        ("elbencho '--stat' '-t' '2' \\", ["--stat"]),
        ("elbencho --write --delfiles -t2 -Dx - /mnt/-r", ["--write", "--delfiles"]),
    ],
)
def test_a_command_asks_for_phases(command: str, options: list[str]) -> None:
    assert list(expected_phases.phases_asked(command)) == options


ASKED = 'ISO DATE: 2026-03-02T08:00:00+0000\nCOMMAND LINE: "elbencho" "-w" "-r" "/mnt/f" \n\n'


def phase(name: str) -> str:
    elapsed = f"{name:11} Elapsed time     :        79ms        82ms\n"
    return f"{elapsed}            IOPS             :        3174        3086\n---\n"


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        (["WRITE", "READ"], []),
        (["RWMIX30", "READ"], []),
        (["WRITE"], ["expected as many phases of --read as the command asks for (1), found 0"]),
        (["READ"], ["expected as many phases of --write as the command asks for (1), found 0"]),
        (["WRITE", "READ", "READ"], ["expected as many phases of --write as the command asks for (2), found 1"]),
        (["WRITE", "READ", "WRITE", "READ"], []),
        (
            ["RMFILES"],
            [
                f"expected as many phases of {asks} as the command asks for (1), found 0"
                for asks in ("--write", "--read")
            ],
        ),
    ],
)
def test_a_phase_that_the_command_asks_for_is_missed(printed: list[str], said: list[str]) -> None:
    text = ASKED + HEADING + "".join(map(phase, printed))
    parsed = parsers.parse(text, "elbencho")
    assert [(note.line, note.text) for note in parsed.notes] == [(2, line) for line in said]
    assert parsed.complete == (not said)


def test_a_row_of_a_table_that_the_command_asks_for_is_missed() -> None:
    heading, *rows = (LOGS / "elbencho/elbencho-3.1-1-dir-phases.csv").read_text().splitlines(keepends=True)
    for at in range(len(rows)):
        notes = parsers.parse("".join([heading, *rows[:at], *rows[at + 1 :]]), "elbencho").notes
        assert [note.line for note in notes] == [2]


@pytest.mark.parametrize(
    "prompt",
    [
        *("$ elbencho", "[root@n1 ~]# elbencho", "elbencho", "+ elbencho"),
        *("# docker run -t --rm -v /mnt:/mnt someone/elbencho:v3", "$ sudo podman run --net host quay.io/x/elbencho"),
    ],
)
def test_a_command_at_a_prompt_above_the_heading_states_the_keys(prompt: str) -> None:
    told = f"{prompt} -w -b 64k -t 2 /mnt/f\n"
    written = f"{HEADING}{phase('WRITE')}"
    for text in (told + written, f"{told}\n{written}", f"a run of today\n```\n{told}{written}```\n"):
        parsed = parsers.parse(text)
        (row,) = parsed.runs
        assert (row["record_size"], row["processes"]) == (65536.0, 2.0)
        assert text.split("\n")[int(row["record_size_line"]) - 1] == told.strip()
        assert parsed.complete
    others = f"{HEADING}{phase('READ')}"
    first, other = parsers.parse(f"{told}{written}$ ./again.sh\n{others}", "elbencho").runs
    assert (first["record_size"], "record_size" in other, "processes" in other) == (65536.0, False, False)


def test_a_label_of_a_row_of_csv_is_that_of_its_run() -> None:
    heading, first, *rest = (LOGS / "elbencho/elbencho-3.1-1-dir-phases.csv").read_text(encoding="utf-8").split("\n")
    named = parsers.parse("\n".join([heading, first.replace(",,", ",night,", 1), *rest])).runs
    assert [row.get("label") for row in named if row["line"] in (2, 3)] == ["night", None]


def test_how_many_ios_there_were_is_read_on_its_line() -> None:
    text = (
        f"{HEADING}WRITE       Elapsed time     :     2.000s     4.000s\n            IOPS             :         100"
        "          80\n            IOs total        :         200         320\n---\n"
    )
    parsed = parsers.parse(text)
    assert [(run["operations"], run["operations_line"]) for run in parsed.runs] == [(320.0, 5)]
    assert parsed.complete

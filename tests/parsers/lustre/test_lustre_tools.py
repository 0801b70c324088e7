"""Lustre's own tools: what golden tables do not show."""

from __future__ import annotations

import re

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.lustre import get_param, getstripe, iokit
from storagelab.parsers.lustre.get_param.call_counters import Counter, _latencies
from storagelab.units import MIB
from tests.conftest import LOGS
from tests.parsers.monitors.samples import rows

LINE = "ost 8 sz 67108864K rsz 1024 obj 8 thr 8 write 613.54 [ 64.00, 82.00]"


def test_rates_are_binary_and_sizes_are_kibibytes() -> None:
    row = iokit.parse(LINE + "\n").runs[0]
    assert row["throughput"] == pytest.approx(613.54 * 2**20)
    assert (row["throughput_min"], row["throughput_max"]) == (64 * 2**20, 82 * 2**20)
    assert row["data_size"] == 67108864 * 1024
    assert (row["targets"], row["processes"], row["record_size"]) == (8, 8, 2**20)


@pytest.mark.parametrize("word", ["SHORT", "ERROR"])
def test_what_could_not_be_measured_has_no_row(word: str) -> None:
    parsed = iokit.parse(f"ost 8 sz 67108864K rsz 1024 obj 8 thr 8 write {word}\n")
    assert not parsed.runs
    assert parsed.notes[0].text == f"write was {word}: no value"


def test_line_that_is_cut_is_not_trusted() -> None:
    parsed = iokit.parse(LINE + "\n" + LINE[:-3])
    assert len(parsed.runs) == 1
    assert not parsed.complete


def test_operation_that_is_not_named_is_unknown() -> None:
    row = iokit.parse("total_size 8388608K rsz 1024 thr 1 crg 1 180.45 MB/s 1 x 180.50 \\\n = 180.50 MB/s\n").runs[0]
    assert row["operation"] == "unknown"
    assert row["throughput"] == pytest.approx(180.45 * 2**20)


def test_what_is_no_summary() -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a summary line of the I/O kit .*, found 'nothing"):
        iokit.parse("nothing\n")
    with pytest.raises(ParseError, match=r"log:1: expected a layout .*, found 'nothing"):
        getstripe.parse("nothing\n")


def test_one_layout_gives_the_keys_of_the_log() -> None:
    text = "f\nlmm_stripe_count:  2\nlmm_stripe_size:   4194304\nlmm_pattern:       raid0\nlmm_stripe_offset: 5\n"
    sizes, lines = {"stripe_size": 4194304.0, "stripe_count": 2.0}, {"stripe_size_line": 3, "stripe_count_line": 2}
    assert getstripe.parse(text).header == {"tool": "lfs getstripe", **sizes, **lines}
    assert "stripe_size" not in getstripe.parse(text + text).header


@pytest.mark.parametrize("name", ["imitated-2.5-plain.txt", "imitated-2.10-composite.txt"])
def test_a_version_that_does_not_print_a_line_has_not_lost_it(name: str) -> None:
    parsed = parsers.parse((LOGS / "lfs_getstripe" / name).read_text(), getstripe.FORMAT.name)
    assert (parsed.complete, parsed.notes) == (True, [])


def test_a_mirror_whose_number_of_mirrors_is_lost_is_said() -> None:
    text = (LOGS / "lfs_getstripe" / "imitated-mirrored.txt").read_text()
    cut = text.replace("  lcm_mirror_count:  2\n", "")
    assert getstripe.parse(cut).notes == [(5, "expected 'lcm_mirror_count:' above 'lcme_mirror_id:', found none")]


@pytest.mark.parametrize(
    "name", ["imitated-2.5-plain.txt", "imitated-directories-pools.txt", "imitated-2.10-composite.txt"]
)
def test_a_layout_below_another_has_not_the_name_of_that(name: str) -> None:
    text = (LOGS / "lfs_getstripe" / name).read_text()
    *_, last = (line for line in text.splitlines() if line.startswith("/mnt"))
    two = text + text if text.count("/mnt/") == 1 else text
    head, _, tail = two.rpartition(f"{last}\n")
    parsed = getstripe.parse(head + tail)
    at = head.count("\n") + 1
    assert parsed.notes == [(at, "expected the name of a file before its layout, found another layout")]
    assert not parsed.complete
    assert {row.get("file", "") for row in rows(parsed) if row["line"] >= at} == {""}


def test_the_pool_of_a_layout_is_its_target() -> None:
    text = (LOGS / "lfs_getstripe" / "imitated-2.10-composite.txt").read_text()
    assert [row["target"] for row in rows(getstripe.parse(text)) if "stripe_count" in row] == ["near", "far"]


@pytest.mark.parametrize("mark", ["...", "[...]", "\N{HORIZONTAL ELLIPSIS}"])
def test_layouts_whose_lines_were_left_out_are_not_complete(mark: str) -> None:
    layout = "f\nlmm_stripe_count:  2\nlmm_stripe_size:   1048576\nlmm_stripe_offset: 0\n"
    assert getstripe.parse(layout).complete
    assert not getstripe.parse(f"{layout}{mark}\n").complete


def test_layout_without_a_size_is_cut() -> None:
    parsed = getstripe.parse("f\nlmm_stripe_count:  2\n")
    assert not parsed.complete
    assert parsed.notes[0].text == "the layout has no stripe size"


@pytest.mark.parametrize("digits", ["9" * 400, "f" * 17])
def test_an_identifier_of_more_bits_than_there_are_is_none(digits: str) -> None:
    text = (LOGS / "lfs_getstripe" / "imitated-mirrored.txt").read_text()
    parsed = getstripe.parse(text.replace("0x1f:", f"0x{digits}:"))
    assert not parsed.complete
    assert float(0x1F) not in parsed.series["value"]
    assert len(parsed.series["value"]) == len(getstripe.parse(text).series["value"]) - 1


@pytest.mark.parametrize("name", ["imitated-obdfilter.txt", "imitated-mds-survey.txt"])
def test_a_line_that_ends_behind_an_operation_may_lack_others(name: str) -> None:
    text = (LOGS / "lustre_iokit" / name).read_text()
    whole = iokit.parse(text)
    cut = text[: text.index("]") + 1]
    parsed = iokit.parse(cut)
    assert (whole.complete, parsed.complete) == (True, False)
    assert parsed.runs == whole.runs[:1]
    assert [note.text for note in parsed.notes] == ["the last line has no end: operations may be missing"]


def test_a_layout_that_is_broken_off_takes_no_other_line_with_it() -> None:
    whole = "stripe_count:  2 stripe_size:   1048576 stripe_offset: -1"
    parsed = getstripe.parse(f"/lustre/one\nstripe_count:  1 stripe_size:  4194304 \\\n/lustre/two\n{whole}\n")
    assert parsed.notes == [(2, "the line is broken off")]
    assert parsed.series["file"] == ["/lustre/two"]


def test_sizes_of_old_versions_have_a_letter() -> None:
    parsed = parsers.parse("/lustre \n(Default) stripe_count: 1 stripe_size: 4M stripe_offset: -1\n")
    assert parsed.header["stripe_size"] == 4 * MIB


def test_objects_alone_are_of_old_versions() -> None:
    table = "  obdidx   objid   objid   group\n  {}        {}       {:#x}     0\n"
    layout = "/lustre/three\nlmm_stripe_count:   3\nlmm_stripe_size:    1048576\nlmm_stripe_offset:  0\n"
    alone = f"/lustre/one\n{table.format(5, 20, 20)}\n/lustre/two\n{table.format(6, 21, 21)}"
    parsed = parsers.parse(alone)
    assert parsed.complete
    assert [(row["file"], row["target"], row["value"]) for row in rows(parsed)] == [
        ("/lustre/one", "5", 20.0),
        ("/lustre/two", "6", 21.0),
    ]
    behind = getstripe.parse(f"{layout}{table.format(1, 2, 2)}\n{alone}")
    assert behind.notes == [(5, "expected as many objects as the layout has, found 2 less")]


def test_the_number_of_components_is_kept() -> None:
    parsed = getstripe.parse((LOGS / "lfs_getstripe" / "imitated-2.10-composite.txt").read_text())
    assert [(row["value"], row["line"]) for row in rows(parsed) if row.get("metric") == "lcm_entry_count"] == [(2.0, 3)]


@pytest.mark.parametrize("name", ["stripe_count", "stripe_size:x", "lmv_stripe_count: x"])
def test_a_line_that_is_no_field_and_no_file_is_damaged(name: str) -> None:
    text = (LOGS / "lfs_getstripe" / "imitated-getdirstripe.txt").read_text()
    assert getstripe.parse(text).complete
    assert not getstripe.parse(text.replace("stripe_lake", name)).complete


def test_a_layout_of_2_11_says_its_mirrors_in_the_identifiers_of_its_components() -> None:
    text = (LOGS / "lfs_getstripe" / "imitated-mirrored.txt").read_text()
    older = "".join(line for line in text.splitlines(keepends=True) if "lcme_mirror_id" not in line)
    components = set(getstripe.parse(text).series["component"])
    assert components == {"mirror 1 from 0 to EOF", "mirror 2 from 0 to EOF", ""}
    assert set(getstripe.parse(older).series["component"]) == components


@pytest.mark.parametrize(("name", "is_whole"), [("sync", False), ("done", True)])
def test_the_name_of_a_call_alone_is_a_counter_that_was_cut(name: str, is_whole: bool) -> None:
    text = "mdt.fs-MDT0000.md_stats=\nsnapshot_time 1795211943.5 secs.nsecs\nopen 12 samples [reqs]\n"
    assert get_param.parse(f"{text}{name}\n").complete is is_whole


def test_a_job_whose_name_is_quoted_is_one_of_its_own() -> None:
    counts = "  write_bytes:   { samples: 3, unit: bytes, min: 4096, max: 8192, sum: 16384 }\n"
    text = f'job_stats:\n- job_id:          plain.7\n{counts}- job_id:          "copy of data.8"\n{counts}'
    assert list(dict.fromkeys(get_param.parse(text).series["job"])) == ["plain.7", "copy of data.8"]


def test_times_of_jobs_of_2_15_have_a_blank_before_their_colon() -> None:
    counts = "  write_bytes:   { samples: 3, unit: bytes, min: 4096, max: 8192, sum: 16384 }\n"
    clock = "  snapshot_time   : 1694072655.25 secs.nsecs\n  start_time      : 1694072600.25 secs.nsecs\n"
    text = f"job_stats:\n- job_id:          plain.7\n{clock}  elapsed_time    : 55.0 secs.nsecs\n{counts}"
    parsed = get_param.parse(text)
    assert parsed.complete
    assert {parsed.series[name][0] for name in ("end_time", "start_time", "elapsed")} == {
        1694072655.25,
        1694072600.25,
        55.0,
    }


COMPOSITE = """/mnt/ruhr/grown
  lcm_layout_gen:    3
  lcm_mirror_count:  1
  lcm_entry_count:   3
    lcme_id:             1
    lcme_mirror_id:      0
    lcme_flags:          init
    lcme_extent.e_start: 0
    lcme_extent.e_end:   1048576
      lmm_stripe_count:  0
      lmm_stripe_size:   1048576
      lmm_pattern:       mdt
      lmm_layout_gen:    0
      lmm_mdt_index:     2

    lcme_id:             2
    lcme_mirror_id:      0
    lcme_flags:          init
    lcme_extent.e_start: 1048576
    lcme_extent.e_end:   1073741824
      lmm_stripe_count:  1
      lmm_stripe_size:   4194304
      lmm_pattern:       raid0
      lmm_layout_gen:    0
      lmm_stripe_offset: 0x1f
      lmm_objects:
      -   0: { l_ost_idx:  0x1f, l_fid: [0x340000400:0x12:0x0] }

    lcme_id:             3
    lcme_mirror_id:      0
    lcme_flags:          extension
    lcme_extent.e_start: 1073741824
    lcme_extent.e_end:   EOF
      lmm_stripe_count:  0
      lmm_extension_size: 134217728
      lmm_pattern:       raid0
      lmm_layout_gen:    0
      lmm_stripe_offset: -1
"""
"""Columns and hexadecimal indices as Lustre 2.16 prints them; a component on an MDT, and one that grows."""


def test_indices_in_columns_and_in_hexadecimal_digits() -> None:
    parsed = parsers.parse(COMPOSITE)
    assert parsed.complete
    assert not parsed.notes
    metrics = {str(row["metric"]): (row.get("target"), row["value"]) for row in rows(parsed) if "metric" in row}
    assert metrics["objid"] == ("31", 0x12)
    assert metrics["lmm_mdt_index"][1] == 2
    assert metrics["lmm_extension_size"][1] == 134217728
    assert [row["stripe_offset"] for row in rows(parsed)[1:3]] == [31, -1]


def test_a_layout_that_lacks_a_component_is_not_complete() -> None:
    cut = COMPOSITE[: COMPOSITE.index("    lcme_id:             3")]
    assert getstripe.parse(cut).notes == [(4, "expected as many components as the layout has, found 1 less")]
    assert getstripe.parse("$ lfs getstripe -I2 /mnt/ruhr/grown\n" + cut).complete


def test_an_object_that_nobody_can_read_is_no_name_of_a_file() -> None:
    parsed = getstripe.parse(COMPOSITE.replace("l_ost_idx:  0x1f", "l_ost_idx:  0x"))
    assert not parsed.complete


def test_stripes_of_a_directory_have_their_mdts() -> None:
    text = "/mnt/ruhr/wide\nlmv_stripe_count: 2 lmv_stripe_offset: 0 lmv_hash_type: crush\n"
    text += "mdtidx\t\t FID[seq:oid:ver]\n     0\t\t [0x200000401:0x2:0x0]\t\t\n     1\t\t [0x240000402:0x3:0x0]\t\t\n"
    objects = rows(getstripe.parse(text), metric="objid")
    assert [(row["target"], row["value"]) for row in objects] == [("0", 2), ("1", 3)]


def test_objects_that_are_not_there_yet_are_no_damage() -> None:
    text = "/mnt/ruhr\nstripe_count:  1 stripe_size:   1048576 pattern:       raid0 stripe_offset: 3\n"
    text += "\tobdidx\t\t objid\t\t objid\t\t group\n\t     3\t           N/A\t          N/A\t           N/A\n"
    assert getstripe.parse(text).complete


def test_a_list_that_lacks_an_object_is_not_complete() -> None:
    text = (LOGS / "lfs_getstripe" / "imitated-plain.txt").read_text()
    assert getstripe.parse(text).complete
    *lines, _ = text.split("\n")
    at = next(at for at, line in enumerate(lines) if "obdidx" in line) + 1
    cut = "\n".join(lines[:at] + lines[at + 1 :]) + "\n"
    assert getstripe.parse(cut).notes == [(at, "expected as many objects as the layout has, found 1 less")]


@pytest.mark.parametrize("count", ["9" * 400, "4294967295", "-1"])
def test_a_count_of_stripes_that_no_layout_has_announces_no_objects(count: str) -> None:
    text = f"/mnt/f\nlmm_stripe_count:  {count}\nlmm_stripe_size:   1048576\nlmm_pattern:       raid0\n"
    parsed = getstripe.parse(f"{text}lmm_layout_gen:    0\nlmm_stripe_offset: 0\n\tobdidx\tobjid\tobjid\tgroup\n")
    assert not [note for note in parsed.notes if "objects" in note.text]


@pytest.mark.parametrize(("squares", "deviation"), [(8.0, 0.0), (8.5, 0.5e-6), (7.0, None)])
def test_a_deviation_may_be_small_or_none_and_is_left_out_where_the_squares_have_run_over(
    squares: float, deviation: float | None
) -> None:
    counter = Counter("read", 2.0, "usecs", {"sum": 4.0, "sumsq": squares})
    assert _latencies(counter, 1e-6).get("latency_std") == pytest.approx(deviation)


def test_a_size_that_no_number_can_hold_is_said() -> None:
    text = (LOGS / "lfs_getstripe/imitated-mirrored.txt").read_text()
    damaged = re.sub(r"(lmm_stripe_size: +)\d+", rf"\g<1>0x{'f' * 300}", text, count=1)
    assert "expected a number, found 'lmm_stripe_size:" in " ".join(
        note.text for note in parsers.parse(damaged, "lfs-getstripe").notes
    )


def test_settings_of_clients_that_are_no_counters() -> None:
    """llite/lproc_llite.c (statahead, unstable) and osc/lproc_osc.c (lockless)."""
    text = """\
llite.fs-ffff0001.stats=
snapshot_time             1760000000.500000000 secs.nsecs
open                      5 samples [reqs]
llite.fs-ffff0001.statahead_stats=
statahead total: 31
statahead wrong: 2
agl total: 17
list_total: 12
llite.fs-ffff0001.unstable_stats=
unstable_check:            1
unstable_pages:          512
unstable_mb:               2
osc.fs-OST0001-osc-ffff0001.osc_stats=
lockless_write_bytes\t\t4096
lockless_truncate\t\t6
osc.fs-OST0001-osc-ffff0001.cur_dirty_bytes=8192
"""
    found = [row for row in rows(get_param.parse(text)) if "metric" in row]
    assert [(row["metric"], row["value"], row["unit"]) for row in found] == [
        ("statahead total", 31, "1"),
        ("statahead wrong", 2, "1"),
        ("agl total", 17, "1"),
        ("list_total", 12, "1"),
        ("unstable_check", 1, "1"),
        ("unstable_pages", 512, "1"),
        ("unstable_mb", 2 * MIB, "B"),
        ("lockless_write_bytes", 4096, "B"),
        ("lockless_truncate", 6, "1"),
        ("cur_dirty_bytes", 8192, "B"),
    ]
    assert {row["device"] for row in found[-3:]} == {"osc.fs-OST0001-osc-ffff0001"}


@pytest.mark.parametrize(
    ("between", "files", "said"),
    [
        ("", {"/mnt/a", ""}, ["expected the name of a file before its layout, found another layout"]),
        ("```\nand the other one:\n", {"/mnt/a", ""}, []),
        ("/mnt/b\n", {"/mnt/a", "/mnt/b"}, []),
        ("/mnt/b\n```\n", {"/mnt/a", ""}, []),
    ],
)
def test_no_name_of_a_file_holds_behind_the_end_of_a_fenced_block(
    between: str, files: set[str], said: list[str]
) -> None:
    layout = "lmm_stripe_count:   1\nlmm_stripe_size:    2097152\nlmm_stripe_offset:  {0}\n\t{0} {1} {1:#x} 0\n\n"
    parsed = getstripe.parse("/mnt/a\n" + layout.format(6, 514033) + between + layout.format(1, 513977))
    assert (set(parsed.series["file"]), [note.text for note in parsed.notes]) == (files, said)


def test_the_rate_of_a_test_that_failed_is_none_and_that_of_a_short_one_is() -> None:
    parsed = iokit.parse(f"{LINE} rewrite 98765.43             ERROR read  411.02             SHORT \n")
    assert [(row["operation"], "throughput_max" in row) for row in parsed.runs] == [("write", True), ("read", False)]
    assert (parsed.complete, [note.text for note in parsed.notes]) == (True, ["rewrite was ERROR: no value"])


def test_a_test_that_obdfilter_survey_left_out_is_told() -> None:
    parsed = iokit.parse(f"{LINE}\n{LINE.partition('write')[0]}Too much buffer space\n{LINE}\n")
    assert [row["part"] for row in parsed.runs] == [1, 3]
    assert (parsed.complete, parsed.notes[0].line) == (True, 2)
    assert parsed.notes[0].text.endswith("thr 8 Too much buffer space")


def test_an_ost_that_is_out_of_use_has_no_row_in_a_survey() -> None:
    text = (LOGS / "lustre_iokit/imitated-ost-survey-table.txt").read_text()
    parsed = iokit.parse(text.rstrip("\n") + "\n7     Inactive ost\n")
    assert (parsed.complete, len(parsed.runs)) == (True, len(iokit.parse(text).runs))
    assert not iokit.parse(text.rstrip("\n") + "\n7     Inactve\n").complete


@pytest.mark.parametrize("lowest", [2**63 - 1, 2**64 - 1])
def test_what_no_sample_was_lower_than_is_no_lowest_value(lowest: int) -> None:
    text = f"snapshot_time 1434390010.12 secs.usecs\nread_bytes 0 samples [bytes] {lowest} 0 0\n"
    found = {row["metric"] for row in rows(get_param.parse(text)) if "metric" in row}
    assert ("read_bytes min" in found, "read_bytes max" in found) == (False, True)

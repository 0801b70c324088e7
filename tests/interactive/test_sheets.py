"""What the accessor shows is computed from the data, in text and in HTML, and nothing in the data can act."""

from __future__ import annotations

import html
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import storagelab.interactive  # noqa: F401  registers the accessor
from storagelab import analysis, dataset, open_logs
from storagelab.interactive.html import STYLE
from tests.analysis.tables import cluster, fileop, node, repeats, shares
from tests.conftest import LOGS, ROOT

HOSTILE = '<script>alert("1")</script>\x1b[31m\u202e&amp;'
KNOWN = {"section", "style", "p", "strong", "ul", "li", "dl", "dt", "dd", "details", "summary"}
KNOWN |= {"table", "caption", "thead", "tbody", "tr", "th", "td"}
"""Elements of a sheet."""


def shown(ds: xr.Dataset | xr.DataTree) -> str:
    """What the text says, after checking that the HTML says the same (it opens what the text folds)."""
    lines = repr(ds.storage)
    words = re.sub(r"<style>.*?</style>|<[^>]+>", " ", ds.storage._repr_html_(), flags=re.DOTALL)
    said = set(html.unescape(words).replace(":", " ").split())
    assert set(lines.replace(":", " ").lower().split()) - {"warning"} <= {word.lower() for word in said}
    return lines


def measured(**more: Any) -> xr.Dataset:
    rows = [
        {"filesystem": system, "operation": "write", "run_id": f"{system}{i}", "repeat": i, "throughput": 1e6 * i}
        | {"log_id": float(i), "line": 1.0, "log_count": 1.0, "complete": 1.0, **more}
        for system in ("xfs", "ext4")
        for i in (1, 2, 3)
    ]
    return node(rows)


def test_counts_keys_ranges_and_origin() -> None:
    text = shown(measured())
    assert text.startswith("test-2026, runs\n  origin: measured\n  rows: 6\n  runs: 6\n  logs: 3\n")
    assert "all rows: study test-2026" not in text
    assert "all rows: operation write, statistic single" in text
    assert re.search(r"filesystem +2 +ext4 \(3\), xfs \(3\)\n", text)
    assert re.search(r"throughput +throughput +1 MB/s +3 MB/s +none", text)
    assert "incomplete rows: none" in text
    assert "warning" not in text


def test_what_belongs_to_a_variable_is_told_in_its_details_and_nowhere_else() -> None:
    assert "Details of variables" not in measured().storage._repr_html_()
    assert "Details of variables (1)" in measured(throughput_std=2.0).storage._repr_html_()


def test_other_data_show_otherwise() -> None:
    ds = measured()
    ds["throughput"][0] = np.nan
    ds["throughput"][5] = 7.25e9
    text = shown(ds.isel(obs=[0, 1, 3, 4, 5]))
    assert "rows: 5" in text
    assert re.search(r"throughput +throughput +1 MB/s +7.25 GB/s +1", text)
    assert re.search(r"filesystem +2 +ext4 \(3\), xfs \(2\)\n", text)
    assert "1 of 2 cells lack one of the repeats 1, 2 and 3" in text


def test_many_levels_are_abbreviated() -> None:
    rows = [{"file_size": 2.0**i, "host": f"node{i:02}", "throughput": 1.0} for i in range(12)]
    text = shown(node([*rows, {"host": "node99", "throughput": 1.0}]))
    assert re.search(r"file_size +13 +1 B to 2 KiB, not known \(1\)\n", text)
    assert re.search(r"host +13 +node00 \(1\), .*node05 \(1\) and 7 more\n", text)


def test_dates_are_dates() -> None:
    text = shown(node([{"start_time": 0.0, "throughput": 1.0}, {"start_time": 86400.0, "throughput": 1.0}]))
    assert "1970-01-01 00:00:00" in text
    assert "1970-01-02 00:00:00" in text


def test_incomplete_logs_are_told() -> None:
    ds = measured()
    ds["complete"][[0, 3]] = 0.0
    text = shown(ds)
    assert "incomplete rows: 2" in text
    assert "warning: 2 of 6 rows from 1 logs are incomplete: a log was cut, or its tool failed" in text


def test_copies_of_a_log_are_told(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        shutil.copy(LOGS / "ior" / "4.1.0dev_file_per_process_8_tasks.txt", tmp_path / name)
    same = f"{tmp_path}/a.txt is the same as {tmp_path}/b.txt and 1 more"
    assert f"warning: 2 logs are copies, and count as runs; the first: {same}\n" in shown(open_logs(tmp_path))
    assert "copies" not in shown(open_logs(tmp_path / "a.txt"))


def test_variables_without_a_value_are_counted_and_have_no_range() -> None:
    text = shown(measured(latency=np.nan))
    assert "no value in any row: 1 variables" in text
    assert "latency " not in text
    assert "no value in any row" not in shown(measured())


def test_a_table_of_the_experimenter_is_no_log() -> None:
    rows = [
        {"log": "runs.csv", "format": "runs.csv", "role": "sidecar", "complete": 1.0},
        {"log": "a.log", "format": "iozone", "tool": "iozone", "role": "benchmark", "complete": 1.0},
    ]
    said = shown(dataset.tree({"logs": dataset.from_rows(rows, origin="measured")}, {"origin": "measured"}))
    assert "logs: 1, none of them incomplete" in said
    assert "formats: iozone (1)" in said


def test_rows_that_add_clients_up_say_so() -> None:
    assert "logs: 3 leading ones of runs of up to 12 logs" in shown(measured(log_count=12.0))
    assert "leading ones" not in shown(measured().drop_vars("log_count"))


def test_a_missing_repeat_is_told() -> None:
    assert "1 of 2 cells lack one of the repeats 1, 2 and 3" in shown(measured().isel(obs=slice(1, None)))


def test_single_runs_are_told_where_no_repeat_is_known() -> None:
    ds = measured().drop_vars("repeat")
    assert "1 of 2 cells have a single run, and so no interval" in shown(ds.isel(obs=slice(2, None)))
    assert "2 of 2 cells have a single run" in shown(ds.isel(obs=[2, 3]))
    assert "single run" not in shown(ds)


def test_cached_files_are_told() -> None:
    fits = measured(file_size=1e6, memory_limit=1e9)
    assert "6 of the 6 rows whose files and memory are known are of files that fit in memory" in shown(fits)
    assert "fit in memory" not in shown(measured(file_size=1e10, memory_limit=1e9))
    assert "6 of the 6 rows whose files and memory are known" in shown(measured(file_size=1e6, client_memory=1e9))
    flagged = fits.assign(cached=("obs", [1.0, 0.0, 0.0, 0.0, 0.0, np.nan], {"units": "1", "long_name": "cached"}))
    assert "1 of the 5 rows whose files and memory are known" in shown(flagged)


def test_reconstructed_data_say_so_loudly() -> None:
    ds = node([{"throughput": 1.0, "operation": "read"}], origin="reconstructed")
    assert "origin: RECONSTRUCTED\n" in shown(ds)
    assert "warning: reconstructed, not measured" in shown(ds)
    assert '<p class="storagelab-alarm">Origin: <strong>RECONSTRUCTED</strong></p>' in ds.storage._repr_html_()
    assert '<p class="storagelab-alarm">' not in measured().storage._repr_html_()


def test_mixed_origins_are_told() -> None:
    mixed = measured().assign_coords(origin=("obs", ["measured"] * 5 + ["published"]))
    assert "origin: MIXED: MEASURED, PUBLISHED" in shown(mixed)
    assert "warning: the dataset mixes the origins measured, published: select one" in shown(mixed)


def test_a_dataset_without_origin_says_so() -> None:
    ds = measured()
    del ds.attrs["origin"]
    assert "origin: NOT KNOWN" in shown(ds)
    assert "warning: the dataset does not say its origin" in shown(ds)


def test_results_show_their_rows_with_intervals_and_verdicts() -> None:
    effect = fileop().storage.compare("operation_rate", "filesystem", "xfs", "btrfs", margin=0.1)
    text = shown(effect)
    assert "test-2026, result" in text
    assert "method: ratio of geometric means, 95 % Welch t interval of the log" in text
    row = dataset.frame(effect).iloc[0]
    ends = rf"{row['ratio']:.3g} \({row['ratio_low']:.3g} to {row['ratio_high']:.3g}\)"
    assert re.search(rf"mkdir +{ends} +3 +3 +\S+ +1 .* lower\n", text)
    alone = analysis.summarise(fileop().isel(obs=[0]), "operation_rate", ["operation"])
    assert "100 ops/s (no interval)" in shown(alone)


def test_winners_are_told_with_their_rank() -> None:
    text = shown(fileop().storage.winners("operation_rate", "filesystem", statistic="single"))
    assert re.search(
        r"filesystem +operation_rate \(95 % interval\) +ratio \(95 % interval\) +rank +winner +tied +n ", text
    )


def test_a_caveat_of_many_rows_is_told_once() -> None:
    result = measured().assign(caveat=("obs", ["few; apart", "few", "apart; few", "", "", ""]))
    assert "3 of 6 rows: apart; few\n" in shown(result)


def test_long_results_are_cut_and_say_so() -> None:
    rows = [row for size in range(50) for row in repeats((1.0, 2.0), file_size=float(size), operation="read")]
    text = shown(node(rows).storage.summarise())
    assert "Rows, 40 of 50" in text


def test_caveats_of_a_result_are_told() -> None:
    effect = fileop().storage.compare("operation_rate", "filesystem", "xfs", "btrfs")
    flagged = effect.assign(caveat=("obs", ["3 runs: bootstrap needs 10", ""], {"long_name": "caveat"}))
    assert "warning: 1 of 2 rows: 3 runs: bootstrap needs 10" in shown(flagged)


@pytest.mark.parametrize("ds", [xr.Dataset(), xr.Dataset({"a": ("x", [1.0])}), cluster().isel(obs=[])])
def test_whatever_is_asked_for_is_shown_without_an_error(ds: xr.Dataset) -> None:
    assert shown(ds)


def test_names_and_units_of_others_are_shown_as_they_are() -> None:
    ds = (
        measured().assign(mine=("obs", np.arange(6.0), {"units": "furlong"})).assign_coords(own=("obs", list("ababab")))
    )
    text = shown(ds)
    assert re.search(r"mine +0 furlong +5 furlong +none", text)
    assert re.search(r"own +2 +a \(3\), b \(3\)", text)


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def hostile() -> xr.DataTree:
    rows = [{"host": HOSTILE, "label": HOSTILE, "operation": "read", "throughput": 1.0, "run_id": HOSTILE}]
    rows.append({**rows[0], "host": f"{HOSTILE}2"})
    runs = dataset.from_rows(rows, origin="measured", study=HOSTILE, title=HOSTILE)
    runs["throughput"].attrs.update(units=HOSTILE, long_name=HOSTILE)
    logs = dataset.from_rows(
        [{"log": HOSTILE, "log_sha256": "0", "tool": HOSTILE, "notes": HOSTILE, "complete": 0.0}], origin="measured"
    )
    plan = {"name": HOSTILE, "where": {"host": "no such"}, "factors": {"host": [HOSTILE]}}
    about = {"study": HOSTILE, "title": HOSTILE, "origin": "measured", "limits": [HOSTILE], "design": [plan]}
    return dataset.tree({"runs": runs, "logs": logs}, about | {"left_out": [HOSTILE]})


@pytest.mark.parametrize("part", ["study", "runs", "logs", "result"])
def test_nothing_in_the_data_can_act(part: str) -> None:
    tree = hostile()
    result = tree["runs"].to_dataset().assign_attrs(method=HOSTILE).assign_coords(compared=("obs", [HOSTILE] * 2))
    given = {"study": tree, "result": result}.get(part) if part in ("study", "result") else tree[part]
    assert given is not None
    page, text = given.storage._repr_html_(), repr(given.storage)
    tags = Tags(page)
    assert tags.open == []
    assert {tag for tag, _ in tags.seen} <= KNOWN
    assert {name for _, attrs in tags.seen for name in attrs} <= {"class", "aria-label", "scope"}
    assert "\x1b" not in page + text
    assert "\u202e" not in page + text
    assert "&lt;script&gt;alert" in page
    assert "&amp;amp;" in page


def test_nothing_is_fetched_and_colours_are_the_notebooks() -> None:
    page = measured().storage._repr_html_()
    assert not re.search(r"https?:|url\(|@import|src=|href=", page)
    assert "color:inherit" in STYLE
    assert set(re.findall(r"#[0-9a-f]+", STYLE)) == {"#c2620e", "#8888"}


def contrast(colour: str, ground: str) -> float:
    def luminance(hex: str) -> float:
        parts = [int(hex[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(colour), luminance(ground)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("ground", ["#ffffff", "#111111", "#1e1e1e"])
def test_the_mark_of_a_warning_is_seen_on_light_and_dark(ground: str) -> None:
    assert contrast("#c2620e", ground) >= 3


def test_tables_have_captions_and_headings() -> None:
    tags = Tags(measured().storage._repr_html_())
    names = [tag for tag, _ in tags.seen]
    assert names.count("table") == names.count("caption") == names.count("thead") > 0
    assert all("scope" in attrs for tag, attrs in tags.seen if tag == "th")


def planned() -> xr.DataTree:
    plan = {"name": "both", "where": {}, "factors": {"filesystem": ["xfs", "ext4"], "repeat": [1, 2, 3]}}
    absent = {"name": "zfs", "where": {"filesystem": "zfs"}, "factors": {"repeat": [1]}}
    runs = measured().isel(obs=slice(1, None))
    logs = dataset.from_rows(
        [
            {"log": "a", "log_sha256": "0", "tool": "ior", "format": "ior", "notes": note, "complete": complete}
            for note, complete in (("cut short", 0.0), ("odd", 1.0), ("odd", 1.0), ("", 1.0))
        ],
        origin="measured",
    )
    about = {"study": "test-2026", "title": "A title", "origin": "measured", "design": [plan, absent]}
    left_out = ["run a: write of 2 of 3 clients: not added up"]
    return dataset.tree({"runs": runs, "clients": shares(), "logs": logs}, about | {"left_out": left_out})


def test_a_study_shows_nodes_design_and_warnings() -> None:
    text = shown(planned())
    assert text.startswith("test-2026: A title\n  origin: measured\n")
    assert "logs: 4, 1 of them incomplete" in text
    assert re.search(r"runs +5 +5 +\d+ +measured\n", text)
    assert re.search(r"clients +6 +2 +\d+ +measured\n", text)
    assert re.search(r"both +5 +6 +83 %\n", text)
    assert re.search(r"zfs +cannot be counted: unknown value of filesystem 'zfs'", text)
    assert "warning: runs: 1 of 2 cells lack one of the repeats 1, 2 and 3" in text
    assert "warning: logs: 1 of 4 rows are incomplete" in text
    assert "warning: logs: parsers have notes on 3 of 4 logs, most often (2): odd; 1 other notes" in text
    assert "warning: 1 measurements are no row of runs, as clients lack them; the first: run a: write" in text


def test_a_node_of_a_tree_knows_its_name() -> None:
    assert repr(planned()["clients"].storage).startswith("test-2026, clients")
    assert repr(planned()["logs"].storage).startswith("logs without a study, logs")


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        ({"log_sha256": "0"}, "logs"),
        ({"event": "slow"}, "events"),
        ({"time": 1.0, "throughput": 1.0}, "series"),
        ({"share": "client", "throughput": 1.0}, "clients"),
        ({"throughput": 1.0}, "runs"),
    ],
)
def test_a_dataset_is_known_by_its_names(names: dict[str, Any], kind: str) -> None:
    assert repr(node([names]).storage).startswith(f"test-2026, {kind}\n")


def test_a_folder_of_logs_shows_what_it_is() -> None:
    folder = ROOT / "raw/loopback-2026/fileop/xfs"
    text = shown(open_logs(folder))
    count = len(list(folder.iterdir()))
    assert text.startswith(f"logs without a study\n  origin: measured\n  logs: {count}, ")
    assert f"tools: fileop ({count})" in text

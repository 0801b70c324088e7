"""From raw logs and sidecars to a study: the joins, against numbers read off the logs by eye."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from storagelab import dataset
from storagelab.errors import IncompleteLogError, ParseError, SidecarError
from storagelab.ingest import incomplete, ingest, problems, read_log, tidy
from tests.conftest import LOGS, ROOT
from tests.studies import cut_out, measured

TWO_CLIENTS = ("dist_external_02_write_r1", "dist_external_02_skim_r1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cut_out(
        "cluster-2026", lambda row: row["run_id"] in TWO_CLIENTS, tmp_path_factory.mktemp("raw") / "cluster-2026"
    )


@pytest.fixture(scope="module")
def study(folder: Path) -> xr.DataTree:
    return ingest(folder)


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "cluster-2026"))


def values(study: xr.DataTree, node: str, variable: str, **keys: object) -> list[float]:
    return [float(value) for value in dataset.select(study[node].to_dataset(), **keys)[variable].values]


def test_a_run_is_a_row_an_operation_and_its_throughput_the_sum_of_its_clients(study: xr.DataTree) -> None:
    shares = values(study, "clients", "throughput", operation="write")
    assert shares == [
        pytest.approx(22944.63 * 1024),
        pytest.approx(values(study, "clients", "throughput", operation="write", client="cli2")[0]),
    ]
    (total,) = values(study, "runs", "throughput", operation="write")
    assert total == pytest.approx(sum(shares))


def test_a_snapshot_beside_the_logs_doubles_nothing_and_is_told(copy: Path, study: xr.DataTree) -> None:
    shutil.copytree(copy, copy.parent / "aside")
    (copy.parent / "aside").rename(copy / ".snapshot")
    found = ingest(copy)
    assert {name: node.sizes for name, node in found.children.items()} == {
        name: node.sizes for name, node in study.children.items()
    }
    assert incomplete(found)[-1] == ".snapshot/ is hidden: nothing in it is a log of the study"


def test_bytes_of_all_clients_add_up(study: xr.DataTree) -> None:
    assert values(study, "runs", "data_size", operation="write") == [2 * 24 * 2**20]
    assert values(study, "runs", "data_size", operation="read") == [2 * 12 * 2**20]


def test_counters_belong_to_the_run_and_span_its_operations(study: xr.DataTree) -> None:
    (sent,) = values(study, "runs", "network_sent", operation="transmit", run_id=TWO_CLIENTS[0])
    asked = values(study, "runs", "data_size", operation="write") + values(
        study, "runs", "data_size", operation="rewrite"
    )
    assert 1.0 < sent / sum(asked) < 1.2


def test_only_fio_gives_start_and_end(study: xr.DataTree) -> None:
    runs = study["runs"].to_dataset()
    has_span = np.isfinite(runs.throughput_span.values)
    assert set(runs.tool.values[has_span]) == {"fio"}
    assert (runs.throughput_span.values[has_span] <= runs.throughput.values[has_span]).all()


def test_a_value_leads_back_to_its_line(study: xr.DataTree) -> None:
    clients, logs = study["clients"].to_dataset(), study["logs"].to_dataset()
    for row in range(clients.sizes["obs"]):
        log = str(logs.log.values[int(clients.log_id.values[row])])
        line = (ROOT / "raw" / "cluster-2026" / log).read_text().split("\n")[int(clients.line.values[row]) - 1]
        assert any(character.isdigit() for character in line)


def test_every_log_has_its_row_with_its_role(study: xr.DataTree, folder: Path) -> None:
    logs = study["logs"].to_dataset()
    assert sorted(logs.log.values) == sorted(str(p.relative_to(folder)) for p in folder.rglob("cli*"))
    assert set(logs.role.values) == {"benchmark", "netdev_before", "netdev_after"}
    assert logs.complete.values.all()


def test_the_root_keeps_what_the_sidecar_says(study: xr.DataTree) -> None:
    about = dataset.about(study)
    assert about["testbed"]["servers"] == 3
    assert about["origin"] == "measured"
    assert {"name", "where", "factors"} == set(about["design"][0])


def test_a_sidecar_that_contradicts_its_log_is_an_error(copy: Path) -> None:
    (copy / "study.yaml").write_text((copy / "study.yaml").read_text() + "  record_size: 4096\n")
    with pytest.raises(SidecarError, match=r"gluster/dist/\S+:\d+: record_size is 4096 here, but the log says "):
        ingest(copy)


def test_all_that_is_wrong_is_told_at_once(copy: Path) -> None:
    logs = sorted(copy.rglob("*.log"))
    logs[0].write_text("nothing that any tool prints")
    logs[1].unlink()
    (copy / "stray.txt").write_text("?")
    told = "\n".join(map(str, problems(copy)))
    assert "expected a log of one of" in told
    assert "no such log" in told
    assert "stray.txt: no row of runs.csv and no rule of study.yaml covers it" in told


def test_an_incomplete_log_is_told_and_used(copy: Path) -> None:
    log = next(copy.rglob("*write_r1/cli1.iozone.log"))
    log.write_text(log.read_text().replace("iozone test complete.", ""))
    told = problems(copy)
    assert [type(problem) for problem in told] == [IncompleteLogError]
    study = ingest(copy)
    assert [str(problem) for problem in incomplete(study)] == [str(problem) for problem in told]
    assert str(told[0]).startswith("gluster/dist/dist_external_02_write_r1/cli1.iozone.log: incomplete: ")
    assert len(values(study, "clients", "throughput", operation="write")) == 2


def test_a_log_that_cannot_be_read_lends_its_name_to_no_other_log_of_its_run(copy: Path) -> None:
    one, two = sorted(copy.rglob("*write_r1/cli*.iozone.log"))
    one.write_text("nothing that any tool prints")
    two.write_text(two.read_text().replace("iozone test complete.", ""))
    unreadable, cut = map(str, problems(copy))
    assert f"{one.parent.name}/{one.name}" in unreadable
    assert f"{two.parent.name}/{two.name}: incomplete: " in cut


def test_a_pair_of_counters_needs_both(copy: Path) -> None:
    lost = next(copy.rglob("*netdev_before.txt"))
    lost.unlink()
    table = copy / "runs.csv"
    table.write_text(
        "".join(
            line
            for line in table.read_text().splitlines(keepends=True)
            if lost.name not in line or "write" not in line or lost.parent.name not in line
        )
    )
    with pytest.raises(SidecarError, match="the other reading of the pair before and after is missing"):
        ingest(copy)


def test_progress_is_reported_to_the_end(folder: Path) -> None:
    told: list[tuple[int, int]] = []
    ingest(folder, lambda done, total: told.append((done, total)))
    assert told[-1] == (12, 12)


def test_logs_without_a_sidecar_make_a_study_too(folder: Path) -> None:
    logs = [read_log(path, name=path.name) for path in sorted(folder.rglob("*.iozone.log"))]
    study = tidy(logs)
    runs = study["runs"].to_dataset()
    assert set(runs.operation.values) == {"write", "rewrite"}
    assert set(runs.run_id.values) == {"cli1.iozone", "cli2.iozone"}


@pytest.mark.parametrize("name", ["auto_mmap_3.471.txt", "auto_i0_i2_i5_i7_shifted_3.508.txt"])
def test_columns_of_a_log_make_the_same_study_as_its_rows(name: str) -> None:
    log, same = read_log(LOGS / "iozone" / name), read_log(LOGS / "iozone" / name)
    assert any(isinstance(part, dict) for part in log.parsed.runs.parts)  # type: ignore[union-attr]
    same.parsed.runs = list(same.parsed.runs)
    assert tidy([log]).identical(tidy([same]))


def test_a_file_that_is_no_log_names_itself(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text("hello")
    with pytest.raises(ParseError, match=r"x\.log:1: expected a log of one of .*, found 'hello'"):
        read_log(tmp_path / "x.log")


def test_runs_know_their_order_and_their_day(study: xr.DataTree) -> None:
    runs = study["runs"].to_dataset()
    order = {str(run): float(place) for run, place in zip(runs["run_id"].values, runs["order"].values, strict=True)}
    assert order == {TWO_CLIENTS[0]: 1, TWO_CLIENTS[1]: 2}
    assert set(runs["day"].values) == {1}
    assert set(study["clients"].to_dataset()["order"].values) == {1, 2}
    assert set(runs["round"].values) == {1}


@pytest.mark.slow
def test_a_run_of_which_only_its_rows_say_when_it_began_has_a_day_beside_others() -> None:
    logs = [LOGS / "ior" / "4.1.0dev_file_per_process_8_tasks.txt", LOGS / "fio_json" / "multi-3.39.json"]
    runs = dataset.frame(tidy(map(read_log, logs))["runs"].to_dataset())
    known = runs.groupby("tool")[["day", "order"]].agg(lambda values: values.notna().all())
    assert known.T.to_dict() == {"fio": {"day": True, "order": False}, "ior": {"day": True, "order": True}}


def test_blocks_that_are_numbered_anew_in_each_repeat_are_told_apart() -> None:
    runs = measured("loopback-2026")["runs"].to_dataset()
    assert (runs["block"].values // 1000 == runs["repeat"].values).all()
    assert sorted(set(runs["round"].values)) == [1, 2, 3]

"""The processes of the fuzzer: what goes beyond its bounds is a fault with its number, and hides no other number."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.fuzz import workers
from tests.fuzz.workers import Fault, Share, bounded, shares


def disturbing(seed: int) -> list[str]:
    """What goes wrong with a number: nothing, but for a few."""
    if seed == 2:
        return ["wrong"]
    while seed == 3:
        time.process_time()
    if seed == 4:
        return [str(len(bytearray(10**10)))]
    if seed == 5:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPROF})  # as in code of C that no alarm reaches
    while seed == 5:
        time.process_time()
    if seed == 6:
        os._exit(7)
    return []


SAID = {
    2: "wrong",
    3: "took more than 0.2 s of CPU",
    4: "took more than 200 MB",
    5: "ended the process: SIGXCPU",
    6: "ended the process: status 1792",
}


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_every_number_is_tried_whatever_becomes_of_the_others(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LATER", 1)
    monkeypatch.setattr(bounded, "__defaults__", (0.2, 200))
    found = list(shares(disturbing, iter([range(5), range(5, 9), range(9, 12)]), jobs))
    assert dict(fault for share in found for fault in share.faults) == SAID
    assert sorted(seed for share in found for seed in range(share.start, share.end)) == [*range(12)]


def test_a_number_within_its_bounds_leaves_them_as_they_were() -> None:
    limits = [resource.getrlimit(which) for which in (resource.RLIMIT_AS, resource.RLIMIT_CPU)]
    assert bounded(lambda seed: [str(seed)], 17) == ["17"]
    assert bounded(disturbing, 4) == ["took more than 200 MB"]
    after = [resource.getrlimit(which) for which in (resource.RLIMIT_AS, resource.RLIMIT_CPU)]
    assert after == limits
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


def fuzz(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    status, said = fuzz("--cuts", "--count", "20", "--jobs", "1", "--kept", str(kept))
    assert (status, "cuts 0 to 19: 20 tried, 20 of them now" in said) == (0, True)
    status, said = fuzz("--cuts", "--count", "30", "--jobs", "1", "--kept", str(kept))
    assert (status, "cuts 0 to 29: 30 tried, 10 of them now" in said) == (0, True)
    assert len(kept.read_text().splitlines()) == 3
    kept.write_text('["cuts", "other code"]\n')
    status, said = fuzz("--cuts", "--count", "30", "--kept", str(kept))
    assert status == 1
    assert "kept.jsonl: expected cuts of this code and these fixtures, found others: name another file" in said


def test_a_share_is_a_line_and_comes_back(tmp_path: Path) -> None:
    from tests.fuzz.__main__ import Kept

    path = tmp_path / "kept.jsonl"
    Kept(path, "cuts").add(Share(0, 500, [Fault(17, "wrong")]))
    again = Kept(path, "cuts")
    assert again.shares == [Share(0, 500, [Fault(17, "wrong")])]
    assert again.done() == {*range(500)}

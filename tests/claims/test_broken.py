"""Claims of the published studies broken on purpose: another number, log or tolerance, and another verdict."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from storagelab.claims.claims_yaml_entries import Slack
from storagelab.reconstruct.log import Log
from storagelab.study.amount import amount
from tests.published import ingested, rendered, reprinted, tree, verdict, with_text

SUPPORTED, NOT_SUPPORTED = "supported", "not supported"

STATED: Mapping[str, tuple[str, dict[str, object]]] = {
    "fermi-n21-similar": ("fermicloud-2011", {"tolerance": Slack(relative=0.005)}),
    "fermi-fair-completion": ("fermicloud-2011", {"stated": "1.375"}),
    "fermi-readahead-lustre": ("fermicloud-2011", {"stated": "50 %"}),
    "fermi-stripe-stability": ("fermicloud-2011", {"operator": ">"}),
    "bnl-ganglia-swap": ("bnl-2007", {"stated": "13428168 KiB"}),
    "llnl-tiers": ("llnl-2010", {"stated": "1"}),
    "llnl-md-dir-remove": ("llnl-2010", {"stated": "13"}),
    "uscms-speed-26": ("uscms-2009", {"stated": "3.0"}),
    "uscms-wan-saturates": ("uscms-2009", {"tolerance": Slack(relative=0.01)}),
    "cern-cpu-100": ("cern-kinetic-2015", {"stated": "94.5 %", "tolerance": Slack(exact=True)}),
    "cern-ec-10-2": ("cern-kinetic-2015", {"stated": "12.5 %", "stated_value": ""}),
    "cern-write-1ge-plateau": ("cern-kinetic-2015", {"until": "91 MB/s", "tolerance": Slack(exact=True)}),
}
"""Claim -> what it states instead, amounts as text."""


@pytest.mark.slow
@pytest.mark.parametrize("claim", STATED)
def test_another_statement_or_tolerance(claim: str) -> None:
    study, changed = STATED[claim]
    said = {name: amount(str(to)) if name in ("stated", "until") else to for name, to in changed.items()}
    assert verdict(study, tree(study), claim) == SUPPORTED
    assert verdict(study, tree(study), claim, **said) == NOT_SUPPORTED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("study", "values", "claims"),
    [
        (
            "fermicloud-2011", {"vi_write": "95", "completion_last": "1.90"},
            ["fermi-vi-write", "fermi-fair-completion"],
        ),
        ("bnl-2007", {"test1_rate": "320"}, ["bnl-test1"]),
        ("llnl-2010", {"ssf_read": "1700"}, ["llnl-ssf-read"]),
        ("uscms-2009", {"speedup_max": "2.0"}, ["uscms-speed-26"]),
        ("cern-kinetic-2015", {"cpu_low": "80", "cpu_high": "85"}, ["cern-cpu-100"]),
    ],
)  # fmt: skip
def test_another_printed_number(study: str, values: dict[str, str], claims: list[str], tmp_path: Path) -> None:
    """What is printed goes into the logs, and comes out of them into the verdict on what the claim states."""
    data = ingested(study, reprinted(study, **values), tmp_path)
    assert {claim: verdict(study, data, claim) for claim in claims} == dict.fromkeys(claims, NOT_SUPPORTED)


def swapped(study: str, one: str, other: str) -> list[Log]:
    """Give each log the text of the log that is named after the other one."""
    texts = {log.path: log.text for log in rendered(study)}
    mark = re.compile(f"({one}|{other})")
    return [
        Log(log.path, texts.get(mark.sub(lambda m: other if m[0] == one else one, log.path), log.text), log.keys)
        for log in rendered(study)
    ]


def slower(text: str) -> str:
    """dccp that took twice as long."""
    return re.sub(
        r"in (\d+) seconds \(([\d.]+) KB",
        lambda found: f"in {2 * int(found[1])} seconds ({float(found[2]) / 2:.2f} KB",
        text,
    )


@pytest.mark.slow
def test_other_logs(tmp_path: Path) -> None:
    logs = {
        ("bnl-2007", "bnl-ext3-abysmal"): swapped("bnl-2007", "iozone/ext3", "iozone/xfs"),
        ("bnl-2007", "bnl-fileop-zfs-wins"): swapped("bnl-2007", "fileop/zfs", "fileop/xfs"),
        ("llnl-2010", "llnl-md-dir-remove"): swapped("llnl-2010", "gpfs", "lustre"),
        ("uscms-2009", "uscms-pool-130"): with_text(
            rendered("uscms-2009"), lambda path: path.startswith("pool/"), slower
        ),
    }
    for (study, claim), changed in logs.items():
        assert verdict(study, tree(study), claim) == SUPPORTED
        assert verdict(study, ingested(study, changed, tmp_path / claim), claim) == NOT_SUPPORTED, claim

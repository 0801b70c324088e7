"""A paper of five numbers, with the logs that it would have: bare metal and virtual servers, read and written."""

from __future__ import annotations

from pathlib import Path

import xarray as xr

from storagelab import dataset
from storagelab.claims.record import Record
from tests.analysis.tables import node, repeats

RATES = {
    ("bare-metal", "read"): (349e6, 350e6, 351e6),
    ("bare-metal", "write"): (249e6, 250e6, 251e6),
    ("virtual", "read"): (348e6, 350e6, 352e6),
    ("virtual", "write"): (69e6, 70e6, 71e6),
}

PUBLISHED = """\
values:
  bm_read:
    {what: reads of bare metal, value: "350", unit: MB/s, section: "3", about: true,
     quantity: {where: {server_mode: bare-metal, operation: read},
                steps: [{summarise: {variable: throughput, by: []}}], take: throughput}}
  bm_write:
    {what: writes of bare metal, value: "250", error: "0.6", unit: MB/s, section: "3",
     quantity: {where: {server_mode: bare-metal, operation: write},
                steps: [{summarise: {variable: throughput, by: []}}], take: throughput}}
  vi_write:
    {what: writes of virtual servers, value: "70", unit: MB/s, section: "3",
     quantity: {where: {server_mode: virtual, operation: write},
                steps: [{summarise: {variable: throughput, by: []}}], take: throughput}}
  servers: {what: servers, value: "3", section: "2", setting: server.count}
  said: {what: how many times slower they write, value: "4", section: "3", quantity: {expression: bm_write / vi_write}}
  concluded: {what: the same in the conclusions, value: "3", section: "7", context: the rates give another quotient}
  planned: {what: clients that are planned, value: "5000", section: "7", context: they were never there}
"""

TESTBED = """\
parts:
  server: {count: 3, link: 1 Gbit/s}
paths:
  read: [{stage: links, each: server.link, count: server.count}]
model:
  noise: {value: 1 %, why: it is not printed}
"""

CLAIMS = """\
claims:
- {id: read, role: result, statement: Bare metal reads at 350 MB/s., quantity: bm_read, operator: approx,
   stated: 350 MB/s, tolerance: {relative: 0.07, source: a plot, reason: it is read off}, figures: [fig1]}
- id: same
  role: result
  statement: Virtual servers read as fast.
  quantity:
    where: {operation: read}
    steps: [{compare: {variable: throughput, factor: server_mode, base: bare-metal, other: virtual, by: []}}]
    take: ratio
  operator: equivalent
  stated: "1"
  tolerance: alike-10
  measured:
  - study: cluster-2026
    distance: same mechanism
    quantity:
      where: {server_mode: virtual, operation: read}
      steps: [{summarise: {variable: throughput, by: []}}]
      take: throughput
    operator: ">="
    stated: 10 MB/s
    tolerance: border
    because: rates of reads are held against a floor
  - {study: cluster-2026, comparable: false, because: nothing was virtual}
- {id: four, role: result, statement: Virtual servers write four times slower., operator: approx, stated: "4",
   quantity: {expression: bm_write / vi_write}, tolerance: {relative: 0.05, source: ours, reason: strict},
   stated_value: said, contradicts: [three]}
- {id: three, role: result, statement: Virtual servers write three times slower., operator: approx, stated: "3",
   quantity: {expression: bm_write / vi_write}, tolerance: {relative: 0.05, source: ours, reason: strict},
   stated_value: concluded}
- {id: links, role: nominal, statement: The links carry 375 MB/s., operator: "==", stated: 375 MB/s,
   quantity: {expression: server.link * server.count}, tolerance: exact}
- {id: fastest, role: result, statement: Reads of bare metal come out on top., operator: argmax, level: bare-metal,
   quantity: {where: {server_mode: bare-metal, operation: read},
              steps: [{summarise: {variable: throughput, by: [server_mode]}}], take: server_mode},
   tolerance: exact}
- {id: opinion, role: assertion, statement: It is easy to run., testable: false, because: no number decides}
- {id: silent, role: result, statement: Opens take 3 ms., operator: approx, stated: 3 ms, tolerance: about}
"""

CHECKS = """\
checks:
- {id: k1, expression: bm_write / vi_write, result: "3.571", meaning: how much slower, verdict: neither 3 nor 4}
- {id: k2, expression: bm_write_error / bm_write, result: "0.0024", meaning: relative error}
- {id: k3, expression: planned / 2, result: "2500", meaning: half of what is planned}
groups:
- {id: g1, claims: [four, three], checks: [k1], verdict: rounding_differs, why: both round}
inconsistencies:
- {id: x1, severity: high, statement: Three or four times., claims: [four, three], checks: [k1],
   misfits: {concluded: bm_write / vi_write}, handling: print 3.57}
"""

FIGURES = """\
figures:
- {id: fig1, number: Fig. 1, origin: document, status: captioned, shows: rates, drawn: [rates], claims: [read, same]}
- {id: fig2, number: Fig. 2, origin: document, status: number_gap, shows: unknown, absent: the number is skipped}
"""

FILES = {
    "published.yaml": PUBLISHED, "testbed.yaml": TESTBED, "claims.yaml": CLAIMS, "checks.yaml": CHECKS,
    "figures.yaml": FIGURES,
}  # fmt: skip


def write(folder: Path, **changed: tuple[str, str]) -> Path:
    """Write the sidecars; ``claims=("old", "new")`` replaces text in claims.yaml."""
    folder.mkdir(exist_ok=True)
    for name, text in FILES.items():
        old, new = changed.get(name.removesuffix(".yaml"), ("", ""))
        assert old in text
        (folder / name).write_text(text.replace(old, new) if old else text)
    return folder


def logs(origin: str = "reconstructed", basis: str = "published", **factors: float) -> xr.DataTree:
    """The dataset of the study; ``virtual_write=2`` doubles those rates."""
    rows = []
    for (mode, operation), values in RATES.items():
        factor = factors.get(f"{mode.replace('-', '_')}_{operation}", 1.0)
        keys = {"server_mode": mode, "operation": operation, "filesystem": "lustre", "clients": 3.0}
        keys |= {"basis": basis} if origin == "reconstructed" else {}
        rows += repeats([value * factor for value in values], **keys)
    return dataset.tree({"runs": node(rows, origin)}, {"title": "tiny"})


def row(record: Record, claim: str) -> dict[str, object]:
    return next(dict(row) for row in record.ledger if row["claim"] == claim)

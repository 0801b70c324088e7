"""Which analysis answers which question that storage studies ask: the metrics of the field, by id.

The ids are those by which claims, figures and documentation refer to a metric; `docs/metrics.md` is made from this.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """A question, and the public functions of `storagelab.analysis` that answer it."""

    id: str
    title: str
    functions: tuple[str, ...] = ()


METRICS: tuple[Metric, ...] = (
    Metric("A1", "bandwidth from counters", ("counter_rates",)),
    Metric("A2", "mean and standard error"),
    Metric("A3", "unit of repetition"),
    Metric("A4", "aggregate, three ways", ("aggregates",)),
    Metric("A5", "aggregate to per client"),
    Metric("A6", "best of N and mean"),
    Metric("A7", "repetitions of one point", ("summarise",)),
    Metric("A8", "units"),
    Metric("B1", "compatibility"),
    Metric("B2", "equivalence", ("compare",)),
    Metric("B3", "ratio with error", ("compare",)),
    Metric("B4", "N times slower"),
    Metric("B5", "maximum of a ratio over a scan"),
    Metric("B6", "ordering and winners", ("winners",)),
    Metric("B7", "many tests at once", ("compare", "winners")),
    Metric("B8", "systematic shift of a series"),
    Metric("B9", "factorial effect"),
    Metric("C1", "scaling curve"),
    Metric("C2", "plateau and knee"),
    Metric("C3", "half-peak point", ("onsets",)),
    Metric("C4", "peak position and tail-off"),
    Metric("C5", "crossover"),
    Metric("C6", "dip"),
    Metric("C7", "saturation"),
    Metric("C8", "bottleneck", ("bounds", "behind_gateway")),
    Metric("C9", "bandwidth-delay product"),
    Metric("C10", "demand against capacity"),
    Metric("D1", "Jain's index", ("fairness",)),
    Metric("D2", "half range", ("fairness",)),
    Metric("D3", "completion spread"),
    Metric("D4", "flatness"),
    Metric("D5", "coefficient of variation", ("fairness",)),
    Metric("D6", "two host groups"),
    Metric("D7", "time against bandwidth"),
    Metric("D8", "series stability"),
    Metric("E1", "read amplification", ("amplification",)),
    Metric("E2", "useful bandwidth"),
    Metric("E3", "block amplification"),
    Metric("E4", "CPU efficiency", ("on_cpu",)),
    Metric("E5", "erasure-code overhead"),
    Metric("E6", "replication overhead"),
    Metric("E7", "memory-bound clients"),
    Metric("E8", "RAID capacity"),
    Metric("E9", "disks per unit of bandwidth"),
    Metric("E10", "phase split of job time", ("phases",)),
    Metric("E11", "speed-up in job time"),
    Metric("F1", "cache flag", ("mark_cached",)),
    Metric("F2", "change point"),
    Metric("F3", "above nominal"),
    Metric("F4", "origin of access"),
    Metric("F5", "tool agreement"),
    Metric("F6", "robustness"),
    Metric("G1", "segment of a test", ("plateaus",)),
    Metric("G2", "date of a snapshot"),
    Metric("G3", "volume check", ("volume_check",)),
    Metric("G4", "fail-over timeline", ("failover",)),
    Metric("G5", "memory release"),
    Metric("G6", "log classes", ("message_classes",)),
    Metric("H1", "the quantity of a claim, with its error", ("claim_quantity",)),
    Metric("H2", "operator and tolerance of a claim", ("verdicts",)),
    Metric("H3", "claims that cannot both hold", ("verdicts",)),
    Metric("H4", "claims without data", ("verdicts",)),
    Metric("H5", "claims on reconstructed data", ("verdicts",)),
)

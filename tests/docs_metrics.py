"""Which analysis answers which question that storage studies ask; ``python -m tests.docs_metrics`` writes the page.

The ids are those by which claims, figures and documentation refer to a metric.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from storagelab import analysis
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "metrics.md"
START, END = "<!-- metrics -->\n", "\n<!-- /metrics -->"


@dataclass(frozen=True, slots=True)
class Metric:
    """A question, and the public functions of `storagelab.analysis` that answer it."""

    id: str
    title: str
    functions: tuple[str, ...] = ()


METRICS: tuple[Metric, ...] = (
    Metric("A1", "bandwidth from counters", ("counter_rates",)),
    Metric("A2", "mean and standard error", ("summarise",)),
    Metric("A3", "unit of repetition", ("repetition_units",)),
    Metric("A4", "aggregate, three ways", ("aggregates",)),
    Metric("A5", "aggregate to per client", ("per_client",)),
    Metric("A6", "best of N and mean", ("best_of",)),
    Metric("A7", "repetitions of one point", ("summarise",)),
    Metric("A8", "units", ("unit_readings",)),
    Metric("B1", "compatibility", ("compatibility",)),
    Metric("B2", "equivalence", ("compare", "compare_given", "mean_ratios")),
    Metric("B3", "ratio with error", ("compare", "compare_given", "mean_ratios", "pooled_ratios")),
    Metric("B4", "N times slower", ("both_directions", "times_slower")),
    Metric("B5", "maximum of a ratio over a scan", ("largest_ratio",)),
    Metric("B6", "ordering and winners", ("compare", "winners")),
    Metric("B7", "many tests at once", ("compare", "winners")),
    Metric("B8", "systematic shift of a series", ("compare_series", "series_offsets")),
    Metric("B9", "factorial effect", ("factorial_effects",)),
    Metric("C1", "scaling curve", ("scaling_curve",)),
    Metric("C2", "plateau and knee", ("scaling_fits", "fitted_curves")),
    Metric("C3", "half-peak point", ("half_peaks", "onsets")),
    Metric("C4", "peak position and tail-off", ("peaks", "tail_off")),
    Metric("C5", "crossover", ("crossovers",)),
    Metric("C6", "dip", ("regressions",)),
    Metric("C7", "saturation", ("saturation",)),
    Metric("C8", "bottleneck", ("bottlenecks", "stage_table", "bounds", "behind_gateway")),
    Metric("C9", "bandwidth-delay product", ("bandwidth_delay", "serialisation_delays")),
    Metric("C10", "demand against capacity", ("demand",)),
    Metric("D1", "Jain's index", ("fairness", "fairness_over_runs")),
    Metric("D2", "half range", ("fairness", "fairness_over_runs")),
    Metric("D3", "completion spread", ("completion_spread", "completion_factors", "fairness")),
    Metric("D4", "flatness", ("flatness",)),
    Metric("D5", "coefficient of variation", ("fairness", "compare_evenness")),
    Metric("D6", "two host groups", ("group_differences",)),
    Metric("D7", "time against bandwidth", ("time_against_bandwidth",)),
    Metric("D8", "series stability", ("stability",)),
    Metric("E1", "read amplification", ("amplification", "traffic", "over_the_link", "file_shares")),
    Metric("E2", "useful bandwidth", ("useful_throughput",)),
    Metric("E3", "block amplification", ("block_amplification", "blocks_touched")),
    Metric("E4", "CPU efficiency", ("cpu_efficiency", "on_cpu", "share_changes")),
    Metric("E5", "erasure-code overhead", ("redundancy", "losses_survived")),
    Metric("E6", "replication overhead", ("redundancy", "bounds")),
    Metric("E7", "memory-bound clients", ("clients_in_memory",)),
    Metric("E8", "RAID capacity", ("raid_capacity", "raid_layouts")),
    Metric("E9", "disks per unit of bandwidth", ("tiers_needed",)),
    Metric("E10", "phase split of job time", ("phases", "remaining_phase", "phase_shares")),
    Metric("E11", "speed-up in job time", ("jobs", "job_rates", "compare")),
    Metric("F1", "cache flag", ("mark_cached",)),
    Metric("F2", "change point", ("change_points",)),
    Metric("F3", "above nominal", ("above_nominal", "factor_suspects", "faster_than_links")),
    Metric("F4", "origin of access", ("mark_own_access", "compare")),
    Metric("F5", "tool agreement", ("tool_agreement",)),
    Metric("F6", "robustness", ("robustness",)),
    Metric("G1", "segment of a test", ("plateaus", "change_segments", "both_ways")),
    Metric("G2", "date of a snapshot", ("snapshot_dates",)),
    Metric("G3", "volume check", ("volume_check",)),
    Metric("G4", "fail-over timeline", ("failover", "failed_runs")),
    Metric("G5", "memory release", ("memory_release",)),
    Metric("G6", "log classes", ("message_classes",)),
    Metric("H1", "the quantity of a claim, with its error", ("claim_quantity",)),
    Metric("H2", "operator and tolerance of a claim", ("verdicts",)),
    Metric("H3", "claims that cannot both hold", ("verdicts",)),
    Metric("H4", "claims without data", ("verdicts",)),
    Metric("H5", "claims on reconstructed data", ("verdicts",)),
    Metric("I1", "runs that a campaign needs", ("plan_repeats",)),
    Metric("I2", "order of runs", ("interleaved_plan", "check_order")),
    Metric("I3", "when to stop", ("enough_runs",)),
    Metric("J1", "shape of noise", ("noise_shape", "below_limit")),
    Metric("J2", "quantiles of two sides", ("quantile_ratios", "shift_functions")),
)


def answer(name: str) -> str:
    """Function and the first line of its documentation."""
    return f"`{name}`: {(inspect.getdoc(getattr(analysis, name)) or '').splitlines()[0].replace('|', chr(92) + '|')}"


def line(metric: Metric) -> str:
    """One line of the table."""
    return f"| {metric.id} | {metric.title} | {'<br>'.join(answer(name) for name in metric.functions)} |"


def table() -> str:
    """Lay all metrics out."""
    return "\n".join(["| id | question | functions of `storagelab.analysis` |", "|---|---|---|", *map(line, METRICS)])


def main() -> None:
    """Put the table into the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    PAGE.write_text(f"{before}{START}{table()}{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()

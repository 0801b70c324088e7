"""Statistics from a labelled dataset to a labelled dataset, each with the dimension obs.

`storagelab.analysis.columns` says what the columns of a result are called. Every result carries the origin and the
study of its data, a unit on every number, and in ``attrs["method"]`` how it was made.
"""

from storagelab.analysis.aggregation.aggregates import aggregates
from storagelab.analysis.aggregation.counter_series import counter_rates
from storagelab.analysis.aggregation.printed import over_real_time
from storagelab.analysis.aggregation.slowest import placings, until_slowest
from storagelab.analysis.aggregation.stonewall import stonewall
from storagelab.analysis.comparison.comparison import compare
from storagelab.analysis.comparison.differences import differences
from storagelab.analysis.comparison.pairs import pair_ratios, pooled_ratios
from storagelab.analysis.comparison.winners import winners
from storagelab.analysis.efficiency.healing import sent_over_payload
from storagelab.analysis.efficiency.jobs import jobs, of_entries_read, on_cpu, parts_read, phases
from storagelab.analysis.efficiency.latency import completion_over_submission
from storagelab.analysis.efficiency.network import amplification
from storagelab.analysis.efficiency.traffic import over_the_link, traffic
from storagelab.analysis.fairness.fairness import client_values, fairness, fairness_of
from storagelab.analysis.joining import cases, regimes, together, with_keys_of
from storagelab.analysis.logs import of_logs
from storagelab.analysis.lookup import extreme, leaders, middle, tally
from storagelab.analysis.repeats.campaign import runs_of_plan, wide
from storagelab.analysis.repeats.design import design_counts
from storagelab.analysis.repeats.percentiles import percentiles
from storagelab.analysis.repeats.repeatability import drift, run_spread
from storagelab.analysis.repeats.summary import summarise
from storagelab.analysis.runs import run_values
from storagelab.analysis.scaling.bounds import bounds, faster_than_links
from storagelab.analysis.scaling.capacity import demand, saturation
from storagelab.analysis.scaling.crossover import crossovers
from storagelab.analysis.scaling.curve import dips, scaling_curve
from storagelab.analysis.scaling.fits import fitted_curves, scaling_fits
from storagelab.analysis.scaling.gateway import behind_gateway
from storagelab.analysis.scaling.half_peak import half_peaks
from storagelab.analysis.scaling.onset import marginal_rates, onsets
from storagelab.analysis.scaling.peak import peaks, tail_off
from storagelab.analysis.scaling.stages import bottlenecks, stage_table
from storagelab.analysis.scaling.straight import over_straight_line
from storagelab.analysis.scaling.window import bandwidth_delay
from storagelab.analysis.series.failed_runs import failed_runs
from storagelab.analysis.series.failover import Thresholds, failover
from storagelab.analysis.series.legibility import message_classes, with_phase
from storagelab.analysis.series.plateaus import plateaus
from storagelab.analysis.series.stamps import centred
from storagelab.analysis.series.volume import volume_check
from storagelab.analysis.statements import expect, set_apart, stated, verdict
from storagelab.analysis.validity.caching import mark_cached, working_sets
from storagelab.analysis.verdicts.claim import Claim, Tolerance, accepted
from storagelab.analysis.verdicts.quantity import claim_quantity
from storagelab.analysis.verdicts.verdicts import verdicts

__all__ = [
    "Claim",
    "Thresholds",
    "Tolerance",
    "accepted",
    "aggregates",
    "amplification",
    "bandwidth_delay",
    "behind_gateway",
    "bottlenecks",
    "bounds",
    "cases",
    "centred",
    "claim_quantity",
    "client_values",
    "compare",
    "completion_over_submission",
    "counter_rates",
    "crossovers",
    "demand",
    "design_counts",
    "differences",
    "dips",
    "drift",
    "expect",
    "extreme",
    "failed_runs",
    "failover",
    "fairness",
    "fairness_of",
    "faster_than_links",
    "fitted_curves",
    "half_peaks",
    "jobs",
    "leaders",
    "marginal_rates",
    "mark_cached",
    "message_classes",
    "middle",
    "of_entries_read",
    "of_logs",
    "on_cpu",
    "onsets",
    "over_real_time",
    "over_straight_line",
    "over_the_link",
    "pair_ratios",
    "parts_read",
    "peaks",
    "percentiles",
    "phases",
    "placings",
    "plateaus",
    "pooled_ratios",
    "regimes",
    "run_spread",
    "run_values",
    "runs_of_plan",
    "saturation",
    "scaling_curve",
    "scaling_fits",
    "sent_over_payload",
    "set_apart",
    "stage_table",
    "stated",
    "stonewall",
    "summarise",
    "tail_off",
    "tally",
    "together",
    "traffic",
    "until_slowest",
    "verdict",
    "verdicts",
    "volume_check",
    "wide",
    "winners",
    "with_keys_of",
    "with_phase",
    "working_sets",
]

"""Statistics from a labelled dataset to a labelled dataset, each with the dimension obs.

`storagelab.analysis.columns` says what the columns of a result are called. Every result carries the origin and the
study of its data, a unit on every number, and in ``attrs["method"]`` how it was made.
"""

from typing import Any

from storagelab import deprecated, optional_packages

optional_packages.require("analysis", "storagelab.analysis")

from storagelab.analysis.aggregation.counter_series import counter_rates
from storagelab.analysis.aggregation.per_client import per_client
from storagelab.analysis.aggregation.printed import over_real_time
from storagelab.analysis.aggregation.slowest import rank_counts, until_slowest
from storagelab.analysis.aggregation.stonewall import stonewall
from storagelab.analysis.aggregation.sums_over_clients import aggregates
from storagelab.analysis.arguments import check_all
from storagelab.analysis.comparison.absolute_differences import differences
from storagelab.analysis.comparison.campaigns import compare_campaigns
from storagelab.analysis.comparison.comparison import compare
from storagelab.analysis.comparison.compatibility import compatibility
from storagelab.analysis.comparison.directions import both_directions, times_slower
from storagelab.analysis.comparison.factorial import factorial_effects
from storagelab.analysis.comparison.largest_ratio import largest_ratio
from storagelab.analysis.comparison.means import compare_given, mean_ratios
from storagelab.analysis.comparison.pairs import pair_ratios, pooled_ratios
from storagelab.analysis.comparison.quantile_ratios import quantile_ratios, shift_functions
from storagelab.analysis.comparison.shifted_series import compare_series, series_offsets
from storagelab.analysis.comparison.winners import winners
from storagelab.analysis.efficiency.cpu import cpu_efficiency, share_changes
from storagelab.analysis.efficiency.healing import sent_over_payload
from storagelab.analysis.efficiency.jobs import jobs, of_entries_read, on_cpu, parts_read, phases
from storagelab.analysis.efficiency.latency import completion_over_submission
from storagelab.analysis.efficiency.lost_fragments import losses_survived
from storagelab.analysis.efficiency.network import amplification, file_shares
from storagelab.analysis.efficiency.operations import operations_time
from storagelab.analysis.efficiency.phase_shares import phase_shares
from storagelab.analysis.efficiency.raid import raid_capacity, raid_layouts
from storagelab.analysis.efficiency.read_amplification import block_amplification, blocks_touched
from storagelab.analysis.efficiency.redundancy import redundancy
from storagelab.analysis.efficiency.server_memory import clients_in_memory
from storagelab.analysis.efficiency.tiers import tiers_needed
from storagelab.analysis.efficiency.traffic import over_the_link, traffic
from storagelab.analysis.efficiency.useful_rate import useful_throughput
from storagelab.analysis.efficiency.whole_jobs import job_rates, remaining_phase
from storagelab.analysis.fairness.client_group_differences import group_differences
from storagelab.analysis.fairness.client_shares import client_shares
from storagelab.analysis.fairness.completion import completion_factors, completion_spread, time_against_bandwidth
from storagelab.analysis.fairness.fairness import client_values, fairness, fairness_of
from storagelab.analysis.fairness.flatness import flatness
from storagelab.analysis.fairness.over_runs import fairness_over_runs
from storagelab.analysis.fairness.stability import stability
from storagelab.analysis.fairness.variation import compare_evenness
from storagelab.analysis.joining import cases, concat, regimes, with_keys_of
from storagelab.analysis.lookup import between, count, extreme, leaders, level, levels, median, value_counts, within
from storagelab.analysis.planning.interleaved_order import check_order, interleaved_plan
from storagelab.analysis.planning.plan import plan_repeats
from storagelab.analysis.planning.stopping import enough_runs
from storagelab.analysis.repeats.best import best_of, best_runs
from storagelab.analysis.repeats.percentiles import percentiles
from storagelab.analysis.repeats.planned_runs import design_counts, runs_of_plan
from storagelab.analysis.repeats.repeatability import drift, run_spread
from storagelab.analysis.repeats.repetition import repetition_units
from storagelab.analysis.repeats.shapes import below_limit, noise_shape
from storagelab.analysis.repeats.summary import summarise
from storagelab.analysis.repeats.unit_readings import unit_readings
from storagelab.analysis.repeats.variance import variance_components
from storagelab.analysis.rows_by_log import of_logs
from storagelab.analysis.runs import run_values
from storagelab.analysis.scaling.bottleneck_stages import bottlenecks, stage_table
from storagelab.analysis.scaling.bounds import bounds, faster_than_links
from storagelab.analysis.scaling.capacity import demand, saturation
from storagelab.analysis.scaling.crossover import crossovers
from storagelab.analysis.scaling.curve import regressions, scaling_curve
from storagelab.analysis.scaling.fits import fitted_curves, scaling_fits
from storagelab.analysis.scaling.fixed_cost import over_straight_line
from storagelab.analysis.scaling.gateway import behind_gateway
from storagelab.analysis.scaling.half_peak import half_peaks
from storagelab.analysis.scaling.link_times import link_rate, link_times
from storagelab.analysis.scaling.onset import marginal_rates, onsets
from storagelab.analysis.scaling.peak import peaks, tail_off
from storagelab.analysis.scaling.relative_to_peak import over_peak
from storagelab.analysis.scaling.window import bandwidth_delay, serialisation_delays
from storagelab.analysis.series.both_ways import both_ways
from storagelab.analysis.series.failed_runs import failed_runs
from storagelab.analysis.series.failover import Thresholds, failover
from storagelab.analysis.series.legibility import message_classes, with_phase
from storagelab.analysis.series.memory_release import memory_release
from storagelab.analysis.series.plateaus import plateaus
from storagelab.analysis.series.sample_means import sample_means
from storagelab.analysis.series.sample_times import centred
from storagelab.analysis.series.segments import change_segments
from storagelab.analysis.series.snapshots import snapshot_dates
from storagelab.analysis.series.volume import volume_check
from storagelab.analysis.statements import assert_claim, set_apart, stated, verdict
from storagelab.analysis.totals import quotient, totals
from storagelab.analysis.validity.agreement import tool_agreement
from storagelab.analysis.validity.drift import drift_test
from storagelab.analysis.validity.level_changes import change_points
from storagelab.analysis.validity.outliers import outliers
from storagelab.analysis.validity.reader_is_writer import mark_own_access
from storagelab.analysis.validity.report import validity, validity_findings, validity_lines, validity_report
from storagelab.analysis.validity.robustness import robustness
from storagelab.analysis.validity.unequal_repeats import unequal_repeats
from storagelab.analysis.validity.unit_checks import above_nominal, factor_suspects
from storagelab.analysis.validity.working_sets import mark_cached, working_sets
from storagelab.analysis.verdicts.claim import Claim, Tolerance, accepted
from storagelab.analysis.verdicts.quantity import claim_quantity
from storagelab.analysis.verdicts.verdicts import verdicts
from storagelab.analysis.wide_table import pivot

__all__ = [
    "Claim",
    "Thresholds",
    "Tolerance",
    "above_nominal",
    "accepted",
    "aggregates",
    "amplification",
    "assert_claim",
    "bandwidth_delay",
    "behind_gateway",
    "below_limit",
    "best_of",
    "best_runs",
    "between",
    "block_amplification",
    "blocks_touched",
    "both_directions",
    "both_ways",
    "bottlenecks",
    "bounds",
    "cases",
    "centred",
    "change_points",
    "change_segments",
    "check_order",
    "claim_quantity",
    "client_shares",
    "client_values",
    "clients_in_memory",
    "compare",
    "compare_campaigns",
    "compare_evenness",
    "compare_given",
    "compare_series",
    "compatibility",
    "completion_factors",
    "completion_over_submission",
    "completion_spread",
    "concat",
    "count",
    "counter_rates",
    "cpu_efficiency",
    "crossovers",
    "demand",
    "design_counts",
    "differences",
    "drift",
    "drift_test",
    "enough_runs",
    "extreme",
    "factor_suspects",
    "factorial_effects",
    "failed_runs",
    "failover",
    "fairness",
    "fairness_of",
    "fairness_over_runs",
    "faster_than_links",
    "file_shares",
    "fitted_curves",
    "flatness",
    "group_differences",
    "half_peaks",
    "interleaved_plan",
    "job_rates",
    "jobs",
    "largest_ratio",
    "leaders",
    "level",
    "levels",
    "link_rate",
    "link_times",
    "losses_survived",
    "marginal_rates",
    "mark_cached",
    "mark_own_access",
    "mean_ratios",
    "median",
    "memory_release",
    "message_classes",
    "noise_shape",
    "of_entries_read",
    "of_logs",
    "on_cpu",
    "onsets",
    "operations_time",
    "outliers",
    "over_peak",
    "over_real_time",
    "over_straight_line",
    "over_the_link",
    "pair_ratios",
    "parts_read",
    "peaks",
    "per_client",
    "percentiles",
    "phase_shares",
    "phases",
    "pivot",
    "plan_repeats",
    "plateaus",
    "pooled_ratios",
    "quantile_ratios",
    "quotient",
    "raid_capacity",
    "raid_layouts",
    "rank_counts",
    "redundancy",
    "regimes",
    "regressions",
    "remaining_phase",
    "repetition_units",
    "robustness",
    "run_spread",
    "run_values",
    "runs_of_plan",
    "sample_means",
    "saturation",
    "scaling_curve",
    "scaling_fits",
    "sent_over_payload",
    "serialisation_delays",
    "series_offsets",
    "set_apart",
    "share_changes",
    "shift_functions",
    "snapshot_dates",
    "stability",
    "stage_table",
    "stated",
    "stonewall",
    "summarise",
    "tail_off",
    "tiers_needed",
    "time_against_bandwidth",
    "times_slower",
    "tool_agreement",
    "totals",
    "traffic",
    "unequal_repeats",
    "unit_readings",
    "until_slowest",
    "useful_throughput",
    "validity",
    "validity_findings",
    "validity_lines",
    "validity_report",
    "value_counts",
    "variance_components",
    "verdict",
    "verdicts",
    "volume_check",
    "winners",
    "with_keys_of",
    "with_phase",
    "within",
    "working_sets",
]

check_all(globals(), __all__)


def __getattr__(name: str) -> Any:
    return deprecated.find(__name__, name)

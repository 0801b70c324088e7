"""Figures: from a labelled dataset to a drawing with its caption and alternative text, all built from the data."""

from storagelab import optional_packages

optional_packages.require("figures", "storagelab.figures")

from storagelab.analysis.arguments import check_all
from storagelab.figures.curves import curves
from storagelab.figures.distribution import distribution
from storagelab.figures.failover import failover
from storagelab.figures.figure_result import Drawn
from storagelab.figures.heatmaps import heatmap
from storagelab.figures.ordered_clients import ordered_clients
from storagelab.figures.pairs import pairs
from storagelab.figures.percentiles import percentiles
from storagelab.figures.permitted_curves import permitted
from storagelab.figures.points import points
from storagelab.figures.ratios import ratios
from storagelab.figures.run_order import run_order
from storagelab.figures.saturation import saturation
from storagelab.figures.scaling import scaling
from storagelab.figures.scatter import scatter
from storagelab.figures.series import series
from storagelab.figures.side_by_side import side_by_side
from storagelab.figures.style import style
from storagelab.figures.testbed import test_bed
from storagelab.figures.timeline import timeline
from storagelab.figures.topology import topology
from storagelab.figures.winners import winners_map

__all__ = [
    "Drawn",
    "curves",
    "distribution",
    "failover",
    "heatmap",
    "ordered_clients",
    "pairs",
    "percentiles",
    "permitted",
    "points",
    "ratios",
    "run_order",
    "saturation",
    "scaling",
    "scatter",
    "series",
    "side_by_side",
    "style",
    "test_bed",
    "timeline",
    "topology",
    "winners_map",
]

check_all(globals(), __all__)

"""Names in IOR's JSON summary, the contract's names for them and the factors to SI."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from storagelab.parsers.benchmarks import file_system
from storagelab.parsers.model import Row
from storagelab.units import KIB, MIB

PARAMETERS = {
    "nodes": "nodes",
    "tasksPerNode": "processes_per_node",
    "segmentCount": "segments",
    "transferSize": "record_size",
    "blockSize": "block_size",
}
RESULT = {
    "bwMiB": ("throughput", MIB),
    "iops": ("operation_rate", 1.0),
    "latency": ("latency", 1.0),
    "openTime": ("open_time", 1.0),
    "wrRdTime": ("transfer_time", 1.0),
    "closeTime": ("close_time", 1.0),
    "totalTime": ("elapsed", 1.0),
    "blockKiB": ("block_size", KIB),
    "xferKiB": ("record_size", KIB),
}
SUMMARY = {
    "bwMeanMIB": ("throughput", MIB),
    "bwMinMIB": ("throughput_min", MIB),
    "bwMaxMIB": ("throughput_max", MIB),
    "bwStdMIB": ("throughput_std", MIB),
    "OPsMean": ("operation_rate", 1.0),
    "OPsMin": ("operation_rate_min", 1.0),
    "OPsMax": ("operation_rate_max", 1.0),
    "OPsSD": ("operation_rate_std", 1.0),
    "MeanTime": ("elapsed", 1.0),
    "StoneWallTime": ("stonewall_time", 1.0),
    "StoneWallbwMeanMIB": ("throughput_stonewall", MIB),
    "xsizeMiB": ("data_size", MIB),
    "repetitions": ("samples", 1.0),
}
PLACE: Mapping[str, Callable[[str], Row]] = {
    "Machine": file_system.machine,
    "Path": file_system.path,
    "Capacity": file_system.file_system,
    "Used Capacity": file_system.used,
}
"""Names of a run and of its tests that say where it ran -> what reads them."""
EXACT = {"numTasks": "processes", **PARAMETERS}

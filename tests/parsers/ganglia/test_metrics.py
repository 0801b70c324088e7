"""Where Ganglia's metrics and rrdtool's legends go, and with which factor."""

from __future__ import annotations

import pytest

from storagelab import schema
from storagelab.parsers.ganglia import metrics


@pytest.mark.parametrize(
    ("metric", "unit", "name", "operation", "factor"),
    [
        ("bytes_in", "bytes/sec", "throughput", "receive", 1.0),
        ("bytes_out", None, "throughput", "transmit", 1.0),
        ("pkts_in", "packets/sec", "packet_rate", "receive", 1.0),
        ("mem_free", "KB", "memory_free", "", 1024.0),
        ("mem_free", None, "memory_free", "", 1024.0),
        ("disk_free", "GB", "disk_free", "", 1e9),
        ("cpu_wio", "%", "cpu_iowait", "", 0.01),
        ("load_one", " ", "load_1", "", 1.0),
        ("rx_bytes_eth0", "bytes/sec", "throughput", "receive", 1.0),
        ("tx_drops_bond0.5", "pkts/sec", "drop_rate", "transmit", 1.0),
    ],
)
def test_known_metric(metric: str, unit: str | None, name: str, operation: str, factor: float) -> None:
    keys, variable, by = metrics.reading(metric, unit)
    assert (keys["operation"], variable, by) == (operation, name, factor)
    assert "metric" not in keys


def test_interface_of_a_metric_is_a_key() -> None:
    assert metrics.reading("rx_bytes_eth0", "bytes/sec").keys == {"operation": "receive", "interface": "eth0"}


@pytest.mark.parametrize(("metric", "unit"), [("cpu_speed", "MHz"), ("bytes_in", "parsec/sec"), ("mem_free", "%")])
def test_unknown_metric_or_unit_stays_as_it_stands(metric: str, unit: str) -> None:
    assert metrics.reading(metric, unit) == ({"operation": "", "metric": metric, "unit": unit}, "value", 1.0)


def test_every_known_name_is_of_the_contract() -> None:
    for name, operation, usual in metrics._KNOWN.values():
        assert schema.field(name).kind == "variable"
        assert operation in ("", *schema.OPERATIONS)
        assert usual.lower() in metrics._FACTORS[usual]


@pytest.mark.parametrize(
    ("legend", "factor", "operation"),
    [
        ("in MB/s", 1e6, "receive"),
        ("eth0 out (MiB/s)", 2.0**20, "transmit"),
        ("Outbound kbit/s", 125.0, "transmit"),
        ("Mbps", 125e3, ""),
        ("in and out bytes/sec", 1.0, ""),
        ("rx GBps", 1e9, "receive"),
    ],
)
def test_legend_with_a_rate(legend: str, factor: float, operation: str) -> None:
    keys, name, by = metrics.legend(legend)
    assert (keys["operation"], keys["label"], name) == (operation, legend, "throughput")
    assert by == pytest.approx(factor)


@pytest.mark.parametrize("legend", ["in", "node 10.99.0.1 in", "in and out bits", "ops/sec", "load", "dbs/s"])
def test_legend_without_a_rate_stays_a_metric(legend: str) -> None:
    assert metrics.legend(legend) == ({"operation": "", "metric": legend, "unit": ""}, "value", 1.0)

"""vnstat: what golden tables do not show."""

from __future__ import annotations

from storagelab.parsers.monitors import vnstat


def test_json_of_an_average_says_how_long_it_took() -> None:
    text = '{"jsonversion":"2","vnstatversion":"2.6","interface":"wlan0","sampletime":5,\n'
    text += '"rx":{"ratestring":"1.60 kbit/s","bytespersecond":200,"packetspersecond":3,"bytes":1000,"packets":15},\n'
    text += '"tx":{"ratestring":"800 bit/s","bytespersecond":100,"packetspersecond":1,"bytes":500,"packets":5}}\n'
    series = vnstat.parse(text).series
    assert list(series["throughput"]) == [200.0, 100.0]
    assert list(series["elapsed"]) == [5.0, 5.0]
    assert list(series["line"]) == [2, 3]

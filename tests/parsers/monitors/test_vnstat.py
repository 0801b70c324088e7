"""vnstat: what golden tables do not show."""

from __future__ import annotations

import re

import pytest

from storagelab import parsers
from storagelab.parsers.monitors import vnstat
from storagelab.units import KIB
from tests.conftest import LOGS
from tests.parsers.monitors.samples import rows


def test_json_of_an_average_says_how_long_it_took() -> None:
    text = '{"jsonversion":"2","vnstatversion":"2.6","interface":"wlan0","sampletime":5,\n'
    text += '"rx":{"ratestring":"1.60 kbit/s","bytespersecond":200,"packetspersecond":3,"bytes":1000,"packets":15},\n'
    text += '"tx":{"ratestring":"800 bit/s","bytespersecond":100,"packetspersecond":1,"bytes":500,"packets":5}}\n'
    series = vnstat.parse(text).series
    assert list(series["throughput"]) == [200.0, 100.0]
    assert list(series["elapsed"]) == [5.0, 5.0]
    assert list(series["line"]) == [2, 3]


LONE = '{{{names},"traffic":{{"total":{{"rx":7000,"tx":9000}},"{hours}":[{{"id":3,"rx":500,"tx":600}}]}}}}\n'


@pytest.mark.parametrize(
    ("names", "hours", "unit"), [('"name":"wg3","alias":""', "hour", 1.0), ('"id":"wg3","nick":"wg3"', "hours", KIB)]
)
def test_an_interface_that_was_cut_out_of_the_list_is_read(names: str, hours: str, unit: float) -> None:
    """Version 1 counts in KiB, and its interfaces have a nick."""
    parsed = parsers.parse(f"How much is this?\n{LONE.format(names=names, hours=hours)}")
    found = [(row["phase"], row["operation"], row["data_size"] / unit, row["line"]) for row in rows(parsed)]
    assert {row["interface"] for row in rows(parsed)} == {"wg3"}
    assert found == [
        ("since", "receive", 7000, 2),
        ("since", "transmit", 9000, 2),
        ("hourly", "receive", 500, 2),
        ("hourly", "transmit", 600, 2),
    ]


DAYS = """ eth7  /  daily

         day         rx      |     tx      |    total    |   avg. rate
     ------------------------+-------------+-------------+---------------
     06/01/2016     3.00 GiB |    1.00 GiB |    4.00 GiB |  {first}
     06/02/2016     6.00 GiB |    2.00 GiB |    8.00 GiB |  {second}
     ------------------------+-------------+-------------+---------------
     estimated        --     |      --     |      --     |
"""
WATCHED = """ eth7  /  traffic statistics

                           rx         |       tx
--------------------------------------+------------------
  bytes                   150.00 MiB  |            0 KiB
--------------------------------------+------------------
          max           30.00 Mbit/s  |      0.00 kbit/s
      average           {mean}  |      0.00 kbit/s
--------------------------------------+------------------
  time                  {time}
"""


def _rates(text: str, name: str = "throughput") -> list[float]:
    return [rate for rate in vnstat.parse(text).series.get(name, []) if rate == rate]


@pytest.mark.parametrize(
    ("first", "second", "mean"),
    [
        ("397.68 kbit/s", "2.00 Mbit/s", 2.00e6 / 8),
        ("388.36 kbit/s", "2.00 Mbit/s", 2.048e6 / 8),
        ("388.36 Kibit/s", "1.50 Mibit/s", 1.5 * 2**20 / 8),
    ],
)
def test_a_whole_day_shows_how_many_bits_a_kilobit_has(first: str, second: str, mean: float) -> None:
    rates = _rates(DAYS.format(first=first, second=second))
    assert rates == pytest.approx([4 * 2**30 / 86400, mean], rel=1e-4)


MONTHS = """ eth7  /  monthly

       month        rx      |     tx      |    total    |   avg. rate
    ------------------------+-------------+-------------+---------------
      Feb '12    30.00 GiB |   10.00 GiB |   40.00 GiB |  {first}
      Mar '12    60.00 GiB |   20.00 GiB |   80.00 GiB |   2.00 Mbit/s
    ------------------------+-------------+-------------+---------------
    estimated        --     |      --     |      --     |
"""


@pytest.mark.parametrize(("first", "mean"), [("137.13 kbit/s", 2.00e6 / 8), ("133.92 kbit/s", 2.048e6 / 8)])
def test_a_whole_month_shows_it_without_the_day_of_the_last_update(first: str, mean: float) -> None:
    assert _rates(MONTHS.format(first=first)) == pytest.approx([40 * 2**30 / (29 * 86400), mean], rel=1e-4)


def test_rates_that_no_period_explains_are_left_out() -> None:
    parsed = vnstat.parse(DAYS.format(first="123.45 kbit/s", second="2.00 Mbit/s"))
    assert not parsed.complete
    assert "throughput" not in parsed.series
    assert [note.line for note in parsed.notes] == [5]
    assert "no period shows whether a kbit is 1000 bits or 1024" in parsed.notes[0].text


def test_version_2_with_dates_of_version_1_counts_in_1000_bits() -> None:
    text = "Database updated: 2018-12-03 09:30:00\n\n" + DAYS.format(first="123.45 kbit/s", second="2.00 Mbit/s")
    assert _rates(text) == pytest.approx([123.45e3 / 8, 2e6 / 8])


@pytest.mark.parametrize("title", ["eth0  /  hourly", " eth0 / hourly"])
def test_the_interface_of_a_title_may_stand_between_single_blanks(title: str) -> None:
    parsed = vnstat.parse(
        f"{title}\n\n  hour  rx  |  tx  |  total  | avg. rate\n 18:00 1.00 GiB | 2.00 MiB | 1.00 GiB |\n"
    )
    assert {(row["interface"], row["phase"]) for row in rows(parsed)} == {("eth0", "hourly")}


def test_of_an_estimate_that_is_not_known_nothing_is_read_and_nothing_is_lost() -> None:
    text = "eth0  /  daily\n\n  day  rx  |  tx  |  total\n 2026-11-29 9.00 MiB | 1 B | 9.00 MiB |\n estimated "
    parsed = vnstat.parse(text + "1 KiB |     --      |       1 KiB |\n")
    assert [row["operation"] for row in rows(parsed, phase="estimated daily") if row.get("operation")] == ["receive"]
    assert (len(rows(parsed, phase="estimated daily")), parsed.complete) == (2, True)
    unknown = vnstat.parse(text + "-- | -- | -- |\n")
    assert (rows(unknown, phase="estimated daily"), unknown.complete) == ([], True)


def test_a_mean_rate_of_no_seconds_is_none() -> None:
    parsed = vnstat.parse(DAYS.format(first="397.68 kbit/s", second="n/a"))
    assert parsed.complete
    assert _rates(DAYS.format(first="397.68 kbit/s", second="n/a")) == [397.68e3 / 8]


@pytest.mark.parametrize(
    ("mean", "time", "kilobit"),
    [
        ("10.49 Mbit/s", "2.00 minutes", 1000),
        ("10.24 Mbit/s", "2.00 minutes", 1024),
        ("10,24 Mbit/s", "2,00 minutes", 1024),
    ],
)
def test_what_was_watched_for_long_shows_how_many_bits_a_kilobit_has(mean: str, time: str, kilobit: int) -> None:
    text = WATCHED.format(mean=mean, time=time)
    assert _rates(text)[0] == pytest.approx(float(mean.split()[0].replace(",", ".")) * kilobit * 1000 / 8)
    assert _rates(text, "throughput_max")[0] == pytest.approx(30.0 * kilobit * 1000 / 8)


def test_what_was_watched_for_seconds_shows_it_in_version_2_alone_which_prints_bits() -> None:
    text = WATCHED.format(mean="30.73 Mbit/s", time="40 seconds")
    assert not _rates(text)
    assert not vnstat.parse(text).complete
    text = text.replace("0.00 kbit/s", "   0 bit/s")
    assert _rates(text)[0] == pytest.approx(30.73e6 / 8)
    assert vnstat.parse(text).complete


@pytest.mark.parametrize("cell", ["3.41 Mbit/s", "3.41 MiB", "12 p/s"])
def test_a_count_of_packets_with_a_unit_is_none(cell: str) -> None:
    text = (LOGS / "vnstat/imitated-1.11-live.txt").read_text()
    whole, parsed = (parsers.parse(one) for one in (text, text.replace("412077", cell)))
    assert [note.text for note in parsed.notes] == [f"expected traffic, found {cell!r}"]
    assert not parsed.complete
    assert len(parsed.series["line"]) == len(whole.series["line"]) - 1


def test_live_traffic_with_rates_and_no_bytes_is_read() -> None:
    text = (LOGS / "vnstat/imitated-1.11-live.txt").read_text()
    parsed = parsers.parse(re.sub(r"  bytes .*\n", "", text))
    assert [note.text for note in parsed.notes] == [
        "rates left out: no period shows whether a kbit is 1000 bits or 1024"
    ]
    assert "data_size" not in parsed.series
    assert 412077.0 in parsed.series["packets_received"]


def test_a_table_whose_name_is_lost_has_not_that_of_the_table_above() -> None:
    text = (LOGS / "vnstat" / "vnstat-2.10-summary.txt").read_text()
    parsed = parsers.parse(text.replace("   daily\n", ""))
    assert parsed.notes == [(14, "expected the name of a table ('daily') above its columns, found none")]
    assert not parsed.complete
    assert {row.get("phase") for row in rows(parsed, label="today")} == {None}


AVERAGE = """\
7232 packets sampled in 5 seconds
Traffic average for wlan0

      rx       {rate}          1105 packets/s
      tx       {rate}           341 packets/s

"""


@pytest.mark.parametrize(
    ("rate", "throughput", "note"),
    [
        ("  2.00 Mbit/s", 250_000.0, "a kbit is read as 1000 bits"),
        ("200.00 KiB/s", 200 * KIB, ""),
        ("200.00 kB/s ", 200 * KIB, ""),
        ("200.00 kB/s", 200_000.0, ""),
    ],
    ids=["bits of any version", "binary", "the first versions", "decimal"],
)
def test_an_average_of_traffic_may_stand_alone(rate: str, throughput: float, note: str) -> None:
    log = AVERAGE.format(rate=rate)
    assert vnstat.sniff(log)
    parsed = vnstat.parse(log)
    assert list(parsed.series["throughput"]) == [throughput] * 2
    assert list(parsed.series["packet_rate"]) == [1105.0, 341.0]
    assert set(parsed.series["interface"]) == {"wlan0"}
    assert parsed.complete
    assert [text[: len(note)] for _, text in parsed.notes] == [note] * 2 * bool(note)


def test_an_average_that_lost_a_direction_is_incomplete() -> None:
    parsed = vnstat.parse(AVERAGE.format(rate="2.00 KiB/s").rsplit("      tx", 1)[0])
    assert not parsed.complete
    assert "lacks what was received or sent" in parsed.notes[0].text


@pytest.mark.parametrize("title", ["eth7", "eth7 [disabled]", "Uplink (eth7)", "Uplink (eth7) [disabled]"])
def test_an_interface_with_a_name_or_out_of_use_is_itself(title: str) -> None:
    table = DAYS.format(first="100.00 kbit/s", second="200.00 kbit/s").replace("eth7", title)
    line = f"1;{title};06/02/16;6.00 GiB;2.00 GiB;8.00 GiB;2.00 Mbit/s;Jun '16;9.00 GiB;3.00 GiB;12.00 GiB;"
    since = f"   {title} since 01/02/10\n\n        rx:  9.00 GiB      tx:  3.00 GiB      total:  12.00 GiB\n"
    for text in (table, f"{line}1.00 Mbit/s;9.00 GiB;3.00 GiB;12.00 GiB\n", since):
        assert {row["interface"] for row in rows(vnstat.parse(text))} == {"eth7"}
    assert {row["phase"] for row in rows(parsers.parse(table))} == {"daily"}


PERCENTILES = """
 uplink (eth3)  /  95th percentile

 2026-11-01 00:00 - 2026-11-21 09:15 (5870 entries, 99.5% coverage)

                        rx       |       tx       |     total
       --------------------------+----------------+---------------
       minimum           8 bit/s |        0 bit/s |        8 bit/s
       average      8.00 kbit/s |    16.00 kbit/s |   24.00 kbit/s
       maximum     40.00 Mbit/s |     8.00 Mbit/s |   44.00 Mbit/s
       --------------------------+----------------+---------------
        95th %     16.00 Mbit/s |     4.00 Mbit/s |   18.00 Mbit/s
"""


def test_the_95th_percentile_is_no_live_traffic() -> None:
    """Its mean was read as what `vnstat -l` watched."""
    parsed = parsers.parse(PERCENTILES)
    assert (parsed.complete, parsed.notes) == (True, [])
    found = rows(parsed, phase="95th percentile")
    assert len(found) == len(rows(parsed)) == 14
    assert {(row["interface"], row["label"]) for row in found} == {("eth3", "2026-11-01 00:00 - 2026-11-21 09:15")}
    assert [row["throughput_min"] for row in found if row["line"] == 8] == [1.0, 0.0, 1.0]
    assert [row["throughput"] for row in found if row["line"] == 9] == [1e3, 2e3, 3e3]
    assert [row["throughput_max"] for row in found if row["line"] == 10] == [5e6, 1e6, 5.5e6]
    assert [row["operation"] for row in rows(parsed, metric="95th percentile")[:2]] == ["receive", "transmit"]
    assert [row["value"] for row in rows(parsed, metric="95th percentile")] == [2e6, 5e5, 2.25e6]
    assert [row["value"] for row in found if row["line"] == 4] == [5870.0, 0.995]


def _exported(last_hour: int = 23) -> str:
    head = "version;4\nactive;1\ninterface;wlan2\nnick;home\ncreated;1481000000\nupdated;1481400000\n"
    totals = "totalrx;5\ntotaltx;7\ncurrx;9\ncurtx;9\ntotalrxk;512\ntotaltxk;1\nbtime;1480000000\n"
    days = "d;0;1481328000;3;4;256;2;1\n" + "".join(f"d;{day};0;0;0;0;0;0\n" for day in range(1, 30))
    months = "m;0;1480550400;5;7;0;0;1\nt;0;1481241600;2;1;0;0;1\n"
    return (
        head
        + totals
        + days
        + months
        + "".join(f"h;{hour};0;0;0\n" for hour in range(last_hour))
        + (f"h;{last_hour};1481396400;10;20\n")
    )


def test_an_exported_database_has_the_periods_that_are_in_use() -> None:
    parsed = parsers.parse(_exported())
    assert (parsed.complete, parsed.notes) == (True, [])
    found = [(row["phase"], row["operation"], row["data_size"] / KIB, row.get("start_time")) for row in rows(parsed)]
    assert {row["interface"] for row in rows(parsed)} == {"wlan2"}
    assert found == [
        ("since", "receive", 5632, None),
        ("since", "transmit", 7169, None),
        ("daily", "receive", 3328, 1481328000),
        ("daily", "transmit", 4098, 1481328000),
        ("monthly", "receive", 5120, 1480550400),
        ("monthly", "transmit", 7168, 1480550400),
        ("top", "receive", 2048, 1481241600),
        ("top", "transmit", 1024, 1481241600),
        ("hourly", "receive", 10, 1481396400),
        ("hourly", "transmit", 20, 1481396400),
    ]
    assert [row["line"] for row in rows(parsed, phase="since")] == [11, 12]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (_exported(22), "the hours of wlan2 end before 23"),
        (
            _exported().replace("m;0;1480550400;5;7", "m;0;1480550400;5"),
            "expected a period of vnstat's database, found",
        ),
        (_exported().replace("totaltxk;1", "totaltxk;x"), "expected a count behind 'totaltxk;', found 'x'"),
    ],
)
def test_an_exported_database_that_lost_something_is_told(text: str, said: str) -> None:
    parsed = vnstat.parse(text)
    assert not parsed.complete
    assert [said in note.text for note in parsed.notes] == [True]

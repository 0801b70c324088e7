"""JSON that Python printed once it was loaded."""

from __future__ import annotations

import functools
import json
import pprint
from collections.abc import Callable

import pytest

from storagelab import parsers
from storagelab.parsers.wrapping import python_literals
from tests.conftest import LOGS


@pytest.mark.parametrize("name", ["fio_json/imitated-3.36-steadystate.json", "iperf3/iperf3-3.12-tcp-P4.json"])
@pytest.mark.parametrize("printed", [str, "loaded: {}".format, functools.partial(pprint.pformat, sort_dicts=False)])
def test_json_that_python_printed_is_read(name: str, printed: Callable[[object], str]) -> None:
    loaded = json.loads((LOGS / name).read_text())
    bare, parsed = parsers.parse(json.dumps(loaded) + "\n"), parsers.parse(printed(loaded) + "\n")
    assert [row.get("throughput") for row in parsed.runs] == [row.get("throughput") for row in bare.runs]
    assert (parsed.complete, parsed.header["wrapping"]) == (bare.complete, "Python literals")


@pytest.mark.parametrize(
    ("printed", "loaded"),
    [
        ("{u'a': 12L, 'b': None}", {"a": 12, "b": None}),
        ("{'a': True, 'b': \"it's\"}", {"a": True, "b": "it's"}),
        (r"{'a': 'None \'quoted\' \x41\n', 'b': False}", {"a": "None 'quoted' A\n", "b": False}),
        ("{'a': 'long '\n      'text',\n 'b': 1}", {"a": "long text", "b": 1}),
        ('{"a": "it\'s True"}', {"a": "it's True"}),
    ],
)
def test_python_literals_are_those_of_json(printed: str, loaded: dict[str, object]) -> None:
    assert json.loads(python_literals.as_json(printed)) == loaded


def test_values_behind_a_text_in_pieces_keep_their_lines() -> None:
    text = "{'a': 'long '\n      'text',\n 'b': 1}\n"
    assert python_literals.as_json(text) == '{"a": "long text"\n,\n "b": 1}\n'

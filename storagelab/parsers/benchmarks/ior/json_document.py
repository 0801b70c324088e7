"""IOR's JSON summary where it is one whole JSON document of the usual shape, which nearly all are: the fast way.

What is not (broken off, with warnings between its objects, with names twice) is left to `json_summary`, which reads
any, and finds in a whole document the very same.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from storagelab.parsers.benchmarks.ior.json_names import EXACT, PARAMETERS, PLACE, RESULT, SUMMARY
from storagelab.parsers.benchmarks.ior.options import PRINTED
from storagelab.parsers.benchmarks.ior.runs_and_tests import Log, Run, Test
from storagelab.parsers.benchmarks.ior.tables import OPERATIONS
from storagelab.parsers.json_text import LINE, Lines, Tree
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.values_on_several_lines import settled
from storagelab.schema import LINE_OF

Object = dict[str, Any]
_UNUSUAL = ("\\", "\ufffd", "true", "false")
_OTHER_SHAPE = (KeyError, TypeError, ValueError, AttributeError)


def parse(text: str) -> Parsed | None:
    """Read a whole document, or return None if the text is none or of another shape."""
    if any(mark in text for mark in _UNUSUAL):
        return None
    try:
        document = orjson.loads(text)
        if _names(document) != text.count('":') + text.count('" :'):
            return None
        return _log(document, text).finish()
    except _OTHER_SHAPE:
        return None


def _names(document: Object) -> int:
    """Count the names of all objects that are read here; a text with more of them holds others, or one twice."""
    objects = [document, *document["summary"]]
    for test in document["tests"]:
        objects += [test, test["Parameters"], test["Options"], test.get("max", {}), *_results(test)]
    return sum(map(len, objects))


def _results(test: Object) -> Iterator[Object]:
    """Rows of a test; IOR 3.3 has a list of them for each iteration."""
    for item in test["Results"]:
        if isinstance(item, list):
            yield from item
        else:
            yield item


def _lines(name: str, text: str) -> Iterator[int]:
    """Line of each place where a name stands."""
    line, start = 1, 0
    position = text.find(name)
    while position >= 0:
        line += text.count("\n", start, position)
        yield line
        start = position
        position = text.find(name, start + 1)


def _log(document: Object, text: str) -> Log:
    """Read the document; each row is to have its own line, or the shape is another."""
    log = Log()
    run = log.start_run(_string(document["Version"]), 1)
    run.began, run.finished, run.ended = _string(document["Began"]), _string(document["Finished"]), True
    run.command = _string(document["Command line"])
    _ran_at(run, document)
    tests, summary = document["tests"], document["summary"]
    places = Lines(text, 0, 1).under(document)
    results = []
    of_tests = [*places.get("tests", ())] or [{}] * len(tests)
    trees = itertools.chain(of_tests, itertools.repeat({}, len(summary)))
    for found, line, tree in zip([*tests, *summary], _lines('"TestID"', text), trees, strict=True):
        if "Results" in found:
            test = log.start_test(_text(found["TestID"]), line)
            _ran_at(run, found)
            _read_keys(test, found, tree)
            results += [(test, result) for result in _results(found)]
    of_results = [tree for test in places.get("tests", ()) for tree in _results(test)] or [{}] * len(results)
    for (test, result), line, tree in zip(results, _lines('"bwMiB"', text), of_results, strict=True):
        _read_result(test, result, tree, line)
    of_summary = places.get("summary") or [{}] * len(summary)
    for found, line, tree in zip(summary, _lines('"bwMeanMIB"', text), of_summary, strict=True):
        _read_summary(log.test_of(_text(found["TestID"])), found, tree, line)
    return log


def _ran_at(run: Run, found: Object) -> None:
    for name, read in PLACE.items():
        if name in found:
            run.ran_at(read(_string(found[name])))


def _read_keys(test: Test, found: Object, lines: Tree) -> None:
    parameters = found["Parameters"]
    _keep_exact(test, parameters, PARAMETERS)
    stonewall = _text(parameters.get("deadlineForStonewall", 0))
    if stonewall != "0":
        test.options["stonewallingTime"] = stonewall
    said_on = lines.get("Options", {})
    for name, value in found["Options"].items():
        if name in PRINTED:
            test.option(name, _text(value), said_on.get(name) or said_on.get(LINE) or test.line)


def _read_result(test: Test, found: Object, lines: Tree, line: int) -> None:
    row = _row(found, "access", "single", RESULT, lines)
    operation = str(row["operation"])
    row["iteration"] = test.counts[operation]
    test.counts[operation] += 1
    row["line"] = line
    for name in ("block_size", "record_size"):
        size = row.pop(name, None)
        if isinstance(size, float):
            test.exact.setdefault(name, size)
    test.iterations.append(settled(row))


def _read_summary(test: Test, found: Object, lines: Tree, line: int) -> None:
    row = _row(found, "operation", "mean", SUMMARY, lines)
    row["line"] = line
    _keep_exact(test, found, EXACT)
    test.summaries.append(settled(row))


def _row(found: Object, operation: str, statistic: str, columns: Mapping[str, tuple[str, float]], lines: Tree) -> Row:
    row: Row = {"operation": OPERATIONS[found[operation]], "statistic": statistic}
    for key, value in found.items():
        if key in columns:
            name, unit = columns[key]
            row[name] = value * unit
            if key in lines:
                row[LINE_OF[name]] = lines[key]
    if "throughput" not in row:
        raise KeyError("throughput")
    return row


def _keep_exact(test: Test, found: Object, names: Mapping[str, str]) -> None:
    for key, name in names.items():
        value = found.get(key)
        if isinstance(value, int) and value >= 0:
            test.exact.setdefault(name, float(value))


def _text(value: object) -> str:
    """Text of a whole number or a string, as it stands in the document; of others it is not known."""
    return str(value) if isinstance(value, int) else _string(value)


def _string(value: object) -> str:
    if isinstance(value, str):
        return value
    raise TypeError(f"a string was expected, not {value!r}")

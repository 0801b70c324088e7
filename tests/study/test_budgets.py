"""Sidecars that would never end: each is refused in one line that names file, line and value, at a counted cost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from storagelab import units
from storagelab.errors import ReconstructError, SidecarError, UnknownNameError
from storagelab.study import expressions, linear_regex, yaml_reading
from tests.work import calls

REGEX = r"\w+/(?:local|(?P<behind>dist|rep3))/(?:\w+/)?(?P<what>upload|jobs)_.*"


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("9**9**9", "out of range"),
        ("9.0**9**9", "out of range"),
        ("1 < 2", "expected arithmetic .*found Compare"),
        ("(0-8)**0.5", "root of a negative number"),
        ("sqrt(0-8)", "root of a negative number"),
        ("'a' * 10**9", "found 'a'"),
        ("[1] * 10**9", "found List"),
        ("1 if 2 else 3", "found IfExp"),
        ("abs", "expected a number, found builtin_function"),
        ("min()", "at least 1 argument"),
        ("(" * 3000 + "1" + ")" * 3000, "more than 1000 characters"),
        ("-" * 900 + "1", "nested too deeply"),
        ("-" * 51 + "1", "nested too deeply, more than 50 operations"),
        ("1" + "+1" * 60, "nested too deeply, more than 50 operations"),
        ("(" * 400 + "1" + ")" * 400, "too many nested parentheses"),
        ("1" * 5000, "more than 1000 characters"),
        ("floor(1e308 * 1e308)", "infinity"),
        ("True", "found True"),
    ],
)
def test_expression_beyond_its_budget_is_refused(expression: str, message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        expressions.evaluate(expression, {})


def test_expression_within_its_budget_is_evaluated() -> None:
    assert expressions.plain(expressions.evaluate("-" * 50 + "1", {})) == 1.0


def test_arithmetic_is_still_done() -> None:
    assert expressions.plain(expressions.evaluate("2 ** 3 + sqrt(16) - hypot(3, 4) / 5", {})) == 11.0


@pytest.mark.parametrize("unit", ["9**9**9", "m**9**9", "(m**9)**9", "m^9^9", "10**99", "2**1000000000"])
def test_powers_of_powers_are_refused_before_pint_is_asked(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would never answer: without the check this test fails, and does not hang."""

    def registry() -> None:
        raise AssertionError("pint was asked")

    monkeypatch.setattr(units, "registry", registry)
    with pytest.raises(UnknownNameError, match=r"unknown unit.*powers of one digit"):
        units.si_unit(unit)
    with pytest.raises(UnknownNameError, match=r"unknown unit.*powers of one digit"):
        units.factor(unit, "B")


@pytest.mark.parametrize("unit", ["()", "\0", "(", "lambda: 1", "m" * 90, "'a'", "B/s/", "[]"])
def test_text_that_is_no_unit_is_refused(unit: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown unit"):
        units.si_unit(unit)
    with pytest.raises(UnknownNameError, match="unknown unit"):
        units.factor(unit, "B")


@pytest.mark.parametrize("unit", ["MB/s", "GiB", "1", "", "1/s", "%", "µs", "m**-2 * m**2", "Gbit/s"])
def test_unit_is_still_known(unit: str) -> None:
    assert units.si_unit(unit) in ("1", "B", "s", "1/s", "B/s")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (REGEX, "a/rep3/x/upload_3.log"),
        (REGEX, "a/local/x/jobs_3.log"),
        (REGEX, "a/remote/x"),
        (r"([(\]]x)(?P<n>\d+)[^\w](\(?)", "(x12/("),
        (r"(?P<host>\w+)_(?P<n>[\d]+)", "münchen_٣"),
        (r"(?P<a>.*)x\Z", "yyx"),
    ],
)
def test_expression_of_a_rule_matches_as_python_does(pattern: str, text: str) -> None:
    found = re.fullmatch(pattern, text)
    wanted = {name: part for name, part in found.groupdict().items() if part} if found else None
    assert linear_regex.fullmatch(pattern, text) == wanted
    assert linear_regex.names(pattern) == list(re.compile(pattern).groupindex)


def test_expression_that_python_would_match_for_ever_is_matched() -> None:
    assert linear_regex.fullmatch("(a|a)*b", "a" * 4000) is None
    assert linear_regex.fullmatch(r"(?P<all>(\w+\s?)*)", "a" * 4000) == {"all": "a" * 4000}


@pytest.mark.parametrize("pattern", [r"(?=a)b", r"(a)\1", "(", "a{2000}", "x" * 2000, "(?P<a>x)(?P=a)", "a++"])
def test_expression_that_re2_does_not_know_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"^regex: "):
        linear_regex.check(pattern)


def laughs(generations: int) -> str:
    """Lists of ten aliases of the list before: a line each, ten to the power of their number values."""
    lines = ["a0: &a0 [ha]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, generations)]
    return "\n".join(lines)


def read(tmp_path: Path, text: str) -> object:
    path = tmp_path / "study.yaml"
    path.write_text(text)
    return yaml_reading.read(path)[0]


def test_aliases_are_counted_as_what_they_stand_for(tmp_path: Path) -> None:
    with pytest.raises(SidecarError, match=r"study\.yaml:\d+: more than 200000 values, aliases counted"):
        read(tmp_path, laughs(30))
    assert read(tmp_path, laughs(4))


def test_work_grows_with_the_lines_and_not_with_the_aliases(tmp_path: Path) -> None:
    def attempt(generations: int) -> int:
        path = tmp_path / f"{generations}.yaml"
        path.write_text(laughs(generations))

        def read() -> None:
            with pytest.raises(SidecarError):
                yaml_reading.read(path)

        return calls(read)

    attempt(7)
    assert attempt(56) < 10 * attempt(7)


@pytest.mark.parametrize("text", ["a: " + "9" * 5000, "a: !!int x", "a: !!float x", "a: !!bool x"])
def test_value_that_python_cannot_make_is_told_with_its_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(SidecarError, match=r"study\.yaml:2: not YAML: no value: \S"):
        read(tmp_path, f"b: 1\n{text}\n")

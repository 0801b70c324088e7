"""Public functions say what they take, give back and raise, in the sections of numpydoc."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

import storagelab

ORDER = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "See Also", "Notes", "References", "Examples")


@pytest.mark.parametrize("home", ["storagelab", *(f"storagelab.{room}" for room in storagelab.ROOMS)])
def test_public_functions_say_what_they_take_give_back_and_raise(home: str) -> None:
    assert {name: found for name, function in public(home) if (found := faults(function))} == {}


@pytest.mark.parametrize("name", storagelab.__all__)
def test_what_a_user_calls_first_has_an_example(name: str) -> None:
    assert "Examples" in sections(getattr(storagelab, name))


def function(first: int, *others: str, **options: float) -> int:
    """Do nothing."""
    if first:
        raise ValueError
    return first


WHOLE = """Do nothing.

Parameters
----------
first : int
    A number.
*others, **options
    Others.

Returns
-------
int
    The number.

Raises
------
ValueError
    If it is not 0.
"""


@pytest.mark.parametrize(
    ("was", "instead", "fault"),
    [
        ("first : int", "second : int", "Parameters: lacks ['first'], takes no ['second']"),
        ("*others, **options", "*others", "Parameters: lacks ['**options'], takes no []"),
        ("Returns\n-------\nint\n    The number.\n\n", "", "no Returns"),
        ("Raises\n------\nValueError\n    If it is not 0.\n", "", "no Raises of ValueError"),
        ("Raises\n------\nValueError", "Raises\n------\nOSError", "no Raises of ValueError"),
        ("Parameters\n----------", "Examples\n--------", "sections are not in the order of numpydoc"),
        ("Returns\n-------", "Gives\n-----", "no section of numpydoc: Gives"),
    ],
)
def test_what_a_docstring_lacks_is_seen(monkeypatch: pytest.MonkeyPatch, was: str, instead: str, fault: str) -> None:
    monkeypatch.setattr(function, "__doc__", WHOLE)
    assert faults(function) == []
    monkeypatch.setattr(function, "__doc__", WHOLE.replace(was, instead))
    assert [one for one in faults(function) if one.startswith(fault)] != []


def public(home: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the functions of a module that are for everybody, and the methods of its classes."""
    module = import_module(home)
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == home]
    for name in getattr(module, "__all__", own):
        value = getattr(module, name)
        if name.startswith("_"):
            continue
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value) and value.__module__.startswith("storagelab"):
            for method, written in vars(value).items():
                if not method.startswith("_") and inspect.isfunction(written):
                    yield f"{name}.{method}", written


def faults(function: Callable[..., Any]) -> list[str]:
    """Say what the docstring of a function lacks, or says wrongly."""
    said = sections(function)
    found = [f"no section of numpydoc: {title}" for title in said if title not in ORDER]
    if sorted(said, key=lambda title: ORDER.index(title) if title in ORDER else -1) != list(said):
        found.append("sections are not in the order of numpydoc")
    takes = list(_takes(function))
    named = [name.strip() for line in said.get("Parameters", []) for name in line.partition(" : ")[0].split(",")]
    if sorted(takes) != sorted(named):
        found.append(f"Parameters: lacks {sorted({*takes} - {*named})}, takes no {sorted({*named} - {*takes})}")
    if inspect.signature(function).return_annotation not in {"None", "NoReturn"} and not {"Returns", "Yields"} & {
        *said
    }:
        found.append("no Returns")
    raised = {name.strip() for line in said.get("Raises", []) for name in line.split(",")}
    return [*found, *(f"no Raises of {error.__name__}" for error in _raises(function) if not raised & _kinds(error))]


def _kinds(error: type) -> set[str]:
    return {kind.__name__ for kind in error.__mro__ if kind not in {Exception, BaseException, object}}


def sections(function: Callable[..., Any]) -> dict[str, list[str]]:
    """Return the lines of each section that are not indented: what it is about."""
    lines = inspect.cleandoc(function.__doc__ or "").splitlines()
    found: dict[str, list[str]] = {}
    title = None
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line and below == "-" * len(line):
            title = line
            found[title] = []
        elif title and line.strip("-") and not line.startswith(" "):
            found[title].append(line)
    return found


def _takes(function: Callable[..., Any]) -> Iterator[str]:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in {"self", "cls"}:
            yield stars.get(parameter.kind, "") + name


def _raises(function: Callable[..., Any]) -> list[type]:
    """Return the errors that a function itself raises by name."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    raised = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    called = [one.func if isinstance(one, ast.Call) else one for one in raised]
    names = dict.fromkeys(one.id for one in called if isinstance(one, ast.Name))
    known = {**vars(builtins), **inspect.unwrap(function).__globals__}
    return [known[name] for name in names if isinstance(known.get(name), type)]

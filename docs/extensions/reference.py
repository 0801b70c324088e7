"""The reference, written from the code when the site is made.

A page of ``reference/`` holds a mark, ``<!-- generated: formats -->``; what stands in its place comes from here.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import typer
from sphinx.application import Sphinx

from storagelab import analysis, figures, parsers, schema
from storagelab.claims import claims_yaml, claims_yaml_entries
from storagelab.cli import app as command_line
from storagelab.parsers import benchmarks, cmssw, fio, ganglia, lustre, messages, monitors, root, transfers
from storagelab.schema import Field
from storagelab.study import published, sidecar_numbers, testbed, topology

MARK = re.compile(r"<!-- generated: ([\w ]+) -->")
BETWEEN_BACKTICKS = re.compile(r"(`[^`]*`)|<")
LOGS = Path(__file__).resolve().parents[2] / "tests" / "logs"
FAMILIES: Mapping[str, tuple[Any, ...]] = {
    "Benchmarks": benchmarks.PARSERS,
    "fio": fio.PARSERS,
    "Jobs": (*root.PARSERS, *cmssw.PARSERS, parsers.darshan_text, *parsers.BINARY),
    "Transfers": transfers.PARSERS,
    "Monitors": monitors.PARSERS,
    "Ganglia and rrdtool": ganglia.PARSERS,
    "Lustre": lustre.PARSERS,
    "Messages": messages.PARSERS,
}

SIDECARS: Mapping[str, tuple[type, ...]] = {
    "published.yaml": (published.Value, sidecar_numbers.Quantity),
    "testbed.yaml": (testbed.Stage, testbed.Parameter, topology.Tier, topology.Box),
    "claims.yaml": tuple(getattr(claims_yaml_entries, name) for name in ("Entry", "Reading", "Second", "Slack")),
    "checks.yaml": (claims_yaml.Check, claims_yaml.Inconsistency),
    "figures.yaml": (claims_yaml.Figure,),
}


# formats


def formats() -> str:
    """Say of each format what is read of it, where it is defined, and what columns it gives."""
    parts = []
    for family, members in FAMILIES.items():
        parts.append(f"## {family}\n")
        parts += [described(parser) for parser in members]
    return "\n".join(parts)


def described(parser: Any) -> str:
    """Describe one format."""
    form, module = parser.FORMAT, parser if inspect.ismodule(parser) else sys.modules[type(parser).__module__]
    said = {
        "tool": f"{form.tool}, {form.versions}",
        "read": form.reads,
        "source": form.source,
        "parser": f"`{module.__name__}`",
    }
    said |= {f"gives {node}": _listed(names) for node, names in gives(form.name).items()}
    rows = "\n".join(f"| {what} | {_cell(text)} |" for what, text in said.items())
    return f"### {form.name}\n\n{_first(module.__doc__)}\n\n| | |\n|---|---|\n{rows}\n"


@cache
def gives(name: str) -> dict[str, list[str]]:
    """Return the columns that logs of a format give in the tests, by node; "every row" has what a log says once."""
    found: dict[str, dict[str, None]] = {}
    for path in sorted((LOGS / name.replace("-", "_")).glob("*.golden.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            for node, names in columns(json.loads(line)):
                found.setdefault(node, {}).update(dict.fromkeys(names))
    return {node: list(found[node]) for node in ("every row", *schema.NODES) if node in found}


def columns(entry: dict[str, Any]) -> Iterable[tuple[str, list[str]]]:
    """Return the node of an entry of a golden table, and its columns."""
    if "header" in entry:
        yield "every row", list(entry["header"])
    elif entry.get("node") == "series":
        yield "series", [entry["name"]]
    elif "node" in entry:
        yield entry["node"], [name for name in entry if name not in ("node", "line")]


# the contract


def variables() -> str:
    """Lay the variables out."""
    return _fields(schema.VARIABLES)


def trace() -> str:
    """Lay out what leads back to a log, and what is known of one."""
    return _fields([*schema.TRACE, *schema.LOG_FIELDS])


def vocabularies() -> str:
    """Lay out the words that a key may have where it may not have any."""
    rows = [f"| `{name}` | {_listed(word for word in words if word)} |" for name, words in schema.VALUES.items()]
    return "\n".join(["| key | words |", "|---|---|", *rows])


def _fields(fields: Iterable[Field]) -> str:
    rows = [f"| `{field.name}` | {field.unit or 'text'} | {_cell(field.long_name)} |" for field in fields]
    return "\n".join(["| name | unit | what it is |", "|---|---|---|", *rows])


# sidecars of published studies; those of a study of one's own stand in docs/study.md


def sidecars() -> str:
    """List what the sidecars of a published study may say, file by file."""
    return "\n".join(f"## {file}\n\n{_classes(classes)}\n" for file, classes in SIDECARS.items())


def _classes(classes: Iterable[type]) -> str:
    lines = "\n".join(f".. autoclass:: {one.__module__}.{one.__name__}" for one in classes)
    return f"```{{eval-rst}}\n{lines}\n```"


# commands


def commands() -> str:
    """Lay every command out, from its own help."""
    group = typer.main.get_command(command_line)
    above = group.context_class(group, info_name="storagelab")
    return "\n".join(_command(name, one, above) for name, one in group.commands.items())  # type: ignore[attr-defined]


def _command(name: str, command: Any, above: Any) -> str:
    context = command.context_class(command, info_name=name, parent=above)
    usage = command.get_usage(context).removeprefix("Usage: ")
    records = [param.get_help_record(context) for param in command.get_params(context)]
    rows = "\n".join(f"| `{_escaped(names)}` | {_cell(said)} |" for names, said in filter(None, records))
    example = command.epilog.removeprefix("Example: ")
    return (
        f"(command-{name})=\n## {name}\n\n{_prose(command.help)}\n\n```text\n{usage}\n```\n\n"
        f"| argument or option | what it is |\n|---|---|\n{rows}\n\nExample:\n\n```bash\n{example}\n```\n"
    )


# functions


def functions(room: str) -> str:
    """List the public functions of one room of `storagelab.analysis`, or "results" for those that stand in none."""
    return _documented("storagelab.analysis", [name for name in analysis.__all__ if room_of(name) == room])


def room_of(name: str) -> str:
    """Return the room of `storagelab.analysis` in which a function is written."""
    written = inspect.unwrap(getattr(analysis, name)).__module__.split(".")
    return written[2] if len(written) > 3 else "results"


def drawings() -> str:
    """List what draws."""
    return _documented("storagelab.figures", figures.__all__)


def entrance() -> str:
    """List what `import storagelab` gives."""
    import storagelab

    return _documented("storagelab", storagelab.__all__)


def mistakes() -> str:
    """List the errors."""
    return "```{eval-rst}\n.. automodule:: storagelab.errors\n   :members:\n   :show-inheritance:\n```"


def _documented(module: str, names: Iterable[str]) -> str:
    """Write the directives that document some names of a module."""
    home = __import__(module, fromlist=["_"])
    kinds = {name: "class" if inspect.isclass(getattr(home, name)) else "function" for name in names}
    lines = "\n".join(
        f".. auto{kind}:: {module}.{name}" + ("\n   :members:" if kind == "class" else "")
        for name, kind in kinds.items()
    )
    return f"```{{eval-rst}}\n{lines}\n```"


# text


def _first(documentation: str | None) -> str:
    """Return the first paragraph of a docstring, as Markdown."""
    return _prose((inspect.cleandoc(documentation or "")).partition("\n\n")[0])


def _prose(text: str | None) -> str:
    """Turn what stands in a docstring or a help into Markdown: double backticks are single ones; nothing is HTML."""
    return BETWEEN_BACKTICKS.sub(lambda found: found[1] or "&lt;", (text or "").replace("``", "`"))


def _cell(text: str) -> str:
    return _escaped(_prose(text)).replace("*", "\\*").replace("\n", " ")


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


PARTS: Mapping[str, Callable[..., str]] = {
    part.__name__: part
    for part in (formats, variables, trace, vocabularies, sidecars, commands, functions, drawings, entrance, mistakes)
}


def generated(mark: re.Match[str]) -> str:
    """Return what stands in the place of a mark."""
    part, *arguments = mark[1].split()
    return PARTS[part](*arguments)


def write(app: Sphinx, page: str, source: list[str]) -> None:
    """Put the reference into a page that asks for it; it is made anew each time, for the code may have changed."""
    if MARK.search(source[0]):
        app.env.reread_always.add(page)
        source[0] = MARK.sub(generated, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the reference as pages are read."""
    app.connect("source-read", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

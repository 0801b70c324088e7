"""``make benchmarks``: print how fast what is; ``python -m benchmarks SECTION --write`` puts it into docs/speed.md."""

from __future__ import annotations

import argparse
import platform
import re
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import monitors, papers, parsing, pipeline, recognition, startup, streaming
from benchmarks.measure import ROOT
from storagelab.pinned_environment import cores

PAGE = ROOT / "docs" / "speed.md"

SECTIONS: dict[str, Callable[[Path], str]] = {
    "parsing": parsing.parsing,
    "monitors": monitors.monitors,
    "recognition": lambda _: recognition.recognition(),
    "memory": parsing.memory,
    "streaming": streaming.streaming,
    "ingest": pipeline.ingesting,
    "papers": papers.papers,
    "repro": pipeline.reproducing,
    "startup": lambda _: startup.startup(),
}
"""What is measured, under the names of its sections of the page."""


def main(arguments: Sequence[str] | None = None) -> None:
    asked = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure how fast storagelab is, each time beside a baseline.",
        epilog="example: python -m benchmarks papers startup --write",
    )
    asked.add_argument("sections", nargs="*", metavar="SECTION", help=f"{', '.join(SECTIONS)}; without one, all")
    asked.add_argument("--write", action="store_true", help="put the tables into docs/speed.md (all: 50 minutes alone)")
    said = asked.parse_args(arguments)
    if unknown := sorted(set(said.sections) - set(SECTIONS)):
        asked.error(f"no section {', '.join(unknown)}: expected {', '.join(SECTIONS)}")
    for name in said.sections or SECTIONS:
        with tempfile.TemporaryDirectory() as folder:
            measured = f"{conditions()}\n\n{SECTIONS[name](Path(folder))}"
        print(f"{name}: {measured}", flush=True)
        if said.write:
            PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), name, measured), encoding="utf-8")


def conditions() -> str:
    """When and where something is measured, as a sentence."""
    today = datetime.now(UTC).strftime("%d %B %Y").removeprefix("0")
    return f"Measured on {today}, {cores()} cores, Python {platform.python_version()}."


def written(page: str, name: str, text: str) -> str:
    """Put a text between the marks of a section.

    Raises
    ------
    ValueError
        If the page has no such section.
    """
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    section = re.compile(f"(?<={re.escape(begin)}).*(?={re.escape(end)})", re.DOTALL)
    page, found = section.subn(lambda _: text, page)
    if not found:
        raise ValueError(f"no section {begin.strip()} to {end}")
    return page


if __name__ == "__main__":
    main()

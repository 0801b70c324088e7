"""``make benchmarks``: print all tables; with --write, put them into README.md."""

from __future__ import annotations

import argparse
import re
import tempfile
from pathlib import Path

from benchmarks import papers, parsing, pipeline, recognition, startup, streaming
from benchmarks.measure import ROOT


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--write", action="store_true", help="put the tables into README.md (about 45 minutes alone)")
    write = asked.parse_args().write
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = [
            f"{parsing.COUNT:,} logs of each format, the repository's own, read one by one (SHA-256, recognition, "
            f"parsing, check) by one process; the last columns say how many times longer that takes.\n",
            parsing.parsing(folder),
            recognition.recognition(),
            parsing.memory(folder),
            streaming.streaming(folder),
            pipeline.ingesting(folder),
            papers.papers(folder),
            pipeline.reproducing(folder),
            startup.startup(),
        ]
    text = "\n".join(parts)
    print(text)
    if write:
        readme = ROOT / "README.md"
        marked = re.compile(r"(?<=<!-- benchmarks -->\n).*(?=<!-- /benchmarks -->)", re.DOTALL)
        readme.write_text(marked.sub(lambda _: text, readme.read_text(encoding="utf-8")), encoding="utf-8")


main()

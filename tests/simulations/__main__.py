"""Simulate and print; with --write, put the tables into docs/simulations.md. Names of rooms choose among them."""

from __future__ import annotations

import sys

from rich.progress import track

from tests.simulations import kept, page

chosen = [name for name in sys.argv[1:] if name != "--write"]
for room, studies in page.rooms().items():
    if room in (chosen or page.rooms()):
        text = page.table([(one, one.run()) for one in track(studies, room)])
        if "--write" in sys.argv:
            page.write(room, text)
            kept.write(room, studies)
        else:
            sys.stdout.write(f"{text}\n\n")

"""Simulate and print; with --write, put the tables into docs/simulations.md. Names of rooms choose among them.

With --keep, changed code counts as that of the page where one campaign in 20 comes out as it was kept.
"""

from __future__ import annotations

import sys

from rich.progress import track

from tests.simulations import kept, page

chosen = [name for name in sys.argv[1:] if name not in ("--write", "--keep")]
for room, studies in page.rooms().items():
    if room not in (chosen or page.rooms()):
        continue
    if "--keep" in sys.argv:
        if kept.digest(room) != kept.digests().get(room):
            kept.keep(room, studies)
        continue
    text = page.table([(one, one.run()) for one in track(studies, room)])
    if "--write" in sys.argv:
        page.write(room, text)
        kept.write(room, studies)
    else:
        sys.stdout.write(f"{text}\n\n")

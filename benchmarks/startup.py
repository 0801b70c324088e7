"""What it costs to start: imports and ``--help``, against ``import numpy``."""

from __future__ import annotations

from benchmarks.measure import best, python, table

STATEMENTS = {
    "nothing": "pass",
    "`import numpy`": "import numpy",
    "`import storagelab`": "import storagelab",
    "`storagelab --help`": "import sys; sys.argv = ['storagelab', '--help']; from storagelab.cli import main; main()",
    "`import storagelab.ingest` (all parsers)": "import storagelab.ingest",
    "`import xarray`": "import xarray",
}


def startup() -> str:
    """Seconds from starting the interpreter to its end, best of seven."""
    times = best({name: lambda code=code: python(code) for name, code in STATEMENTS.items()}, rounds=7)  # type: ignore[misc]
    return table(["starting Python for", "seconds"], [[name, f"{seconds:.2f}"] for name, seconds in times.items()])

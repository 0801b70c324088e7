"""The folder in which what stands on the pages runs: datasets made from raw/ of this repository, and logs to try.

Commands run in a copy of their own for each page (`shell`), cells of notebooks in the folder itself. Nothing is read
from ``reports/``: the site shows what the raw logs give now.
"""

from __future__ import annotations

import logging as logging_of_python
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

from storagelab import writing

ROOT = Path(__file__).resolve().parents[2]
CAMPAIGNS = ("cluster-2026", "loopback-2026")
PUBLISHED = "llnl-2010"
"""Its record of claims needs both campaigns, and no other."""
SHOWN = {
    "kernel": "raw/loopback-2026/ior/xfs/kernel_loop-direct_easy-fpp_*.log",
    "fuse": "raw/loopback-2026/ior/xfs/fuse_loop-direct_easy-fpp_*.log",
}
"""Logs that a first hour begins with: one benchmark on two mounts of one file system."""
IN_FOLDER = "import os\n\nos.chdir({folder!r})\n"
QUIET = "c = get_config()\nc.IPKernelApp.log_level = 'ERROR'  # that it talks to this machine without encryption\n"

log = logging.getLogger(__name__)


def folder_in(made: os.PathLike[str]) -> Path:
    """Return the folder in which the pages work, beside what else Sphinx keeps between two builds."""
    return Path(made, "workplace")


def prepare(app: Sphinx) -> None:
    """Fill the folder, and start what the pages run in it."""
    folder = folder_in(app.doctreedir)
    lay_out(folder)
    if not is_newer(folder / "reports", [ROOT / name for name in ("storagelab", "raw", "reconstructions")]):
        make_datasets(folder)
    start_kernels_in(folder)


def lay_out(folder: Path) -> None:
    """Put the raw data in place: linked where they are only read, copied where logs are rendered beside them."""
    for name in ("raw", "logs"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "raw").mkdir(parents=True)
    for study in (*CAMPAIGNS, "synthesis"):
        (folder / "raw" / study).symlink_to(ROOT / "raw" / study)
    for name in ("reconstructions", "tests"):
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "raw" / PUBLISHED, folder / "raw" / PUBLISHED, ignore=shutil.ignore_patterns("logs"))
    for name, pattern in SHOWN.items():
        (folder / "logs" / name).mkdir(parents=True)
        for path in sorted(ROOT.glob(pattern)):
            shutil.copy(path, folder / "logs" / name)


def is_newer(made: Path, sources: Iterable[Path]) -> bool:
    """Whether all that is made is newer than every file that it was made from."""
    times = [path.stat().st_mtime for path in made.rglob("*") if path.is_file()]
    files = (path for source in sources for path in source.rglob("*") if path.is_file() and path.suffix != ".pyc")
    read = (path.stat().st_mtime for path in files)
    return len(times) == len(CAMPAIGNS) + 2 and min(times) > max(read)


def make_datasets(folder: Path) -> None:
    """Ingest the campaigns, render the logs of the published study, and hold its claims against them."""
    from storagelab import claims, dataset, ingest
    from storagelab.reconstruct import campaign

    raw, reports = folder / "raw", folder / "reports"
    log.info("reading the raw logs of %s", ", ".join((*CAMPAIGNS, PUBLISHED)))
    campaign.write(campaign.reconstruct(raw / PUBLISHED), raw / PUBLISHED)
    trees = {study: ingest.ingest(raw / study) for study in (*CAMPAIGNS, PUBLISHED)}
    for study, tree in trees.items():
        (reports / study).mkdir(parents=True, exist_ok=True)
        dataset.save(tree, reports / study / "dataset.nc")
    record = claims.evaluate(raw / PUBLISHED, trees[PUBLISHED], {study: trees[study] for study in CAMPAIGNS})
    claims.save(record, reports / PUBLISHED / "claims.json")


def start_kernels_in(folder: Path) -> None:
    """Let the kernels of notebooks begin in the folder, with this storagelab and nobody's own settings."""
    profile = folder / "ipython" / "profile_default"
    (profile / "startup").mkdir(parents=True, exist_ok=True)
    writing.write_text(profile / "startup" / "folder.py", IN_FOLDER.format(folder=str(folder)))
    writing.write_text(profile / "ipython_kernel_config.py", QUIET)
    os.environ["IPYTHONDIR"] = str(folder / "ipython")
    os.environ["PYTHONPATH"] = str(ROOT)
    os.environ["MPLBACKEND"] = "agg"
    logging_of_python.getLogger("traitlets").setLevel(logging_of_python.WARNING)


def setup(app: Sphinx) -> dict[str, bool]:
    """Prepare the folder before pages are read."""
    app.connect("builder-inited", prepare)
    return {"parallel_read_safe": False}

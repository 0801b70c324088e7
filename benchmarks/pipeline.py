"""The campaigns: ingest against reading the bytes, and ``dvc repro`` against as many stages that do nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from benchmarks.measure import ROOT, best, run, table
from storagelab import dataset
from storagelab.ingest import checksums, ingest

STUDIES = sorted(path.parent for path in ROOT.glob("raw/*/study.yaml"))
DVC = (sys.executable, "-m", "dvc")


def ingesting(folder: Path) -> str:
    """A row a campaign: reading, joining and writing its dataset, beside the SHA-256 of all its files."""
    rows = []
    for study in STUDIES:
        files = [path for path in study.rglob("*") if path.is_file()]
        output = folder / f"{study.name}.nc"

        def make(study: Path = study, output: Path = output) -> None:
            dataset.save(ingest(study), output)

        def read(files: list[Path] = files) -> None:
            for path in files:
                checksums.sha256(path)

        times = best({"make": make, "read": read})
        size = sum(path.stat().st_size for path in files)
        rows.append(
            [
                study.name,
                f"{len(files):,}",
                f"{size / 1e6:.1f} MB",
                f"{times['make']:.1f} s",
                f"{times['read']:.2f} s",
                f"{output.stat().st_size / 1e6:.2f} MB",
            ]
        )
    return table(["campaign", "files", "size", "ingest", "SHA-256 of its files", "dataset.nc"], rows)


def reproducing(folder: Path) -> str:
    """Cold and no-op ``dvc repro`` of the whole pipeline, and of as many stages of ``true``."""
    ours, trivial = _clone(folder / "ours"), _trivial(folder / "trivial", _stages())
    rows = []
    for name, repository in ((f"the pipeline ({_stages()} stages)", ours), ("as many trivial stages", trivial)):
        cold = best({"repro": lambda repository=repository: run(*DVC, "repro", cwd=repository)}, rounds=1)["repro"]  # type: ignore[misc]
        noop = best({"repro": lambda repository=repository: run(*DVC, "repro", cwd=repository)})["repro"]  # type: ignore[misc]
        rows.append([name, f"{cold:.1f} s", f"{noop:.1f} s"])
    return table(["`dvc repro` of", "all", "nothing to do"], rows)


def _stages() -> int:
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"].values()
    return sum(len(STUDIES) if "foreach" in stage else 1 for stage in stages)


def _clone(folder: Path) -> Path:
    """The repository as it is committed, without reports: what a newcomer has."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    return folder


def _trivial(folder: Path, count: int) -> Path:
    folder.mkdir()
    run("git", "init", "--quiet", cwd=folder)
    run(*DVC, "init", "--quiet", cwd=folder)
    shutil.copy(ROOT / ".dvc" / "config", folder / ".dvc" / "config")
    stages = {f"s{n}": {"cmd": f"echo {n} > {n}", "outs": [{str(n): {"cache": False}}]} for n in range(count)}
    (folder / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}))
    return folder

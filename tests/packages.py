"""Packages as pip leaves them: metadata with entry points, in a folder from which Python imports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def install(site: Path, package: str, groups: Mapping[str, Mapping[str, str]]) -> None:
    """Write the metadata of a package whose entry points are named: group -> name -> object."""
    folder = site / f"{package.replace('-', '_')}-1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    lines = (
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in groups.items()
    )
    (folder / "entry_points.txt").write_text("\n".join(lines))

"""Say which outputs are not those that were committed: ``python -m tests.machines.committed`` after `make reports`.

Git has the digest of every output (dvc.lock) and the numbers of the papers (metrics.json): of the first it is known
which differ, of the second also by how much.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.machines import differences

LOCK = "dvc.lock"


def main() -> None:
    told = list(changes(Path(__file__).parent.parent.parent))
    for line in told:
        sys.stdout.write(f"{line}\n")
    sys.exit(1 if told else 0)


def changes(root: Path) -> Iterator[str]:
    """Say what differs from the last commit: numbers with their differences first, then what only has a digest."""
    before, now = _digests(_committed(root, LOCK) or b""), _digests(_read(root / LOCK))
    measured = [path for path in _tracked(root) if _committed(root, path) != _read(root / path)]
    for path in measured:
        yield str(differences.measured(path, _committed(root, path) or b"", _read(root / path)))
    for path in sorted({*before, *now} - {*measured}):
        if path not in now:
            yield f"{path}: is in the committed {LOCK}, and no longer made"
        elif path not in before:
            yield f"{path}: is not in the committed {LOCK}"
        elif before[path] != now[path]:
            yield f"{path}: another {'folder' if now[path].endswith('.dir') else 'file'} than the one committed"


def _digests(lock: bytes) -> dict[str, str]:
    """Digest of each output of each stage."""
    stages: dict[str, Any] = (yaml.safe_load(lock) or {}).get("stages", {})
    return {out["path"]: str(out["md5"]) for stage in stages.values() for out in stage.get("outs", [])}


def _tracked(root: Path) -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z", "reports"], cwd=root, capture_output=True, check=True).stdout
    return [path for path in listed.decode().split("\0") if path]


def _committed(root: Path, path: str) -> bytes | None:
    done = subprocess.run(["git", "show", f"HEAD:{path}"], cwd=root, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


if __name__ == "__main__":
    main()

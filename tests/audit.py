"""``python -m tests.audit``: the pinned dependencies, held against a database of known vulnerabilities by pip-audit.

pip-audit is fetched into a scratch environment if it is not installed; its database is that of the package index. Where
either cannot be reached, that is said in one line, and nothing was audited: exit status 0, so that a machine without a
network can run it too. Exit status 1: a pin has a known vulnerability.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PINS = ROOT / "requirements" / "test.txt"
"""The pins of the reports are among those of the tests."""

TOOL = "pip-audit==2.10.1"
KNOWN = "jinja2==2.4.1"
"""A package with known vulnerabilities: where the index tells of none of them, it tells of none at all."""
PATIENCE = 600.0

RUN_AT_INSTALL = {
    "antlr4-python3-runtime": "4.9.3, which omegaconf needs, and dvc through it, has a setup.py and no wheel",
}
"""Pins that run code of their own when they are installed, and why: they have no wheel. All others must have one."""


def main() -> int:
    """Audit the pins, and say what came of it."""
    with tempfile.TemporaryDirectory(prefix="audit-") as name:
        try:
            command, known = tool(Path(name)), Path(name, "known.txt")
            known.write_text(f"{KNOWN}\n")
            if not vulnerabilities(asked(command, known, "--no-deps")):
                raise Unreachable(f"the index tells of no vulnerability of {KNOWN}, which has some: it has no database")
            answer = asked(command, PINS, "--require-hashes")
        except Unreachable as error:
            print(f"audit: skipped, nothing was audited: {error}")
            return 0
    found, left_out = vulnerabilities(answer), [one["name"] for one in answer["dependencies"] if "vulns" not in one]
    for line in found:
        print(line)
    print(f"audit: {len(found)} known vulnerabilities in {len(answer['dependencies']) - len(left_out)} dependencies")
    if left_out:
        print(f"audit: not audited: {', '.join(left_out)}")
    return min(len(found), 1)


class Unreachable(Exception):  # noqa: N818  an answer, and no mistake
    """pip-audit or its database cannot be reached."""


def tool(folder: Path) -> list[str]:
    """Return how pip-audit is called, fetched into a folder where it is not installed."""
    if found := shutil.which("pip-audit"):
        return [found]
    venv.create(folder / "tool", with_pip=True)
    python = str(folder / "tool" / "bin" / "python")
    fetch = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--only-binary", ":all:", TOOL]
    done = _run(fetch)
    if done.returncode:
        raise Unreachable(f"{TOOL} cannot be fetched: {_last(done.stderr)}")
    return [python, "-m", "pip_audit"]


def asked(command: list[str], requirements: Path, kind: str) -> dict[str, Any]:
    """Return what pip-audit answers about a file of requirements.

    Raises
    ------
    Unreachable
        If there is no answer.
    """
    words = ["--disable-pip", kind, "--requirement", str(requirements), "--progress-spinner", "off"]
    done = _run([*command, *words, "--format", "json"])
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise Unreachable(f"pip-audit gave no answer: {_last(done.stderr)}") from None
    return found


def vulnerabilities(answer: dict[str, Any]) -> list[str]:
    """Write a line for each vulnerability in an answer of pip-audit."""
    return [
        f"{one['name']} {one['version']}: {each['id']}, mended in {', '.join(each['fix_versions']) or 'no version'}"
        for one in answer["dependencies"]
        for each in one.get("vulns", ())
    ]


def pins(text: str) -> dict[str, int]:
    """Return each pinned package of a file of requirements, with how many hashes of files it has."""
    entries = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)
    return {entry.partition("==")[0]: entry.count("--hash=sha256:") for entry in entries if "==" in entry}


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"no answer after {PATIENCE:g} seconds")


def _last(text: str) -> str:
    return (text.strip().splitlines() or ["it said nothing"])[-1][:200]


if __name__ == "__main__":
    sys.exit(main())

"""Which pinned dependency runs code when it is installed, and what `make audit` makes of what pip-audit answers."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from tests import audit
from tests.conftest import ROOT

FILES = ("reports", "test", "lab")


@pytest.mark.parametrize("name", FILES)
def test_every_pin_that_runs_code_at_install_is_named(name: str) -> None:
    """A package with a wheel has at least two files, the wheel and its source; with one file it has no wheel."""
    found = audit.pins((ROOT / "requirements" / f"{name}.txt").read_text())
    assert len(found) > 150
    assert {package for package, files in found.items() if files == 1} == set(audit.RUN_AT_INSTALL)


def test_pip_is_told_to_run_no_other_code_than_that_of_the_named() -> None:
    makefile = (ROOT / "Makefile").read_text()
    (told,) = re.findall(r"^WHEELS := (.*)$", makefile, re.MULTILINE)
    assert told == f"--only-binary :all: --no-binary {','.join(audit.RUN_AT_INSTALL)}"
    installs = [line for line in makefile.splitlines() if "--requirement" in line]
    assert len(installs) == len(FILES)
    assert all("$(WHEELS)" in line and "--require-hashes" in line for line in installs)


def test_security_names_what_runs_code_at_install() -> None:
    said = (ROOT / "SECURITY.md").read_text()
    assert [name for name in audit.RUN_AT_INSTALL if f"`{name}`" not in said] == []


def test_pins_are_counted_with_their_hashes() -> None:
    hashes = [f" \\\n    --hash=sha256:{word}" for word in ("aa", "bb")]
    text = f'one==1.0 ; os_name == "nt"{"".join(hashes)}\ntwo.x==2{hashes[0]}\n'
    assert audit.pins(text) == {"one": 2, "two.x": 1}


BAD = {"id": "PYSEC-0", "fix_versions": ["3"]}
ANSWER = {
    "dependencies": [
        {"name": "safe", "version": "1", "vulns": []},
        {"name": "skipped", "skip_reason": "not found"},
        {"name": "bad", "version": "2", "vulns": [BAD | {"id": "PYSEC-1"}, {"id": "X", "fix_versions": []}]},
    ]
}  # fmt: skip


KNOWN = {"dependencies": [{"name": "jinja2", "version": "2.4.1", "vulns": [BAD]}]}


def answering(known: object, pins: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for pip-audit: what it answers about the package that is known to be bad, and about the pins."""

    def run(command: list[str]) -> subprocess.CompletedProcess[str]:
        answer = pins if str(audit.PINS) in command else known
        said = "Traceback\nConnectionError: unreachable\n" if answer is None else ""
        return subprocess.CompletedProcess(command, 1, json.dumps(answer) if answer is not None else "", said)

    monkeypatch.setattr(audit, "tool", lambda folder: ["pip-audit"])
    monkeypatch.setattr(audit, "_run", run)


def test_a_known_vulnerability_is_told_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answering(KNOWN, ANSWER, monkeypatch)
    assert audit.main() == 1
    assert capsys.readouterr().out.splitlines() == [
        "bad 2: PYSEC-1, mended in 3",
        "bad 2: X, mended in no version",
        "audit: 2 known vulnerabilities in 2 dependencies",
        "audit: not audited: skipped",
    ]


@pytest.mark.parametrize(
    ("known", "pins", "said"),
    [
        (None, None, "pip-audit gave no answer: ConnectionError: unreachable"),
        (KNOWN, None, "pip-audit gave no answer: ConnectionError: unreachable"),
        (
            {"dependencies": [{"name": "jinja2", "version": "2.4.1", "vulns": []}]},
            {"dependencies": []},
            "the index tells of no vulnerability of jinja2==2.4.1, which has some: it has no database",
        ),
    ],
)
def test_an_audit_without_a_database_says_that_nothing_was_audited(
    known: object, pins: object, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answering(known, pins, monkeypatch)
    assert audit.main() == 0
    assert capsys.readouterr().out == f"audit: skipped, nothing was audited: {said}\n"


def test_an_audit_without_its_tool_says_that_nothing_was_audited(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = subprocess.CompletedProcess([], 1, "", "ERROR: No matching distribution\n")
    monkeypatch.setattr(audit.shutil, "which", lambda name: None)
    monkeypatch.setattr(audit.venv, "create", lambda folder, with_pip: None)
    monkeypatch.setattr(audit, "_run", lambda command: failed)
    assert audit.main() == 0
    said = "skipped, nothing was audited: pip-audit==2.10.1 cannot be fetched: ERROR: No matching distribution"
    assert said in capsys.readouterr().out

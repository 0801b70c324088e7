"""The page on a campaign of one's own names commands and options that there are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer
import yaml

from storagelab import project
from storagelab.cli import app
from storagelab.recording import randomised_order
from storagelab.study.campaign_plan import Campaign
from tests.cli.conftest import Cli
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "campaign.md").read_text()
BLOCKS = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
LINES = [line for block in BLOCKS for line in block.splitlines()]
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("storagelab ")])
def test_a_line_of_the_page_is_one_that_the_command_line_takes(line: str) -> None:
    _, name, *arguments = shlex.split(line)
    COMMANDS[name].make_context(name, arguments)


def test_the_plans_of_the_page_are_some() -> None:
    plans = re.findall(r"^```yaml\n(plan:\n.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    simple, whole = (Campaign.model_validate(yaml.safe_load(text)["plan"]) for text in plans)
    assert simple.repeats == 4
    assert len(list(randomised_order.runs(whole, whole.repeats))) == 3 * 2 * 4
    for plan in (simple, whole):
        randomised_order.check_commands(plan, "docs/campaign.md")
    for field in ("set", "pilot", "drop_caches", "target", "hosts", "slurm", "before", "monitors"):
        assert f"`{field}: " in PAGE
        assert field in Campaign.model_fields


def test_next_year_has_the_plan_of_this_year(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    sidecar = project.make(tmp_path / "nfs-2025").root / "raw/nfs-2025/study.yaml"
    plan = re.findall(r"^```yaml\n(plan:\n.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]
    sidecar.write_text(f"{sidecar.read_text()}\n{plan}")
    monkeypatch.chdir(tmp_path / "nfs-2025")
    new, campaign, _ = BLOCKS[-1].splitlines()
    assert cli(*shlex.split(new)[1:]).code == 0
    planned = cli(*shlex.split(campaign)[1:], "--dry-run")
    assert (planned.code, len(planned.out.splitlines())) == (0, 12)

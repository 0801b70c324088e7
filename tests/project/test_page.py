"""The page on a campaign of one's own names commands and options that there are."""

from __future__ import annotations

import re
import shlex

import pytest
import typer
import yaml

from storagelab.cli import app
from storagelab.study.campaign import Campaign
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "campaign.md").read_text()
BLOCKS = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
LINES = [line for block in BLOCKS for line in block.splitlines()]
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("storagelab ")])
def test_a_line_of_the_page_is_one_that_the_command_line_takes(line: str) -> None:
    _, name, *arguments = shlex.split(line)
    COMMANDS[name].make_context(name, arguments)


def test_the_plan_of_the_page_is_one() -> None:
    [text] = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert Campaign.model_validate(yaml.safe_load(text)["plan"]).repeats == 4
    for field in ("set", "pilot", "drop_caches", "target", "hosts", "slurm"):
        assert f"`{field}: " in PAGE
        assert field in Campaign.model_fields

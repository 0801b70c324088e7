"""The tables of docs/study.md, from the models of `storagelab.study`; ``python -m tests.docs_study`` writes them."""

from __future__ import annotations

from typing import get_args

from storagelab import schema
from storagelab.study.campaign_plan import Blocks, Campaign, Group, Pilot, Plan
from storagelab.study.declared_keys import OwnKey
from storagelab.study.study_yaml import Column, Expected, Rule, Sidecar
from storagelab.study.validation import Strict
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "study.md"
START, END = "<!-- {name} -->\n", "\n<!-- /{name} -->"
MODELS: dict[str, type[Strict]] = {
    "study.yaml": Sidecar, "keys": OwnKey, "match": Rule, "columns": Column, "design": Plan, "expected": Expected,
    "plan": Campaign, "groups": Group, "blocks": Blocks, "pilot": Pilot,
}  # fmt: skip


def fields(model: type[Strict]) -> str:
    """Lay the fields of a model out: name, whether it has to be there, what it is."""
    lines = ["| field | | what it is |", "|---|---|---|"]
    for name, field in model.model_fields.items():
        choices = [choice for choice in get_args(field.annotation) if isinstance(choice, str) and choice]
        allowed = f" ({', '.join(f'`{choice}`' for choice in choices)})" if choices else ""
        must = "needed" if field.is_required() else ""
        lines.append(f"| `{name}` | {must} | {(field.description or '').replace('|', chr(92) + '|')}{allowed} |")
    return "\n".join(lines)


def keys() -> str:
    """Lay the keys of the contract out."""
    lines = ["| key | unit | what it is |", "|---|---|---|"]
    lines += [f"| `{key.name}` | {key.unit or 'text'} | {key.long_name} |" for key in schema.KEYS]
    return "\n".join(lines)


def parts() -> dict[str, str]:
    """Every table by its name."""
    return {name: fields(model) for name, model in MODELS.items()} | {"contract": keys()}


def framed(name: str, table: str) -> str:
    """A table between the marks that it stands between on the page."""
    return f"{START.format(name=name)}{table}{END.format(name=name)}"


def main() -> None:
    """Put the tables into the page."""
    page = PAGE.read_text(encoding="utf-8")
    for name, table in parts().items():
        before, _, rest = page.partition(START.format(name=name))
        page = before + framed(name, table) + rest.partition(END.format(name=name))[2]
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

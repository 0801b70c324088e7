"""A sheet as HTML for a notebook: text colours are the notebook's own, light or dark; no script, no network."""

from __future__ import annotations

import html as markup

from storagelab.escaping.characters import visible
from storagelab.interactive.sheet import Sheet, Table

OURS = ".storagelab-sheet" * 3
"""Said three times so that it weighs more than what notebooks say of tables and lists."""

STYLE = """
{}{color:inherit;background:transparent;line-height:1.45;max-width:72em;overflow-x:auto}
{} p,{} dl,{} ul{margin:.3em 0;padding:0}
{} dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1em}
{} dt{font-weight:600;float:none;width:auto}
{} dd{margin:0;padding:0;float:none;width:auto;overflow-wrap:anywhere}
{} ul{list-style:none}
{} li,{} .storagelab-alarm{border-left:.3em solid #c2620e;padding:0 0 0 .6em;margin:.2em 0;list-style:none}
{} table{border-collapse:collapse;margin:.6em 0;font-size:inherit;table-layout:auto}
{} caption,{} summary{text-align:left;font-weight:600;padding:.2em 0;color:inherit;caption-side:top}
{} details caption{display:none}
{} th,{} td{text-align:left;vertical-align:top;padding:.15em .9em .15em 0;border:0;border-bottom:1px solid #8888;
white-space:normal;max-width:40em;overflow-wrap:break-word}
{} tr{background:transparent}
{} thead th{font-weight:600}
{} tbody th{font-weight:400}
""".replace("{}", OURS)


def html(sheet: Sheet) -> str:
    """Write a sheet as one element; everything that comes from data is escaped."""
    title = f": {escape(sheet.title)}" if sheet.title else ""
    parts = [
        f"<p><strong>{escape(sheet.heading)}</strong>{title}</p>",
        _origin(sheet),
        _warnings(sheet.warnings),
        _facts(sheet.facts),
        *map(_table, sheet.tables),
    ]
    label = escape(f"Summary of {sheet.heading}")
    return f'<section class="storagelab-sheet" aria-label="{label}"><style>{STYLE}</style>{"".join(parts)}</section>'


def escape(text: str) -> str:
    """Take from text all that a browser would act upon."""
    return markup.escape(visible(text))


def _origin(sheet: Sheet) -> str:
    if sheet.alarming:
        return f'<p class="storagelab-alarm">Origin: <strong>{escape(sheet.origin.upper())}</strong></p>'
    return f"<p>Origin: {escape(sheet.origin)}</p>"


def _warnings(warnings: tuple[str, ...]) -> str:
    items = "".join(f"<li><strong>Warning:</strong> {escape(warning)}</li>" for warning in warnings)
    return f"<ul>{items}</ul>" if items else ""


def _facts(facts: tuple[tuple[str, str], ...]) -> str:
    items = "".join(f"<dt>{escape(term)}</dt><dd>{escape(said)}</dd>" for term, said in facts)
    return f"<dl>{items}</dl>" if items else ""


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in table.columns)
    rows = "".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
        for first, *cells in table.rows
    )
    caption = escape(table.caption)
    drawn = f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    if not table.folded:
        return drawn
    return f"<details><summary>{caption} ({len(table.rows)})</summary>{drawn}</details>"

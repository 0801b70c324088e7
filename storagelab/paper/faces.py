"""What a paper shows of reconstructed logs says so on its face: the last look before a paper is put in place."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Iterator
from pathlib import Path

WORD = "reconstructed"

_TEXT = re.compile(r"<text[^>]*>(.*?)</text>", re.DOTALL)
_ITEM = re.compile(
    r'<(?:figure|div|table)[^>]* id="(fig|tab)-([\w-]+)".*?<(figcaption|caption)[^>]*>(.*?)</\3>', re.DOTALL
)
_TAG = re.compile(r"<[^>]+>")


def silent(folder: Path, origin: str) -> list[str]:
    """Find what rests on reconstructed logs and does not say so where a reader sees it.

    Parameters
    ----------
    folder : Path
        A paper as it is published: paper.html, figures/ and tables/.
    origin : str
        Origin of the study: where it is "reconstructed", everything must say so; otherwise what has such rows.

    Returns
    -------
    list of str
        A drawing (``figures/rates.svg``), a file of data without any such row (``tables/rates.csv``), or a caption
        (``caption of fig-rates``) for each that is silent.
    """
    whole = origin == WORD
    captions = dict(_captions((folder / "paper.html").read_text(encoding="utf-8")))
    return [
        place
        for kind, short in (("figures", "fig"), ("tables", "tab"))
        for data in sorted((folder / kind).glob("*.csv"))
        for place in _silent(data, short, captions, whole=whole)
    ]


def _silent(data: Path, short: str, captions: dict[str, str], *, whole: bool) -> Iterator[str]:
    said = _rows_say(data)
    if whole and not said:
        yield f"{data.parent.name}/{data.name}"
    if not (whole or said):
        return
    drawing = data.with_suffix(".svg")
    if short == "fig" and not any(WORD in text for text in _TEXT.findall(drawing.read_text(encoding="utf-8"))):
        yield f"{drawing.parent.name}/{drawing.name}"
    anchor = f"{short}-{data.stem}"
    if WORD not in captions.get(anchor, ""):
        yield f"caption of {anchor}"


def _rows_say(data: Path) -> bool:
    with data.open(encoding="utf-8", newline="") as file:
        return any(WORD in (row.get("origin") or "") for row in csv.DictReader(file))


def _captions(page: str) -> Iterator[tuple[str, str]]:
    for short, id, _, caption in _ITEM.findall(page):
        yield f"{short}-{id}", html.unescape(_TAG.sub("", caption)).lower()

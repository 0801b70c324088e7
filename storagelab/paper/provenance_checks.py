"""What a paper shows of reconstructed logs says so on its face: the last look before a paper is put in place."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Iterator
from pathlib import Path

from storagelab.analysis.basis import KEY as BASIS
from storagelab.figures.watermark import NOT_ALL_MEASURED, NOT_MEASURED
from storagelab.wording.words import RESTS

WORD = "reconstructed"
COUNTED = re.compile(rf"\d (?:{'|'.join(RESTS.values())}|{WORD})\b")
"""How a caption says how many of its values rest on what (`storagelab.wording.words.bases`)."""
NOT_FROM_LOGS = re.compile("computed from|as published")
"""What a caption says whose values come out of printed numbers, and of no log."""

_TEXT = re.compile(r"<text\b[^<>]*+>((?:(?!</?text\b).|(?!))*+)</text>", re.DOTALL)
_ITEM = re.compile(r'<(?:figure|div|table)\b[^<>]* id="(fig|tab)-([\w-]+)"')
_CAPTION = re.compile(
    r'<(figcaption|caption)\b[^<>]*+>((?:(?!</?\1\b).|(?!))*+)</\1>|<p class="caption">((?:(?!</?p\b).|(?!))*+)</p>',
    re.DOTALL,
)
"""Captions as the template writes them; that of a folded table stands above what is folded."""
_TAG = re.compile(r"<[^<>]+>")


def find_unlabelled(folder: Path, origin: str) -> list[str]:
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
        A drawing (``figures/rates.svg``), a file of data without any such row (``tables/rates.csv``), a table or the
        numbers for LaTeX (``tables/rates.tex``, ``numbers.tex``), or a caption
        (``caption of fig-rates``) for each that is silent.
    """
    whole = origin == WORD
    numbers = ["numbers.tex"] if whole and WORD not in (folder / "numbers.tex").read_text(encoding="utf-8") else []
    captions = dict(_captions(folder))
    return numbers + [
        place
        for kind, short in (("figures", "fig"), ("tables", "tab"))
        for data in sorted((folder / kind).glob("*.csv"))
        for place in _unlabelled(data, short, captions, whole=whole)
    ]


def uncounted(folder: Path, origin: str) -> list[str]:
    """Find figures of a reconstructed study that do not say how many of their values rest on what.

    Parameters
    ----------
    folder, origin
        As for `find_unlabelled`.

    Returns
    -------
    list of str
        A file of data without the column basis (``figures/rates.csv``), unless its values are printed ones, or its
        caption says what they are computed from; a caption (``caption of fig-rates``) that counts none.
    """
    captions = dict(_captions(folder))
    drawn = sorted((folder / "figures").glob("*.csv")) if origin == WORD else []
    return [place for data in drawn for place in _uncounted(data, captions.get(f"fig-{data.stem}", ""))]


def _uncounted(data: Path, caption: str) -> Iterator[str]:
    rows = _rows(data)
    if all("published" in row["origin"] for row in rows):
        return
    if not all(row.get(BASIS) for row in rows):
        if not NOT_FROM_LOGS.search(caption):
            yield f"figures/{data.name}"
    elif not COUNTED.search(caption):
        yield f"caption of fig-{data.stem}"


def _unlabelled(data: Path, short: str, captions: dict[str, str], *, whole: bool) -> Iterator[str]:
    said = any(WORD in (row.get("origin") or "") for row in _rows(data))
    if whole and not said:
        yield f"{data.parent.name}/{data.name}"
    if not (whole or said):
        return
    drawing = data.with_suffix(".svg")
    if short == "fig" and not _drawing_says(drawing.read_text(encoding="utf-8")):
        yield f"{drawing.parent.name}/{drawing.name}"
    latex = data.with_suffix(".tex")
    if short == "tab" and WORD not in latex.read_text(encoding="utf-8").lower():
        yield f"{latex.parent.name}/{latex.name}"
    anchor = f"{short}-{data.stem}"
    if WORD not in captions.get(anchor, ""):
        yield f"caption of {anchor}"


def _drawing_says(drawing: str) -> bool:
    """Whether a drawing says its origin below its panels, and in them that it was not measured."""
    texts = _TEXT.findall(drawing)
    below = any(WORD in text and text.strip().endswith("data") for text in texts)
    return below and any(NOT_MEASURED in text or NOT_ALL_MEASURED in text for text in texts)


def _rows(data: Path) -> list[dict[str, str]]:
    with data.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _captions(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each figure and table of a page with the first caption behind its opening tag."""
    page = (folder / "paper.html").read_text(encoding="utf-8")
    item = _ITEM.search(page)
    while item and (caption := _CAPTION.search(page, item.end())):
        yield f"{item[1]}-{item[2]}", html.unescape(_TAG.sub("", caption[2] or caption[3])).lower()
        item = _ITEM.search(page, caption.end())

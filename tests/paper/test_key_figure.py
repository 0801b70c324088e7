"""The key figure: which one it is, and that it is drawn once."""

from __future__ import annotations

from pathlib import Path

import pytest

from storagelab.errors import PaperError
from storagelab.paper import svg
from storagelab.paper.document import Document, compose
from tests.paper.conftest import drawn, notebook, opened, stated

FIGURES = [("c", [drawn("one"), stated("a", 1)]), ("c", [stated("b", 2)]), ("c", [drawn("two")])]
REFERRED = "[@fig:one] [@fig:two]"


def made(bibliography: Path, conclusion: str, named: str = "") -> Document:
    cells = ("# T", "## Abstract\n\nA.", ("x()", [opened()]), *FIGURES, REFERRED, f"## Conclusions\n\n{conclusion}")
    nb = notebook(*cells)
    nb.metadata |= {"key_figure": named} if named else {}
    return compose(nb, bibliography)


@pytest.mark.parametrize(
    ("conclusion", "named", "wanted"),
    [
        ("- **Yes?** See [@fig:two] and {{a}}.", "", "two"),
        ("- **Yes?** It is {{a}}.", "", "one"),
        ("- **Yes?** It is {{b}}.", "", "one"),
        ("- **Yes?** See [@fig:two].", "one", "one"),
        ("Nothing is concluded.", "two", "two"),
    ],
)
def test_it_is_what_is_named_or_what_the_first_finding_rests_on(
    bibliography: Path, conclusion: str, named: str, wanted: str
) -> None:
    found = made(bibliography, conclusion, named).key_figure
    assert found is not None
    assert found.id == wanted


def test_without_findings_there_is_none(bibliography: Path) -> None:
    assert made(bibliography, "Nothing is concluded.").key_figure is None


def test_an_id_that_no_figure_has_is_refused(bibliography: Path) -> None:
    message = r"notebook: metadata\.key_figure: unknown figure 'twoo'; did you mean 'two'"
    with pytest.raises(PaperError, match=message):
        made(bibliography, "Nothing.", "twoo")


def test_the_drawing_is_shown_again_and_not_written_again() -> None:
    whole = '<svg viewBox="0 0 72 36"><defs/><path d="M0 0"/></svg>'
    again = svg.again(svg.inline(whole, "fig-a", "An alt."), "fig-a", "An alt.")
    assert '<use xlink:href="#fig-a-drawing" width="72" height="36"/>' in again
    assert "M0 0" not in again
    assert svg.again('<img alt="x" src="data:image/png;base64,">', "fig-a", "x") == ""

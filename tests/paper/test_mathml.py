"""Formulas: TeX in, MathML out, or a refusal that names what is not known."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab.errors import PaperError
from storagelab.paper import allowed_html, latex, mathml
from storagelab.paper.document import compose
from storagelab.paper.sections import inline, plain
from tests.paper.conftest import paper_of, tabled

WRITTEN = {
    r"\bar{x}": '<mover accent="true"><mi>x</mi><mo>¯</mo></mover>',
    r"x_i^2": "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>",
    r"x^2_i": "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>",
    r"\frac{a}{2}": "<mfrac><mi>a</mi><mn>2</mn></mfrac>",
    r"\frac ab": "<mfrac><mi>a</mi><mi>b</mi></mfrac>",
    r"\sum_{i}^n": "<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>",
    r"\min_k": "<munder><mi>min</mi><mi>k</mi></munder>",
    r"\sqrt[3]{\mu}": "<mroot><mi>μ</mi><mrow><mn>3</mn></mrow></mroot>",
    r"-x'": "<mo>−</mo><msup><mi>x</mi><mo>′</mo></msup>",
    r"\left( 1 \right)^2": (
        '<msup><mrow><mo stretchy="true">(</mo><mn>1</mn><mo stretchy="true">)</mo></mrow><mn>2</mn></msup>'
    ),
    r"|x|": '<mo stretchy="false">|</mo><mi>x</mi><mo stretchy="false">|</mo>',
    r"\text{ab c}\,2.5": '<mtext>ab\u00a0c</mtext><mspace width="0.17em"></mspace><mn>2.5</mn>',
    r"a ~ b": '<mi>a</mi><mspace width="0.33em"></mspace><mi>b</mi>',
    r"5\%": "<mn>5</mn><mi>%</mi>",
    r"{}_2": "<msub><mrow></mrow><mn>2</mn></msub>",
    r"a<b": "<mi>a</mi><mo>&lt;</mo><mi>b</mi>",
}
REFUSED = {
    r"\siqma": r"TeX '\\\\siqma': unknown command '\\\\siqma'; did you mean 'sigma'",
    r"{a": r"TeX '{a': '{' is not closed",
    r"a}": r"TeX 'a}': '}' closes nothing",
    r"a^": r"TeX 'a\^': '\^' lacks what belongs to it",
    r"x^2^3": r"TeX 'x\^2\^3': two '\^' behind each other",
    r"\left( a": r"'\\left' has no '\\right'",
    r"\left x\right)": r"'\\\\left' of 'x': expected one of",
    r"\frac{1}": r"'\\\\frac' lacks what belongs to it",
    r"\sqrt[3{x}": r"'\[' is not closed",
    r"5%": r"'%' has no place in a formula; \\% prints it",
    r"\text a": r"'\\\\text' lacks its braces",
    r"\text{a": r"'{' is not closed",
    r"\text{\bar a}": r"'\\\\bar' in the text of '\\\\text'",
    r"n = {{n}}": r"TeX 'n = {{n}}': '{{' begins a fact, which stands outside formulas; braces stand apart",
}


def body(html: str) -> str:
    """A formula as a reader's browser gets it, out of Markdown, its signs as they are read."""
    inner = re.sub(r"</?math[^<>]*>", "", inline(html))
    return re.sub(r"&#(\d+);", lambda sign: chr(int(sign[1])).replace("<", "&lt;"), inner)


@pytest.mark.parametrize(("tex", "wanted"), WRITTEN.items(), ids=WRITTEN)
def test_tex_becomes_mathml(tex: str, wanted: str) -> None:
    assert body(mathml.mathml(tex)) == wanted


@pytest.mark.parametrize(("tex", "message"), REFUSED.items(), ids=REFUSED)
def test_what_is_not_known_is_named(tex: str, message: str) -> None:
    with pytest.raises(PaperError, match=message):
        mathml.mathml(tex)


@pytest.mark.parametrize("command", mathml.COMMANDS)
def test_each_command_that_is_listed_can_be_written(command: str) -> None:
    behind = {"frac": "{a}{b}", "left": "(a\\right)"}.get(command, "{a}")
    page = f'<!DOCTYPE html>\n<html lang="en"><body><p>{mathml.mathml(f"{chr(92)}{command}{behind}")}</p></body></html>'
    assert allowed_html.refused(page) == []


def test_formulas_are_found_between_their_signs() -> None:
    text = "costs $5 and $6, \\$x$; $a$, \\(b\\) and\n\n$$\nc\n$$ or \\[d\\]"
    told = mathml.formulas(text, pytest.fail)
    assert re.findall(r'<math( display="block")? alttext="(\w)">', told) == [
        ("", "a"), ("", "b"), (' display="block"', "c"), (' display="block"', "d"),
    ]  # fmt: skip
    assert told.startswith("costs $5 and $6, \\$x$; <math")


def test_a_caption_keeps_its_formulas_in_html_and_latex(bibliography: Path) -> None:
    caption = "Mean $\\bar{x}_{i}$ & *rate*, $\\text{n}<3$."
    document = compose(paper_of("See [@tab:a].", ("c", [tabled("a", caption)])), bibliography)
    (item,) = document.tables
    assert "<mover accent=" in item.caption
    assert plain(item.caption) == "Mean \\bar{x}_{i} & rate, \\text{n}<3."
    written = latex.table(item.data["text/latex"], item.id, item.caption)
    assert "\\caption{Mean $\\bar{x}_{i}$ \\& rate, $\\mbox{n}<3$.}" in written


@given(st.text(st.sampled_from(r"\{}^_ ab1+-|*[]()<>&%#~'$.;!"), max_size=30))
def test_whatever_is_written_is_whole_and_allowed(tex: str) -> None:
    try:
        made = mathml.mathml(tex)
    except PaperError:
        return
    page = f'<!DOCTYPE html>\n<html lang="en"><body><p>{inline(made)}</p></body></html>'
    assert allowed_html.refused(page) == []
    assert mathml.in_tex(inline(made), lambda text: text) == " ".join(unescape(tex).split())

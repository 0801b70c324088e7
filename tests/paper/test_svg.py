"""A drawing inside a page."""

from __future__ import annotations

from storagelab.paper import svg

DRAWING = """<?xml version="1.0"?>
<!DOCTYPE svg>
<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt" viewBox="0 0 72 36" version="1.1">
 <metadata><x/></metadata>
 <!-- a comment -->
 <g id="figure_1"><defs><clipPath id="c1"><rect x="0.123456" y="1" width="2"/></clipPath><path id="m1" d="M 1.23456
L 2.34567 3"/></defs>
 <g clip-path="url(#c1)"><use xlink:href="#m1" style="fill: #0072b2"/><text x="1">n = 1.23456</text></g></g>
</svg>
"""


def test_a_drawing_fits_into_a_page() -> None:
    inlined = svg.inline(DRAWING, "fig-a", 'Up & "down" <here>')
    head, _, body = inlined.partition(">")
    assert 'aria-label="Up &amp; &quot;down&quot; &lt;here&gt;"' in head
    assert 'viewBox="0 0 72 36" width="96" role="img"' in head
    assert "metadata" not in inlined
    assert "<!" not in inlined
    assert 'id="fig-a-c1"' in body
    assert "url(#fig-a-c1)" in body
    assert 'xlink:href="#fig-a-m1"' in body
    assert 'x="0.12"' in body
    assert 'd="M 1.23L 2.34 3"' in body
    assert "n = 1.23456" in body
    assert "#0072b2" in body
    assert body.endswith("</svg>")

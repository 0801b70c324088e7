"""Imported by the process that all other commands are forked from: what they and their kernels need, once for all.

Much is slow only the first time: templates and lexers are compiled, plugins and fonts are looked for. That is done here
too, on next to nothing.
"""

# ruff: noqa: E402

from __future__ import annotations

import gc

from storagelab.cli.preload_logs import freeze

gc.disable()

from importlib import import_module

import nbformat
from nbconvert.filters import markdown2html_mistune
from nbconvert.filters.highlight import Highlight2HTML

from storagelab.figures.rendering import draw_once, png
from storagelab.figures.style import canvas, style
from storagelab.paper import forked_kernel, made_from, reference_list
from storagelab.paper.exporter import exporter

COMMANDS = (
    "storagelab.claims.evaluation",
    "storagelab.cli.synthesis",
    "storagelab.paper.notebooks",
    "storagelab.cli.claims",
    "storagelab.paper.build",
    "storagelab.paper.index",
    "storagelab.paper.page",
)
TEMPLATES = ("index.html.j2", "common.j2", "macros.j2", "base/display_priority.j2", "base/null.j2")
LATE = (
    "IPython.core.completerlib",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    "PIL.BmpImagePlugin",
    "PIL.GifImagePlugin",
    "PIL.JpegImagePlugin",
    "PIL.PpmImagePlugin",
    "latexcodec",
    "pandas.core.methods.to_dict",
    "pandas.core.reshape.reshape",
    "pandas.io.formats.csvs",
    "psutil",
    "pybtex.database.input.bibtex",
    "pybtex.database.output.bibtex",
    "pybtex.backends.html",
    "ruptures",
    "statsmodels.stats.proportion",
    "tornado.locks",
    "tornado.platform.asyncio",
    "tornado.queues",
    "xarray.computation.nanops",
)
"""What the libraries themselves import only when it is first needed, which would be in nearly every command."""

for _name in (*COMMANDS, *LATE, *forked_kernel.IMPORTED):
    import_module(_name)


def rehearse() -> None:
    """Do what papers do, where the first time is slow."""
    nbformat.validate(nbformat.v4.new_notebook())
    highlight = Highlight2HTML()
    highlight("import this", language="python")
    exporter().register_filter("highlight_code", highlight)  # type: ignore[no-untyped-call]
    for template in TEMPLATES:
        exporter().environment.get_template(template)
    markdown2html_mistune("*Nothing*")
    reference_list.style()
    made_from.code()
    with style():
        figure = canvas(1.0)
        figure.add_subplot().set(title="$10^3$", xlabel="x", ylabel="y", xscale="log", xlim=(1, 100))
        png(draw_once(figure, figure.bbox_inches)[1])


rehearse()
freeze()

"""How Sphinx makes the site: ``make docs``. Warnings are errors, and nothing on a page is fetched from the network."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE / "extensions")]

import storagelab  # noqa: E402

project = "storagelab"
author = "The storagelab developers"
version = release = storagelab.__version__
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "workplace",
    "reference",
    "shell",
    "links",
    "closed",
    "modules",
    "thumbnails",
]
exclude_patterns = ["extensions"]

nitpicky = True
nitpick_ignore_regex = [("py:class", ".*")]  # types in docstrings are words for people ("Dataset, dimension obs")
default_role = "named"
smartquotes = False  # "--set" is no dash
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
viewcode_line_numbers = True

myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_output_stderr = "error"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}

html_theme = "furo"
html_title = "storagelab"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False

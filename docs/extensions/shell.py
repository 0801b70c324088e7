"""``{shell}``: commands that run while the page is made, each with what it prints.

A page has a folder of its own, a copy of the workplace; its commands run there in their order. A command that ends with
another exit status than ``:status:`` says stops the build.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from workplace import ROOT, folder_in

PATIENCE = 600.0
"""Seconds: a command that has not ended by then hangs."""
WIDTH = "90"
INSTALLED = 'storagelab() {{ {command} "$@"; }}\n'
"""This storagelab, under the name of its command; PATH may lead to another or to none."""


class Shell(SphinxDirective):
    """Commands of bash, and what they print on both streams.

    Options: ``status``, the exit status that is right; ``lines``, how many lines of output are shown.
    """

    has_content = True
    option_spec = {"status": directives.nonnegative_int, "lines": directives.positive_int}

    def run(self) -> list[nodes.Node]:
        """Run the commands and lay out what came of it."""
        commands, expected = "\n".join(self.content), self.options.get("status", 0)
        folder = self._folder()
        done = run(commands, folder, self.config.shell_storagelab)
        if done.returncode != expected:
            raise self.error(f"exit status {done.returncode}, expected {expected}: {commands}\n{done.stdout}")
        printed = done.stdout.replace(str(folder), "$PWD").rstrip("\n")
        made = [_block(commands, "bash", "command")]
        if printed:
            made.append(_block(_shortened(printed, self.options.get("lines")), "text", "printed"))
        if expected:
            made.append(nodes.paragraph("", f"Exit status {expected}.", classes=["status"]))
        return made

    def _folder(self) -> Path:
        """Return the folder of this page, made anew where the page begins."""
        workplace = folder_in(self.env.doctreedir)
        folder = workplace / "pages" / self.env.docname
        if self.env.temp_data.get("shell") != self.env.docname:
            self.env.temp_data["shell"] = self.env.docname
            copy_workplace(workplace, folder)
        return folder


def copy_workplace(workplace: Path, folder: Path) -> None:
    """Begin a folder with logs to write beside, and links to what is only read."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(workplace / "logs", folder / "logs")
    for name in ("raw", "reports", "tests"):
        (folder / name).symlink_to(workplace / name)


def run(commands: str, folder: Path, storagelab: str) -> subprocess.CompletedProcess[str]:
    """Run commands as somebody would who has installed storagelab, on a terminal of a fixed width."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    script = INSTALLED.format(command=storagelab) + commands
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "STORAGELAB"))}
    environment = kept | {"PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": WIDTH, "NO_COLOR": "1", "TERM": "dumb"}
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip


def _shortened(text: str, lines: int | None) -> str:
    shown = text.split("\n")
    if lines is None or len(shown) <= lines:
        return text
    return "\n".join([*shown[:lines], f"... ({len(shown) - lines} more lines)"])


def _block(text: str, language: str, kind: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language, classes=[kind])


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("shell", Shell)
    app.add_config_value("shell_storagelab", shlex.join([sys.executable, "-m", "storagelab"]), "")
    return {"parallel_read_safe": False}

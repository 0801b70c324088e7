"""Chromium without a window, spoken to over a pipe by its DevTools protocol, with the standard library alone.

The protocol: https://chromedevtools.github.io/devtools-protocol/. With ``--remote-debugging-pipe`` Chromium reads
commands from descriptor 3 and writes answers to descriptor 4, as JSON that ends with a zero byte.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MISSING = "Chromium is not installed: no browser to measure pages with (on Debian: apt install chromium)"
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--hide-scrollbars"),
)
SECONDS = 600
"""A browser that has not answered by then hangs."""


class Browser:
    """One page of a Chromium that runs."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = os.fdopen(commands, "wb"), os.fdopen(answers, "rb")
        self._rest, self._count, self._session = b"", 0, ""
        self._events: list[dict[str, Any]] = []
        self._shown: tuple[Path, tuple[str, ...]] | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def close(self) -> None:
        """Let go of the pipes."""
        for end in (self._commands, self._answers):
            with suppress(BrokenPipeError):
                end.close()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Do something; return what came of it."""
        self._count += 1
        asked = {"id": self._count, "method": method, "params": parameters}
        asked |= {"sessionId": self._session} if self._session else {}
        self._commands.write(json.dumps(asked).encode() + b"\0")
        self._commands.flush()
        while (said := self._said()).get("id") != self._count:
            self._events.append(said)
        if "error" in said:
            raise RuntimeError(f"{method}: {said['error']['message']}")
        result: dict[str, Any] = said["result"]
        return result

    def _said(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            piece = os.read(self._answers.fileno(), 1 << 20)
            if not piece:
                raise RuntimeError("Chromium has ended")
            self._rest += piece
        one, _, self._rest = self._rest.partition(b"\0")
        said: dict[str, Any] = json.loads(one)
        return said

    def show(self, page: Path, *changes: str) -> None:
        """Go to a page and change it; one that is shown takes on the present screen or paper, and lacking changes."""
        done = self._shown[1] if self._shown and self._shown[0] == page else None
        if done is None or done != changes[: len(done)]:
            self.open(page)
            done = ()
        self._shown = None
        for change in changes[len(done) :]:
            self.value(change)
        self._shown = page, changes

    def open(self, page: Path) -> None:
        """Go to a page and wait until it is loaded."""
        self._shown = None
        self._events.clear()
        self.call("Page.navigate", url=page.resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self._events):
            self._events.append(self._said())

    def screen(self, width: int, height: int = 800, *, dark: bool = False, media: str = "screen") -> None:
        """Be a screen so wide, or paper."""
        shape = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700}
        self.call("Emulation.setDeviceMetricsOverride", **shape)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", media=media, features=scheme)

    def on_paper(self) -> None:
        """Be nothing in particular, so that a print is laid out for its paper."""
        self.call("Emulation.clearDeviceMetricsOverride")
        self.call("Emulation.setEmulatedMedia", media="", features=[])

    def value(self, expression: str) -> Any:
        """Compute something in the page."""
        said = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in said:
            raise RuntimeError(str(said["exceptionDetails"].get("exception", {}).get("description")))
        return said["result"].get("value")

    def press(self, key: str, text: str = "") -> None:
        """Press a key and let it go."""
        code = {"Enter": 13, "Escape": 27}[key]
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)

    def pdf(self, width: float, height: float) -> bytes:
        """Print on paper of a size in inches."""
        said = self.call("Page.printToPDF", paperWidth=width, paperHeight=height, printBackground=True)
        return base64.b64decode(said["data"])

    def picture(self) -> bytes:
        """Take a picture of what is seen, as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])


FONTS = """<?xml version="1.0"?>
<fontconfig>
  {folders}
  <selectfont><rejectfont>{left_out}</rejectfont></selectfont>
  <cachedir>{cache}</cachedir>
  {aliases}
</fontconfig>
"""
SANS = "DejaVu Sans"
FAMILIES = {"serif": "DejaVu Serif", "sans-serif": SANS, "system-ui": SANS, "monospace": "DejaVu Sans Mono"}

NOT_CORE = ("Condensed", "ExtraLight", "Italic", "Math", "Oblique")
"""In names of files that Debian's fonts-dejavu-core, which CI installs, does not have."""


def only_dejavu(folder: Path) -> Path:
    """Write what tells fontconfig of no other fonts, so that a page is as large whatever else a machine has."""
    alias = "<alias><family>{}</family><prefer><family>{}</family></prefer></alias>"
    place = folder / "fonts.conf"
    folders = {path.parent for path in Path("/usr/share/fonts").rglob("DejaVuSans.ttf")}
    said = "".join(f"<dir>{one}</dir>" for one in sorted(folders))
    aliases = "".join(alias.format(*one) for one in FAMILIES.items())
    left_out = "".join(f"<glob>*{name}*</glob>" for name in NOT_CORE)
    place.write_text(FONTS.format(folders=said, left_out=left_out, cache=folder / "fonts", aliases=aliases))
    return place


@contextmanager
def browser() -> Iterator[Browser]:
    """Start a Chromium, and end it and all that it started with the context."""
    assert PROGRAM, MISSING
    theirs, commands = os.pipe()
    answers, ours = os.pipe()
    with tempfile.TemporaryDirectory(prefix="storagelab-chromium-", ignore_cleanup_errors=True) as profile:
        options = (*FLAGS, "--remote-debugging-pipe", f"--user-data-dir={profile}")
        mapped = f"import os, sys; os.dup2({theirs}, 30); os.dup2({ours}, 31); os.dup2(30, 3); os.dup2(31, 4)"
        running = subprocess.Popen(
            [sys.executable, "-c", f"{mapped}; os.execv(sys.argv[1], sys.argv[1:])", PROGRAM, *options],
            pass_fds=(theirs, ours), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env=os.environ | {"FONTCONFIG_FILE": str(only_dejavu(Path(profile)))},
        )  # fmt: skip
        os.close(theirs)
        os.close(ours)
        try:
            with closing(Browser(commands, answers)) as one:
                yield one
        finally:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()

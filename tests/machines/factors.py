"""What machines differ in, and which levels of each can be simulated here.

The machine as it is, on which the outputs in the repository were made, is no level. Neither is what only renames it: of
core types, for instance, those for which OpenBLAS has the kernels that it uses here by itself.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROBES = HERE / "probes.py"
REQUIREMENTS = HERE.parent.parent / "requirements" / "reports.txt"

CORE_TYPES = ("Prescott", "Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids")
"""Those of x86 that wheels of OpenBLAS may hold; only what runs is used."""

GLIBC_WITHOUT = {
    "AVX-512, AVX2, FMA, ERMS": "-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-AVX2,-AVX,-FMA,-FMA4,-ERMS,-FSRM",
    "AVX-512": "-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD",
}

COMMA = "de_DE.UTF-8"
"""A locale that writes 0,5 for 0.5."""


@dataclass(frozen=True, slots=True)
class Level:
    """One thing that is otherwise than on the machine as it is.

    Attributes
    ----------
    factor, name : str
    environment : mapping
        Variables that are set.
    surroundings : mapping
        What surroundings/sitecustomize.py does besides.
    folder : str
        Where the copy lies, below the folder of the variant.
    interpreter : str
        Python of an environment of its own; empty for this one.
    forked : bool
        Whether commands are forked from a process that imported all they need, as in `make reports`.
    """

    factor: str
    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    surroundings: Mapping[str, Any] = field(default_factory=dict)
    folder: str = ""
    interpreter: str = ""
    forked: bool = False

    def __str__(self) -> str:
        return f"{self.factor}: {self.name}"


FORKED = Level("commands", "forked from a warm process, one after the other", forked=True)


def factors(scratch: Path, interpreters: Sequence[str] = ()) -> dict[str, list[Level]]:
    """All factors with those of their levels that are other than the machine as it is, the furthest from it first.

    Parameters
    ----------
    scratch : Path
        Folder in which a locale or a home can be made.
    interpreters : sequence of str
        Other Pythons; those that lack the requirements get an environment of their own in that folder.
    """
    found: list[Level] = [
        *core_types(),
        *numpy_features(),
        *glibc_features(),
        Level("SIMD of Arrow", "none", {"ARROW_USER_SIMD_LEVEL": "NONE"}),
        *(Level("threads", str(n), {"OPENBLAS_NUM_THREADS": str(n), "OMP_NUM_THREADS": str(n)}) for n in (1, 2)),
        Level(
            "folder", "longer, with spaces, listed backwards", surroundings={"listing": "backwards"},
            folder="a longer name/with spaces/of the repository",
        ),
        Level("day", "400 days later", surroundings={"days": 400}),
        *(Level("time zone", zone, {"TZ": zone}) for zone in ("Pacific/Kiritimati", "America/St_Johns")),
        *locales(scratch),
        user(scratch),
        FORKED,
        Level("commands", "each started by itself"),
        *(Level("hash seed", seed, {"PYTHONHASHSEED": seed}) for seed in ("1", "4242")),
        *(Level("Python", version(path), interpreter=equipped(path, scratch)) for path in interpreters),
    ]  # fmt: skip
    names = dict.fromkeys(level.factor for level in found)
    return {name: [level for level in found if level.factor == name] for name in names}


def core_types(types: Iterable[str] = CORE_TYPES) -> list[Level]:
    """Core types whose kernels run here and are not those that the machine gets by itself."""
    own, found = probe("blas"), dict[str, Level]()
    for name in types:
        answer = probe("blas", OPENBLAS_CORETYPE=name)
        if answer and answer != own:
            found.setdefault(answer, Level("OpenBLAS", name, {"OPENBLAS_CORETYPE": name}))
    return list(found.values())


def numpy_features() -> list[Level]:
    """Numpy without all kernels but those it was compiled for, with the oldest of the others, and so on."""
    has = (probe("numpy") or "").split()
    steps = [" ".join(has[place:]) for place in range(len(has))]
    return [Level("numpy", f"without {step}", {"NPY_DISABLE_CPU_FEATURES": step}) for step in steps]


def glibc_features() -> list[Level]:
    """The C library without the newer instructions; nothing where it is another library or another processor."""
    if platform.libc_ver()[0] != "glibc" or platform.machine() != "x86_64":
        return []
    tunables = {name: f"glibc.cpu.hwcaps={caps}" for name, caps in GLIBC_WITHOUT.items()}
    plain = probe("libm")
    return [
        Level("glibc", f"without {name}", {"GLIBC_TUNABLES": value})
        for name, value in tunables.items()
        if "FMA" in name or probe("libm", GLIBC_TUNABLES=value) != plain
    ]


def locales(scratch: Path) -> list[Level]:
    """ASCII without a language, and a language with decimal commas where there is one or one can be made."""
    ascii_only = {"LC_ALL": "C", "LANG": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    found = [Level("locale", "C, in ASCII", ascii_only)]
    german = {"LC_ALL": COMMA, "LANG": COMMA, "LANGUAGE": "de"}
    if probe("comma", **german) != "," and shutil.which("localedef"):
        made = scratch / "locales"
        made.mkdir(exist_ok=True)
        command = ["localedef", "-c", "-f", "UTF-8", "-i", "de_DE", str(made / COMMA)]
        subprocess.run(command, capture_output=True, check=False)
        german["LOCPATH"] = str(made)
    if probe("comma", **german) == ",":
        found.append(Level("locale", COMMA, german))
    return found


def user(scratch: Path) -> Level:
    """Somebody else, who wants large letters, whose notebooks start with an error, and whose files nobody may read."""
    home = scratch / "home of somebody"
    settings = {
        ".config/matplotlib/matplotlibrc": "font.size: 30\nsvg.hashsalt: somebody\n",
        ".ipython/profile_default/startup/00.py": "raise SystemExit('the start-up file of a user ran')\n",
        ".jupyter/jupyter_nbconvert_config.py": "raise SystemExit('the configuration of a user was read')\n",
    }
    for name, text in settings.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    environment = {"HOME": str(home), "USER": "somebody", "LOGNAME": "somebody", "USERNAME": "somebody"}
    return Level("user", "somebody with settings of their own, umask 077", environment, {"umask": 0o077})


def equipped(interpreter: str, scratch: Path) -> str:
    """Return an interpreter with the pinned requirements: this one, or that of a new environment made of it."""
    if subprocess.run([interpreter, "-c", "import papermill"], capture_output=True, check=False).returncode == 0:
        return interpreter
    folder = scratch / f"python {version(interpreter)}"
    made = str(folder / "bin" / "python")
    pins = ["--quiet", "--use-pep517", "--require-hashes", "--requirement", str(REQUIREMENTS)]
    subprocess.run([interpreter, "-m", "venv", str(folder)], check=True)
    subprocess.run([made, "-m", "pip", "--disable-pip-version-check", "install", *pins], check=True)
    return made


def version(interpreter: str) -> str:
    """Version of an interpreter."""
    command = [interpreter, "-c", "import platform; print(platform.python_version())"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def probe(what: str, **environment: str) -> str | None:
    """Ask a fresh interpreter what it gets under an environment; None where it cannot run at all."""
    command = [sys.executable, str(PROBES), what]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=120
    )
    return done.stdout.strip() if done.returncode == 0 else None


def surrounded(environment: Mapping[str, str], levels: Iterable[Level], more: Mapping[str, Any]) -> dict[str, str]:
    """Put levels into an environment, with what sitecustomize.py has to do and to watch over."""
    levels = list(levels)
    made = {name: value for level in levels for name, value in level.environment.items()}
    watched = {name: made[name] for name in WATCHED if name in made}
    wanted: dict[str, Any] = {name: value for level in levels for name, value in level.surroundings.items()}
    wanted |= {"environment": watched, **more}
    return {**environment, **made, "STORAGELAB_SURROUNDINGS": json.dumps(wanted)}


WATCHED = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "GLIBC_TUNABLES", "ARROW_USER_SIMD_LEVEL")
"""Variables that stand for the processor: a program that sets them for its children would hide what they do."""

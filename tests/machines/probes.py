"""Asked in a fresh interpreter: ``python probes.py blas`` prints whose kernels OpenBLAS uses here, after using them."""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import locale
import math
import struct
import sys
from pathlib import Path
from typing import Any

NAMES = ("scipy_openblas_get_corename64_", "scipy_openblas_get_corename", "openblas_get_corename")


def blas() -> str:
    """Core type of each OpenBLAS that numpy and scipy loaded; what it cannot run has ended the process before."""
    import numpy as np
    from scipy import linalg

    matrix = np.random.default_rng(1).random((64, 64))
    linalg.qr(matrix @ matrix)
    maps = Path("/proc/self/maps")
    loaded = {line.split()[-1] for line in maps.read_text().splitlines() if "openblas" in line} if maps.exists() else ()
    return " ".join(_core(path) for path in sorted(loaded))


def _core(path: str) -> str:
    library = ctypes.CDLL(path)
    for name in NAMES:
        if function := getattr(library, name, None):
            function.restype = ctypes.c_char_p
            return str(function().decode())
    return "unknown"


def numpy() -> str:
    """Features beyond its baseline that numpy has kernels for and the processor has."""
    core: Any = importlib.import_module("numpy._core._multiarray_umath")
    return " ".join(name for name in core.__cpu_dispatch__ if core.__cpu_features__[name])


def libm() -> str:
    """Digest of a thousand results of the C library, in which contracted instructions show."""
    values = [f(x / 7) for x in range(1, 1000) for f in (math.exp, math.log, math.sin, lambda x: math.pow(x, 1.7))]
    return hashlib.sha256(struct.pack(f"{len(values)}d", *values)).hexdigest()


def comma() -> str:
    """Decimal point of the language of the environment."""
    locale.setlocale(locale.LC_ALL, "")
    return str(locale.localeconv()["decimal_point"])


if __name__ == "__main__":
    sys.stdout.write({"blas": blas, "numpy": numpy, "libm": libm, "comma": comma}[sys.argv[1]]())

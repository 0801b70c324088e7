"""A factor whose levels were run one after the other: what changed in the meantime looks like its effect.

The runs are put in the order of their starts. If the levels of a factor explain most of the places in that order, the
factor is confounded with time. Source: R. A. Fisher, "The arrangement of field experiments" (1926) for why treatments
are to be interleaved; the share is that of Kruskal and Wallis's H (JASA 1952), H over n - 1.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.variance_between_groups import explained
from storagelab.analysis.validity.checks import Finding, Looked, Study, brief
from storagelab.analysis.validity.measured_values import benchmarks, listed_starts
from storagelab.analysis.validity.suspect_groups import keys_of_groups
from storagelab.errors import AnalysisError

EXPLAINED = 0.7
"""Share of the order that the levels of a factor explain where they ran one after the other."""

FEWEST = 3
"""Runs of a level."""

NO_FACTOR = frozenset({"repeat", "block", "client", "host", "role", "time_zone", "file", "job", "exit_status"})


def interleaving(study: Study) -> Looked:
    """Hold the order of the runs of each tool against the levels of each key."""
    logs = benchmarks(listed_starts(study)).dropna(subset=["began"])
    runs = logs.sort_values("began", kind="stable").drop_duplicates("run_id").reset_index(drop=True)
    keys = [key for key in study.keys("logs") if key in runs and key not in NO_FACTOR]
    told = {
        str(key): share for key in keys_of_groups(Rows.of_frame(runs), keys) if (share := _share(runs, key)) is not None
    }
    if not told:
        raise AnalysisError(f"no factor has levels of {FEWEST} runs whose starts are known")
    found = [_finding(runs, key, share) for key, share in told.items() if share > EXPLAINED]
    return Looked(len(told), "factors", found)


def _share(runs: pd.DataFrame, key: str) -> float | None:
    """Share of the squares of the places in the order that lies between the levels; None for too few runs."""
    sizes = runs.groupby(key, dropna=False)[key].transform("size").to_numpy()
    kept = runs[sizes >= FEWEST]
    if kept[key].nunique(dropna=False) < 2 or kept["began"].nunique() < 2 * FEWEST:
        return None
    codes = pd.factorize(kept[key], use_na_sentinel=False)[0]
    return explained(np.asarray(kept["began"].rank(method="average"), dtype=np.float64), codes)


def _finding(runs: pd.DataFrame, key: str, share: float) -> Finding:
    middle = runs.groupby(key, sort=True)["began"].median().sort_values(kind="stable")
    names = [f"{level:g}" if isinstance(level, float) else str(level) for level in middle.index]
    order = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
    said = (
        f"its levels ran one after the other ({order}): they explain {brief(100 * share)} % of the order of the runs,"
    )
    return Finding(
        f"factor {key}", f"{said} so that an effect of it is not told from one of the time", share, cause=key
    )

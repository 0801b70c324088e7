"""What a cell of a paper notebook calls: `begin`, `figure`, `table`, `fact`.

Each displays one output whose metadata say what it is; nothing is written here. `build` numbers the outputs, resolves
the prose that refers to them and writes their files, so that the paper and its files cannot disagree.
"""

from __future__ import annotations

import base64
import hashlib
import io
import math
import re
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd
import xarray as xr
from IPython.display import display

from storagelab import schema
from storagelab.errors import PaperError, UnknownNameError
from storagelab.paper import quantity, tables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMESPACE = "storagelab"
"""Key of the output metadata that the preprocessor looks for."""

LIBRARIES = ("storagelab", "numpy", "pandas", "xarray", "scipy", "matplotlib", "seaborn", "netCDF4", "pint")
Data: TypeAlias = pd.DataFrame | xr.Dataset
Trace: TypeAlias = xr.Dataset | pd.DataFrame | Iterable[str]

_ID = re.compile(r"[a-z][a-z0-9_-]*")
_study: dict[str, Any] = {}


def begin(study: str, dataset: str | Path) -> xr.DataTree:
    """Open the dataset of a paper, and say in the paper what it is.

    Parameters
    ----------
    study : str
        Name of the study; the dataset must be of this study.
    dataset : str or Path
        The netCDF file that ``storagelab ingest`` wrote.

    Returns
    -------
    xr.DataTree
        The study in memory: nodes runs, clients, series, logs.

    Raises
    ------
    PaperError
        If the file is missing or holds another study.
    """
    path = Path(dataset)
    if not path.is_file():
        raise PaperError(f"no dataset {path.name}: run `storagelab ingest {study}` first")
    tree = _load(path)
    if tree.attrs.get("study", study) != study:
        raise PaperError(f"{path.name} holds the study {tree.attrs['study']!r}, the paper is about {study!r}")
    logs = tree["logs"].to_dataset() if "logs" in tree.children else xr.Dataset()
    _study.clear()
    _study.update(study=study, origin=str(tree.attrs.get("origin", "")), logs=_log_paths(study, logs))
    _show("provenance", f"{study}: {logs.sizes.get('obs', 0)} logs", _provenance(study, path, tree, logs))
    return tree


def figure(fig: Figure, id: str, caption: str, alt: str, data: Data) -> None:
    """Publish a figure with the data it shows.

    Parameters
    ----------
    fig : matplotlib Figure
        Closed afterwards.
    id : str
        What prose refers to as ``[@fig:id]``, and the name of the files ``figures/<id>.svg``, ``.png`` and ``.csv``.
    caption : str
        Markdown; may refer to facts and figures. Number and origin are put in front and behind by the paper.
    alt : str
        What the figure shows, for a reader who cannot see it.
    data : DataFrame or Dataset
        The rows behind the figure in SI, written as CSV. Its origin (attribute or column `origin`) is printed under the
        figure; without one the study's is.

    Raises
    ------
    PaperError
        If the id is malformed, caption or alt is empty, the data are empty or say no origin.
    """
    import matplotlib.pyplot as plt

    what = _described("figure", id, caption=caption, alt=alt)
    frame = _rows(data)
    origin = _origin(data, frame, what)
    if origin != "measured":
        _stamp(fig, origin)
    bundle = {"image/svg+xml": _svg(fig), "image/png": _png(fig), "text/csv": _csv(frame, origin)}
    plt.close(fig)
    _show("figure", caption, {"id": id, "caption": caption, "alt": alt, "origin": origin}, bundle)


def table(
    frame: Data,
    id: str,
    caption: str,
    *,
    units: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    display: Mapping[str, str] | None = None,
    digits: int = quantity.DIGITS,
) -> None:
    """Publish a table: rounded and prefixed for the reader, in full SI in ``tables/<id>.csv``.

    Parameters
    ----------
    frame : DataFrame or Dataset
        One row a line, numbers in SI. A named index becomes the first columns.
    id : str
        What prose refers to as ``[@tab:id]``.
    caption : str
        Markdown, as for a figure.
    units : mapping, optional
        SI unit of columns that are not names of the data contract; those know theirs.
    labels : mapping, optional
        Heads of columns; a name of the contract is printed with its long name.
    display : mapping, optional
        Units to print a column in: ``{"share": "%"}``.
    digits : int
        Significant digits.

    Raises
    ------
    PaperError
        If the id is malformed, the caption empty, the frame empty or without an origin.
    """
    what = _described("table", id, caption=caption)
    rows = _rows(frame)
    origin = _origin(frame, rows, what)
    html = tables.html(rows, units or {}, labels or {}, display or {}, digits)
    bundle = {"text/html": html, "text/csv": _csv(rows, origin)}
    _show("table", caption, {"id": id, "caption": caption, "origin": origin}, bundle)


def fact(
    name: str,
    value: float | int | str,
    unit: str = "1",
    *,
    display: str = "",
    digits: int = quantity.DIGITS,
    interval: tuple[float, float] | None = None,
    level: float = 0.95,
    n: int | None = None,
    origin: str = "",
    trace: Trace = (),
) -> None:
    """State a number that prose may quote as ``{{name}}``.

    Parameters
    ----------
    name : str
        Lower case with underscores.
    value : float, int or str
        In SI; an int is a count, a str a word that the data decided (which file system was fastest).
    unit : str
        SI unit: "B/s", "1/s", "s", "B" or "1".
    display : str, optional
        Unit to print in: "%", "MiB/s". By default the SI prefix that suits the value.
    digits : int
        Significant digits in prose; facts.json has them all.
    interval : (float, float), optional
        Ends of the confidence interval, in `unit`: ``{{name:interval}}``.
    level : float
        Confidence level of the interval.
    n : int, optional
        Number of measurements behind the value: ``{{name:n}}``.
    origin : str, optional
        measured, published or reconstructed; by default the study's.
    trace : Dataset, DataFrame or iterable of "log:line"
        The rows (with `log_id` and `line`) that the value was computed from.

    Raises
    ------
    PaperError
        If the name is malformed, the value not finite, the interval the wrong way round, or no origin is known.
    UnknownNameError
        If the unit or the origin is unknown.
    """
    what = f"fact {name!r}"
    _check_fact(name, value, interval)
    origin = _strongest({origin} - {""} or {_study.get("origin", "")}, what)
    quantity.text(value, unit, digits, display)
    ends = None if interval is None else [float(interval[0]), float(interval[1])]
    record: dict[str, Any] = {"name": name, "value": _plain(value), "unit": unit, "origin": origin, "digits": digits}
    record |= {"display": display, "interval": ends, "level": level, "n": None if n is None else int(n)}
    record["trace"] = _traced(trace)
    _show("fact", f"{name} = {quantity.text(record['value'], unit, digits, display)}", record)


def _load(path: Path) -> xr.DataTree:
    with xr.open_datatree(path) as tree:
        return tree.load()


def _provenance(study: str, path: Path, tree: xr.DataTree, logs: xr.Dataset) -> dict[str, Any]:
    rows = {name: int(node.sizes.get("obs", 0)) for name, node in tree.children.items()}
    return {
        "study": study,
        "title": str(tree.attrs.get("title", "")),
        "origin": str(tree.attrs.get("origin", "")),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "rows": dict(sorted(rows.items())),
        "incomplete": int((logs["complete"] == 0).sum()) if "complete" in logs else 0,
        "tools": sorted(_words(logs, "tool", "tool_version")),
        "dates": sorted({day for name in ("started", "ended") for day in _days(logs, name)}),
        "versions": {name: _version(name) for name in LIBRARIES},
    }


def _days(logs: xr.Dataset, name: str) -> list[str]:
    return [str(value)[:10] for value in logs[name].values if str(value)[:4].isdigit()] if name in logs else []


def _words(logs: xr.Dataset, *names: str) -> set[str]:
    columns = [logs[name].values for name in names if name in logs]
    return {" ".join(filter(None, map(str, row))) for row in zip(*columns, strict=True)} - {""} if columns else set()


def _version(library: str) -> str:
    """Version of a library; the running storagelab need not be installed."""
    from storagelab import __version__

    return __version__ if library == "storagelab" else version(library)


def _log_paths(study: str, logs: xr.Dataset) -> dict[int, str]:
    if "log" not in logs:
        return {}
    ids = logs["log_id"].values if "log_id" in logs else range(logs.sizes["obs"])
    return {int(id): f"raw/{study}/{log}" for id, log in zip(ids, logs["log"].values, strict=True)}


def _described(kind: str, id: str, **texts: str) -> str:
    """Name a figure or table for messages, once its id and words are in order."""
    if not _ID.fullmatch(id):
        raise PaperError(f"{kind} id {id!r}: expected lower-case letters, digits, '-' and '_', a letter first")
    for name, text in texts.items():
        if not text.strip():
            raise PaperError(f"{kind} {id!r} has no {name}")
    return f"{kind} {id!r}"


def _check_fact(name: str, value: float | int | str, interval: tuple[float, float] | None) -> None:
    if not _ID.fullmatch(name):
        raise PaperError(f"fact name {name!r}: expected lower-case letters, digits, '-' and '_', a letter first")
    if not isinstance(value, str) and not math.isfinite(value):
        raise PaperError(f"fact {name!r} is {value}: expected a finite number")
    if interval is not None and not interval[0] <= interval[1]:
        raise PaperError(f"fact {name!r} has the interval {interval}: expected the lower end first")


def _rows(data: Data) -> pd.DataFrame:
    """One flat row a line, with the path of its log beside `log_id`."""
    frame = data.to_dataframe().reset_index(drop=True) if isinstance(data, xr.Dataset) else data
    if isinstance(frame.index, pd.MultiIndex) or frame.index.name is not None:
        frame = frame.reset_index()
    if "log_id" in frame and "log" not in frame and _study.get("logs"):
        frame = frame.assign(log=[_study["logs"].get(int(id), "") for id in frame["log_id"]])
    return frame


def _origin(data: Data, frame: pd.DataFrame, what: str) -> str:
    if frame.empty:
        raise PaperError(f"{what} has no data")
    own = set(map(str, frame["origin"])) if "origin" in frame else {str(data.attrs.get("origin", ""))}
    study = _study.get("origin", "")
    return _strongest((own - {""} or {study}) | {study} & {"reconstructed"}, what)


def _strongest(origins: set[str], what: str) -> str:
    """Join the origins behind one thing, the least measured last: it cannot be lost in a mixture."""
    unknown = origins - set(schema.ORIGINS)
    if unknown - {""}:
        raise UnknownNameError(f"origin of {what}", sorted(unknown)[0], schema.ORIGINS)
    if unknown or not origins:
        raise PaperError(f"{what} says no origin: expected one of {', '.join(schema.ORIGINS)}; was begin() called?")
    return " and ".join(origin for origin in schema.ORIGINS if origin in origins)


def _traced(trace: Trace) -> dict[str, list[int]]:
    """Lines by log."""
    if isinstance(trace, (xr.Dataset, pd.DataFrame)):
        rows = _rows(trace)
        pairs = {(str(log), int(line)) for log, line in zip(rows["log"], rows["line"], strict=True)}
    else:
        pairs = {(place.rpartition(":")[0], int(place.rpartition(":")[2])) for place in trace}
    return {log: sorted(line for other, line in pairs if other == log) for log in sorted({log for log, _ in pairs})}


def _plain(value: float | int | str) -> float | int | str:
    """Turn numpy's scalars into what JSON knows."""
    item = getattr(value, "item", None)
    return item() if item else value


def _stamp(fig: Figure, origin: str) -> None:
    fig.text(0.99, -0.01, f"{origin} data", ha="right", va="top", size="small", style="italic")


def _svg(fig: Figure) -> str:
    buffer = io.StringIO()
    fig.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def _png(fig: Figure) -> str:
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", bbox_inches="tight", dpi=200, facecolor="white", metadata={"Software": None})
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def _csv(frame: pd.DataFrame, origin: str) -> str:
    named = frame if "origin" in frame else frame.assign(origin=origin)
    return named.to_csv(index=False, lineterminator="\n")


def _show(kind: str, text: str, record: Mapping[str, Any], bundle: Mapping[str, str] | None = None) -> None:
    metadata = {NAMESPACE: {"kind": kind, **record}}
    display({"text/plain": text, **(bundle or {})}, metadata=metadata, raw=True)

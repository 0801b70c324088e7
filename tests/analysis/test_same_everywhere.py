"""What the statistical core may not use, since its last digits depend on the processor; and what rounding promises."""

from __future__ import annotations

import ast
from decimal import Decimal

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from storagelab.analysis import Claim, Tolerance, table, verdicts, winners
from storagelab.analysis.inference import processor_independent
from storagelab.analysis.inference.distance_from_middle import modified_z
from storagelab.analysis.inference.least_squares import least_squares
from storagelab.analysis.inference.level_contrasts import Levels, crossover
from storagelab.analysis.significant_digits import PRINTED, first_extreme, printed, significant
from storagelab.parsers.fio.json_report.sums import _mean
from tests.analysis.tables import cluster, node, repeats
from tests.conftest import ROOT

BLAS = {"dot", "matmul", "inner", "vdot", "tensordot", "convolve", "correlate", "cov", "corrcoef", "polyfit", "linalg"}
KERNELS = {"log", "exp", "log1p", "expm1", "log2", "log10", "power", "geomspace", "logspace", "sin", "cos", "tan"}
ALLOWED = {
    "significant_digits.py": {"log10"},  # the power of ten of a number: an error of a last digit moves no digit
    "inference/processor_independent.py": KERNELS,
    "inference/curves.py": {"log", "log1p", "geomspace"},  # a grid of which one point is taken, with a tolerance
    "inference/level_contrasts.py": {"geomspace"},  # positions that are tried
    "inference/extremes.py": {"exp"},  # integrated, to six digits
}
"""numpy's own functions where they decide nothing, and why."""

ANALYSIS = ROOT / "storagelab" / "analysis"


def suspicious(source: str) -> set[str]:
    """Names of numpy's functions in a module that depend on the processor; "@" for a matrix product."""
    tree = ast.parse(source)
    products = {"@" for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)}
    named = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "np"
    }
    return products | (named & (BLAS | KERNELS))


def test_the_core_uses_nothing_that_depends_on_the_processor() -> None:
    found = {}
    for module in sorted(ANALYSIS.rglob("*.py")):
        name = str(module.relative_to(ANALYSIS))
        found[name] = suspicious(module.read_text(encoding="utf-8")) - ALLOWED.get(name, set())
    assert len(found) > 100
    assert {name: used for name, used in found.items() if used} == {}


@pytest.mark.parametrize("line", ["a @ b", "np.dot(a, b)", "np.linalg.inv(a)", "np.log(a)", "np.convolve(a, b)"])
def test_what_depends_on_the_processor_is_seen(line: str) -> None:
    assert suspicious(f"import numpy as np\n{line}\n")


@given(st.floats(1e-12, 1e12), st.integers(-3, 3))
def test_last_bits_are_rounded_away(value: float, bits: int) -> None:
    """Unless a number lies in the middle between two of nine digits: that is as improbable as the bits are small."""
    decimal = printed(value)
    moved = decimal + bits * np.spacing(decimal)
    assert printed(moved) == decimal


@given(st.integers(1, 2**53))
def test_whole_numbers_stay_whole(count: int) -> None:
    assert significant(float(count), PRINTED) == count


@given(st.floats(1e-6, 1e6), st.integers(2, 12))
def test_rounding_is_that_of_decimal_numbers(value: float, digits: int) -> None:
    rounded = float(significant(value, digits))
    assert rounded == pytest.approx(value, rel=5.0001 * 10.0**-digits)
    assert len(Decimal(repr(rounded)).normalize().as_tuple().digits) <= max(digits, 7)


def test_missing_and_infinite_numbers_pass() -> None:
    assert np.isnan(significant(np.nan))
    assert significant([np.inf, -np.inf, 0.0]).tolist() == [np.inf, -np.inf, 0.0]


@pytest.mark.parametrize(("end", "place"), [("lowest", 0), ("highest", 2)])
def test_of_equal_extremes_the_first_is_taken(end: str, place: int) -> None:
    values = np.array([1.0, np.nextafter(1.0, 0.0), 3.0, np.nextafter(3.0, 4.0), np.nan])
    assert first_extreme(values, end) == place  # type: ignore[arg-type]


@given(st.floats(1e-300, 1e300))
def test_logarithms_are_those_of_numpy_but_for_the_last_digit(value: float) -> None:
    assert processor_independent.log(value) == pytest.approx(np.log(value), rel=1e-15, abs=1e-16)


def test_least_squares_are_those_of_statsmodels() -> None:
    from statsmodels.api import OLS

    rng = np.random.default_rng(7)
    design = np.column_stack([np.ones(40), rng.integers(0, 2, 40), rng.normal(size=40)])
    y = design.sum(axis=1) + rng.normal(size=40)
    ours, theirs = least_squares(y, design), OLS(y, design).fit()
    assert ours is not None
    assert ours.parameters == pytest.approx(theirs.params, rel=1e-10)
    assert ours.shape == pytest.approx(np.asarray(theirs.normalized_cov_params), rel=1e-10)
    assert (ours.squares, ours.freedom) == (pytest.approx(theirs.ssr, rel=1e-10), theirs.df_resid)


def test_columns_that_say_the_same_are_no_design() -> None:
    once = np.array([0.0, 1.0, 0.0, 1.0])
    assert least_squares([1.0, 2.0, 3.0, 4.0], np.column_stack([once, 2 * once])) is None


NOISY = 0.1 + 0.2
"""0.3 but for its last bit."""


def test_results_are_rounded() -> None:
    made = table.dataset([{"layout": "a", "ratio": NOISY}], cluster(), ["layout"])
    assert made["ratio"].item() == 0.3


def test_runs_that_differ_by_rounding_are_no_outliers() -> None:
    """Half of the values are equal but for the last bit, so that the middle of their distances is one of rounding."""
    values = np.array([1.0, np.nextafter(1.0, 2.0), 1.0, np.nextafter(1.0, 2.0), 5.0, np.nextafter(1.0, 0.0)])
    assert np.isnan(modified_z(values)).all()


def test_a_value_in_the_middle_of_what_is_accepted_is_nearest_to_the_lower_end() -> None:
    """A tenth more than 4.3 is nearer to it than a tenth less, by a last bit."""
    claim = Claim("c", "approx", stated=4.3, unit="1", tolerance=Tolerance("relative", 0.1))
    value = 4.3
    quantity = xr.Dataset(attrs={"origin": "measured"}).assign_coords(
        {name: ("obs", [text]) for name, text in {"claim": "c", "quantity": "", "unit": "1"}.items()}
    )
    numbers = {"value": value, "value_low": np.nan, "value_high": np.nan, "value_error": np.nan, "n": 3.0}
    quantity = quantity.assign({name: ("obs", [number]) for name, number in numbers.items()}).assign(
        level=("obs", [""])
    )
    assert verdicts(quantity, [claim])["claim_margin"].item() == pytest.approx(1 / 9, rel=1e-6)


def test_of_equal_candidates_the_first_by_name_is_ranked_first() -> None:
    """The mean of the logs of b is higher by a last bit, as its runs came in another order."""
    runs = {"a": (14.5e6, 11.3e6, 14.0e6), "b": (14.5e6, 14.0e6, 11.3e6), "c": (7e6, 6e6, 5e6)}
    rows = [row for name, values in runs.items() for row in repeats(values, layout=name)]
    won = winners(node(rows), "throughput", "layout", [])
    assert dict(zip(won["layout"].values.tolist(), won["rank"].values.tolist(), strict=True)) == {
        "a": 1.0, "b": 2.0, "c": 3.0,
    }  # fmt: skip


def test_curves_that_meet_but_for_rounding_meet() -> None:
    at, noise = [1.0, 2.0, 4.0], np.array([-0.1, 0.0, 0.1])
    a = Levels.of(at, [10 + noise, 20 + noise, 30 + noise])
    b = Levels.of(at, [12 + noise, np.nextafter(20.0, 0.0) + noise, 25 + noise])
    assert crossover(a, b).value == 2.0


def test_a_mean_weighted_by_operations_is_that_of_exact_sums() -> None:
    assert _mean([0.1] * 10, [1.0] * 10) == 0.1
    assert _mean([1e16, 1.0, -1e16], [1.0] * 3) == 1 / 3

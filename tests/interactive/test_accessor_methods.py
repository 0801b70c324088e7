"""Each verb of the accessor is one call of the function below it, and its errors are that function's."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import storagelab.interactive  # noqa: F401  registers the accessor
from storagelab import analysis, dataset, figures, schema
from storagelab.errors import AnalysisError, UnknownNameError
from storagelab.interactive.default_variables import obvious_variable
from storagelab.interactive.joined_keys import joined
from tests.analysis.tables import cluster, fileop, latencies, node, repeats, shares

KEYS = ["layout", "clients", "operation"]


def study(**nodes: xr.Dataset) -> xr.DataTree:
    return dataset.tree(nodes, {"study": "test-2026", "title": "", "origin": "measured"})


def test_verbs_are_listed_and_what_begins_with_an_underscore_is_none() -> None:
    """Python itself asks for names such as `_ipython_display_`, which no package is to be asked for."""
    verbs = dir(cluster().storage)
    assert verbs == sorted(set(verbs))
    assert {"summarise", "compare", "plot"} <= set(verbs)
    with pytest.raises(AttributeError, match=r"^_ipython_display_$"):
        _ = cluster().storage._ipython_display_


def test_select() -> None:
    xr.testing.assert_identical(
        cluster().storage.select(layout="replicate", clients=[1, 3]),
        dataset.select(cluster(), layout="replicate", clients=[1, 3]),
    )
    with pytest.raises(UnknownNameError, match="unknown value of layout 'replica'; did you mean 'replicate'"):
        cluster().storage.select(layout="replica")


def test_keys_are_those_that_differ_with_their_levels_and_rows() -> None:
    counted = cluster().storage.keys()
    assert counted["layout"].to_dict() == {"distribute": 12, "replicate": 12}
    assert counted["clients"].to_dict() == {1.0: 12, 3.0: 12}
    assert counted["repeat"].to_dict() == {1.0: 8, 2.0: 8, 3.0: 8}
    assert list(counted.index.get_level_values("key").unique()) == [
        "operation", "layout", "replicas", "clients", "repeat",
    ]  # fmt: skip
    assert (counted.groupby("key").sum() == cluster().sizes["obs"]).all()


def test_keys_of_rows_that_do_not_differ_are_none() -> None:
    assert cluster().isel(obs=[0]).storage.keys().empty


def test_a_missing_level_counts_too_and_comes_last() -> None:
    ds = node([{"clients": 3.0, "throughput": 1.0}, {"clients": 1.0, "throughput": 1.0}, {"throughput": 1.0}])
    levels = ds.storage.keys()["clients"]
    assert levels.tolist() == [1, 1, 1]
    assert levels.index[:2].tolist() == [1.0, 3.0]
    assert np.isnan(levels.index[2])


def test_grid() -> None:
    means = analysis.summarise(cluster(), "throughput", KEYS)
    xr.testing.assert_identical(means.storage.grid("throughput", *KEYS), dataset.grid(means, "throughput", *KEYS))
    xr.testing.assert_identical(means.storage.grid("", *KEYS), dataset.grid(means, "throughput", *KEYS))
    with pytest.raises(AnalysisError, match="several rows of throughput share the cell layout=distribute"):
        cluster().storage.grid("throughput", "layout")
    with pytest.raises(AnalysisError, match="a grid needs a key for each of its dimensions"):
        cluster().storage.grid()


def test_summarise() -> None:
    expected = analysis.summarise(cluster(), "throughput", KEYS, scale="log")
    xr.testing.assert_identical(cluster().storage.summarise("throughput", KEYS, scale="log"), expected)


def test_summarise_makes_cells_of_all_keys_that_differ() -> None:
    by = ["operation", "layout", "replicas", "clients"]
    xr.testing.assert_identical(cluster().storage.summarise(), analysis.summarise(cluster(), "throughput", by))
    assert set(cluster().storage.summarise()["n"].values) == {3.0}


def test_summarise_averages_over_what_it_is_told_to() -> None:
    expected = analysis.summarise(cluster(), "throughput", ["layout", "replicas", "clients"], over=["operation"])
    xr.testing.assert_identical(cluster().storage.summarise(over=["operation"]), expected)


def test_errors_are_those_of_the_function() -> None:
    with pytest.raises(
        AnalysisError,
        match=r"rows of layout=distribute differ in operation \(read, write\), clients \(1.0, 3.0\): name each",
    ):
        cluster().storage.summarise("throughput", ["layout"])
    with pytest.raises(AnalysisError, match="no row of throughput is a 'mean', there are: single"):
        cluster().storage.summarise(statistic="mean")


def test_compare() -> None:
    expected = analysis.compare(
        cluster(), "throughput", "layout", "distribute", "replicate", ["operation", "clients"], margin=0.1
    )
    by = ["operation", "clients"]
    told = cluster().storage.compare("throughput", "layout", "distribute", "replicate", by, margin=0.1)
    xr.testing.assert_identical(told, expected)


def test_compare_makes_cells_of_the_keys_that_differ_inside_a_side() -> None:
    by = ["operation", "clients"]
    expected = analysis.compare(cluster(), "throughput", "layout", "distribute", "replicate", by)
    sides = {"factor": "layout", "base": "distribute", "other": "replicate"}
    expected = expected.assign_attrs(follows="replicas follows from layout")
    xr.testing.assert_identical(cluster().storage.compare(**sides), expected)
    assert "paired" in cluster().storage.compare(**sides, pair=["repeat"]).attrs["method"]


def test_a_place_that_is_named_leaves_the_others_free() -> None:
    compared = cluster().storage.compare(
        "throughput", "layout", "distribute", "replicate", ["clients"], over=["operation"]
    )
    assert_same_figure(compared.storage.plot(category="clients"), figures.ratios(compared, category="clients"))
    assert_same_figure(compared.storage.plot(), figures.ratios(compared, category="clients"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"factor": "layout", "base": "distribute"}, "unknown value of layout ''; known: distribute, replicate"),
        ({"factor": "layot", "base": "a", "other": "b"}, "unknown key of this dataset 'layot'; did you mean 'layout'"),
    ],
)
def test_compare_says_what_is_unknown(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        cluster().storage.compare(**arguments)


@pytest.mark.parametrize(
    ("verb", "what"), [("compare", "whose levels are compared"), ("winners", "whose levels compete")]
)
def test_a_key_that_is_needed_is_asked_for(verb: str, what: str) -> None:
    with pytest.raises(AnalysisError, match=rf"^name the key {what}; `keys\(\)` lists those in which rows differ$"):
        getattr(cluster().storage, verb)("throughput")


def test_winners() -> None:
    expected = analysis.winners(fileop(), "operation_rate", "filesystem", ["operation"])
    xr.testing.assert_identical(fileop().storage.winners("operation_rate", "filesystem"), expected)
    xr.testing.assert_identical(fileop().storage.winners(among="filesystem", by=["operation"]), expected)


@pytest.mark.parametrize(
    ("ds", "variable"),
    [
        (cluster(), "throughput"),
        (fileop(), "operation_rate"),
        (analysis.summarise(cluster(), "throughput", KEYS), "throughput"),
        (analysis.compare(fileop(), "operation_rate", "filesystem", "xfs", "btrfs", ["operation"]), "ratio"),
        (analysis.winners(fileop(), "operation_rate", "filesystem", ["operation"]), "operation_rate"),
        (node([{"elapsed": 1.0, "throughput": np.nan}]), "elapsed"),
        (node([{"elapsed": 1.0, "throughput": 2.0, "throughput_min": 1.0}]), "throughput"),
    ],
)
def test_the_obvious_variable(ds: xr.Dataset, variable: str) -> None:
    assert obvious_variable(ds) == variable


def test_operations_of_one_size_a_second_say_what_bytes_a_second_say() -> None:
    sizes = [(4096.0, 10.0), (8192.0, 5.0)]
    rows = [{"record_size": size, "operation_rate": rate, "throughput": size * rate} for size, rate in sizes]
    assert obvious_variable(node(rows)) == "throughput"
    with pytest.raises(AnalysisError, match="throughput, operation_rate: name one"):
        obvious_variable(node([rows[0], {**rows[1], "throughput": 1.0}]))


def test_what_is_not_obvious_is_asked_for() -> None:
    both = node([{"throughput": 1.0, "operation_rate": 2.0}])
    with pytest.raises(AnalysisError, match="several have values: throughput, operation_rate: name one"):
        both.storage.summarise()
    with pytest.raises(AnalysisError, match="no variable is named, and none has a value"):
        node([{"throughput": np.nan}]).storage.summarise()


def assert_same_figure(ours: figures.Drawn, expected: figures.Drawn) -> None:
    assert (ours.caption, ours.alt) == (expected.caption, expected.alt)
    assert ours.render("svg") == expected.render("svg")
    xr.testing.assert_identical(ours.data, expected.data)


def test_plot_points_by_name_with_its_places_filled() -> None:
    expected = figures.points(fileop(), "operation_rate", category="filesystem", hue="operation")
    assert_same_figure(fileop().storage.plot("points"), expected)
    assert_same_figure(fileop().storage.plot(), expected)
    other = figures.points(fileop(), "operation_rate", category="operation", hue="filesystem", log=True)
    assert_same_figure(fileop().storage.plot(category="operation", log=True), other)


def test_plot_of_what_does_not_differ_has_one_row() -> None:
    one = dataset.select(fileop(), filesystem="xfs", operation="stat")
    assert_same_figure(one.storage.plot(), figures.points(one, "operation_rate", category="operation"))


def test_plot_of_a_number_is_a_line_against_it() -> None:
    rows = [
        row
        for layout in ("distribute", "replicate")
        for clients in (1.0, 2.0, 4.0)
        for row in repeats((clients, 1.1 * clients), layout=layout, clients=clients, operation="write")
    ]
    expected = figures.scaling(node(rows), "throughput", x="clients", hue="layout")
    assert_same_figure(node(rows).storage.plot(), expected)
    rowwise = figures.points(node(rows), "throughput", category="clients", hue="layout")
    assert_same_figure(node(rows).storage.plot(category="clients"), rowwise)


def test_plot_scaling_by_name_goes_along_the_number_that_differs() -> None:
    curves = node(
        row
        for layout in ("distribute", "replicate")
        for processes in (1.0, 2.0, 4.0)
        for row in repeats((processes, 1.1 * processes), layout=layout, processes=processes)
    )
    expected = figures.scaling(curves, "throughput", x="processes", hue="layout")
    assert_same_figure(curves.storage.plot("scaling"), expected)


def test_keys_for_which_there_is_no_place_are_told_apart_together() -> None:
    rows = [
        row
        for layout in ("distribute", "replicate")
        for operation in ("write", "read")
        for mount in ("nfs", "fuse")
        for driver in ("virtio", "e1000")
        for row in repeats((1.0, 1.1), layout=layout, mount=mount, operation=operation, driver=driver)
    ]
    drawn = node(rows).storage.plot("points")
    [both] = [str(name) for name in drawn.data.coords if "_and_" in str(name)]
    assert set(both.split("_and_")) < {"layout", "mount", "operation", "driver"}
    levels = dict.fromkeys(drawn.data[both].values.tolist())
    assert len(levels) == 4
    assert all(level.count(", ") == 1 for level in levels)
    with pytest.raises(AnalysisError, match="differ in"):
        node(rows).storage.plot("points", category="layout", hue="mount", facet="operation")


def test_as_many_keys_as_places_have_one_each() -> None:
    rows = [
        row
        for layout in ("distribute", "replicate")
        for operation in ("write", "read")
        for processes in (16.0, 2.0)
        for row in repeats((1.0, 1.1), layout=layout, operation=operation, processes=processes)
    ]
    expected = figures.points(node(rows), "throughput", category="operation", hue="layout", facet="processes")
    assert_same_figure(node(rows).storage.plot("points"), expected)


def test_levels_told_apart_together_stand_in_the_order_of_their_keys() -> None:
    rows = [
        row
        for layout in ("replicate", "distribute")
        for clients in (16.0, 2.0)
        for row in repeats((1.0, 1.1), layout=layout, clients=clients)
    ]
    ds, name = joined(node(rows), ["layout", "clients"])
    declared = schema.field(name)
    assert (name, declared.long_name) == ("layout_and_clients", "volume layout and clients")
    assert declared.values == (
        "distribute, 2 clients", "distribute, 16 clients", "replicate, 2 clients", "replicate, 16 clients",
    )  # fmt: skip
    assert set(ds[name].values.tolist()) == set(declared.values)


def test_plot_of_results_is_the_figure_that_belongs_to_them() -> None:
    compared = analysis.compare(fileop(), "operation_rate", "filesystem", "xfs", "btrfs", ["operation"])
    assert_same_figure(compared.storage.plot(), figures.ratios(compared))
    won = analysis.winners(fileop(), "operation_rate", "filesystem", ["operation"])
    assert_same_figure(won.storage.plot(), figures.winners_map(won, "operation_rate"))


def test_plot_percentiles() -> None:
    expected = figures.percentiles(latencies(), hue="filesystem", facet="")
    assert_same_figure(latencies().storage.plot("percentiles"), expected)


def test_plot_refuses_more_keys_than_it_has_places() -> None:
    with pytest.raises(AnalysisError, match=r"differ in clients \(1.0, 3.0\): name it in by or over, or select one"):
        cluster().storage.plot("points", category="operation", hue="layout", facet="")


def test_plot_knows_its_kinds() -> None:
    with pytest.raises(UnknownNameError, match="unknown kind of figure 'point'; did you mean 'points'"):
        cluster().storage.plot("point")


def test_a_figure_shows_itself() -> None:
    drawn = fileop().storage.plot()
    assert repr(drawn) == f"Drawn({drawn.caption!r})"
    shown = drawn._repr_html_()
    assert f"<figcaption>{drawn.caption}</figcaption>" in shown
    assert 'src="data:image/svg+xml;base64,' in shown
    assert f'alt="{drawn.alt}"' in shown


def test_the_verbs_of_a_study_speak_of_its_runs() -> None:
    tree = study(runs=cluster(), clients=shares())
    xr.testing.assert_identical(tree.storage.rows, cluster())
    xr.testing.assert_identical(tree.storage.summarise(), cluster().storage.summarise())
    pd.testing.assert_series_equal(tree.storage.keys(), cluster().storage.keys())


def test_the_verbs_of_a_node_speak_of_its_rows() -> None:
    tree = study(runs=cluster(), clients=shares())
    xr.testing.assert_identical(tree["clients"].storage.rows, shares())
    xr.testing.assert_identical(tree["runs"].storage.select(clients=1), dataset.select(cluster(), clients=1))


def test_a_study_without_runs_names_its_nodes() -> None:
    with pytest.raises(UnknownNameError, match="unknown node of this study 'runs'; known: clients"):
        study(clients=shares()).storage.summarise()


def test_verbs_of_whole_campaigns() -> None:
    tree = study(runs=cluster(), clients=shares())
    by = ["layout", "operation", "clients"]
    xr.testing.assert_identical(tree.storage.fairness("throughput", by), analysis.fairness(shares(), by=by))
    xr.testing.assert_identical(shares().storage.fairness(by=by), analysis.fairness(shares(), by=by))
    xr.testing.assert_identical(tree.storage.validity(), analysis.validity(tree))
    many = node(
        repeats([1.0, 1.1, 0.9, 1.05, 1.2, 0.95], layout="a") + repeats([2.0, 2.1, 1.9, 2.2, 2.3, 1.8], layout="b")
    )
    xr.testing.assert_identical(many.storage.drift(), analysis.drift_test(many, "throughput", ["layout"]))
    curve = node([row for n in (1.0, 2.0, 4.0, 8.0) for row in repeats([n, 1.1 * n], clients=n)])
    xr.testing.assert_identical(curve.storage.scaling(), analysis.scaling_fits(curve))
    xr.testing.assert_identical(
        many.storage.plan(effect=1.2, cells=3),
        analysis.plan_repeats(many, "throughput", ["layout"], effect=1.2, cells=3),
    )


def test_a_study_without_clients_says_so() -> None:
    with pytest.raises(UnknownNameError, match="unknown node of this study 'clients'"):
        study(runs=cluster()).storage.fairness()

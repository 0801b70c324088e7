"""Questions that one asks of observations: each verb is one call of the analysis that has the same name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from storagelab import dataset
from storagelab.errors import AnalysisError

if TYPE_CHECKING:
    import xarray as xr

    from storagelab.interactive.default_variables import Question

Level = str | float
Names = str | Sequence[str] | None


class Verbs(ABC):
    """Analyses of some observations, with what is obvious left out."""

    @property
    @abstractmethod
    def rows(self) -> xr.Dataset:
        """The observations that the verbs speak of."""

    @property
    @abstractmethod
    def shares(self) -> xr.Dataset:
        """The observations of clients."""

    def summarise(self, variable: str = "", by: Names = None, **options: Any) -> xr.Dataset:
        """Mean of the runs of each cell, with its interval and n; see `storagelab.analysis.summarise`.

        Parameters
        ----------
        variable : str, optional
        by : str or sequence of str, optional
            Keys that make the cells.
        **options
            What `storagelab.analysis.summarise` takes besides: over, statistic, scale, ...

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        AnalysisError
            If the data cannot answer; says what to name or to select.

        Examples
        --------
        >>> runs.storage.summarise("operation_rate", statistic="mean")  # doctest: +SKIP
        """
        from storagelab import analysis

        question = self._question(variable, by, options)
        return question.noted(analysis.summarise(self.rows, question.variable, question.by, **options))

    def compare(
        self,
        variable: str = "",
        factor: str = "",
        base: Level = "",
        other: Level = "",
        by: Names = None,
        **options: Any,
    ) -> xr.Dataset:
        """Ratio other / base in each cell, with its interval and verdict; see `storagelab.analysis.compare`.

        Parameters
        ----------
        variable : str, optional
        factor : str
            Key in which the two sides differ.
        base, other : str or float
            Its two levels.
        by : str or sequence of str, optional
            Keys that make the cells; by default those that differ inside a side.
        **options
            What `storagelab.analysis.compare` takes besides: pair, margin, over, statistic, ...

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        UnknownNameError
            If there is no such key or level.
        AnalysisError
            If the data cannot answer; says what to name or to select.

        Examples
        --------
        >>> runs.storage.compare("throughput", "mount", "kernel", "fuse", margin=0.1)  # doctest: +SKIP
        """
        from storagelab import analysis
        from storagelab.interactive.default_variables import Question, obvious_variable

        _require_key(factor, "the key whose levels are compared")
        sides = dataset.select(self.rows, **{factor: [base, other]})
        question = Question.of(sides, variable or obvious_variable(sides), by, options, factor)
        return question.noted(
            analysis.compare(self.rows, question.variable, factor, base, other, question.by, **options)
        )

    def winners(self, variable: str = "", among: str = "", by: Names = None, **options: Any) -> xr.Dataset:
        """Who is best in each cell, and who ties; see `storagelab.analysis.winners`.

        Parameters
        ----------
        variable : str, optional
        among : str
            Key whose levels compete.
        by : str or sequence of str, optional
            Keys that make the cells; by default those in which the rows of a level differ.
        **options
            What `storagelab.analysis.winners` takes besides: best, blocks, family, over, statistic, ...

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        AnalysisError
            If the data cannot answer; says what to name or to select.

        Examples
        --------
        >>> runs.storage.winners("operation_rate", "filesystem", statistic="mean")  # doctest: +SKIP
        """
        from storagelab import analysis

        _require_key(among, "the key whose levels compete")
        question = self._question(variable, by, options, among)
        return question.noted(analysis.winners(self.rows, question.variable, among, question.by, **options))

    def fairness(self, variable: str = "", by: Names = None) -> xr.Dataset:
        """How evenly the clients of each run share it; see `storagelab.analysis.fairness`.

        Parameters
        ----------
        variable : str, optional
        by : str or sequence of str, optional
            Keys that make the cells.

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        AnalysisError
            If the rows are not of clients: of a study, ask its node ``clients``, or the study itself.

        Examples
        --------
        >>> study.storage.fairness("throughput", ["layout", "clients", "operation"])  # doctest: +SKIP
        """
        from storagelab import analysis
        from storagelab.interactive.default_variables import Question, obvious_variable

        rows = self.shares
        question = Question.of(rows, variable or obvious_variable(rows), by, {"over": ["client", "process"]})
        return question.noted(analysis.fairness(rows, question.variable, question.by))

    def drift(self, variable: str = "", by: Names = None, order: str = "repeat", **options: Any) -> xr.Dataset:
        """Whether values rise or fall over the campaign; see `storagelab.analysis.drift_test`.

        Parameters
        ----------
        variable : str, optional
        by : str or sequence of str, optional
            Keys that make the cells.
        order : str
            ``repeat``, ``block``, or a time.
        **options
            What `storagelab.analysis.drift_test` takes besides: within, over, statistic.

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        AnalysisError
            If the data cannot answer; says what to name or to select.

        Examples
        --------
        >>> runs.storage.select(tool="iozone").storage.drift("throughput")  # doctest: +SKIP
        """
        from storagelab import analysis

        question = self._question(variable, by, options)
        return question.noted(analysis.drift_test(self.rows, question.variable, question.by, order, **options))

    def scaling(self, variable: str = "", by: Names = None, x: str = "clients", **options: Any) -> xr.Dataset:
        """Where a scaling curve bends and ends, by fitted models; see `storagelab.analysis.scaling_fits`.

        Parameters
        ----------
        variable : str, optional
        by : str or sequence of str, optional
            Keys that make the cells.
        x : str
            Key along which it scales.
        **options
            What `storagelab.analysis.scaling_fits` takes besides: models, over, statistic.

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        AnalysisError
            If the data cannot answer; says what to name or to select.

        Examples
        --------
        >>> runs.storage.select(tool="iozone").storage.scaling("throughput", ["layout", "operation"])  # doctest: +SKIP
        """
        from storagelab import analysis

        question = self._question(variable, by, options, x)
        return question.noted(analysis.scaling_fits(self.rows, question.variable, question.by, x=x, **options))

    def plan(self, variable: str = "", by: Names = None, *, effect: float = 1.1, **options: Any) -> xr.Dataset:
        """How many runs show a ratio as often as asked, with these as a pilot; see `storagelab.analysis.plan_repeats`.

        Parameters
        ----------
        variable : str, optional
        by : str or sequence of str, optional
            Keys that make the cells.
        effect : float
            Ratio that is to be shown, such as 1.1 or 0.9.
        **options
            What `storagelab.analysis.plan_repeats` takes besides: cells, margin, power, ...

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        AnalysisError
            If the data cannot answer; says what to name or to select.

        Examples
        --------
        >>> pilot.storage.plan("throughput", effect=1.05, cells=12)  # doctest: +SKIP
        """
        from storagelab import analysis

        question = self._question(variable, by, options)
        return question.noted(
            analysis.plan_repeats(self.rows, question.variable, question.by, effect=effect, **options)
        )

    def _question(self, variable: str, by: Names, options: dict[str, Any], factor: str = "") -> Question:
        """Name the variable and the cells of a question that leaves them out."""
        from storagelab.interactive.default_variables import Question, obvious_variable

        return Question.of(self.rows, variable or obvious_variable(self.rows), by, options, factor)


def _require_key(name: str, what: str) -> None:
    if not name:
        raise AnalysisError(f"name {what}; `keys()` lists those in which rows differ")

"""The rates of IOR: curves through the printed points, and what the model says between them; all in B/s."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from storagelab.reconstruct.model import saturating
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from .shapes import GPFS, along, doublings, through

Point = tuple[float, str]
"""A rate, and what it rests on."""


@dataclass(frozen=True, slots=True)
class Curves:
    """Rates of the best run of each cell."""

    published: Published
    bed: TestBed

    @property
    def nodes(self) -> list[int]:
        """The numbers of nodes: powers of two from the fewest to the most."""
        return doublings(self.bed.si("ior.nodes_least"), self.bed.si("ior.nodes_most"))

    def single(self, filesystem: str) -> float:
        """One client: the printed share of what the controller delivers."""
        return self.published.si(f"single_{filesystem}") * self.bed.si("ddn.rate_large")

    def wider(self) -> Iterator[tuple[int, float]]:
        """One client of Lustre with more stripes than by default, a gain with each doubling."""
        default = self.bed.si("lustre.stripes")
        for doubled, stripes in enumerate(doublings(default, self.bed.chosen("stripes_most"))):
            if doubled:
                yield stripes, self.single("lustre") * (1 + self.bed.chosen("stripe_gain")) ** doubled

    def own_write(self, filesystem: str, nodes: int) -> Point:
        """Each process writes a file of its own: through the printed peak, which one node of GPFS has half of."""
        peak, at = self._printed(f"fpp_{filesystem}_peak", f"fpp_{filesystem}_nodes")
        alone = self._half(peak) if filesystem == GPFS else peak * self.bed.chosen("fpp_lustre_alone")
        return self._through({1: alone, at: peak}, nodes, at)

    def shared_write(self, filesystem: str, nodes: int) -> Point:
        """All processes write one file: through the printed peak and the nodes at which half of it is reached."""
        peak, at = self._printed(f"ssf_{filesystem}", f"ssf_{filesystem}_nodes")
        half = {self.published.si(f"ssf_{filesystem}_half"): self._half(peak)}
        if filesystem == GPFS:
            return self._through({**half, at: peak}, nodes, at)
        alone = self.single(filesystem)
        dip = {self.published.si("ssf_dip"): alone * (1 - self.bed.chosen("shared_dip"))}
        return self._through({1: alone, **dip, **half, at: peak}, nodes, at)

    def own_read(self, nodes: int) -> float:
        """Each process reads a file of its own: both file systems at the limit of the controller."""
        limit = self.bed.si("ddn.rate_large")
        return saturating(nodes, self.bed.chosen("read_alone") * limit, limit)

    def shared_read(self, filesystem: str, nodes: int) -> Point:
        """All processes read one file: both end at the printed rate, and change places before that."""
        end, last = self.published.si("ssf_read"), self.bed.si("ior.nodes_most")
        if nodes == last:
            return end, "published"
        common = saturating(nodes, self.bed.chosen("read_alone") * end, end)
        lead = math.sqrt(1 + self._lead(nodes))
        return (common * lead if filesystem == GPFS else common / lead), "model"

    def half_of_the_tiers(self, filesystem: str) -> tuple[int, int, float]:
        """Nodes, tiers and the rate that is left of that with all tiers."""
        nodes = round(self.bed.chosen("tiers_nodes"))
        rate = self.own_write(filesystem, nodes)[0] * self.bed.chosen(f"{filesystem}_half_tiers")
        return nodes, round(self.bed.si("ddn.tiers_reduced")), rate

    def _printed(self, rate: str, nodes: str) -> tuple[float, float]:
        return self.published.si(rate), self.published.si(nodes)

    def _half(self, peak: float) -> float:
        return peak / 2 * (1 + self.bed.chosen("half_margin"))

    def _through(self, anchors: dict[float, float], nodes: int, peak_at: float) -> Point:
        rate = through(anchors, nodes, self.bed.chosen("tail"))
        return rate, "published" if nodes == peak_at else "model"

    def _lead(self, nodes: int) -> float:
        """What GPFS is ahead by in shared reads: straight over log nodes, from its lead through 0 to its lag and 0."""
        first, last = self.bed.si("ior.nodes_least"), self.bed.si("ior.nodes_most")
        cross, trail = self.bed.chosen("read_cross"), self.bed.chosen("read_trail")
        lead = self.bed.chosen("read_lead")
        if nodes <= cross:
            return lead * (1 - along(nodes, first, cross))
        if nodes <= trail:
            return -lead * along(nodes, cross, trail)
        return -lead * (1 - along(nodes, trail, last))

"""As few cases as together show what all of them show: what tests read that would otherwise take hours."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

Case = TypeVar("Case", bound=tuple[Any, ...])


class Shown(NamedTuple):
    """What a case shows, and what it costs."""

    news: frozenset[object]
    cost: int

    def worth(self, left: set[object]) -> float:
        """Return how much of what is left it shows for its cost."""
        return len(self.news & left) / self.cost


def covering(found: Mapping[Case, Shown]) -> Iterator[Case]:
    """Yield cases that together show all, each the one that shows most for its cost of what is left."""
    left: set[object] = set().union(*(one.news for one in found.values()))
    heap = [(-one.worth(left), case) for case, one in found.items()]
    heapq.heapify(heap)
    while left:
        _, case = heapq.heappop(heap)
        worth = found[case].worth(left)
        if heap and worth < -heap[0][0]:
            heapq.heappush(heap, (-worth, case))
        elif worth:
            left -= found[case].news
            yield case

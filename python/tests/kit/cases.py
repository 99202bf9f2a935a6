# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""A sample of the cases of parametrized tests, for short runs.

`make test` runs at most two cases of each test, `make test-long` all of them. The cases of a
sample have as many different values of the parameters as possible. `PYSPARK_LANCE_SEED` selects
another sample. Tests with `pytest.mark.every_case` run all cases, and slow tests with
`pytest.mark.one_case` run one.
"""

import os
from collections import defaultdict
from random import Random

import pytest

IS_LONG = bool(os.environ.get("PYSPARK_LANCE_LONG_TESTS"))
"""Whether this is a run of `make test-long`."""


def sample(items: list[pytest.Item], limit: int) -> list[pytest.Item]:
    """The items of a short run, in their order."""
    seed = os.environ.get("PYSPARK_LANCE_SEED", "20261127")
    tests = defaultdict(list)
    for item in items:
        tests[item.nodeid.partition("[")[0]].append(item)
    kept = set()
    for name, cases in tests.items():
        most = 1 if cases[0].get_closest_marker("one_case") else limit
        every = len(cases) <= most or cases[0].get_closest_marker("every_case")
        kept.update(cases if every else _cover(cases, most, Random(f"{seed} {name}")))
    return [item for item in items if item in kept]


def _cover(cases: list[pytest.Item], limit: int, random: Random) -> list[pytest.Item]:
    """Cases with as many different values of parameters as possible."""
    left = random.sample(cases, len(cases))
    chosen: list[pytest.Item] = []
    seen: set[tuple[str, int]] = set()
    while len(chosen) < limit:
        best = max(left, key=lambda case: len(_values(case) - seen))
        left.remove(best)
        chosen.append(best)
        seen |= _values(best)
    return chosen


def _values(case: pytest.Item) -> set[tuple[str, int]]:
    """The parameters of a case, each with the position of its value."""
    return set(case.callspec.indices.items())

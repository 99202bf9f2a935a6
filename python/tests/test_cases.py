# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`kit.cases`: the cases of parametrized tests in short runs."""

from itertools import product
from types import SimpleNamespace

from kit.cases import sample


class Case(SimpleNamespace):
    """A fake case."""

    __hash__ = object.__hash__


def cases(name, marker=None, **values):
    """Fake cases of a test, for all combinations of the numbers of its parameters."""
    return [
        Case(
            nodeid=f"{name}[{'-'.join(map(str, numbers))}]",
            callspec=SimpleNamespace(indices=dict(zip(values, numbers, strict=True))),
            get_closest_marker=lambda name: name == marker,
        )
        for numbers in product(*map(range, values.values()))
    ]


def names(items):
    return [item.nodeid for item in items]


def test_a_sample_has_as_many_values_as_possible():
    found = sample(cases("a", x=4, y=2, z=9), 4)
    assert {item.callspec.indices["x"] for item in found} == {0, 1, 2, 3}
    assert {item.callspec.indices["y"] for item in found} == {0, 1}
    assert len({item.callspec.indices["z"] for item in found}) == len(found) == 4


def test_small_tests_and_marked_tests_run_all_cases_in_their_order():
    items = cases("few", x=4) + cases("marked", marker="every_case", x=20)
    assert names(sample(items, 4)) == names(items)


def test_slow_tests_run_one_case():
    assert len(sample(cases("slow", marker="one_case", x=20), 4)) == 1


def test_a_sample_depends_on_the_seed_only(monkeypatch):
    items = cases("a", x=50)
    first = names(sample(items, 4))
    assert first == names(sample(items, 4)) == sorted(first, key=names(items).index)
    monkeypatch.setenv("PYSPARK_LANCE_SEED", "1")
    assert names(sample(items, 4)) != first

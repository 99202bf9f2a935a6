# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Tasks that build and search vector and full-text indices, and their comparisons.

Workers on any PySpark import this module, so it imports only the standard library.
"""

import random
from collections.abc import Iterator, Mapping
from typing import Final

from benchmarks.actions import Build, Search, TextSearch, Way
from benchmarks.answers import TOLERANCE
from benchmarks.comparisons import USUAL, Comparison, Effort, Side
from benchmarks.tasks import Task

_GROUP: Final = "search"
_PARTITIONS: Final = 584
"""Partitions at scale 1: the square root of the number of words."""
_GRAPHS: Final = 8
"""Partitions with a graph at scale 1."""
_SUB_VECTORS: Final = 20
_FINE: Final = {"nprobes": 50, "refine_factor": 10}
_COARSE: Final = {"nprobes": 20}
_FEW_RUNS: Final = Effort(warm_runs=1, warm_seconds=0.0)
_ONE_RUN: Final = Effort(warm_runs=1, warm_seconds=0.0, runs=1)
_LONG: Final = Effort(warm_runs=0, runs=1, rounds=1)
_KINDS: Final[Mapping[str, tuple[str, float, Effort]]] = {
    "IVF_FLAT": ("words_100", 1.5, _FEW_RUNS),
    "IVF_SQ": ("words_100", 1.5, _FEW_RUNS),
    "IVF_RQ": ("words_96", 1.5, _FEW_RUNS),
    "IVF_PQ": ("words_100", 1.5, _ONE_RUN),
    "IVF_HNSW_SQ": ("words_100", 1.0, _LONG),
    "IVF_HNSW_PQ": ("words_100", 1.0, _LONG),
}
"""Table, target of the build, and effort of the build of each kind. RQ needs a dimension that is
divisible by 8."""

_TEXT: Final = Build("INVERTED", "o_comment")
_TERMS: Final = (
    *("accounts", "asymptotes", "carefully", "deposits", "express", "final", "foxes"),
    *("furiously", "ideas", "instructions", "ironic", "packages", "pending", "pinto"),
    *("quickly", "regular", "requests", "slyly", "special", "theodolites"),
)
"""Frequent words of the comments of TPC-H."""
_TERM_COUNTS: Final = {1: "1 term", 2: "2 terms", 4: "4 terms"}
_SCORES: Final = 1e-4
"""Tolerance of scores, which are sums of floats."""


def comparisons(scale: float) -> dict[str, Comparison]:
    """Returns all comparisons by the name of our task."""
    found = [*_builds(), *_searches(), *_joins(scale), *_text_searches()]
    return {comparison.ours.task: comparison for comparison in found}


def _builds() -> Iterator[Comparison]:
    for kind, (_, at_most, effort) in _KINDS.items():
        name = _name("build", kind)
        yield _beside_pylance(f"build {kind}", name, at_most, is_build=True, effort=effort)


def _searches() -> Iterator[Comparison]:
    for kind in _KINDS:
        at_most = None if kind == "IVF_HNSW_PQ" else 1.3
        yield _beside_pylance(f"{kind}, engine alone", _name("fine", kind), at_most)
    for kind in ("IVF_FLAT", "IVF_SQ", "IVF_PQ"):
        yield _beside_pylance(f"{kind}, engine alone, coarse", _name("coarse", kind), 1.3)
    for kind in ("IVF_SQ", "IVF_PQ"):
        yield _beside_pylance(f"{kind}, vector_search", _name("sql", kind), at_most_ms=25.0)
    yield _beside_pylance("exact, vector_search", "search-exact", 1.0, least_recall=0.999)


def _joins(scale: float) -> Iterator[Comparison]:
    count = _queries(10_000, scale)
    for task, other, title, at_most, effort in (
        ("search-join", _name("sql", "IVF_SQ"), "pylance, single", 0.1, USUAL),
        ("search-join-batch", "search-batch", "pylance, batch", 0.33, _ONE_RUN),
    ):
        yield Comparison(
            f"IVF_SQ, nearest_join of {count:,} queries",
            Side("lance", task),
            Side("pylance", other),
            title,
            at_most,
            least_recall=0.95 if scale >= 1 else None,
            effort=effort,
        )


def _text_searches() -> Iterator[Comparison]:
    name = "search-build-text"
    yield _beside_pylance("build INVERTED", name, 2.0, is_build=True, effort=_FEW_RUNS)
    for count, terms in _TERM_COUNTS.items():
        title = f"INVERTED, {terms}, engine alone"
        yield _beside_pylance(title, f"search-text-{count}", 1.5, tolerance=_SCORES)
    for count, terms in _TERM_COUNTS.items():
        name = f"search-text-sql-{count}"
        title = f"INVERTED, {terms}, LanceTable.search"
        yield _beside_pylance(title, name, at_most_ms=30.0, tolerance=_SCORES)


def _beside_pylance(
    title: str,
    name: str,
    at_most: float | None = None,
    *,
    is_build: bool = False,
    at_most_ms: float | None = None,
    least_recall: float | None = None,
    effort: Effort = USUAL,
    tolerance: float = TOLERANCE,
) -> Comparison:
    """Returns a comparison of one task on both systems."""
    return Comparison(
        title,
        Side("lance", name),
        Side("pylance", name),
        "pylance",
        at_most,
        is_build,
        at_most_ms,
        least_recall,
        effort,
        tolerance,
    )


def search_tasks(scale: float) -> dict[str, Task]:
    """Returns the tasks by name."""
    few, usual, all_queries = (_queries(count, scale) for count in (10, 200, 10_000))

    def search(name: str, kind: str, way: Way, count: int, parameters: Mapping[str, int]) -> Task:
        action = Search(count, way, _index(kind, scale), parameters)
        return Task(name, name, _GROUP, (_KINDS[kind][0],), action)

    found = [
        *(_build_task(kind, scale, usual) for kind in _KINDS),
        *(search(_name("fine", kind), kind, "engine", usual, _FINE) for kind in _KINDS),
        *(
            search(_name("coarse", kind), kind, "engine", usual, _COARSE)
            for kind in ("IVF_FLAT", "IVF_SQ", "IVF_PQ")
        ),
        *(search(_name("sql", kind), kind, "sql", usual, _FINE) for kind in ("IVF_SQ", "IVF_PQ")),
        Task("search-exact", "exact", _GROUP, ("words_100",), Search(few, "sql")),
        search("search-join", "IVF_SQ", "join", all_queries, _FINE),
        search("search-join-batch", "IVF_SQ", "join", all_queries, _FINE),
        search("search-batch", "IVF_SQ", "batch", all_queries, _FINE),
        Task("search-build-text", "build INVERTED", _GROUP, ("orders",), _TEXT),
        *(_text_task(f"search-text-{count}", count, "engine") for count in _TERM_COUNTS),
        *(_text_task(f"search-text-sql-{count}", count, "sql") for count in _TERM_COUNTS),
    ]
    return {task.name: task for task in found}


def _text_task(name: str, terms: int, way: Way) -> Task:
    """Returns searches for each term with random other terms, the same in every run."""
    others = random.Random(f"text {terms}")
    texts = tuple(
        " ".join([term, *others.sample([t for t in _TERMS if t != term], terms - 1)])
        for term in _TERMS
    )
    return Task(name, name, _GROUP, ("orders",), TextSearch(texts, way, _TEXT))


def _build_task(kind: str, scale: float, queries: int) -> Task:
    index = _index(kind, scale)
    search = Search(queries, "engine", index, _FINE)
    action = Build(kind, index.column, index.options, search)
    return Task(_name("build", kind), f"build {kind}", _GROUP, (_KINDS[kind][0],), action)


def _index(kind: str, scale: float) -> Build:
    partitions = _GRAPHS if "HNSW" in kind else _PARTITIONS
    options = {"num_partitions": max(1, round(partitions * min(1.0, scale)))}
    if kind.endswith("PQ"):
        options["num_sub_vectors"] = _SUB_VECTORS
    return Build(kind, "vector", options)


def _queries(count: int, scale: float) -> int:
    """Returns the number of queries: fewer in tests, whose files have few."""
    return min(count, max(20, int(10_000 * min(1.0, scale))))


def _name(task: str, kind: str) -> str:
    return f"search-{task}-{kind.removeprefix('IVF_').lower().replace('_', '-')}"

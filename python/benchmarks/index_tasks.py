# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Tasks that build and use scalar indices, and their comparisons.

Workers on any PySpark import this module, so it imports only the standard library.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from benchmarks.actions import Build, Change, Query, Write
from benchmarks.comparisons import Comparison, Side
from benchmarks.task_list import tasks
from benchmarks.tasks import Task

_GROUP: Final = "index"
_BUILDS: Final = (
    ("BTREE", "l_partkey"),
    ("BITMAP", "l_shipmode"),
    ("NGRAM", "l_comment"),
    ("ZONEMAP", "l_shipdate"),
    ("BLOOMFILTER", "l_partkey"),
)


def comparisons(scale: float) -> dict[str, Comparison]:
    """Returns all comparisons by the name of our task."""
    found = [*_builds(scale), *_uses()]
    return {comparison.ours.task: comparison for comparison in found}


def _builds(scale: float) -> Iterator[Comparison]:
    at_most = 1.3 if scale >= 10 else 2.0
    for kind, column in _BUILDS:
        name = _build_name(kind, column)
        yield Comparison(
            f"build {kind} on {column}",
            Side("lance", name),
            Side("pylance", name),
            "pylance",
            at_most,
            is_build=True,
        )


def _uses() -> Iterator[Comparison]:
    for task, title, at_most in (
        ("keys", "20 lookups by key", 0.35),
        ("join", "1,000 keys joined with lineitem", 0.15),
    ):
        yield Comparison(
            title,
            Side("lance", f"index-{task}"),
            Side("parquet", f"index-{task}-plain"),
            "Parquet",
            at_most,
        )
    yield Comparison(
        "MERGE of 1,000 keys",
        Side("lance", "index-merge"),
        Side("lance", "index-merge-plain"),
        "without the index",
        0.2,
    )
    yield Comparison(
        "20 ranges of keys, zone map",
        Side("lance", "index-ranges"),
        Side("parquet", "index-ranges-plain"),
        "Parquet",
        0.5,
    )
    yield Comparison(
        "write lineitem, zone map",
        Side("lance", "index-write"),
        Side("lance", "index-write-plain"),
        "without the index",
        1.03,
    )


def index_tasks(scale: float) -> dict[str, Task]:
    """Returns the tasks by name. Names with `-plain` use the table without an index."""
    found = [
        *(
            Task(
                _build_name(kind, column),
                f"build {kind} on {column}",
                _GROUP,
                ("lineitem",),
                Build(kind, column),
            )
            for kind, column in _BUILDS
        ),
        *_use_tasks(scale),
    ]
    return {task.name: task for task in found}


def _build_name(kind: str, column: str) -> str:
    return f"index-build-{kind.lower()}-{column}"


def _use_tasks(scale: float) -> Iterator[Task]:
    keys = f"SELECT 32 * id * {max(1, int(187 * scale))} + 1 AS k FROM range(1000)"
    columns = "count(*), sum(l_extendedprice), max(l_comment)"
    join = f"SELECT {columns} FROM lineitem JOIN ({keys}) ON l_orderkey = k"
    merge = f"""MERGE INTO {{table}} AS t USING ({keys}) AS s
      ON t.l_orderkey = s.k AND t.l_linenumber = 1
      WHEN MATCHED THEN UPDATE SET l_comment = concat('merged ', s.k)"""
    lookups = replace(tasks(scale)["rows-keys"], group=_GROUP, native=None)
    for name, title, action in (
        ("keys", lookups.title, lookups.action),
        ("join", "1,000 keys joined with lineitem", Query((join,))),
        ("merge", "MERGE of 1,000 keys", Change(merge)),
    ):
        yield Task(f"index-{name}-plain", title, _GROUP, ("lineitem",), action)
        if isinstance(action, Query):
            indexed = tuple(
                sql.replace("FROM lineitem", "FROM lineitem_indexed") for sql in action.statements
            )
            action = replace(action, statements=indexed)
        yield Task(f"index-{name}", title, _GROUP, ("lineitem_indexed",), action)
    yield from _zone_map_tasks(scale)


def _zone_map_tasks(scale: float) -> Iterator[Task]:
    ranges = replace(tasks(scale)["rows-ranges"], group=_GROUP, native=None)
    yield replace(ranges, name="index-ranges-plain")
    action = ranges.action
    if isinstance(action, Query):
        zoned = (sql.replace("FROM lineitem", "FROM lineitem_zoned") for sql in action.statements)
        action = replace(action, statements=tuple(zoned))
    yield replace(ranges, name="index-ranges", tables=("lineitem_zoned",), action=action)
    yield Task("index-write-plain", "write lineitem", _GROUP, ("lineitem",), Write())
    yield Task("index-write", "write lineitem", _GROUP, ("lineitem_zoned",), Write())

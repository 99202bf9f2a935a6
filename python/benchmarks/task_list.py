# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""All measured tasks.

Workers on any PySpark import this module, so it imports only the standard library.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks.actions import Action, Native, Plan, Query, Sink, Take, Write
from benchmarks.tables import TPCH
from benchmarks.tasks import Task

_SEED: Final = 20_240_229
_QUERIES: Final = Path(__file__).parent / "tpch"


def tasks(scale: float) -> dict[str, Task]:
    """Returns all tasks by name. The lookup keys depend on the scale."""
    found = [
        task
        for make in (_lineitem, _rows, _vectors, _documents, _files, _writes, _tpch)
        for task in make(scale)
    ]
    return {task.name: task for task in found}


def first_tasks(scale: float) -> dict[str, Task]:
    """Returns the tasks of first runs by name. Each is a single read."""
    known = tasks(scale)
    where = "l_quantity < CAST('24' AS DECIMAL(15, 2))"
    found = [
        *(task for task in known.values() if task.group == "lineitem"),
        Task(
            "lineitem-quantity",
            "count(*) where l_quantity < 24",
            "lineitem",
            ("lineitem",),
            Query((f"SELECT count(*) FROM lineitem WHERE {where}",)),
        ),
        _first_statement(known["rows-keys"], "a point lookup by key"),
        _first_statement(known["rows-ranges"], "a range of keys"),
        known["rows-ids"],
        *(
            task
            for task in known.values()
            if task.group in ("vectors", "documents", "files")
            and isinstance(task.action, Query | Sink)
        ),
    ]
    return {task.name: task for task in (replace(t, name=f"first-{t.name}") for t in found)}


def _first_statement(task: Task, title: str) -> Task:
    """Returns a task with only its first statement."""
    if not isinstance(task.action, Query):
        raise TypeError(f"{task.name} is not a query")
    return replace(
        task, title=title, action=replace(task.action, statements=task.action.statements[:1])
    )


_ALL_COLUMNS: Final = """SELECT sum(l_orderkey), sum(l_partkey), sum(l_suppkey), sum(l_linenumber),
  max(l_quantity), max(l_extendedprice), max(l_discount), max(l_tax), sum(length(l_returnflag)),
  sum(length(l_linestatus)), max(l_shipdate), max(l_commitdate), max(l_receiptdate),
  sum(length(l_shipinstruct)), sum(length(l_shipmode)), sum(length(l_comment)) FROM lineitem"""
_Q6_WHERE: Final = (
    "l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'"
    " AND l_discount >= CAST('0.05' AS DECIMAL(15, 2))"
    " AND l_discount <= CAST('0.07' AS DECIMAL(15, 2))"
    " AND l_quantity < CAST('24' AS DECIMAL(15, 2))"
)


def _lineitem(_: float) -> Iterator[Task]:
    def scan(name: str, title: str, action: Action, native: Native) -> Task:
        return Task(name, title, "lineitem", ("lineitem",), action, True, native)

    def query(name: str, title: str, sql: str, *columns: str) -> Task:
        return scan(name, title, Query((sql,)), Native(columns))

    yield scan("lineitem-all", "16 columns, aggregated", Query((_ALL_COLUMNS,)), Native())
    yield scan("lineitem-noop", "16 columns, no-op sink", Sink(), Native())
    yield query("lineitem-bigint", "a bigint", "SELECT sum(l_orderkey) FROM lineitem", "l_orderkey")
    yield query(
        "lineitem-decimal",
        "a decimal",
        "SELECT sum(l_extendedprice) FROM lineitem",
        "l_extendedprice",
    )
    yield query("lineitem-date", "a date", "SELECT max(l_shipdate) FROM lineitem", "l_shipdate")
    yield query(
        "lineitem-comment",
        "strings, sum(length)",
        "SELECT sum(length(l_comment)) FROM lineitem",
        "l_comment",
    )
    yield query(
        "lineitem-shipmode",
        "strings of few values, distinct",
        "SELECT DISTINCT l_shipmode FROM lineitem ORDER BY l_shipmode",
        "l_shipmode",
    )
    yield scan(
        "lineitem-q6",
        "TPC-H Q6",
        Query((_tpch_query("q06"),)),
        Native(("l_extendedprice", "l_discount"), (_Q6_WHERE,)),
    )
    yield scan(
        "lineitem-q1",
        "TPC-H Q1",
        Query((_tpch_query("q01"),)),
        Native(
            (
                "l_returnflag",
                "l_linestatus",
                "l_quantity",
                "l_extendedprice",
                "l_discount",
                "l_tax",
            ),
            ("l_shipdate <= DATE '1998-09-02'",),
        ),
    )
    where = "l_quantity < CAST('10' AS DECIMAL(15, 2)) AND l_shipmode = 'AIR'"
    yield Task(
        "lineitem-count",
        "count(*)",
        "lineitem",
        ("lineitem",),
        Query(("SELECT count(*) FROM lineitem",)),
        native=Native(count=True),
    )
    yield Task(
        "lineitem-count-where",
        "count(*) where …",
        "lineitem",
        ("lineitem",),
        Query((f"SELECT count(*) FROM lineitem WHERE {where}",)),
        native=Native(wheres=(where,), count=True),
    )


def _rows(scale: float) -> Iterator[Task]:
    count = max(2, min(20, int(2000 * scale)))  # fewer in tests
    orders = _picked("orders", count, 1_500_000, scale)
    keys = [((n >> 3) << 5) | (n & 7) for n in orders]  # distribution of the specification
    looks = tuple(f"l_orderkey = {key}" for key in keys)
    ranges = tuple(f"l_orderkey BETWEEN {key} AND {key + 1000}" for key in keys)
    for name, title, wheres in (
        ("rows-keys", "20 point lookups by key", looks),
        ("rows-ranges", "20 ranges of keys", ranges),
    ):
        yield Task(
            name,
            title,
            "rows",
            ("lineitem",),
            Query(
                tuple(f"SELECT * FROM lineitem WHERE {where}" for where in wheres), ordered=False
            ),
            native=Native(wheres=wheres),
        )
    by_id = _id_in(_picked("embeddings", 1000, 300_000, scale))
    rows = f"SELECT * FROM embeddings WHERE {by_id}"
    for name, title, action, take in (
        ("rows-ids", "1,000 rows, id IN (…)", Query((rows,), ordered=False), False),
        ("rows-addresses", "1,000 rows by _rowid", Take(by_id), True),
    ):
        native = Native(wheres=(by_id,), take=take)
        yield Task(
            name,
            title,
            "rows",
            ("embeddings",),
            action,
            native=native,
            read_options={"floor": {"where": by_id}},
        )


def _vectors(_: float) -> Iterator[Task]:
    elements = "SELECT sum(vector[0]), sum(vector[100]) FROM embeddings"
    for name, title, action, columns in (
        ("vectors-elements", "two elements per vector", Query((elements,)), ("vector",)),
        ("vectors-noop", "all columns, no-op sink", Sink(), None),
    ):
        native = Native(columns)
        yield Task(name, title, "vectors", ("embeddings",), action, True, native)


def _documents(scale: float) -> Iterator[Task]:
    by_id = _id_in(_picked("documents", 100, 20_000, scale))
    for table, prefix, kind in (
        ("documents", "documents", ""),
        ("document_blobs", "documents-blobs", " (blobs)"),
    ):
        is_blob = table == "document_blobs"
        rows = Query((f"SELECT * FROM {table} WHERE {by_id}",), ordered=False)
        sizes = Query(
            (f"SELECT sum(octet_length(body)) FROM {table}",),
            {"lance": (f"SELECT sum(body) FROM {table}",)} if is_blob else {},
        )
        read_sizes = {"lance": {"blobMode": "size"}} if is_blob else {}
        for name, title, action, is_scan, native, options in (
            ("noop", "all bytes", Sink(), True, Native(), {}),
            ("ids", "100 by id", rows, False, Native(wheres=(by_id,)), {"floor": {"where": by_id}}),
            ("size", "sizes", sizes, True, Native(("body",)), read_sizes),
        ):
            yield Task(
                f"{prefix}-{name}",
                f"{title}{kind}",
                "documents",
                (table,),
                action,
                is_scan,
                None if is_blob else native,
                options,
            )


def _files(_: float) -> Iterator[Task]:
    for count in (1000, 10_000):
        table = f"files_{count}"
        yield Task(
            f"files-{count}-plan",
            f"plan {count:,} files",
            "files",
            (table,),
            Plan(),
            native=Native(plan=True),
        )
        yield Task(
            f"files-{count}-scan",
            f"scan {count:,} files",
            "files",
            (table,),
            Query((f"SELECT sum(id), sum(value), sum(length(label)) FROM {table}",)),
            True,
            Native(("id", "value", "label")),
        )
    three = "SELECT sum(i000), max(d050), sum(length(s099)) FROM columns_300"
    yield Task(
        "columns-300-three",
        "3 of 300 columns",
        "files",
        ("columns_300",),
        Query((three,)),
        True,
        Native(("i000", "d050", "s099")),
    )
    yield Task(
        "columns-300-noop",
        "300 columns, no-op sink",
        "files",
        ("columns_300",),
        Sink(),
        True,
        Native(),
    )


def _writes(_: float) -> Iterator[Task]:
    for table in ("lineitem", "embeddings", "documents"):
        yield Task(f"write-{table}", f"write {table}", "writes", (table,), Write())


def _tpch(_: float) -> Iterator[Task]:
    for number in range(1, 23):
        sql = _tpch_query(f"q{number:02}")
        tables = tuple(table for table in TPCH if re.search(rf"\b{table}\b", sql))
        yield Task(f"tpch-q{number:02}", f"Q{number}", "tpch", tables, Query((sql,)))


def _tpch_query(name: str) -> str:
    return (_QUERIES / f"{name}.sql").read_text(encoding="utf-8")


def _picked(name: str, count: int, rows: int, scale: float) -> list[int]:
    """Returns row numbers, the same in every run."""
    rows = max(1, int(rows * scale))
    return sorted(random.Random(f"{_SEED} {name}").sample(range(rows), min(count, rows)))


def _id_in(ids: list[int]) -> str:
    return f"id IN ({', '.join(map(str, ids))})"

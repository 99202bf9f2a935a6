# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Measures operations of pylance on large tables without data. `ScaleBenchmark` runs this.

`python -m benchmarks.scale PATH KIND ITERATIONS` prints a line for each task, separated by tabs:
its name, the peak of resident memory in bytes, and the milliseconds of each run. A task that fails
has `failed` and the error instead.
"""

import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, Final

import lance
from lance.optimize import Compaction, CompactionOptions

from benchmarks.measure import measure

_WARM_UPS: Final = 1
_OLD: Final = timedelta(days=3650)
_ROW: Final = 5

Task = tuple[str, Callable[[], object]]


def _common(path: str) -> Iterator[Task]:
    table = lance.dataset(path)
    fragments = table.get_fragments()
    address = (fragments[-1].fragment_id << 32) + _ROW
    fragment = fragments[0].metadata
    last_id = fragments[-1].fragment_id
    del fragments

    def append() -> None:
        nonlocal table, last_id
        last_id += 1
        operation = lance.LanceOperation.Append([fragment])
        table = lance.LanceDataset.commit(table, operation, read_version=table.version)

    def delete() -> None:
        nonlocal table, last_id
        operation = lance.LanceOperation.Delete([], [last_id], "true")
        last_id -= 1
        table = lance.LanceDataset.commit(table, operation, read_version=table.version)

    yield "open", lambda: lance.dataset(path)
    yield "plan a scan", lambda: _plan(path)
    yield "plan a scan of one row", lambda: _plan(path, f"_rowid = {address}")
    yield "plan a compaction", lambda: Compaction.plan(table, CompactionOptions())
    yield "plan a clean-up", lambda: table.cleanup_old_versions(_OLD)
    yield "history", lambda: table.versions()
    yield "append a fragment", append
    yield "delete a fragment", delete


def _refs(path: str) -> Iterator[Task]:
    yield from _common(path)
    table = lance.dataset(path)
    yield "open by tag", lambda: lance.dataset(path, version="tag-00000")
    yield "list the tags", lambda: table.tags.list()
    yield "list the branches", lambda: table.branches.list()


def _deletions(path: str) -> Iterator[Task]:
    yield from _common(path)
    table = lance.dataset(path)
    row = 1

    def delete() -> None:
        nonlocal table, row
        fragment = table.get_fragments()[0].delete_rows([row])
        row += 2
        operation = lance.LanceOperation.Delete([fragment] if fragment else [], [], "one row")
        table = lance.LanceDataset.commit(table, operation, read_version=table.version)

    # The first row requires the deletion file, and no data file.
    yield "read the deleted rows", lambda: _first_row(path)
    yield "delete a row", delete


def _first_row(path: str) -> object:
    return lance.dataset(path).scanner(columns=[], with_row_id=True, limit=1).to_table()


def _plan(path: str, condition: str | None = None) -> str:
    options: dict[str, Any] = {"filter": condition} if condition else {}
    plan: str = lance.dataset(path).scanner(with_row_id=True, **options).explain_plan()
    return plan


KINDS: Final[dict[str, Callable[[str], Iterator[Task]]]] = {
    "fragments": _common,
    "columns": _common,
    "versions": _common,
    "tags and branches": _refs,
    "deleted rows": _deletions,
}
"""The tasks of each kind of table, by its name in `ScaleBenchmark`."""


def _measured(run: Callable[[], object], iterations: int) -> str:
    for _ in range(_WARM_UPS):
        run()
    samples = [measure(run) for _ in range(iterations)]
    peak = max(sample.peak_bytes for sample in samples)
    return f"{peak}\t" + " ".join(f"{sample.seconds * 1e3:.4f}" for sample in samples)


def main() -> None:
    """Runs the tasks of a kind of table."""
    path, kind, iterations = sys.argv[1], sys.argv[2], int(sys.argv[3])
    for name, run in KINDS[kind](path):
        try:
            result = _measured(run, iterations)
        except Exception as e:  # the table of results has the error
            result = "failed\t" + " ".join(str(e).split())[:120]
        print(f"{name}\t{result}", flush=True)


if __name__ == "__main__":
    main()

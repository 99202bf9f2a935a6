# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Times appends of a fragment and opening a table with pylance. `TableBenchmark` runs this.

`python -m benchmarks.table PATH APPENDS ITERATIONS` prints two lines of milliseconds: of the last
appends, and of the same number of openings afterwards.
"""

import sys
import time
from collections.abc import Callable

import lance


def times(count: int, run: Callable[[], object]) -> list[float]:
    """Returns the milliseconds of each run."""
    taken = []
    for _ in range(count):
        start = time.perf_counter()
        run()
        taken.append((time.perf_counter() - start) * 1e3)
    return taken


def main() -> None:
    """Appends fragments and opens the table."""
    path, appends, iterations = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    table = lance.dataset(path)
    fragment = table.get_fragments()[0].metadata

    def append() -> None:
        nonlocal table
        operation = lance.LanceOperation.Append([fragment])
        table = lance.LanceDataset.commit(table, operation, read_version=table.version)

    appended = times(appends, append)[-iterations:]
    opened = times(2 * iterations, lambda: lance.dataset(path))[iterations:]
    for line in (appended, opened):
        print(" ".join(f"{millis:.4f}" for millis in line))


if __name__ == "__main__":
    main()

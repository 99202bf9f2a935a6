# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""A concurrent writer with pylance, like `StormWriter` of the Scala tests.

`python storm.py PATH PARTY COUNT SEED COUNTERS` prints a line for each successful commit: the task,
the version, the id of the row, and the number of rows found.
"""

import random
import sys
import time
from pathlib import Path

import lance
import pyarrow as pa

CONFLICTS = ("conflict", "retry", "concurrent")
"""Words in the messages of commits that did not take place."""


def tasks(party: int, count: int, seed: int, counters: int) -> list[tuple[str, int]]:
    """The tasks, in any order."""
    order = random.Random(seed)
    todo = []
    for i in range(count):
        todo.append(("append", 1_000_000 * party + i))
        todo.append(("delete", 1_000_000 * party + 500_000 + i))
        todo.append(("update", order.randrange(counters)))
        todo.append(("compact", 0))
    order.shuffle(todo)
    return todo


def run(path: Path, kind: str, row: int) -> tuple[int, int]:
    """Runs one task on the latest version. Returns the new version and the rows found."""
    if kind == "append":
        added = pa.table({"id": pa.array([row], pa.int64()), "value": pa.array([0], pa.int64())})
        return lance.write_dataset(added, path, mode="append").version, 1
    table = lance.dataset(path)
    if kind == "delete":
        found = table.delete(f"id = {row}")["num_deleted_rows"]
    elif kind == "update":
        found = table.update({"value": "value + 1"}, where=f"id = {row}")["num_rows_updated"]
    else:
        found = table.optimize.compact_files(target_rows_per_fragment=64).fragments_removed
    return table.version, found


def main() -> None:
    """Runs all tasks, and repeats each one until it succeeds."""
    path, party, count, seed, counters = Path(sys.argv[1]), *map(int, sys.argv[2:6])
    wait = random.Random(seed)
    for kind, row in tasks(party, count, seed, counters):
        for attempt in range(1000):
            try:
                version, found = run(path, kind, row)
            except Exception as error:
                text = str(error).lower()
                if attempt == 999 or not any(word in text for word in CONFLICTS):
                    raise
                time.sleep(wait.random() * 0.05)
            else:
                print(kind, version, row, found, flush=True)
                break


if __name__ == "__main__":
    main()

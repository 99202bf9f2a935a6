# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Creates a table with a BTREE index, and times lookups with pylance. `LookupBenchmark` runs this.

`python -m benchmarks.lookups PATH ROWS ITERATIONS KEY ...` prints the milliseconds of a lookup in
each iteration. An iteration looks up all keys. A few iterations before are not measured.
"""

import sys

import lance
import numpy as np
import pyarrow as pa

from benchmarks.table import times

WARM_UPS = 5


def create(path: str, rows: int) -> None:
    """Writes rows with unique keys in random order: the key, three times the key plus one, text."""
    keys = np.random.default_rng(7).permutation(rows)
    table = pa.table(
        {
            "key": keys,
            "value": 3 * keys + 1,
            "text": pa.array((f"text of the row with key {key}" for key in keys), pa.string()),
        }
    )
    lance.write_dataset(table, path)
    lance.dataset(path).create_scalar_index("key", "BTREE")


def main() -> None:
    """Creates the table and looks up rows."""
    path, rows, iterations = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    keys = [int(key) for key in sys.argv[4:]]
    create(path, rows)
    table = lance.dataset(path)

    def look_up() -> None:
        for key in keys:
            found = table.to_table(filter=f"key = {key}")
            if found["value"].to_pylist() != [3 * key + 1]:
                raise AssertionError(f"another row than {key}")

    taken = times(WARM_UPS + iterations, look_up)[WARM_UPS:]
    print(" ".join(f"{millis / len(keys):.4f}" for millis in taken))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Writes the small data files under src/test/resources/golden/files with pylance.

Run from the root of the source tree: ``python python/tests/golden/make_files.py``. Needs pylance
14.0.2; a new run gives the same bytes.
"""

import shutil
from pathlib import Path

import pyarrow as pa
from lance.file import LanceFileWriter

OUT = Path("src/test/resources/golden/files")


def nested() -> pa.Table:
    """Ten rows: row i has k = i; nulls where i is divisible by 3, 4, 5."""
    rows = range(10)
    struct = pa.struct([("x", pa.string()), ("y", pa.list_(pa.int32()))])
    return pa.table(
        {
            "k": pa.array(rows, pa.int64()),
            "s": pa.array(
                [
                    None
                    if i % 5 == 0
                    else {
                        "x": None if i % 3 == 0 else f"x{i}",
                        "y": None if i % 4 == 0 else list(range(i % 3)),
                    }
                    for i in rows
                ],
                struct,
            ),
            "f": pa.array(
                [None if i % 4 == 0 else [i, i + 0.5] for i in rows],
                pa.list_(pa.float32(), 2),
            ),
        }
    )


def many_pages() -> pa.Table:
    """Pages of different columns end at different rows: narrow has wide ones."""
    rows = range(4000)
    return pa.table(
        {
            "narrow": pa.array([i * 7 % 256 for i in rows], pa.uint8()),
            "wide": pa.array([f"value {i * 31 % 1000}-{i}" for i in rows], pa.string()),
            "number": pa.array([i * i for i in rows], pa.int64()),
        }
    )


def write(name: str, table: pa.Table, version: str, batch_rows: int, **options) -> None:
    with LanceFileWriter(str(OUT / name), table.schema, version=version, **options) as writer:
        for batch in table.to_batches(max_chunksize=batch_rows):
            writer.write_batch(batch)


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    for version in ("2.1", "2.2"):
        suffix = "v" + version.replace(".", "_")
        write(f"nested_{suffix}.lance", nested(), version, 10)
        write(f"pages_{suffix}.lance", many_pages(), version, 200, data_cache_bytes=20_000)
    for version in ("2.0", "2.3"):
        suffix = "v" + version.replace(".", "_")
        write(f"refused_{suffix}.lance", nested().select(["k"]), version, 10)


if __name__ == "__main__":
    main()

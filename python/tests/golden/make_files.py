# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Writes the small data files under src/test/resources/golden/files with pylance.

Run from the root of the source tree: ``python python/tests/golden/make_files.py``. Needs pylance
14.0.2; a new run gives the same bytes.
"""

import shutil
import tempfile
from pathlib import Path

import lance
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


def sparse() -> pa.Table:
    """Columns that 2.3 stores apart from their nesting, one for each way to store values."""
    rows = range(200)

    def lists(items) -> list:
        # null, empty, and lists of up to three items
        return [None if i % 7 == 3 else [items(i, k) for k in range(i * i % 5 % 4)] for i in rows]

    wide = pa.array([f"{i:03d}" * 100 if i % 6 == 1 else None for i in rows], pa.string())
    tall = [[i * 80 + k for k in range(80)] if i % 9 == 4 else None for i in rows]
    columns = {
        "chunked": pa.array(lists(lambda i, k: None if k == 1 else i + k), pa.list_(pa.int32())),
        # nulls around values that are not null
        "zipped": pa.StructArray.from_arrays(
            [wide], ["x"], mask=pa.array([i % 4 == 1 for i in rows])
        ),
        "vectors": pa.array(tall, pa.list_(pa.int32(), 80)),
        "constant": pa.array(lists(lambda i, k: None if i % 5 == 0 else 7), pa.list_(pa.int32())),
        "none": pa.array(lists(lambda i, k: None), pa.list_(pa.int32())),
        "indexed": pa.array(
            [None if i % 3 == 2 else [f"{i % 64:04d}" * 256] * (i % 3 + 1) for i in rows],
            pa.list_(pa.string()),
        ),
        "deep": pa.array(
            [
                None
                if i % 10 == 9
                else [
                    None if k == 2 else {"y": None if i % 4 == 0 else [f"s{i}"] * k}
                    for k in range(i % 4)
                ]
                for i in rows
            ],
            pa.list_(pa.struct([("y", pa.list_(pa.string()))])),
        ),
        "pairs": pa.array(
            [
                None
                if i % 8 == 7
                else [
                    None if k == 1 else [None if i % 5 == 0 else {"a": i + k}, {"a": None}]
                    for k in range(i % 3)
                ]
                for i in rows
            ],
            pa.list_(pa.list_(pa.struct([("a", pa.int32())]), 2)),
        ),
    }
    fields = [
        pa.field(name, a.type, metadata={"lance-encoding:structural-encoding": "sparse"})
        for name, a in columns.items()
    ]
    return pa.table(list(columns.values()), schema=pa.schema(fields))


def arrays() -> pa.Table:
    """What files of version 2.0 hold: no null structs, nested lists, strings of few values."""
    rows = range(1000)
    item = pa.struct([("x", pa.string()), ("y", pa.list_(pa.int16()))])
    packed = pa.struct([("a", pa.int32()), ("b", pa.list_(pa.float32(), 2))])
    texts = pa.array([None if i % 9 == 0 else f"word {i * 7 % 50}" for i in rows])
    return pa.table(
        [
            pa.array(rows, pa.int64()),
            pa.array([None if i % 5 == 0 else f"text {i * 31 % 1000}-{i}" for i in rows]),
            texts,
            pa.array(
                [{"x": None if i % 3 == 0 else f"x{i}", "y": list(range(i % 4))} for i in rows],
                item,
            ),
            pa.array(
                [
                    None
                    if i % 7 == 0
                    else [{"x": f"{i}.{j}", "y": None if j == 1 else [i, j]} for j in range(i % 4)]
                    for i in rows
                ],
                pa.list_(item),
            ),
            pa.array(
                [None if i % 4 == 0 else [None if i % 6 == 1 else float(i), i + 0.5] for i in rows],
                pa.list_(pa.float32(), 2),
            ),
            texts.dictionary_encode(),
            pa.array([{"a": i, "b": [float(i), -1.0]} for i in rows], packed),
            pa.array([i % 3 == 0 if i % 2 == 0 else None for i in rows]),
            pa.nulls(len(rows)),
        ],
        schema=pa.schema(
            [
                pa.field("k", pa.int64(), nullable=False),
                pa.field("text", pa.string()),
                pa.field("word", pa.string()),
                pa.field("struct", item),
                pa.field("list", pa.list_(item)),
                pa.field("vector", pa.list_(pa.float32(), 2)),
                pa.field("dictionary", pa.dictionary(pa.int32(), pa.string())),
                pa.field("packed", packed, metadata={"packed": "true"}),
                pa.field("flag", pa.bool_()),
                pa.field("nothing", pa.null()),
            ]
        ),
    )


def legacy() -> pa.Table:
    """Every kind of page of version 0.1, batches of 100 rows; only strings keep nulls."""
    rows = range(250)
    deep = pa.list_(pa.struct([("x", pa.list_(pa.int16())), ("y", pa.large_string())]))
    struct = pa.struct([("a", pa.int8()), ("b", pa.struct([("c", pa.binary())]))])
    columns = {
        "k": pa.array([None if 100 <= i < 200 and i % 10 == 3 else i for i in rows], pa.int64()),
        "flag": pa.array([i % 3 == 0 for i in rows], pa.bool_()),
        "name": pa.array(
            [None if i % 5 == 0 else "" if i % 5 == 1 else f"n{i:03d}" for i in rows], pa.string()
        ),
        "must": pa.array(["" if i % 4 == 0 else f"m{i}" for i in rows], pa.string()),
        "tags": pa.array(
            [None if i % 7 == 0 else [f"t{i}"] * (i % 3) for i in rows], pa.list_(pa.string())
        ),
        "deep": pa.array(
            [
                None
                if i % 6 == 5
                else [{"x": list(range(k)), "y": f"y{i}{k}"} for k in range(i % 4)]
                for i in rows
            ],
            deep,
        ),
        "big": pa.array([[i + 0.5] * (i % 2) for i in rows], pa.large_list(pa.float64())),
        "vec": pa.array([[i, -i, 0.25] for i in rows], pa.list_(pa.float32(), 3)),
        "bits": pa.array(
            [[(i >> k) % 2 == 1 for k in range(5)] for i in rows], pa.list_(pa.bool_(), 5)
        ),
        "kind": pa.DictionaryArray.from_arrays(
            pa.array([i % 3 for i in rows], pa.int8()), pa.array(["aa", "", "b"])
        ),
        "code": pa.DictionaryArray.from_arrays(
            pa.array([i * i % 4 for i in rows], pa.uint16()), pa.array([10, 20, 30, 40], pa.int64())
        ),
        "nothing": pa.nulls(250),
        "s": pa.array(
            [
                None if i % 50 == 9 else {"a": i % 100, "b": {"c": bytes([i % 7] * (i % 3))}}
                for i in rows
            ],
            struct,
        ),
        "score": pa.array([float("nan") if i == 7 else i / 2 for i in rows], pa.float64()),
    }
    fields = [pa.field(n, a.type, nullable=n != "must") for n, a in columns.items()]
    return pa.table(list(columns.values()), schema=pa.schema(fields))


def write_legacy(name: str, table: pa.Table, batch_rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lance.write_dataset(
            table, f"{folder}/t.lance", data_storage_version="0.1", max_rows_per_group=batch_rows
        )
        (file,) = Path(f"{folder}/t.lance/data").iterdir()
        shutil.copyfile(file, OUT / name)


def write(name: str, table: pa.Table, version: str, batch_rows: int, **options) -> None:
    with LanceFileWriter(str(OUT / name), table.schema, version=version, **options) as writer:
        for batch in table.to_batches(max_chunksize=batch_rows):
            writer.write_batch(batch)


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    for version in ("2.1", "2.2", "2.3"):
        suffix = "v" + version.replace(".", "_")
        write(f"nested_{suffix}.lance", nested(), version, 10)
        write(f"pages_{suffix}.lance", many_pages(), version, 200, data_cache_bytes=20_000)
    write("arrays_v2_0.lance", arrays(), "2.0", 100, data_cache_bytes=60_000)
    write("small_v2_0.lance", arrays().slice(0, 12), "2.0", 12)
    write("sparse_v2_3.lance", sparse(), "2.3", 200)
    write_legacy("legacy_v0_1.lance", legacy(), 100)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Writes the small tables of special types under src/test/resources/golden/types with pylance.

Run from the root of the source tree: ``python python/tests/golden/make_types.py``. Needs pylance
14.0.2; file names are random, so a new run gives new bytes with the same meaning. Beside each table
a JSON file has its rows as pylance reads them, or as they were written where it cannot.
"""

import base64
import json
import shutil
from pathlib import Path

import lance
import pyarrow as pa

OUT = Path("src/test/resources/golden/types")

BLOBS = [None if i % 5 == 2 else bytes((i + k) % 256 for k in range(i * 7 % 50)) for i in range(40)]
PAIR = pa.struct([("a", pa.int32()), ("b", pa.string())])


def plain(value: object) -> object:
    """Values for JSON: bytes in base64."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


def write(name: str, table: pa.Table, version: str, expected: "list | None" = None) -> None:
    """One table, and its rows."""
    path = OUT / f"{name}.lance"
    lance.write_dataset(table, path, data_storage_version=version)
    rows = expected or lance.dataset(path).to_table().to_pylist()
    path.with_suffix(".json").write_text(json.dumps(plain(rows)) + "\n")


def blobs(name: str, version: str, field: pa.Field, values: pa.Array) -> None:
    """40 blobs with nulls and empty ones in two fragments, 3 rows deleted."""
    schema = pa.schema([pa.field("id", pa.int32()), field])
    table = pa.table([pa.array(range(40), pa.int32()), values], schema=schema)
    path = OUT / f"{name}.lance"
    lance.write_dataset(table, path, data_storage_version=version, max_rows_per_file=25)
    lance.dataset(path).delete("id in (3, 4, 30)")
    rows = [{"id": i, "blob": b} for i, b in enumerate(BLOBS) if i not in (3, 4, 30)]
    path.with_suffix(".json").write_text(json.dumps(plain(rows)) + "\n")


def pairs(i: int) -> "list | None":
    """Two structs, with nulls at each level."""
    items = [
        {"a": None if i % 3 == 0 else i, "b": None if i % 7 == 1 else f"b{i + k}"} for k in (0, 1)
    ]
    return None if i % 5 == 4 else [items[0], None if i % 4 == 2 else items[1]]


def nested(i: int) -> "dict | None":
    """A struct with three structs, each with a list of numbers and two more structs."""
    threes = [
        None
        if (i + k) % 5 == 0
        else {"v": None if k == 1 else [i, None, k], "g": pairs(i + k), "c": 10 * i + k}
        for k in range(3)
    ]
    return None if i % 6 == 0 else {"x": None if i % 7 == 3 else threes, "y": i}


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    legacy = pa.field("blob", pa.large_binary(), metadata={"lance-encoding:blob": "true"})
    blobs("blobs_v2_0", "2.0", legacy, pa.array(BLOBS, pa.large_binary()))
    blobs("blobs_v2_1", "2.1", legacy, pa.array(BLOBS, pa.large_binary()))
    small = {"inline_size_threshold": 8, "dedicated_size_threshold": 42}
    for version in ("2.2", "2.3"):
        name = "blobs_v" + version.replace(".", "_")
        blobs(name, version, lance.blob_field("blob", **small), lance.blob_array(BLOBS))

    lists = pa.table({"f": pa.array([pairs(i) for i in range(60)], pa.list_(PAIR, 2))})
    write("fixed_size_lists_v2_2", lists, "2.2")
    write("fixed_size_lists_v2_3", lists, "2.3")
    three = pa.struct([("v", pa.list_(pa.int32(), 3)), ("g", pa.list_(PAIR, 2)), ("c", pa.int64())])
    kind = pa.struct([("x", pa.list_(three, 3)), ("y", pa.int32())])
    rows = [{"s": nested(i)} for i in range(60)]
    # pylance refuses to read a fixed-size list of structs beside another member.
    write("nested_lists_v2_2", pa.table({"s": pa.array([r["s"] for r in rows], kind)}), "2.2", rows)
    # Below lists, which 2.3 alone can write; pylance refuses to read it.
    mixed = [None if i % 6 == 2 else [pairs(i + k) for k in range(i % 4)] for i in range(60)]
    written = pa.table({"l": pa.array(mixed, pa.list_(pa.list_(PAIR, 2)))})
    write("lists_of_lists_v2_3", written, "2.3", written.to_pylist())

    empty = pa.struct([("e", pa.struct([])), ("n", pa.int32())])
    structs = {
        "id": [1, 2, 3],
        "e": pa.array([{}] * 3, pa.struct([])),
        "s": pa.array([{"e": {}, "n": 7}] * 3, empty),
    }
    for version in ("2.0", "2.1", "2.2", "2.3"):
        # pylance reads members beside an empty struct as null.
        rows = [{"id": i, "e": {}, "s": {"e": {}, "n": 7}} for i in (1, 2, 3)]
        write("empty_structs_v" + version.replace(".", "_"), pa.table(structs), version, rows)

    packed = pa.field(
        "p",
        pa.struct([("a", pa.int32()), ("b", pa.int64())]),
        metadata={"lance-encoding:packed": "true"},
    )
    values = pa.array(
        [None if i % 3 == 1 else {"a": i, "b": 10 * i} for i in range(9)], packed.type
    )
    write("packed_v2_1", pa.table([values], schema=pa.schema([packed])), "2.1")

    texts = [
        "1.5",
        "-0.0",
        "1e30",
        "1e15",
        "1e16",
        "0.00001",
        "1e-6",
        "5e-324",
        "1e400",
        "-70000",
        "3000000000",
    ]
    texts += [
        "12345678901234567890",
        "123456789012345678901234567890",
        "123456.789",
        "2.2250738585072014e-308",
        "0",
    ]
    texts += [
        '{"b":[1,2,{"c":null}],"a":"\\u00e9\\n\\"\\\\\\/\\u0001\\u007f\\b\\f\\r\\t"}',
        "[]",
        "{}",
        '""',
        "true",
        "false",
    ]
    texts += [
        "null",
        "[[[[-1]]],{}]",
        '"\\ud83d\\ude00"',
        "0.1",
        "-128",
        "-129",
        "40000",
        "9007199254740993",
        None,
    ]
    for version in ("2.0", "2.2"):
        table = pa.table({"j": pa.array(texts, pa.json_())})
        write("json_v" + version.replace(".", "_"), table, version)

    unread = pa.table(
        {
            "id": pa.array([1, 2], pa.int32()),
            "wide": pa.array([None, None], pa.decimal256(76, 20)),
            "s": pa.array(
                [{"a": 1, "w": None}] * 2,
                pa.struct([("a", pa.int32()), ("w", pa.decimal256(40, 0))]),
            ),
        }
    )
    write("wide_decimals_v2_2", unread, "2.2")

    times = pa.table(
        {
            "t32s": pa.array([0, 86399, None], pa.time32("s")),
            "t32ms": pa.array([1, 86399999, None], pa.time32("ms")),
            "t64us": pa.array([1, 86399999999, None], pa.time64("us")),
            "t64ns": pa.array([1999, 86399999999999, None], pa.time64("ns")),
            "ds": pa.array([-1, 90061, None], pa.duration("s")),
            "dms": pa.array([-1, 1500, None], pa.duration("ms")),
            "dus": pa.array([-1, 1, None], pa.duration("us")),
            "dns": pa.array([-1, 1999, None], pa.duration("ns")),
        }
    )
    path = OUT / "times_v2_2.lance"
    lance.write_dataset(times, path, data_storage_version="2.2")


if __name__ == "__main__":
    main()

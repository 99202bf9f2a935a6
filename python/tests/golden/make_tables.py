# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Writes the small tables under src/test/resources/golden/tables with pylance.

Run from the root of the source tree: ``python python/tests/golden/make_tables.py``. Needs pylance
14.0.2; file names and ids are random, so a new run gives new bytes with the same meaning.
"""

import json
import shutil
from datetime import timedelta
from pathlib import Path

import lance
import pyarrow as pa

OUT = Path("src/test/resources/golden/tables")


def numbers(start: int, count: int) -> pa.Table:
    ids = range(start, start + count)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "name": pa.array([f"n{i % 3}" for i in ids], pa.string()),
        }
    )


def history(path: Path, v2_names: bool) -> None:
    """Create, append, delete, overwrite: versions 1 to 4."""
    lance.write_dataset(numbers(0, 100), path, enable_v2_manifest_paths=v2_names)
    ds = lance.write_dataset(numbers(100, 50), path, mode="append")
    ds.delete("id < 10 or id = 149")
    lance.write_dataset(numbers(500, 7), path, mode="overwrite")


def deletions(path: Path) -> None:
    """Fragment 0 has an .arrow deletion file (2 of 8000 rows), fragment 1 a .bin one (6000)."""
    lance.write_dataset(numbers(0, 8000), path)
    ds = lance.write_dataset(numbers(8000, 8000), path, mode="append")
    ds.delete("id in (3, 7999)")
    ds.delete("id >= 8000 and id % 4 != 0")


def columns(path: Path) -> None:
    """A column in a file of its own, a dropped one, and a fragment that lacks both."""
    ds = lance.write_dataset(numbers(0, 20), path)
    ds.add_columns({"twice": "id * 2"})
    ds.drop_columns(["name"])
    lance.write_dataset(numbers(20, 5).select(["id"]), path, mode="append")


def row_ids(path: Path) -> None:
    """Stable row ids with an update, and a table config."""
    ds = lance.write_dataset(numbers(0, 20), path, enable_stable_row_ids=True)
    ds.update({"name": "'changed'"}, where="id % 5 = 0")
    ds.update_config({"owner": "golden"})


def identity(path: Path, spill: bool) -> None:
    """Row ids in every form of segment, with what pylance reads from them in a JSON file beside.

    With ``spill`` the compacted and updated fragments keep them in columns of data files.
    """
    ds = lance.write_dataset(
        numbers(0, 200), path, enable_stable_row_ids=True, max_rows_per_file=100
    )
    if spill:
        ds.update_config(
            {"lance.row_lineage.spill": "true", "lance.row_lineage.inline_max_bytes": "0"}
        )
    ds.delete("id in (3, 50)")  # a range with holes
    ds.delete("id >= 100 and id % 2 = 1")  # a range with a bitmap
    ds = lance.write_dataset(numbers(200, 500), path, mode="append")
    ds.delete("id >= 200 and id % 97 != 0")  # a sorted array
    ds.update({"name": "'changed'"}, where="id % 10 = 0")
    ds.optimize.compact_files()
    ds = lance.write_dataset(numbers(700, 9), path, mode="append")
    ds.delete("id = 703")
    ds.update({"name": "'again'"}, where="id in (8, 704, 30)")
    lance.dataset(path).cleanup_old_versions(older_than=timedelta(0))
    columns = [
        "id",
        "_rowid",
        "_rowaddr",
        "_rowoffset",
        "_row_created_at_version",
        "_row_last_updated_at_version",
    ]
    rows = lance.dataset(path).scanner(columns=columns).to_table().to_pydict()
    path.with_suffix(".json").write_text(json.dumps(rows) + "\n")


def tombstones(path: Path) -> None:
    """A column updated in place: the old file has -2 for it. Two detached versions lie about."""
    lance.write_dataset(numbers(0, 30), path, max_rows_per_file=20)
    ds = lance.dataset(path)
    changed = pa.table(
        {
            "_rowaddr": pa.array([2, 7, 19], pa.uint64()),
            "name": pa.array(["a", None, "b"], pa.string()),
        }
    )
    fragment, fields = ds.get_fragment(0).update_columns(
        changed, left_on="_rowaddr", right_on="_rowaddr"
    )
    operation = lance.LanceOperation.Update(updated_fragments=[fragment], fields_modified=fields)
    ds = lance.LanceDataset.commit(path, operation, read_version=ds.version)
    for _ in range(2):
        append = lance.LanceOperation.Append(
            [lance.fragment.LanceFragment.create(path, numbers(900, 5))]
        )
        lance.LanceDataset.commit(path, append, read_version=ds.version, detached=True)


def legacy(path: Path) -> None:
    """A table of version 0.1: two fragments of 500 rows in batches of 100, one row deleted."""
    rows = pa.table(
        {
            "id": pa.array(range(1000), pa.int64()),
            "name": pa.array([None if i % 3 == 0 else f"n{i:03d}" for i in range(1000)]),
            "kind": pa.array(["ab"[i % 2] for i in range(1000)]).dictionary_encode(),
        }
    )
    ds = lance.write_dataset(
        rows, path, data_storage_version="0.1", max_rows_per_file=500, max_rows_per_group=100
    )
    ds.delete("id = 3")


def mixed(path: Path, version: str) -> None:
    """Many types and encodings in few bytes: fragments, deleted rows, a later column."""
    rows = range(90)
    nulls = [None if i % 4 == 1 else i for i in rows]

    def text(i: int) -> str:
        return f"word {i * i % 7}" * (i % 5)

    lists = [None if i % 9 == 2 else list(range(i % 4)) for i in rows]
    columns = {
        "id": pa.array(rows, pa.int64()),
        "flag": pa.array([None if n is None else n % 3 == 0 for n in nulls], pa.bool_()),
        "small": pa.array([None if n is None else n % 100 for n in nulls], pa.int8()),
        "runs": pa.array([i // 30 for i in rows], pa.int32()),
        "sorted": pa.array([i * 1000 for i in rows], pa.uint32()),
        "real": pa.array([None if n is None else n / 3 for n in nulls], pa.float64()),
        "price": pa.array([None if n is None else n for n in nulls], pa.decimal128(20, 2)),
        "day": pa.array(nulls, pa.date32()),
        "time": pa.array(nulls, pa.timestamp("us", "UTC")),
        "word": pa.array([None if n is None else text(n) for n in nulls], pa.string()),
        "bytes": pa.array(
            [None if n is None else bytes([n] * (n % 6)) for n in nulls], pa.binary()
        ),
        "long": pa.array(
            [f"{i:03d}" * 100 if i % 23 == 3 else None for i in rows], pa.large_string()
        ),
        "key": pa.array([f"k{i % 5}" for i in rows]).dictionary_encode(),
        "vector": pa.array(
            [None if n is None else [n, n + 1, n + 2] for n in nulls], pa.list_(pa.float32(), 3)
        ),
        "list": pa.array(lists, pa.list_(pa.int16())),
        "struct": pa.array(
            # 2.0 has no null structs
            [
                None if i % 7 == 5 and version != "2.0" else {"x": nulls[i], "y": f"y{i}"}
                for i in rows
            ],
            pa.struct([("x", pa.int32()), ("y", pa.string())]),
        ),
        "deep": pa.array(
            [None if i % 11 == 4 else [{"z": lists[i]}] * (i % 3) for i in rows],
            pa.list_(pa.struct([("z", pa.list_(pa.int32()))])),
        ),
        "same": pa.array([42] * 90, pa.int32()),
        "none": pa.array([None] * 90, pa.int32()),
    }
    table = pa.table(columns)
    lance.write_dataset(table.slice(0, 70), path, data_storage_version=version)
    ds = lance.write_dataset(table.slice(70), path, mode="append")
    ds.delete("id in (3, 4, 80)")
    if version != "0.1":
        ds.add_columns({"later": "id * 2"})
    lance.dataset(path).cleanup_old_versions(older_than=timedelta(0))


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    history(OUT / "history_v1_names.lance", v2_names=False)
    history(OUT / "history_v2_names.lance", v2_names=True)
    deletions(OUT / "deletions.lance")
    columns(OUT / "columns.lance")
    row_ids(OUT / "row_ids.lance")
    tombstones(OUT / "tombstones.lance")
    identity(OUT / "identity.lance", spill=False)
    identity(OUT / "identity_spilled.lance", spill=True)
    legacy(OUT / "legacy.lance")
    for version in ("0.1", "2.0", "2.1", "2.2", "2.3"):
        mixed(OUT / f"mixed_v{version.replace('.', '_')}.lance", version)


if __name__ == "__main__":
    main()

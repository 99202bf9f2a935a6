# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Streams from and into Lance tables beside other writers, on classic sessions and on Connect."""

import json
import os
import time
import uuid

import lance
import pyarrow as pa
import pytest

from pyspark_lance import LanceTable, write

COLUMNS = "id BIGINT, v STRING"
TURNS = 8
"""Commits of another writer, fewer than a query retries."""


def turns():
    """Numbers the commits of another writer, with time for the query in between."""
    for number in range(TURNS):
        yield number
        time.sleep(0.3)


def arrow(ids, text):
    return pa.table({"id": pa.array(ids, pa.int64()), "v": [text] * len(ids)})


def started(frame, path, checkpoint, mode="append", **options):
    """Starts a query that writes the available rows to a Lance table."""
    return (
        frame.writeStream.format("lance")
        .outputMode(mode)
        .option("checkpointLocation", str(checkpoint))
        .options(**options)
        .trigger(availableNow=True)
        .start(str(path))
    )


def finished(query):
    try:
        query.awaitTermination()
    finally:
        query.stop()


def ids(path):
    dataset = lance.dataset(str(path))
    dataset.validate()
    return sorted(dataset.to_table(columns=["id"])["id"].to_pylist())


class Files:
    """A folder of JSON files. Each file is a micro-batch, in the order in which they are added."""

    def __init__(self, spark, folder):
        self.spark = spark
        self.folder = folder
        folder.mkdir()

    def add(self, *batches):
        for batch in batches:
            number = len(list(self.folder.iterdir()))
            file = self.folder / f"{number:04}.json"
            file.write_text("\n".join(json.dumps(row) for row in batch))
            seconds = 1_700_000_000 + number  # Spark reads files in the order of their times
            os.utime(file, (seconds, seconds))

    def stream(self):
        reader = self.spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1)
        return reader.json(str(self.folder))


@pytest.fixture
def files(any_spark, tmp_path):
    return Files(any_spark, tmp_path / "in")


@pytest.fixture
def copies(any_spark, tmp_path):
    """Copies a stream to a table, in all runs with one checkpoint, and returns its rows."""

    def run(stream):
        finished(started(stream, tmp_path / "copy", tmp_path / "copied"))
        found = any_spark.read.format("lance").load(str(tmp_path / "copy")).collect()
        return sorted(tuple(row) for row in found)

    return run


def test_appends_of_both_writers_are_read_once(any_spark, tmp_path, copies):
    path = str(tmp_path / "t")
    write(any_spark.range(3), path, spark=any_spark)

    def run():
        return [row[0] for row in copies(any_spark.readStream.format("lance").load(path))]

    assert run() == [0, 1, 2]
    lance.write_dataset(pa.table({"id": pa.array([7, 8], pa.int64())}), path, mode="append")
    lance.dataset(path).optimize.compact_files()
    write(any_spark.range(9, 10), path, mode="append", spark=any_spark)
    assert run() == [0, 1, 2, 7, 8, 9]
    assert run() == [0, 1, 2, 7, 8, 9]


def test_changes_are_streamed_by_name(any_spark, copies):
    name = f"lance.s{uuid.uuid4().hex}"
    any_spark.sql(
        f"CREATE TABLE {name} (id BIGINT, s STRING) TBLPROPERTIES ('enableStableRowIds' = 'true')"
    )
    any_spark.sql(f"INSERT INTO {name} VALUES (1, 'a')")
    reader = any_spark.readStream.option("readChangeFeed", "true").option("startingVersion", 2)
    stream = reader.table(name).selectExpr(
        "id", "s", "_change_type AS kind", "_commit_version AS v"
    )
    assert copies(stream) == [(1, "a", "insert", 2)]
    any_spark.sql(f"UPDATE {name} SET s = 'b'")
    assert copies(stream) == [
        (1, "a", "insert", 2),
        (1, "a", "update_preimage", 3),
        (1, "b", "update_postimage", 3),
    ]
    any_spark.sql(f"DROP TABLE {name}")


def test_a_deleted_row_stops_the_stream(any_spark, tmp_path, copies):
    path = str(tmp_path / "t")
    write(any_spark.range(3), path, spark=any_spark)
    copies(any_spark.readStream.format("lance").load(path))
    LanceTable.forPath(any_spark, path).delete("id = 1")
    with pytest.raises(Exception, match=r"version 2: the commit deleted rows.*ignoreDeletes"):
        copies(any_spark.readStream.format("lance").load(path))
    reader = any_spark.readStream.format("lance").option("ignoreDeletes", "true")
    assert [row[0] for row in copies(reader.load(path))] == [0, 1, 2]


def test_a_stream_from_a_table_beside_appends_of_pylance(any_spark, tmp_path):
    path, copy = str(tmp_path / "t"), tmp_path / "copy"
    lance.write_dataset(arrow([0], "p"), path)
    source = any_spark.readStream.format("lance").option("maxFragmentsPerTrigger", 1).load(path)
    query = (
        source.writeStream.format("lance")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(processingTime="0 seconds")
        .start(str(copy))
    )
    try:
        for number in range(1, TURNS + 1):
            lance.write_dataset(arrow([number], "p"), path, mode="append")
            if number == 4:
                lance.dataset(path).optimize.compact_files()
        query.processAllAvailable()
    finally:
        query.stop()
    assert ids(copy) == list(range(TURNS + 1))


def test_a_stream_into_a_table_beside_appends_of_pylance(files, tmp_path):
    path = tmp_path / "t"
    lance.write_dataset(arrow([0], "p"), str(path))
    files.add(*([{"id": 10 * batch, "v": "s"}] for batch in range(1, 7)))
    query = started(files.stream(), path, tmp_path / "checkpoint")
    for n in turns():
        lance.write_dataset(arrow([-1 - n], "p"), str(path), mode="append")
    finished(query)
    assert ids(path) == sorted([*range(-TURNS, 0), *(10 * b for b in range(7))])


def test_upserts_beside_merge_insert_of_pylance(files, tmp_path):
    """Both writers update the keys 2 and 3, and each inserts keys of its own."""
    path = tmp_path / "t"
    lance.write_dataset(arrow(range(6), "old"), str(path), enable_stable_row_ids=True)
    keys = [0, 1, 2, 3]
    files.add(*([{"id": k, "v": f"s{b}"} for k in [*keys, 10 + b]] for b in range(6)))
    query = started(files.stream(), path, tmp_path / "checkpoint", "update", upsertKeys="id")
    for n in turns():
        merge = lance.dataset(str(path)).merge_insert("id")
        merge = merge.when_matched_update_all().when_not_matched_insert_all()
        merge.conflict_retries(50).execute(arrow([2, 3, 4, 5, 100 + n], f"p{n}"))
    finished(query)
    found = {r["id"]: r["v"] for r in lance.dataset(str(path)).to_table().to_pylist()}
    inserted = [10 + b for b in range(6)] + [100 + n for n in range(TURNS)]
    assert ids(path) == sorted([*range(6), *inserted])
    assert (found[0], found[1]) == ("s5", "s5")
    assert (found[4], found[5]) == (f"p{TURNS - 1}", f"p{TURNS - 1}")


def test_two_streams_into_one_table(files, tmp_path):
    path = tmp_path / "t"
    files.add(*([{"id": batch, "v": "s"}] for batch in range(5)))
    queries = [started(files.stream(), path, tmp_path / f"checkpoint{i}") for i in range(2)]
    for query in queries:
        finished(query)
    assert ids(path) == sorted([*range(5), *range(5)])


def test_a_stream_beside_optimize_and_delete(any_spark, files, tmp_path):
    path = tmp_path / "t"
    lance.write_dataset(arrow([-1, -2], "old"), str(path))
    files.add(*([{"id": batch, "v": "s"}] for batch in range(6)))
    query = started(files.stream(), path, tmp_path / "checkpoint")
    table = LanceTable.forPath(any_spark, str(path))
    table.delete("id = -1")
    for _ in turns():
        table.optimize().executeCompaction()
    table.delete("id = -2")
    finished(query)
    assert ids(path) == list(range(6))


def test_a_repeated_merge_of_foreach_batch_changes_nothing(any_spark, files, tmp_path):
    name = f"lance.s{uuid.uuid4().hex}"
    any_spark.sql(f"CREATE TABLE {name} (id BIGINT, v STRING)")

    def merge(batch, batch_id):
        session = batch.sparkSession
        session.conf.set("spark.lance.write.txnAppId", "merged")
        session.conf.set("spark.lance.write.txnVersion", str(batch_id))
        batch.createOrReplaceTempView("changed_rows")
        session.sql(f"""
            MERGE INTO {name} t USING changed_rows s ON t.id = s.id
            WHEN MATCHED AND s.v = 'gone' THEN DELETE
            WHEN MATCHED THEN UPDATE SET v = t.v || s.v
            WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)
        """)

    checkpoint = tmp_path / "checkpoint"

    def run():
        writer = files.stream().writeStream.foreachBatch(merge)
        writer = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)
        finished(writer.start())
        rows = sorted(tuple(row) for row in any_spark.table(name).collect())
        return rows, any_spark.table(f"{name}.versions").count()

    files.add([{"id": 1, "v": "a"}, {"id": 2, "v": "b"}])
    files.add([{"id": 1, "v": "c"}, {"id": 3, "v": "d"}])
    merged = [(1, "ac"), (2, "b"), (3, "d")], 3
    assert run() == merged
    (checkpoint / "commits" / "1").unlink()  # as after a crash
    (checkpoint / "commits" / ".1.crc").unlink(missing_ok=True)
    assert run() == merged
    files.add([{"id": 1, "v": "e"}, {"id": 2, "v": "gone"}])
    assert run() == ([(1, "ace"), (3, "d")], 4)
    any_spark.sql(f"DROP TABLE {name}")


def test_numbered_writes_are_not_repeated(any_spark, tmp_path):
    path = str(tmp_path / "t")

    def append(number):
        writer = any_spark.range(2).write.format("lance").mode("append")
        writer.options(txnAppId="job", txnVersion=number).save(path)

    for number in (1, 2, 2, 1):
        append(number)
    assert ids(path) == [0, 0, 1, 1]
    numbered = {"spark.lance.write.txnAppId": "sql", "spark.lance.write.txnVersion": "1"}
    for key, value in numbered.items():
        any_spark.conf.set(key, value)
    try:
        for _ in range(2):
            any_spark.sql(f"INSERT INTO lance.`{path}` VALUES (7)")
    finally:
        for key in numbered:
            any_spark.conf.unset(key)
    assert ids(path) == [0, 0, 1, 1, 7]

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Streaming writes on classic Spark and on Spark Connect; pylance reads the tables."""

import json
import os
import shutil
import uuid
from contextlib import suppress

import lance
import pyarrow as pa
import pytest

from pyspark_lance import LanceTable

COLUMNS = "id BIGINT, v STRING"


class Stream:
    """A stream of JSON files into a table, one micro-batch per file."""

    def __init__(self, spark, folder):
        self.spark = spark
        self.folder = folder
        self.path = str(folder / "t.lance")
        self.checkpoint = folder / "checkpoint"
        self.input = folder / "in"
        self.input.mkdir()
        self.fed = 0

    def feed(self, *rows):
        """Adds a file of rows. The source reads files in the order of their times."""
        self.fed += 1
        new = self.folder / "new.json"
        new.write_text("\n".join(json.dumps(row) for row in rows))
        os.utime(new, (1.7e9 + self.fed, 1.7e9 + self.fed))
        new.rename(self.input / f"{self.fed:04}.json")

    def source(self, columns=COLUMNS):
        """The files as a streaming frame."""
        return (
            self.spark.readStream.schema(columns)
            .option("maxFilesPerTrigger", 1)
            .json(str(self.input))
        )

    def writer(self, frame=None, mode="append", **options):
        """A writer that ends when all files were read."""
        frame = self.source() if frame is None else frame
        return (
            frame.writeStream.format("lance")
            .outputMode(mode)
            .option("checkpointLocation", str(self.checkpoint))
            .options(**options)
            .trigger(availableNow=True)
        )

    def drain(self, frame=None, mode="append", **options):
        """Runs a query until it ends."""
        query = self.writer(frame, mode, **options).start(self.path)
        try:
            query.awaitTermination()
        finally:
            query.stop()

    def forget(self, batch):
        """Removes the commit of a micro-batch from the checkpoint, as after a crash."""
        (self.checkpoint / "commits" / str(batch)).unlink()
        with suppress(FileNotFoundError):
            (self.checkpoint / "commits" / f".{batch}.crc").unlink()

    def rows(self):
        """The rows by pylance, which Spark must read as well."""
        dataset = lance.dataset(self.path)
        dataset.validate()
        theirs = sorted(map(tuple, (r.values() for r in dataset.to_table().to_pylist())))
        ours = self.spark.read.format("lance").load(self.path).collect()
        assert sorted(map(tuple, ours)) == theirs
        return theirs


@pytest.fixture
def stream(any_spark, tmp_path):
    return Stream(any_spark, tmp_path)


def row(number, text=None):
    return {"id": number, "v": text or f"v{number}"}


def test_append_and_restart(stream):
    stream.feed(row(1), row(2))
    stream.feed(row(3))
    stream.drain()
    assert stream.rows() == [(1, "v1"), (2, "v2"), (3, "v3")]
    stream.forget(1)
    stream.drain()
    assert stream.rows() == [(1, "v1"), (2, "v2"), (3, "v3")]
    stream.feed(row(4))
    stream.drain()
    assert [r[0] for r in stream.rows()] == [1, 2, 3, 4]


def test_repetition_after_clean_up_and_commits_of_pylance(stream):
    stream.feed(row(1))
    stream.feed(row(2))
    stream.drain()
    stream.forget(1)
    lance.write_dataset(pa.table({"id": [10], "v": ["p"]}), stream.path, mode="append")
    LanceTable.forPath(stream.spark, stream.path).optimize().executeCompaction()
    lance.dataset(stream.path).cleanup_old_versions(
        retain_versions=1, delete_unverified=True, error_if_tagged_old_versions=False
    )
    stream.drain()
    assert stream.rows() == [(1, "v1"), (2, "v2"), (10, "p")]


def test_to_table(stream):
    name = f"lance.s{uuid.uuid4().hex}"
    stream.spark.sql(f"CREATE NAMESPACE {name}")
    stream.feed(row(1))
    stream.writer().toTable(f"{name}.t").awaitTermination()
    stream.feed(row(2))
    stream.writer().toTable(f"{name}.t").awaitTermination()
    assert stream.spark.table(f"{name}.t").count() == 2


def test_complete(stream):
    counts = stream.source().groupBy("v").count()
    stream.feed(row(1, "a"), row(2, "b"))
    stream.feed(row(3, "a"))
    stream.drain(counts, "complete")
    assert stream.rows() == [("a", 2), ("b", 1)]


@pytest.mark.parametrize("stable", [False, True], ids=["addresses", "stable ids"])
def test_upserts(stream, stable):
    stream.feed(row(1), row(2))
    stream.feed(row(2, "new"), row(3))
    options = {"upsertKeys": "id", "enableStableRowIds": stable}
    stream.drain(mode="update", **options)
    assert stream.rows() == [(1, "v1"), (2, "new"), (3, "v3")]
    stream.forget(1)
    stream.drain(mode="update", **options)
    assert len(stream.rows()) == 3
    assert lance.dataset(stream.path).has_stable_row_ids == stable


def test_errors(stream):
    stream.feed(row(1), row(1))
    with pytest.raises(Exception, match="upsertKeys"):
        stream.drain(mode="update")
    with pytest.raises(Exception, match="did you mean upsertKeys"):
        stream.drain(upsertKey="id")
    with pytest.raises(Exception, match="several rows of the micro-batch have the same key"):
        stream.drain(mode="update", upsertKeys="id")
    shutil.rmtree(stream.checkpoint)
    continuous = (
        stream.spark.readStream.format("rate")
        .load()
        .writeStream.format("lance")
        .option("checkpointLocation", str(stream.checkpoint))
        .trigger(continuous="1 second")
    )
    with pytest.raises(Exception, match="continuous mode"):
        continuous.start(str(stream.folder / "rates.lance")).awaitTermination()


def test_auto_compact(stream):
    for number in range(6):
        stream.feed(row(number))
    stream.drain(autoCompact=3)
    assert len(lance.dataset(stream.path).get_fragments()) == 1
    assert [r[0] for r in stream.rows()] == list(range(6))

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Manifests, transactions, and footers of data files equal pylance's, field by field."""

import re
import time
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from kit import messages
from kit.exchange import to_spark

import pyspark_lance

VERSIONS = ("2.0", "2.1", "2.2")
COLUMNS = {
    "id": pa.array([1, 2, None], pa.int64()),
    "s": pa.array(["a", None, "b"]),
    "struct": pa.array([{"a": 1, "b": True}, {"a": None, "b": None}, {"a": 3, "b": False}]),
    "list": pa.array([[1.5], None, []]),
    "structs": pa.array([[{"x": b"1"}], None, []], pa.list_(pa.struct([("x", pa.binary())]))),
    "at": pa.array([1, 2, 3], pa.timestamp("us", "UTC")),
    "local": pa.array([1, 2, 3], pa.timestamp("us")),
    "d": pa.array([1, 2, 3], pa.decimal128(9, 2)),
    "day": pa.array([1, 2, 3], pa.date32()),
}
MAPS = {"map": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int32()))}
REQUIRED = {"r": pa.array([1, 2, 3], pa.int32())}


@pytest.fixture(params=VERSIONS)
def tables(request, spark, tmp_path):
    """The same three versions of a table by pylance and by Spark: new, appended to, replaced."""
    columns = COLUMNS | (MAPS if request.param == "2.2" else {})
    rows = pa.table(columns | REQUIRED)
    required = rows.schema.field("r").with_nullable(False)
    rows = rows.cast(rows.schema.set(len(columns), required))
    theirs, ours = tmp_path / "theirs.lance", tmp_path / "ours.lance"
    frame = to_spark(spark, rows, tmp_path)
    lance.write_dataset(rows, str(theirs), data_storage_version=request.param)
    pyspark_lance.write(frame, ours, mode="append", file_version=request.param)
    for mode in ("append", "overwrite"):
        lance.write_dataset(rows, str(theirs), mode=mode)
        pyspark_lance.write(frame, ours, mode=mode)
    return theirs, ours


@pytest.mark.parametrize("version", [1, 2, 3])
def test_manifests_and_transactions(tables, version):
    theirs, ours = (messages.manifest(t, version) for t in tables)
    check_own_fields(tables[1], ours)
    assert without_own_fields(ours) == without_own_fields(theirs)
    theirs, ours = (messages.transaction(t, version) for t in tables)
    assert without_own_fields(ours) == without_own_fields(theirs)


def check_own_fields(table, manifest):
    """Returns the expected differences from pylance."""
    now = time.time()
    assert now - 600 < manifest["timestamp"][0]["seconds"][0] <= now
    assert manifest["writer_version"][0]["library"] == ["pyspark-lance"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", manifest["writer_version"][0]["version"][0])
    assert (table / "_transactions" / manifest["transaction_file"][0]).is_file()
    for fragment in manifest["fragments"]:
        (file,) = fragment["files"]
        assert file["file_size_bytes"] == [(table / "data" / file["path"][0]).stat().st_size]


OWN = {"timestamp", "writer_version", "transaction_file", "uuid", "path", "file_size_bytes"}


def without_own_fields(message):
    """Returns a message without the values that differ in every table."""
    if isinstance(message, list):
        return [without_own_fields(m) for m in message]
    if not isinstance(message, dict):
        return message
    return {k: len(v) if k in OWN else without_own_fields(v) for k, v in message.items()}


def test_names_of_files(tables):
    theirs, ours = tables
    for folder in ("_versions", "_transactions", "data"):
        shapes = [sorted(shape(f.name) for f in Path(t, folder).iterdir()) for t in (theirs, ours)]
        assert shapes[0] == shapes[1]


def shape(name):
    """A name with placeholders for random parts: bits, then hexadecimal digits."""
    if not re.match(r"\d-", name) and name.endswith(".lance"):
        return re.sub(r"^[01]{24}[0-9a-f]{26}", "<id>", name)
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "<uuid>", name)


def test_footers_of_data_files(tables):
    theirs, ours = (last_file(t) for t in tables)
    assert messages.descriptor(ours) == messages.descriptor(theirs)
    # Column count, number of buffers, version and magic; positions follow from the pages.
    assert messages.footer(ours)[3:] == messages.footer(theirs)[3:]


def last_file(table):
    (fragment,) = messages.manifest(table, 3)["fragments"]
    return table / "data" / fragment["files"][0]["path"][0]

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Tables of pylance with every type and encoding, read and written by Spark."""

import json
import zlib
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from kit.exchange import assert_same_rows
from kit.fixtures import FOLDER, require

import pyspark_lance

GROUPS = ("types", "shapes", "sizes", "encodings", "blobs")
VERSIONS = ("2.0", "2.1", "2.2")
# Spark's timestamps are microseconds; these two compressions mean nothing to any file version.
NOT_KEPT = ("timestamp-ns", "compression-bitpacking", "compression-rle")


def cases():
    """All cases in long test runs, otherwise every tenth."""
    index = FOLDER / "cases.json"
    if not index.is_file():
        return
    for case in json.loads(index.read_text()):
        name, version = case["name"], case["fileVersion"]
        if case.get("error") or version not in VERSIONS or not name.startswith(GROUPS):
            continue
        if any(word in name for word in NOT_KEPT):
            continue
        marks = () if zlib.crc32(name.encode()) % 10 == 0 else pytest.mark.long
        yield pytest.param(FOLDER / case["path"], version, id=name, marks=marks)


def type_of(field):
    """Returns the type of a field, without differences of Spark and of blob versions."""
    if isinstance(field.type, pa.BaseExtensionType):
        name = field.type.extension_name
        return str(field.type.storage_type) if name == "arrow.fixed_shape_tensor" else name
    return str(field.type).replace(" not null", "")


def test_fixtures_are_there():
    require()
    assert len(list(cases())) > 100


@pytest.mark.every_case
@pytest.mark.parametrize(("source", "version"), list(cases()))
def test_types_and_rows_are_kept(spark, tmp_path, source: Path, version: str):
    path = tmp_path / "table.lance"
    theirs = lance.dataset(str(source))

    pyspark_lance.write(pyspark_lance.read(spark, source), path, file_version=version)

    ours = lance.dataset(str(path))
    ours.validate()
    assert ours.data_storage_version == version
    assert [*map(type_of, ours.schema)] == [*map(type_of, theirs.schema)]
    expected = theirs.to_table(blob_handling="all_binary")
    assert_same_rows(expected, ours.to_table(blob_handling="all_binary"))

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The distinct sets of rows of the interoperability fixtures."""

import hashlib
import json
import os
from pathlib import Path

import pyarrow as pa
import pytest

from kit.cases import IS_LONG

ROOT = Path(__file__).parents[3]
FOLDER = Path(os.environ.get("PYSPARK_LANCE_FIXTURES", ROOT.parent / "shared" / "fixtures"))


def require(folder=FOLDER, is_long=IS_LONG):
    """Skips a test without the fixtures. A long run fails, because it would not show anything."""
    if not (folder / "cases.json").is_file():
        problem = f"no fixtures at {folder}: set PYSPARK_LANCE_FIXTURES to their folder"
        (pytest.fail if is_long else pytest.skip)(problem)


def expected_rows():
    """Returns the Parquet files of expected rows, by the name of their first case."""
    index = FOLDER / "cases.json"
    if not index.is_file():
        return {}
    found = {}
    for case in json.loads(index.read_text()):
        if case.get("expected") is None:
            continue
        file = FOLDER / case["expected"]
        digest = hashlib.sha256(file.read_bytes()).digest()
        found.setdefault(digest, (case["name"], file))
    return dict(found.values())


def refusal(table, file_version):
    """A pattern of the error if a file version lacks a feature for these rows, or `None`."""
    if file_version in ("2.2", "2.3"):
        return None
    if any(has_map(kind) for kind in table.schema.types):
        return "map"
    if file_version == "2.0" and any(has_null_struct(column) for column in table.columns):
        return "null struct"
    return None


def has_map(kind):
    """Whether a type is or contains a map."""
    if pa.types.is_map(kind):
        return True
    return any(has_map(kind.field(i).type) for i in range(kind.num_fields))


def has_null_struct(column):
    """Whether any value is a null struct whose parents are not null."""
    return any(_null_struct(column.type, value) for value in column.to_pylist())


def _null_struct(kind, value):
    if pa.types.is_struct(kind):
        return value is None or any(_null_struct(f.type, value[f.name]) for f in kind)
    if value is None:
        return False
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return any(_null_struct(kind.value_type, item) for item in value)
    return False

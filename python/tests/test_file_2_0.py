# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Files of version 2.0 that Spark wrote, read by pylance."""

import lance
import pyarrow as pa
import pytest
from kit.exchange import assert_same_rows, to_spark
from kit.values import LEAVES, NESTED, NULL_PATTERNS, Draw

import pyspark_lance

ROWS = 1500


class DrawWithoutNullStructs(Draw):
    """Draws what files of 2.0 can hold."""

    def value(self, kind, nulls):
        return super().value(kind, 0 if pa.types.is_struct(kind) else nulls)

    def present(self, kind, nulls):
        if pa.types.is_struct(kind):
            return {
                f.name: self.present(f.type, nulls)
                if pa.types.is_struct(f.type)
                else self.value(f.type, nulls)
                for f in kind
            }
        if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
            return [self.present(kind.value_type, nulls) for _ in range(self.random.choice((0, 1, 3)))]
        return super().present(kind, nulls)


def table(kind, rows, seed):
    """A column for each null pattern that the type can have."""
    draw = DrawWithoutNullStructs(seed)
    patterns = ("none",) if pa.types.is_struct(kind) else NULL_PATTERNS
    return pa.table({p: draw.column(kind, rows, p) for p in patterns})


@pytest.mark.parametrize("name", LEAVES | NESTED)
def test_pylance_reads_what_spark_wrote(spark, tmp_path, name):
    source = table((LEAVES | NESTED)[name], ROWS, seed=name)
    path = tmp_path / "table.lance"

    pyspark_lance.write(to_spark(spark, source, tmp_path), path, fileVersion="2.0")

    dataset = lance.dataset(str(path))
    dataset.validate()
    assert dataset.data_storage_version == "2.0"
    assert_same_rows(source, dataset.to_table())
    assert_same_rows(source.slice(700, 3), dataset.take([700, 701, 702]))
    assert_same_rows(source, pyspark_lance.read(spark, path))

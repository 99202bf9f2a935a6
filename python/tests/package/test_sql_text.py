# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Names and expressions in SQL: variables, and words after the end of an expression."""

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException

from pyspark_lance import Catalog, InvalidRequestError, LanceTable, read, write


def test_names_with_variables_are_rejected(any_spark, tmp_path):
    """Spark replaces variables also in backquotes, so the statement would use another table."""
    other = tmp_path / f"x_{any_spark.conf.get('spark.app.name')}"
    write(any_spark.range(3), other)
    table = LanceTable.forPath(any_spark, other)
    path, name = tmp_path / "x_${spark.app.name}", "${user}id"
    for call in (
        lambda: LanceTable.drop(any_spark, path, ignore_not_found=True),
        lambda: LanceTable.forPath(any_spark, path).delete(),
        lambda: LanceTable.forPath(any_spark, path, **{"fs.file.impl.disable.cache": "true"}),
        lambda: LanceTable.forName(any_spark, f"lance.`{path}`"),
        lambda: LanceTable.replace(any_spark).location(path).addColumn("id", "INT").execute(),
        lambda: write(any_spark.range(1), f"lance.`{path}`", mode="overwrite"),
        lambda: table.deep_clone(path, replace=True),
        lambda: table.tags.create(name),
        lambda: table.create_branch(name),
        lambda: table.update({name: "1"}),
        lambda: table.drop_columns([name]),
        lambda: Catalog(any_spark).drop(name, if_exists=True),
    ):
        with pytest.raises(InvalidRequestError, match="value of a variable"):
            call()
    assert table.count_rows() == 3
    # Without SQL, they are ordinary names.
    write(any_spark.range(2).withColumnRenamed("id", name), path)
    assert read(any_spark, path).columns == [name]


def test_unfinished_expressions_are_errors(any_spark, tmp_path):
    """Spark takes the last word of `k = 1 AND` for a name of `k = 1`."""
    path = tmp_path / "t.lance"
    vectors = pa.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], pa.list_(pa.float32(), 2))
    write(
        pa.table({"k": [1, 2, 3], "vector": vectors, "word": ["a", "b", "c"]}),
        path,
        spark=any_spark,
    )
    table = LanceTable.forPath(any_spark, path)
    source = any_spark.range(3).withColumnRenamed("id", "k").alias("s")
    merge = table.merge_insert("k").when_not_matched_insert_all()
    for call in (
        lambda text: table.delete(text),
        lambda text: table.update({"k": "7"}, where=text),
        lambda text: table.update({"k": text}),
        lambda text: table.alias("t").merge(source, text).whenMatchedDelete().execute(),
        lambda text: merge.when_not_matched_by_source_delete(text).execute(source),
        lambda text: table.count_rows(text),
        lambda text: table.to_table(filter=text).collect(),
        lambda text: table.to_table({"k": text}).collect(),
        lambda text: table.add_columns({"b": text}),
        lambda text: table.optimize().where(text).executeCompaction(),
        lambda text: table.nearest("vector", [0.0, 1.0], filter=text).collect(),
        lambda text: table.search("a", columns="word", filter=text).collect(),
        lambda text: write(source, path, mode="overwrite", replaceWhere=text),
    ):
        for text in ("k = 1 AND", "k = 1 id"):
            with pytest.raises(AnalysisException, match=r"(?i)syntax|complete expression"):
                call(text)
    assert table.version == 1
    assert table.count_rows("k = 1 -- a comment") == 1

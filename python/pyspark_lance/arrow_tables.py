# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Arrow tables on all PySpark versions. PySpark 3.5 converts them through pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyspark

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


def to_arrow(df: DataFrame) -> pa.Table:
    """Returns all rows as an Arrow table, like `DataFrame.toArrow` of PySpark 4.0."""
    if hasattr(df, "toArrow"):
        return df.toArrow()
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_schema

    rows: Any = df
    schema = to_arrow_schema(df.schema)
    if hasattr(rows, "_jdf"):
        batches = rows._collect_as_arrow()
        return pa.Table.from_batches(batches).cast(schema) if batches else schema.empty_table()
    client = rows._session.client
    table, _ = client.to_table(rows._plan.to_proto(client))
    return table.cast(schema)


def from_arrow(spark: SparkSession, table: pa.Table, schema: StructType) -> DataFrame:
    """Returns the rows of an Arrow table, like `createDataFrame` of PySpark 4.0."""
    if not pyspark.__version__.startswith("3.5."):
        return spark.createDataFrame(table, schema)
    session: Any = spark
    from pyspark.sql.pandas.types import to_arrow_schema

    table = table.cast(to_arrow_schema(schema))
    if not hasattr(session, "_jvm"):
        return _of_connect(session, table, schema)
    from pyspark.sql import DataFrame
    from pyspark.sql.pandas.serializers import ArrowStreamSerializer

    jvm = session._jvm
    rows = session._sc._serialize_to_jvm(
        table.to_batches(max_chunksize=session._jconf.arrowMaxRecordsPerBatch()),
        ArrowStreamSerializer(),
        jvm.PythonSQLUtils.readArrowStreamFromFile,
        jvm.ArrowIteratorServer,
    )
    frame = jvm.PythonSQLUtils.toDataFrame(rows, schema.json(), session._jsparkSession)
    return DataFrame(frame, session)


def _of_connect(session: Any, table: pa.Table, schema: StructType) -> DataFrame:  # noqa: ANN401
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.plan import LocalRelation

    frame: Any = DataFrame
    made: DataFrame = frame.withPlan(LocalRelation(table, schema=schema.json()), session)
    return made

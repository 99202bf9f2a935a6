# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Lance tables for PySpark.

Write and read a table:

    >>> import pyspark_lance
    >>> pyspark_lance.write(spark.range(3), path, mode="overwrite")
    >>> pyspark_lance.read(spark, path).count()
    3

`configure` prepares the `SparkSession.Builder` of the session `spark`. All other functions use
Spark's own API with `format("lance")`, or SQL on the catalog `lance`.
"""

from pyspark_lance import convert
from pyspark_lance._version import __version__
from pyspark_lance.arrow import to_arrow, to_pandas
from pyspark_lance.catalog import Catalog
from pyspark_lance.exceptions import (
    CommitConflictError,
    CommitStateUnknownError,
    ConnectorNotLoadedError,
    CorruptFileError,
    InvalidRequestError,
    JarMismatchError,
    JarNotFoundError,
    LanceError,
    NotFoundError,
    StorageError,
    TableError,
    UnsupportedFeatureError,
    errors_translated,
)
from pyspark_lance.fields import blob_field, vector_field
from pyspark_lance.io import read, write
from pyspark_lance.jar import jar_paths
from pyspark_lance.session import configure
from pyspark_lance.table import LanceTable, lance_table

__all__ = [
    "Catalog",
    "CommitConflictError",
    "CommitStateUnknownError",
    "ConnectorNotLoadedError",
    "CorruptFileError",
    "InvalidRequestError",
    "JarMismatchError",
    "JarNotFoundError",
    "LanceError",
    "LanceTable",
    "NotFoundError",
    "StorageError",
    "TableError",
    "UnsupportedFeatureError",
    "__version__",
    "blob_field",
    "configure",
    "convert",
    "errors_translated",
    "jar_paths",
    "lance_table",
    "read",
    "to_arrow",
    "to_pandas",
    "vector_field",
    "write",
]

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Lance tables for PySpark.

Three lines make a table:

    >>> import pyspark_lance
    >>> pyspark_lance.write(spark.range(3), path, mode="overwrite")
    >>> pyspark_lance.read(spark, path).count()
    3

`configure` prepares the `SparkSession.Builder` of which `spark` was made; everything else is
Spark's own API with `format("lance")`, or SQL on the catalog `lance`.
"""

from pyspark_lance._version import __version__
from pyspark_lance.exceptions import ConnectorNotLoadedError, JarNotFoundError, LanceError
from pyspark_lance.io import read, write
from pyspark_lance.jar import jar_path
from pyspark_lance.session import configure

__all__ = [
    "ConnectorNotLoadedError",
    "JarNotFoundError",
    "LanceError",
    "__version__",
    "configure",
    "jar_path",
    "read",
    "write",
]

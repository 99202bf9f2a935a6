# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The errors this package raises by itself.

What goes wrong inside Spark (a path without a table, a corrupt file, a lost race) arrives as
PySpark's own exception with the connector's message in it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException


class LanceError(Exception):
    """What all errors of this package have in common."""


class JarNotFoundError(LanceError):
    """No jar for the running Spark line; the message names the line and the way out."""


class ConnectorNotLoadedError(LanceError):
    """The Spark session was started without the connector's jar."""

    def __init__(self) -> None:
        """The message holds the one line to change."""
        super().__init__(
            "this Spark session has no Lance connector. Make the session with\n"
            "    spark = pyspark_lance.configure(SparkSession.builder).getOrCreate()\n"
            "in a fresh Python process: a JVM that already runs cannot take a new jar."
        )


@contextmanager
def connector_expected() -> Iterator[None]:
    """Says what to change when Spark does not know the data source `lance`.

    Raises:
        ConnectorNotLoadedError: Spark answered `DATA_SOURCE_NOT_FOUND`.
    """
    try:
        yield
    except (Py4JJavaError, PySparkException) as error:
        if "[DATA_SOURCE_NOT_FOUND]" in str(error):
            raise ConnectorNotLoadedError from error
        raise

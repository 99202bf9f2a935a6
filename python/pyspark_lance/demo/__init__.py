# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The connector at work on TPC-H: `python -m pyspark_lance demo`.

Generates the eight tables as Parquet, loads them into Lance through Spark, and holds every result
against the Parquet source: checksums by Spark and by pylance, three queries, an append and a look
back in time.
"""

from pyspark_lance.demo.run import run

__all__ = ["run"]

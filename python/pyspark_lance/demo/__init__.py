# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""A demo with TPC-H: `python -m pyspark_lance demo`.

Generates the eight tables as Parquet, loads them into Lance with Spark, and compares every result
with the Parquet source: checksums by Spark and by pylance, three queries, an append, and time
travel.
"""

from pyspark_lance.demo.run import run

__all__ = ["run"]

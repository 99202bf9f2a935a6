# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Benchmarks that need Python: the data of all of them, and the sizes of what is written.

`python -m benchmarks data` makes the source files, `python -m benchmarks sizes` writes each of them
with this connector, pylance and Spark's Parquet. `make bench` calls both.
"""

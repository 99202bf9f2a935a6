# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Benchmarks that run through Spark, and the data of all benchmarks.

`python -m benchmarks data` generates the source files. `python -m benchmarks sizes` writes each of
them with this connector, pylance, and Spark's Parquet. `make bench` calls both.
"""

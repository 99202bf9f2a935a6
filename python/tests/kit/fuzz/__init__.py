# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Random histories of a table that Spark and pylance change in turn.

After each step, both read the table and are compared with a model in memory.
"""

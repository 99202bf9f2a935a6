# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Shared code of the tests: generated data, exchange through Arrow, exact comparison."""

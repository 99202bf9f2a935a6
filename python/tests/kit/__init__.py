# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""What the tests share: generated data, exchange through Arrow, exact comparison."""

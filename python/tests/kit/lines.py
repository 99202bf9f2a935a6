# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The Spark version of the tests."""

import pyspark

LINE = tuple(int(part) for part in pyspark.__version__.split(".")[:2])

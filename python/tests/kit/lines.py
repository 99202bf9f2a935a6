# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The line of Spark that the tests run on."""

import pyspark

LINE = tuple(int(part) for part in pyspark.__version__.split(".")[:2])

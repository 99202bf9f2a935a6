# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Paths of PySpark and of the package for processes that tests start."""

import os
from pathlib import Path

import pyspark

import pyspark_lance

SPARK_HOME = Path(pyspark.__file__).parent
PYTHON_PATH = os.pathsep.join(
    [str(SPARK_HOME.parent), str(Path(pyspark_lance.__file__).parents[1])]
)

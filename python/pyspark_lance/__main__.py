# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The command line: `python -m pyspark_lance`, also installed as `pyspark-lance`."""

import sys

from pyspark_lance.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())

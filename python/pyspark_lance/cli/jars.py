# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`pyspark-lance jars`: prints the paths of the jars for `spark-submit --jars`."""

import argparse

from pyspark_lance.cli.parsers import Commands
from pyspark_lance.jar import jar_paths


def add(commands: Commands) -> argparse.ArgumentParser:
    """Declares the command."""
    parser = commands.add_parser(
        "jars", help="print the paths of the jars, separated by commas, for spark-submit --jars"
    )
    parser.add_argument(
        "--spark", metavar="VERSION", help="a Spark version (default: the installed PySpark's)"
    )
    return parser


def run(options: argparse.Namespace) -> int:
    """Prints the paths on one line."""
    print(",".join(str(path) for path in jar_paths(options.spark)))
    return 0

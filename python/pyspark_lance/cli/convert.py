# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`pyspark-lance convert`: converts Parquet files to a Lance table."""

import argparse

from pyspark_lance.cli.parsers import Commands, add_session, key_value
from pyspark_lance.cli.session import session
from pyspark_lance.convert import from_parquet
from pyspark_lance.display import text
from pyspark_lance.progress import shown
from pyspark_lance.table import lance_table


def add(commands: Commands) -> argparse.ArgumentParser:
    """Declares the command."""
    parser = commands.add_parser("convert", help="write the rows of Parquet files to a Lance table")
    parser.add_argument("source", help="a Parquet file, a folder, or a pattern")
    parser.add_argument("target", help="path of the Lance table, or its name in SQL")
    parser.add_argument(
        "--mode",
        choices=("create", "append", "overwrite"),
        default="create",
        help="what to do if the table exists (default: create, which fails)",
    )
    parser.add_argument(
        "--vector",
        action="append",
        default=[],
        type=_vector,
        metavar="COLUMN=SIZE",
        help="an array column to store as vectors of this size; can be repeated",
    )
    parser.add_argument(
        "-o",
        "--option",
        action="append",
        default=[],
        type=key_value,
        metavar="NAME=VALUE",
        help="a write option, such as max_rows_per_file=100000; can be repeated",
    )
    add_session(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """Writes the table and prints a summary."""
    with session(options) as spark:
        with shown(spark, f"convert {options.source}"):
            from_parquet(
                spark,
                options.source,
                options.target,
                options.mode,
                vectors=dict(options.vector),
                **dict(options.option),
            )
        print(text(lance_table(spark, options.target)))
    return 0


def _vector(text: str) -> tuple[str, int]:
    column, size = key_value(text)
    if not size.isdecimal() or int(size) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not COLUMN=SIZE")
    return column, int(size)

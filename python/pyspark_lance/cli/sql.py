# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`pyspark-lance sql`: runs SQL statements."""

import argparse
import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame

from pyspark_lance.cli.output import exact, table, to_json
from pyspark_lance.cli.parsers import Commands, add_session
from pyspark_lance.cli.session import session
from pyspark_lance.progress import shown

_TOKEN: Final = re.compile(
    r"--[^\n]*"  # comments
    r"|/\*.*?\*/"
    r"|'(?:\\.|[^'\\])*'"  # string literals
    r'|"(?:\\.|[^"\\])*"'
    r"|`[^`]*`"
    r"|.",
    re.DOTALL,
)


def add(commands: Commands) -> argparse.ArgumentParser:
    """Declares the command."""
    parser = commands.add_parser("sql", help="run SQL statements in the catalog lance")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("statements", nargs="?", help="statements, separated by semicolons")
    source.add_argument(
        "-f", "--file", type=Path, help="a file with statements, - for standard input"
    )
    parser.add_argument(
        "--format", choices=("table", "csv", "json"), default="table", help="how rows are printed"
    )
    parser.add_argument(
        "--limit", type=int, default=100, help="rows printed per statement (default: 100; 0: all)"
    )
    add_session(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """Runs the statements until one fails."""
    if options.statements is not None:
        text = options.statements
    elif options.file is None or str(options.file) == "-":
        text = sys.stdin.read()
    else:
        text = options.file.read_text()
    with session(options) as spark:
        for statement in split(text):
            with shown(spark, " ".join(statement.split())[:40]):
                frame = spark.sql(statement)
                rows = frame if not options.limit else frame.limit(options.limit + 1)
                found = rows.collect() if frame.columns else []
            if frame.columns:
                _print(frame, found, options)
    return 0


def split(text: str) -> Iterator[str]:
    r"""Splits text into statements. Ignores semicolons in literals, names, and comments.

    Examples:
        >>> from pyspark_lance.cli.sql import split
        >>> list(split("SELECT ';' -- no; here\n; SELECT 2;"))
        ["SELECT ';' -- no; here", 'SELECT 2']
    """
    statement = ""
    for token in [*_TOKEN.findall(text), ";"]:
        if token != ";":
            statement += token
            continue
        if any(t.strip() and not t.startswith(("--", "/*")) for t in _TOKEN.findall(statement)):
            yield statement.strip()
        statement = ""


def _print(frame: DataFrame, rows: list, options: argparse.Namespace) -> None:  # type: ignore[type-arg]
    shown_rows = rows[: options.limit] if options.limit else rows
    if options.format == "json":
        for row in shown_rows:
            print(to_json(dict(zip(frame.columns, row, strict=True))))
    elif options.format == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(frame.columns)
        writer.writerows(map(exact, row) for row in shown_rows)
    else:
        print(table(frame.columns, shown_rows))
    if len(rows) > len(shown_rows):
        print(f"... more than {options.limit} rows: --limit 0 prints them all", file=sys.stderr)

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Options that several commands share."""

import argparse
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[  # pyright: ignore[reportPrivateUsage]
        argparse.ArgumentParser
    ]
else:
    Commands: TypeAlias = argparse._SubParsersAction


def add_session(parser: argparse.ArgumentParser) -> None:
    """Adds options for the Spark session."""
    group = parser.add_argument_group("Spark")
    group.add_argument("--master", help="the Spark master (default: local[*])")
    group.add_argument("--remote", metavar="URL", help="a Spark Connect server, sc://host:port")
    group.add_argument("--root", help="folder of the catalog lance (default: lance-warehouse)")
    group.add_argument(
        "--packages", help="Maven coordinates, for instance of a file system, comma-separated"
    )
    group.add_argument(
        "--conf",
        action="append",
        default=[],
        type=key_value,
        metavar="KEY=VALUE",
        help="Spark configuration, such as spark.hadoop.fs.s3a.endpoint=…; can be repeated",
    )


def add_travel(parser: argparse.ArgumentParser) -> None:
    """Adds options for the version of a table."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--at", type=int, metavar="VERSION", help="a version of the table")
    group.add_argument("--tag", help="the version of a tag")
    group.add_argument("--branch", help="the latest version of a branch")


def key_value(text: str) -> tuple[str, str]:
    """Parses `key=value`.

    Examples:
        >>> from pyspark_lance.cli.parsers import key_value
        >>> key_value("max_rows_per_file=1000")
        ('max_rows_per_file', '1000')
    """
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, value

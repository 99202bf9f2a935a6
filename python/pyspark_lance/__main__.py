# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The command line: `python -m pyspark_lance`, installed as `pyspark-lance` as well."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pyspark_lance import LanceError, __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Returns:
        The exit code: 0 when all is well, 1 when the demo found a difference, 2 when something it
        needs is not there.
    """
    options = _parser().parse_args(arguments)
    try:
        return _demo(options)
    except LanceError as error:
        print(f"pyspark-lance: {error}", file=sys.stderr)
        return 2


def _demo(options: argparse.Namespace) -> int:
    from pyspark_lance import demo  # imports pylance, which only the demo needs

    return 0 if demo.run(options.scale_factor, options.data) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pyspark-lance", description=sys.modules[__name__].__doc__
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="command")
    demo = commands.add_parser(
        "demo", help="load TPC-H into Lance with Spark, query it, compare with Parquet and pylance"
    )
    demo.add_argument(
        "--scale-factor",
        type=float,
        default=float(os.environ.get("SF", "0.1")),
        help="size of the data, 1 is about 1 GB of text (default: $SF, else 0.1)",
    )
    demo.add_argument(
        "--data",
        type=Path,
        default=_cache() / "pyspark-lance",
        help="folder for the data, kept between runs, and the tables (default: %(default)s)",
    )
    return parser


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The commands of the benchmarks."""

import argparse
from pathlib import Path

from benchmarks import datasets, sizes


def main() -> None:
    """Runs one of the commands."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (("data", "make the source files"), ("sizes", "measure what is written")):
        command = commands.add_parser(name, help=text)
        command.add_argument("--data", type=Path, required=True, help="folder of the source files")
        command.add_argument("--sf", type=float, default=1.0, help="scale: TPC-H, and rows of all")
        command.add_argument("--only", nargs="*", default=None, help="names of the data sets")
        if name == "sizes":
            command.add_argument("--out", type=Path, required=True, help="file of the results")
    arguments = parser.parse_args()
    made = datasets.make(arguments.data, arguments.sf, arguments.only)
    if arguments.command == "sizes":
        sizes.run(made, arguments.data / f"sizes-{arguments.sf:g}", arguments.out, arguments.sf)


if __name__ == "__main__":
    main()

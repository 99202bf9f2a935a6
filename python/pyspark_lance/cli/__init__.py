# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The command line: `pyspark-lance` or `python -m pyspark_lance`.

Each command is a module with two functions: `add` declares it, `run` does it and answers with the
exit code.
"""

import argparse
import logging
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Final

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from pyspark_lance._version import __version__
from pyspark_lance.cli import convert, demo, doctor, inspect, jars, sql
from pyspark_lance.exceptions import LanceError, errors_translated, message_of

_QUERY_LOGGERS: Final = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
COMMANDS: Final = (demo, inspect, sql, convert, jars, doctor)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Returns:
        The exit code: 0 when all is well, 1 when the demo found a difference or the doctor a
        fault, 2 when the command failed, such as for a table that is not there.
    """
    options = _parser().parse_args(arguments)
    try:
        with _without_query_logs(), errors_translated():
            return int(options.run(options))
    except (LanceError, PySparkException, Py4JJavaError, ValueError, OSError) as error:
        print(f"pyspark-lance: {message_of(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


@contextmanager
def _without_query_logs() -> Generator[None]:
    """PySpark prints each error as JSON, with the stack of the JVM, before it raises it."""
    loggers = _query_loggers()
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def _query_loggers() -> list[logging.Logger]:
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:  # PySpark has it since 4.0, and logs no errors of queries before.
        return []
    # It makes them, because PySpark passes arguments that plain loggers do not take.
    return [PySparkLogger.getLogger(name) for name in _QUERY_LOGGERS]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pyspark-lance", description="Lance tables for Apache Spark, on the command line."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="command")
    for command in COMMANDS:
        command.add(commands).set_defaults(run=command.run)
    return parser

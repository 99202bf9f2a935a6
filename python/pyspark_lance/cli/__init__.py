# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The command line: `pyspark-lance` or `python -m pyspark_lance`.

Each command is a module with two functions: `add` declares the command, and `run` runs it and
returns the exit code.
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
        The exit code: 0 for success, 1 if `demo` found a difference or `doctor` a problem, 2 if the
        command failed, for instance because a table does not exist.
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
    """Disables PySpark's query log, which prints each error as JSON with the JVM stack trace."""
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
    except ImportError:  # since PySpark 4.0; earlier versions do not log query errors
        return []
    # The wrapper creates them, because PySpark passes arguments that plain loggers reject.
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

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`pyspark-lance doctor`: finds common problems and prints remedies."""

import argparse
import platform
import sys
from contextlib import ExitStack

from pyspark_lance._version import PACKAGE, __version__
from pyspark_lance.cli import checks, checks_in_spark
from pyspark_lance.cli.checks import Finding
from pyspark_lance.cli.output import to_json
from pyspark_lance.cli.parsers import Commands, add_session
from pyspark_lance.cli.session import session


def add(commands: Commands) -> argparse.ArgumentParser:
    """Declares the command."""
    parser = commands.add_parser(
        "doctor", help="check Java, Spark, the jar, and storage; exits with 1 if there is a problem"
    )
    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="a table or folder that must be reachable"
    )
    parser.add_argument(
        "--write", action="store_true", help="also write a small table below PATH and remove it"
    )
    parser.add_argument("--no-session", action="store_true", help="do not start Spark")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_session(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """Prints a line for each check, and the remedy for each problem."""
    if options.write and not options.path:
        raise ValueError("doctor --write requires a PATH")
    findings = examine(options)
    if options.json:
        print(to_json([finding._asdict() for finding in findings], indent=2))
    else:
        print("\n".join(finding.render() for finding in findings))
    return 1 if any(finding.is_failure for finding in findings) else 0


def examine(options: argparse.Namespace) -> list[Finding]:
    """Returns all results. Skips checks that depend on a failed one."""
    python = f"Python {platform.python_version()}, pyspark-lance {__version__} in {PACKAGE}"
    findings = [Finding.ok("package", python)]
    if not options.remote:
        findings += [checks.java(), checks.spark(), checks.jar()]
    if options.no_session or any(finding.is_failure for finding in findings):
        return findings
    with ExitStack() as stack:
        try:
            spark = stack.enter_context(session(options))
        except Exception as error:
            return [*findings, checks_in_spark.no_session(error)]
        findings.append(checks_in_spark.session(spark))
        runs = not findings[-1].is_failure
        if runs:
            findings.append(checks_in_spark.python(spark))
        if options.path and runs:
            findings.append(checks_in_spark.reachable(spark, options.path))
            if options.write and not findings[-1].is_failure:
                findings.append(checks_in_spark.writable(spark, options.path))
    sys.stdout.flush()
    return findings

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Runs scripts in a separate Python process and JVM, and writes programs."""

import os
import subprocess
import sys
from pathlib import Path

import pyspark_lance
from kit.installed import PYTHON_PATH


def run(script: str, *arguments: object, folder: Path, seconds: float | None = None) -> str:
    """Runs a script in a folder, and returns its output. Fails on errors and timeouts."""
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": PYTHON_PATH,
        "PYSPARK_LANCE_JAR": str(pyspark_lance.jar_paths()[0]),
    }
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        timeout=seconds,
    )
    assert done.returncode == 0, complaint(done.stderr)
    return done.stdout


def program(path: Path, text: str) -> None:
    """Writes an executable program, and creates its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def complaint(errors: str) -> str:
    """Returns the end of the error output of a process, without JVM stack frames."""
    return "\n".join(x for x in errors.splitlines() if not x.startswith("\tat "))[-4000:]

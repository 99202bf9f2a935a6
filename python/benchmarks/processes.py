# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Workers as the driver sees them."""

import json
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from benchmarks.settings import Settings

START_SECONDS: Final = 180
ASK_SECONDS: Final = 900
_STOP_SECONDS: Final = 20
_PYTHON: Final = Path(__file__).resolve().parents[1]


class WorkerError(Exception):
    """A worker said that a request failed."""


class WorkerGoneError(WorkerError):
    """A worker ended, or did not answer in time and was ended."""


def worker_environment(python: str) -> dict[str, str]:
    """Environment variables of a worker that the interpreter `python` runs.

    `PYTHONPATH` and `SPARK_HOME` name the PySpark of this interpreter. Another interpreter has one
    of its own.
    """
    variables = {**os.environ, "PYSPARK_PYTHON": python}
    paths = [str(_PYTHON)]
    if python == sys.executable:
        paths += filter(None, [os.environ.get("PYTHONPATH")])
    else:
        variables.pop("SPARK_HOME", None)
    return {**variables, "PYTHONPATH": os.pathsep.join(paths)}


class Worker:
    """A process that runs one system, until it is stopped."""

    def __init__(self, settings: Settings, python: str, log: Path) -> None:
        """Starts it and waits until it is ready.

        Args:
            settings: What it is told.
            python: Its interpreter.
            log: Gets what it prints.

        Raises:
            WorkerError: It did not start.
        """
        self._system = settings.system
        log.parent.mkdir(parents=True, exist_ok=True)
        self._log = log.open("ab")
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.worker", settings.to_json()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=worker_environment(python),
            start_new_session=True,  # with its JVM, to be ended together
        )
        self.facts: dict[str, str] = self._answer(START_SECONDS)

    def ask(self, seconds: float = ASK_SECONDS, /, **request: object) -> Any:  # noqa: ANN401
        """Sends a request and waits for what is done.

        Raises:
            WorkerError: It failed.
            WorkerGoneError: The worker is no more.
        """
        try:
            stdin = self._process.stdin
            if stdin is None:
                raise WorkerGoneError(f"{self._system} has ended")
            stdin.write(json.dumps(request).encode() + b"\n")
            stdin.flush()
        except OSError as error:
            raise WorkerGoneError(f"{self._system} has ended") from error
        return self._answer(seconds)

    def stop(self) -> None:
        """Ends the process and what it started."""
        if self._process.stdin and not self._process.stdin.closed:
            with suppress(OSError):  # it is gone
                self._process.stdin.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._kill()
        if self._process.stdout:
            self._process.stdout.close()
        self._log.close()

    def _answer(self, seconds: float) -> Any:  # noqa: ANN401
        stdout = self._process.stdout
        if stdout is None:
            raise WorkerGoneError(f"{self._system} has no output")
        ready, _, _ = select.select([stdout], [], [], seconds)
        if not ready:
            self._kill()
            raise WorkerGoneError(f"no answer within {seconds:g} s")
        line = stdout.readline()
        if not line:
            code = self._process.wait(_STOP_SECONDS)
            raise WorkerGoneError(f"{self._system} ended with exit code {code}")
        message = json.loads(line)
        if "failed" in message:
            raise WorkerError(message["failed"])
        return message["done"]

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

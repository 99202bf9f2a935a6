# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Worker processes."""

import json
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from benchmarks.configuration import Configuration

START_SECONDS: Final = 180
ASK_SECONDS: Final = 900
_STOP_SECONDS: Final = 20
_PYTHON: Final = Path(__file__).resolve().parents[1]


class WorkerError(Exception):
    """A request of a worker failed."""


class WorkerGoneError(WorkerError):
    """A worker ended, or was stopped after a timeout."""


def worker_environment(python: str) -> dict[str, str]:
    """Returns the environment variables of a worker for the interpreter `python`.

    `PYTHONPATH` and `SPARK_HOME` are set for the PySpark of this interpreter. Another interpreter
    has its own.
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

    def __init__(self, configuration: Configuration, python: str, log: Path) -> None:
        """Starts the process and waits until it is ready.

        Args:
            configuration: Configuration of the worker.
            python: Python interpreter of the worker.
            log: File for the output of the worker.

        Raises:
            WorkerError: The worker did not start.
        """
        self._system = configuration.system
        log.parent.mkdir(parents=True, exist_ok=True)
        self._log = log.open("ab")
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.worker", configuration.to_json()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=worker_environment(python),
            start_new_session=True,  # with its JVM, so that both can be stopped together
        )
        self.facts: dict[str, str] = self._answer(START_SECONDS)

    def ask(self, seconds: float = ASK_SECONDS, /, **request: object) -> Any:  # noqa: ANN401
        """Sends a request and returns its result.

        Raises:
            WorkerError: The request failed.
            WorkerGoneError: The worker ended.
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
        """Stops the process and its child processes."""
        if self._process.stdin and not self._process.stdin.closed:
            with suppress(OSError):  # already ended
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
            raise WorkerGoneError(f"no response within {seconds:g} s")
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

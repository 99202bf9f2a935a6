# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Runs one system in a separate process: `python -m benchmarks.worker CONFIGURATION`.

The process reads requests from standard input, a JSON object per line, and prints a line
`{"done": …}` or `{"failed": "…"}` for each. It ends with its input.
"""

import json
import os
import sys
import time
import traceback
from collections.abc import Mapping
from typing import Any, Final, TextIO

from benchmarks.configuration import Configuration
from benchmarks.index_tasks import index_tasks
from benchmarks.measure import measure
from benchmarks.search_tasks import search_tasks
from benchmarks.task_list import first_tasks, tasks
from benchmarks.tasks import Task

_SHOWN: Final = 400


def main() -> None:
    """Runs requests until the end of input."""
    configuration = Configuration.from_json(sys.argv[1])
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # all other output goes to the log
    try:
        engine = _engine(configuration)
    except Exception as error:
        _send(answers, {"failed": _first_line(error)})
        raise
    known = known_tasks(configuration.scale)
    _send(answers, {"done": engine.facts()})
    for line in sys.stdin:
        try:
            done = do(engine, json.loads(line), known)
            _send(answers, {"done": done})
        except Exception as error:
            traceback.print_exc()
            if not engine.is_alive():
                sys.exit(f"{configuration.system} has lost its engine")
            _send(answers, {"failed": _first_line(error)})


def known_tasks(scale: float) -> dict[str, Task]:
    """Returns the tasks of all groups by name."""
    return tasks(scale) | first_tasks(scale) | index_tasks(scale) | search_tasks(scale)


def _engine(configuration: Configuration) -> Any:  # noqa: ANN401 - either engine; they share no base class
    if configuration.family == "pylance":
        from benchmarks.pylance_engine import PylanceEngine, pin

        pin(configuration)
        return PylanceEngine(configuration)
    from benchmarks.spark_engine import SparkEngine, start

    return SparkEngine(start(configuration), configuration)


def do(engine: Any, request: Mapping[str, Any], known: Mapping[str, Any]) -> object:  # noqa: ANN401
    """Runs a request.

    Args:
        engine: Engine of the system.
        request: `do` is the action, `task` or `table` its object, `runs` and `seconds` its length.
        known: Tasks by name.

    Returns:
        The result as JSON values.
    """
    match request["do"]:
        case "copy":
            return engine.copy(request["table"])
        case "index":
            return engine.index(known[request["task"]])
        case "answer":
            return engine.answer(known[request["task"]])
        case "quality":
            return engine.quality(known[request["task"]])
        case "native rows":
            return engine.native_rows(known[request["task"]])
        case "warm":
            return _warm(engine, known[request["task"]], request["runs"], request["seconds"])
        case "open":
            return measure(lambda: engine.open(known[request["task"]]))._asdict()
        case "run":
            task = known[request["task"]]
            engine.before(task)
            return measure(lambda: engine.run(task))._asdict()
        case "rest":
            return engine.rest()
        case other:
            raise ValueError(f"no request {other}")


def _warm(engine: Any, task: Any, runs: int, seconds: float) -> int:  # noqa: ANN401
    """Runs a task without a pause for a minimum number and duration. Returns the number of runs."""
    done, until = 0, time.monotonic() + seconds
    while done < runs or time.monotonic() < until:
        engine.before(task)
        engine.run(task)
        done += 1
    return done


def _send(to: TextIO, message: object) -> None:
    to.write(json.dumps(message) + "\n")
    to.flush()


def _first_line(error: Exception) -> str:
    """Returns the cause of an error in one line."""
    lines = [line.strip(" :") for line in str(error).splitlines() if line.strip(" :")]
    causes = [line for line in lines if line.startswith("Caused by:")]
    said = [line for line in lines if not line.startswith("An error occurred while calling")]
    return (causes or said or [type(error).__name__])[-1 if causes else 0][:_SHOWN]


if __name__ == "__main__":
    main()

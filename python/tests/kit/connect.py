# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""A Spark Connect server, started by the command that the documentation shows.

It runs in its own process, from the PySpark that pip installed. The processes of a test run share
it: the first that needs it starts it.
"""

import fcntl
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pyspark_lance
from kit.installed import PYTHON_PATH, SPARK_HOME
from kit.tour import blocks

PAGE = Path(__file__).parents[3] / "docs" / "api" / "index.md"
TIMEOUT_SECONDS = 180
# Ends the server when the process with the id $0 ends.
WATCH = """
"$@" & server=$!
while kill -0 $0 && kill -0 $server; do sleep 1; done 2> /dev/null
kill $server
"""


def url_of_server(folder: Path, configuration: Mapping[str, str], owner: int) -> str:
    """The address of the server of a test run, which runs afterwards.

    Args:
        folder: One that the processes of the run have in common.
        configuration: Configuration of the server.
        owner: The number of the process that the server ends with.
    """
    folder.mkdir(exist_ok=True)
    with Path(folder, "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = folder / "url"
        if not known.exists():
            port = _start(folder, configuration, owner)
            known.write_text(f"sc://localhost:{port}")
        return known.read_text()


def _start(folder: Path, configuration: Mapping[str, str], owner: int) -> int:
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    all_configuration = {
        **configuration,
        "spark.connect.grpc.binding.address": "localhost",
        "spark.connect.grpc.binding.port": str(port),
        "spark.connect.progress.reportInterval": "50ms",
    }
    conf = shlex.join(w for k, v in all_configuration.items() for w in ("--conf", f"{k}={v}"))
    command = [
        "bash",
        "-c",
        "exec " + documented_command().replace("spark-internal", conf + " spark-internal"),
    ]
    log = folder / "server.log"
    with log.open("w") as out:
        watcher = subprocess.Popen(
            ["sh", "-c", WATCH, str(owner), *command],
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not _listens(port):
        if watcher.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"no Spark Connect server:\n{log.read_text()[-4000:]}")
        time.sleep(0.2)
    return port


def documented_command() -> str:
    """The command of the page on Python that starts a server."""
    found = [code for language, code in blocks(PAGE) if language == "bash"]
    command = next(code for code in found if "SparkConnectServer" in code)
    assert command.rstrip().endswith(" spark-internal")
    return command.replace("pyspark-lance", "python -m pyspark_lance")  # here not installed


def _environment() -> dict[str, str]:
    """That of a user who has activated the virtual environment, and has this package there."""
    home = Path(sys.executable).parent
    return {
        **os.environ,
        "PATH": f"{home}{os.pathsep}{os.environ['PATH']}",
        "SPARK_HOME": str(SPARK_HOME),
        "PYTHONPATH": PYTHON_PATH,
        "PYSPARK_LANCE_JAR": str(pyspark_lance.jar_paths()[0]),
    }


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("localhost", port), timeout=1).close()
    except OSError:
        return False
    return True

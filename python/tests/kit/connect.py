# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""A Spark Connect server out of PySpark's own jars, in a process of its own.

Processes of one test run share it: whoever needs it first starts it.
"""

import fcntl
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pyspark

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
TIMEOUT_SECONDS = 180
# Ends the server with the process that has the number $0, however that ends.
WATCH = """
"$@" & server=$!
while kill -0 $0 && kill -0 $server; do sleep 1; done 2> /dev/null
kill $server
"""


def url_of_server(folder: Path, settings: Mapping[str, str], owner: int) -> str:
    """The address of the server of a test run, which runs afterwards.

    Args:
        folder: One that the processes of the run have in common.
        settings: Those of the Spark that the server is.
        owner: The number of the process that the server ends with.
    """
    folder.mkdir(exist_ok=True)
    with Path(folder, "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = folder / "url"
        if not known.exists():
            port = _start(folder, settings, owner)
            known.write_text(f"sc://localhost:{port}")
        return known.read_text()


def _start(folder: Path, settings: Mapping[str, str], owner: int) -> int:
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    all_settings = {
        **settings,
        "spark.connect.grpc.binding.address": "localhost",
        "spark.connect.grpc.binding.port": str(port),
        "spark.connect.progress.reportInterval": "50ms",
    }
    conf = [word for k, v in all_settings.items() for word in ("--conf", f"{k}={v}")]
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    command = [str(submit), *conf, "--class", SERVER, "spark-internal"]
    log = folder / "server.log"
    with log.open("w") as out:
        watcher = subprocess.Popen(
            ["sh", "-c", WATCH, str(owner), *command],
            cwd=folder,
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


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("localhost", port), timeout=1).close()
    except OSError:
        return False
    return True

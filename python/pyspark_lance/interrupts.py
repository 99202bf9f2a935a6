# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Handles Ctrl-C during a call of this package.

PySpark's SIGINT handler cancels the jobs over the connection of the interrupted call, which fails.
The jobs continue to occupy the cores, and the next write waits for them. The handler in this module
cancels them from a separate thread with a separate connection.
"""

import signal
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from pyspark import SparkContext

_PYSPARK_HANDLER: Final = "SparkContext._do_init.<locals>.signal_handler"
_SECONDS: Final = 10.0


@contextmanager
def jobs_cancelled() -> Generator[None]:
    """Runs a block. Ctrl-C cancels all jobs of the application and raises `KeyboardInterrupt`.

    Does not replace a handler other than PySpark's. Does nothing on Spark Connect and on threads
    other than the main thread.
    """
    before = signal.getsignal(signal.SIGINT)
    context = _active_context()
    if (
        context is None
        or threading.current_thread() is not threading.main_thread()
        or getattr(before, "__qualname__", None) != _PYSPARK_HANDLER
    ):
        yield
        return
    signal.signal(signal.SIGINT, _handler(context))
    try:
        yield
    except KeyboardInterrupt:
        _reconnect(context)
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def _reconnect(context: "SparkContext") -> None:
    """Waits until the JVM accepts commands again, at most 10 seconds.

    After an interrupt, Py4J closes the connection of the interrupted call. Until then, the JVM can
    close new connections, too, and Py4J does not retry the first command of a connection.
    """
    from py4j.protocol import Py4JError  # PySpark's package for Spark Connect has no Py4J.

    jvm_context: Any = context._jsc  # pyright: ignore[reportPrivateUsage]
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        try:
            jvm_context.sc().isStopped()
            return
        except Py4JError:
            time.sleep(0.1)


def _active_context() -> "SparkContext | None":
    try:
        from pyspark import SparkContext
    except ImportError:  # PySpark's package for Spark Connect has no SparkContext.
        return None
    return SparkContext._active_spark_context  # pyright: ignore[reportPrivateUsage]


def _handler(context: "SparkContext") -> Callable[[int, FrameType | None], NoReturn]:
    def handle(_signal: int, _frame: FrameType | None) -> NoReturn:
        cancel = threading.Thread(target=context.cancelAllJobs, daemon=True)
        cancel.start()
        cancel.join(_SECONDS)
        raise KeyboardInterrupt

    return handle

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Progress of long operations, where somebody watches: on a console or in a notebook."""

import os
import sys
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from html import escape
from typing import Any, Final, NamedTuple, Protocol, TextIO

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

PROGRESS_VARIABLE: Final = "PYSPARK_LANCE_PROGRESS"
"""`0` turns progress off, `1` writes it to the standard error output, whatever that is."""
BAR_WIDTH: Final = 24


class Tasks(NamedTuple):
    """The tasks of an operation so far; more may come."""

    done: int = 0
    known: int = 0


class Screen(Protocol):
    """Where progress is shown."""

    def show(self, label: str, tasks: Tasks, seconds: float) -> None:
        """Replaces what was shown before."""

    def close(self) -> None:
        """Removes it."""


@contextmanager
def shown(
    spark: SparkSession,
    label: str,
    *,
    screen: Screen | None = None,
    delay_seconds: float = 1.0,
    every_seconds: float = 0.2,
) -> Generator[None]:
    """Shows how far the Spark jobs are that run inside the `with` block.

    Shows nothing where nobody watches: when the standard error output is no console and Python
    runs in no notebook, on a console that has Spark's own progress bar, and when the environment
    variable `PYSPARK_LANCE_PROGRESS` is `0`.

    Args:
        spark: The session that runs the jobs.
        label: What is going on, for people.
        screen: Where to show it; what is there if None.
        delay_seconds: Operations that end sooner show nothing.
        every_seconds: How often it is brought up to date.

    Examples:
        >>> from pyspark_lance.progress import shown
        >>> with shown(spark, "counting"):
        ...     spark.range(1000).count()
        1000
    """
    target = screen if screen is not None else _screen(spark)
    if target is None:
        yield
        return
    with _watched(spark, label) as tasks:
        ended = threading.Event()
        watcher = threading.Thread(
            target=_watch,
            args=(target, label, tasks, ended, delay_seconds, every_seconds),
            daemon=True,
        )
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()


def _watch(
    screen: Screen,
    label: str,
    tasks: Callable[[], Tasks],
    ended: threading.Event,
    delay_seconds: float,
    every_seconds: float,
) -> None:
    start = time.monotonic()
    wait = delay_seconds
    try:
        while not ended.wait(wait):
            screen.show(label, tasks(), time.monotonic() - start)
            wait = every_seconds
    except Exception:
        pass  # the session is gone, or the screen: the operation itself will tell
    finally:
        screen.close()


def _watched(spark: SparkSession, label: str) -> AbstractContextManager[Callable[[], Tasks]]:
    return _watched_connect(spark) if is_connect(spark) else _watched_classic(spark, label)


def is_connect(spark: SparkSession) -> bool:
    """Whether a session talks to a Spark Connect server."""
    return "connect" in type(spark).__module__.split(".")


@contextmanager
def _watched_classic(spark: SparkSession, label: str) -> Generator[Callable[[], Tasks]]:
    """The jobs of the thread's job group, which is one of our own unless there is one."""
    context = spark.sparkContext
    tracker = context.statusTracker()
    of_user = context.getLocalProperty("spark.jobGroup.id")
    group = of_user or f"pyspark-lance-{uuid.uuid4()}"
    before = set(tracker.getJobIdsForGroup(group)) if of_user else set()
    description = context.getLocalProperty("spark.job.description")
    if not of_user:
        context.setJobGroup(group, label)

    def tasks() -> Tasks:
        done = known = 0
        for job_id in set(tracker.getJobIdsForGroup(group)) - before:
            job = tracker.getJobInfo(job_id)
            for stage_id in job.stageIds if job else ():
                stage = tracker.getStageInfo(int(stage_id))
                if job is not None and stage is not None:
                    # what a job that has ended did not run it did not need
                    is_running = job.status == "RUNNING"
                    done += stage.numCompletedTasks
                    known += stage.numTasks if is_running else stage.numCompletedTasks
        return Tasks(done, known)

    try:
        yield tasks
    finally:
        if not of_user:
            for key in ("spark.jobGroup.id", "spark.job.interruptOnCancel"):
                context.setLocalProperty(key, None)  # type: ignore[arg-type]
            context.setLocalProperty("spark.job.description", description)  # type: ignore[arg-type]


@contextmanager
def _watched_connect(spark: SparkSession) -> Generator[Callable[[], Tasks]]:
    """What the server says of the session's operations while they run."""
    by_operation: dict[str | None, Tasks] = {}

    def handler(stages: Iterable[Any] | None, operation_id: str | None, **_: object) -> None:
        known = list(stages or ())
        if known:
            by_operation[operation_id] = Tasks(
                sum(stage.num_completed_tasks for stage in known),
                sum(stage.num_tasks for stage in known),
            )

    def tasks() -> Tasks:
        now = list(by_operation.values())
        return Tasks(sum(t.done for t in now), sum(t.known for t in now))

    spark.registerProgressHandler(handler)
    try:
        yield tasks
    finally:
        spark.removeProgressHandler(handler)


def line(label: str, tasks: Tasks, seconds: float) -> str:
    """Progress in one line of text.

    Examples:
        >>> from pyspark_lance.progress import Tasks, line
        >>> line("VACUUM t", Tasks(3, 12), 4.2)
        'VACUUM t  [======                  ]  3 of 12 tasks  4 s'
    """
    filled = BAR_WIDTH * tasks.done // max(tasks.known, 1)
    bar = f"[{'=' * filled}{' ' * (BAR_WIDTH - filled)}]" if tasks.known else ""
    return "  ".join(part for part in (label, bar, _words(tasks, seconds)) if part)


def _words(tasks: Tasks, seconds: float) -> str:
    counts = f"{tasks.done:,} of {tasks.known:,} tasks  " if tasks.known else ""
    return f"{counts}{seconds:.0f} s"


class Console:
    """A line of a console that is written over again and again."""

    def __init__(self, stream: TextIO) -> None:
        """The stream is one that knows carriage returns."""
        self._stream = stream
        self._width = 0

    def show(self, label: str, tasks: Tasks, seconds: float) -> None:
        """Writes over the line."""
        self._write(line(label, tasks, seconds))

    def close(self) -> None:
        """Leaves the line empty."""
        if self._width:
            self._write("")
            self._stream.write("\r")
            self._stream.flush()

    def _write(self, content: str) -> None:
        self._stream.write("\r" + content.ljust(self._width))
        self._stream.flush()
        self._width = len(content)


class Notebook:
    """The output of a cell."""

    def __init__(self) -> None:
        """Nothing is shown before the first call."""
        self._handle: Any = None

    def show(self, label: str, tasks: Tasks, seconds: float) -> None:
        """Shows a bar in place of the one before."""
        bar = f'<progress value="{tasks.done}" max="{max(tasks.known, 1)}"></progress>'
        self._update({"text/html": f"{escape(label)} {bar} {_words(tasks, seconds)}"})

    def close(self) -> None:
        """Leaves the output empty."""
        if self._handle is not None:
            self._update({"text/plain": ""})

    def _update(self, content: dict[str, str]) -> None:
        from IPython.display import display  # pyright: ignore[reportMissingImports]

        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)


def _screen(spark: SparkSession) -> Screen | None:
    asked = os.environ.get(PROGRESS_VARIABLE, "")
    if asked == "0":
        return None
    if _in_notebook():
        return Notebook()
    if asked == "1" or (sys.stderr.isatty() and not _has_bar_of_spark(spark)):
        return Console(sys.stderr)
    return None


def _has_bar_of_spark(spark: SparkSession) -> bool:
    if is_connect(spark):
        return os.environ.get("SPARK_CONNECT_PROGRESS_BAR_ENABLED") == "1"
    try:
        return spark.conf.get("spark.ui.showConsoleProgress", "false") == "true"
    except PySparkException:
        return False


def _in_notebook() -> bool:
    """Whether Python runs in the kernel of a notebook, which has IPython loaded."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")

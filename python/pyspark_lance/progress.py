# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Shows the progress of long operations on a console or in a notebook."""

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
"""`0` turns progress off, `1` always writes it to standard error."""
BAR_WIDTH: Final = 24


class Tasks(NamedTuple):
    """The tasks of an operation so far. More tasks can follow."""

    done: int = 0
    known: int = 0


class Screen(Protocol):
    """Output for progress."""

    def show(self, label: str, tasks: Tasks, seconds: float) -> None:
        """Shows the progress and replaces the previous one."""

    def close(self) -> None:
        """Removes the progress."""


@contextmanager
def shown(
    spark: SparkSession,
    label: str,
    *,
    screen: Screen | None = None,
    delay_seconds: float = 1.0,
    every_seconds: float = 0.2,
) -> Generator[None]:
    """Shows the progress of the Spark jobs in a `with` block.

    Shows nothing if standard error is not a console and Python does not run in a notebook, if the
    console has Spark's own progress bar, or if the environment variable `PYSPARK_LANCE_PROGRESS` is
    `0`.

    Args:
        spark: The session that runs the jobs.
        label: A description of the operation.
        screen: The output; console or notebook by default.
        delay_seconds: Shorter operations show nothing.
        every_seconds: Interval between updates.

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
        pass  # the session or the output is closed; the operation itself reports the error
    finally:
        screen.close()


def _watched(spark: SparkSession, label: str) -> AbstractContextManager[Callable[[], Tasks]]:
    return _watched_connect(spark) if is_connect(spark) else _watched_classic(spark, label)


def is_connect(spark: SparkSession) -> bool:
    """Returns whether a session uses Spark Connect."""
    return "connect" in type(spark).__module__.split(".")


@contextmanager
def _watched_classic(spark: SparkSession, label: str) -> Generator[Callable[[], Tasks]]:
    """Watches the jobs of the thread's job group. Creates a group if there is none."""
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
                    # tasks that an ended job did not run were not needed
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
    """Watches the progress that the server reports for operations of the session."""
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
    """Formats progress as a line of text.

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
    """A console line that is overwritten on each update."""

    def __init__(self, stream: TextIO) -> None:
        """Creates the output for a stream that supports carriage returns."""
        self._stream = stream
        self._width = 0

    def show(self, label: str, tasks: Tasks, seconds: float) -> None:
        """Overwrites the line."""
        self._write(line(label, tasks, seconds))

    def close(self) -> None:
        """Clears the line."""
        if self._width:
            self._write("")
            self._stream.write("\r")
            self._stream.flush()

    def _write(self, content: str) -> None:
        self._stream.write("\r" + content.ljust(self._width))
        self._stream.flush()
        self._width = len(content)


class Notebook:
    """The output of a notebook cell."""

    def __init__(self) -> None:
        """Shows nothing before the first call of `show`."""
        self._handle: Any = None

    def show(self, label: str, tasks: Tasks, seconds: float) -> None:
        """Shows a bar that replaces the previous one."""
        bar = f'<progress value="{tasks.done}" max="{max(tasks.known, 1)}"></progress>'
        self._update({"text/html": f"{escape(label)} {bar} {_words(tasks, seconds)}"})

    def close(self) -> None:
        """Clears the output."""
        if self._handle is not None:
            self._update({"text/plain": ""})

    def _update(self, content: dict[str, str]) -> None:
        from IPython.display import display  # pyright: ignore[reportMissingImports]

        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)


def _screen(spark: SparkSession) -> Screen | None:
    wanted = os.environ.get(PROGRESS_VARIABLE, "")
    if wanted == "0":
        return None
    if _in_notebook():
        return Notebook()
    if wanted == "1" or (sys.stderr.isatty() and not _has_bar_of_spark(spark)):
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
    """Returns whether Python runs in a notebook kernel, which has IPython loaded."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Progress of long operations: on consoles, in notebooks, and nowhere else."""

import io
import sys
import types

import pytest

from pyspark_lance import progress
from pyspark_lance.progress import Console, Notebook, Tasks, shown


class Recorded:
    """A screen that records its output."""

    def __init__(self):
        self.shown = []
        self.is_closed = False

    def show(self, label, tasks, seconds):
        self.shown.append((label, tasks))

    def close(self):
        self.is_closed = True


def _work(spark):
    spark.range(0, 10_000_000, 1, 6).selectExpr("sum(hash(id))").collect()


def test_tasks_are_counted_while_the_job_runs(any_spark):
    screen = Recorded()

    with shown(any_spark, "summing", screen=screen, delay_seconds=0.0, every_seconds=0.02):
        _work(any_spark)

    assert screen.is_closed
    assert {label for label, _ in screen.shown} == {"summing"}
    counted = [tasks for _, tasks in screen.shown if tasks.known]
    assert counted, "no tasks were seen"
    assert all(0 <= tasks.done <= tasks.known for tasks in counted)
    assert max(tasks.known for tasks in counted) >= 6


def test_the_session_is_unchanged(spark):
    context = spark.sparkContext
    keys = ["spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel"]
    context.setJobDescription("mine")
    try:
        with shown(spark, "one", screen=Recorded()):
            assert context.getLocalProperty("spark.job.description") == "one"
        assert [context.getLocalProperty(key) for key in keys] == [None, "mine", None]
        context.setJobGroup("my group", "my words")
        with shown(spark, "two", screen=Recorded()):
            assert context.getLocalProperty("spark.jobGroup.id") == "my group"
        assert context.getLocalProperty("spark.job.description") == "my words"
    finally:
        for key in keys:
            context.setLocalProperty(key, None)


def test_errors_are_raised_and_short_operations_show_nothing(spark):
    screen = Recorded()
    with pytest.raises(ZeroDivisionError), shown(spark, "failing", screen=screen):
        1 / 0  # noqa: B018
    assert screen.is_closed
    assert screen.shown == []


def test_a_display_error_does_not_fail_the_operation(any_spark):
    class Broken(Recorded):
        def show(self, label, tasks, seconds):
            raise OSError("no more screen")

    screen = Broken()
    with shown(any_spark, "counting", screen=screen, delay_seconds=0.0):
        assert any_spark.range(10).count() == 10
    assert screen.is_closed


def test_a_console_shows_one_line_and_clears_it():
    stream = io.StringIO()
    console = Console(stream)
    console.show("OPTIMIZE t", Tasks(), 1.2)
    console.show("OPTIMIZE t", Tasks(12, 12), 2.0)
    console.show("OPTIMIZE t", Tasks(1, 24), 3.0)
    console.close()

    first, second, third, blank, end = stream.getvalue().split("\r")[1:]
    assert first == "OPTIMIZE t  1 s"
    assert second == f"OPTIMIZE t  [{'=' * 24}]  12 of 12 tasks  2 s"
    assert third.rstrip() == f"OPTIMIZE t  [={' ' * 23}]  1 of 24 tasks  3 s"
    assert len(third) >= len(second)
    assert blank.strip() == end == ""


class Shell:
    kernel = None


@pytest.fixture
def ipython(monkeypatch):
    """The outputs of a fake notebook."""
    outputs = []

    class Handle:
        def update(self, content, raw):
            outputs.append(content)

    def display(content, raw, display_id):
        outputs.append(content)
        return Handle()

    module = types.ModuleType("IPython")
    module.get_ipython = Shell
    of_display = types.ModuleType("IPython.display")
    of_display.display = display
    module.display = of_display
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", of_display)
    return outputs


@pytest.mark.on("connect")
def test_a_notebook_shows_a_bar_and_removes_it(any_spark, ipython):
    with shown(any_spark, "a<b", delay_seconds=0.0, every_seconds=0.02):
        _work(any_spark)
    assert any("<progress value=" in o.get("text/html", "") for o in ipython)
    assert all("a&lt;b" in o["text/html"] for o in ipython[:-1])
    assert ipython[-1] == {"text/plain": ""}


@pytest.mark.parametrize(
    ("asked", "is_console", "expected"),
    [
        ("", False, None),
        ("", True, Console),
        ("0", True, None),
        ("1", False, Console),
    ],
)
def test_progress_is_shown_on_terminals(any_spark, monkeypatch, asked, is_console, expected):
    monkeypatch.setenv("PYSPARK_LANCE_PROGRESS", asked)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_console, raising=False)
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    found = progress._screen(any_spark)
    assert found is None if expected is None else isinstance(found, expected)


def test_a_notebook_takes_precedence(spark, ipython, monkeypatch):
    assert isinstance(progress._screen(spark), Notebook)
    monkeypatch.setenv("PYSPARK_LANCE_PROGRESS", "0")
    assert progress._screen(spark) is None

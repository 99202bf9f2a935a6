# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`benchmarks.first`: steps of a process, medians, results, and the part of the page."""

import pytest
from kit.bench import Here

from benchmarks import datasets, first, page
from benchmarks.first import FirstRuns, Step
from benchmarks.kept import Kept
from benchmarks.task_list import first_tasks

pytestmark = pytest.mark.one_case

SCALE = 0.001
TASKS = first_tasks(1)
TASK = TASKS["first-lineitem-quantity"]


def process(first_seconds):
    return {
        "open": Step(0.1, 0.2),
        "first": Step(first_seconds, 2 * first_seconds),
        "second": Step(0.4, 0.5),
        "third": Step(0.3, 0.4),
        "warm": Step(0.2, 0.3),
    }


RUNS = FirstRuns(
    {
        (TASK.name, "lance"): [process(0.9), process(0.5), process(0.7)],
        (TASK.name, "parquet"): [process(0.5), process(0.5), process(0.9)],
    }
)


def test_each_task_is_one_read_of_a_known_table():
    groups = {"lineitem", "vectors", "documents", "files", "rows"}
    assert {task.group for task in TASKS.values()} == groups
    queries = [t.action.statements for t in TASKS.values() if hasattr(t.action, "statements")]
    assert all(len(statements) == 1 for statements in queries)
    assert "l_orderkey = " in TASKS["first-rows-keys"].action.statements[0]


def test_a_process_measures_every_step_up_to_the_warm_run():
    asked = []

    class Worker:
        def ask(self, **request):
            asked.append(request["do"])
            return {"seconds": len(asked), "cpu_seconds": 2 * len(asked)}

    found = dict(first.steps(Worker(), TASK))
    assert asked == ["open", "run", "run", "run", "warm", "run", "run", "run"]
    assert list(found) == list(first.STEPS)
    assert (found["open"], found["third"], found["warm"]) == (Step(1, 2), Step(4, 8), Step(7, 14))


@pytest.mark.parametrize("system", first.NAMES)
def test_a_worker_opens_tables_and_runs_the_task(spark, tmp_path, system):
    task = first_tasks(SCALE)["first-lineitem-quantity"]
    datasets.make(tmp_path, SCALE, ["lineitem"])
    worker = Here(spark, system, tmp_path, SCALE)
    worker.ask(do="copy", table="lineitem")
    assert worker.ask(do="open", task=task.name)["seconds"] > 0
    assert worker.ask(do="run", task=task.name)["cpu_seconds"] > 0


def test_medians_are_compared_with_parquet():
    assert RUNS.seconds(TASK.name, "lance", "first") == 0.7
    assert RUNS.to_result(TASK.name, "lance") == pytest.approx(0.8)
    assert first.time_ratio(RUNS, TASK, "first") == pytest.approx(1.4)
    assert first.cpu_ratio(RUNS, TASK, "warm") == 1
    assert first.time_ratio(RUNS, TASKS["first-lineitem-q6"], "first") is None


def test_the_results_have_the_steps_of_both_systems():
    lines = first.render(RUNS, TASKS.values(), {"cpu": "a processor"}).splitlines()
    rows = [line.split() for line in lines if line.startswith(TASK.name)]
    assert [row[3:] for row in rows[:2]] == [
        ["100", "700", "800", "400", "300", "200"],
        ["100", "500", "600", "400", "300", "200"],
    ]
    assert rows[2][3:] == ["1.00", "1.40", "1.33", "1.00", "1.00", "1.00"]
    assert rows[3][4:] == ["1.00", "1.40", "1.00", "1.00", "1.00"]


def test_stored_measurements_are_reused(tmp_path):
    kept = Kept(tmp_path)
    kept.keep_facts("first", {TASK.name: {"lance": [process(0.9)], "parquet": [process(0.5)]}})
    found = FirstRuns.of(kept)
    assert found.seconds(TASK.name, "lance", "first") == 0.9
    assert found.processes[(TASK.name, "parquet")] == [process(0.5)]


def test_the_page_keeps_its_other_parts(tmp_path):
    file = tmp_path / "benchmarks.md"
    file.write_text("# Benchmarks\n\nOthers.\n\n## Reproduce\n\n| a |\n")
    for _ in range(2):
        page.write_first(tmp_path, RUNS, list(TASKS.values()), {"cpu": "a processor"})
    text = file.read_text()
    assert text.count("## First and warm runs") == 1
    assert text.startswith("# Benchmarks\n\nOthers.\n\n## First") and text.endswith("| a |\n")
    numbers = "800 | 1.33 | 700 | 1.40 | 400 | 1.00 | 300 | 1.00 | 200 | 1.00"
    assert f"| {TASK.group} | {TASK.title} | {numbers} |" in text
    assert "\n\nMeasured on: a processor.\n\n![First and warm runs:" in text
    chart = (tmp_path / "images" / "benchmarks-first.svg").read_text()
    assert [n for n in ("1.33", "1.40", "1.00") if f">{n}<" in chart] == ["1.33", "1.40", "1.00"]

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""A tiny run of every benchmark task on Lance, Parquet, and pylance, with equal results."""

import pytest
from kit.bench import Here

from benchmarks import datasets
from benchmarks.actions import Write
from benchmarks.tables import TABLES
from benchmarks.task_list import tasks
from benchmarks.tasks import GROUPS, chosen
from benchmarks.turns import Budget, Turns

pytestmark = pytest.mark.one_case

SCALE = 0.001
SYSTEMS = ("lance", "parquet", "pylance")
ONCE = Budget(iterations=1, warm_runs=0, warm_seconds=0, more_seconds=0)
# test_tpch.py has the queries with every run of the tests; the others are like one that is run.
LIKE_OTHERS = {
    "columns-300-noop",
    "documents-blobs-ids",
    "files-10000-plan",
    "files-10000-scan",
    "lineitem-date",
    "lineitem-decimal",
    "rows-ranges",
    "write-documents",
}
DEAR = [name for name, task in tasks(SCALE).items() if task.group == "tpch" or name in LIKE_OTHERS]


@pytest.fixture(scope="module")
def workers(spark, tmp_path_factory):
    """The systems, and the rows of all tables."""
    data = tmp_path_factory.mktemp("data")
    datasets.make(data, SCALE, [table.source for table in TABLES.values()])
    return {system: Here(spark, system, data, SCALE) for system in SYSTEMS}


def measured(workers, name):
    """Copies missing tables, and runs the task once."""
    task = tasks(SCALE)[name]
    for system in ("lance", "parquet"):
        for table in task.tables:
            assert workers[system].ask(do="copy", table=table) > 0
    systems = [system for system in SYSTEMS if system != "pylance" or task.native]
    return {m.system: m for m in Turns(task, 2, workers, ONCE).measure(systems)}


def check(workers, name):
    found = measured(workers, name)
    for measurement in found.values():
        assert measurement.failure is None
        assert measurement.seconds and min(measurement.seconds) > 0
        assert min(measurement.cpu_seconds) > 0
    return found


@pytest.mark.parametrize("name", [name for name in tasks(SCALE) if name not in DEAR])
def test_task(workers, name):
    assert check(workers, name)["parquet"].answer


@pytest.mark.long
@pytest.mark.parametrize("name", DEAR)
def test_expensive_task(workers, name):
    check(workers, name)


def test_a_table_of_many_files_has_all_files(workers):
    for system in ("lance", "parquet"):
        workers[system].ask(do="copy", table="files_10000")
        path = workers[system].engine._path("files_10000")
        assert len([*path.rglob(f"*.{system}")]) == 10  # of a hundred rows each


def test_another_result_fails_by_name(workers, monkeypatch):
    parquet = workers["parquet"]
    ask = parquet.ask

    def wrong(seconds=0.0, /, **request):
        return [[1]] if request["do"] == "answer" else ask(seconds, **request)

    monkeypatch.setattr(parquet, "ask", wrong)
    found = measured(workers, "lineitem-count")
    assert found["lance"].failure == "another result: row 0 is [6005] instead of [1]"
    assert found["parquet"].failure is None


def test_tasks_are_chosen_by_patterns_and_groups():
    assert [task.name for task in chosen(tasks(1), ["lineitem-c*"])] == [
        "lineitem-comment",
        "lineitem-count",
        "lineitem-count-where",
    ]
    assert {task.group for task in chosen(tasks(1), [])} == set(GROUPS)
    assert all(isinstance(task.action, Write) for task in chosen(tasks(1), ["writes"]))
    with pytest.raises(ValueError, match="no task lineitem-nothing"):
        chosen(tasks(1), ["lineitem-nothing"])


def test_names_of_tasks_are_valid_in_files_and_patterns():
    names = list(tasks(1))
    assert len(names) == len(set(names)) > 50
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for name in names)
    assert not set(names) & {*GROUPS, "kernels", "sizes", "table"}

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Measurements of processes, and workers of the benchmarks."""

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from unittest.mock import Mock, call

import pytest

from benchmarks import measure as measuring
from benchmarks import run, systems, worker
from benchmarks.configuration import Configuration
from benchmarks.kept import Kept, Measurement
from benchmarks.measure import Sample, cpu_seconds, measure, process_tree, settle
from benchmarks.processes import Worker, WorkerError, WorkerGoneError, worker_environment
from benchmarks.task_list import tasks
from benchmarks.turns import Budget, Turns

SPIN = "import time; end = time.process_time() + 0.2\nwhile time.process_time() < end: pass"


def test_a_run_is_measured(tmp_path):
    file = tmp_path / "bytes"
    file.write_bytes(bytes(3_000_000))
    held = []

    def work():
        held.append(file.read_bytes())
        held.append(bytearray(b"x") * 50_000_000)
        time.sleep(0.1)

    sample = measure(work, [os.getpid()])  # without the JVM of other tests
    assert sample.seconds >= 0.1
    assert sample.cpu_seconds > 0
    assert 3_000_000 <= sample.bytes_read < 4_000_000
    assert 45_000_000 < sample.peak_bytes < 100_000_000
    assert sample.machine_seconds >= sample.stolen_seconds >= 0
    assert -0.1 < sample.foreign_seconds < sample.machine_seconds


def test_a_run_waits_for_a_quiet_machine(monkeypatch):
    half_busy, quiet = [(0, 0, 0), (10, 0, 20)], [(10, 0, 20), (11, 0, 40)]
    ticks = iter(half_busy + quiet)
    monkeypatch.setattr(measuring, "_machine_ticks", lambda: next(ticks))
    settle(60)
    assert list(ticks) == []


def test_a_run_waits_for_a_limited_time(monkeypatch):
    ticks = iter([(10 * i, 0, 20 * i) for i in range(100)])
    monkeypatch.setattr(measuring, "_machine_ticks", lambda: next(ticks))
    start = time.monotonic()
    settle(0.15)
    assert 0.15 <= time.monotonic() - start < 10


def test_processes_below_count():
    with subprocess.Popen(
        [sys.executable, "-c", f"{SPIN}\nprint(flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        child.stdout.readline()
        assert cpu_seconds(child.pid) >= 0.2
        assert child.pid in process_tree(os.getpid())
        child.stdin.write(b"\n")


@pytest.fixture
def native(tmp_path):
    """A worker of pylance, which needs no JVM."""
    configuration = Configuration("pylance", "pylance", 1, str(tmp_path), 0.001)
    worker = Worker(configuration, sys.executable, tmp_path / "logs" / "pylance.log")
    yield worker
    worker.stop()


def test_a_worker_returns_results_and_errors_by_name(native, tmp_path):
    assert "pylance" in native.facts
    with pytest.raises(WorkerError, match="lineitem"):
        native.ask(do="answer", task="lineitem-all")
    with pytest.raises(WorkerError, match="no request dance"):
        native.ask(do="dance")
    assert native.ask(do="rest") is None
    assert "Traceback" in (tmp_path / "logs" / "pylance.log").read_text()


def test_workers_of_this_interpreter_use_the_pyspark_of_its_line(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/line")
    monkeypatch.setenv("SPARK_HOME", "/line/pyspark")
    own = worker_environment(sys.executable)
    assert own["PYTHONPATH"].split(os.pathsep)[1:] == ["/line"]
    assert own["SPARK_HOME"] == "/line/pyspark"
    other = worker_environment("/other/bin/python")
    assert "/line" not in other["PYTHONPATH"]
    assert "SPARK_HOME" not in other
    assert other["PYSPARK_PYTHON"] == "/other/bin/python"


def test_a_worker_warms_up_by_runs_and_seconds_without_a_pause(monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr(worker.time, "monotonic", lambda: next(clock))
    engine = Mock()
    for runs, seconds, done in ((3, 0, 3), (1, 4, 4), (0, 0, 0)):
        engine.reset_mock()
        request = {"do": "warm", "task": "t", "runs": runs, "seconds": seconds}
        assert worker.do(engine, request, {"t": "the task"}) == done
        assert engine.mock_calls == [call.before("the task"), call.run("the task")] * done


def test_a_worker_is_stopped_after_its_time_limit(native):
    os.kill(native._process.pid, signal.SIGSTOP)  # it cannot be in time
    with pytest.raises(WorkerGoneError, match=r"no response within 0\.1 s"):
        native.ask(0.1, do="rest")
    with pytest.raises(WorkerGoneError):
        native.ask(do="rest")


class Fake:
    """Returns at once, and records the request in a shared list."""

    def __init__(self, name, asked, answer=None, fails_at=None):
        self.name, self.asked, self.answer, self.fails_at = name, asked, answer, fails_at
        self.facts = {}

    def stop(self):
        self.asked.append((self.name, "stop"))

    def ask(self, seconds=0.0, /, **request):
        self.asked.append((self.name, request["do"]))
        runs = self.asked.count((self.name, "run"))
        runs_now = request["do"] in ("run", "warm")
        if runs_now and self.fails_at is not None and max(runs, 1) > self.fails_at:
            raise WorkerError("broken")
        if request["do"] == "run":
            return Sample(0.5, 1.0, 7, 9, 4.0, 1.0, 2.0)._asdict()
        return self.answer if request["do"] == "answer" else 3


def turns(**workers):
    return Turns(tasks(1)["lineitem-all"], 2, workers, Budget(2, 1, 0.0, 0.0))


def test_systems_take_turns():
    asked = []
    both = turns(lance=Fake("lance", asked, [[1]]), parquet=Fake("parquet", asked, [[1]]))
    lance, parquet = both.measure(["lance", "parquet"])
    runs = [name for name, do in asked if do == "run"]
    assert runs == ["lance", "parquet"] * 2
    assert lance.seconds == parquet.seconds == [0.5, 0.5]
    assert (lance.median, lance.cpu, lance.bytes_read, lance.peak_bytes) == (0.5, 1.0, 7, None)
    assert (lance.stolen, lance.foreign) == (0.25, 0.5)
    assert (lance.answer, parquet.answer) == (None, [[1]])


def test_memory_is_measured_with_a_shrunken_heap():
    asked = []
    both = turns(lance=Fake("lance", asked), parquet=Fake("parquet", asked, fails_at=1))
    assert both.peaks(["lance", "parquet"]) == {"lance": 9}
    assert [do for name, do in asked if name == "lance"] == ["run", *["rest", "run"] * 2]


def test_failing_systems_are_dropped():
    asked = []
    found = turns(
        lance=Fake("lance", asked, [[1]], fails_at=1),
        parquet=Fake("parquet", asked, [[1]]),
        pylance=Fake("pylance", asked, [4]),
    ).measure(["lance", "parquet", "pylance"])
    failures = {m.system: m.failure for m in found}
    assert failures == {
        "lance": "broken",
        "parquet": None,
        "pylance": "another result: row 0 is 4 instead of 3",
    }


def passes(monkeypatch, tmp_path, fails_at=None, names=("parquet",)):
    """Returns the requests of two passes over three tasks, and one for memory."""
    asked = []
    monkeypatch.setattr(run.datasets, "make", lambda *data: None)

    def start(self, *how, for_memory):
        asked.append((self.name, "start for memory" if for_memory else "start"))
        return Fake(self.name, asked, [[1]], fails_at)

    monkeypatch.setattr(systems.System, "start", start)
    chosen = [tasks(1)[name] for name in ("lineitem-all", "lineitem-q6", "tpch-q01")]
    by = systems.chosen([*names])
    request = run.Request(chosen, by, [2], 1, tmp_path, Budget(2, 1, 0.0, 0.0), passes=2)
    failures = run.run(request, tmp_path / "out.txt", None)
    return [(who, do) for who, do in asked if do != "copy"], failures


def deeds(asked):
    return [do for _, do in asked]


def test_new_processes_warm_up_before_measurements(monkeypatch, tmp_path):
    found, failures = passes(monkeypatch, tmp_path)
    asked = deeds(found)
    warm, task = ["warm"] * 3, ["warm", "run", "run"]
    once = ["start", *warm, *(["answer", *task] * 3), "stop"]
    again = ["start", *warm, *(task * 3), "stop"]  # the results are known
    assert (asked[: len(once + again)], failures) == (once + again, [])


def test_memory_is_measured_in_separate_processes_after_time(monkeypatch, tmp_path):
    asked = deeds(passes(monkeypatch, tmp_path)[0])
    memory = asked[asked.index("start for memory") :]
    assert memory == ["start for memory", *["run", "rest", "run", "rest", "run"] * 3, "stop"]
    peaks = [m.peak_bytes for m in Kept(tmp_path / "measured" / "1").all()]
    assert peaks == [9] * 3


def test_separate_systems_are_measured_after_the_other_processes_ended(monkeypatch, tmp_path):
    asked, failures = passes(monkeypatch, tmp_path, names=("lance", "parquet", "parquet-zstd"))
    first = asked.index(("parquet-zstd", "start"))
    before, after = (Counter(part) for part in (asked[:first], asked[first:]))
    assert all(before[name, "stop"] == 3 for name in ("lance", "parquet"))
    assert (after["parquet-zstd", "start"], after["parquet-zstd", "start for memory"]) == (2, 1)
    assert {who for who, _ in asked[first:]} == {"parquet-zstd"} and failures == []


def test_failures_of_the_warm_up_are_reported_at_the_measurement(monkeypatch, tmp_path):
    asked, failures = passes(monkeypatch, tmp_path, fails_at=0)
    assert deeds(asked[:4]) == ["start", *["warm"] * 3]
    assert [failure.partition(" on ")[0] for failure in failures[:3]] == [
        "lineitem-all",
        "lineitem-q6",
        "tpch-q01",
    ]


def test_systems_are_chosen_by_name():
    assert [s.name for s in systems.chosen(["parquet", "lance"])] == ["lance", "parquet"]
    assert len(systems.chosen([])) == len(systems.SYSTEMS)
    with pytest.raises(ValueError, match="no system orc"):
        systems.chosen(["orc"])


def test_runs_of_passes_are_combined():
    first = Measurement("t", "lance", 2, [1.0, 3.0], [1.0, 1.0], 7, 9, 0.0, 0.2, [[1]], commit="a")
    both = first.joined(Measurement("t", "lance", 2, [5.0], [4.0], 8, 0, 0.3, 0.2, commit="b"))
    assert (both.median, both.cpu, both.bytes_read, both.peak_bytes) == (3.0, 1.0, 7, 9)
    assert both.stolen == pytest.approx(0.1) and both.foreign == pytest.approx(0.2)
    assert (both.answer, both.commit, both.passes) == ([[1]], "b", 2)


def test_a_run_without_tasks_draws_stored_results(tmp_path):
    request = run.Request([], [], [2], 0.001, tmp_path, Budget(1))
    assert run.run(request, tmp_path / "out.txt", None) == []
    assert (tmp_path / "out.txt").read_text().startswith("Lance and Parquet")


def test_the_head_describes_the_measurement(tmp_path):
    request = run.Request([], [], [2], 0.001, tmp_path, Budget(1))
    request.kept.keep_facts("machine", {"load": "of the run"})
    request.kept.keep(Measurement("lineitem-all", "lance", 1, [1.0] * 5, [1.0] * 5, passes=1))
    request.kept.keep(Measurement("lineitem-all", "lance", 2, [1.0] * 6, [1.0] * 6, passes=2))
    request.kept.keep(Measurement("lineitem-all", "parquet", 2, failure="no"))
    assert run.run(request, tmp_path / "out.txt", None) == []
    head = (tmp_path / "out.txt").read_text()
    assert re.search(r"^  load +of the run$", head, re.M)
    assert "at least 5, after warm-up, by 1 or 2 sets of processes" in head

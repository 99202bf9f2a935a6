# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Output of the benchmarks: ratios, targets, results, charts, and the page."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pyspark
import pytest

from benchmarks import bars, page, results
from benchmarks.answers import answer, difference, same
from benchmarks.board import Board
from benchmarks.kept import Kept, Measurement
from benchmarks.systems import SYSTEMS
from benchmarks.targets import Target, targets, verdict
from benchmarks.task_list import tasks

ROOT = Path(__file__).parents[2]
TASKS = list(tasks(1).values())
FACTS = {"cpu": "a processor", "commit": "abc"}


def measured(task, system, seconds, cpu=None, cores=2, peak=10**8, foreign=0.0, failure=None):
    times = [] if failure else [seconds * 1.5, seconds, seconds * 0.5]
    cpus = [] if failure else [cpu or seconds] * 3
    return Measurement(
        task, system, cores, times, cpus, 5_000_000, peak, 0.0, foreign, failure=failure
    )


def board(*measurements, sizes=None):
    return Board.of(measurements, sizes or {})


SCAN = board(
    measured("lineitem-all", "lance", 1.5, cpu=2.0),
    measured("lineitem-all", "parquet", 2.0, cpu=4.0),
    measured("lineitem-all", "floor", 1.0, cpu=1.0),
    measured("lineitem-all", "lance", 3.0, cores=1),
    measured("lineitem-all", "floor", 1.0, cores=1),
    measured("lineitem-all", "pylance", 2.0, cores=1),
    measured("lineitem-all", "lance-spark", 0, failure="no such method"),
)


def test_ratios():
    assert SCAN.time("lineitem-all", "lance", 2) == 0.75
    assert SCAN.cpu("lineitem-all", "lance", 2) == 0.5
    assert SCAN.net("lineitem-all", "lance", 2) == 0.5
    assert SCAN.net_cpu("lineitem-all", "lance", 2) == pytest.approx(1 / 3)
    assert SCAN.native("lineitem-all") == 1.0
    assert SCAN.time("lineitem-all", "lance-spark", 2) is None
    assert SCAN.time("lineitem-noop", "lance", 2) is None
    assert SCAN.cores == [2, 1]


def target(name):
    return next(t for t in targets(TASKS) if t.tasks == (name,))


def test_targets_compare_time_on_a_quiet_machine():
    quiet = board(
        measured("lineitem-q1", "lance", 0.9, cpu=2), measured("lineitem-q1", "parquet", 1.0)
    )
    found = verdict(target("lineitem-q1"), quiet, 2)
    assert (found.value, found.cpu, found.is_met, found.by) == (0.9, 2.0, True, "time")


def test_targets_compare_cpu_seconds_on_a_noisy_machine():
    noisy = board(
        measured("lineitem-q1", "lance", 0.9, cpu=2, foreign=0.3),
        measured("lineitem-q1", "parquet", 1.0),
    )
    found = verdict(target("lineitem-q1"), noisy, 2)
    assert (found.value, found.cpu, found.is_met, found.by) == (0.9, 2.0, False, "CPU")


def test_targets_compare_net_time_if_the_floor_exceeds_the_target():
    found = verdict(target("lineitem-all"), SCAN, 2)  # 0.75 of 0.70; Spark's part is 0.5
    assert (found.is_met, found.by) == (False, "time")
    high = board(
        measured("lineitem-all", "lance", 1.8),
        measured("lineitem-all", "parquet", 2.0),
        measured("lineitem-all", "floor", 1.7),
    )
    found = verdict(target("lineitem-all"), high, 2)
    assert (found.is_met, found.by) == (True, "net of the floor")


def test_with_a_floor_as_slow_as_parquet_the_target_is_parquet():
    for ours, is_met in ((0.95, True), (1.05, False)):
        even = board(
            measured("lineitem-q1", "lance", ours),
            measured("lineitem-q1", "parquet", 1.0),
            measured("lineitem-q1", "floor", 1.0),
        )
        found = verdict(target("lineitem-q1"), even, 2)
        assert (found.is_met, found.by) == (is_met, "net of the floor")


def test_the_mean_requires_all_queries():
    queries = [name for name in tasks(1) if name.startswith("tpch-")]
    mean = next(t for t in targets(TASKS) if t.tasks == tuple(queries))
    both = [
        measured(name, system, seconds)
        for name in queries
        for system, seconds in (("lance", 1.0), ("parquet", 2.0))
    ]
    assert verdict(mean, board(*both), 2).value == pytest.approx(0.5)
    assert verdict(mean, board(*both[2:]), 2).is_met is None


def test_targets_of_writes_sizes_and_memory():
    found = board(
        measured("write-lineitem", "lance", 3.0),
        measured("write-lineitem", "parquet", 5.0),
        measured("write-lineitem", "floor", 1.0),
        sizes={"lineitem": {"lance": 110, "parquet": 100}},
    )
    assert verdict(target("write-lineitem"), found, 2).value == 0.5
    size = verdict(Target("size", 1.05, ("lineitem",), "size"), found, 2)
    assert (size.value, size.is_met) == (1.1, False)
    memory = Target("memory", 0.8, ("write-lineitem",), "memory")
    assert verdict(memory, found, 2).value == pytest.approx(1.0)


def test_every_target_refers_to_existing_tasks():
    names = set(tasks(1))
    for each in targets(TASKS):
        assert each.tasks
        assert each.kind == "size" or names.issuperset(each.tasks)
        assert 0 < each.at_most < 2


def test_the_text_has_a_line_for_each_measurement():
    text = results.render(SCAN, TASKS, FACTS)
    lines = [line.split() for line in text.splitlines() if line.startswith("lineitem-all")]
    assert len(lines) == len(SCAN.measurements)
    cells = next(line for line in lines if line[1:3] == ["lance", "2"])
    assert cells[3:8] == ["1500.0", "750.0", "2.000", "100", "5.00"]
    assert cells[8:] == ["0.75", "0.50", "0.50", "0.70", "missed"]
    assert any("fails: no such method" in " ".join(line) for line in lines)
    assert re.search(r"^lineitem, 16 columns aggregated +0\.70 +0\.75 +0\.50 +missed$", text, re.M)
    assert re.search(r"^count\(\*\) +0\.50 +open$", text, re.M)
    assert "cpu          a processor" in text
    assert "1 of 1" in text


FAST = board(
    measured("lineitem-all", "lance", 0.9),
    measured("lineitem-all", "parquet", 2.0),
    measured("lineitem-all", "floor", 1.0),
    measured("lineitem-all", "lance", 1.8, cores=1),
    measured("lineitem-all", "floor", 2.0, cores=1),
    measured("lineitem-all", "pylance", 2.0, cores=1),
    measured("lineitem-all", "lance-spark", 3.0),
)


def test_a_task_faster_than_the_floor_has_no_ratio_above_it(tmp_path):
    assert FAST.net("lineitem-all", "lance", 2) < 0
    lines = results.render(FAST, TASKS, FACTS).splitlines()
    one = next(line for line in lines if re.match("lineitem-all +lance +1", line))
    two = next(line for line in lines if re.match("lineitem-all +lance +2", line))
    assert one.endswith("  < floor") and two.split()[8:] == [
        "0.45",
        "0.45",
        "<",
        "floor",
        "0.70",
        "met",
    ]
    (tmp_path / "images").mkdir()
    page.write(tmp_path, FAST, TASKS, FACTS, 1)
    text = (tmp_path / "benchmarks.md").read_text()
    assert "| 16 columns, aggregated | 900 | 2000 | 0.45 | 0.45 |" in text
    assert "floor" not in text.partition("## Scans of lineitem")[2]  # only in the results


RESULTS = ROOT / "benchmarks" / "results" / "spark-results.txt"


@pytest.mark.parametrize("kept", [ROOT / "docs" / "benchmarks.md", RESULTS], ids=lambda p: p.name)
def test_published_ratios_are_not_negative(kept):
    assert not re.findall(r"(?:^|[\s|])-\d+\.\d+(?:[\s|]|$)", kept.read_text(), re.MULTILINE)


def test_comparisons_with_lance_spark_name_both_versions_of_spark(tmp_path):
    (tmp_path / "images").mkdir()
    page.write(tmp_path, FAST, TASKS, FACTS, 1)
    both = f"lance-spark 0.4.0 runs on Spark 3.5.7, the others on Spark {pyspark.__version__}"
    for text in ((tmp_path / "benchmarks.md").read_text(), results.render(FAST, TASKS, FACTS)):
        assert both in text
    for text in (ROOT / "docs" / "benchmarks.md", RESULTS):
        assert both in text.read_text()
    for picture in (f for d in (tmp_path, ROOT / "docs") for f in d.glob("images/benchmarks-*")):
        text = picture.read_text()
        assert ">this connector, Spark 4.1<" in text, picture
        assert ">lance-spark<" not in text, picture
        assert ('class="lance-spark"' in text) == (">lance-spark, Spark 3.5<" in text), picture


def test_a_legend_fits_into_its_chart():
    names = {system.name: system.title for system in SYSTEMS.values()}
    rows = [bars.Bars("task", dict.fromkeys(bars.COLORS, 0.5))]
    root = ElementTree.fromstring(bars.draw("Title", rows, names))
    svg = "{http://www.w3.org/2000/svg}"
    legend = [t for t in root.iter(f"{svg}text") if t.get("y") == "14"]
    assert len(legend) == len(bars.COLORS)
    assert all(float(t.get("x")) + 7 * len(t.text) < float(root.get("width")) for t in legend)


def test_a_chart_has_a_bar_for_each_ratio():
    rows = [bars.Bars("a < b", {"lance": 0.5, "pylance": 9.0}), bars.Bars("c", {"lance": 0.25})]
    root = ElementTree.fromstring(bars.draw("Title", rows, {"lance": "ours", "pylance": "native"}))
    svg = "{http://www.w3.org/2000/svg}"
    drawn = [r for r in root.iter(f"{svg}rect") if r.get("x") == "250"]
    assert [float(r.get("width")) for r in drawn] == [150.0, 420.0, 75.0]
    texts = [t.text for t in root.iter(f"{svg}text")]
    assert {"a < b", "c", "ours", "native", "0.50", "9.00", "0.25"} <= set(texts)
    assert all(float(r.get("y")) + 10 < float(root.get("viewBox").split()[3]) for r in drawn)


def test_the_line_of_a_chart_does_not_cross_numbers():
    ratios = [0.85, 0.9, 0.94, 0.98, 0.99, 1.0, 1.02]
    rows = [bars.Bars(str(i), {"lance": ratio}) for i, ratio in enumerate(ratios)]
    root = ElementTree.fromstring(bars.draw("Title", rows, {"lance": "ours"}))
    svg = "{http://www.w3.org/2000/svg}"
    line = float(next(root.iter(f"{svg}line")).get("x1"))
    numbers = [t for t in root.iter(f"{svg}text") if t.get("font-size") == "10"]
    assert [float(t.text) for t in numbers] == ratios
    starts = [float(t.get("x")) for t in numbers]
    assert all(x >= line + 5 or x + 24 < line for x in starts)


def test_the_page_shows_the_measurements(tmp_path):
    (tmp_path / "images").mkdir()
    page.write(tmp_path, SCAN, TASKS, FACTS, 1)
    text = (tmp_path / "benchmarks.md").read_text()
    assert "| 16 columns, aggregated | 1500 | 2000 | 0.75 | 0.50 | fails |" in text
    assert "| [Scans of lineitem](#scans-of-lineitem) | 1 | 0.75 | 0.75 | 0.75 |" in text
    sections = re.findall(r"^## (.*)", text, re.MULTILINE)
    assert sections[:4] == ["Summary", "How to read the numbers", "Systems", "Machine"]
    assert sections[-1] == "Reproduce"
    for picture in re.findall(r"\]\((images/.*?)\)", text):
        assert (tmp_path / picture).is_file()
    page.write(tmp_path, board(), TASKS, FACTS, 1)
    assert "Nothing has been measured yet." in (tmp_path / "benchmarks.md").read_text()


def test_stored_results_are_found(tmp_path):
    kept = Kept(tmp_path / "measured")
    one = measured("lineitem-all", "lance", 1.0)
    assert kept.find("lineitem-all", "lance", 2) is None
    kept.keep(one)
    kept.keep_facts("lance", {"spark": "4"})
    assert kept.find("lineitem-all", "lance", 2) == one
    assert list(kept.all()) == [one]
    assert kept.facts("lance") == {"spark": "4"}
    assert kept.facts("parquet") == {}


def test_results_are_equal_except_for_the_last_digits():
    one = answer([(1, 0.1 + 0.2, b"x", [1.0]), (2, None, None, None)], ordered=False)
    other = answer([(2, None, None, None), (1, 0.3, bytearray(b"x"), [1.0])], ordered=False)
    assert same(one, other)
    for changed in ((1, 0.3001, b"x", [1.0]), (1, 0.3, b"y", [1.0]), (1, 0.3, b"x", [1.5])):
        assert not same(one, answer([changed, (2, None, None, None)], ordered=False))
    assert not same([[1]], [[1.0]])
    assert difference([[1], [2]], [[1]]) == "1 rows instead of 2"
    assert difference([[1], [2]], [[1], [3]]) == "row 1 is [3] instead of [2]"

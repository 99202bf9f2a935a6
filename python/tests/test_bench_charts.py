# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The parts of `docs/benchmarks.md` with separate measurements: charts, tables, and results."""

import re
from pathlib import Path

import pytest

from benchmarks import charts, index, page, search, streaming_results
from benchmarks.streaming_results import Found
from benchmarks.systems import SYSTEMS
from benchmarks.task_list import first_tasks
from benchmarks.tasks import GROUPS

pytestmark = pytest.mark.every_case

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "benchmarks.md").read_text()
INTROS = {
    "## First and warm runs": page._FIRST,
    "## Scalar indices": index.GROUP.intro,
    "## Search": search.GROUP.intro,
    "## Streaming": streaming_results.INTRO,
}


def part(title):
    found = re.search(rf"^{title}\n.*?(?=^## )", TEXT, re.DOTALL | re.MULTILINE)
    assert found, title
    return found.group()


def result_lines(name):
    """The words of each line of a results file, by its first cell."""
    lines = (ROOT / "benchmarks" / "results" / f"{name}-results.txt").read_text().splitlines()
    return {re.split(r" {2,}", line)[0]: line.split() for line in lines}


def appear_in_order(cells, words):
    rest = iter(words)
    return all(cell in rest for cell in cells)


def test_every_group_has_a_chart():
    sections = re.findall(r"^## (.*)", TEXT, re.MULTILINE)
    measured = sections[sections.index("Machine") + 1 : sections.index("Reproduce")]
    assert measured == [*GROUPS.values(), *(chart.title for chart in charts.CHARTS.values())]
    for section in measured:
        assert len(re.findall(r"^!\[.*\]\(images/.*\.svg\)$", part(f"## {section}"), re.M)) == 1


@pytest.mark.parametrize("title", charts.CHARTS)
def test_charts_show_the_table_of_their_part(title):
    chart = charts.CHARTS[title]
    text = part(title)
    assert chart.link in text
    drawn = (ROOT / "docs" / "images" / chart.file).read_text()
    assert drawn == chart.draw(text), f"draw docs/images/{chart.file} again"
    assert drawn.count('height="10"') >= len(list(charts.table(text))) - 2
    assert f">{SYSTEMS['lance'].title}<" in drawn


@pytest.mark.parametrize("title", charts.CHARTS)
def test_parts_have_the_text_of_their_benchmark(title):
    text = part(title)
    assert text.startswith(f"{title}\n\n{INTROS[title]}")
    assert re.search(r"^Measured on: .*cores, \d+ MiB.*Spark \d", text, re.MULTILINE)


@pytest.mark.parametrize("name", ["index", "search"])
def test_tables_of_comparisons_have_the_numbers_of_the_results(name):
    group = {"index": index.GROUP, "search": search.GROUP}[name]
    path = ROOT / "benchmarks" / "results" / f"{name}-results.txt"
    lines = [re.sub(r" +", " ", line) for line in path.read_text().splitlines()]
    rows = [line for line in part(f"## {group.section}").splitlines() if line.startswith("| ")][1:]
    assert len(rows) == len(group.comparisons(1))
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert " ".join(filter(None, cells)) in lines, row


def test_the_table_of_first_runs_has_the_numbers_of_the_results():
    path = ROOT / "benchmarks" / "results" / "first-results.txt"
    found = {}
    for line in path.read_text().splitlines():
        if line.startswith("first-"):
            task, kind, *numbers = re.split(r" {2,}", line)
            found.setdefault(task, {})[kind] = numbers
    rows = list(charts.table(part("## First and warm runs")))
    titles = {(task.group, task.title): name for name, task in first_tasks(1).items()}
    assert len(rows) == len(found) > 20
    for row in rows:
        kinds = found[titles[row["group"], row["task"]]]
        steps = ["total", "first", "second", "third", "warm"]
        columns = ["open", "first", "total", "second", "third", "warm"]
        for step in steps:
            at = columns.index(step)
            assert row[f"{step} ms"] == kinds["lance ms"][at], row
            assert row[f"{step} ms ratio"] == kinds["/ parquet"][at], row


def test_the_table_of_streaming_has_the_numbers_of_the_results():
    lines = result_lines("streaming")
    rows = list(charts.table(part("## Streaming")))
    assert len(rows) > 4
    for row in rows:
        sink, *numbers = row.values()
        assert appear_in_order([n for n in numbers if n], lines[sink][len(sink.split()) :]), row


def test_the_page_compares_sinks_with_parquet_and_delta(tmp_path):
    (tmp_path / "benchmarks.md").write_text("# Benchmarks\n\n## Search\n\ns\n\n## Reproduce\n\nr\n")
    found = {
        "Lance sink, append": Found([40] * 30, 30),
        streaming_results.PARQUET: Found([80] * 30, 30),
        streaming_results.DELTA: Found([160] * 30, 30),
    }
    facts = {"cpu": "a processor", "Delta": "4.4.0"}
    page.write_streaming(tmp_path, found, facts)
    text = (tmp_path / "benchmarks.md").read_text()
    assert text.startswith("# Benchmarks\n\n## Search\n\ns\n\n## Streaming\n\nA stream")
    assert "Measured on: a processor, Delta 4.4.0." in text
    assert "| Lance sink, append | 40 | 40 | 40 | 0.50 | 0.25 | 30 |" in text
    chart = (tmp_path / "images" / "benchmarks-streaming.svg").read_text()
    # A sink is not compared with itself.
    assert re.findall(r">(\d\.\d\d)<", chart) == ["0.50", "0.25", "0.50", "2.00"]
    del found[streaming_results.DELTA]
    page.write_streaming(tmp_path, found, facts)
    text = (tmp_path / "benchmarks.md").read_text()
    assert text.count("## Streaming") == 1
    assert "| Lance sink, append | 40 | 40 | 40 | 0.50 | 30 |" in text


def test_repeated_columns_are_named_after_the_column_to_their_left():
    text = "x\n\n| task | ms | ratio | ms2 | ratio |\n|---|--:|--:|--:|--:|\n| a | 1 | 2 | 3 | |\n"
    assert list(charts.table(text)) == [
        {"task": "a", "ms": "1", "ms ratio": "2", "ms2": "3", "ms2 ratio": ""}
    ]
    assert list(charts.table("no table")) == []

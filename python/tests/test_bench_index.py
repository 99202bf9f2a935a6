# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`benchmarks.index`: builds and uses of indices, their results, and part of the page."""

import lance
import pytest
from kit.bench import Here

from benchmarks import compare, datasets, page
from benchmarks.answers import same
from benchmarks.compare import Found, Runs
from benchmarks.index import GROUP
from benchmarks.index_tasks import comparisons, index_tasks
from benchmarks.kept import Kept

SCALE = 0.001
KNOWN = comparisons(1)
BUILD = KNOWN["index-build-btree-l_partkey"]
MERGE = KNOWN["index-merge"]
RUNS = Runs(
    {
        BUILD.ours.task: {
            f"lance {BUILD.ours.task}": Found([0.3, 0.1, 0.2], [0.4, 0.4, 0.4], 90_000_000),
            f"pylance {BUILD.ours.task}": Found([0.1, 0.1, 0.1], [0.2, 0.2, 0.2], 50_000_000),
        },
        MERGE.ours.task: {f"lance {MERGE.ours.task}": Found([1.0], [1.0])},
    }
)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("index")
    datasets.make(folder, SCALE, ["lineitem"])
    return folder


def test_each_side_is_a_known_task():
    tasks = index_tasks(1)
    sides = [side for comparison in KNOWN.values() for side in comparison.sides]
    assert {side.task for side in sides} == set(tasks)
    assert {c.at_most for c in KNOWN.values()} == {2.0, 0.35, 0.15, 0.2, 0.5, 1.03}
    assert {c.at_most for c in comparisons(10).values()} == {1.3, 0.35, 0.15, 0.2, 0.5, 1.03}


def test_both_sides_return_the_same_result(spark, data):
    workers = {name: Here(spark, name, data, SCALE) for name in ("lance", "parquet", "pylance")}
    for name in ("lance", "parquet"):
        for table in ("lineitem", "lineitem_indexed", "lineitem_zoned"):
            workers[name].ask(do="copy", table=table)
    for comparison in comparisons(SCALE).values():
        ours, other = (
            workers[side.system].ask(do="answer", task=side.task) for side in comparison.sides
        )
        assert ours[0] and same(ours, other), comparison.title
    indexed = lance.dataset(str(data / f"copies-{SCALE:g}" / "lineitem_indexed.lance"))
    assert [i.index_type for i in indexed.describe_indices()] == ["BTree"]
    zoned = lance.dataset(str(data / f"copies-{SCALE:g}" / "lineitem_zoned.lance"))
    assert [i.index_type for i in zoned.describe_indices()] == ["ZoneMap"]
    assert lance.dataset(str(data / f"copies-{SCALE:g}" / "lineitem.lance")).version == 1


def test_a_process_warms_up_before_its_runs():
    asked = []

    class Worker:
        def ask(self, seconds=0.0, /, **request):
            asked.append(request["do"])
            return {"seconds": len(asked)}

    samples = compare.runs(Worker(), BUILD.ours, BUILD.effort)
    assert asked == ["warm", "run", "run", "run"]
    assert [sample["seconds"] for sample in samples] == [2, 3, 4]


def test_results_have_medians_and_ratios():
    text = compare.render(GROUP, RUNS, KNOWN.values(), {"cpu": "a processor"})
    lines = [line for line in text.splitlines() if "l_partkey" in line]
    assert [line.split()[4:] for line in lines] == [
        ["pylance", "200", "100", "2.00", "2.00", "2.00", "90", "50"]
    ]
    assert "MERGE of" not in text


def test_stored_measurements_are_reused(tmp_path):
    kept = Kept(tmp_path)
    facts = {name: {k: vars(f) for k, f in its.items()} for name, its in RUNS.found.items()}
    kept.keep_facts("index", facts)
    assert Runs.of(kept, "index") == RUNS


def test_unknown_names_are_errors(tmp_path):
    request = compare.Request(GROUP, ["index-build"], tmp_path, 1, 2, 3)
    with pytest.raises(ValueError, match="no comparison index-build"):
        _ = request.comparisons


def test_the_page_keeps_its_other_parts(tmp_path):
    file = tmp_path / "benchmarks.md"
    file.write_text(
        "# Benchmarks\n\nOthers.\n\n## First and warm runs\n\nf\n\n## Reproduce\n\n| a |\n"
    )
    for _ in range(2):
        page.write_group(tmp_path, GROUP, RUNS, 1, {"pylance": "14", "commit": "abc"})
    text = file.read_text()
    assert text.count("## Scalar indices") == 1
    assert text.startswith("# Benchmarks\n\nOthers.\n\n## First and warm runs\n\nf\n\n## Scalar")
    assert text.endswith("|\n\n## Reproduce\n\n| a |\n")
    row = "| build BTREE on l_partkey | pylance | 200 | 100 | 2.00 | 2.00 | 2.00 | 90 | 50 |"
    assert row in text
    assert "\n\nMeasured on: pylance 14, commit abc.\n\n![Scalar indices:" in text
    assert ">2.00<" in (tmp_path / "images" / "benchmarks-index.svg").read_text()

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`benchmarks.search`: vector and full-text searches, word vectors, and part of the page."""

import base64
import hashlib
import subprocess

import lance
import numpy as np
import pyarrow.parquet as pq
import pytest
from kit.bench import Here

from benchmarks import compare, datasets, page, words
from benchmarks.actions import Build, Search, TextSearch
from benchmarks.answers import same
from benchmarks.compare import Found, Runs
from benchmarks.search import GROUP
from benchmarks.search_tasks import comparisons, search_tasks
from benchmarks.tables import indexed_path

pytestmark = pytest.mark.one_case

SCALE = 0.001
KNOWN = comparisons(1)
BUILD = KNOWN["search-build-sq"]
SQL = KNOWN["search-sql-sq"]
# Each is like another one, with another kind of index.
DEAR = [
    *(f"search-build-{kind}" for kind in ("flat", "rq", "hnsw-sq", "hnsw-pq")),
    *(f"search-fine-{kind}" for kind in ("flat", "hnsw-sq", "hnsw-pq")),
    *(f"search-coarse-{kind}" for kind in ("flat", "pq")),
    "search-sql-pq",
]
TEXT = [name for name in KNOWN if "text" in name]
CHEAP = [name for name in KNOWN if name not in (*DEAR, *TEXT)]
RUNS = Runs(
    {
        "search-build-sq": {
            "lance search-build-sq": Found([3.0], [5.0], 900_000_000, 0.97, 36_000_000),
            "pylance search-build-sq": Found([4.0], [4.0], 500_000_000, 0.98, 35_400_000),
        },
        "search-sql-sq": {
            "lance search-sql-sq": Found([0.0123, 0.0124, 0.2], [0.01] * 3, recall=0.9785),
            "pylance search-sql-sq": Found([0.0054], [0.01], recall=0.978),
        },
    }
)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("search")
    assert words.make(folder, SCALE, download=False) == "generated"
    return folder


@pytest.fixture(scope="module")
def workers(spark, data):
    return {name: Here(spark, name, data, SCALE) for name in ("lance", "pylance")}


def test_each_side_is_a_known_task():
    sides = [side for comparison in KNOWN.values() for side in comparison.sides]
    assert {side.task for side in sides} == set(search_tasks(1))
    assert {side.system for side in sides} == {"lance", "pylance"}
    assert set(DEAR) < set(KNOWN)
    assert {c.target for c in KNOWN.values()} == {
        *("1.50", "1.00", "1.30", "25 ms", "0.10", "0.33", "2.00", "30 ms", "")
    }


def check(workers, name):
    """Both sides find the same number of rows, and enough of the true neighbors."""
    comparison, tasks = comparisons(SCALE)[name], search_tasks(SCALE)
    answers = []
    for side in comparison.sides:
        task = tasks[side.task]
        for table in task.tables:
            workers["lance"].ask(do="copy", table=table)
        workers["lance"].ask(do="index", task=side.task)
        worker = workers[side.system]
        answers.append(worker.ask(do="answer", task=side.task))
        quality = worker.ask(do="quality", task=side.task)
        assert quality["recall"] >= (0.5 if "coarse" in name else 0.95), side
        assert (quality["index_bytes"] is not None) == isinstance(task.action, Build)
    ours, other = answers
    if not isinstance(tasks[comparison.ours.task].action, Build):
        ours, other = (
            [[answer[0][0] / tasks[side.task].action.queries]]
            for answer, side in zip(answers, comparison.sides, strict=True)
        )
        assert ours == [[words.NEIGHBORS]]
    assert ours[0] and same(ours, other)


@pytest.mark.parametrize("name", CHEAP)
def test_both_sides_find_the_neighbors(workers, name):
    check(workers, name)


@pytest.mark.parametrize("name", TEXT)
def test_both_sides_find_the_same_scores(workers, data, name):
    datasets.make(data, SCALE, ["orders"])
    comparison = comparisons(SCALE)[name]
    workers["lance"].ask(do="copy", table="orders")
    workers["lance"].ask(do="index", task=name)
    ours, other = (
        workers[side.system].ask(do="answer", task=side.task) for side in comparison.sides
    )
    assert ours and len(ours[0]) == (1 if "build" in name else words.NEIGHBORS)
    assert same(ours, other, comparison.tolerance)
    sizes = [
        workers[side.system].ask(do="quality", task=side.task)["index_bytes"]
        for side in comparison.sides
    ]
    assert all(sizes) == ("build" in name)


def test_texts_have_as_many_terms_as_their_task():
    for count in (1, 2, 4):
        action = search_tasks(1)[f"search-text-{count}"].action
        assert isinstance(action, TextSearch) and action.queries == 20
        assert {len(set(text.split())) for text in action.texts} == {count}


@pytest.mark.long
@pytest.mark.parametrize("name", DEAR)
def test_both_sides_find_the_neighbors_with_other_index_kinds(workers, name):
    check(workers, name)


def test_searches_use_the_index_of_their_task(workers, data):
    name = "search-fine-rq"
    check(workers, name)
    action = search_tasks(SCALE)[name].action
    assert isinstance(action, Search) and action.index is not None
    path = indexed_path(data, SCALE, "words_96", action.index.kind)
    (index,) = lance.dataset(str(path)).describe_indices()
    assert index.index_type == "IVF_RQ"
    assert index.num_rows_indexed == words.word_count(SCALE)


def test_neighbors_equal_a_brute_force_search(data):
    queries = words.read_queries(data, SCALE, "words_96", 7)
    assert queries.vectors.shape == (7, 96) and queries.neighbors.shape == (7, words.NEIGHBORS)
    rows = pq.read_table(data / f"words_96-{SCALE:g}.parquet")
    vectors = np.array(rows["vector"].to_pylist(), "float64")
    for query, neighbors in zip(queries.vectors, queries.neighbors, strict=True):
        distances = ((vectors - query) ** 2).sum(axis=1)
        assert np.argsort(distances)[: words.NEIGHBORS].tolist() == neighbors.tolist()
    found = queries.neighbors.tolist()
    assert queries.recall(found) == 1
    assert queries.recall([[*ids[:5], -1] for ids in found]) == 0.5


def test_existing_files_are_kept(data, monkeypatch):
    file = data / f"word_queries-{SCALE:g}.parquet"
    before = file.stat().st_mtime_ns
    monkeypatch.setattr(subprocess, "run", None)
    assert words.make(data, SCALE) == "generated"
    assert file.stat().st_mtime_ns == before


def test_vectors_are_generated_if_npm_fails(tmp_path, monkeypatch, capsys):
    def fails(*_, **__):
        raise FileNotFoundError("npm")

    monkeypatch.setattr(subprocess, "run", fails)
    assert words.make(tmp_path, SCALE) == "generated"
    assert f"generated vectors instead of {words.PACKAGE}: npm" in capsys.readouterr().out


def test_a_package_with_another_checksum_is_an_error(tmp_path):
    archive = tmp_path / "downloads" / f"{words.PACKAGE}-{words.VERSION}.tgz"
    archive.parent.mkdir()
    archive.write_bytes(b"other")
    found = base64.b64encode(hashlib.sha512(b"other").digest()).decode()
    with pytest.raises(ValueError, match="delete the file") as error:
        words.make(tmp_path, SCALE)
    assert found in str(error.value)


def test_long_builds_run_once():
    asked = []

    class Worker:
        def ask(self, seconds=0.0, /, **request):
            asked.append(request["do"])
            return {}

    build = KNOWN["search-build-hnsw-pq"]
    compare.runs(Worker(), build.ours, build.effort)
    assert asked == ["run"]
    assert build.effort.rounds == 1


def test_times_are_per_query():
    tasks = search_tasks(1)
    assert compare.queries(tasks["search-join"]) == 10_000
    assert compare.queries(tasks["search-build-sq"]) == 1


def test_results_have_recall_sizes_and_targets():
    text = compare.render(GROUP, RUNS, KNOWN.values(), {"vectors": "generated"})
    lines = [line for line in text.splitlines() if line.startswith(("build", "IVF_SQ, v"))]
    assert [" ".join(line.split()) for line in lines] == [
        "build IVF_SQ pylance 3000 4000 0.75 1.25 1.50 0.970 0.980 900 500 36 35",
        "IVF_SQ, vector_search pylance 12.4 5.4 2.30 1.00 25 ms 0.979 0.978",
    ]


def test_the_page_has_the_part_after_scalar_indices(tmp_path):
    file = tmp_path / "benchmarks.md"
    file.write_text("# Benchmarks\n\n## Scalar indices\n\ns\n\n## Reproduce\n\nr\n")
    for _ in range(2):
        page.write_group(tmp_path, GROUP, RUNS, 1, {})
    text = file.read_text()
    assert text.count("## Search") == 1
    assert text.startswith("# Benchmarks\n\n## Scalar indices\n\ns\n\n## Search\n\nThis")
    assert text.endswith("|\n\n## Reproduce\n\nr\n")
    row = "| IVF_SQ, vector_search | pylance | 12.4 | 5.4 | 2.30 | 1.00 | 25 ms | 0.979 | 0.978 |"
    assert row in text

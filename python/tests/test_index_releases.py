# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Older releases of pylance use, extend, and optimize the indices that Spark builds."""

import json
import subprocess

import lance
import numpy as np
import pyarrow as pa
import pytest
from kit.releases import Release
from lance.query import MatchQuery, PhraseQuery

pytestmark = pytest.mark.one_case

RELEASES = ("6.1.0", "9.0.1")
#: Releases for scalar indices. Release 4 only runs in long runs.
SCALAR_RELEASES = (pytest.param("4.0.2", marks=pytest.mark.long), *RELEASES)
ROWS = 3000
KINDS = {
    "BTREE": "n",
    "BITMAP": "few",
    "LABEL_LIST": "labels",
    "NGRAM": "text",
    "ZONEMAP": "n",
    "BLOOMFILTER": "n",
}
# Older releases read these wrongly on tables with stable row ids.
BY_ADDRESS = ("ZONEMAP", "BLOOMFILTER")
QUESTIONS = {
    "n": ["n = 77", "n IN (5, 700, -1)", "n < 9", "n IS NULL"],
    "few": ["few = 'value 3'", "few IS NULL", "few IN ('value 1', 'none')"],
    "labels": ["array_has(labels, 'label 5')", "array_has_any(labels, ['label 2', 'none'])"],
    "text": ["contains(text, 'ord 12')", "contains(text, 'STRASSE')"],
}

USE = """
import json, sys
import lance, pyarrow as pa

path, arrow, column, questions, kind = sys.argv[1:]

def answers(must_use=True):
    table, found, used = lance.dataset(path), [], False
    for question in json.loads(questions):
        used = used or "ScalarIndexQuery" in table.scanner(filter=question).explain_plan(True)
        scans = [table.scanner(filter=question, use_scalar_index=use) for use in (True, False)]
        both = [sorted(scan.to_table()["id"].to_pylist()) for scan in scans]
        assert both[0] == both[1], f"{question}: {len(both[0])} rows, expected {len(both[1])}"
        found.append(both[0])
    assert used or not must_use, "the index is not used"
    return found

found = [answers()]
if kind:
    with pa.memory_map(arrow) as file:
        lance.write_dataset(pa.ipc.open_file(file).read_all(), path, mode="append")
    found.append(answers())
    lance.dataset(path).delete("id % 5 = 2")
    lance.dataset(path).optimize.optimize_indices()
    found.append(answers())
    assert lance.dataset(path).optimize.compact_files().fragments_removed > 1
    # These two do not cover the new fragments.
    found.append(answers(must_use=kind not in ("ZONEMAP", "BLOOMFILTER")))
print(json.dumps(found))
"""


def rows(first, count):
    ids = range(first, first + count)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "n": pa.array([None if i % 97 == 5 else (i * 37) % 1000 for i in ids], pa.int32()),
            "few": pa.array([None if i % 13 == 5 else f"value {i % 7}" for i in ids]),
            "labels": pa.array(
                [None if i % 11 == 5 else [f"label {i % 10}", f"label {i % 3}"] for i in ids],
                pa.list_(pa.string()),
            ),
            "text": pa.array([None if i % 17 == 5 else f"Word {i % 300} STRASSE" for i in ids]),
        }
    )


@pytest.fixture(scope="module", params=RELEASES)
def release(request):
    return Release(request.param)


@pytest.fixture(scope="module", params=SCALAR_RELEASES)
def scalar_release(request):
    return Release(request.param)


def _indexed(warehouse, kind, stable, options=""):
    """Creates the table `t` with an index, and returns its path and the indexed column."""
    path, column = str(warehouse.path("t")), KINDS[kind]
    lance.write_dataset(
        rows(0, ROWS),
        path,
        max_rows_per_file=1000,
        data_storage_version="2.0",
        enable_stable_row_ids=stable,
    )
    warehouse.sql(f"ALTER TABLE t CREATE INDEX i USING {kind} ({column}){options}")
    return path, column


@pytest.mark.parametrize(
    ("kind", "options", "stable"),
    [
        *((kind, "", False) for kind in KINDS),
        ("BTREE", " WITH (rows_per_range = 700)", False),
        *((kind, "", True) for kind in KINDS if kind not in BY_ADDRESS),
        ("BTREE", " WITH (rows_per_range = 700)", True),
    ],
    ids=[
        *KINDS,
        "BTREE in ranges",
        *(f"{kind} by stable row id" for kind in KINDS if kind not in BY_ADDRESS),
        "BTREE in ranges by stable row id",
    ],
)
def test_a_release_uses_and_extends_an_index(
    warehouse, tmp_path, scalar_release, kind, options, stable
):
    path, column = _indexed(warehouse, kind, stable, options)
    questions = QUESTIONS[column]
    expected = [_ids(path, questions)]
    more = _arrow(tmp_path, rows(ROWS, 500))
    given = (path, more, column, json.dumps(questions))
    found = _run(scalar_release, USE, *given, kind)
    assert found[0] == expected[0]
    assert found[2] == found[3] == _ids(path, questions)
    conditions = [_in_spark(question) for question in questions]
    order = column if kind == "BTREE" else None
    _check(warehouse, conditions, order)
    warehouse.sql("OPTIMIZE INDEX i ON t")
    _check(warehouse, conditions, order)
    plan = lance.dataset(path).scanner(filter=questions[0]).explain_plan()
    assert "ScalarIndexQuery" in plan
    assert _run(scalar_release, USE, *given, "")[0] == found[2]


def _in_spark(question):
    """Translates a condition of the reference."""
    for theirs, ours in [
        ("array_has_any(", "arrays_overlap("),
        ("array_has(", "array_contains("),
        ("[", "array("),
        ("]", ")"),
    ]:
        question = question.replace(theirs, ours)
    return question


UPDATE = """
import sys, lance

path, column, value, where, optimize = sys.argv[1:]
table = lance.dataset(path)
table.update({column: value}, where=where)
if optimize == "yes":
    lance.dataset(path).optimize.optimize_indices()
print("null")
"""


def _check(warehouse, conditions, order=None):
    """Fails if the index of the table `t` changes a result of Spark."""

    def results(use):
        frame = warehouse.session.read.format("lance").option("useScalarIndex", use)
        frame = frame.load(str(warehouse.path("t")))
        for condition in conditions:
            yield condition, sorted(row["id"] for row in frame.where(condition).collect())
            yield condition, frame.where(condition).count()
        if order:
            yield order, [row[order] for row in frame.orderBy(order).limit(40).collect()]
            yield order, frame.selectExpr(f"min({order})", f"max({order})").collect()

    assert list(results("true")) == list(results("false"))


#: Kinds of indices with an update of their column, and conditions that the update concerns.
OUTDATED = pytest.mark.parametrize(
    ("kind", "value", "conditions"),
    [
        ("BTREE", "5000 + id", ["n = 259", "n <> 259", "n < 300", "n > 5000", "n IS NULL"]),
        ("BITMAP", "'new'", ["few = 'value 0'", "few <> 'value 0'", "few = 'new'"]),
        (
            "LABEL_LIST",
            "make_array('new')",
            ["array_contains(labels, 'label 7')", "NOT array_contains(labels, 'label 7')"],
        ),
    ],
)


def _check_extended(warehouse, path, conditions, order):
    """Spark must not record that a merge with a segment that has outdated entries is exact."""
    lance.write_dataset(rows(ROWS, 100), path, mode="append")
    warehouse.sql("OPTIMIZE INDEX i ON t")
    _check(warehouse, conditions, order)


@OUTDATED
def test_outdated_entries_that_a_release_keeps(warehouse, scalar_release, kind, value, conditions):
    """Before 9 (LABEL_LIST: 13), a merge keeps the old entries of rows that keep their ids."""
    path, column = _indexed(warehouse, kind, stable=True)
    _run(scalar_release, UPDATE, path, column, value, "id % 50 = 7", "yes")
    assert [len(index.segments) for index in lance.dataset(path).describe_indices()] == [1]
    order = column if kind == "BTREE" else None
    _check(warehouse, conditions, order)
    _check_extended(warehouse, path, conditions, order)
    assert [len(index.segments) for index in lance.dataset(path).describe_indices()] == [1]


def _update_in_place(warehouse, column, value):
    warehouse.session.conf.set("spark.lance.write.updateMode", "columns")
    try:
        warehouse.sql(f"UPDATE t SET {column} = {value} WHERE id < 1000 AND id % 50 = 7")
    finally:
        warehouse.session.conf.unset("spark.lance.write.updateMode")


OPTIMIZE = """
import sys, lance

lance.dataset(sys.argv[1]).optimize.optimize_indices()
print("null")
"""


@pytest.mark.parametrize("stable", [False, True])
@OUTDATED
def test_outdated_entries_of_rows_that_were_updated_in_place(
    warehouse, scalar_release, kind, value, conditions, stable
):
    """A merge by an early release keeps the old entries of rows that keep their addresses."""
    path, column = _indexed(warehouse, kind, stable)
    _update_in_place(warehouse, column, value.replace("make_array(", "array("))
    _run(scalar_release, OPTIMIZE, path)
    order = column if kind == "BTREE" else None
    _check(warehouse, conditions, order)
    # A compaction of the updated fragments removes the signs of the update.
    warehouse.sql("DELETE FROM t WHERE id = 1500")
    warehouse.sql("OPTIMIZE t WITH (target_rows_per_fragment = 2000)")
    _check(warehouse, conditions, order)
    _check_extended(warehouse, path, conditions, order)


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize("in_place", [False, True])
def test_outdated_documents_that_a_release_keeps(warehouse, in_place, extended):
    """Before 9, a merge keeps the old documents of rows that keep their ids or addresses."""
    path = str(warehouse.path("t"))
    data, release = rows(0, ROWS), Release("6.1.0")
    lance.write_dataset(data, path, max_rows_per_file=1000, enable_stable_row_ids=not in_place)
    warehouse.sql("ALTER TABLE t CREATE INDEX i USING inverted (text)")
    if in_place:
        _update_in_place(warehouse, "text", "'something else'")
        _run(release, OPTIMIZE, path)
    else:
        _run(release, UPDATE, path, "text", "'something else'", "id % 50 = 7", "yes")
    if extended:
        lance.write_dataset(rows(ROWS, 100), path, mode="append")
        warehouse.sql("OPTIMIZE INDEX i ON t")

    def found(words, use_index):
        options = f"search_columns => 'text', use_index => {use_index}"
        call = f"search('t', '{words}', 5000, {options})"
        return sorted(row["id"] for row in warehouse.sql(f"SELECT id FROM {call}"))

    for words in ("word", "7", "something", "else"):
        assert found(words, "true") == found(words, "false")


COMPACT = """
import sys, lance

table = lance.dataset(sys.argv[1])
table.delete("id % 50 = 7")
table.optimize.compact_files(target_rows_per_fragment=2000)
print("null")
"""


@pytest.mark.parametrize(
    ("change", "arguments"), [(UPDATE, ("few", "'new'", "id % 50 = 7", "no")), (COMPACT, ())]
)
def test_coverage_that_a_release_extends_without_entries(warehouse, change, arguments):
    """A release that cannot read a BTREE of row addresses lets it follow moved rows."""
    path = str(warehouse.path("t"))
    lance.write_dataset(rows(0, ROWS), path, max_rows_per_file=1000, enable_stable_row_ids=True)
    lance.dataset(path).create_scalar_index("n", "BTREE")
    _run(Release("13.0.0"), change, path, *arguments)
    dataset = lance.dataset(path)
    [index] = dataset.describe_indices()
    everything = {fragment.fragment_id for fragment in dataset.get_fragments()}
    assert set(index.segments[0].fragment_ids) == everything
    _check(warehouse, ["n = 259", "n < 300", "n IS NULL"], "n")


NEAREST = """
import json, sys
import lance, numpy as np, pyarrow as pa

path, arrow, change = sys.argv[1:]

def nearest():
    table, found = lance.dataset(path), []
    for start in (0.0, 9.0, 31.0):
        q = np.arange(start, start + 16, dtype="float32")
        scanner = table.scanner(
            columns=["id"],
                nearest={"column": "v", "q": q, "k": 10, "nprobes": 100, "refine_factor": 20}
        )
        assert "ANN" in scanner.explain_plan(True), "the index is not used"
        found.append(sorted(scanner.to_table()["id"].to_pylist()))
    return found

found = [nearest()]
if change == "yes":
    with pa.memory_map(arrow) as file:
        lance.write_dataset(pa.ipc.open_file(file).read_all(), path, mode="append")
    lance.dataset(path).optimize.optimize_indices()
    found.append(nearest())
    lance.dataset(path).delete("id % 5 = 2")
    lance.dataset(path).optimize.compact_files()
    found.append(nearest())
print(json.dumps(found))
"""


def vectors(first, count):
    values = np.random.default_rng(first).normal(scale=2, size=(count, 16))
    values += np.arange(first, first + count).reshape(-1, 1) % 41
    column = pa.FixedSizeListArray.from_arrays(pa.array(values.astype("float32").reshape(-1)), 16)
    return pa.table({"id": pa.array(range(first, first + count), pa.int64()), "v": column})


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize(
    "kind",
    ["IVF_FLAT", "IVF_SQ", "IVF_PQ", "IVF_RQ", "IVF_HNSW_FLAT", "IVF_HNSW_SQ", "IVF_HNSW_PQ"],
)
def test_a_release_searches_and_extends_a_vector_index(warehouse, tmp_path, release, kind, stable):
    if (kind, release.version) == ("IVF_RQ", "6.1.0"):
        pytest.skip("pylance 6.1 misreads IVF_RQ indices, also of pylance 14")
    path = str(warehouse.path("t"))
    lance.write_dataset(
        vectors(0, ROWS),
        path,
        max_rows_per_file=1000,
        data_storage_version="2.0",
        enable_stable_row_ids=stable,
    )
    warehouse.sql(f"CREATE INDEX i ON t USING {kind} (v) OPTIONS (num_partitions = 4)")
    more = _arrow(tmp_path, vectors(ROWS, 500))
    first = _nearest(path)
    found = _run(release, NEAREST, path, more, "yes")
    assert _recall(found[0], first) >= 0.85
    assert _recall(found[2], _nearest(path)) >= 0.85
    warehouse.sql("OPTIMIZE INDEX i ON t")
    assert _recall(_run(release, NEAREST, path, more, "no")[0], _nearest(path)) >= 0.85


SEARCH = """
import json, sys
import lance, pyarrow as pa
from lance.query import MatchQuery, PhraseQuery

path, arrow, change = sys.argv[1:]

def scores():
    table, found = lance.dataset(path), []
    quick = "quick fox"
    for query in (MatchQuery(quick, "t"), MatchQuery("w7", "t"), PhraseQuery(quick, "t")):
        rows = table.to_table(columns=["id", "_score"], full_text_query=query, limit=10000)
        pairs = zip(rows["id"].to_pylist(), rows["_score"].to_pylist())
        found.append(sorted((i, round(s, 4)) for i, s in pairs))
    return found

found = [scores()]
if change == "yes":
    with pa.memory_map(arrow) as file:
        lance.write_dataset(pa.ipc.open_file(file).read_all(), path, mode="append")
    lance.dataset(path).optimize.optimize_indices()
    found.append(scores())
    lance.dataset(path).delete("id % 5 = 2")
    lance.dataset(path).optimize.compact_files()
    found.append(scores())
print(json.dumps(found))
"""


def words(first, count):
    ids = range(first, first + count)
    texts = [f"the quick {'fox' if i % 3 else 'dog'} w{i % 17} w{i * i % 23} runs" for i in ids]
    return pa.table({"id": pa.array(ids, pa.int64()), "t": texts})


MERGE = """
import sys, lance

optimize = lance.dataset(sys.argv[1]).optimize
optimize.optimize_indices(num_indices_to_merge=0)
lance.dataset(sys.argv[1]).optimize.optimize_indices(num_indices_to_merge=2)
print("null")
"""


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize("mode", ["rows", "columns"])
def test_outdated_vectors_that_a_release_keeps(warehouse, release, mode, stable):
    path = str(warehouse.path("t"))
    vectors = np.zeros((1000, 8), np.float32)
    vectors[:, 0] = np.arange(1000)
    table = pa.table(
        {
            "id": pa.array(range(1000), pa.int64()),
            "v": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 8),
        }
    )
    made = lance.write_dataset(
        table, path, data_storage_version="2.0", enable_stable_row_ids=stable
    )
    made.create_index("v", "IVF_FLAT", num_partitions=1, metric="l2")
    warehouse.sql(
        f"SET spark.lance.write.updateMode = {mode}",
        "UPDATE t SET v = transform(v, e -> 5000f) WHERE id = 7",
    )
    _run(release, MERGE, path)
    query = ", ".join(["7f"] + ["0f"] * 7)
    search = f"SELECT id, _distance FROM vector_search('{path}', array({query}), 2) ORDER BY id"
    assert [tuple(r) for r in warehouse.session.sql(search).collect()] == [(6, 1.0), (8, 1.0)]


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize("version", [1, 2])
def test_a_release_searches_and_extends_a_text_index(warehouse, tmp_path, release, version, stable):
    if release.version == "6.1.0" and version == 2:
        pytest.skip("its compaction fails on such an index, also on its own")
    path = str(warehouse.path("t"))
    lance.write_dataset(
        words(0, ROWS),
        path,
        max_rows_per_file=1000,
        data_storage_version="2.0",
        enable_stable_row_ids=stable,
    )
    # Releases have different stemmers and stop words.
    warehouse.sql(
        "CREATE INDEX i ON t USING inverted (t) OPTIONS (stem = false, remove_stop_words = false, "
        f"with_position = true, format_version = {version}, num_workers = 2)"
    )
    more = _arrow(tmp_path, words(ROWS, 500))
    first = _scores(path)
    found = _run(release, SEARCH, path, more, "yes")
    assert found[0] == first
    assert found[2] == _scores(path)
    warehouse.sql("OPTIMIZE INDEX i ON t WITH (retrain = true)")
    assert _run(release, SEARCH, path, more, "no")[0] == _scores(path)


BUILD = """
import sys, lance
lance.dataset(sys.argv[1]).create_scalar_index("t", "INVERTED", name="i", with_position=True)
print("null")
"""


def test_an_index_of_a_release_is_rebuilt(warehouse, release):
    path, fresh = str(warehouse.path("t")), str(warehouse.path("fresh"))
    texts = ["no geologist runs over the quick fox", "geologists do not run"] * 40
    table = pa.table({"id": range(80), "t": texts})
    for each in (path, fresh):
        lance.write_dataset(table, each, data_storage_version="2.0")
    _run(release, BUILD, path)
    for each in (path, fresh):
        lance.write_dataset(table, each, mode="append")
    # Old terms and new ones would be of different stemmers and stop words.
    warehouse.sql("OPTIMIZE INDEX i ON t")
    lance.dataset(fresh).create_scalar_index("t", "INVERTED", name="i", with_position=True)
    num_found = 0
    for query in ("geologist", "over", "not", "run"):
        found, wanted = (
            lance.dataset(each)
            .to_table(columns=["id", "_score"], full_text_query=query)
            .to_pylist()
            for each in (path, fresh)
        )
        pairs = [sorted((r["id"], r["_score"]) for r in each) for each in (found, wanted)]
        assert pairs[0] == pairs[1]
        num_found += len(found)
    assert num_found > 0


def _scores(path):
    dataset, found = lance.dataset(path), []
    quick = "quick fox"
    for query in (MatchQuery(quick, "t"), MatchQuery("w7", "t"), PhraseQuery(quick, "t")):
        rows = dataset.to_table(columns=["id", "_score"], full_text_query=query, limit=10000)
        pairs = zip(rows["id"].to_pylist(), rows["_score"].to_pylist(), strict=True)
        found.append(sorted([i, round(s, 4)] for i, s in pairs))
    return found


def _nearest(path):
    dataset = lance.dataset(path)
    queries = [np.arange(s, s + 16, dtype="float32") for s in (0.0, 9.0, 31.0)]
    return [
        dataset.to_table(
            columns=["id"], nearest={"column": "v", "q": q, "k": 10, "use_index": False}
        )["id"].to_pylist()
        for q in queries
    ]


def _recall(found, wanted):
    hits = [len(set(f) & set(w)) for f, w in zip(found, wanted, strict=True)]
    return sum(hits) / sum(map(len, wanted))


def _ids(path, questions):
    dataset = lance.dataset(path)
    return [
        sorted(dataset.scanner(filter=q, use_scalar_index=False).to_table()["id"].to_pylist())
        for q in questions
    ]


def _arrow(folder, table):
    """Writes rows that a release appends."""
    path = folder / "more.arrow"
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema) as file:
        file.write_table(table)
    return path


def _run(release, script, *arguments):
    """Runs a script with a release, and returns the JSON that it prints."""
    command = [release.python, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"pylance {release.version}: {done.stderr[-3000:]}"
    return json.loads(done.stdout)

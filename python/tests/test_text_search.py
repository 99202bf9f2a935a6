# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Full-text and hybrid search: rows and scores compared with pylance's."""

import json
import random
import subprocess
import sys

import lance
import lance.query as fts
import pandas as pd
import pyarrow as pa
import pytest

from pyspark_lance import LanceTable, lance_table
from pyspark_lance import query as own
from pyspark_lance.exceptions import InvalidRequestError
from pyspark_lance.pylance_queries import converted

WORDS = [
    *["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "and", "runs", "away"],
    *["Café", "Straße", "naïve", "running", "database", "index", "vector", "lance", "spark"],
    *["hello", "world"],
]


def sentences(n, seed, most=12):
    made = random.Random(seed)
    return [
        None if made.random() < 0.05 else " ".join(made.choices(WORDS, k=made.randint(0, most)))
        for _ in range(n)
    ]


def rows(n, first=0, seed=1):
    return pa.table(
        {
            "id": range(first, first + n),
            "t": sentences(n, seed),
            "u": sentences(n, seed + 1, 5),
            "g": [i % 7 for i in range(n)],
        }
    )


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A table with two indices, appended rows, and deleted ones."""
    path = str(tmp_path_factory.mktemp("text") / "t")
    dataset = lance.write_dataset(rows(1500), path, max_rows_per_file=400)
    dataset.create_scalar_index("t", "INVERTED", with_position=True)
    dataset.create_scalar_index("u", "INVERTED")
    dataset = lance.write_dataset(rows(300, 1500, seed=5), path, mode="append")
    dataset.delete("id % 11 = 3")
    return path


def same(ours, theirs, key="_score"):
    """Checks that scores are equal to 1e-4, and that ids above the last score are equal."""
    ours = [(row["id"], row[key]) for row in ours.collect()]
    theirs = [(row["id"], row[key]) for row in theirs.to_pylist()]
    assert [s for _, s in ours] == pytest.approx([s for _, s in theirs], rel=1e-4)
    last = min((s for _, s in ours), default=0) * 1.001
    assert {i for i, s in ours if s > last} == {i for i, s in theirs if s > last}


MATCHES = [
    ("quick fox", {}),
    ("Café", {}),
    ("quick fox", {"operator": "AND"}),
    ("vectro", {"fuzziness": 2}),
    ("hell", {"fuzziness": 1, "prefix_length": 2}),
    ("the of and", {}),
    ("straße databases zzz", {}),
    ("fox fox dog", {}),
]


@pytest.mark.parametrize(("words", "options"), MATCHES)
def test_words(spark, table, words, options):
    theirs = {k: fts.FullTextOperator[v] if k == "operator" else v for k, v in options.items()}
    query = fts.MatchQuery(words, "t", **theirs)
    dataset = lance.dataset(table)
    found = LanceTable.forPath(spark, table)
    # The reference finds similar words only in rows of the index.
    if "fuzziness" not in options:
        wanted = dataset.to_table(full_text_query=query, limit=25)
        same(found.search(words, "t", 25, **options), wanted)
    filtered = dataset.to_table(
        full_text_query=query, limit=25, filter="g > 3 AND id < 1400", prefilter=True
    )
    same(found.search(words, "t", 25, filter="g > 3 AND id < 1400", **options), filtered)


def test_phrases(spark, table):
    dataset = lance.dataset(table)
    found = LanceTable.forPath(spark, table)
    for words, slop in (("quick brown", 0), ("fox lazy", 3), ("the quick", 0)):
        theirs = dataset.to_table(full_text_query=fts.PhraseQuery(words, "t", slop=slop), limit=50)
        same(found.search(words, "t", 50, slop=slop), theirs)
    # The index of this column has no positions.
    by_index = [row.id for row in found.search("quick brown", "u", 2000, slop=0).collect()]
    scanned = found.search("quick brown", "u", 2000, slop=0, use_index=False).collect()
    assert by_index and set(by_index) == {row.id for row in scanned}
    with pytest.raises(Exception, match="no positions"):
        found.search("quick brown", "u", slop=0, fast_search=True).collect()


COMPOUND = [
    lambda q: q.MatchQuery("quick", "t") & q.MatchQuery("lazy", "t"),
    lambda q: q.MatchQuery("quick", "t") | q.MatchQuery("spark", "u", boost=2.0),
    lambda q: q.BooleanQuery(
        [
            (q.Occur.MUST, q.MatchQuery("quick", "t")),
            (q.Occur.SHOULD, q.MatchQuery("lazy", "t")),
            (q.Occur.MUST_NOT, q.MatchQuery("spark", "u")),
        ]
    ),
    lambda q: q.BoostQuery(
        q.MatchQuery("quick", "t"), q.MatchQuery("lazy", "t"), negative_boost=0.25
    ),
    lambda q: q.MultiMatchQuery("quick spark", ["t", "u"], boosts=[2.0, 1.0]),
    lambda q: q.MultiMatchQuery("quick spark", ["t", "u"], operator=q.FullTextOperator.AND),
    lambda q: q.PhraseQuery("quick brown", "t", slop=1),
    lambda q: q.CombinedFieldsQuery("quick spark", ["t", "u"], boosts=[2.0, 1.0]),
]


@pytest.mark.parametrize("number", range(len(COMPOUND)))
def test_queries_of_both_modules(any_spark, table, number):
    theirs, ours = COMPOUND[number](fts), COMPOUND[number](own)
    # Without a limit, the reference scores appended rows exactly.
    wanted = lance.dataset(table).to_table(full_text_query=theirs)
    found = LanceTable.forPath(any_spark, table)
    same(found.search(ours, k=10_000), wanted)
    assert found.search(theirs, k=5).collect() == found.search(ours, k=5).collect()
    assert found.search(ours.to_dict(), k=5).collect() == found.search(ours, k=5).collect()


def test_queries_without_a_column_and_of_other_classes(spark, table):
    found = LanceTable.forPath(spark, table)
    query = own.MatchQuery("quick") & own.MatchQuery("lazy")
    named = own.MatchQuery("quick", "t") & own.MatchQuery("lazy", "t")
    assert found.search(query, "t", 40).collect() == found.search(named, k=40).collect()
    with pytest.raises(TypeError, match="not int"):
        found.search(5)
    with pytest.raises(TypeError, match="filter is SQL text"):
        found.search("quick", filter=5)
    with pytest.raises(ValueError, match="1 boosts for 2 columns"):
        own.MultiMatchQuery("quick", ["t", "u"], boosts=[1.0])


def test_arguments_of_queries_of_pylance():
    columns, queries = ["t"], [(fts.Occur.MUST_NOT, fts.MatchQuery("b", "t", fuzziness=None))]
    query = fts.BooleanQuery(queries) | fts.MultiMatchQuery(
        "a", columns, boosts=[2.0], operator=fts.FullTextOperator.AND
    )
    columns.append("u")
    queries.clear()
    assert converted(query) == own.BooleanQuery(
        [
            [
                own.Occur.SHOULD,
                own.BooleanQuery([[own.Occur.MUST_NOT, own.MatchQuery("b", "t", fuzziness=None)]]),
            ],
            [
                own.Occur.SHOULD,
                own.MultiMatchQuery("a", ["t"], [2.0], own.FullTextOperator.AND),
            ],
        ]
    )
    assert converted(fts.PhraseQuery("a b", column="t", slop=2)) == own.PhraseQuery("a b", "t", 2)
    with pytest.raises(TypeError):
        fts.MatchQuery("a", "t", slop=1)


IMPORTS = """
import sys
first, second = sys.argv[1:]
__import__(first)
early = None
if first == "lance":
    from lance.query import MatchQuery
    early = MatchQuery("fox", "t")
__import__(second)
from lance.query import MatchQuery
from pyspark_lance import query
from pyspark_lance.pylance_queries import converted
assert converted(MatchQuery("fox", "t", boost=2)) == query.MatchQuery("fox", "t", 2)
if early is not None:
    try:
        converted(early)
    except TypeError as e:
        assert "create it again, or use pyspark_lance.query.MatchQuery" in str(e)
    else:
        raise AssertionError
"""


@pytest.mark.parametrize("order", [("lance", "pyspark_lance"), ("pyspark_lance", "lance")])
def test_pylance_is_imported_before_or_after(order):
    subprocess.run([sys.executable, "-c", IMPORTS, *order], check=True)


def test_all_columns_with_an_index(spark, table):
    dataset = lance.dataset(table)
    found = LanceTable.forPath(spark, table)
    wanted = dataset.to_table(full_text_query="quick spark", limit=40)
    same(found.search("quick spark", k=40), wanted)
    both = found.search("quick spark", ["u", "t"], 40)
    assert both.collect() == found.search("quick spark", k=40).collect()


def test_filters_before_and_after(spark, table):
    found = LanceTable.forPath(spark, table)
    best = [r.id for r in found.search("quick fox", "t", 30).collect()]
    after = found.search("quick fox", "t", 30, filter="g = 2", prefilter=False)
    assert [r.id for r in after.collect()] == [
        r.id for r in found.search("quick fox", "t", 30).where("g = 2").collect()
    ]
    assert after.count() < 30 == found.search("quick fox", "t", 30, filter="g = 2").count()
    offset = found.search("quick fox", "t", 10, offset=5)
    assert [r.id for r in offset.collect()] == best[5:15]
    covered = found.search("quick fox", "t", 2000, fast_search=True)
    assert {r.id for r in covered.select("id").collect()} == {
        r.id for r in found.search("quick fox", "t", 2000).where("id < 1500").collect()
    }


def test_index_on_and_off(spark, tmp_path):
    path = str(tmp_path / "t")
    lance.write_dataset(rows(800), path, max_rows_per_file=300)
    found = LanceTable.forPath(spark, path)
    with pytest.raises(InvalidRequestError, match="no full-text index"):
        found.search("quick")
    words = [("quick fox", {}), ("running dog", {"operator": "AND"}), ("lazy dog", {"slop": 1})]

    def answers(**more):
        return [
            sorted((r.id, r._score) for r in found.search(q, "t", 900, **o, **more).collect())
            for q, o in words
        ]

    before = answers()
    lance.dataset(path).create_scalar_index("t", "INVERTED", with_position=True)
    for some, others in zip(answers(), before, strict=True):
        assert [i for i, _ in some] == [i for i, _ in others]
        assert [s for _, s in some] == pytest.approx([s for _, s in others], rel=1e-5)
    assert answers(use_index=False) == before


def test_sql(any_spark, table):
    spark = any_spark
    rows = spark.sql(
        f"SELECT id, _score FROM search('{table}', 'quick fox', 5, search_columns => 't')"
    ).collect()
    assert len(rows) == 5 and rows == sorted(rows, key=lambda r: -r._score)
    frame = spark.sql(
        f"SELECT * FROM search('{table}', query => 'quick fox', search_columns => array('t'), "
        "columns => 'id, g', with_row_id => true, filter => 'g = 1', limit => 3)"
    )
    assert frame.columns == ["id", "g", "_score", "_rowid"] and frame.count() == 3
    assert {r.g for r in frame.collect()} == {1}
    plan = spark.sql(f"EXPLAIN SELECT id FROM search('{table}', 'fox', search_columns => 't')")
    assert "full-text search in t by index t_idx" in plan.first()[0]
    for call, message in (
        ("'quick', search_columns => 'id'", "column id is int64; a full-text search reads strings"),
        ("'quick', search_columns => 'nothing'", "no column nothing"),
        ("'quick', flavor => 1", "no argument flavor"),
        ("'', filter => 'nothing = 1'", "nothing"),
        ("'{\"match\": {}}'", "lacks terms"),
        ('\'{"match": {"terms": "a"}}\', fuzziness => 1', "cannot be combined"),
    ):
        with pytest.raises(Exception, match=message):
            spark.sql(f"SELECT * FROM search('{table}', {call})").collect()


def test_scores_of_conditions(any_spark, table):
    spark = any_spark
    theirs = lance.dataset(table).to_table(
        columns=["id", "_score"], full_text_query=fts.MatchQuery("quick fox", "t"), limit=5000
    )
    query = f"SELECT id, _score FROM lance.`{table}` WHERE lance_match(t, 'quick fox')"
    found = spark.sql(f"{query} ORDER BY _score DESC")
    same(found, theirs)
    rows = spark.read.format("lance").load(table).where("lance_match(t, 'quick fox')")
    for frame in (rows.select("id", "_score"), rows.select("id", rows.metadataColumn("_score"))):
        assert set(frame.collect()) == set(found.collect())
    some = spark.sql(f"{query} AND g <> 1").collect()
    ids = {row.id for row in rows.where("g <> 1").collect()}
    assert set(some) == {row for row in found.collect() if row.id in ids}
    for wrong in (rows.where("lance_match(t, 'dog')"), spark.read.format("lance").load(table)):
        with pytest.raises(Exception, match="_score is the score of a condition on text"):
            wrong.select("_score").collect()


def test_reader_option(any_spark, table):
    spark = any_spark

    def read(value):
        return spark.read.format("lance").option("fullTextQuery", value).load(table)

    wanted = LanceTable.forPath(spark, table).search("quick fox").collect()
    assert read("quick fox").collect() == wanted
    arguments = {"query": "quick fox", "search_columns": ["t", "u"], "k": 10}
    assert read(json.dumps(arguments)).collect() == wanted
    query = {"match": {"terms": "quick", "column": "u"}}
    assert read(json.dumps(query)).count() == 10
    with pytest.raises(Exception, match="two searches"):
        spark.read.format("lance").options(fullTextQuery="a", nearest="{}").load(table).count()


def test_lists_structs_and_stable_row_ids(spark, tmp_path):
    texts = sentences(600, 9)
    data = pa.table(
        {
            "id": range(600),
            "s": [{"t": t, "n": i} for i, t in enumerate(texts)],
            "l": [None if t is None else [*t.split(), None] for t in texts],
        }
    )
    path = str(tmp_path / "t")
    dataset = lance.write_dataset(data, path, max_rows_per_file=250, enable_stable_row_ids=True)
    for column in ("s.t", "l"):
        dataset.create_scalar_index(column, "INVERTED")
    dataset.delete("id % 5 = 0")
    dataset.optimize.compact_files()
    dataset = lance.write_dataset(data.slice(0, 100), path, mode="append")
    found = LanceTable.forPath(spark, path)
    for column in ("s.t", "l"):
        theirs = dataset.to_table(
            columns=["id", "_score"], full_text_query=fts.MatchQuery("quick fox", column), limit=20
        )
        same(found.search("quick fox", column, 20), theirs)
        assert found.search("quick fox", column, 20, filter="id < 50").count() == 20


def test_versions_and_filters_before_an_index(any_spark, tmp_path):
    path = str(tmp_path / "t")
    dataset = lance.write_dataset(rows(200), path)
    dataset.create_scalar_index("t", "INVERTED")
    lance.write_dataset(rows(50, 200), path, mode="append")
    old = lance.dataset(path, version=2)
    found = lance_table(any_spark, path, version=2)
    query = fts.MatchQuery("quick fox", "t")
    same(found.search("quick fox", k=300), old.to_table(full_text_query=query))
    some = found.search("quick fox", filter="g = 3 OR g = 4", k=30).collect()
    assert {r.g for r in some} == {3, 4}


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    """A table with vectors and indexed text."""
    path = str(tmp_path_factory.mktemp("films") / "t")
    pairs = [[float(i % 40), float(i % 7)] for i in range(400)]
    data = rows(400).append_column("v", pa.array(pairs, pa.list_(pa.float32(), 2)))
    dataset = lance.write_dataset(data, path, max_rows_per_file=150)
    dataset.create_scalar_index("t", "INVERTED")
    dataset.delete("id % 13 = 1")
    return path


def fused(lists, k, rrf_k=60):
    scores = {}
    for ids in lists:
        for rank, i in enumerate(ids):
            scores[i] = scores.get(i, 0) + 1 / (rank + rrf_k)
    return sorted(scores.items(), key=lambda s: (-s[1], s[0]))[:k]


def test_hybrid_search(any_spark, films):
    found = LanceTable.forPath(any_spark, films)
    for more in ({}, {"filter": "g > 2"}, {"candidates": 50}):
        both = {k: v for k, v in more.items() if k == "filter"}
        n = more.get("candidates", 15)
        lists = [
            [r.id for r in found.nearest("v", [7.2, 3], n, **both).collect()],
            [r.id for r in found.search("quick fox", "t", n, **both).collect()],
        ]
        frame = found.hybrid([7.2, 3], "quick fox", 15, **more)
        assert frame.columns[-3:] == ["_distance", "_score", "_relevance_score"]
        ours = frame.collect()
        wanted = fused(lists, 15)
        assert [r.id for r in ours] == [i for i, _ in wanted]
        assert [r._relevance_score for r in ours] == pytest.approx([s for _, s in wanted])
        for row in ours:
            assert (row._distance is not None) == (row.id in lists[0])
            assert (row._score is not None) == (row.id in lists[1])
    phrase = own.MatchQuery("quick", "t") & own.MatchQuery("fox", "t")
    linear = {"fusion": "linear", "weight": 0.0, "candidates": 50, "with_row_id": True}
    linear = found.hybrid([7.2, 3], phrase, 5, **linear)
    assert [r.id for r in linear.collect()] == [r.id for r in found.search(phrase, k=5).collect()]
    assert linear.columns[-1] == "_rowid"
    with pytest.raises(InvalidRequestError, match="one query vector"):
        found.hybrid([[7.2, 3]], "quick fox")


def test_candidates_are_reranked(any_spark, films):
    from pyspark.sql.functions import pandas_udf

    found = LanceTable.forPath(any_spark, films)
    lists = [
        {r.id for r in found.nearest("v", [7.2, 3], 20).collect()},
        {r.id for r in found.search("quick fox", "t", 20).collect()},
    ]
    wanted = sorted(lists[0] | lists[1], key=lambda i: (-(i % 50), i))

    def scores(rows: pd.DataFrame) -> pd.Series:
        return rows["id"] % 50.0

    arguments = {"text_columns": "t", "candidates": 20}
    ours = found.hybrid([7.2, 3], "quick fox", 6, rerank=scores, **arguments)
    assert [r.id for r in ours.collect()] == wanted[:6]
    assert [r._relevance_score for r in ours.collect()] == [float(i % 50) for i in wanted[:6]]
    assert ours.columns[-1] == "_relevance_score"
    second = found.hybrid([7.2, 3], "quick fox", 6, offset=3, rerank=scores, **arguments)
    assert [r.id for r in second.collect()] == wanted[3:9]
    udf = pandas_udf(scores, "double")
    again = found.hybrid([7.2, 3], "quick fox", 6, rerank=udf, with_row_id=True, **arguments)
    assert [r.id for r in again.collect()] == wanted[:6]
    assert again.columns[-1] == "_rowid"
    for option in ({"fusion": "linear"}, {"rrf_k": 10}, {"weight": 0.5}):
        with pytest.raises(ValueError, match="rerank replaces"):
            found.hybrid([7.2, 3], "quick fox", 6, rerank=scores, **option, **arguments)
    with pytest.raises(InvalidRequestError, match="at least 1"):
        found.hybrid([7.2, 3], "fox", 6, rerank=scores, text_columns="t", candidates=0).collect()


def test_a_reranker_may_sort_the_candidates(any_spark, films):
    found = LanceTable.forPath(any_spark, films)
    arguments = {"text_columns": "t", "candidates": 20}

    def reranked(scores):
        rows = found.hybrid([7.2, 3], "quick fox", 6, rerank=scores, **arguments).collect()
        return [(r.id, r._relevance_score) for r in rows]

    wanted = reranked(lambda rows: rows["id"] % 50.0)
    assert reranked(lambda rows: rows.sort_values("id")["id"] % 50.0) == wanted
    assert reranked(lambda rows: (rows["id"] % 50.0).sort_values(ascending=False)) == wanted
    assert reranked(lambda rows: (rows["id"] % 50.0).set_axis(rows["id"] + 1000)) == wanted
    assert reranked(lambda rows: (rows["id"] % 50.0).to_list()) == wanted
    with pytest.raises(Exception, match=r"rerank returned 3 scores for \d+ candidates"):
        reranked(lambda rows: rows["id"][:3])

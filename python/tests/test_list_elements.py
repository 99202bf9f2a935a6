# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Full-text indices whose documents are list elements: compared with pylance's."""

import random

import lance
import lance.query as fts
import pyarrow as pa
import pytest
from lance.query import DocumentGranularity

from pyspark_lance import LanceTable, lance_table
from pyspark_lance import query as own
from pyspark_lance.exceptions import (
    InvalidRequestError,
    UnsupportedFeatureError,
)

pytestmark = pytest.mark.one_case

WORDS = ["quick", "brown", "fox", "foxes", "lazy", "dog", "the", "Straße", "runs", "running"]
ELEMENT = DocumentGranularity.LIST_ELEMENT


def lists(n, seed):
    """Lists with nulls, elements without words, and elements with the words of a query apart."""
    r = random.Random(seed)

    def element():
        kind = r.random()
        if kind < 0.1:
            return None
        return "" if kind < 0.15 else " ".join(r.choices(WORDS, k=r.randint(1, 6)))

    def row(i):
        if i % 331 == 8:
            return ["zebra", "quick zebra"]
        if i % 13 == 5:
            return None
        return [] if i % 13 == 7 else [element() for _ in range(r.randint(1, 5))]

    return [row(i) for i in range(n)]


def rows(n, first=0):
    values = lists(n, first + 1)
    return pa.table(
        {
            "id": pa.array(range(first, first + n), pa.int64()),
            "g": pa.array([i % 7 for i in range(n)], pa.int64()),
            "l": pa.array(values, pa.list_(pa.string())),
            "s": pa.array(
                [None if i % 19 == 3 else {"l a": v} for i, v in enumerate(values)],
                pa.struct({"l a": pa.list_(pa.string())}),
            ),
            "v": pa.array([[i % 40, i % 7] for i in range(n)], pa.list_(pa.float32(), 2)),
        }
    )


def queries(q, column="l", phrases=True):
    def match(words, **options):
        return q.MatchQuery(words, column, **options)

    yield match("quick fox")
    yield match("running")
    yield match("straße zzz the")
    yield match("quick fox", operator=q.FullTextOperator.AND)
    yield match("quick", boost=2.0) & match("lazy")
    yield match("quick") | match("dog")
    yield q.BooleanQuery(
        [
            (q.Occur.MUST, match("quick")),
            (q.Occur.SHOULD, match("lazy")),
            (q.Occur.MUST_NOT, match("brown")),
        ]
    )
    yield q.BoostQuery(match("quick"), match("lazy"), negative_boost=0.25)
    if phrases:
        yield q.PhraseQuery("quick brown", column)
        yield q.PhraseQuery("fox lazy", column, slop=2)


def documents(found):
    """The score of each list element."""
    result = {(r["id"], tuple(r["_doc_index"])): r["_score"] for r in found}
    assert len(result) == len(found)
    return result


def same(table, dataset, column="l", least=30, phrases=True):
    """Checks that all elements and their scores are equal."""
    for ours, theirs in zip(
        queries(own, column, phrases), queries(fts, column, phrases), strict=True
    ):
        wanted = documents(dataset.to_table(columns=["id"], full_text_query=theirs).to_pylist())
        found = documents(table.search(ours, k=100_000).collect())
        assert found == pytest.approx(wanted, rel=1e-4), ours
        assert len(found) >= least, ours


def ids(rows):
    return {row["id"] for row in rows.collect()}


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize("block_size", [128, 256])
def test_indices_of_pylance(any_spark, tmp_path, stable, block_size):
    path = str(tmp_path / "t")
    options = {"max_rows_per_file": 400, "enable_stable_row_ids": stable}
    dataset = lance.write_dataset(rows(1000), path, **options)
    options = {"with_position": True, "block_size": block_size, "document_granularity": ELEMENT}
    for column in ("l", "s.`l a`"):
        dataset.create_scalar_index(column, "INVERTED", **options)
    for change in ("none", "delete", "append", "compact"):
        if change == "delete":
            dataset.delete("id % 11 = 3")
        elif change == "append":
            dataset = lance.write_dataset(rows(300, 1000), path, mode="append")
        elif change == "compact":
            dataset.optimize.compact_files(target_rows_per_fragment=2000)
        dataset = lance.dataset(path)
        table = lance_table(any_spark, path)
        same(table, dataset)
        same(table, dataset, "s.`l a`")
    frame = table.search("quick fox", "l", 20, with_row_id=True, filter="g > 2")
    assert frame.columns[-3:] == ["_doc_index", "_score", "_rowid"]
    assert frame.schema["_doc_index"].dataType.simpleString() == "array<bigint>"
    theirs = dataset.to_table(
        columns=["id", "_score"],
        full_text_query=fts.MatchQuery("quick fox", "l"),
        filter="g > 2",
        prefilter=True,
        limit=20,
    )
    wanted = theirs["_score"].to_pylist()
    assert [r["_score"] for r in frame.collect()] == pytest.approx(wanted, rel=1e-4)
    fuzzy = table.search("quik", "l", 10_000, fuzziness=1, fast_search=True)
    query = fts.MatchQuery("quik", "l", fuzziness=1)
    theirs = dataset.scanner(columns=["id"], full_text_query=query, fast_search=True).to_table()
    assert documents(fuzzy.collect()).keys() == documents(theirs.to_pylist()).keys()


def text_index(dataset, name):
    described = {i.name: i for i in dataset.describe_indices()}[name]
    return described.details, {s.index_version for s in described.segments}


@pytest.mark.parametrize(
    "options", [{}, {"with_position": True}, {"block_size": 256}, {"format_version": 1}]
)
@pytest.mark.parametrize("stable", [False, True])
def test_indices_of_spark(spark, tmp_path, options, stable):
    paths = [str(tmp_path / "ours"), str(tmp_path / "theirs")]
    options = {"document_granularity": ELEMENT, **options}
    phrases = "with_position" in options
    write = {"max_rows_per_file": 400, "enable_stable_row_ids": stable}
    for p in paths:
        lance.write_dataset(rows(1000), p, **write)
    theirs = lance.dataset(paths[1])
    theirs.create_scalar_index("l", "INVERTED", name="words", **options)
    table = LanceTable.forPath(spark, paths[0])
    table.create_scalar_index("l", "INVERTED", name="words", **options)

    def check(scores=True):
        datasets = [lance.dataset(p) for p in paths]
        assert text_index(datasets[0], "words") == text_index(datasets[1], "words")
        for query in queries(fts, phrases=phrases):
            found, wanted = (
                documents(d.to_table(columns=["id"], full_text_query=query).to_pylist())
                for d in datasets
            )
            assert found.keys() == wanted.keys() and len(found) >= 30
            assert not scores or found == pytest.approx(wanted, rel=1e-5)
        same(table, datasets[0], phrases=phrases)

    check()
    for p in paths:
        lance.dataset(p).delete("id % 5 = 1")
        lance.write_dataset(rows(300, 1000), p, mode="append")
    check()
    theirs = lance.dataset(paths[1])
    theirs.optimize.optimize_indices(num_indices_to_merge=0)
    table.optimize.optimize_indices(num_indices_to_merge=0)
    # With stable row ids, Spark merges all segments, which drops deleted rows from the statistics.
    check(scores=not stable)
    # Each extends and merges the index of the other one.
    theirs = LanceTable.forPath(spark, paths[1])
    for p in paths:
        lance.write_dataset(rows(200, 2000), p, mode="append")
    theirs.optimize.optimize_indices(num_indices_to_merge=10)
    lance.dataset(paths[0]).optimize.optimize_indices(num_indices_to_merge=10)
    check_rows(table, theirs)
    for compacted in (table, theirs):
        compacted.optimize.compact_files()
        compacted.update("id % 9 = 2", {"l": "array('quick fox', 'quick', 'fox')"})
    check_rows(table, theirs)
    check_rows(LanceTable.forPath(spark, paths[0]), LanceTable.forPath(spark, paths[1]))
    same(LanceTable.forPath(spark, paths[0]), lance.dataset(paths[0]), phrases=phrases)


def check_rows(*tables):
    for query in queries(own):
        found = [documents(t.search(query, k=100_000).collect()).keys() for t in tables]
        assert found[0] == found[1] and len(found[0]) > 30


def test_conditions_with_and_without_the_index(spark, tmp_path):
    path = str(tmp_path / "t")
    dataset = lance.write_dataset(rows(1000), path, max_rows_per_file=400)
    dataset.create_scalar_index(
        "l", "INVERTED", name="words", with_position=True, document_granularity=ELEMENT
    )
    lance.write_dataset(rows(200, 1000), path, mode="append")
    dataset = lance.dataset(path)
    dataset.delete("id % 10 = 4")
    table = LanceTable.forPath(spark, path)
    conditions = {
        "lance_match(l, 'quick fox')": fts.MatchQuery("quick fox", "l"),
        "lance_match(l, 'quick fox', 'operator=AND')": fts.MatchQuery(
            "quick fox", "l", operator=fts.FullTextOperator.AND
        ),
        "lance_match_phrase(l, 'quick brown')": fts.PhraseQuery("quick brown", "l"),
        "lance_match_phrase(l, 'fox lazy', 2)": fts.PhraseQuery("fox lazy", "l", slop=2),
    }
    before = {}
    for condition, query in conditions.items():
        select = f"SELECT id FROM lance.`{path}` WHERE {condition}"
        wanted = set(lance.dataset(path).to_table(["id"], full_text_query=query)["id"].to_pylist())
        before[condition] = ids(spark.sql(select))
        assert before[condition] == wanted and len(wanted) > 30
        negated = f"SELECT id FROM lance.`{path}` WHERE NOT {condition}"
        nulls = f"SELECT id FROM lance.`{path}` WHERE {condition} IS NULL"
        others = ids(spark.sql(negated)) | ids(spark.sql(nulls))
        assert others == ids(spark.sql(f"SELECT id FROM lance.`{path}`")) - wanted
        assert ids(spark.sql(nulls)) == ids(
            spark.sql(f"SELECT id FROM lance.`{path}` WHERE l IS NULL")
        )
    rare = f"SELECT id FROM lance.`{path}` WHERE lance_match(l, 'zebra quick', 'operator=AND')"
    assert "words" in spark.sql(f"EXPLAIN {rare}").first()[0]
    assert ids(spark.sql(rare)) == {8, 339, 670, 1008} - {i for i in range(1200) if i % 10 == 4}
    # Without the index, the option selects the same documents.
    table.drop_index("words")
    both = "operator=AND, document_granularity=list_element"
    unindexed = {
        "lance_match(l, 'quick fox', 'operator=AND')": f"lance_match(l, 'quick fox', '{both}')",
        "lance_match_phrase(l, 'quick brown')": (
            "lance_match(l, 'quick brown', 'slop=0, document_granularity=list_element')"
        ),
    }
    for condition, other in unindexed.items():
        found = ids(spark.sql(f"SELECT id FROM lance.`{path}` WHERE {other}"))
        assert found == before[condition]
        of_rows = ids(spark.sql(f"SELECT id FROM lance.`{path}` WHERE {condition}"))
        assert of_rows > found  # words in different elements
    doomed = before["lance_match(l, 'quick fox', 'operator=AND')"]
    spark.sql(f"DELETE FROM lance.`{path}` WHERE lance_match(l, 'quick fox', '{both}')")
    assert not ids(spark.sql(f"SELECT id FROM lance.`{path}`")) & doomed


def test_search_with_and_without_the_index(spark, tmp_path):
    path = str(tmp_path / "t")
    lance.write_dataset(rows(800), path, max_rows_per_file=300)
    table = LanceTable.forPath(spark, path)
    # Without an index, pylance does not stem, so the words have no other forms.
    made = [
        own.MatchQuery("quick dog", "l", document_granularity="list_element"),
        own.PhraseQuery("quick brown", "l", document_granularity=ELEMENT),
    ]

    def found(**more):
        return [documents(table.search(q, k=10_000, **more).collect()) for q in made]

    before = found()
    dataset = lance.dataset(path)
    for query, wanted in zip(
        (
            fts.MatchQuery("quick dog", "l", document_granularity=ELEMENT),
            fts.PhraseQuery("quick brown", "l", document_granularity=ELEMENT),
        ),
        before,
        strict=True,
    ):
        theirs = documents(dataset.to_table(columns=["id"], full_text_query=query).to_pylist())
        assert theirs.keys() == wanted.keys()
    table.create_scalar_index("l", "FTS", document_granularity="list_element")
    for some in (found(), found(use_index=False)):
        assert [s.keys() for s in some] == [b.keys() for b in before]
        assert some[0] == pytest.approx(before[0], rel=1e-4)
    sql = f"search('{path}', 'quick fox', 10000, search_columns => 'l', operator => 'AND')"
    assert "_doc_index" in spark.sql(f"SELECT * FROM {sql}").columns
    distinct = spark.sql(f"SELECT id FROM {sql}").distinct()
    condition = "lance_match(l, 'quick fox', 'operator=AND')"
    assert ids(distinct) == ids(spark.sql(f"SELECT id FROM lance.`{path}` WHERE {condition}"))


def test_hybrid_search(spark, tmp_path):
    path = str(tmp_path / "t")
    lance.write_dataset(rows(600), path, max_rows_per_file=250)
    table = LanceTable.forPath(spark, path)
    table.create_scalar_index("l", "INVERTED", document_granularity="list_element")
    near = [r.id for r in table.nearest("v", [7.2, 3], 15).collect()]
    texts = list(dict.fromkeys(r.id for r in table.search("quick fox", "l", 600).collect()))[:15]
    scores = {}
    for found in (near, texts):
        for rank, i in enumerate(found):
            scores[i] = scores.get(i, 0) + 1 / (rank + 60)
    ours = table.hybrid([7.2, 3], "quick fox", 15, vector_column="v", text_columns="l").collect()
    wanted = sorted(scores.items(), key=lambda s: (-s[1], s[0]))[:15]
    assert [r.id for r in ours] == [i for i, _ in wanted]
    assert "_doc_index" not in ours[0].asDict()


def test_both_granularities(spark, tmp_path):
    path = str(tmp_path / "t")
    dataset = lance.write_dataset(rows(300), path)
    dataset.create_scalar_index("l", "INVERTED", name="of_rows")
    dataset.create_scalar_index("l", "INVERTED", name="of_elements", document_granularity=ELEMENT)
    table = LanceTable.forPath(spark, path)
    condition = f"SELECT id FROM lance.`{path}` WHERE lance_match(l, 'quick fox'%s)"
    with pytest.raises(InvalidRequestError, match="select one with document_granularity"):
        table.search("quick fox", "l")
    with pytest.raises(Exception, match="of_rows of rows"):
        spark.sql(condition % "")
    for granularity in DocumentGranularity:
        found = table.search("quick fox", "l", 1000, document_granularity=granularity).collect()
        query = fts.MatchQuery("quick fox", "l", document_granularity=granularity)
        wanted = dataset.to_table(columns=["id", "_score"], full_text_query=query)
        assert sorted(r.id for r in found) == sorted(wanted["id"].to_pylist())
        scores = sorted(r._score for r in found)
        assert scores == pytest.approx(sorted(wanted["_score"].to_pylist()), rel=1e-4)
        option = f", 'operator=AND, document_granularity={granularity.value}'"
        query = fts.MatchQuery(
            "quick fox", "l", operator=fts.FullTextOperator.AND, document_granularity=granularity
        )
        wanted = set(dataset.to_table(["id"], full_text_query=query)["id"].to_pylist())
        assert ids(spark.sql(condition % option)) == wanted
    # A search of all columns searches rows, as in pylance.
    assert "_doc_index" not in table.search("quick fox").columns
    assert table.search(own.CombinedFieldsQuery("quick", ["l"])).count() == 10


def test_errors(spark, tmp_path):
    path = str(tmp_path / "t")
    data = rows(50)
    nested = pa.array([[["a fox"], ["b"]]] * 50, pa.list_(pa.list_(pa.string())))
    data = data.append_column("n", nested)
    data = data.append_column("i", pa.array([[{"t": "a fox"}]] * 50))
    data = data.append_column("t", pa.array(["a fox"] * 50))
    dataset = lance.write_dataset(data, path, max_rows_per_file=20)
    for column in ("l", "i.t"):
        dataset.create_scalar_index(column, "INVERTED", document_granularity=ELEMENT)
    table = LanceTable.forPath(spark, path)
    queries = [
        (own.MatchQuery("fox", "l") & own.MatchQuery("fox", "t"), "both rows and list elements"),
        (own.MatchQuery("fox", "l", document_granularity="row"), "which has the full-text index"),
        (own.MatchQuery("fox", "t", document_granularity="list_element"), "has no lists"),
        (own.MultiMatchQuery("fox", ["l"]), "multi_match"),
        (own.MultiMatchQuery("fox", ["l", "t"]), "multi_match"),
        (own.CombinedFieldsQuery("fox", ["l", "t"]), "which has the full-text index"),
        (own.MatchQuery("fox", "n"), "a full-text search reads strings"),
        (own.MatchQuery("fox", "i.t"), "i.t"),
    ]
    for query, message in queries:
        with pytest.raises(Exception, match=message):
            table.search(query).collect()
    with pytest.raises(InvalidRequestError, match="row or list_element is expected"):
        table.search({"match": {"terms": "a", "column": "l", "document_granularity": "word"}})
    with pytest.raises(InvalidRequestError, match="no full-text index"):
        table.search("fox")
    with pytest.raises(InvalidRequestError, match="the column has no lists"):
        table.create_scalar_index("t", "INVERTED", document_granularity="list_element")
    for column in ("n", "i.t"):
        with pytest.raises((InvalidRequestError, UnsupportedFeatureError)):
            table.create_scalar_index(column, "INVERTED", "x", document_granularity="list_element")
    text = "SELECT lance_match('a', 'a', 'document_granularity=list_element')"
    with pytest.raises(Exception, match="a text has the type STRING"):
        spark.sql(text)
    assert spark.sql(
        "SELECT lance_match(array('a fox', NULL, 'dog'), 'fox dog', 'operator=AND'), "
        "lance_match(array('fox', 'dog'), 'fox dog', "
        "'operator=AND, document_granularity=list_element')"
    ).first() == (True, False)
    assert spark.sql("SELECT lance_multi_match('fox', array('a fox'), 'dog')").first()[0]


@pytest.mark.parametrize("values", [[None, None], [[], None], []])
def test_columns_without_elements(spark, tmp_path, values):
    path = str(tmp_path / "t")
    column = pa.array(values, pa.list_(pa.string()))
    data = pa.table({"id": pa.array(range(len(values)), pa.int64()), "l": column})
    lance.write_dataset(data, path)
    table = LanceTable.forPath(spark, path)
    table.create_scalar_index("l", "INVERTED", name="words", document_granularity="list_element")
    more = pa.table({"id": pa.array([7], pa.int64()), "l": pa.array([["a fox", "foxes"]])})
    dataset = lance.write_dataset(more, path, mode="append")
    assert documents(table.search("fox", "l").collect()).keys() == {(7, (0,)), (7, (1,))}
    query = fts.MatchQuery("fox", "l")
    theirs = dataset.to_table(columns=["id"], full_text_query=query).to_pylist()
    assert documents(theirs).keys() == {(7, (0,)), (7, (1,))}
    table.optimize.optimize_indices()
    same_documents = documents(table.search("fox", "l", fast_search=True).collect())
    theirs = lance.dataset(path).to_table(columns=["id"], full_text_query=query).to_pylist()
    assert same_documents == pytest.approx(documents(theirs), rel=1e-4)

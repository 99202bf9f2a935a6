# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Full-text indices of JSON documents: rows and scores compared with pylance's, both ways."""

import json
import random

import lance
import pyarrow as pa
import pytest
from lance.query import FullTextOperator, MatchQuery, PhraseQuery
from pyspark.errors import AnalysisException

from pyspark_lance import LanceTable
from pyspark_lance.exceptions import InvalidRequestError, UnsupportedFeatureError

WORDS = ["quick", "brown", "foxes", "The", "dog", "running", "Café", "fox", "vector"]


def documents(first, n):
    made = random.Random(first)

    def document(i):
        if i % 17 == 3:
            return None
        if i % 31 == 4:
            return made.choice(["{}", "null", "7", '"a fox"', "[]"])
        value = {
            "a": {"b": " ".join(made.choices(WORDS, k=made.randint(0, 8))), "n": i % 5},
            "tags": made.choices(WORDS, k=made.randint(0, 3)),
            "x": made.choice([None, 1.5, made.random() * 1e-9, True, [1, {"y": "dog"}]]),
        }
        return json.dumps({k: v for k, v in value.items() if made.random() < 0.8})

    return [document(i) for i in range(first, first + n)]


def rows(first, n):
    docs = pa.array(documents(first, n), pa.json_())
    nested = pa.StructArray.from_arrays([docs], fields=[pa.field("j", pa.json_())])
    return pa.table({"id": range(first, first + n), "j": docs, "s": nested})


def write(path, n=1200, **options):
    return lance.write_dataset(rows(0, n), str(path), max_rows_per_file=500, **options)


def queries(column="j", phrases=True):
    texts = ["a.b,str,fox", "a.b,str,running Cafe;tags,str,QUICK", "a.n,number,3", "x.y,str,dog"]
    texts += ["x,null,null;x,bool,true", "x,number,1.5", ",str,fox;,number,7", "a,str,fox"]
    yield from (MatchQuery(text, column) for text in texts)
    yield MatchQuery("a.b,str,fox dog", column, operator=FullTextOperator.AND)
    yield MatchQuery("a.b,str,fix", column, fuzziness=1)
    if phrases:
        yield PhraseQuery("a.b,str,quick brown", column)
        yield PhraseQuery("a.b,str,quick dog", column, slop=2)


def search(path, query):
    """The result of pylance: the score of each id."""
    found = lance.dataset(str(path)).to_table(columns=["id", "_score"], full_text_query=query)
    return dict(zip(found["id"].to_pylist(), found["_score"].to_pylist(), strict=True))


def same(ours, theirs, column="j", phrases=True):
    """Checks that pylance finds the same rows at the same scores in both tables."""
    count = 0
    for query in queries(column, phrases):
        found, wanted = search(ours, query), search(theirs, query)
        assert found == pytest.approx(wanted, rel=1e-5), query.inner
        count += len(found)
    assert count > 500, "the queries find few rows"


@pytest.mark.parametrize(
    ("column", "options"),
    [
        ("j", {"with_position": True}),
        ("s.j", {"with_position": True, "block_size": 256}),
        ("j", {"with_position": True, "stem": False, "max_token_length": 5}),
        ("j", {"base_tokenizer": "ngram"}),
    ],
)
def test_pylance_searches_our_index(spark, tmp_path, column, options):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    write(ours)
    write(theirs).create_scalar_index(column, "INVERTED", name="i", **options)
    LanceTable.forPath(spark, str(ours)).create_scalar_index(
        column, "INVERTED", name="i", **options
    )
    same(ours, theirs, column, phrases="with_position" in options)
    statistics = [
        lance.dataset(str(p)).stats.index_stats("i")["indices"][0]["params"] for p in (ours, theirs)
    ]
    assert statistics[0] == statistics[1] and statistics[0]["lance_tokenizer"] == "json"
    details = [lance.dataset(str(p)).describe_indices()[0].details for p in (ours, theirs)]
    assert details[0] == details[1]


@pytest.mark.parametrize("stable", [False, True])
def test_both_extend_merge_and_move_indices_of_each_other(spark, tmp_path, stable):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for path in (ours, theirs):
        write(path, enable_stable_row_ids=stable)
    options = {"name": "i", "with_position": True}
    LanceTable.forPath(spark, str(ours)).create_scalar_index("j", "INVERTED", **options)
    lance.dataset(str(theirs)).create_scalar_index("j", "INVERTED", **options)

    def each(change):
        change(ours)
        change(theirs)

    def optimize(by_spark, by_pylance):
        LanceTable.forPath(spark, str(by_spark)).optimize.optimize_indices()
        lance.dataset(str(by_pylance)).optimize.optimize_indices()

    def append(first):
        each(lambda p: lance.write_dataset(rows(first, 300), str(p), mode="append"))

    append(10_000)
    same(ours, theirs)
    optimize(theirs, ours)
    same(ours, theirs)
    append(20_000)
    optimize(ours, theirs)
    same(ours, theirs)
    each(lambda p: lance.dataset(str(p)).delete("id % 13 = 4"))
    LanceTable.forPath(spark, str(ours)).optimize.compact_files()
    lance.dataset(str(theirs)).optimize.compact_files()
    assert len(lance.dataset(str(ours)).get_fragments()) == 1
    for query in queries():
        found = search(ours, query)
        assert found.keys() == search(theirs, query).keys()
    for path in (ours, theirs):
        (index,) = lance.dataset(str(path)).describe_indices()
        assert index.num_rows_indexed == lance.dataset(str(path)).count_rows()


def test_searches_and_conditions(any_spark, tmp_path):
    spark, path = any_spark, str(tmp_path / "t")
    dataset = write(path)
    dataset.create_scalar_index("j", "INVERTED", with_position=True)
    dataset = lance.write_dataset(rows(5000, 200), path, mode="append")
    dataset.delete("id % 11 = 3")
    table = LanceTable.forPath(spark, path)
    arguments = [
        ("a.b,str,fox", {}),
        ("a.n,number,3;tags,str,quick", {}),
        ("a.b,str,fox dog", {"operator": "AND"}),
        ("a.b,str,quick brown", {"slop": 0}),
    ]
    for text, options in arguments:
        query = (
            PhraseQuery(text, "j")
            if "slop" in options
            else MatchQuery(text, "j", operator=FullTextOperator[options.get("operator", "OR")])
        )
        wanted = search(path, query)
        found = table.search(text, "j", 10_000, **options).collect()
        assert {r.id: r._score for r in found} == pytest.approx(wanted, rel=1e-4)
        scanned = table.search(text, "j", 10_000, use_index=False, **options).collect()
        assert {r.id for r in scanned} == wanted.keys() and wanted
        condition = (
            f"lance_match_phrase(j, '{text}')"
            if "slop" in options
            else f"lance_match(j, '{text}', 'operator={options.get('operator', 'OR')}')"
        )
        ids = {r.id for r in spark.read.format("lance").load(path).where(condition).collect()}
        assert ids == wanted.keys()
    frame = spark.read.format("lance").load(path)
    before = frame.count()
    some = frame.where("lance_match(j, 'a.b,str,fox') AND id < 500").count()
    LanceTable.forPath(spark, path).delete("lance_match(j, 'a.b,str,fox') AND id < 500")
    after = spark.read.format("lance").load(path)
    assert after.count() == before - some and some > 10
    assert after.where("lance_match(j, 'a.b,str,fox') AND id < 500").count() == 0


def test_a_column_without_an_index(spark, tmp_path):
    path = str(tmp_path / "t")
    write(path)
    table = LanceTable.forPath(spark, path)
    texts = ["a.b,str,fox", "a.n,number,3", "x.y,str,dogs", ",str,fox"]
    scanned = [table.search(q, "j", 2000).collect() for q in texts]
    matched = [table.toDF().where(f"lance_match(s.j, '{q}')").collect() for q in texts]
    table.create_scalar_index("j", "FTS")
    for text, before, by_condition in zip(texts, scanned, matched, strict=True):
        after = table.search(text, "j", 2000).collect()
        assert {r.id: r._score for r in before} == pytest.approx(
            {r.id: r._score for r in after}, rel=1e-5
        )
        assert {r.id for r in after} == {r.id for r in by_condition} and after
        assert table.toDF().where(f"lance_match(j, '{text}')").count() == len(after)


def test_documents_as_text(spark, tmp_path):
    path = str(tmp_path / "t")
    write(path)
    table = LanceTable.forPath(spark, path)
    table.create_scalar_index("j", "INVERTED", lance_tokenizer="text", with_position=True)
    assert search(path, MatchQuery("fox", "j")) == pytest.approx(
        {r.id: r._score for r in table.search("fox", "j", 2000).collect()}, rel=1e-4
    )
    found = {r.id for r in table.search("b quick", "j", 2000, slop=0).collect()}
    assert found == search(path, PhraseQuery("b quick", "j")).keys() and found
    assert table.toDF().where("lance_match_phrase(j, 'b quick')").count() == len(found)


@pytest.mark.parametrize("text", ["fox", "a.b,string,fox", "a.b,str,fox;", ""])
def test_wrong_queries_are_rejected(spark, tmp_path, text):
    path = str(tmp_path / "t")
    write(path, 50)
    table = LanceTable.forPath(spark, path)
    for _ in range(2):
        with pytest.raises((InvalidRequestError, AnalysisException), match="path,type,value"):
            table.search(text, "j").collect()
        with pytest.raises((InvalidRequestError, AnalysisException), match="path,type,value"):
            table.toDF().where(f"lance_match(j, '{text}')").count()
        table.create_scalar_index("j", "INVERTED", replace=True)


def test_statements(warehouse):
    write(warehouse.path("t"), 600)
    warehouse.sql("CREATE INDEX a ON t USING inverted (j) OPTIONS (with_position = true)")
    (segment,) = warehouse.sql("DESCRIBE INDEX a ON t")
    assert segment["parameters"]["lance_tokenizer"] == "json"
    warehouse.sql("INSERT INTO t SELECT * FROM t LIMIT 10")
    warehouse.sql("OPTIMIZE INDEX a ON t")
    (after,) = warehouse.sql("DESCRIBE INDEX a ON t")
    assert after["parameters"] == segment["parameters"] and after["num_rows_indexed"] == 610


@pytest.mark.parametrize(
    ("column", "options", "words"),
    [
        ("id", {}, "INVERTED index on a column of type int64"),
        ("t", {"lance_tokenizer": "json"}, "lance_tokenizer = 'json'"),
        ("l", {"lance_tokenizer": "json"}, "lance_tokenizer = 'json'"),
        ("d", {}, "INVERTED index on a column of type list"),
    ],
)
def test_columns_of_other_types_are_rejected(spark, tmp_path, column, options, words):
    path = str(tmp_path / "t")
    docs = pa.array(['{"a":1}', None], pa.json_())
    data = {
        "id": [1, 2],
        "t": ['{"a":1}', None],
        "l": [["{}"], None],
        "d": pa.ListArray.from_arrays([0, 1, 2], docs),
    }
    lance.write_dataset(pa.table(data), path)
    with pytest.raises(UnsupportedFeatureError, match=words):
        LanceTable.forPath(spark, path).create_scalar_index(column, "INVERTED", **options)

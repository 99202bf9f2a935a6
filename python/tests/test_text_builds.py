# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Full-text indices of Spark: pylance searches, extends, and merges them, and vice versa."""

import random

import lance
import pyarrow as pa
import pytest
from lance.query import (
    BooleanQuery,
    FullTextOperator,
    MatchQuery,
    Occur,
    PhraseQuery,
)

from pyspark_lance import LanceTable
from pyspark_lance.exceptions import (
    InvalidRequestError,
    LanceError,
    NotFoundError,
    UnsupportedFeatureError,
)

pytestmark = pytest.mark.one_case

ROWS = 3000
TEXT = """
run running runs the of not quick brown fox foxes jumps over lazy dogs Straße strasse Häuser häuser
naïve naive café Cafe getUserName http2Server a_b snake_case 中文字 東京 Σίσυφος co-operate
x+=1 foo::bar
"""
WORDS = [*TEXT.split(), "z" * 39, "z" * 40]


def texts(n, seed=1):
    """Texts with few frequent and many rare words, nulls, and texts without words."""
    r = random.Random(seed)

    def word():
        return r.choice(WORDS) if r.random() < 0.7 else f"w{int(r.random() ** 3 * 400)}"

    def text(i):
        if i % 41 == 5:
            return None
        if i % 97 == 7:
            return "" if i % 2 else "..."
        return " ".join(word() for _ in range(1 + r.randrange(14)))

    return [text(i) for i in range(n)]


def rows(first, n, seed=None):
    values = texts(n, first if seed is None else seed)
    lists = [None if v is None else [w or None for w in v.split(" ")] for v in values]
    structs = [{"t": v} if i % 19 else None for i, v in enumerate(values)]
    return pa.table(
        {
            "id": pa.array(range(first, first + n), pa.int64()),
            "g": pa.array([i % 7 for i in range(n)], pa.int64()),
            "t": pa.array(values),
            "l": pa.array(lists, pa.list_(pa.string())),
            "s": pa.array(structs, pa.struct({"t": pa.string()})),
        }
    )


def write(path, n=ROWS, **options):
    lance.write_dataset(rows(0, n), str(path), max_rows_per_file=1100, **options)


def search(path, query):
    """The result of pylance with the index: the score of each id."""
    found = (
        lance.dataset(str(path))
        .scanner(columns=["id", "_score"], full_text_query=query, limit=100_000)
        .to_table()
    )
    assert len(set(found["id"].to_pylist())) == found.num_rows
    return dict(zip(found["id"].to_pylist(), found["_score"].to_pylist(), strict=True))


def queries(column, phrases=False):
    words = ["fox", "running quick", "w1 w2 w3 fox", "Straße café", "getUserName foo::bar", "qui"]
    yield from (MatchQuery(w, column) for w in words)
    yield MatchQuery("lazy dogs fox", column, operator=FullTextOperator.AND)
    yield MatchQuery("foxs", column, fuzziness=1)
    yield BooleanQuery(
        [(Occur.MUST, MatchQuery("fox", column)), (Occur.MUST_NOT, MatchQuery("w0", column))]
    )
    if phrases:
        yield PhraseQuery("quick brown", column)
        yield PhraseQuery("jumps over", column, slop=3)


CHINESE = MatchQuery("中文字", "t")


def same(ours, theirs, column="t", phrases=False, least=50):
    """Checks that pylance finds the same rows at the same scores in both tables."""
    count = 0
    for query in queries(column, phrases):
        found, wanted = search(ours, query), search(theirs, query)
        assert found.keys() == wanted.keys(), query.inner
        assert found == pytest.approx(wanted, rel=1e-5), query.inner
        count += len(found)
    assert count >= least, "the queries find few rows"


def both(spark, tmp_path, column="t", stable=False, n=ROWS, **options):
    """Two tables with the same rows: one with our index, one with pylance's."""
    paths = tmp_path / "ours", tmp_path / "theirs"
    for path in paths:
        write(path, n, enable_stable_row_ids=stable)
    table = LanceTable.forPath(spark, str(paths[0]))
    table.create_scalar_index(column, "INVERTED", name="i", **options)
    lance.dataset(str(paths[1])).create_scalar_index(column, "INVERTED", name="i", **options)
    return paths


PARAMETERS = [
    {},
    {"with_position": True},
    {"with_position": True, "block_size": 256},
    {"with_position": True, "format_version": 1},
    {"format_version": 3},
    {"base_tokenizer": "whitespace"},
    {"base_tokenizer": "raw", "max_token_length": None},
    {"base_tokenizer": "ngram"},
    {"base_tokenizer": "ngram", "min_ngram_length": 2, "max_ngram_length": 4, "prefix_only": True},
    {"base_tokenizer": "icu", "with_position": True},
    {"base_tokenizer": "code", "split_identifiers": True, "index_operators": True},
    {"base_tokenizer": "code", "preserve_original": False, "split_on_numerics": False},
    {"language": "German"},
    {"stem": False, "remove_stop_words": False, "with_position": True},
    {"custom_stop_words": ["fox", "quick"]},
    {"ascii_folding": False, "lower_case": False},
    {"max_token_length": 5},
]


@pytest.mark.parametrize(
    "options", PARAMETERS, ids=lambda o: " ".join(f"{k}={v}" for k, v in o.items())
)
def test_pylance_finds_the_same_rows(spark, tmp_path, options):
    ours, theirs = both(spark, tmp_path, **options)
    same(ours, theirs, phrases=options.get("with_position", False), least=10)
    if options.get("base_tokenizer") != "icu":  # Spark's ICU has another dictionary
        assert search(ours, CHINESE) == pytest.approx(search(theirs, CHINESE), rel=1e-5)
    (index,), (wanted,) = (lance.dataset(str(p)).describe_indices() for p in (ours, theirs))
    assert index.details == wanted.details
    assert index.type_url == wanted.type_url
    assert index.index_type == wanted.index_type
    assert index.num_rows_indexed == ROWS
    assert index.segments[0].index_version == wanted.segments[0].index_version
    statistics = [
        lance.dataset(str(p)).stats.index_stats("i")["indices"][0] for p in (ours, theirs)
    ]
    assert statistics[0]["params"] == statistics[1]["params"]


@pytest.mark.parametrize("with_position", [False, True])
@pytest.mark.parametrize("stable", [False, True])
def test_tasks_write_partitions_with_limited_memory(spark, tmp_path, stable, with_position):
    theirs = tmp_path / "theirs"
    ours = tmp_path / "ours"
    for path in (ours, theirs):
        write(path, 40_000, enable_stable_row_ids=stable)
    lance.dataset(str(theirs)).create_scalar_index(
        "t", "INVERTED", name="i", with_position=with_position
    )
    table = LanceTable.forPath(spark, str(ours))
    table.create_scalar_index(
        "t", "FTS", name="i", with_position=with_position, num_workers=3, memory_limit=1
    )
    names = {p.name for p in next((ours / "_indices").iterdir()).iterdir()}
    partitions = {name.split("_")[1] for name in names if name.startswith("part_")}
    assert len(names) == 1 + 3 * len(partitions)
    # Positions take so much memory that tasks write more than one.
    assert len(partitions) > 3 if with_position else len(partitions) == 3
    same(ours, theirs, phrases=with_position)
    # All become one.
    lance.write_dataset(rows(90_000, 100), str(ours), mode="append")
    lance.write_dataset(rows(90_000, 100), str(theirs), mode="append")
    LanceTable.forPath(spark, str(ours)).optimize.optimize_indices()
    lance.dataset(str(theirs)).optimize.optimize_indices()
    (index,) = lance.dataset(str(ours)).describe_indices()
    names = {p.name for p in (ours / "_indices" / index.segments[0].uuid).iterdir()}
    assert len(names) == 4
    same(ours, theirs, phrases=with_position)


@pytest.mark.parametrize("column", ["l", "s.t"])
def test_lists_and_fields_of_structs(spark, tmp_path, column):
    ours, theirs = both(spark, tmp_path, column, with_position=True)
    same(ours, theirs, column, phrases=True)


@pytest.mark.parametrize(
    "options", [{"with_position": True}, {"block_size": 256}, {"format_version": 1}]
)
@pytest.mark.parametrize("stable", [False, True])
def test_both_extend_and_merge_indices_of_each_other(spark, tmp_path, stable, options):
    ours, theirs = both(spark, tmp_path, stable=stable, **options)
    phrases = "with_position" in options

    def each(change):
        for path in (ours, theirs):
            change(path)

    def append(first):
        each(lambda p: lance.write_dataset(rows(first, 400), str(p), mode="append"))

    def optimize(spark_first, **how):
        """Spark optimizes one of both indices, and pylance the other."""
        by_spark, by_pylance = (ours, theirs) if spark_first else (theirs, ours)
        LanceTable.forPath(spark, str(by_spark)).optimize.optimize_indices(**how)
        lance.dataset(str(by_pylance)).optimize.optimize_indices(**how)

    def check(segments=None):
        same(ours, theirs, phrases=phrases)
        for path in (ours, theirs):
            (index,) = lance.dataset(str(path)).describe_indices()
            if segments is not None:
                assert len(index.segments) == segments
                assert index.num_rows_indexed == lance.dataset(str(path)).count_rows()

    def same_rows():
        found = search(ours, MatchQuery("fox", "t")).keys()
        assert found and found == search(theirs, MatchQuery("fox", "t")).keys()

    append(10_000)
    check()
    # pylance adds a segment to ours, and we add one to that of pylance
    if not stable:
        optimize(spark_first=False, num_indices_to_merge=0)
        check(2)
        append(20_000)
    # and both merge the segments of both
    optimize(spark_first=True, **({} if stable else {"num_indices_to_merge": 2}))
    check(1)
    append(30_000)
    optimize(spark_first=False)
    check()
    each(lambda p: lance.dataset(str(p)).delete("id % 13 = 4"))
    check()
    LanceTable.forPath(spark, str(ours)).update("id % 17 = 2", {"t": "'quick fox ' || id"})
    lance.dataset(str(theirs)).update(
        {"t": "'quick fox ' || cast(id as string)"}, where="id % 17 = 2"
    )
    same_rows()
    # compaction by us, then by pylance
    LanceTable.forPath(spark, str(ours)).optimize.compact_files()
    lance.dataset(str(theirs)).optimize.compact_files()
    same_rows()
    append(40_000)
    LanceTable.forPath(spark, str(theirs)).optimize.compact_files()
    lance.dataset(str(ours)).optimize.compact_files()
    same_rows()
    # Built again, both have the same statistics.
    LanceTable.forPath(spark, str(ours)).optimize.optimize_indices(retrain=True)
    lance.dataset(str(theirs)).create_scalar_index("t", "INVERTED", name="i", **options)
    check(1)


@pytest.mark.parametrize(
    "options", [{"with_position": True}, {"with_position": True, "format_version": 1}]
)
def test_compaction_keeps_rows_and_scores(spark, tmp_path, options):
    ours, theirs = both(spark, tmp_path, **options)
    for path in (ours, theirs):
        lance.dataset(str(path)).delete("id % 5 = 1")
    LanceTable.forPath(spark, str(ours)).optimize.compact_files()
    lance.dataset(str(theirs)).optimize.compact_files()
    assert len(lance.dataset(str(ours)).get_fragments()) == 1
    for path in (ours, theirs):
        (index,) = lance.dataset(str(path)).describe_indices()
        assert index.num_rows_indexed == lance.dataset(str(path)).count_rows()
    same(ours, theirs, phrases=True)
    (index,), (wanted,) = (lance.dataset(str(p)).describe_indices() for p in (ours, theirs))
    assert index.details == wanted.details
    # Rows without the index are found at the same scores.
    fresh = tmp_path / "fresh"
    lance.write_dataset(lance.dataset(str(ours)).to_table(), str(fresh))
    lance.dataset(str(fresh)).create_scalar_index("t", "INVERTED", **options)
    same(ours, fresh, phrases=True)


def test_statements_and_procedure(warehouse):
    path = warehouse.path("t")
    write(path, 600)
    warehouse.sql("CREATE INDEX a ON t USING inverted (t) OPTIONS (with_position = true)")
    warehouse.sql(
        "ALTER TABLE t CREATE OR REPLACE INDEX a USING fts (t) "
        "WITH (language = 'german', maxTokenLength = 'none', custom_stop_words = 'der, die')"
    )
    (done,) = warehouse.sql(
        "CALL work.system.create_index(table => 'shop.t', column => 'l', index_type => 'FTS', "
        "name => 'b', options => map('base_tokenizer', 'whitespace'))"
    )
    assert done["index_name"] == "b"
    found = {i.name: i for i in lance.dataset(str(path)).describe_indices()}
    assert found["a"].details["language"] == "German"
    assert found["a"].details["max_token_length"] is None
    assert found["b"].details["base_tokenizer"] == "whitespace"
    types = {r["name"]: r["index_type"] for r in warehouse.sql("SHOW INDEXES IN t")}
    assert types == {"a": "INVERTED", "b": "INVERTED"}
    (segment,) = warehouse.sql("DESCRIBE INDEX a ON t")
    assert segment["parameters"]["custom_stop_words"] == '["der","die"]'
    # The parameters stay.
    warehouse.sql("INSERT INTO t SELECT * FROM t LIMIT 10")
    warehouse.sql("OPTIMIZE INDEX a ON t")
    (after,) = warehouse.sql("DESCRIBE INDEX a ON t")
    assert after["parameters"] == segment["parameters"]
    assert after["num_rows_indexed"] == 610
    warehouse.sql("DROP INDEX a ON t")
    with pytest.raises(Exception, match="Cannot find the index a"):
        warehouse.sql("DROP INDEX a ON t")


def test_tables_without_texts(spark, tmp_path):
    path = tmp_path / "t"
    lance.write_dataset(rows(0, 10)[:0], str(path))
    table = LanceTable.forPath(spark, str(path))
    table.create_scalar_index("t", "INVERTED", name="i")
    assert search(path, MatchQuery("fox", "t")) == {}
    nulls = pa.table({"id": [1, 2, 3], "t": pa.array([None, "", "..."], pa.string())})
    lance.write_dataset(nulls, str(path), mode="append")
    LanceTable.forPath(spark, str(path)).optimize.optimize_indices()
    assert search(path, MatchQuery("fox", "t")) == {}
    more = pa.table({"id": [4, 5], "t": ["a fox", "a dog"]})
    lance.write_dataset(more, str(path), mode="append")
    assert search(path, MatchQuery("fox", "t")).keys() == {4}
    lance.dataset(str(path)).optimize.optimize_indices()
    LanceTable.forPath(spark, str(path)).optimize.optimize_indices()
    assert search(path, MatchQuery("fox", "t")).keys() == {4}
    lance.dataset(str(path)).delete("id = 4")
    LanceTable.forPath(spark, str(path)).optimize.compact_files()
    assert search(path, MatchQuery("dog fox", "t")).keys() == {5}


def test_an_index_without_rows_is_filled_later(spark, tmp_path):
    ours, theirs = both(spark, tmp_path, n=1500)
    table = LanceTable.forPath(spark, str(ours))
    table.create_scalar_index("t", "INVERTED", name="i", train=False)
    assert table.index_statistics("i")["num_indexed_rows"] == 0
    table.optimize.optimize_indices(index_names=["i"])
    same(ours, theirs)
    table.create_scalar_index("t", "INVERTED", name="i", fragment_ids=[1])
    assert table.index_statistics("i")["num_indexed_fragments"] == 1
    fox = MatchQuery("fox", "t")
    assert search(ours, fox).keys() == search(theirs, fox).keys()


@pytest.mark.parametrize(
    ("column", "options", "error", "words"),
    [
        ("t", {"with_positions": True}, InvalidRequestError, "did you mean with_position"),
        ("t", {"base_tokenizer": "jieba/default"}, InvalidRequestError, "base_tokenizer"),
        ("t", {"language": "Klingon"}, InvalidRequestError, "Klingon"),
        ("t", {"block_size": 64}, InvalidRequestError, "128, 256"),
        ("t", {"block_size": 256, "format_version": 2}, InvalidRequestError, "needs 3"),
        (
            "t",
            {"base_tokenizer": "ngram", "min_ngram_length": 5},
            InvalidRequestError,
            "max_ngram_length",
        ),
        ("t", {"index_operators": True}, InvalidRequestError, "code"),
        ("t", {"document_granularity": "list_element"}, InvalidRequestError, "has no lists"),
        ("t", {"lance_tokenizer": "json"}, UnsupportedFeatureError, "json"),
        ("id", {}, UnsupportedFeatureError, "INVERTED index on a column of type int64"),
        ("none", {}, InvalidRequestError, "none"),
    ],
)
def test_errors_are_raised_before_the_build(spark, tmp_path, column, options, error, words):
    path = tmp_path / "t"
    write(path, 100)
    table = LanceTable.forPath(spark, str(path))
    with pytest.raises(error, match=words):
        table.create_scalar_index(column, "INVERTED", **options)
    assert not (path / "_indices").exists()


def test_unsupported_indices_are_kept(spark, tmp_path):
    path = tmp_path / "t"
    table = pa.table(
        {
            "id": range(40),
            "i": [[{"t": "a fox"}]] * 40,
        }
    )
    lance.write_dataset(table, str(path), max_rows_per_file=10)
    dataset = lance.dataset(str(path))
    dataset.create_scalar_index("i.t", "INVERTED", name="i")
    ours = LanceTable.forPath(spark, str(path))
    names = "i"
    assert {i.name for i in ours.describe_indices()} == set(names)
    ours.optimize.optimize_indices()
    for name in names:
        with pytest.raises(LanceError, match="Inverted"):
            ours.optimize.optimize_indices(index_names=[name])
    ours.optimize.compact_files()  # keeps the fragments that these indices cover
    assert len(lance.dataset(str(path)).get_fragments()) == 4
    assert {i.name for i in lance.dataset(str(path)).describe_indices()} == set(names)
    with pytest.raises(NotFoundError):
        ours.optimize.optimize_indices(index_names=["nothing"])

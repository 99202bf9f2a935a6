# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Columns, properties, maintenance, the table builder, and catalogs of the package."""

from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import lance
import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    IntegerType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from pyspark_lance import (
    Catalog,
    InvalidRequestError,
    LanceTable,
    NotFoundError,
    lance_table,
    read,
    vector_field,
    write,
)
from pyspark_lance.query import MultiMatchQuery
from pyspark_lance.sql import literal, parts

# Each is SQL for both; on classic Spark the examples in the docstrings run.
pytestmark = pytest.mark.on("connect")


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "table.lance")


@pytest.fixture
def table(any_spark, path):
    write(any_spark.range(0, 10, 1, 2).selectExpr("id", "concat('n', id) AS name"), path)
    return LanceTable.forPath(any_spark, path)


@pytest.fixture
def namespace(any_spark):
    """A separate namespace in the catalog `lance`."""
    name = f"n{uuid4().hex[:12]}"
    catalog = Catalog(any_spark)
    catalog.create_namespace(name, {"team": "a"})
    yield name
    catalog.drop_namespace(name, cascade=True)


def test_added_columns(any_spark, table, path):
    table.add_columns({"half": "id / 2"})
    table.add_columns({"next": F.col("id") + 1})
    scores = table.toDF().where("id < 3").selectExpr("_rowaddr", "id * 10 AS score")
    table.add_columns(scores)
    table.merge_columns(pa.table({"id": [4, 5], "word": ["four", "five"]}), "id")
    table.add_columns(StructField("later", IntegerType()))
    table.add_columns(StructType([vector_field("v", 4)]))
    table.add_columns([pa.field("small", pa.uint8()), pa.field("text", pa.string())])
    rows = lance.dataset(path).to_table().sort_by("id").to_pylist()
    assert [r["half"] for r in rows[:3]] == [0.0, 0.5, 1.0]
    assert [r["score"] for r in rows[:4]] == [0, 10, 20, None]
    assert [r["word"] for r in rows[3:6]] == [None, "four", "five"]
    assert {r["later"] for r in rows} == {None}
    assert str(lance.dataset(path).schema.field("v").type).endswith("[4]")
    assert lance.dataset(path).schema.field("small").type == pa.uint8()
    table.add_columns(
        [
            StructField("a b", StructType([StructField("c d", IntegerType(), False)])),
            StructField("noted", IntegerType(), True, {"comment": "it's", "mine": 1}),
            StructField("seven", IntegerType(), False, {"CURRENT_DEFAULT": "7"}),
        ]
    )
    table.add_columns(StructField("s", StructType([vector_field("v", 3)])))
    schema = lance.dataset(path).schema
    assert schema.field("a b").type == pa.struct([pa.field("c d", pa.int32(), False)])
    assert schema.field("noted").metadata[b"comment"] == b"it's"
    assert set(lance.dataset(path).to_table()["seven"].to_pylist()) == {7}
    assert schema.field("s").type == pa.struct([("v", pa.list_(pa.float32(), 3))])
    for full in (vector_field("w", 4, nullable=False), StructField("x", IntegerType(), False)):
        with pytest.raises(InvalidRequestError):
            table.add_columns(full)
    with pytest.raises(TypeError, match="new columns"):
        table.add_columns(["a"])
    with pytest.raises(ValueError, match="no columns"):
        table.add_columns({})


def test_changed_columns(any_spark, table, path):
    upper = table.toDF().where("id > 7").selectExpr("_rowid", "upper(name) AS name")
    table.update_columns(upper, on="_rowid")
    table.update_columns(pa.table({"id": [0], "name": ["zero"]}), on="id")
    version = table.version
    table.alter_columns({"path": "id", "comment": "id"}, {"path": "name", "comment": "name"})
    assert table.version == version + 1
    table.alter_columns(
        {"path": "id", "name": "key", "comment": "the key"},
        {"path": "name", "nullable": True, "comment": "a name"},
    )
    table.add_columns({"n": "CAST(1 AS INT)"})
    table.alter_columns({"path": "n", "data_type": pa.int64()})
    for none in (pa.uint64(), pa.list_(pa.float32(), 2), pa.timestamp("ns"), pa.large_string()):
        with pytest.raises(TypeError, match="SQL has no name"):
            table.alter_columns({"path": "n", "data_type": none})
    theirs = lance.dataset(path)
    assert theirs.to_table()["name"].to_pylist()[::9] == ["zero", "N9"]
    assert theirs.schema.names == ["key", "name", "n"]
    assert str(theirs.schema.field("n").type) == "int64"
    assert table.schema["key"].metadata["comment"] == "the key"
    assert table.schema["name"].metadata["comment"] == "a name"
    table.drop_columns(["n"])
    assert table.toDF().columns == ["key", "name"]
    with pytest.raises(ValueError, match="not a change"):
        table.alter_columns({"path": "key", "type": "INT"})
    with pytest.raises(AnalysisException):
        table.drop_columns(["nosuch"])
    with pytest.raises(AnalysisException, match="nullable"):
        table.alter_columns({"path": "key", "nullable": False})


def test_properties(table, path):
    assert table.update_config({"team": "it's", "n": "1"})["team"] == "it's"
    assert lance.dataset(path).config()["team"] == "it's"
    assert "n" not in table.update_config({"n": None, "nosuch": None})
    assert table.update_config({"a": "b"}, replace=True) == {"a": "b"}
    table.delete_config_keys(["a", "nosuch"])
    assert table.config() == {}
    table.optimize.enable_auto_cleanup(20, timedelta(days=7))
    assert lance.dataset(path).config()["lance.auto_cleanup.interval"] == "20"
    table.optimize.disable_auto_cleanup()
    assert table.config() == {}
    assert table.update_metadata({"owner": "it's", "n": "1"}) == {"owner": "it's", "n": "1"}
    assert table.update_metadata({"n": None}) == {"owner": "it's"}
    assert table.metadata == lance.dataset(path).metadata
    assert table.update_metadata({"a": "b"}, replace=True) == {"a": "b"}
    assert table.update_schema_metadata({"s": "1"})["s"] == "1"
    table.update_field_metadata({"name": {"unit": "m"}})
    assert lance.dataset(path).schema.field("name").metadata[b"unit"] == b"m"
    table.add_bases(far=f"{path}.far")
    assert [b.name for b in lance.dataset(path).base_paths().values()] == ["far"]
    with pytest.raises(InvalidRequestError, match="nosuch"):
        table.update_field_metadata({"nosuch": {"unit": "m"}})
    assert table.update_metadata({"of": "{table}"}, replace=True) == {"of": "{table}"}
    for call in (
        lambda: table.delete_config_keys("team"),
        lambda: table.optimize.optimize_indices(index_names="team"),
        lambda: table.update_columns(table.toDF(), columns="team", on="id"),
        lambda: MultiMatchQuery("fox", "team").to_dict(),
    ):
        with pytest.raises(TypeError, match=r"list of names: \['team'\]"):
            call()


def test_properties_that_are_kept_when_all_are_replaced(any_spark, path):
    table = (
        LanceTable.create(any_spark)
        .location(path)
        .addColumn("id", "BIGINT")
        .partitionedBy("id")
        .property("team", "a")
        .execute()
    )
    any_spark.sql(f"ALTER TABLE lance.`{path}` ADD CONSTRAINT some CHECK (id > 0)")
    lance.dataset(path).update_config({"owner": "me"})
    numbered = {"txnAppId": "job", "txnVersion": "1"}
    write(any_spark.range(7, 8), path, "append", **numbered)
    kept = {k: v for k, v in table.config().items() if k != "team"}
    some = {"owner", "lance.spark.partitioned", "lance.spark.constraint.some"}
    assert some | {"lance.spark.txn.job"} <= kept.keys()
    version = table.version
    assert table.update_config({"a": "b"}, replace=True) == {"a": "b", **kept}
    assert table.version == version + 2
    with pytest.raises(InvalidRequestError, match="owner"):
        table.update_config({"owner": "you", "a": None})
    with pytest.raises(AnalysisException, match="owner"):
        table.update_config({"owner": None, "c": "d"})
    assert table.version == version + 2


def test_auto_cleanup_keeps_two_weeks_by_default(table):
    age, retained = "lance.auto_cleanup.older_than", "lance.auto_cleanup.retain_versions"
    table.optimize.enable_auto_cleanup(1)
    assert table.config() == {"lance.auto_cleanup.interval": "1", age: "14days"}
    table.delete("id = 3")
    assert [v["version"] for v in table.versions().collect()] == [1, 2, 3]
    table.optimize.disable_auto_cleanup()
    table.optimize.enable_auto_cleanup(1, retain_versions=2)
    assert age not in table.config()
    table.delete("id = 4")
    assert [v["version"] for v in table.versions().collect()] == [5, 6]
    table.optimize.enable_auto_cleanup(1, timedelta(days=7), 3)
    assert (table.config()[age], table.config()[retained]) == ("604800s", "3")


def test_optimize_and_vacuum(any_spark, table, path):
    table.delete("id = 3")
    assert table.optimize().where("id = 99").executeCompaction().first()["fragments_added"] == 0
    done = table.optimize.compact_files(target_rows_per_fragment=100, num_threads=2).first()
    assert (done["fragments_removed"], done["fragments_added"]) == (2, 1)
    condition = "id >= 0 -- all rows"
    assert table.optimize().where(condition).executeZOrderBy("id").first()["fragments_added"] == 1
    assert table.optimize().executeZOrderBy("name", "id").first()["fragments_added"] == 1
    assert table.compact().first()["fragments_added"] == 0
    assert table.vacuum(0, dry_run=True).count() > 0
    table.tags.create("old", 1)
    with pytest.raises(AnalysisException, match="old"):
        table.cleanup_old_versions(timedelta(0), delete_unverified=True)
    left = table.cleanup_old_versions(
        timedelta(0), delete_unverified=True, error_if_tagged_old_versions=False
    ).first()
    assert (left["old_versions"] > 1, table.versions().count()) == (True, 2)
    assert table.vacuum(1.5).first()["old_versions"] == 0
    assert table.cleanup(before_version=1).first()["old_versions"] == 0
    assert lance.dataset(path).count_rows() == 9
    with pytest.raises(ValueError, match="retentionHours"):
        table.vacuum(-1)


def test_facts(table):
    old = table.checkout_version(1)
    table.update_schema_metadata({"owner": "a"})
    assert table.schema_metadata == {"owner": "a"}
    detail = table.detail().first()
    assert (detail["version"], detail["rows"], detail["fragments"]) == (2, 10, 2)
    assert (old.version, old.checkout_latest().version) == (1, 2)
    stored = {row["column"]: row for row in table.inspect().collect()}
    assert (stored["id"]["pages"], stored["id"]["plain_bytes"]) == (2, 80)
    assert "rows: 10\n" in repr(table)
    assert '">10</td>' in table._repr_html_()


def test_manifests_of_early_releases(any_spark, path):
    lance.write_dataset(pa.table({"id": [1]}), path, enable_v2_manifest_paths=False)
    assert Path(path, "_versions", "1.manifest").is_file()
    LanceTable.forPath(any_spark, path).migrate_manifest_paths_v2()
    (manifest,) = Path(path, "_versions").glob("*.manifest")
    assert manifest.name == f"{2**64 - 2}.manifest"


def test_builder(any_spark, namespace, path):
    name = f"lance.{namespace}.made"

    def begun(verb):
        return verb(any_spark).tableName(name).addColumn("id", "BIGINT", nullable=False)

    table = (
        begun(LanceTable.create)
        .addColumn("text", StringType(), comment="it's", encoding={"compression": "zstd"})
        .addColumn("v", "ARRAY<FLOAT>", vector=3)
        .addColumn("photo", "BINARY", blob=True)
        .addColumn("n", "INT", default="7")
        .comment("made column by column")
        .property("team", "a")
        .clusterBy("id")
        .execute()
    )
    theirs = lance.dataset(table.uri)
    assert str(theirs.schema.field("v").type).endswith("[3]")
    assert theirs.schema.field("text").metadata[b"lance-encoding:compression"] == b"zstd"
    assert not theirs.schema.field("id").nullable
    assert table.config()["team"] == "a"
    any_spark.sql(f"INSERT INTO {name} (id) VALUES (1)")
    assert table.toDF().first()["n"] == 7
    begun(LanceTable.createIfNotExists).execute()
    assert table.count_rows() == 1
    with pytest.raises(AnalysisException, match="exists"):
        begun(LanceTable.create).execute()
    assert begun(LanceTable.replace).execute().toDF().columns == ["id"]
    fields = [StructField("x", IntegerType()), vector_field("v", 2)]
    replaced = LanceTable.createOrReplace(any_spark).tableName(name).addColumns(fields).execute()
    assert replaced.schema["v"].metadata["arrow.fixed-size-list.size"] == 2
    by_path = LanceTable.create(any_spark).location(path).addColumns(replaced.schema)
    assert by_path.partitionedBy("x").execute().schema == replaced.schema
    shown = any_spark.sql(f"SHOW CREATE TABLE lance.`{path}`").first()[0]
    assert "PARTITIONED BY (x)" in shown
    with pytest.raises(ValueError, match="neither a name nor a location"):
        LanceTable.create(any_spark).addColumn("id", "INT").execute()


def test_builder_keeps_metadata_of_nested_fields(any_spark, path):
    narrow = {"lance.type": "uint8"}
    members = StructType(
        [
            vector_field("v.1", 2, comment="it's"),
            StructField("n", ShortType(), False, narrow),
            StructField("with space", IntegerType()),
        ]
    )
    schema = StructType(
        [
            StructField("s", members, False),
            StructField("l", ArrayType(members)),
            StructField(
                "m", MapType(StringType(), ShortType()), True, {"value.lance.type": "uint8"}
            ),
            StructField("seven", IntegerType(), True, {"CURRENT_DEFAULT": "7", "mine": "yes"}),
            StructField("at", TimestampNTZType()),
            StructField("zoned", TimestampType()),
        ]
    )
    table = LanceTable.create(any_spark).location(path).addColumns(schema)
    table = table.addColumn("t", members).execute()
    theirs = lance.dataset(path).schema
    inner = pa.struct(
        [
            pa.field("v.1", pa.list_(pa.float32(), 2)),
            pa.field("n", pa.uint8(), False),
            pa.field("with space", pa.int32()),
        ]
    )
    assert [f.type for f in theirs] == [
        inner,
        pa.list_(inner),
        pa.map_(pa.string(), pa.uint8()),
        pa.int32(),
        pa.timestamp("us"),
        pa.timestamp("us", "UTC"),
        inner,
    ]
    assert not theirs.field("s").nullable
    assert theirs.field("s").type.field("v.1").metadata[b"comment"] == b"it's"
    any_spark.sql(f"INSERT INTO lance.`{path}` (s) SELECT struct(array(1f, 2f), 3S, 4)")
    assert table.toDF().first()["seven"] == 7
    again = LanceTable.create(any_spark).location(f"{path}.again").addColumns(table.schema)
    assert again.execute().schema == table.schema
    with pytest.raises(TypeError, match="no name for vector"):
        again.addColumn("u", VectorUDT())


def test_catalog(any_spark, namespace, tmp_path):
    catalog = Catalog(any_spark, "lance")
    LanceTable.create(any_spark).tableName(f"lance.{namespace}.a").addColumn("i", "INT").execute()
    catalog.create_namespace(f"{namespace}.inner", if_not_exists=True)
    assert [r["namespace"] for r in catalog.list_namespaces(namespace).collect()] == [
        f"{namespace}.inner"
    ]
    catalog.rename(f"{namespace}.a", f"{namespace}.inner.b")
    assert [r["tableName"] for r in catalog.list_tables(f"{namespace}.inner").collect()] == ["b"]
    assert catalog.table(f"{namespace}.inner.b").count_rows() == 0
    with pytest.raises(AnalysisException):
        catalog.drop_namespace(f"{namespace}.inner")
    catalog.drop(f"{namespace}.inner.b")
    catalog.drop(f"{namespace}.inner.b", if_exists=True)
    with pytest.raises(NotFoundError):
        catalog.table(f"{namespace}.inner.b")
    catalog.drop_namespace(f"{namespace}.inner")


def test_a_name_without_a_catalog_is_unambiguous(any_spark, tmp_path):
    """The catalog of the procedures has a table with the same name."""
    other = f"other_{uuid4().hex[:8]}"
    root = f"spark.sql.catalog.{other}"
    any_spark.conf.set(root, "io.github.pysparklance.spark.LanceCatalog")
    any_spark.conf.set(f"{root}.root", str(tmp_path / other))
    name = f"stock_{uuid4().hex[:8]}"
    before = any_spark.sql("SELECT current_catalog(), current_schema()").first()
    theirs = LanceTable.create(any_spark).tableName(f"lance.{name}").addColumn("i", "INT").execute()
    try:
        any_spark.sql(f"CREATE NAMESPACE {other}.`a b`")
        any_spark.sql(f"USE {other}.`a b`")
        made = LanceTable.create(any_spark).tableName(name).addColumn("id", "INT").execute()
        tables = [made, LanceTable.forName(any_spark, name), lance_table(any_spark, name)]
        tables.append(LanceTable.forName(any_spark, f"`a b`.{name}"))
        any_spark.sql("USE lance")
        for i, table in enumerate(tables):
            table.update_metadata({f"n{i}": "1"})
            table.update_config({f"c{i}": "1"})
        assert [t.metadata.keys() for t in tables] == [{"n0", "n1", "n2", "n3"}] * 4
        assert tables[1].toDF().columns == ["id"]
        assert f"LanceTable({name})" in repr(tables[1])
        assert (theirs.metadata, theirs.version) == ({}, 1)
    finally:
        any_spark.sql(f"USE {before[0]}.{before[1]}")
        theirs.drop(any_spark, f"lance.{name}")


def test_a_view_with_the_name_of_a_table(any_spark):
    name = f"both_{uuid4().hex[:8]}"
    before = any_spark.sql("SELECT current_catalog(), current_schema()").first()
    any_spark.sql("USE lance")
    try:
        write(any_spark.range(3), name)
        any_spark.range(7).createOrReplaceTempView(name)
        write(any_spark.range(1), name, mode="append")
        assert LanceTable.forName(any_spark, name).count_rows() == 4
        write(any_spark.range(2), name, mode="overwrite")
        assert LanceTable.isLanceTable(any_spark, name)
        assert LanceTable.forName(any_spark, name).count_rows() == 2
        assert read(any_spark, name).count() == 7
        LanceTable.drop(any_spark, name)
        assert not LanceTable.isLanceTable(any_spark, name)
        assert any_spark.table(name).count() == 7
    finally:
        any_spark.catalog.dropTempView(name)
        any_spark.sql(f"USE {before[0]}.{before[1]}")


def test_catalog_registers_tables(any_spark, tmp_path):
    root = tmp_path / "known"
    name = f"known_{uuid4().hex[:8]}"
    any_spark.conf.set(f"spark.sql.catalog.{name}", "io.github.pysparklance.spark.LanceCatalog")
    any_spark.conf.set(f"spark.sql.catalog.{name}.root", str(root))
    any_spark.conf.set(f"spark.sql.catalog.{name}.manifestEnabled", "true")
    write(any_spark.range(3), root / "elsewhere" / "t.lance")
    catalog = Catalog(any_spark, name)
    with pytest.raises(NotFoundError, match="wrong"):
        catalog.register("t", root / "elsewhere" / "wrong")
    table = catalog.register("t", root / "elsewhere" / "t.lance")
    assert table.count_rows() == 3


def test_sql_text():
    assert parts("a.`b.c`.`d``e`") == ["a", "b.c", "d`e"]
    with pytest.raises(ValueError, match="not a name"):
        parts("a..b")
    assert literal("it's \\ here") == "'it\\'s \\\\ here'"
    with pytest.raises(TypeError, match="no literal"):
        literal(object())


@pytest.mark.parametrize(
    "value",
    [
        "it's \\n \\ `x` \"",
        "${env:PATH} $",
        "\\${spark.app.name}",
        1.5,
        True,
        None,
        -7,
        [1, 2],
        {"a": 1},
    ],
)
def test_literals_have_their_values(any_spark, value):
    assert any_spark.sql(f"SELECT {literal(value)} AS v").first()["v"] == value

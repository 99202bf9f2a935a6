# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""A `LanceCatalog` with `impl=rest` and pylance's RestAdapter, whose tables pylance uses, too."""

import itertools
import urllib.parse

import lance
import pyarrow as pa
import pytest
from lance.namespace import RestAdapter, RestNamespace
from lance_namespace import (
    CreateNamespaceRequest,
    CreateTableRequest,
    DeclareTableRequest,
    DescribeTableRequest,
    DropTableRequest,
    ListTablesRequest,
    ListTableVersionsRequest,
)
from pyspark.errors import AnalysisException

NAMES = (f"rest{n}" for n in itertools.count())


class Service:
    """A catalog of a session, and pylance's client, for one service."""

    def __init__(self, spark, root, **properties):
        self.adapter = RestAdapter("dir", {"root": str(root), **properties}, port=0)
        self.adapter.start()
        self.uri = f"http://127.0.0.1:{self.adapter.port}"
        self.client = RestNamespace(uri=self.uri)
        self.spark = spark
        self.name = next(NAMES)
        spark.conf.set(
            f"spark.sql.catalog.{self.name}", "io.github.pysparklance.spark.LanceCatalog"
        )
        spark.conf.set(f"spark.sql.catalog.{self.name}.impl", "rest")
        spark.conf.set(f"spark.sql.catalog.{self.name}.uri", self.uri)

    def sql(self, *statements):
        rows = []
        for statement in statements:
            rows = self.spark.sql(statement.replace("CAT.", f"{self.name}.")).collect()
        return [tuple(row) for row in rows]

    def dataset(self, *names):
        return lance.dataset(namespace_client=self.client, table_id=list(names))

    def write(self, table, *names, mode="create"):
        return lance.write_dataset(
            table, namespace_client=self.client, table_id=list(names), mode=mode
        )


@pytest.fixture
def service(any_spark, tmp_path):
    made = Service(any_spark, tmp_path)
    yield made
    made.adapter.stop()


def test_statements(service):
    s = service
    s.sql(
        "CREATE NAMESPACE CAT.shop WITH PROPERTIES ('team' = 'x')",
        "CREATE NAMESPACE CAT.shop.eu",
    )
    assert s.sql(f"SHOW NAMESPACES IN {s.name}") == [("shop",)]
    assert s.sql("SHOW NAMESPACES IN CAT.shop") == [("shop.eu",)]
    assert "team" in str(s.sql("DESCRIBE NAMESPACE EXTENDED CAT.shop"))
    s.sql(
        "CREATE TABLE CAT.shop.eu.orders (id BIGINT, item STRING)",
        "INSERT INTO CAT.shop.eu.orders VALUES (1, 'tea'), (2, 'salt')",
        "MERGE INTO CAT.shop.eu.orders AS t USING"
        " (SELECT * FROM VALUES (2L, 'sugar'), (3L, 'rice') AS s(id, item)) AS u ON t.id = u.id"
        " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        "UPDATE CAT.shop.eu.orders SET item = 'cha' WHERE id = 1",
        "ALTER TABLE CAT.shop.eu.orders ADD COLUMN price INT",
        "DELETE FROM CAT.shop.eu.orders WHERE id = 3",
    )
    expected = [
        {"id": 1, "item": "cha", "price": None},
        {"id": 2, "item": "sugar", "price": None},
    ]
    rows = s.sql("SELECT * FROM CAT.shop.eu.orders ORDER BY id")
    assert rows == [tuple(row.values()) for row in expected]
    theirs = s.dataset("shop", "eu", "orders")
    theirs.validate()
    assert sorted(theirs.to_table().to_pylist(), key=lambda r: r["id"]) == expected
    assert s.client.list_tables(ListTablesRequest(id=["shop", "eu"])).tables == ["orders"]
    assert s.sql("SHOW TABLES IN CAT.shop.eu") == [("shop.eu", "orders", False)]
    described = dict(row[:2] for row in s.sql("DESCRIBE TABLE EXTENDED CAT.shop.eu.orders"))
    assert described["Provider"] == "lance"
    with pytest.raises(AnalysisException, match=r"SCHEMA_NOT_EMPTY|not empty"):
        s.sql("DROP NAMESPACE CAT.shop")
    s.sql("DROP TABLE CAT.shop.eu.orders")
    assert s.client.list_tables(ListTablesRequest(id=["shop", "eu"])).tables == []
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        s.sql("SELECT * FROM CAT.shop.eu.orders")
    s.sql("CREATE TABLE CAT.shop.eu.more AS SELECT 1 AS id", "DROP NAMESPACE CAT.shop CASCADE")
    assert s.sql(f"SHOW NAMESPACES IN {s.name}") == []


@pytest.mark.on("classic")
def test_tables_of_pylance(service):
    s = service
    s.client.create_namespace(CreateNamespaceRequest(id=["n"]))
    s.write(pa.table({"id": [1, 2]}), "n", "written")
    s.sql("INSERT INTO CAT.n.written VALUES (3)")
    s.write(pa.table({"id": [4]}), "n", "written", mode="append")
    assert s.sql("SELECT * FROM CAT.n.written ORDER BY id") == [(1,), (2,), (3,), (4,)]
    with pa.BufferOutputStream() as out:
        with pa.ipc.new_stream(out, pa.schema({"id": pa.int64()})) as stream:
            stream.write_table(pa.table({"id": [7]}))
        s.client.create_table(CreateTableRequest(id=["n", "made"]), out.getvalue().to_pybytes())
    assert s.sql("SELECT * FROM CAT.n.made") == [(7,)]
    s.client.declare_table(DeclareTableRequest(id=["n", "declared"]))
    assert [row[1] for row in s.sql("SHOW TABLES IN CAT.n")] == ["made", "written"]
    s.sql("CREATE TABLE CAT.n.declared AS SELECT 9L AS id")
    assert s.dataset("n", "declared").to_table().to_pylist() == [{"id": 9}]
    s.client.drop_table(DropTableRequest(id=["n", "made"]))
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        s.sql("SELECT * FROM CAT.n.made")


@pytest.mark.on("classic")
def test_special_names(any_spark, tmp_path):
    (tmp_path / "a b").mkdir()
    s = Service(any_spark, tmp_path / "a b")
    try:
        for name in [
            "with space",
            "per%20cent",
            "a+b",
            "q?&=#",
            "-dash",
            "ümlaut 東",
            "semi;colon",
        ]:
            quoted = f"CAT.`{name}`.`{name}`"
            s.sql(f"CREATE NAMESPACE CAT.`{name}`", f"CREATE TABLE {quoted} AS SELECT 1 AS id")
            if urllib.parse.quote(name, safe="+;") == name:
                # pylance's service finds no files of others, because it encodes their paths
                assert s.sql(f"SHOW TABLES IN CAT.`{name}`")[0][1] == name
            s.sql(f"INSERT INTO {quoted} VALUES (2)")
            assert s.sql(f"SELECT * FROM {quoted} ORDER BY id") == [(1,), (2,)]
            if " " not in name:  # pylance's client sends "+" for it, which its service keeps
                assert s.dataset(name, name).count_rows() == 2
            s.sql(f"DROP NAMESPACE CAT.`{name}` CASCADE")
        with pytest.raises(AnalysisException, match="delimiter"):
            s.sql("CREATE TABLE CAT.`a$b` AS SELECT 1 AS id")
    finally:
        s.adapter.stop()


@pytest.mark.on("classic")
def test_versions_that_the_service_records(any_spark, tmp_path):
    s = Service(any_spark, tmp_path, table_version_tracking_enabled="true")
    try:
        s.sql("CREATE NAMESPACE CAT.n", "CREATE TABLE CAT.n.t AS SELECT 1L AS id")
        managed = s.client.describe_table(DescribeTableRequest(id=["n", "t"])).managed_versioning
        assert managed
        s.sql("INSERT INTO CAT.n.t VALUES (2)")
        s.write(pa.table({"id": [3]}), "n", "t", mode="append")
        s.sql("UPDATE CAT.n.t SET id = 10 WHERE id = 1")
        assert s.sql("SELECT * FROM CAT.n.t ORDER BY id") == [(2,), (3,), (10,)]
        assert s.sql("SELECT count(*) FROM CAT.n.t VERSION AS OF 2") == [(2,)]
        listed = s.client.list_table_versions(ListTableVersionsRequest(id=["n", "t"])).versions
        assert sorted(v.version for v in listed) == [1, 2, 3, 4]
        assert sorted(s.dataset("n", "t").to_table()["id"].to_pylist()) == [2, 3, 10]
        s.sql("ALTER TABLE CAT.n.t CREATE BRANCH dev", "INSERT INTO CAT.n.t.branch_dev VALUES (11)")
        assert s.sql("SELECT count(*) FROM CAT.n.t.branch_dev") == [(4,)]
        s.sql("DROP TABLE CAT.n.t")
        assert s.client.list_tables(ListTablesRequest(id=["n"])).tables == []
    finally:
        s.adapter.stop()


@pytest.mark.on("classic")
def test_location_and_rename(service, tmp_path):
    s = service
    s.sql("CREATE NAMESPACE CAT.n")
    at = tmp_path / "mine.lance"
    s.sql(f"CREATE TABLE CAT.n.t (id BIGINT) LOCATION '{at}'", "INSERT INTO CAT.n.t VALUES (1)")
    assert lance.dataset(at).count_rows() == 1
    lance.write_dataset(pa.table({"id": [5]}), tmp_path / "theirs.lance")
    s.sql(f"CREATE TABLE CAT.n.u LOCATION '{tmp_path / 'theirs.lance'}'")
    assert s.sql("SELECT * FROM CAT.n.u") == [(5,)]
    s.sql("ALTER TABLE CAT.n.u RENAME TO n.v")
    assert s.sql("SELECT * FROM CAT.n.v") == [(5,)]
    assert [row[1] for row in s.sql("SHOW TABLES IN CAT.n")] == ["t", "v"]


@pytest.mark.on("classic")
def test_storage_options_of_the_service(any_spark, tmp_path):
    properties = {"storage.some_secret": "wJalr", "vend_input_storage_options": "true"}
    s = Service(any_spark, tmp_path, **properties)
    try:
        s.sql("CREATE TABLE CAT.t AS SELECT id FROM range(10)")
        vended = s.client.describe_table(DescribeTableRequest(id=["t"], vend_credentials=True))
        assert vended.storage_options["some_secret"] == "wJalr"
        assert s.sql("SELECT count(*) FROM CAT.t") == [(10,)]
        assert "wJalr" not in str(s.sql("EXPLAIN EXTENDED SELECT * FROM CAT.t"))
    finally:
        s.adapter.stop()

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{AnalysisException, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{Pylance, SharedSpark, TemporaryFolder}

/** Metadata tables of a pylance table, compared with pylance. */
class MetadataTablesSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark: SparkSession = {
    val s = SharedSpark.newInterpreted()
    s.conf.set(
      "spark.sql.catalog.spark_catalog",
      "io.github.pysparklance.spark.LanceSessionCatalog"
    )
    s
  }

  /** Version 1 writes 10 rows in two fragments, 2 appends 5 rows, 3 deletes 3, 4 sets a property,
    * and 5 creates an index. There are a tag v2, and a branch dev at version 2 with two versions.
    */
  private def table(): String = {
    val path = folder.resolve("t").toString
    Pylance.write(
      "[{'id': i, 's': {'a': str(i)}} for i in range(10)]",
      path,
      "max_rows_per_file" -> 5
    )
    Pylance.write(
      "[{'id': i, 's': {'a': str(i)}} for i in range(10, 15)]",
      path,
      "mode" -> "append"
    )
    Pylance.run(
      """
      d = dataset(path)
      d.delete("id in (1, 2, 12)")
      d = dataset(path)
      d.update_config({"owner": "me"})
      dataset(path).create_scalar_index("id", "BTREE", name="by_id")
      dataset(path).tags.create("v2", 2)
      dataset(path).create_branch("dev", 2)
      b = dataset(path).checkout_version(("dev", None))
      b.delete("id = 0")
      result = None
      """,
      "path" -> path
    ): Unit
    path
  }

  private def rows(query: String): Seq[Row] = spark.sql(query).collect().toSeq

  private def rejected(query: String): String =
    intercept[AnalysisException](rows(query)).getMessage

  test("history, versions, and transactions") {
    val t = s"lake.`${table()}`"
    val history =
      rows(s"SELECT version, operation, rows, rows_added, rows_deleted, fragments FROM $t.history")
    assert(history == Seq(
      Row(5L, "CreateIndex", 12L, 0L, 0L, 3),
      Row(4L, "UpdateConfig", 12L, 0L, 0L, 3),
      Row(3L, "Delete", 12L, 0L, 3L, 3),
      Row(2L, "Append", 15L, 5L, 0L, 3),
      Row(1L, "Overwrite", 10L, 10L, 0L, 2)
    ))
    val versions = Pylance.versions(folder.resolve("t").toString)
    val ours =
      rows(s"SELECT version, rows, fragments, tags, data_files, deletion_files FROM $t.versions")
    assert(ours.map(_.getLong(0)) == versions.map(_.get("version").asLong))
    assert(ours.map(_.getLong(1)) == versions.map(_.get("rows").asLong))
    assert(ours.map(_.getInt(2)) == versions.map(_.get("fragments").asInt))
    assert(ours.map(_.getSeq[String](3)) == Seq(Nil, Seq("v2"), Nil, Nil, Nil))
    assert(ours.map(_.getInt(5)) == Seq(0, 0, 2, 2, 2))
    val times = rows(
      s"SELECT count(DISTINCT timestamp), max(bytes) > 0, min(manifest_bytes) > 0 FROM $t.versions"
    )
    assert(times == Seq(Row(5L, true, true)))
    val transactions =
      rows(
        s"SELECT version, uuid, read_version, operation, message FROM $t.transactions ORDER BY version"
      )
    assert(transactions.map(_.getString(1)).distinct.length == 5)
    assert(transactions.map(_.getLong(2)) == Seq(0, 1, 2, 3, 4))
    assert(transactions(2).getString(4).toLowerCase.contains("id in (1, 2, 12)"))
  }

  test("indices and their statistics agree after deferred remaps, and name nested fields") {
    spark.sql("CREATE NAMESPACE lake.indexed")
    val t = "lake.indexed.t"
    spark.sql(s"CREATE TABLE $t AS SELECT id, named_struct('a.b', id, 'c', id) AS s FROM range(40)")
    spark.sql(s"CREATE INDEX by_id ON $t USING btree (id)")
    spark.sql(s"CREATE INDEX by_name ON $t USING btree (s.`a.b`)")
    spark.sql(s"INSERT INTO $t SELECT id, named_struct('a.b', id, 'c', id) FROM range(40, 50)")
    spark.sql(s"INSERT INTO $t SELECT id, named_struct('a.b', id, 'c', id) FROM range(50, 60)")
    spark.sql(s"OPTIMIZE INDEX by_id ON $t")
    spark.sql(s"DELETE FROM $t WHERE id = 3")
    spark.sql(s"OPTIMIZE $t WITH (defer_index_remap = true)")
    val stats = rows(s"SELECT * FROM $t.index_stats")
    assert(stats == rows(s"SHOW INDEXES IN $t"))
    assert(stats.map(r => Row.fromSeq(r.toSeq.init)) == Seq(
      Row("by_id", Seq("id"), "BTREE", 2L, 59L, 0L, 0L, 1L),
      Row("by_name", Seq("s.`a.b`"), "BTREE", 1L, 39L, 1L, 20L, 1L)
    ))
    val segments = rows(
      "SELECT name, fields, num_indexed_fragments, num_indexed_rows, num_unindexed_fragments, " +
        s"size(fragment_ids) FROM $t.indices WHERE NOT is_system ORDER BY name"
    )
    assert(segments == Seq(
      Row("by_id", Seq("id"), 2, 59L, 0, 2),
      Row("by_name", Seq("s.`a.b`"), 1, 39L, 1, 1)
    ))
    assert(rows(s"SELECT num_unindexed_rows FROM $t.index_stats VERSION AS OF 4 ORDER BY name") ==
      Seq(Row(10L), Row(10L)))
  }

  test("history of a version, tag, and branch") {
    val path = table()
    val t = s"lake.`$path`"
    def versions(name: String) =
      rows(s"SELECT version FROM $name").map(_.getLong(0))
    assert(versions(s"$t.history VERSION AS OF 3") == Seq(3, 2, 1))
    assert(versions(s"$t.history VERSION AS OF 'v2'") == Seq(2, 1))
    assert(versions(s"$t.tag_v2.history") == Seq(2, 1))
    assert(versions(s"$t.branch_dev.history") == Seq(3, 2))
    assert(versions(s"$t.branch_dev.history VERSION AS OF 2") == Seq(2))
    assert(rows(s"SELECT operation, rows_deleted FROM $t.branch_dev.history LIMIT 1") ==
      Seq(Row("Delete", 1L)))
    assert(spark.read.option("branch", "dev").table(s"$t.history").count() == 2)
    assert(spark.read.format("lance").load(s"$path#history").count() == 5)
    assert(spark.read.format("lance").load(s"$path@v3#HISTORY").count() == 3)
    assert(spark.read.format("lance").option("tag", "v2").load(s"$path#history").count() == 2)
    assert(rows(s"SELECT max(version) FROM lake.`$path#history`") == Seq(Row(5L)))
  }

  test("fragments, files, and deletions") {
    val path = table()
    val t = s"lake.`$path`"
    val theirs = Pylance.fragments(path)
    val ours = rows(
      s"SELECT fragment_id, physical_rows, rows, deleted_rows, has_deletion_file FROM $t.fragments"
    )
    assert(ours == Seq(
      Row(0L, 5L, 3L, 2L, true),
      Row(1L, 5L, 5L, 0L, false),
      Row(2L, 5L, 4L, 1L, true)
    ))
    assert(ours.map(_.getLong(1)) == theirs.map(_.get("physical_rows").asLong))
    val files =
      rows(s"SELECT path, fragment_id, file_version, bytes, columns, base_id FROM $t.files")
    assert(files.length == 3 && files.forall(f => f.getString(0).startsWith(s"file:$path/data/")))
    assert(files.forall(f =>
      Files.size(
        Path.of(f.getString(0).stripPrefix("file:"))
      ) == f.getLong(3)
    ))
    assert(files.forall(_.getSeq[String](4) == Seq("id", "s")) && files.forall(_.isNullAt(5)))
    val deletions = rows(s"SELECT fragment_id, deleted_rows, offsets FROM $t.deletions")
    assert(deletions == Seq(Row(0L, 2L, Seq(1L, 2L)), Row(2L, 1L, Seq(2L))))
    assert(deletions.map(_.getSeq[Long](2)) == theirs.map(_.get("deleted").elements.asScala
      .map(_.asLong).toSeq).filter(_.nonEmpty))
    assert(rows(s"SELECT * FROM $t.deletions VERSION AS OF 2").isEmpty)
    // joined with the rows
    assert(rows(
      s"SELECT f.fragment_id, count(*) FROM $t t JOIN $t.fragments f ON t._fragid = f.fragment_id " +
        "GROUP BY 1 ORDER BY 1"
    ) == Seq(Row(0L, 3L), Row(1L, 5L), Row(2L, 4L)))
  }

  test("columns, indices, and configuration") {
    val path = table()
    val t = s"lake.`$path`"
    val theirs = Pylance.schema(path)
    val ours =
      rows(s"SELECT path, field_id, parent_id, type, spark_type, is_nullable FROM $t.columns")
    assert(ours == Seq(
      Row("id", 0, null, "int64", "BIGINT", true),
      Row("s", 1, null, "struct", "STRUCT<a: STRING>", true),
      Row("s.a", 2, 1, "string", "STRING", true)
    ))
    assert(ours.map(_.getInt(1)) == theirs.map(_.get("id").asInt))
    assert(rows(
      "SELECT name, type, fields, num_indexed_fragments, num_unindexed_fragments, is_system " +
        s"FROM $t.indices"
    ) == Seq(Row("by_id", "BTree", Seq("id"), 3, 0, false)))
    assert(rows(s"SELECT * FROM $t.indices VERSION AS OF 4").isEmpty)
    assert(rows(s"SELECT key, value FROM $t.config WHERE scope = 'config' AND key = 'owner'") ==
      Seq(Row("owner", "me")))
    assert(rows(s"SELECT * FROM $t.config VERSION AS OF 3 WHERE key = 'owner'").isEmpty)
    assert(rows(s"SELECT * FROM $t.base_paths").isEmpty)
    val bases = rows(s"SELECT path, is_dataset_root FROM $t.branch_dev.base_paths")
    assert(
      bases.map(_.getString(0).stripPrefix("file://")) == Seq(path) && bases.head.getBoolean(1)
    )
    val shared = rows(s"SELECT DISTINCT base_id FROM $t.branch_dev.files")
    assert(shared == Seq(Row(rows(s"SELECT base_id FROM $t.branch_dev.base_paths").head.getInt(0))))
  }

  test("tags, branches, and refs") {
    val t = s"lake.`${table()}`"
    assert(rows(s"SELECT name, branch, version, metadata FROM $t.tags") ==
      Seq(Row("v2", null, 2L, Map.empty)))
    assert(rows(s"SELECT name, parent_branch, parent_version FROM $t.branches") ==
      Seq(Row("dev", null, 2L)))
    assert(rows(s"SELECT name, type, branch, version FROM $t.refs ORDER BY name") == Seq(
      Row("dev", "BRANCH", "dev", 3L),
      Row("main", "BRANCH", "main", 5L),
      Row("v2", "TAG", "main", 2L)
    ))
    assert(rows(s"SELECT name FROM $t.branch_dev.tags") == Seq(Row("v2")))
    assert(rejected(s"SELECT * FROM $t.tags VERSION AS OF 2").contains("no versions"))
  }

  test("both catalogs have them, and a table with such a name takes precedence") {
    spark.sql("CREATE NAMESPACE lake.meta")
    try {
      spark.sql("CREATE TABLE lake.meta.t AS SELECT 1 AS id")
      assert(rows("SELECT operation FROM lake.meta.t.history") ==
        Seq(Row("CREATE TABLE AS SELECT")))
      assert(rows("SELECT operation FROM lake.meta.t.transactions") == Seq(Row("Overwrite")))
      assert(spark.table("lake.meta.t.Files").count() == 1)
      spark.sql("CREATE NAMESPACE lake.meta.t")
      spark.sql("CREATE TABLE lake.meta.t.files AS SELECT 1 AS mine")
      assert(spark.table("lake.meta.t.files").columns.toSeq == Seq("mine"))
    } finally spark.sql("DROP NAMESPACE lake.meta CASCADE"): Unit
    spark.sql("CREATE TABLE described USING lance AS SELECT 1 AS id")
    try {
      assert(rows("SELECT min(version) FROM described.history") == Seq(Row(1L)))
      assert(rows("SELECT rows FROM default.described.fragments") == Seq(Row(1L)))
      val described =
        rows("DESCRIBE described.tags").map(r => r.getString(0) -> r.getString(2)).toMap
      assert(described("version") == "version of the tag")
    } finally spark.sql("DROP TABLE described"): Unit
  }

  test("metadata tables are read-only") {
    val t = s"lake.`${table()}`"
    val insert = rejected(s"INSERT INTO $t.config VALUES ('a', 'b', 'c')")
    assert(insert.contains("UNSUPPORTED_FEATURE") || insert.contains("does not support append"))
    assert(rejected(s"DELETE FROM $t.history").nonEmpty)
    assert(rows(s"SELECT count(*) FROM $t.history") == Seq(Row(5L)))
  }

  test("a query reads only the files that it needs") {
    val path = table()
    // damaged manifests of old versions do not affect queries that do not read them
    val t = s"lake.`$path`"
    rows(s"SELECT manifest_path FROM $t.versions WHERE version <= 2").foreach { r =>
      Files.writeString(Path.of(r.getString(0).stripPrefix("file:")), "damaged, " * 10)
    }
    assert(rows(s"SELECT version, operation FROM $t.history LIMIT 2") ==
      Seq(Row(5L, "CreateIndex"), Row(4L, "UpdateConfig")))
    assert(rows(s"SELECT max(version) FROM $t.versions") == Seq(Row(5L)))
    assert(rows(s"SELECT count(*) FROM $t.versions") == Seq(Row(5L)))
    assert(rejected(s"SELECT * FROM $t.history").contains("corrupt"))
  }
}

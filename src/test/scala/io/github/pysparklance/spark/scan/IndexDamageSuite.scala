// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{LogCapture, SharedSpark, TemporaryFolder, TestRun}

/** Queries scan the table if the files of a scalar index are damaged, and log it. Statements that
  * name the index fail.
  */
class IndexDamageSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted
  private def path: String = folder.resolve("t").toString
  private def t: String = s"lance.`$path`"
  private def sql(text: String): Seq[Row] = spark.sql(text).collect().toSeq

  /** Queries that each kind of index is used for. */
  private val queries = Map(
    "BTREE" -> Seq(
      "SELECT id FROM used WHERE id = 7",
      "SELECT count(*) FROM used WHERE id > 15",
      "SELECT id FROM used ORDER BY id LIMIT 3",
      "SELECT min(id), max(id) FROM used"
    ),
    "BITMAP" -> Seq(
      "SELECT id FROM used WHERE few = 3 AND id < 100",
      "SELECT few, count(*) FROM used GROUP BY few"
    ),
    "ZONEMAP" -> Seq("SELECT id FROM used WHERE zone < 5", "SELECT min(zone) FROM used"),
    "BLOOMFILTER" -> Seq("SELECT id FROM used WHERE bloom = 'b77'"),
    "NGRAM" -> Seq("SELECT id FROM used WHERE contains(text, 'ord 77')"),
    "LABEL_LIST" -> Seq("SELECT id FROM used WHERE array_contains(labels, 'l7')")
  )

  private val columns = Map(
    "BTREE" -> "id",
    "BITMAP" -> "few",
    "ZONEMAP" -> "zone",
    "BLOOMFILTER" -> "bloom",
    "NGRAM" -> "text",
    "LABEL_LIST" -> "labels"
  )

  private val damages = Map[String, Path => Unit](
    "a cut file" -> changed(bytes => bytes.take(bytes.length / 2)),
    "an empty file" -> changed(_ => Array.emptyByteArray),
    "flipped bytes" -> changed(_.map(b => (~b).toByte)),
    "a missing file" -> ((file: Path) => Files.delete(file))
  )

  private def changed(change: Array[Byte] => Array[Byte]): Path => Unit =
    file => Files.write(file, change(Files.readAllBytes(file))): Unit

  private def rows(from: Int, until: Int): DataFrame =
    spark.range(from.toLong, until.toLong, 1, 1).selectExpr(
      "id",
      "id % 9 AS few",
      "id DIV 10 AS zone",
      "concat('b', id) AS bloom",
      "concat('Word ', id) AS text",
      "array(concat('l', id % 300), NULL) AS labels"
    )

  private def append(from: Int, until: Int): Unit = rows(from, until).write.format("lance")
    .option("maxRowsPerFile", "1000").mode("append").save(path)

  private def result(query: String, usesIndex: Boolean): Seq[String] = {
    spark.read.format("lance").option("useScalarIndex", usesIndex.toString).load(path)
      .createOrReplaceTempView("used")
    sql(query).map(_.toString).sorted
  }

  private def filesOf(index: String): Seq[Path] = {
    val table = LanceTable.open(Storage.local, path)
    table.indices.filter(_.name == index).flatMap { segment =>
      val folder = Paths.get(table.indexFolder(segment).root.stripPrefix("file:"))
      val listed = Files.list(folder)
      try listed.iterator.asScala.toSeq.sorted
      finally listed.close()
    }
  }

  private def warnings(body: => Unit): Seq[String] =
    LogCapture(body).filter(_.level == "WARN").map(_.text)

  test("damaged indices are not used, and statements that name them fail") {
    append(0, 3000)
    columns.foreach { case (kind, column) =>
      sql(s"CREATE INDEX $kind ON $t USING $kind ($column)")
    }
    val all = for {
      kind <- columns.keys.toSeq.sorted
      file <- filesOf(kind).indices
      damage <- damages.keys.toSeq.sorted
    } yield (kind, file, damage)
    assert(all.length == 7 * damages.size, "a BTREE has two files")
    TestRun.sample(4, all).foreach { case (kind, i, damage) =>
      val file = filesOf(kind)(i)
      withClue(s"$kind, ${file.getFileName}, $damage: ") {
        val intact = Files.readAllBytes(file)
        IndexCache.shared.clear()
        queries(kind).foreach(q =>
          assert(result(q, usesIndex = true) == result(q, usesIndex = false))
        )
        damages(damage)(file)
        queries(kind).foreach { query =>
          withClue(s"$query: ") {
            IndexCache.shared.clear()
            val expected = result(query, usesIndex = false)
            var found = Seq.empty[String]
            val logged = warnings { found = result(query, usesIndex = true) }
            assert(found == expected)
            assert(logged.exists(_.contains("used")), logged)
          }
        }
        val statements = Seq(
          s"CALL lance.system.prewarm_index('$path', '$kind')",
          s"CALL lance.system.index_statistics('$path', '$kind')",
          s"DESCRIBE INDEX $kind ON $t",
          s"OPTIMIZE INDEX $kind ON $t"
        )
        statements.foreach { statement =>
          IndexCache.shared.clear()
          val failed = intercept[Exception](sql(statement))
          assert(failed.getMessage.contains(s"the index $kind is damaged"), statement)
          assert(failed.getMessage.contains(file.getFileName.toString), statement)
        }
        assert(sql(s"SHOW INDEXES IN $t").map(_.getString(0)).toSet == columns.keySet)
        Files.write(file, intact)
      }
    }
    val file = filesOf("BTREE").head
    Files.delete(file)
    sql(s"ALTER TABLE $t CREATE OR REPLACE INDEX BTREE USING BTREE (id)")
    assert(filesOf("BTREE").nonEmpty && !filesOf("BTREE").contains(file))
    var found = Seq.empty[String]
    val logged = warnings { found = result("SELECT id FROM used WHERE id = 7", usesIndex = true) }
    assert(found == Seq("[7]") && logged.isEmpty)
  }

  test("writes and OPTIMIZE do not need zone maps that they cannot read") {
    append(0, 3000)
    sql(s"ALTER TABLE $t CLUSTER BY (id)")
    append(3000, 6000)
    sql(s"CREATE INDEX ZONEMAP ON $t USING ZONEMAP (zone)")
    val statements = Seq(
      s"INSERT INTO $t SELECT * FROM $t WHERE id < 10",
      s"UPDATE $t SET few = 10 WHERE id = 20",
      s"MERGE INTO $t t USING (SELECT 30 AS key) s ON t.id = s.key WHEN MATCHED THEN DELETE",
      s"OPTIMIZE $t",
      s"OPTIMIZE $t ZORDER BY (id)"
    )
    LanceTable.open(Storage.local, path).indices.map(_.name).distinct.flatMap(filesOf).foreach(
      changed(_.map(b => (~b).toByte))
    )
    val logged = warnings(statements.foreach(sql))
    assert(logged.exists(_.contains("cannot be read")), logged)
    assert(sql(s"SELECT count(*), count(DISTINCT id), max(few) FROM $t") == Seq(Row(
      6009L,
      5999L,
      10L
    )))
  }
}

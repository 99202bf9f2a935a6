// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.commit

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{FaultyFileSystem, SharedSpark, TemporaryFolder}

/** Statements on storage whose listings miss new files. A statement then starts from an old
  * version, and must combine its change with the versions that it missed.
  */
class StaleStatementsSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted

  private def local: String = folder.resolve("t").toString

  private def stale: String = FaultyFileSystem.path(local)

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    SparkSession.setActiveSession(spark)
  }

  override protected def afterEach(): Unit = {
    SparkSession.setActiveSession(SharedSpark.session)
    super.afterEach()
  }

  /** Runs statements on a table `t` while each new file is missing from some listings. */
  private def whileStale(listings: Int)(statements: Seq[String]): Unit =
    FaultyFileSystem.in(spark) {
      FaultyFileSystem.hideNewFiles(listings)
      try
        statements.foreach(s => spark.sql(s.replace("{t}", s"lake.`$stale`")).collect())
      finally FaultyFileSystem.hideNewFiles(0)
    }

  /** Creates a table of two fragments with the ids from 0 to 99, and another column. */
  private def create(column: String, options: (String, String)*): Unit =
    for (first <- Seq(0L, 50L)) {
      val rows = spark.range(first, first + 50, 1, 1).selectExpr("id", column)
      val other = rows.columns(1)
      rows.withMetadata(other, if (other == "vec") ofTwo else Metadata.empty)
        .write.format("lance").mode("append").options(options.toMap).save(local)
    }

  private def ofTwo = new MetadataBuilder().putLong("arrow.fixed-size-list.size", 2).build()

  // Statements that change different rows, so that their order does not matter.
  private val changes = Seq(
    "DELETE FROM {t} WHERE id < 5",
    "UPDATE {t} SET value = -1 WHERE id BETWEEN 10 AND 14",
    "INSERT INTO {t} (id, value) SELECT id, id FROM range(100, 110)",
    "MERGE INTO {t} t USING (SELECT id FROM range(20, 25)) s ON t.id = s.id " +
      "WHEN MATCHED THEN UPDATE SET value = -2",
    "MERGE INTO {t} t USING (SELECT id FROM range(200, 205)) s ON t.id = s.id " +
      "WHEN NOT MATCHED THEN INSERT (id, value) VALUES (s.id, s.id)",
    "DELETE FROM {t} WHERE id BETWEEN 60 AND 64",
    "UPDATE {t} SET value = -3 WHERE id BETWEEN 70 AND 74"
  )

  private val expected: Seq[(Long, Long)] =
    ((0L until 110L) ++ (200L until 205L))
      .filterNot(id => id < 5 || (id >= 60 && id < 65))
      .map { id =>
        val value = id match {
          case _ if id >= 10 && id < 15 => -1L
          case _ if id >= 20 && id < 25 => -2L
          case _ if id >= 70 && id < 75 => -3L
          case _ => id
        }
        id -> value
      }

  private def rows: Seq[(Long, Long)] =
    spark.read.format("lance").load(local).select("id", "value").collect()
      .map(r => r.getLong(0) -> r.getLong(1)).sorted.toSeq

  for {
    stableRowIds <- Seq(false, true)
    listings <- Seq(1, 3)
    ids = if (stableRowIds) "stable row ids" else "row addresses"
  } test(s"changes based on old versions are all there, $listings listings behind, $ids") {
    create("id AS value", "enableStableRowIds" -> stableRowIds.toString)
    whileStale(listings)(changes)
    assert(rows == expected)
    assert(LanceTable.versions(Storage.local, local) == (1L to 9L))
  }

  test("indices, added columns, compactions, and clean-ups based on old versions keep all rows") {
    create("id AS value")
    whileStale(2)(
      Seq("CREATE INDEX by_id ON {t} USING btree (id)") ++ changes.take(3) ++
        Seq("OPTIMIZE {t}") ++ changes.drop(3) ++
        Seq(
          "OPTIMIZE INDEX by_id ON {t}",
          // Rows of a statement that began before could lack the column, so it is the last change.
          "ALTER TABLE {t} ADD COLUMNS (note STRING)",
          "VACUUM {t} WITH (retain_versions = 1)"
        )
    )
    assert(rows == expected)
    for ((id, value) <- expected.filter(_._1 % 7 == 0)) {
      val found =
        spark.read.format("lance").load(local).where(s"id = $id").select("value").collect()
      assert(found.map(_.getLong(0)).toSeq == Seq(value), s"id $id")
    }
    assert(spark.read.format("lance").load(local).where("note IS NULL").count() == expected.length)
  }

  test("a search of an old version returns rows of that version") {
    create("array(CAST(id AS FLOAT), 0F) AS vec")
    whileStale(2)(Seq(
      "CREATE INDEX near ON {t} USING ivf_flat (vec) OPTIONS (num_partitions = 2)",
      "DELETE FROM {t} WHERE id = 30",
      s"SELECT * FROM vector_search('$stale', array(30F, 0F), 3)"
    ))
    val nearest = spark.sql(s"SELECT id FROM vector_search('$local', array(30F, 0F), 2)").collect()
    assert(nearest.map(_.getLong(0)).toSet == Set(29L, 31L))
  }
}

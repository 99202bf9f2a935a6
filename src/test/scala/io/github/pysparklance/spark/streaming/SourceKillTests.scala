// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import java.nio.file.Path

import org.apache.spark.sql.DataFrame
import org.scalatest.{Assertion, Assertions, Informing, Suite}

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Tags

/** Kills queries that read a Lance table and write another one, and restarts them. `VACUUM` runs in
  * between, and the tag of the query keeps the versions that it has not read.
  */
trait SourceKillTests extends KillTests { this: Suite with Assertions with Informing =>

  /** The storage of the tables. */
  protected def store: Storage = Storage.local

  /** The path of a table. */
  protected def at(place: Path, table: String): String = place.resolve(table).toString

  private def input(place: Path): String = at(place, "in")

  /** Versions: 3 fragments, 2 fragments, an update or a change of a property, a compaction, 2
    * fragments.
    */
  override protected def prepare(place: Path, kind: String): Unit = {
    val in = input(place)
    def append(from: Int, until: Int): Unit =
      spark.range(from.toLong, until.toLong, 1, 1).selectExpr("id", "concat('v', id) AS v")
        .write.format("lance").mode("append")
        .option("maxRowsPerFile", 2).option("enableStableRowIds", "true").save(in)
    append(0, 6)
    append(6, 10)
    val third =
      if (kind == "changes") s"UPDATE lance.`$in` SET v = 'u' WHERE id % 4 = 1"
      else s"ALTER TABLE lance.`$in` SET TBLPROPERTIES ('a' = 'b')"
    spark.sql(third)
    spark.sql(s"OPTIMIZE lance.`$in`")
    append(10, 13)
  }

  override protected def whileStopped(place: Path): Unit = {
    // Without the tag, the query has not begun, and needs the first version.
    val isKept = new Tags(store, TablePath(input(place))).list().nonEmpty
    if (isKept) spark.sql(s"VACUUM lance.`${input(place)}` RETAIN 0 HOURS"): Unit
  }

  private def rows(frame: DataFrame): Seq[String] =
    frame.collect().map(_.toSeq.mkString(",")).toSeq.sorted

  private def changes(last: Long) = {
    def version(id: Int): Long = if (id < 6) 1 else if (id < 10) 2 else last
    val inserted = (0 until 13).map(id => s"$id,v$id,insert,${version(id)}")
    val updated = Seq(1, 5, 9).flatMap(id =>
      Seq(s"$id,v$id,update_preimage,3", s"$id,u,update_postimage,3")
    )
    (inserted ++ updated).sorted
  }

  override protected def check(place: Path, kind: String): Assertion = {
    val found = rows(spark.read.format("lance").load(at(place, "t")))
    if (kind == "changes")
      assert(found == changes(LanceTable.open(store, input(place)).version))
    else assert(found == (0 until 13).map(id => s"$id,v$id").sorted)
  }
}

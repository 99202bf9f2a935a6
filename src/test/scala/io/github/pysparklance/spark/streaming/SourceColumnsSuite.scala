// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.Pylance

/** Rows of versions between which columns were dropped, restored, and replaced. */
class SourceColumnsSuite extends AnyFunSuite with SourceTests {

  private def changes(begin: Long): Seq[String] =
    text(sql(s"SELECT id, s, _change_type FROM lance_changes('$name', $begin)"))

  for (stable <- Seq(true, false))
    test(s"a dropped column that a RESTORE brings back has its values, stable row ids $stable") {
      withTable(stable) {
        insert(1)
        val read = version
        sql(s"ALTER TABLE $name DROP COLUMN s")
        sql(s"RESTORE TABLE $name TO VERSION AS OF $read")
        assert(changes(read) == Seq("1,s1,insert"))
        assert(drain(stream("startingVersion" -> read)) == Seq(Seq("1,s1")))
        sql(s"ALTER TABLE $name ADD COLUMN n INT")
        assert(changes(read) == Seq("1,s1,insert"))
        assert(drain(stream("startingVersion" -> read), other(1)) == Seq(Seq("1,s1,null")))
      }
    }

  for (removal <- Seq("OPTIMIZE {t}", "TRUNCATE TABLE {t}"))
    test(
      s"a new column has no values of a dropped one with its id, ${removal.replace(" {t}", "")}"
    ) {
      withTable() {
        insert(1)
        val read = version
        insert(2)
        sql(s"ALTER TABLE $name DROP COLUMN s")
        sql(removal.replace("{t}", name))
        sql(s"ALTER TABLE $name ADD COLUMN s STRING")
        insert(3)
        val expected = Seq("1,null", "2,null", "3,s3")
        assert(drain(stream(
          "startingVersion" -> read,
          "ignoreDeletes" -> true
        )).flatten == expected)
        val feed = drain(
          stream("startingVersion" -> read, "readChangeFeed" -> true).select("id", "s"),
          other("feed")
        ).flatten
        assert(feed.distinct.sorted == expected)
        assert(changes(read).filter(_.endsWith("insert")) == expected.map(_ + ",insert"))
      }
    }

  test("the rest of a snapshot has no values of a dropped column with the same id") {
    withTable() {
      insert(1)
      insert(2)
      def snapshot = stream("maxFragmentsPerTrigger" -> 1, "ignoreChanges" -> true)
      intercept[Exception](drain(snapshot, onBatch = n => if (n == 0) sys.error("stopped")))
      sql(s"ALTER TABLE $name DROP COLUMN s")
      sql(s"OPTIMIZE $name")
      sql(s"ALTER TABLE $name ADD COLUMN s STRING")
      assert(drain(snapshot).flatten == Seq("1,null", "2,null"))
    }
  }

  test("lists keep their items across an overwrite that calls them by another name") {
    path = folder.resolve("lists").toString
    Pylance.run(
      """import pyarrow as pa
        |t = pa.list_(pa.field("element", pa.int64()))
        |table = pa.table({"id": pa.array([1], pa.int64()), "tags": pa.array([[7, 8]], t)})
        |lance.write_dataset(table, path)
        |result = lance.dataset(path).schema.field("tags").type.value_field.name""".stripMargin,
      "path" -> path
    ): Unit
    sql("SELECT 2L AS id, array(9L) AS tags").write.format("lance").mode("overwrite")
      .option("overwriteSchema", "true").save(path)
    val rows = sql(
      s"SELECT id, array_join(tags, ' '), _change_type FROM lance_changes('$path', 1)"
    )
    assert(text(rows) == Seq("1,7 8,insert", "1,7 8,delete", "2,9,insert"))
  }
}

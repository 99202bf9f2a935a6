// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.Row
import org.scalatest.Assertion

import io.github.pysparklance.testkit.{Pylance, TestRun}

/** Random histories of a table in SQL: inserts, updates, and deletes; added and rewritten columns;
  * compactions, sorts, and clean-ups. After each step, Spark and pylance read the rows of a model
  * in memory, and rows keep their stable ids.
  */
class JobHistoriesSuite extends JobSuite {

  /** One table and its expected contents: the other columns by id. */
  private class History(seed: Long) {
    private val random = new Random(seed)
    private val stable = random.nextBoolean()
    private val path = fresh()
    private val t = s"lance.`$path`"
    private val names = mutable.ArrayBuffer("a", "s")
    private val rows = mutable.TreeMap.empty[Long, Vector[Any]]
    private val rowIds = mutable.Map.empty[Long, Long]
    private var next = 0L
    private val done = mutable.ArrayBuffer.empty[String]

    private def sql(text: String): Unit = {
      done += text
      spark.sql(text).collect(): Unit
    }

    private def some(): (String, Long => Boolean) = {
      val (m, r) = (1 + random.nextInt(6), random.nextInt(4))
      (s"id % $m = $r", _ % m == r)
    }

    private def create(): Unit = {
      val n = 20 + random.nextInt(60)
      Pylance.run(
        """
        rows = [{"id": i, "a": i * 31 % 17, "s": "s%d" % (i % 5)} for i in range(n)]
        lance.write_dataset(pa.Table.from_pylist(rows), path, max_rows_per_file=size,
                            enable_stable_row_ids=stable, data_storage_version=version)
        """,
        "path" -> path,
        "n" -> n,
        "size" -> (5 + random.nextInt(20)),
        "stable" -> stable,
        "version" -> Seq("2.0", "2.1", "2.2")(random.nextInt(3))
      )
      added(n)
    }

    private def added(n: Int): Unit = (0 until n).foreach { _ =>
      rows(next) =
        Vector[Any](next * 31 % 17, s"s${next % 5}") ++ Vector.fill(names.length - 2)(null)
      next += 1
    }

    private def append(): Unit = {
      val n = 1 + random.nextInt(20)
      val nulls = names.drop(2).map(c => s", CAST(NULL AS BIGINT) AS $c").mkString
      sql(s"INSERT INTO $t SELECT id, id * 31 % 17 AS a, concat('s', id % 5) AS s$nulls " +
        s"FROM range($next, ${next + n}, 1, ${1 + random.nextInt(3)})")
      added(n)
    }

    private def delete(): Unit = {
      val (where, holds) = some()
      val most = next - random.nextInt(30)
      sql(s"DELETE FROM $t WHERE $where AND id >= $most")
      rows.keys.toSeq.filter(id => holds(id) && id >= most).foreach(rows.remove)
    }

    private def change(where: Long => Boolean)(values: Vector[Any] => Vector[Any]): Unit =
      rows.keys.toSeq.filter(where).foreach(id => rows(id) = values(rows(id)))

    private def plus(value: Any, n: Long): Any = value match {
      case v: Long => v + n
      case other => other // null
    }

    private def update(mode: String): Unit = {
      val (where, holds) = some()
      val n = random.nextInt(100).toLong
      val at = names.indices.filterNot(_ == 1)(random.nextInt(names.length - 1))
      val c = names(at)
      sql(s"SET spark.lance.write.updateMode = $mode")
      sql(s"UPDATE $t SET $c = $c + $n, s = concat(s, '+') WHERE $where")
      change(holds)(v => v.updated(at, plus(v(at), n)).updated(1, s"${v(1)}+"))
    }

    private def addColumn(): Unit = if (names.length < 6) {
      val (name, n) = (s"c${names.length}", random.nextInt(9).toLong)
      sql(s"ALTER TABLE $t ADD COLUMNS ($name BIGINT AS (a + $n))")
      names += name
      change(_ => true)(v => v :+ plus(v(0), n))
    }

    private def addFrom(): Unit = if (names.length < 6) {
      val name = s"c${names.length}"
      val (where, holds) = some()
      sql(
        s"ALTER TABLE $t ADD COLUMNS $name FROM (SELECT _rowid, id * 3 AS $name FROM $t WHERE $where)"
      )
      names += name
      rows.keys.toSeq.foreach(id => rows(id) = rows(id) :+ (if (holds(id)) id * 3 else null))
    }

    private def updateFrom(): Unit = {
      val (where, holds) = some()
      sql(
        s"ALTER TABLE $t UPDATE COLUMNS a FROM (SELECT _rowaddr, a * 2 AS a FROM $t WHERE $where)"
      )
      change(holds)(v =>
        v.updated(0, v(0) match { case a: Long => a * 2; case other => other })
      )
    }

    private def optimize(): Unit = {
      val where = if (random.nextBoolean()) "" else s" WHERE ${some()._1}"
      val order = if (random.nextBoolean()) "" else " ZORDER BY (a, s)"
      val target = 10 + random.nextInt(100)
      sql(s"OPTIMIZE $t$where$order WITH (target_rows_per_fragment = $target)")
    }

    private def steps: Seq[() => Unit] = Seq(
      () => append(),
      () => delete(),
      () => update("rows"),
      () => update("columns"),
      () => addColumn(),
      () => addFrom(),
      () => updateFrom(),
      () => optimize(),
      () => optimize(),
      () => sql(s"VACUUM $t RETAIN 0 HOURS")
    )

    private def check(): Assertion = {
      val columns = "id" +: names.toSeq
      val seen =
        spark.sql(s"SELECT ${columns.mkString(", ")}, _rowid FROM $t ORDER BY id").collect()
      val expected = rows.toSeq.map { case (id, v) => Row.fromSeq(id +: v) }
      assert(seen.toSeq.map(r => Row.fromSeq(r.toSeq.init)) == expected)
      if (stable) seen.foreach { r =>
        assert(rowIds.getOrElseUpdate(r.getLong(0), r.getLong(columns.length)) ==
          r.getLong(columns.length))
      }
      val theirs = Pylance.rows(path, columns = Some(columns)).sortBy(_.get("id").asLong)
      assert(theirs.map(r => columns.map(c => r.get(c).asText)) ==
        expected.map(_.toSeq.map(String.valueOf)))
      assert(Pylance.validate(path) == rows.size)
    }

    def run(numSteps: Int): Unit =
      try {
        create()
        check()
        (0 until numSteps).foreach { _ =>
          steps(random.nextInt(steps.length))()
          check()
        }
      } catch {
        case e: Throwable =>
          throw new AssertionError(s"seed $seed:\n${done.mkString(";\n")}\n$e", e)
      } finally spark.conf.unset("spark.lance.write.updateMode")
  }

  test("random histories") {
    val isLong = TestRun.isLong
    (1L to (if (isLong) 40L else 2L)).foreach(seed => new History(seed).run(if (isLong) 25 else 12))
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{Pylance, TestRun}

/** Random histories of this connector and pylance, each from its own seed. Streams that stop and
  * continue must read the rows of batch queries.
  */
class SourceHistorySuite extends AnyFunSuite with SourceTests {
  private val numHistories = TestRun.histories(1, 60)
  private val numSteps = 14

  for (stable <- Seq(true, false))
    test(s"streams and batch queries read the same rows, stable row ids $stable") {
      var numChecks = 0
      (0 until numHistories).foreach { i =>
        val seed = TestRun.seed + i
        withTable(stable, properties = ", 'write.max-rows-per-file' = '3'") {
          val history = new History(new Random(seed), s"$seed-$stable")
          try history.run()
          catch { case e: Throwable => throw new AssertionError(s"seed $seed: $e", e) }
          numChecks += history.numChecks
        }
      }
      info(s"seed ${TestRun.seed}, $numHistories histories, $numChecks comparisons")
    }

  final private class History(random: Random, id: String) {
    private var nextId = 0L

    /** The first version with rows. */
    private val first = version + 1
    private var done = Vector.empty[String]

    /** All rows that were inserted since the first stream began. */
    private var appended = Seq.empty[Long]
    private var streamed = Seq.empty[Long]
    private var applied = Map.empty[String, Int]

    /** How often streams and batch queries were compared. */
    var numChecks = 0

    private def limits: Seq[(String, Any)] = random.nextInt(4) match {
      case 0 => Nil
      case 1 => Seq("maxRowsPerTrigger" -> (1 + random.nextInt(5)))
      case 2 => Seq("maxFragmentsPerTrigger" -> (1 + random.nextInt(3)))
      case _ => Seq("maxBytesPerTrigger" -> (1 + random.nextInt(4000)))
    }

    def run(): Unit = {
      (1 to 2).foreach(_ => insertSome())
      appended = spark.table(name).select("id").collect().map(_.getLong(0)).toSeq
      // The streams begin with all rows.
      check()
      try Seq.range(0, numSteps).foreach(_ => if (random.nextInt(3) == 0) check() else step())
      catch {
        case e: Throwable => throw new AssertionError(done.mkString("\n", "\n", s"\n$e"), e)
      }
      check()
    }

    private def insertSome(pylance: Boolean = false): Unit = {
      val ids = Seq.iterate(nextId, 1 + random.nextInt(7))(_ + 1)
      nextId += ids.length
      if (pylance)
        Pylance.write(
          s"{'id': [${ids.mkString(", ")}], 's': [${ids.map(i => s"'s$i'").mkString(", ")}]}",
          path,
          "mode" -> "append",
          "max_rows_per_file" -> 3
        )
      else insert(ids: _*)
      if (done.nonEmpty) appended ++= ids
    }

    private def step(): Unit = {
      val modulus = 2 + random.nextInt(5)
      val pylance = random.nextInt(3) == 0
      def run(statement: String, code: String): Unit = {
        done :+= (if (pylance) code else statement)
        if (pylance) Pylance.run(s"result = str(dataset(path).$code)", "path" -> path): Unit
        else sql(statement): Unit
      }
      random.nextInt(7) match {
        case 0 =>
          run(s"DELETE FROM $name WHERE id % $modulus = 0", s"delete('id % $modulus = 0')")
        case 1 =>
          run(
            s"UPDATE $name SET s = concat(s, 'u') WHERE id % $modulus = 1",
            s"""update({'s': "concat(s, 'u')"}, 'id % $modulus = 1')"""
          )
        case 2 => run(s"OPTIMIZE $name", "optimize.compact_files()")
        case 3 =>
          run(
            s"ALTER TABLE $name SET TBLPROPERTIES ('a' = '$modulus')",
            s"update_config({'a': '$modulus'})"
          )
        case 4 =>
          val v = first + random.nextInt((version - first + 1).toInt)
          run(s"RESTORE TABLE $name TO VERSION AS OF $v", s"checkout_version($v).restore()")
        case _ =>
          done :+= (if (pylance) "write" else "insert")
          insertSome(pylance)
      }
    }

    private def check(): Unit = {
      done :+= "check"
      val appends = stream(("skipChangeCommits" -> true) +: limits: _*).select("id")
      streamed ++= drain(appends, folder.resolve(s"a$id")).flatten.map(_.toLong)
      assert(streamed.sorted == appended.sorted)
      val changes = stream(("readChangeFeed" -> true) +: limits: _*)
        .selectExpr("_change_type", "_commit_version", "id", "s")
      drain(changes, folder.resolve(s"f$id")).foreach(_.foreach(apply))
      val rows = text(spark.table(name).select("id", "s"))
        .groupBy(identity).map { case (row, same) => row -> same.length }
      assert(applied.filter(_._2 != 0) == rows)
      numChecks += 1
    }

    private def apply(change: String): Unit = {
      val Array(kind, _, row) = change.split(",", 3): @unchecked
      val sign = if (kind == "insert" || kind == "update_postimage") 1 else -1
      applied = applied.updated(row, applied.getOrElse(row, 0) + sign)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.file.Path

import scala.util.{Random, Using}

import io.github.pysparklance.core.{
  Column,
  ConstantColumn,
  LeafColumn,
  LongValues,
  RowRange,
  RowSelection
}
import io.github.pysparklance.index.spi.{IndexPredicate, KeyRange, KeyRanges, KeyType, NumberKey}
import io.github.pysparklance.index.{IndexCondition, IndexEvaluator, ScalarIndices}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan}

/** Looks up rows by key with a BTREE index, without Spark, compared with pylance.
  *
  * {{{
  *   ./sbt "benchmarks/runMain io.github.pysparklance.benchmarks.LookupBenchmark --work DIR --out FILE \
  *     --python INTERPRETER [--rows 1500000] [--lookups 200] [--iterations 20]"
  * }}}
  * `python/benchmarks/lookups.py` creates the table, and runs the same lookups with pylance. Its
  * keys are unique and in no order. A lookup returns all columns of a row. The first rounds are
  * warm-up.
  */
object LookupBenchmark {
  private val warmUps = 5

  def main(args: Array[String]): Unit = {
    val options = Runs.options(args)
    val work = Path.of(options("work")).toAbsolutePath
    val iterations = options.getOrElse("iterations", "20").toInt
    val rows = options.getOrElse("rows", "1500000").toLong
    val lookups = options.getOrElse("lookups", "200").toInt
    val random = new Random(7)
    val keys = IndexedSeq.fill(lookups)((random.nextDouble() * rows).toLong)
    Runs.clear(work)
    val path = work.resolve("keys.lance").toString
    Runs.progress(s"pylance writes $rows rows, and looks up $lookups keys")
    val theirs = pylance(options("python"), path, rows, iterations, keys)
    Runs.progress("this connector")
    val table = LanceTable.open(Storage.local, path)
    val ours = (1 to warmUps + iterations).map { _ =>
      val start = System.nanoTime()
      keys.foreach(key => require(value(table, key) == valueOf(key), s"another row than $key"))
      (System.nanoTime() - start) / 1e6 / lookups
    }.drop(warmUps)
    val head = Results.header(
      "Lookups by key with a BTREE index, without Spark",
      "iterations" -> s"$iterations of $lookups lookups, after warm-up",
      "target" -> "1.2 ms a lookup"
    )
    val results = Results.table(
      Seq(Timing(task(rows), "pylance", theirs), Timing(task(rows), "lance", ours)),
      "pylance",
      digits = 2
    )
    Results.write(Path.of(options("out")), head + "\n" + results)
    println(head + "\n" + results)
  }

  private def task(rows: Long): String = f"look up a key of $rows%,d rows"

  /** The value of the row with a key, see `lookups.py`. */
  private def valueOf(key: Long): Long = 3 * key + 1

  /** Returns the value of the row with a key. */
  private def value(table: LanceTable, key: Long): Long = {
    val field = table.schema.fields.head
    val one = KeyRanges.of(Seq(KeyRange.point(NumberKey(key))))
    val condition = IndexCondition.Test(
      field.id,
      field.logicalType,
      IndexPredicate.Within(one, KeyType.of(field.logicalType).get)
    )
    val result = new IndexEvaluator(new ScalarIndices(table))(condition)
    val found = for {
      i <- table.fragments.indices
      fragment = table.fragments(i)
      if result.mayMatch.contains(fragment.id.toInt)
      value <- values(table, i, result.of(fragment).rows.toArray.map(_.toLong))
    } yield value
    require(found.length == 1, s"${found.length} rows with key $key")
    found.head
  }

  private def values(table: LanceTable, fragment: Int, rows: Array[Long]): Seq[Long] = {
    val all = RowRange(0, table.physicalRows(table.fragments(fragment)))
    val scan = FragmentScan(
      table,
      fragment,
      all,
      Some(RowSelection.of(rows)),
      FragmentScan.defaultGapRows,
      IndexedSeq.empty
    )
    val opened = FragmentReader.open(table.store, scan, table.schema.fields, batchRows = 1024)
    Using.resource(opened) { reader =>
      Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
        (0 until reader.numLive).map { i =>
          val row = if (reader.live == null) i else reader.live(i)
          number(reader.columns(1), row)
        }
      }.toIndexedSeq
    }
  }

  private def number(column: Column, row: Int): Long = column match {
    case LeafColumn(values: LongValues, _) => values.array(row)
    case ConstantColumn(value: LongValues, _, _) => value.array(0)
    case other => throw new IllegalArgumentException(s"numbers are in a ${other.getClass.getName}")
  }

  /** Runs `lookups.py`; returns the milliseconds of a lookup in each round. */
  private def pylance(
      python: String,
      path: String,
      rows: Long,
      iterations: Int,
      keys: Seq[Long]
  ): IndexedSeq[Double] = {
    val arguments = Seq(path, rows.toString, iterations.toString) ++ keys.map(_.toString)
    val lines = Runs.python(python, "benchmarks.lookups", arguments: _*)
    lines.head.split(' ').map(_.toDouble).toIndexedSeq
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.types.{DoubleType, LongType, StructField}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.shim.Frames
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{Classic, SharedSpark, TemporaryFolder}

/** Finds the rows that a dynamic overwrite replaces, by their keys. */
class MatchingRowsSuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {
  private lazy val spark = Classic.session(SharedSpark.interpreted)
  private def path: String = folder.resolve("t").toString
  private val columns =
    Seq(StructField("k", LongType), StructField("d", DoubleType))

  private def write(): Unit =
    spark.range(0, 60000, 1, 1)
      .selectExpr(
        "IF(id = 7, NULL, id) AS k",
        "CASE id % 4 WHEN 0 THEN -0.0D WHEN 1 THEN double('NaN') WHEN 2 THEN NULL ELSE id END AS d"
      )
      .write.format("lance").option("zonemap", "k, d").save(path)

  private def rows: MatchingRows =
    new MatchingRows(
      TableLocation(path, Map.empty[String, String]),
      LanceTable.open(Storage.local, path)
    )

  private def found(keys: Seq[(Any, Any)]): Set[Int] =
    rows.having(columns, keys.map(k => InternalRow(k._1, k._2)))
      .getOrElse(0L, io.github.pysparklance.table.deletion.DeletionVector.empty)
      .deletedIn(io.github.pysparklance.core.RowRange(0, 60000)).toSet

  test("nulls, NaN, and both zeros match like in a null-safe comparison") {
    write()
    assert(found(Seq((0L, 0.0), (4L, -0.0), (1L, Double.NaN), (2L, null))) == Set(0, 4, 1, 2))
    assert(found(Seq((null, 7.0), (8L, 1.0))) == Set(7))
    assert(found(Seq((null, null))).isEmpty && found(Nil).isEmpty)
    val many = (100 until 1000).map(i => (i.toLong, if (i % 4 == 3) i.toDouble else 0.0))
    assert(many.length > KeyValues.maxValues)
    assert(found(many) == (100 until 1000).filter(i => i % 4 == 3 || i % 4 == 0).toSet)
  }

  test("only zones that may contain a key are read") {
    write()
    val few = Seq((10L, 1.0), (30000L, 0.0)).map(k => InternalRow(k._1, k._2))
    val many = (50000 until 50400).map(i => InternalRow(i.toLong, 0.0))
    Seq(few -> 2 * 8192, many -> 8192).foreach { case (keys, most) =>
      val frame = Frames.of(spark, rows.joined(columns, keys))
      frame.collect()
      val scans = collect(frame.queryExecution.executedPlan) { case b: BatchScanExec => b }
      val evaluated = scans.map { s =>
        s.metrics("lanceRowsRead").value + s.metrics("lanceFilteredRows").value
      }.sum
      assert(evaluated > 0 && evaluated <= most)
    }
  }
}

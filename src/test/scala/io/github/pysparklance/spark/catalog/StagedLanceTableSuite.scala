// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, PhysicalWriteInfo}
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder}

/** Spark aborts a staged table after any failure, even after its commit. */
class StagedLanceTableSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session
  private def place: TableLocation =
    TableLocation(folder.resolve("t").toString, Map.empty[String, String])
  private val columns = new StructType().add("a", LongType)

  private def staged(value: Long): StagedLanceTable = {
    assert(!spark.sparkContext.isStopped)
    val table = PathTables.stage(place, NewTable(columns, Map.empty), PathTables.open(place))
    val info = new LogicalWriteInfo {
      def options(): CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty()
      def queryId(): String = "q"
      def schema(): StructType = columns
    }
    val physical = new PhysicalWriteInfo { def numPartitions(): Int = 1 }
    val write = table.newWriteBuilder(info).build().toBatch
    val task = write.createBatchWriterFactory(physical).createWriter(0, 0)
    task.write(InternalRow(value))
    write.commit(Array(task.commit()))
    table
  }

  private def values: Seq[Row] = spark.read.format("lance").load(place.path).collect().toSeq

  private def dataFiles: Int = Storage.local.listNames(s"${place.path}/data").length

  test("an existing table is unchanged if a later step fails") {
    for (value <- Seq(1L, 2L)) {
      val table = staged(value)
        .onAbort(() => fail("there is a table"))
      intercept[IllegalStateException] {
        table.onCommit(() => throw new IllegalStateException("the catalog is away"))
          .commitStagedChanges()
      }
      table.abortStagedChanges()
      assert(values == Seq(Row(value)))
    }
  }

  test("a new table leaves nothing behind if a later step fails") {
    var aborted = 0
    val late = staged(1).onAbort(() => aborted += 1)
    staged(2).commitStagedChanges()
    assert(dataFiles == 2)
    intercept[Exception](late.commitStagedChanges())
    late.abortStagedChanges()
    assert(aborted == 1 && dataFiles == 1 && values == Seq(Row(2L)))
    staged(3).onAbort(() => aborted += 1).abortStagedChanges()
    assert(aborted == 2 && dataFiles == 1)
  }
}

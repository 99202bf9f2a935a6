// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.execution.{CommandResultExec, QueryExecution, SparkPlan}
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.{LanceTable, VersionInfo}
import io.github.pysparklance.testkit.{Classic, Pylance, SharedSpark, TableRows, TemporaryFolder}

/** Shared code of the suites of DELETE, UPDATE, and MERGE: a table `t` of `id` and `value`, which
  * is ten times the id, in fragments of five rows.
  */
abstract class RowLevelSuite extends AnyFunSuite with TemporaryFolder {
  protected lazy val spark: Classic.Session = Classic.session(SharedSpark.interpreted)
  protected def path: String = folder.resolve("t").toString
  protected def t: String = s"lake.`$path`"
  protected def table: LanceTable = LanceTable.open(Storage.local, path)
  protected def sql(text: String): DataFrame = spark.sql(text)
  protected def rows(text: String): Seq[Row] = sql(text).collect().toSeq

  /** The plan of an executed command. */
  protected def ran(text: String): SparkPlan =
    spark.sql(text).queryExecution.executedPlan

  /** A command on the current latest version, which [[run]] runs. */
  protected def analyzed(text: String): QueryExecution = {
    val query = spark.sessionState.executePlan(spark.sessionState.sqlParser.parsePlan(text))
    query.assertAnalyzed()
    query
  }

  protected def run(command: QueryExecution): Unit = command.assertCommandExecuted()

  /** `id -> value`, by id. */
  protected def values: Seq[(Long, Any)] =
    rows(s"SELECT id, value FROM $t ORDER BY id").map(r => (r.getLong(0), r.get(1)))

  protected def column(name: String): Map[Long, Long] = column("id", name)

  protected def column(key: String, name: String): Map[Long, Long] =
    rows(s"SELECT $key, $name FROM $t").map(r => r.getLong(0) -> r.getLong(1)).toMap

  protected def create(numRows: Int = 20, stable: Boolean = false): LanceTable = {
    val fragments = (0L until numRows.toLong).grouped(5).map { ids =>
      TableRows.write(Storage.local, path, ids.map(id => (id, id * 10)))
    }
    LanceTable.create(
      Storage.local,
      path,
      TableRows.schema,
      fragments.toIndexedSeq,
      enableStableRowIds = stable
    )
  }

  protected def lastVersion: VersionInfo = LanceTable.history(Storage.local, path).toSeq.last

  /** Checks that pylance validates the table and reads the same rows as Spark. */
  protected def checkByPylance(): Assertion = {
    val read = Pylance.rows(path).map(r => (r.get("id").asLong, r.get("value").asText)).sorted
    assert(Pylance.validate(path) == read.length)
    assert(read == values.map { case (id, v) => (id, String.valueOf(v)) }.sorted)
  }

  /** Deletes a row like another writer. */
  protected def deletedMeanwhile(fragment: Long, offset: Int): LanceTable =
    table.delete(Map(fragment -> DeletionVector.of(Array(offset))), "meanwhile")
}

object RowLevelSuite {

  /** A metric of an executed command. */
  def metric(plan: SparkPlan, name: String): Long = {
    val command = plan match {
      case done: CommandResultExec => done.commandPhysicalPlan
      case other => other
    }
    command.collectFirst { case p if p.metrics.contains(name) => p.metrics(name).value }
      .getOrElse(throw new NoSuchElementException(s"$name in $command"))
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util

import org.apache.spark.sql.catalyst.analysis.{NoSuchTableException, TableAlreadyExistsException}
import org.apache.spark.sql.connector.catalog.{Column, Identifier, StagedTable}
import org.apache.spark.sql.connector.expressions.Transform

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.{ConstrainedCatalog, SparkShim}

/** Creates and replaces tables together with their rows in Spark's session catalog. Tables of other
  * providers cannot be staged, so they are created immediately.
  */
abstract private[spark] class RecordedStaging extends RecordingCatalog with ConstrainedCatalog {

  /** The fully qualified name of a table. */
  final protected def qualified(ident: Identifier): String =
    (name() +: ident.namespace().toSeq :+ ident.name()).mkString(".")

  override def stageCreate(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): StagedTable =
    if (!isLance(properties)) {
      createTable(ident, columns, partitions, properties): Unit
      new PassedStagedTable(super.loadTable(ident), () => super.dropTable(ident): Unit)
    } else {
      if (tableExists(ident)) throw new TableAlreadyExistsException(ident)
      val table = NewTable(columns, partitions, properties).withoutOwner
      val place = record(ident, table, properties)
      unrecordedOnFailure(ident) {
        if (PathTables.open(place).isDefined)
          throw LanceErrors.rejected(
            s"${place.path}: there is a table already, so rows cannot make one"
          )
        PathTables.stage(place, table, None).onAbort(() => unrecord(ident))
      }
    }

  override def stageReplace(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): StagedTable = {
    if (!tableExists(ident)) throw new NoSuchTableException(ident)
    val recorded = super.loadTable(ident)
    val replaced = if (isLance(recorded)) PathTables.open(location(recorded)) else None
    if (replaced.isDefined)
      LanceErrors.translated(WapBranch.rejectReplacement(location(recorded)))
    // The old table would be dropped before the query of the new rows runs, which may read it.
    if (!isLance(properties) || !isLance(recorded))
      throw SparkShim.analysisException(
        "UNSUPPORTED_FEATURE.TABLE_OPERATION",
        Map(
          "tableName" -> qualified(ident),
          "operation" -> "REPLACE TABLE with another provider; drop the table first"
        ),
        null
      )
    val table = NewTable(columns, partitions, properties).withoutOwner
    if (replaced.isEmpty) {
      // Only its record exists.
      super.dropTable(ident)
      stageCreate(ident, columns, partitions, properties)
    } else {
      val place = location(recorded)
      PathTables.rejectOtherPlaces(qualified(ident), place, table.location, table.properties)
      PathTables.stage(place, table, replaced).onCommit { () =>
        follow(ident, SessionRecord.columns(recorded, loadTable(ident)))
      }
    }
  }

  override def stageCreateOrReplace(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): StagedTable =
    if (tableExists(ident)) stageReplace(ident, columns, partitions, properties)
    else stageCreate(ident, columns, partitions, properties)
}

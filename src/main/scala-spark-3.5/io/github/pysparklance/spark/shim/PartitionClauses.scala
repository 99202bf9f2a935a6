// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.{InsertIntoStatement, OverwritePartitionsDynamic}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The `PARTITION` clause of an INSERT OVERWRITE, which Spark drops from the plan in dynamic mode.
  * Hides that Spark's rules drop tags up to 3.5. Here, the clause is stored in the options of the
  * target, which Spark keeps but does not read.
  */
private[spark] object PartitionClauses {
  private val prefix = "__lance.insert.partition."

  /** Returns the statement with the partition values by column. */
  def noted(insert: InsertIntoStatement, values: Map[String, String]): InsertIntoStatement =
    insert.table match {
      case name: UnresolvedRelation =>
        val notes = values.map { case (column, value) => (prefix + column) -> value }
        val options = name.options.asCaseSensitiveMap().asScala.toMap ++ notes
        insert.copy(table = name.copy(options = new CaseInsensitiveStringMap(options.asJava)))
      case _ => insert
    }

  /** Returns the partition values of the statement of a write. */
  def of(write: OverwritePartitionsDynamic): Option[Map[String, String]] =
    Some(write.table).collect { case r: DataSourceV2Relation =>
      r.options.asCaseSensitiveMap().asScala.toMap.collect {
        case (name, value) if name.startsWith(prefix) => name.drop(prefix.length) -> value
      }
    }.filter(_.nonEmpty)
}

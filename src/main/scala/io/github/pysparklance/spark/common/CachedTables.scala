// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.spark.shim.{CachedPlans, SessionShim}
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.transaction.TableChanges

/** A Spark table that reads a Lance table: its rows, a branch, or a metadata table. */
private[spark] trait LocatedTable extends Table {

  /** The folder of the table, also for a branch. */
  private[spark] def homePath: String
}

/** Refreshes cached plans and tables (`df.cache()`, `CACHE TABLE`) by the location of their tables.
  * Spark finds cached plans by name, but a table can have many names. It can be in several
  * catalogs, a path, a branch, or a metadata table.
  *
  * Changes by other applications are not noticed. They require `REFRESH TABLE`, as for other
  * sources in Spark.
  */
private[spark] object CachedTables {
  TableChanges.listen(refresh(_))

  /** Starts the listener by initializing this object. Called when the process loads its first
    * table.
    */
  def listen(): Unit = ()

  /** Refreshes all cached plans with the table at a path.
    *
    * @param path path of the table or of a branch
    */
  def refresh(path: String): Unit =
    SessionShim.anySession.foreach(refresh(_, r => isAt(path, r)))

  /** Refreshes all cached plans with the same Lance table. */
  def refresh(table: Table): Unit = table match {
    case t: LocatedTable => refresh(t.homePath)
    case _ => ()
  }

  /** Refreshes cached plans whose columns differ from the loaded table, because another application
    * changed them. Otherwise Spark would replace the loaded table with the cached plan, and fail to
    * resolve its columns.
    */
  def refreshColumns(relation: DataSourceV2Relation => Boolean, loaded: Table): Unit =
    SessionShim.anySession.foreach {
      refresh(_, r => relation(r) && !r.table.columns().sameElements(loaded.columns()))
    }

  private def refresh(session: SparkSession, isStale: DataSourceV2Relation => Boolean): Unit =
    CachedPlans.refresh(session, isStale)

  private def isAt(changed: String, relation: DataSourceV2Relation): Boolean =
    relation.table match {
      case t: LocatedTable =>
        val (home, other) = (place(t.homePath), place(changed))
        home == other || other.startsWith(home + "/tree/")
      case _ => false
    }

  /** Returns a path without its scheme. `file:/x`, `file:///x`, and `/x` are the same folder; so
    * are paths with `s3` and `s3a`. If other schemes have different folders at the same path, this
    * costs at most a refresh.
    */
  private def place(path: String): String = TablePath.scheme(path) match {
    case Some("file") | None => TablePath.localName(path)
    case Some(scheme) => path.drop(scheme.length + 1)
  }
}

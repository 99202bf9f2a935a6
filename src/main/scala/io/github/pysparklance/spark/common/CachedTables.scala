// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.spark.shim.{CachedPlans, SessionShim}
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.transaction.TableChanges

/** A table as Spark sees it that is made from a Lance table: its rows, a branch, or a metadata table. */
private[spark] trait LocatedTable extends Table {

  /** The folder of the whole table, also for a branch. */
  private[spark] def homePath: String
}

/** Refreshes cached frames and tables (`df.cache()`, `CACHE TABLE`) by the location of their tables. Spark finds cached
  * plans by name, but one table has many names: in catalogs, as a path, as a branch, as a metadata table.
  *
  * Changes made by other applications are not noticed; as everywhere in Spark, `REFRESH TABLE` is for them.
  */
private[spark] object CachedTables {
  TableChanges.listen(refresh(_))

  /** Starts the listener, which is there from the first table that the process looks up. */
  def listen(): Unit = ()

  /** Refreshes everything cached of the table at a path.
    *
    * @param path of the table or of a branch
    */
  def refresh(path: String): Unit =
    SessionShim.anySession.foreach(refresh(_, r => isAt(path, r)))

  /** The same for the table that a table of Spark is made from. */
  def refresh(table: Table): Unit = table match {
    case t: LocatedTable => refresh(t.homePath)
    case _ => ()
  }

  /** Refreshes cached plans in which a relation has other columns than the table has that was just loaded for it: another
    * application changed them. Spark would put the cached table in the place of the new one, and find its columns gone.
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

  /** A path without its scheme: `file:/x`, `file:///x`, and `/x` are one folder, and so are those of `s3` and `s3a`. That
    * other schemes may mean other folders costs a refresh at most.
    */
  private def place(path: String): String = TablePath.scheme(path) match {
    case Some("file") | None => TablePath.localName(path)
    case Some(scheme) => path.drop(scheme.length + 1)
  }
}

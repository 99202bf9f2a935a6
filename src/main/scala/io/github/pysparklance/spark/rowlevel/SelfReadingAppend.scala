// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.plans.logical.{AppendData, LogicalPlan}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.Optional
import io.github.pysparklance.spark.shim.{LatestSources, RowLevelTables}
import io.github.pysparklance.table.transaction.Retry

/** An append of rows that a query selected by reading the same table, such as a MERGE that only
  * inserts. If another writer changes rows in the meantime, it is retried, because the query could
  * select other rows. Concurrent appends are no conflict, as for other statements.
  *
  * @param plan the analyzed append
  */
final private[rowlevel] case class SelfReadingAppend(plan: AppendData) extends RetriableStatement {
  private def relation: DataSourceV2Relation = plan.table.asInstanceOf[DataSourceV2Relation]

  private def target: RowLevelTarget = RowLevelTarget.of(relation).get

  override def onLatest: Option[SelfReadingAppend] = {
    val latest = target.onLatest
    val isSame = RowLevelTarget.haveSameRules(target.loadedVersion, latest.loadedVersion)
    // The sources are loaded after the target, so that the query reads at least its version.
    Optional.when(isSame)(plan.query).flatMap(LatestSources(_)).map { query =>
      val moved = plan.copy(table = relation.copy(table = latest), query = query)
      RowLevelTables.markAnalyzed(moved)
      SelfReadingAppend(moved)
    }
  }

  override def retry: Retry = target.retry(new CaseInsensitiveStringMap(plan.writeOptions.asJava))
}

/** Recognizes these appends. */
private[rowlevel] object SelfReadingAppend {

  /** Returns the append, based on the earliest version that its query reads. */
  def of(append: AppendData): Option[SelfReadingAppend] = append.table match {
    case relation: DataSourceV2Relation =>
      RowLevelTarget.of(relation).flatMap { target =>
        val read = versionsIn(append.query, target)
        val earliest = (target +: read).minBy(_.loadedVersion.version)
        Optional.when(read.nonEmpty)(target.readingItself(earliest)).flatten.map { base =>
          val based = append.copy(table = relation.copy(table = base))
          RowLevelTables.markAnalyzed(based)
          SelfReadingAppend(based)
        }
      }
    case _ => None
  }

  private def versionsIn(query: LogicalPlan, target: RowLevelTarget): Seq[RowLevelTarget] =
    query.collectWithSubqueries { case r: DataSourceV2Relation => RowLevelTarget.of(r) }
      .flatten.filter(_.isOtherVersionOf(target))
}

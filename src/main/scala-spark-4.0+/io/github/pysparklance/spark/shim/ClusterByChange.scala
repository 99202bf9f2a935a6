// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.catalog.ClusterBySpec
import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange.ClusterBy
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** Hides `ALTER TABLE … CLUSTER BY`, which Spark has since 4.0. */
private[spark] object ClusterByChange {

  /** The columns of the new clustering key, if a change sets one.
    *
    * @throws org.apache.spark.sql.AnalysisException if the table lacks one of them
    */
  def columns(change: TableChange, table: StructType): Option[Seq[NamedReference]] = change match {
    case c: ClusterBy =>
      val columns = c.clusteringColumns().toSeq
      ClusterBySpec.toProperty(table, ClusterBySpec(columns), SQLConf.get.resolver): Unit
      Some(columns)
    case _ => None
  }
}

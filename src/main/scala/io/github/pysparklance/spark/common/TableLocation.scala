// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.hadoop.HadoopConf
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.LanceTable

/** Where a table is, or is to be.
  *
  * @param path with its scheme, absolute
  * @param store what reads and writes there, on the driver
  * @param settings what the catalog, or else the read or write, says of all that happens there
  */
final private[spark] case class TableLocation(
    path: String,
    store: FileStore,
    settings: Map[String, String]
) {

  /** What tasks use: for local files it travels without the Hadoop configuration. */
  def taskStore(table: Option[LanceTable]): FileStore = {
    val elsewhere = table.exists(_.manifest.basePaths.nonEmpty)
    if (!elsewhere && TablePath.scheme(path).contains("file")) Storage.local else store
  }
}

private[spark] object TableLocation {
  CachedTables.listen()

  /** @param path as the user wrote it
    * @param options of this read or write; storage settings among them hold for it alone
    */
  def apply(path: String, options: Map[String, String]): TableLocation = {
    val hadoop = new HadoopConf(SessionShim.hadoopConfiguration(SparkSession.active, options))
    new TableLocation(hadoop.qualify(path), Storage(hadoop), options)
  }

  /** The same, from options as Spark hands them over. */
  def apply(path: String, options: CaseInsensitiveStringMap): TableLocation =
    apply(path, options.asCaseSensitiveMap().asScala.toMap)
}

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

/** The location of a table, which may not exist.
  *
  * @param path absolute path with its scheme
  * @param store file store of the driver
  * @param options options of the catalog, or of the read or write
  */
final private[spark] case class TableLocation(
    path: String,
    store: FileStore,
    options: Map[String, String]
) {

  /** Returns the file store for tasks. The store for local files is serialized without the Hadoop
    * configuration.
    */
  def taskStore(table: Option[LanceTable]): FileStore = {
    val elsewhere = table.exists(_.manifest.basePaths.nonEmpty)
    if (!elsewhere && TablePath.scheme(path).contains("file")) Storage.local else store
  }
}

/** Creates locations. */
private[spark] object TableLocation {
  CachedTables.listen()

  /** @param path path given by the user
    * @param options options of this read or write, including its storage options
    */
  def apply(path: String, options: Map[String, String]): TableLocation = {
    val hadoop = new HadoopConf(SessionShim.hadoopConfiguration(SparkSession.active, options))
    new TableLocation(hadoop.qualify(path), Storage(hadoop), options)
  }

  /** Returns the location for options in Spark's representation. */
  def apply(path: String, options: CaseInsensitiveStringMap): TableLocation =
    apply(path, options.asCaseSensitiveMap().asScala.toMap)
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import java.util.{LinkedHashMap, Map => JMap}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.storage.VendedStorage
import io.github.pysparklance.storage.hadoop.HadoopConf

/** The storage of tables for which a catalog returns storage options. Statements on a table share
  * its storage while the options are valid, because clients of object stores are slow to start.
  */
final private[backend] class VendedTables {
  import VendedTables._

  private val open = new LinkedHashMap[String, Known](maxTables, 0.75f, true) {
    override def removeEldestEntry(eldest: JMap.Entry[String, Known]): Boolean = size > maxTables
  }

  /** Returns the location of a table.
    *
    * @param path path of the table
    * @param access the latest response of the catalog
    * @param options options of the catalog
    */
  def apply(path: String, access: TableAccess, options: Map[String, String]): TableLocation = {
    // File systems are configured by the session, too.
    val configuration = SQLConf.get.getAllConfs.filter(_._1.startsWith("fs."))
    val storage = open.synchronized {
      val known = open.get(path)
      if (
        known != null && known.configuration == configuration && known.storage.vendor == access.vendor
      ) {
        known.storage.offer(access.options)
        known.storage
      } else {
        val base = new HadoopConf(SessionShim.hadoopConfiguration(SparkSession.active, options))
        val made = new VendedStorage(base, path, access.vendor, access.options)
        open.put(path, Known(made, configuration)): Unit
        made
      }
    }
    new TableLocation(storage.qualify(path), storage, options)
  }
}

private object VendedTables {
  val maxTables = 64

  /** @param configuration configuration of file systems in the session when the storage was opened
    */
  final case class Known(storage: VendedStorage, configuration: Map[String, String])
}

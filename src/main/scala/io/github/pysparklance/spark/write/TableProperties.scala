// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.connector.catalog.TableCatalog

import io.github.pysparklance.file.FileVersion
import io.github.pysparklance.spark.common.LanceOptions
import io.github.pysparklance.spark.types.ColumnSettings

/** The properties that a statement gives a table. */
private[spark] object TableProperties {

  /** The file version among them.
    *
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for one that does not exist
    */
  def fileVersion(properties: Map[String, String]): Option[FileVersion] =
    WriteOptions.fileVersion(new LanceOptions(properties))

  /** Those that stay with the table, as settings in its manifest. The others are Spark's own, or say something of the
    * table that it shows elsewhere: its file version, its columns. Options of the statement, which may hold secrets of
    * a file system, do not stay.
    */
  def kept(properties: Map[String, String]): Map[String, String] =
    properties.filter { case (name, _) =>
      val isOption = name.startsWith(TableCatalog.OPTION_PREFIX) ||
        properties.contains(TableCatalog.OPTION_PREFIX + name)
      !isOption && !reserved(name) && !ofFiles(name) && !ColumnSettings.isSetting(name)
    }

  private val reserved = Set(
    TableCatalog.PROP_COLLATION,
    TableCatalog.PROP_COMMENT,
    TableCatalog.PROP_EXTERNAL,
    TableCatalog.PROP_IS_MANAGED_LOCATION,
    TableCatalog.PROP_LOCATION,
    TableCatalog.PROP_OWNER,
    TableCatalog.PROP_PROVIDER,
    TableCatalog.PROP_TABLE_TYPE,
    "path"
  )

  private def ofFiles(name: String): Boolean =
    WriteOptions.FileVersionNames.exists(LanceOptions.canonical(_) == LanceOptions.canonical(name))
}

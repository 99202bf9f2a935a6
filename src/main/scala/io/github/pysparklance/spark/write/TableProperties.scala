// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import java.util.Locale

import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.Printable
import io.github.pysparklance.spark.common.{
  KeptStatistics,
  LanceOptions,
  OptionRegistry,
  OptionUse,
  TableLocation
}
import io.github.pysparklance.spark.shim.TableConstraint
import io.github.pysparklance.spark.types.{ColumnSettings, TableKeys}

/** The properties that a statement gives a table. */
private[spark] object TableProperties {

  /** What they, or else the session or the catalog, say of writes to a new table. */
  def options(properties: Map[String, String], location: TableLocation): LanceOptions =
    LanceOptions(
      OptionUse.Write,
      CaseInsensitiveStringMap.empty(),
      properties,
      location.settings
    )

  /** Those that stay with the table, as settings in its manifest. The others are Spark's own, or say something of the
    * table that it shows elsewhere: its file version, its columns. Options of the statement, which may hold secrets of
    * a file system, do not stay.
    */
  def kept(properties: Map[String, String]): Map[String, String] =
    properties.filter { case (name, _) =>
      isKept(name) && !properties.contains(TableCatalog.OPTION_PREFIX + name)
    }

  /** Whether a property of this name stays with the table. */
  def isKept(name: String): Boolean =
    !name.startsWith(TableCatalog.OPTION_PREFIX) && !reserved(name) && !said.contains(name) &&
      !ofFiles(name) && !ColumnSettings.isSetting(name)

  /** Shown among the properties, and set by nobody. */
  val Version: String = "lance.version"

  /** Shown among the properties, and set by nobody. */
  val FileVersion: String = "lance.fileVersion"

  /** Shown among the properties of a branch, and set by nobody. */
  val Branch: String = "lance.branch"

  /** What the properties say beside those that somebody set. */
  val said: Seq[String] = Seq(Version, FileVersion, Branch)

  /** The settings of a table as its properties: constraints are shown as such, and a value that is empty stands for none
    * where a replaced table had one. Settings with a name that Spark or the catalog has a meaning for, which statements
    * do not keep, are another writer's and are not shown. The owner is: nothing else has a record of it.
    */
  def shown(config: Map[String, String]): Map[String, String] = config.collect {
    case (name, value) if isShown(name) && (value.nonEmpty || name != TableCatalog.PROP_COMMENT) =>
      Printable.line(name) -> Printable(value)
  }

  private def isShown(name: String): Boolean =
    !TableKeys.isProperty(name) && !KeptStatistics.isSetting(name) && !isOfSpark(name)

  private def isOfSpark(name: String): Boolean = {
    val lower = name.toLowerCase(Locale.ROOT)
    lower.startsWith(TableCatalog.OPTION_PREFIX) || reserved(lower) || said.contains(name)
  }

  /** The properties of a table that takes the place of another: its constraints and comment do not stay. */
  def replacing(config: Map[String, String], properties: Map[String, String]): Map[String, String] =
    config.collect {
      case (name, _) if TableKeys.isProperty(name) || name == TableCatalog.PROP_COMMENT =>
        name -> ""
    } ++ properties

  private val reserved = Set(
    TableCatalog.PROP_EXTERNAL,
    TableCatalog.PROP_IS_MANAGED_LOCATION,
    TableCatalog.PROP_LOCATION,
    TableCatalog.PROP_PROVIDER,
    "table_type", // a constant of Spark since 4.1
    TableConstraint.PrimaryKeyColumns,
    "path"
  )

  private def ofFiles(name: String): Boolean =
    OptionRegistry.find(name).exists(o => settledOnce(o.name))

  /** What is settled when a table is made, and shown by it elsewhere. */
  private val settledOnce = Set("fileVersion", "enableStableRowIds")
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import java.util.Locale

import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.Printable
import io.github.pysparklance.spark.common.{
  LanceOptions,
  OptionRegistry,
  OptionUse,
  StoredColumnStatistics,
  TableLocation
}
import io.github.pysparklance.spark.shim.TableConstraint
import io.github.pysparklance.spark.types.{ColumnOptions, TableKeys}
import io.github.pysparklance.table.transaction.build.AppliedWrites

/** The table properties in a statement. */
private[spark] object TableProperties {

  /** Returns the options for writing a new table, from its properties, the session, and the
    * catalog.
    */
  def options(properties: Map[String, String], location: TableLocation): LanceOptions =
    LanceOptions(
      OptionUse.Write,
      CaseInsensitiveStringMap.empty(),
      properties,
      location.options
    )

  /** Returns the properties that are stored in the manifest. Excludes properties of Spark, and
    * properties that are stored elsewhere, such as the file version and column options. Also
    * excludes the options of the statement, which may contain credentials of a file system.
    */
  def kept(properties: Map[String, String]): Map[String, String] =
    properties.filter { case (name, _) =>
      isKept(name) && !properties.contains(TableCatalog.OPTION_PREFIX + name)
    }

  /** Whether a property is stored in the manifest. */
  def isKept(name: String): Boolean =
    !name.startsWith(TableCatalog.OPTION_PREFIX) && !reserved(name) && !computed.contains(name) &&
      !ofFiles(name) && !ColumnOptions.isColumnOption(name)

  /** Returns the names of properties that a statement sets, and that a table does not have.
    *
    * @param properties properties from the statement and from Spark
    * @param existing properties of the table
    */
  def changed(properties: Map[String, String], existing: Map[String, String]): Iterable[String] =
    properties.collect {
      case (name, value)
          if !name.startsWith(TableCatalog.OPTION_PREFIX) && !reserved(name) &&
            name != TableCatalog.PROP_OWNER && !existing.get(name).contains(value) &&
            !properties.contains(TableCatalog.OPTION_PREFIX + name) =>
        name
    }

  /** A computed property, which users cannot set. */
  val Version: String = "lance.version"

  /** A computed property, which users cannot set. */
  val FileVersion: String = "lance.fileVersion"

  /** A computed property of branches, which users cannot set. */
  val Branch: String = "lance.branch"

  /** The computed properties. */
  val computed: Seq[String] = Seq(Version, FileVersion, Branch)

  /** Returns the properties to show for a table. Constraints are shown separately. An empty comment
    * is hidden, because it means that the replaced table had one. Properties whose names are
    * reserved by Spark or the catalog were set by other writers, and are hidden. The owner is
    * shown, because it is only stored here.
    */
  def shown(config: Map[String, String]): Map[String, String] = config.collect {
    case (name, value) if isShown(name) && (value.nonEmpty || name != TableCatalog.PROP_COMMENT) =>
      Printable.line(name) -> Printable(value)
  }

  private def isShown(name: String): Boolean =
    !TableKeys.isProperty(name) && !StoredColumnStatistics.isProperty(name) && !isOfSpark(name) &&
      !AppliedWrites.isProperty(name)

  private def isOfSpark(name: String): Boolean = {
    val lower = name.toLowerCase(Locale.ROOT)
    lower.startsWith(TableCatalog.OPTION_PREFIX) || reserved(lower) || computed.contains(name)
  }

  /** Returns the properties of a table that replaces another one. Drops its constraints and
    * comment.
    */
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
    OptionRegistry.find(name).exists(o => onlyAtCreation(o.name))

  /** Properties that are fixed when a table is created, and shown elsewhere. */
  private val onlyAtCreation = Set("fileVersion", "enableStableRowIds")
}

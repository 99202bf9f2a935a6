// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import java.util

import org.apache.spark.sql.connector.catalog.{SupportsRead, TableCapability}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.common.{
  ChangeFeedOptions,
  LanceErrors,
  LanceOptions,
  LocatedTable,
  OptionUse
}
import io.github.pysparklance.spark.shim.VersionedTable

/** A read-only metadata table in Spark. Its rows are created on the driver when a query is planned.
  *
  * @param loaded the source for which it was loaded
  * @param at returns the source that the options of a read select
  */
final private[spark] class MetadataTable(
    val name: String,
    view: MetadataView,
    loaded: MetadataSource,
    at: CaseInsensitiveStringMap => MetadataSource
) extends SupportsRead
    with VersionedTable
    with LocatedTable {

  LanceErrors.translated(checkTravel(loaded))

  override private[spark] def homePath: String = loaded.home.path

  /** Whether the user selected its version. */
  private[spark] def pinned: Boolean = loaded.isFixed

  override def schema(): StructType = view.schema

  override protected def versionText: Option[String] =
    Some(java.lang.Long.toUnsignedString(loaded.table.version))

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    LanceErrors.translated {
      val read = LanceOptions(options)
      read.checkNames(OptionUse.Read)
      ChangeFeedOptions.reject(read, name)
      val source = at(options)
      checkTravel(source)
      new MetadataScanBuilder(name, view, source)
    }

  private def checkTravel(source: MetadataSource): Unit =
    if (source.isFixed && !view.isVersioned)
      throw new InvalidRequestException(
        s"the ${view.name} of a table have no versions: read them without VERSION AS OF, tag or time",
        Place(path = Some(source.home.path))
      )

  override def toString: String = name

  private def identity: (String, MetadataView, MetadataSource) = (name, view, loaded)

  // Tags, properties, and the list of versions change without a new version, so unversioned tables
  // are never equal.
  override def equals(other: Any): Boolean = other match {
    case t: MetadataTable => (this eq t) || (view.isVersioned && identity == t.identity)
    case _ => false
  }

  override def hashCode: Int = name.hashCode
}

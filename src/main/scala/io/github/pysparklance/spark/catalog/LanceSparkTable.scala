// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.TableCapability._
import org.apache.spark.sql.connector.catalog.{
  MetadataColumn,
  SupportsMetadataColumns,
  SupportsRead,
  SupportsWrite,
  TableCapability,
  TableCatalog
}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, TableLocation}
import io.github.pysparklance.spark.scan.{LanceScanBuilder, ReadOptions}
import io.github.pysparklance.spark.types.{MetadataFields, SparkTypes, TypeOptions}
import io.github.pysparklance.spark.write.{LanceWriteBuilder, WriteTarget}
import io.github.pysparklance.table.LanceTable

/** One version of a table as Spark sees it. The version is chosen when the table is loaded and stays.
  *
  * @param pinned whether the user named the version, so that nothing can be written
  * @param anySchema whether a write may bring columns of its own: an overwrite that replaces the schema
  * @param types what a read makes of some types
  */
final class LanceSparkTable private[spark] (
    val name: String,
    location: TableLocation,
    table: LanceTable,
    pinned: Boolean,
    anySchema: Boolean,
    types: TypeOptions
) extends SupportsRead
    with SupportsMetadataColumns
    with SupportsWrite {

  private val columnTypes = LanceErrors.translated {
    SparkTypes.shownColumns(types.fields(table.schema), types)
  }

  override def schema(): StructType = columnTypes

  override def capabilities(): util.Set[TableCapability] = {
    val always = Seq(BATCH_READ)
    val writing = if (pinned) Nil else Seq(BATCH_WRITE, TRUNCATE)
    (always ++ writing ++ Option.when(anySchema)(ACCEPT_ANY_SCHEMA)).toSet.asJava
  }

  override def properties(): util.Map[String, String] =
    (LanceSparkTable.properties(location.path) ++ table.manifest.config ++ Map(
      "lance.version" -> table.version.toString,
      "lance.fileVersion" -> table.fileVersion.text
    )).asJava

  override def metadataColumns(): Array[MetadataColumn] = MetadataFields.columns

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    LanceErrors.translated {
      def parallelism = SparkSession.active.sparkContext.defaultParallelism
      val read = ReadOptions(options, SQLConf.get, types, parallelism)
      val wanted = if (pinned) table else revised(options)
      new LanceScanBuilder(wanted, location.taskStore(Some(wanted)), read)
    }

  /** This table at the version that options of the read ask for: a table by name is loaded without them. */
  private def revised(options: CaseInsensitiveStringMap): LanceTable =
    TravelOptions(LanceOptions(options)).fold(table) { revision =>
      val found = LanceTable.open(location.store, location.path, revision)
      if (SparkTypes.shownColumns(types.fields(found.schema), types) != columnTypes)
        throw new InvalidRequestException(
          s"the options of the read ask for version ${found.version}, which has other columns; " +
            "read it by VERSION AS OF, or by path",
          Place(path = Some(location.path))
        )
      found
    }

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
    new LanceWriteBuilder(info, WriteTarget.Existing(location, table, anySchema))

  override def toString: String = name

  // Spark finds cached frames and repeated scans by this: one version of one table is one table.
  private def identity: (String, String, Long, Boolean, Boolean, TypeOptions) =
    (name, table.path, table.version, pinned, anySchema, types)

  override def equals(other: Any): Boolean = other match {
    case t: LanceSparkTable => identity == t.identity
    case _ => false
  }

  override def hashCode: Int = identity.hashCode
}

private[spark] object LanceSparkTable {

  /** What every table says of itself. */
  def properties(path: String): Map[String, String] =
    Map(TableCatalog.PROP_PROVIDER -> "lance", TableCatalog.PROP_LOCATION -> path)
}

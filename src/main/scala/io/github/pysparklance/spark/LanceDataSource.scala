// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.connector.catalog.{
  Identifier,
  SupportsCatalogOptions,
  Table,
  TableProvider
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.{BaseRelation, DataSourceRegister, RelationProvider}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.catalog.{PathCatalog, PathIdentifier, PathTables, TravelOptions}
import io.github.pysparklance.spark.common.{
  LanceErrors,
  LanceOptions,
  OptionUse,
  SparkLine,
  TableLocation
}
import io.github.pysparklance.spark.shim.SparkShim
import io.github.pysparklance.spark.streaming.sink.StreamingWrites

/** The data source `lance`: tables by path, and `USING lance` in Spark's session catalog.
  *
  * Spark supports the save modes `errorifexists` and `ignore` only for sources with a catalog.
  * Paths therefore go through an internal catalog. It is registered under a reserved name on first
  * use.
  */
final class LanceDataSource
    extends TableProvider
    with SupportsCatalogOptions
    with DataSourceRegister
    with RelationProvider {

  override def shortName(): String = "lance"

  override def extractIdentifier(options: CaseInsensitiveStringMap): Identifier =
    LanceErrors.translated {
      SparkLine.check()
      val read = LanceOptions(options)
      read.checkNames(OptionUse.Read)
      val anySchema = Seq("overwriteSchema", "mergeSchema").exists { name =>
        LanceOptions(OptionUse.Write, options, Map.empty, Map.empty).boolean(name).contains(true)
      }
      val optionMap = options.asCaseSensitiveMap().asScala.toMap
      val (location, selector) = PathTables.location(LanceDataSource.path(options), optionMap)
      val revision = selector.at(TravelOptions(read)).revision
      // Different spellings of a path must give equal identifiers.
      val others = optionMap.filterNot(s => Seq("path", "paths").exists(_.equalsIgnoreCase(s._1)))
      PathIdentifier(location.path, revision, selector.view, anySchema, others)
    }

  override def extractCatalog(options: CaseInsensitiveStringMap): String = {
    PathCatalog.register()
    PathCatalog.Name
  }

  /** Spark calls this if there is no table at the path. */
  override def createRelation(context: SQLContext, options: Map[String, String]): BaseRelation =
    throw LanceErrors.translated {
      val optionMap = new CaseInsensitiveStringMap(options.asJava)
      LanceErrors.pathNotFound(TableLocation(LanceDataSource.path(optionMap), options).path)
    }

  // The rest serves tables that are recorded in Spark's session catalog.

  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    PathTables.ofStream(
      LanceDataSource.path(options),
      options.asCaseSensitiveMap().asScala.toMap
    ) match {
      case Some(table) => SparkShim.structType(table.columns())
      case None => throw LanceErrors.pathNotFound(LanceDataSource.path(options))
    }

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = {
    val optionMap = properties.asScala.toMap
    PathTables.rejectPartitioning(partitioning)
    val options = new CaseInsensitiveStringMap(properties)
    // Spark passes the options of a streaming write as properties.
    if (options.containsKey("checkpointLocation")) StreamingWrites.check(options)
    val location = Option(options.get("path")).map(TableLocation(_, optionMap))
    // Spark has no catalog for streams by path.
    Option(options.get("path"))
      .flatMap(PathTables.ofStream(_, optionMap))
      .getOrElse(PathTables.declared(location, schema, optionMap))
  }
}

private object LanceDataSource {

  private def path(options: CaseInsensitiveStringMap): String =
    Option(options.get("path")).filter(_.nonEmpty).getOrElse {
      if (options.containsKey("paths")) throw LanceErrors.rejected("a Lance table has one path")
      throw LanceErrors.rejected(
        "a Lance table needs a path: use load(path), save(path), or the option path"
      )
    }
}

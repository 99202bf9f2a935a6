// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.conformance

import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkConf
import org.apache.spark.sql.connector.catalog.{Identifier, Table, TableCatalog}
import org.apache.spark.sql.test.SharedSparkSession

/** Spark's session for tests, with catalogs of Lance tables where the suite has its own in memory. */
trait LanceSession extends SharedSparkSession with Exclusions {

  /** The catalogs that are [[io.github.pysparklance.spark.LanceCatalog]]s, each with an empty warehouse. */
  protected def lanceCatalogs: Seq[String]

  override def sparkConf: SparkConf = {
    val conf = super.sparkConf
      .set("spark.sql.extensions", "io.github.pysparklance.spark.LanceSparkSessionExtensions")
      .set("spark.sql.warehouse.dir", Files.createTempDirectory("spark-warehouse").toString)
      // Tables of a few rows: to compile code takes longer than to read them.
      .set("spark.sql.codegen.wholeStage", "false")
      .set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    lanceCatalogs.flatMap(LanceSession.settings).foreach { case (key, value) =>
      conf.set(key, value)
    }
    conf
  }

  /** A table by its name: with the catalog where it has three parts and more, else one of the session's catalog. */
  protected def loaded(name: Seq[String]): Table = {
    val catalogs = spark.sessionState.catalogManager
    val (catalog, namespace) =
      if (name.length < 3) (catalogs.currentCatalog, name.init.toArray)
      else (catalogs.catalog(name.head), name.tail.init.toArray)
    catalog.asInstanceOf[TableCatalog].loadTable(Identifier.of(namespace, name.last))
  }
}

object LanceSession {

  /** The settings of a catalog over a new folder. */
  def settings(name: String): Seq[(String, String)] = {
    val key = s"spark.sql.catalog.$name"
    Seq(
      key -> "io.github.pysparklance.spark.LanceCatalog",
      s"$key.warehouse" -> Files.createTempDirectory("lance-catalog").toString
    )
  }

  private val said = Set("location", "lance.version", "lance.fileVersion")

  /** Whether a property of a Lance table says what it is, and nobody has set it. Suites know no such properties. */
  def isSaid(property: String): Boolean = said.contains(property)

  /** The properties that somebody set. */
  def setByUsers(table: Table): Map[String, String] =
    table.properties().asScala.toMap.filterNot { case (name, _) => isSaid(name) }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.conformance

import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkConf
import org.apache.spark.sql.connector.catalog.{Identifier, Table, TableCatalog}
import org.apache.spark.sql.test.SharedSparkSession

/** Spark's test session, with Lance catalogs instead of the in-memory catalogs of the suite. */
trait LanceSession extends SharedSparkSession with Exclusions {

  /** The catalogs that are [[io.github.pysparklance.spark.LanceCatalog]]s, each with an empty
    * warehouse.
    */
  protected def lanceCatalogs: Seq[String]

  override def sparkConf: SparkConf = {
    val conf = super.sparkConf
      .set("spark.sql.extensions", "io.github.pysparklance.spark.LanceSparkSessionExtensions")
      .set("spark.sql.warehouse.dir", Files.createTempDirectory("spark-warehouse").toString)
      // Tables have few rows: compiling code takes longer than reading them.
      .set("spark.sql.codegen.wholeStage", "false")
      .set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    lanceCatalogs.flatMap(LanceSession.configuration).foreach { case (key, value) =>
      conf.set(key, value)
    }
    conf
  }

  /** Returns a table by name: with the catalog if it has three or more parts, otherwise in the
    * session catalog.
    */
  protected def loaded(name: Seq[String]): Table = {
    val catalogs = spark.sessionState.catalogManager
    val (catalog, namespace) =
      if (name.length < 3) (catalogs.currentCatalog, name.init.toArray)
      else (catalogs.catalog(name.head), name.tail.init.toArray)
    catalog.asInstanceOf[TableCatalog].loadTable(Identifier.of(namespace, name.last))
  }
}

object LanceSession {

  /** The configuration of a catalog over a new folder. */
  def configuration(name: String): Seq[(String, String)] = {
    val key = s"spark.sql.catalog.$name"
    Seq(
      key -> "io.github.pysparklance.spark.LanceCatalog",
      s"$key.warehouse" -> Files.createTempDirectory("lance-catalog").toString
    )
  }

  private val said = Set("location", "lance.version", "lance.fileVersion")

  /** Returns whether Lance tables add a property themselves. Suites do not expect such properties.
    */
  def isSaid(property: String): Boolean = said.contains(property)

  /** Returns the properties that the test set. */
  def setByUsers(table: Table): Map[String, String] =
    table.properties().asScala.toMap.filterNot { case (name, _) => isSaid(name) }
}

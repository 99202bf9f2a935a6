// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.conformance

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkConf
import org.apache.spark.sql.connector.catalog.{Column, Table, TableCapability}
import org.apache.spark.sql.connector.{AlterTableTests, InsertIntoTests}
import org.apache.spark.sql.{DataFrame, QueryTest, SaveMode}

/** Tables of a namespace of a [[io.github.pysparklance.spark.LanceCatalog]]. */
trait InLanceCatalog extends LanceSession {
  protected val v2Format = "lance"
  protected val catalogAndNamespace = "lake.ns1.ns2."

  override protected def lanceCatalogs: Seq[String] = Seq("lake")

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    sql("CREATE NAMESPACE IF NOT EXISTS lake.ns1.ns2"): Unit
  }

  override protected def afterEach(): Unit = {
    sql("DROP NAMESPACE lake.ns1 CASCADE"): Unit
    super.afterEach()
  }
}

/** Tables of Spark's own catalog, by [[io.github.pysparklance.spark.LanceSessionCatalog]]. */
trait InSessionCatalog extends LanceSession {
  protected val v2Format = "lance"
  protected val catalogAndNamespace = ""

  override protected def lanceCatalogs: Seq[String] = Nil

  override def sparkConf: SparkConf = super.sparkConf.set(
    "spark.sql.catalog.spark_catalog",
    "io.github.pysparklance.spark.LanceSessionCatalog"
  )

  override protected def afterEach(): Unit = {
    sql("DROP TABLE IF EXISTS tbl")
    sql("DROP TABLE IF EXISTS table_name"): Unit
    super.afterEach()
  }
}

/** Reads the table in several ways, and compares the results. */
abstract class InsertConformance extends InsertIntoTests(true, true) with LanceSession {
  override protected def oneOf: Int = 6

  override protected def leftOut: Map[String, String] = Exclusions.all(Exclusions.Dots)(
    "SPARK-34599: InsertInto: overwrite - dot in the partition column name - static mode"
  )

  override protected def verifyTable(table: String, expected: DataFrame): Unit = {
    checkAnswer(spark.table(table), expected)
    checkAnswer(sql(s"SELECT * FROM $table"), expected)
    checkAnswer(sql(s"TABLE $table"), expected)
  }
}

class InsertSqlConformance extends InsertConformance with InLanceCatalog {
  override protected def doInsert(table: String, insert: DataFrame, mode: SaveMode): Unit =
    Inserts.bySql(insert, table, mode)
}

class InsertSqlSessionConformance extends InsertConformance with InSessionCatalog {
  override protected def doInsert(table: String, insert: DataFrame, mode: SaveMode): Unit =
    Inserts.bySql(insert, table, mode)
}

class InsertFrameConformance extends InsertConformance with InLanceCatalog {
  override protected def doInsert(table: String, insert: DataFrame, mode: SaveMode): Unit =
    Inserts.byFrame(insert, table, mode)
}

class InsertFrameSessionConformance extends InsertConformance with InSessionCatalog {
  override protected def doInsert(table: String, insert: DataFrame, mode: SaveMode): Unit =
    Inserts.byFrame(insert, table, mode)
}

private object Inserts {
  def bySql(rows: DataFrame, table: String, mode: SaveMode): Unit = {
    rows.createOrReplaceTempView("rows_to_insert")
    val verb = if (mode == SaveMode.Overwrite) "OVERWRITE" else "INTO"
    rows.sparkSession.sql(s"INSERT $verb TABLE $table SELECT * FROM rows_to_insert"): Unit
  }

  def byFrame(rows: DataFrame, table: String, mode: SaveMode): Unit =
    Option(mode).fold(rows.write)(rows.write.mode(_)).insertInto(table)
}

/** All kinds of ALTER TABLE. */
abstract class AlterConformance extends QueryTest with AlterTableTests with LanceSession {
  override protected def oneOf: Int = 10

  override protected def leftOut: Map[String, String] = Map(
    "AlterTable: change rejected by implementation" ->
      "expects the exception of its in-memory catalog; ours is an AnalysisException"
  )

  override protected def getTableMetadata(table: String): Table =
    new WithGiven(loaded(spark.sessionState.sqlParser.parseMultipartIdentifier(table)))
}

/** Returns a table with only the properties that the test set, and a name without the session
  * catalog.
  */
class WithGiven(table: Table) extends Table {
  override def name(): String = table.name().stripPrefix("spark_catalog.")
  override def columns(): Array[Column] = table.columns()
  override def capabilities(): util.Set[TableCapability] = table.capabilities()
  override def properties(): util.Map[String, String] = LanceSession.setByUsers(table).asJava
}

class AlterTableConformance extends AlterConformance with InLanceCatalog

class AlterTableSessionConformance extends AlterConformance with InSessionCatalog {
  override protected def leftOut: Map[String, String] = super.leftOut +
    ("Alter table add nested column" -> "creates a table without a provider, which is not a Lance table")
}

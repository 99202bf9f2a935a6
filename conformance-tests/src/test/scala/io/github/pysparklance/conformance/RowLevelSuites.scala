// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.conformance

import org.apache.spark.sql.connector.catalog.{
  Column,
  Identifier,
  InMemoryRowLevelOperationTable,
  InMemoryRowLevelOperationTableCatalog,
  Table,
  TableCatalog,
  TableChange,
  TableInfo
}
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.connector.{
  DeltaBasedDeleteFromTableSuite,
  DeltaBasedMergeIntoTableSuite,
  DeltaBasedUpdateTableSuite,
  MergeIntoDataFrameSuite,
  RowLevelOperationSuiteBase
}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.shim.SparkShim

/** DELETE, UPDATE, and MERGE of Spark's suites on Lance tables. The suites check rows, and the
  * records of their in-memory catalog about writes (schemas, a log of changes) and reads
  * (`_partition`). This trait checks rows only.
  */
trait LanceRows extends RowLevelOperationSuiteBase with LanceSession {
  override protected def lanceCatalogs: Seq[String] = Nil

  override protected def oneOf: Int = 8

  // After the configuration of the suite, before the catalog is created. Every test has an empty
  // catalog.
  override protected def beforeEach(): Unit = {
    super.beforeEach()
    LanceSession.configuration("cat").foreach { case (key, value) => spark.conf.set(key, value) }
    spark.sql("CREATE NAMESPACE cat.ns1"): Unit
  }

  override protected def catalog: InMemoryRowLevelOperationTableCatalog =
    new Facade(
      spark.sessionState.catalogManager.catalog("cat").asInstanceOf[TableCatalog]
    )

  /** Returns the properties of the table as an in-memory table, which the suites inspect. */
  override protected def table: InMemoryRowLevelOperationTable = {
    val made = catalog.loadTable(ident)
    new InMemoryRowLevelOperationTable(
      made.name(),
      SparkShim.structType(made.columns()),
      made.partitioning(),
      made.properties(),
      made.constraints()
    )
  }

  override protected def createTable(columns: Array[Column]): Unit = {
    val partitions =
      if (columns.exists(_.name() == "dep")) Array[Transform](Expressions.identity("dep"))
      else Array.empty[Transform]
    val table = new TableInfo.Builder().withColumns(columns).withPartitions(partitions).build()
    catalog.createTable(ident, table): Unit
  }

  override protected def executeAndCheckScan(query: String, schema: String): Unit =
    spark.sql(query): Unit

  override protected def checkLastWriteInfo(
      rows: StructType,
      rowIds: Option[StructType],
      metadata: Option[StructType]
  ): Unit = ()

  override protected def checkLastWriteLog(expected: WriteLogEntry*): Unit = ()
}

private object LanceRows {
  val nullableIds: (String, String) =
    "nullable row ID attrs" -> "identifies rows by columns; ours are identified by address"
}

/** Forwards calls of the in-memory catalog to the Lance catalog. */
class Facade(behind: TableCatalog) extends InMemoryRowLevelOperationTableCatalog {
  override def createTable(ident: Identifier, table: TableInfo): Table =
    behind.createTable(ident, table)

  override def loadTable(ident: Identifier): Table = behind.loadTable(ident)

  override def alterTable(ident: Identifier, changes: TableChange*): Table =
    behind.alterTable(ident, changes: _*)
}

class DeleteConformance extends DeltaBasedDeleteFromTableSuite with LanceRows {
  override protected def leftOut: Map[String, String] = Map(
    "delete with supported predicates gets converted into delete with filters" ->
      "expects that all rows of a partition are deleted without reading them",
    LanceRows.nullableIds
  )
}

class UpdateConformance extends DeltaBasedUpdateTableSuite with LanceRows {
  override protected def leftOut: Map[String, String] = Map(LanceRows.nullableIds)
}

class MergeConformance extends DeltaBasedMergeIntoTableSuite with LanceRows {
  override protected def leftOut: Map[String, String] =
    Exclusions.all("checks counts of its in-memory table; ours are in the commit properties")(
      "Merge metrics with matched clause",
      "Merge metrics with matched and not matched clause",
      "Merge metrics with matched and not matched by source clauses: update",
      "Merge metrics with matched and not matched by source clauses: delete",
      "Merge metrics with matched, not matched, and not matched by source clauses: update",
      "Merge metrics with matched, not matched, and not matched by source clauses: delete",
      "SPARK-52689: V2 write metrics for merge"
    ) ++ Exclusions.all("turns schema evolution off with a property of its in-memory table")(
      "Merge schema evolution new column with set explicit column",
      "Merge schema evolution new column with set all columns",
      "Merge schema evolution replacing column with set all column",
      "Merge schema evolution replacing column with default value and set all column",
      "Merge schema evolution replacing column with set explicit column",
      "merge into schema evolution type widening from short to int"
    ) ++ Map(
      "some target filters are evaluated on data source side" ->
        "expects that Spark evaluates a filter that ours evaluates"
    )
}

class MergeFrameConformance extends MergeIntoDataFrameSuite with LanceRows

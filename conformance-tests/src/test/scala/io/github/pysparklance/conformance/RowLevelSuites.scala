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

/** DELETE, UPDATE and MERGE of Spark's suites on Lance tables. The suites look at rows and at what their catalog in
  * memory keeps of the last write (its schemas, a log of row changes) and reads (`_partition`); here the rows count.
  */
trait LanceRows extends RowLevelOperationSuiteBase with LanceSession {
  override protected def lanceCatalogs: Seq[String] = Nil

  override protected def oneOf: Int = 8

  // After the suite's own settings, before the catalog is made; every test has an empty one.
  override protected def beforeEach(): Unit = {
    super.beforeEach()
    LanceSession.settings("cat").foreach { case (key, value) => spark.conf.set(key, value) }
    spark.sql("CREATE NAMESPACE cat.ns1"): Unit
  }

  override protected def catalog: InMemoryRowLevelOperationTableCatalog =
    new Facade(
      spark.sessionState.catalogManager.catalog("cat").asInstanceOf[TableCatalog]
    )

  /** What there is to know about the table, as one of the kind that suites look into. */
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
    "nullable row ID attrs" -> "wants rows to be told apart by columns; ours are by their address"
}

/** Hands what suites ask of their catalog in memory to the one in use. */
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
      "wants all rows of a partition to go without a look at them",
    LanceRows.nullableIds
  )
}

class UpdateConformance extends DeltaBasedUpdateTableSuite with LanceRows {
  override protected def leftOut: Map[String, String] = Map(LanceRows.nullableIds)
}

class MergeConformance extends DeltaBasedMergeIntoTableSuite with LanceRows {
  override protected def leftOut: Map[String, String] =
    Exclusions.all("looks for the counts in its table in memory; ours are in the version")(
      "Merge metrics with matched clause",
      "Merge metrics with matched and not matched clause",
      "Merge metrics with matched and not matched by source clauses: update",
      "Merge metrics with matched and not matched by source clauses: delete",
      "Merge metrics with matched, not matched, and not matched by source clauses: update",
      "Merge metrics with matched, not matched, and not matched by source clauses: delete",
      "SPARK-52689: V2 write metrics for merge"
    ) ++ Exclusions.all("turns the evolution off by a property of its table in memory")(
      "Merge schema evolution new column with set explicit column",
      "Merge schema evolution new column with set all columns",
      "Merge schema evolution replacing column with set all column",
      "Merge schema evolution replacing column with default value and set all column",
      "Merge schema evolution replacing column with set explicit column",
      "merge into schema evolution type widening from short to int"
    ) ++ Map(
      "some target filters are evaluated on data source side" ->
        "wants Spark to evaluate a filter that ours evaluates"
    )
}

class MergeFrameConformance extends MergeIntoDataFrameSuite with LanceRows

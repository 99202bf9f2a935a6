// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.conformance

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.connector.catalog.InMemoryTable
import org.apache.spark.sql.connector.expressions.{ClusterByTransform, Expressions}
import org.apache.spark.sql.execution.command.v2
import org.scalatest.Assertion

/** Spark's suites of single commands, on [[io.github.pysparklance.spark.LanceCatalog]]. */
trait LanceCommands extends v2.CommandSuiteBase with LanceSession {
  override def defaultUsing: String = "USING lance"

  override protected def oneOf: Int = 3

  override protected def lanceCatalogs: Seq[String] =
    Seq(catalog, nonPartitionCatalog, atomicCatalog, rowLevelOPCatalog)

  /** Returns the properties of the table as an in-memory table, which the suites inspect. */
  override def loadTable(catalog: String, schema: String, table: String): InMemoryTable = {
    val made = loaded(Seq(catalog, schema, table))
    new InMemoryTable(
      made.name(),
      made.columns(),
      made.partitioning(),
      made.properties(),
      made.constraints()
    ) {
      // The first version is 1 in Lance and 0 in memory.
      override def version(): String = (made.version().toInt - 1).toString

      // A constraint is rejected unless the rows of the previous version were checked.
      override def validatedVersion(): String = (made.version().toInt - 2).toString
    }
  }
}

class CreateNamespaceConformance extends v2.CreateNamespaceSuite with LanceCommands

class DropNamespaceConformance extends v2.DropNamespaceSuite with LanceCommands

class DescribeNamespaceConformance extends v2.DescribeNamespaceSuite with LanceCommands

class ShowNamespacesConformance extends v2.ShowNamespacesSuite with LanceCommands {
  override protected def leftOut: Map[String, String] = Map(
    "IN namespace doesn't exist" ->
      "expects no namespaces in a missing namespace; ours is rejected by name"
  )
}

class AlterNamespaceSetPropertiesConformance
    extends v2.AlterNamespaceSetPropertiesSuite
    with LanceCommands

class AlterNamespaceUnsetPropertiesConformance
    extends v2.AlterNamespaceUnsetPropertiesSuite
    with LanceCommands

class AlterNamespaceSetLocationConformance
    extends v2.AlterNamespaceSetLocationSuite
    with LanceCommands {
  override protected def leftOut: Map[String, String] =
    Map("basic test" -> "namespaces are folders of the warehouse")
}

class DropTableConformance extends v2.DropTableSuite with LanceCommands {
  override protected def leftOut: Map[String, String] =
    Map("purge option" -> "expects that PURGE is rejected; ours always drops the data")
}

class ShowTablesConformance extends v2.ShowTablesSuite with LanceCommands {
  override protected def leftOut: Map[String, String] = Exclusions.all(Exclusions.Partitions)(
    "show table extended with a not existing partition",
    "show table extended in non-partitioned table",
    "show table extended in multi partition key - the command's partition parameters are complete",
    "show table extended in multi partition key - the command's partition parameters are incomplete",
    "show table extended in multi tables"
  ) + ("show tables in nested namespaces" -> "namespaces must be created first")
}

class ShowColumnsConformance extends v2.ShowColumnsSuite with LanceCommands

class ShowTblPropertiesConformance extends v2.ShowTblPropertiesSuite with LanceCommands {
  override protected def leftOut: Map[String, String] = Map(
    "SHOW TBLPROPERTIES BASIC" -> "expects no additional properties; ours include the versions"
  )
}

class ShowCreateTableConformance extends v2.ShowCreateTableSuite with LanceCommands {
  override protected def leftOut: Map[String, String] = Exclusions.all(Exclusions.Providers)(
    "SPARK-36012: add null flag when show create table",
    "data source table with user specified schema",
    "SPARK-24911: keep quotes for nested fields",
    "SPARK-37494: Unify v1 and v2 option output",
    "data source table CTAS",
    "partitioned data source table",
    "data source table with a comment",
    "data source table with table properties",
    "SPARK-46629: show struct fields with NOT NULL and comment"
  ) ++ Exclusions.all(Exclusions.Transforms)(
    "SPARK-33898: show create table[multi-partition]",
    "SPARK-56755: show create table[partitioned by multi bucket transforms]"
  ) ++ Map(
    "SPARK-33898: show create table[simple]" -> Exclusions.Place,
    "show table constraints" -> Exclusions.OtherConstraints
  )

  /** Removes the properties that tables add. */
  override def getShowCreateDDL(table: String, serde: Boolean): Array[String] = {
    val lines = super.getShowCreateDDL(table, serde)
    val kept = lines.filterNot { line =>
      line.startsWith("LOCATION ") || LanceSession.isSaid(line.drop(1).takeWhile(_ != '\''))
    }
    // The last property closes the list.
    if (kept.last.endsWith(",")) kept.init :+ s"${kept.last.init})" else kept
  }
}

class DescribeTableConformance extends v2.DescribeTableSuite with LanceCommands {
  override protected def leftOut: Map[String, String] =
    Exclusions.all(Exclusions.Dots)("describe complex columns", "describe a nested column") ++
      Exclusions.all(Exclusions.FirstKey)(
        "describe a clustered table - alter table cluster by",
        "describe a clustered table - alter table cluster by none"
      ) ++ Map(
        "describe a clustered table - dataframe writer v1" -> Exclusions.Providers,
        "DESCRIBE TABLE EXTENDED of a partitioned table" -> Exclusions.Place,
        "describe extended (formatted) a column" ->
          "expects column statistics without ANALYZE, which ours require",
        "desc table constraints" -> Exclusions.OtherConstraints
      )
}

class TruncateTableConformance extends v2.TruncateTableSuite with LanceCommands {
  override protected def leftOut: Map[String, String] = Exclusions.all(Exclusions.Partitions)(
    "SPARK-34418: truncate partitioned tables",
    "truncate a partition of non partitioned table",
    "SPARK-34418: preserve partitions in truncated table",
    "case sensitivity in resolving partition specs",
    "keep dependents as cached after table truncation"
  )
}

class AlterTableRenameConformance extends v2.AlterTableRenameSuite with LanceCommands

class AlterTableAddColumnsConformance extends v2.AlterTableAddColumnsSuite with LanceCommands

class AlterTableReplaceColumnsConformance
    extends v2.AlterTableReplaceColumnsSuite
    with LanceCommands

class AlterTableDropColumnConformance extends v2.AlterTableDropColumnSuite with LanceCommands

class AlterTableRenameColumnConformance extends v2.AlterTableRenameColumnSuite with LanceCommands

class AlterTableSetTblPropertiesConformance
    extends v2.AlterTableSetTblPropertiesSuite
    with LanceCommands
    with GivenProperties {
  override protected def leftOut: Map[String, String] =
    Map("alter table set reserved properties" -> Exclusions.Providers)

  override def checkTblProps(table: TableIdentifier, expected: Map[String, String]): Unit =
    checkGiven(table, expected): Unit
}

class AlterTableUnsetTblPropertiesConformance
    extends v2.AlterTableUnsetTblPropertiesSuite
    with LanceCommands
    with GivenProperties {
  override protected def leftOut: Map[String, String] =
    Map("alter table unset reserved properties" -> Exclusions.Providers)

  override def checkTblProps(table: TableIdentifier, expected: Map[String, String]): Unit =
    checkGiven(table, expected): Unit
}

/** Checks only the properties that the test set. */
trait GivenProperties extends LanceSession {
  protected def checkGiven(table: TableIdentifier, expected: Map[String, String]): Assertion = {
    val there = LanceSession.setByUsers(loaded(table.nameParts)) -- Seq("provider", "owner")
    assert(there === expected)
  }
}

class CreateTableClusterByConformance
    extends v2.CreateTableClusterBySuite
    with LanceCommands
    with ClusteredTables {
  override protected def leftOut: Map[String, String] =
    Exclusions.all(Exclusions.Dots)("test nested clustering columns")

  override def validateClusterBy(table: String, columns: Seq[String]): Unit =
    checkClustered(table, columns): Unit
}

class AlterTableClusterByConformance
    extends v2.AlterTableClusterBySuite
    with LanceCommands
    with ClusteredTables {
  override protected def leftOut: Map[String, String] =
    Exclusions.all(Exclusions.FirstKey)(
      "test basic ALTER TABLE with clustering columns",
      "test clustering columns with comma",
      "test REPLACE TABLE with clustering columns"
    ) + ("test nested clustering columns" -> Exclusions.Dots)

  override def validateClusterBy(table: String, columns: Seq[String]): Unit =
    checkClustered(table, columns): Unit
}

/** Checks the clustering key of a table. */
trait ClusteredTables extends LanceSession {
  protected def checkClustered(table: String, columns: Seq[String]): Assertion = {
    val there = loaded(spark.sessionState.sqlParser.parseMultipartIdentifier(table)).partitioning()
    assert(there === Array(ClusterByTransform(columns.map(Expressions.column(_)))))
  }
}

class CheckConstraintConformance extends v2.CheckConstraintSuite with LanceCommands {
  override protected def oneOf: Int = 12
}

class PrimaryKeyConstraintConformance extends v2.PrimaryKeyConstraintSuite with LanceCommands {
  override protected def leftOut: Map[String, String] = Exclusions.all(Exclusions.NullableKey)(
    "Add primary key constraint",
    "Add duplicated primary key constraint",
    "Add primary key constraint with multiple columns"
  )
}

class DropConstraintConformance extends v2.DropConstraintSuite with LanceCommands

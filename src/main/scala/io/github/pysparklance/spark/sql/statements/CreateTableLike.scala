// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.{
  ResolvedIdentifier,
  ResolvedTable,
  UnresolvedIdentifier,
  UnresolvedTableOrView
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.{CatalogExtension, Identifier, Table, TableCatalog}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.shim.{
  ConstrainedCatalog,
  Constraints,
  SessionShim,
  SparksTableLike
}
import io.github.pysparklance.spark.sql.{CommittingCommand, Cursor, LineExtensions, Statement}

/** `CREATE TABLE … LIKE`. Spark only supports it in the session catalog. Statements without a Lance
  * table or catalog are delegated to Spark.
  */
private[spark] object CreateTableLike extends Statement {
  override val usage: String =
    "CREATE TABLE [IF NOT EXISTS] t LIKE other [USING lance] [LOCATION 'path'] [TBLPROPERTIES (…)]"

  override def begins(cursor: Cursor): Boolean = {
    val starts = cursor.take("CREATE", "TABLE")
    if (starts) cursor.take("IF", "NOT", "EXISTS"): Unit
    starts && cursor.takeName() && cursor.take("LIKE") && cursor.takeName() && !isOfHive(cursor)
  }

  /** Leaves Hive file formats and row formats to Spark. */
  private def isOfHive(cursor: Cursor): Boolean = {
    while (
      (cursor.take("USING") && cursor.takeName()) || (cursor.take(
        "LOCATION"
      ) && cursor.takeString())
    ) ()
    cursor.sees("STORED") || cursor.sees("ROW")
  }

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("CREATE", "TABLE")
    val ifNotExists = cursor.take("IF", "NOT", "EXISTS")
    val target = cursor.name()
    cursor.expect("LIKE")
    val source = cursor.name()
    var made = CreateTableLikeLance(target, source, ifNotExists, None, None, Map.empty)
    var more = true
    while (more)
      if (cursor.take("USING")) made = made.copy(provider = Some(cursor.name().mkString(".")))
      else if (cursor.take("LOCATION")) made = made.copy(location = Some(cursor.string()))
      else if (cursor.take("TBLPROPERTIES")) made = made.copy(properties = cursor.pairs())
      else more = false
    made
  }
}

/** Runs [[CreateTableLike]].
  *
  * @param target name of the new table
  * @param source name of the existing table
  */
final private[spark] case class CreateTableLikeLance(
    target: Seq[String],
    source: Seq[String],
    ifNotExists: Boolean,
    provider: Option[String],
    location: Option[String],
    properties: Map[String, String]
) extends CommittingCommand(new StructType) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val like = SessionShim.analyzed(
      session,
      UnresolvedTableOrView(source, "CREATE TABLE LIKE", allowTempView = true)
    ) match {
      case ResolvedTable(_, _, table, _) => Some(table)
      case _ => None
    }
    SessionShim.analyzed(session, UnresolvedIdentifier(target)) match {
      case ResolvedIdentifier(catalog: TableCatalog, ident) if isOurs(catalog, like) =>
        val table = like.getOrElse(
          throw new InvalidRequestException(s"${source.mkString(".")} is a view; name a table")
        )
        make(catalog, ident, table)
        Nil
      case _ =>
        val sparks =
          SparksTableLike(target, source, location, provider, properties, ifNotExists)
        SessionShim.execute(session, sparks)
        Nil
    }
  }

  private def isOurs(catalog: TableCatalog, like: Option[Table]): Boolean =
    isOfLanceAlone(catalog) || (like.exists(_.isInstanceOf[LanceSparkTable]) &&
      provider.forall(_.equalsIgnoreCase("lance")))

  private def isOfLanceAlone(catalog: TableCatalog): Boolean = catalog match {
    case _: CatalogExtension => false
    case _: ConstrainedCatalog => true
    case _ => false
  }

  private def make(catalog: TableCatalog, ident: Identifier, like: Table): Unit = {
    LineExtensions.checkNewTable(catalog)
    val copied = like match {
      case table: LanceSparkTable =>
        table.declared.flatMap(_.properties).toMap + ("fileVersion" -> table.table.fileVersion.text)
      case _ => Map.empty[String, String]
    }
    val tableProperties = copied ++ properties ++ location.map(TableCatalog.PROP_LOCATION -> _) +
      (TableCatalog.PROP_PROVIDER -> provider.getOrElse("lance"))
    if (!(ifNotExists && catalog.tableExists(ident)))
      Constraints.createTable(
        catalog,
        ident,
        like.columns(),
        like.partitioning(),
        tableProperties.asJava
      )
  }
}

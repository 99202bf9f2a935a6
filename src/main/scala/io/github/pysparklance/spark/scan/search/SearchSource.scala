// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.search

import scala.collection.mutable

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.connector.catalog.{SupportsMetadataColumns, SupportsRead}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{AnalysisException, SparkSession}

import io.github.pysparklance.core.{Field, InvalidRequestException, Place}
import io.github.pysparklance.spark.common.{SqlExpression, ViewContext}
import io.github.pysparklance.spark.scan.{LanceScan, LanceScanBuilder, ScanPlan}
import io.github.pysparklance.spark.shim.{SessionShim, SparkShim}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.{ComputedColumn, MetadataColumn}

/** A version of a table to search.
  *
  * @param rows Spark table with all rows
  * @param table version of the table
  * @param fields fields of the table, with the types of the read
  * @param options options of the read
  * @param context context that resolves the names in a filter
  */
final private[spark] case class SearchSource(
    rows: SupportsRead with SupportsMetadataColumns,
    table: LanceTable,
    fields: IndexedSeq[Field],
    options: CaseInsensitiveStringMap,
    context: ViewContext
) {

  /** Searches of sources with the same identity find the same rows. The name of the transaction
    * file is unique, even if a table is dropped and created again. A filter is compared with the
    * values of its variables, and the functions that it calls. A search whose filter has a subquery
    * equals only itself, because the tables of the subquery may change.
    *
    * @param filter filter of the search
    */
  private[scan] def identity(filter: Option[String]): Seq[Any] = Seq[Any](
    rows,
    options,
    table.path,
    table.version,
    table.manifest.transactionFile,
    context.identity
  ) ++ filter.map(f => if (hasSubquery(f)) once else meaning(f))

  private val once = new Object

  private def meaning(filter: String): Any =
    try
      where(SparkSession.active, filter).condition.transform { case a: AttributeReference =>
        UnresolvedAttribute(Seq(a.name))
      }
    catch { case _: AnalysisException => filter }

  private def hasSubquery(filter: String): Boolean =
    SubqueryExpression.hasSubquery(SqlExpression.parse(SparkSession.active, filter))

  /** The columns of the table. */
  private[scan] def columns: StructType = SparkShim.structType(rows.columns())

  /** Returns the plan of a scan of some columns, which may be metadata columns. */
  private[scan] def scan(columns: StructType): ScanPlan =
    rows.newScanBuilder(options) match {
      case builder: LanceScanBuilder =>
        builder.pruneColumns(columns)
        builder.build() match {
          case scan: LanceScan => scan.plan
          case other => throw new IllegalStateException(s"a search by ${other.getClass.getName}")
        }
      case other => throw new IllegalStateException(s"a search by ${other.getClass.getName}")
    }

  /** Returns a scan of some fields with the identity of each row: its address, and its stable row
    * id if the table has them.
    *
    * @param fields fields, pruned to the children to read
    */
  private[scan] def scan(fields: IndexedSeq[Field]): ScanPlan = {
    val computed: IndexedSeq[ComputedColumn] =
      if (table.hasStableRowIds) IndexedSeq(MetadataColumn.RowId, MetadataColumn.RowAddr)
      else IndexedSeq(MetadataColumn.RowAddr)
    val all = scan(StructType(Nil))
    all.copy(read = all.read.copy(fields = fields, computed = computed))
  }

  /** Returns a relation with all rows. */
  private[scan] def relation: DataSourceV2Relation =
    DataSourceV2Relation.create(rows, None, None, options)

  private val filters = mutable.HashMap.empty[String, Filter]

  /** Returns the analyzed plan of the rows that a condition selects. Searches check their filter
    * when they are analyzed, so that later changes of the session do not change its meaning.
    *
    * @throws org.apache.spark.sql.AnalysisException if it is not a condition on columns of the
    *   table
    */
  private[scan] def where(session: SparkSession, filter: String): Filter = filters.synchronized {
    filters.getOrElseUpdate(
      filter, {
        val parsed =
          context.complete(session, SqlExpression.parse(session, filter))
        // The analyzer adds a projection if the condition is on metadata columns.
        SessionShim.analyzed(session, Filter(parsed, relation)).collectFirst { case f: Filter => f }
          .getOrElse(throw new IllegalStateException(s"no filter for $filter"))
      }
    )
  }

  /** Throws if the table cannot be searched.
    *
    * @param added columns that the search adds
    * @throws InvalidRequestException if the table has a column with one of these names, or if the
    *   read includes deleted rows
    */
  private[scan] def check(added: AddedColumns): Unit = {
    val place = Place(path = Some(table.path))
    val names = Set(MetadataColumn.RowAddr.name, MetadataColumn.RowId.name) ++ added.computed
    columns.fieldNames.find(n => names.exists(_.equalsIgnoreCase(n))).foreach { n =>
      throw new InvalidRequestException(
        s"the table has a column $n, which a search needs for itself; rename the column",
        place
      )
    }
    if (scan(StructType(Nil)).read.options.includesDeleted)
      throw new InvalidRequestException(
        "a search does not return deleted rows: leave includeDeletedRows out",
        place
      )
  }
}

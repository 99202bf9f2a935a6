// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.util.Locale

import io.github.pysparklance.core.{
  Field,
  InvalidRequestException,
  Log,
  LogicalType,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.index.scalar.BTree
import io.github.pysparklance.index.spi._
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.scan.MetadataColumn
import io.github.pysparklance.table.schema.FieldPath

/** The column, kind, and parameters of an index, from which its segments are built.
  *
  * @param way path from the top-level column to the indexed field, through structs
  * @param indexVersion format version of new segments
  * @param hasAddresses whether segments store row addresses; otherwise they store stable row ids
  */
final case class IndexDefinition(
    name: String,
    kind: ScalarIndexKind,
    way: IndexedSeq[Field],
    parameters: IndexParameters,
    indexVersion: Int,
    hasAddresses: Boolean
) extends IndexedColumn {

  def rowColumn: MetadataColumn = if (hasAddresses) MetadataColumn.RowAddr else MetadataColumn.RowId

  def detailsType: String = kind.detailsType

  def details: Array[Byte] = kind.detailsOf(parameters)
}

/** Creates definitions of new and existing indices. */
object IndexDefinition {
  private val log = Log(getClass)

  /** Returns the kind with a name, ignoring case.
    *
    * @param others names of kinds of other indices, for errors
    * @throws UnsupportedFeatureException if indices of this kind cannot be built
    */
  def kindOf(name: String, others: Seq[String] = Nil): ScalarIndexKind = {
    val requested = name.trim.toUpperCase(Locale.ROOT)
    ScalarIndices.kinds.find(kind => (kind.name +: kind.aliases).contains(requested)).getOrElse(
      throw new UnsupportedFeatureException(
        s"building an index of the kind $name; there are " +
          (ScalarIndices.kinds.map(_.name) ++ others).mkString(", ")
      )
    )
  }

  /** Returns the definition of a new index.
    *
    * @param values values of parameters; missing parameters have their defaults
    * @throws InvalidRequestException if the column does not exist or a value is invalid
    * @throws UnsupportedFeatureException if the kind does not support the type of the column
    */
  def create(
      table: LanceTable,
      name: String,
      kind: ScalarIndexKind,
      column: FieldPath,
      values: Map[String, String]
  ): IndexDefinition = {
    val way = column.find(table.schema)
    val parameters =
      kind.parametersOn(way.last, IndexParameters.of(kind.name, kind.parameters, values))
    // pylance 14 fails to optimize BTREE segments with row ids on fields of structs, so these get
    // addresses. All other segments get row ids, because releases before 10 ignore segments with
    // addresses in tables with stable row ids.
    val isNestedBTree = kind == BTree && way.length > 1
    val hasAddresses = kind.isByAddress || !table.hasStableRowIds || isNestedBTree
    checked(
      table,
      IndexDefinition(
        name,
        kind,
        way,
        parameters,
        kind.versionOf(table.hasStableRowIds && hasAddresses, parameters),
        hasAddresses
      )
    )
  }

  /** Returns the definition of an index of the table, for additional segments. */
  def of(table: LanceTable, index: ScalarIndex): IndexDefinition = {
    val latest = latestOf(index)
    val way = table.schema.way(index.fieldId).getOrElse(
      throw new InvalidRequestException(
        s"the index ${index.name} is on a column that the table does not have",
        Place(path = Some(table.path))
      )
    )
    val values = index.kind.parametersOf(SegmentFiles.uncached(table, latest))
    val parameters = IndexParameters.ofStored(index.kind.name, index.kind.parameters, values)
    checked(
      table,
      IndexDefinition(
        index.name,
        index.kind,
        way,
        parameters,
        math.max(latest.indexVersion, index.kind.versionOf(hasAddresses = false, parameters)),
        latest.hasRowAddresses || !table.hasStableRowIds
      )
    )
  }

  private def latestOf(index: ScalarIndex): IndexSegment =
    index.segments.maxBy(s => (s.datasetVersion, s.createdAtMillis))

  /** Like [[of]]. Returns `None` and logs a warning if the index cannot be read or extended. */
  def ifReadable(table: LanceTable, index: ScalarIndex): Option[IndexDefinition] =
    try SegmentFiles.readable(table, latestOf(index))(of(table, index))
    catch {
      case e: InvalidRequestException =>
        log.warn(s"the index ${index.name} of ${table.path} is not extended: ${e.getMessage}", e)
        None
    }

  private def checked(table: LanceTable, index: IndexDefinition): IndexDefinition = {
    val place = Place(path = Some(table.path), column = Some(index.way.map(_.name).mkString(".")))
    val outer = index.way.init
    if (outer.exists(f => f.logicalType != LogicalType.Struct || f.isPacked || f.isBlob))
      throw new UnsupportedFeatureException(
        "an index on a field of a list, a map, or a packed struct",
        place
      )
    if (index.field.isBlob || index.field.isPacked || !index.kind.supports(index.field))
      throw new UnsupportedFeatureException(
        s"the ${index.kind.name} index on a column of type ${LogicalType.text(index.field.logicalType)}",
        place
      )
    Place.in(place)(index.kind.checkField(index.field, index.parameters))
    index
  }
}

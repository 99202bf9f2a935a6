// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.zones

import io.github.pysparklance.core.{Field, Log, LogicalType, Schema}
import io.github.pysparklance.index.scalar.ZoneMap
import io.github.pysparklance.index.spi.IndexParameters
import io.github.pysparklance.index.{IndexDefinition, ScalarIndex, ScalarIndices}
import io.github.pysparklance.table.schema.FieldPath
import io.github.pysparklance.table.{FragmentSummaries, LanceTable}

/** A column whose zones are computed by writes.
  *
  * @param way path from the top-level column to the field, through structs
  * @param positions positions of the fields of `way` among their siblings
  * @param isRequested whether the column was configured; otherwise it is only part of the
  *   clustering key
  */
final case class ZonedColumn(
    way: IndexedSeq[Field],
    positions: IndexedSeq[Int],
    rowsPerZone: Int,
    isRequested: Boolean
) {
  def field: Field = way.last
}

/** The columns whose zones are computed by writes. Serialized to the executors. */
final case class ZonedColumns(columns: IndexedSeq[ZonedColumn]) extends FragmentSummaries {
  def isEmpty: Boolean = columns.isEmpty

  def positions: Set[Int] = columns.iterator.map(_.positions.head).toSet

  def builder(): ZonesBuilder = new ZonesBuilder(columns)
}

/** Selects the columns. */
object ZonedColumns {
  private val log = Log(getClass)

  val none: ZonedColumns = ZonedColumns(IndexedSeq.empty)

  /** Returns the columns for new rows.
    *
    * @param schema schema of the new files
    * @param hasStableRowIds whether the table has or gets stable row ids. pylance releases before
    *   10 misread zone maps of such tables, so only configured columns get one
    * @param table `None` if the table is created or replaced
    */
  def of(
      schema: Schema,
      request: ZoneMapRequest,
      hasStableRowIds: Boolean,
      table: Option[LanceTable]
  ): ZonedColumns = {
    lazy val key = schema.ways.filter(w => w.last.unenforcedClusteringKey.isDefined)
    if (!request.isOn || request.columns.isEmpty && (hasStableRowIds || key.isEmpty)) none
    else {
      val requested = request.columns.flatMap(resolved(schema, _))
      zoned(schema, requested, if (hasStableRowIds) Nil else key, table)
    }
  }

  /** Returns the columns for rewritten rows of the table: the columns for new rows, and the columns
    * with an existing zone map.
    */
  def ofRewrite(table: LanceTable, request: ZoneMapRequest): ZonedColumns =
    if (!request.isOn) none
    else {
      val ways = table.schema.ways
      val requested = request.columns.flatMap(resolved(table.schema, _))
      val indexed = zoneMaps(table).flatMap(i => ways.find(_.last.id == i.fieldId))
      val key =
        if (table.hasStableRowIds) Nil
        else ways.filter(_.last.unenforcedClusteringKey.isDefined)
      zoned(table.schema, requested ++ indexed, key, Some(table))
    }

  private def zoneMaps(table: LanceTable): Seq[ScalarIndex] =
    if (table.indices.forall(_.isSystem)) Nil
    else {
      // pylance can build zone maps of lists, which are not supported here.
      val supported = table.schema.ways.filter(hasZoneMaps).map(_.last.id).toSet
      new ScalarIndices(table).indices.filter(i => i.kind == ZoneMap && supported(i.fieldId))
    }

  private def zoned(
      schema: Schema,
      requested: Seq[IndexedSeq[Field]],
      key: Seq[IndexedSeq[Field]],
      table: Option[LanceTable]
  ): ZonedColumns = {
    lazy val known = table.toSeq.flatMap(zoneMaps).map(i => i.fieldId -> i).toMap
    val isRequested = requested.map(_.last.id).toSet
    val ways = (requested ++ key).groupBy(_.last.id).toSeq.sortBy(_._1).map(_._2.head)
    ZonedColumns(ways.toIndexedSeq.filter(isSupported).flatMap { way =>
      val levels = schema.fields +: way.init.map(_.children)
      val positions = way.zip(levels).map { case (f, siblings) =>
        siblings.indexWhere(_.id == f.id)
      }
      // Writes do not fail because of a zone map that cannot be read or extended.
      val parameters = known.get(way.last.id) match {
        case None => Some(defaults)
        case Some(index) => IndexDefinition.ifReadable(table.get, index).map(_.parameters)
      }
      parameters.map { its =>
        ZonedColumn(way, positions, ZoneMap.rowsPerZone(its), isRequested(way.last.id))
      }
    })
  }

  private val defaults = IndexParameters.of(ZoneMap.name, ZoneMap.parameters, Map.empty)

  private def hasZoneMaps(way: IndexedSeq[Field]): Boolean =
    way.init.forall(f => f.logicalType == LogicalType.Struct && !f.isPacked) &&
      way.forall(!_.isBlob) && ZoneMap.supports(way.last)

  private def isSupported(way: IndexedSeq[Field]): Boolean = {
    val isPlain = hasZoneMaps(way)
    if (!isPlain)
      log.warn(
        s"""no zone map of column "${way.map(_.name).mkString(".")}": its type """ +
          s"${LogicalType.text(way.last.logicalType)} has none, or it is in a list, a map, or a packed struct"
      )
    isPlain
  }

  private def resolved(schema: Schema, path: FieldPath): Option[IndexedSeq[Field]] = {
    val found = path.names.foldLeft(Option(IndexedSeq.empty[Field])) { (way, name) =>
      way.flatMap { above =>
        val siblings = above.lastOption.fold(schema.fields)(_.children)
        siblings
          .find(_.name == name)
          .orElse(siblings.find(_.name.equalsIgnoreCase(name)))
          .map(above :+ _)
      }
    }
    if (found.isEmpty) log.warn(s"""no zone map of column "$path", which the table does not have""")
    found.filter(_.nonEmpty)
  }
}

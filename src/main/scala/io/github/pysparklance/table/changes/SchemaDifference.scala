// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import io.github.pysparklance.core.{Field, LogicalType, Schema}
import io.github.pysparklance.table.schema.FieldPath

/** Compares the columns of versions for readers that follow a table. Comments and other metadata do
  * not count.
  */
private[changes] object SchemaDifference {

  /** Describes the first difference of the columns of two versions, or returns `None` if a reader
    * of the first one can read rows of the second one.
    *
    * @param readsNulls whether the reader takes nulls in all columns
    */
  def apply(read: Schema, other: Schema, readsNulls: Boolean): Option[String] = {
    val (old, now) = (byId(read), byId(other))
    def name(ways: Map[Int, IndexedSeq[Field]], id: Int): String =
      FieldPath.of(ways(id).map(_.name): _*).toString
    def changed(id: Int): Option[String] = {
      val (o, n) = (old(id).last, now(id).last)
      if (o.name != n.name)
        Some(s"column ${name(old, id)} was renamed to ${name(now, id)}")
      else if (kind(o) != kind(n))
        Some(
          s"the type of column ${name(now, id)} was changed to ${LogicalType.text(n.logicalType)}"
        )
      else if (!readsNulls && n.nullable && !o.nullable)
        Some(s"column ${name(now, id)} may be null now")
      else None
    }
    (old.keys.toSeq ++ now.keys).distinct.sorted.iterator.flatMap { id =>
      if (!now.contains(id)) Some(s"column ${name(old, id)} was dropped")
      else if (!old.contains(id)) Some(s"column ${name(now, id)} was added")
      else changed(id)
    }.find(_ => true).orElse(
      if (read.flatten.map(_.id) == other.flatten.map(_.id)) None
      else Some("the order of columns was changed")
    )
  }

  /** The first column that is never null in one version, and is missing or may be null in an
    * earlier one.
    *
    * @param earlier ids in that version, as in [[FieldHistory.Era]]
    */
  def nulls(read: Schema, earlier: Schema, fields: FieldHistory.Era): Option[String] = {
    val now = fields.ids.fold(earlier.flatten.map(f => f.id -> f))(ids =>
      earlier.flatten.flatMap(f => ids.get(f.id).map(_ -> f))
    ).toMap
    read.ways.find { w =>
      !w.last.nullable && now.get(w.last.id).forall(_.nullable) &&
      w.init.forall(parent => now.contains(parent.id))
    }.map(w => FieldPath.of(w.map(_.name): _*).toString)
  }

  private def byId(schema: Schema): Map[Int, IndexedSeq[Field]] =
    schema.ways.map(w => w.last.id -> w).toMap

  private def kind(f: Field): Seq[Any] =
    Seq(f.logicalType, f.isBlob, f.isBlobV2, f.isPacked, f.extensionName, f.children.map(_.id))
}

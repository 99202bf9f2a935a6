// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import java.util.UUID

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{CommitConflictException, Field, Schema}
import io.github.pysparklance.table.manifest.{IndexSegment, ManifestFile}

/** Adapts added and removed index segments to concurrent commits, see [[CreateIndex]].
  *
  * @param base the version that the segments were built from or belong to
  */
final private[operation] class IndexRebase(operation: CreateIndex, base: Option[ManifestFile])
    extends Rebase {
  private val before = base.fold(Schema(IndexedSeq.empty))(_.manifest.schema)
  private val indexed = operation.newIndices.filterNot(_.isSystem).flatMap(_.valueFields).toSet
  private val dropped = new DroppedFields(indexed)

  /** The current ids of the segments of the base version. */
  private var ids: Map[UUID, UUID] =
    (base.toSeq.flatMap(segmentsOf) ++ operation.removedIndices).map(i => i.uuid -> i.uuid).toMap
  private var added = operation.newIndices

  override def over(theirs: PlainOperation): Unit = {
    dropped.over(theirs)
    theirs match {
      case u: Update if u.fieldsModified.nonEmpty =>
        withdraw(u.updatedFragments.map(_.id), u.fieldsModified.toSet)
      case m: Merge =>
        val known = base.toSeq.flatMap(_.manifest.fragments).map(f => f.id -> f).toMap
        m.fragments.foreach { f =>
          known.get(f.id).foreach(b => withdraw(Seq(f.id), Merge.movedFields(b, f)))
        }
      case r: Rewrite =>
        val renewed = r.rewrittenIndices.iterator.map(i => i.oldId -> i.newId).toMap
        ids = ids.map { case (id, now) => id -> renewed.getOrElse(now, now) }
      case _ => ()
    }
  }

  def onto(latest: Option[ManifestFile]): PlainOperation = {
    val present = latest.toSeq.flatMap(segmentsOf)
    latest.foreach { n =>
      checkFields(n)
      checkRemoved(n, present)
    }
    val system = added.filter(_.isSystem).map(_.name).toSet
    val removed = operation.removedIndices.map { i =>
      if (ids(i.uuid) == i.uuid) i else present.find(_.uuid == ids(i.uuid)).getOrElse(i)
    }
    val kept = if (hasOthers(present)) removed.filterNot(_.isFragmentReuse) else removed
    val listed = (added ++ kept).map(_.uuid).toSet
    CreateIndex(added, kept ++ present.filter(i => system(i.name) && !listed(i.uuid)))
  }

  /** Whether there are segments of concurrent commits. They may need the fragment reuse record,
    * even if no other segment does.
    */
  private def hasOthers(present: Seq[IndexSegment]): Boolean = {
    val known = ids.valuesIterator.toSet ++ added.map(_.uuid)
    present.exists(i => !i.isSystem && !known(i.uuid))
  }

  /** Checks that the ids of the indexed fields belong to the same columns, with the same types.
    * Columns that the version does not have are rejected later.
    */
  private def checkFields(latest: ManifestFile): Unit = {
    val now = latest.manifest.schema
    val replaced = dropped.reassigned(now) ++
      (if (now.fields == before.fields) Nil else indexed.filter(isRetyped(_, now)))
    added.find(i => !i.isSystem && i.valueFields.exists(replaced)).foreach { i =>
      conflict(s"the column of the index ${i.name} was replaced or got another type", latest)
    }
  }

  private def isRetyped(id: Int, now: Schema): Boolean =
    before.byId(id).exists(b => now.byId(id).exists(typesOf(_) != typesOf(b)))

  private def typesOf(field: Field) = field.flatten.map(f => f.id -> f.logicalType)

  /** Checks that removed indices have no segments which a concurrent commit added. */
  private def checkRemoved(latest: ManifestFile, present: Seq[IndexSegment]): Unit = {
    val names = operation.removedIndices.filterNot(_.isSystem).map(_.name).toSet
    val known = ids.valuesIterator.toSet
    present.find(i => names(i.name) && !known(i.uuid)).foreach { i =>
      conflict(s"the index ${i.name} was changed", latest)
    }
  }

  private def conflict(what: String, latest: ManifestFile): Nothing =
    throw new CommitConflictException(
      s"not committed: $what concurrently; retry the operation on the latest version",
      latest.manifest.version,
      retryable = true
    )

  private def segmentsOf(file: ManifestFile): Seq[IndexSegment] =
    new IndexMaintenance(file.indices).segments

  /** Removes fragments with new values from the coverage of the new segments.
    *
    * @param fields fields with new values
    */
  private def withdraw(fragments: Iterable[Long], fields: Set[Int]): Unit =
    if (fields.nonEmpty) {
      val related = if (base.isEmpty) fields else before.related(fields)
      val lost = RoaringBitmap.bitmapOf(fragments.map(_.toInt).toSeq: _*)
      added = added.map { i =>
        val covered = i.bitmap.filter(b =>
          i.valueFields.exists(related) && RoaringBitmap.intersects(b, lost)
        )
        covered.fold(i)(b => i.covering(RoaringBitmap.andNot(b, lost)))
      }
    }

  def movesReadVersion: Boolean = false
  def takeUnused(): Seq[String] = Nil
  def takeAll(): Seq[String] = Nil
}

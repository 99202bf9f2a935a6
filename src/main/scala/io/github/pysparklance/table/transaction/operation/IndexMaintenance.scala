// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import java.util.UUID

import scala.jdk.CollectionConverters._

import com.google.protobuf.ByteString
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{InvalidRequestException, Schema}
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.reuse.FragmentReuse

/** Updates the list of index segments for a commit. Immutable.
  *
  * Source: format page of the table, "Building the manifest".
  */
final private[table] class IndexMaintenance(indices: proto.IndexSection) {

  /** The segments, in their order. */
  lazy val segments: IndexedSeq[IndexSegment] =
    indices.getIndicesList.asScala.iterator.map(IndexSegment(_)).toIndexedSeq

  /** Returns the indices as a section of a manifest; none without indices. */
  def section: Option[ByteString] =
    if (indices.getIndicesCount == 0) None else Some(indices.toByteString)

  /** Applies rule P: drops indices on dropped fields, and segments that cover no fragment anymore.
    * If no segment of an index covers a fragment, the oldest one stays as its definition.
    *
    * @param schema schema of the new version
    * @param fragmentIds fragment ids of the new version
    * @param reuse maps coverage of retired fragments to fragments of the new version
    * @param isTagged whether the fragment-reuse index has tags; coverage cannot be mapped then, and
    *   all segments are kept
    */
  def retained(
      schema: Schema,
      fragmentIds: Iterable[Long],
      reuse: => FragmentReuse,
      isTagged: Boolean
  ): IndexMaintenance =
    if (segments.isEmpty) this
    else {
      val fields = schema.flatten.map(_.id).toSet
      val live = new RoaringBitmap
      fragmentIds.foreach(id => live.add(id.toInt))
      val inSchema = segments.filter(i => i.isSystem || i.fields.forall(fields))
      val dropped =
        if (isTagged) Set.empty[UUID]
        else
          inSchema
            .filterNot(_.isFragmentReuse)
            .groupBy(_.name)
            .values
            .flatMap(emptySegments(_, live, reuse))
            .map(_.uuid)
            .toSet
      replaced(inSchema.filterNot(i => dropped(i.uuid)))
    }

  private def emptySegments(
      sameName: Seq[IndexSegment],
      live: RoaringBitmap,
      reuse: => FragmentReuse
  ): Seq[IndexSegment] = {
    val known = sameName.filterNot(_.bitmap.isEmpty)
    if (known.length <= 1) Nil
    else {
      val (covering, empty) = known.partition(
        _.bitmap.exists(b => RoaringBitmap.intersects(reuse.coverage(b), live))
      )
      if (covering.nonEmpty) empty
      else
        empty
          .sortBy(i => (!i.message.hasCreatedAt, i.message.getCreatedAt, i.datasetVersion))
          .drop(1)
    }
  }

  /** Extends the coverage of indices to fragments of moved rows, if they covered all fragments that
    * the rows came from. Applies to indices that store stable row ids.
    *
    * @param moved new fragments without new rows
    * @param from fragments the rows came from
    * @param changedFields fields whose values changed in the moved rows; indices on them are not
    *   extended
    */
  def joined(moved: Seq[Long], from: Seq[Long], changedFields: Set[Int]): IndexMaintenance =
    if (moved.isEmpty) this
    else
      mapped { i =>
        val unaffected = !i.isSystem && !i.hasRowAddresses && !i.valueFields.exists(changedFields)
        i.bitmap.filter(c => unaffected && from.forall(id => c.contains(id.toInt))).fold(i) { c =>
          moved.foreach(id => c.add(id.toInt))
          i.covering(c)
        }
      }

  /** Removes fragments from the coverage of indices on fields that have new values there.
    *
    * @param rewritten fragment ids with the changed fields, their ancestors, and descendants
    * @param live ids of all fragments of the latest version
    * @param reuse maps the rewritten fragments to the retired fragments by which coverage may name
    *   them
    * @param isTagged whether the fragment-reuse index has tags; the mapping to retired fragments is
    *   unknown then, and a segment that names any loses its whole coverage
    */
  def withdrawn(
      rewritten: Iterable[(Long, Set[Int])],
      live: Iterable[Long],
      reuse: => FragmentReuse,
      isTagged: Boolean
  ): IndexMaintenance = {
    lazy val present = {
      val ids = new RoaringBitmap
      live.foreach(id => ids.add(id.toInt))
      ids
    }
    mapped { i =>
      val lost = rewritten.collect { case (id, fields) if i.valueFields.exists(fields) => id }
      i.bitmap.filter(_ => lost.nonEmpty && !i.isSystem).fold(i) { covered =>
        def hasRetired =
          RoaringBitmap.andCardinality(covered, present) < covered.getLongCardinality
        if (isTagged && hasRetired) i.covering(new RoaringBitmap)
        else if (isTagged) without(i, covered, FragmentReuse.empty.names(lost))
        else without(i, covered, reuse.names(lost))
      }
    }
  }

  private def without(i: IndexSegment, covered: RoaringBitmap, lost: RoaringBitmap): IndexSegment =
    if (RoaringBitmap.intersects(covered, lost)) i.covering(RoaringBitmap.andNot(covered, lost))
    else i

  /** Updates the indices after a rewrite that moved rows without changing them.
    *
    * @param indices rebuilt segments, with their old ids; ids that do not exist anymore are skipped
    * @param moves old and new fragment ids of each group
    * @param follows whether rows keep their ids. If so, indices of row ids cover the new fragments,
    *   and indices of row addresses that were not rebuilt lose them. Otherwise, other segments stay
    *   unchanged and cover retired fragments.
    */
  def rewritten(
      indices: Seq[RewrittenIndex],
      moves: Seq[(Seq[Long], Seq[Long])],
      follows: Boolean
  ): IndexMaintenance = {
    if (indices.map(_.oldId).distinct.length != indices.length)
      throw new InvalidRequestException("a rewrite rebuilds an index segment twice")
    val built = indices.iterator.map(i => i.oldId -> i).toMap
    mapped { i =>
      (built.get(i.uuid), i.bitmap) match {
        case (Some(_), None) =>
          throw new InvalidRequestException(
            s"cannot rewrite the index ${i.name}: its coverage is unknown"
          )
        case (Some(b), Some(covered)) => renewed(i.covering(moved(i, covered, moves)), b)
        case (None, Some(covered)) if follows && !i.isFragmentReuse =>
          if (i.hasRowAddresses) {
            moves.foreach(_._1.foreach(id => covered.remove(id.toInt)))
            i.covering(covered)
          } else i.covering(moved(i, covered, moves))
        case _ => i
      }
    }
  }

  private def moved(
      i: IndexSegment,
      covered: RoaringBitmap,
      moves: Seq[(Seq[Long], Seq[Long])]
  ): RoaringBitmap = {
    val before = covered.clone()
    moves.foreach { case (old, added) =>
      val (inside, outside) = old.partition(id => before.contains(id.toInt))
      if (inside.nonEmpty) {
        if (outside.nonEmpty)
          throw new InvalidRequestException(
            s"a rewrite must not combine rows that the index ${i.name} covers with rows that it does not cover"
          )
        inside.foreach(id => covered.remove(id.toInt))
        added.foreach(id => covered.add(id.toInt))
      }
    }
    covered
  }

  private def renewed(i: IndexSegment, b: RewrittenIndex): IndexSegment = {
    val m = i.message.toBuilder.setUuid(IndexSegment.toMessage(b.newId)).clearFiles().clearBaseId()
    b.newFiles.foreach(f => m.addFilesBuilder().setPath(f.path).setSizeBytes(f.sizeBytes))
    IndexSegment(m.build())
  }

  /** Removes segments. */
  def without(uuids: Set[UUID]): IndexMaintenance =
    if (uuids.isEmpty) this else replaced(segments.filterNot(i => uuids(i.uuid)))

  /** Appends segments. */
  def add(added: Seq[IndexSegment]): IndexMaintenance =
    if (added.isEmpty) this else replaced(segments ++ added)

  /** Replaces all entries of the same name. */
  def replacing(entry: IndexSegment): IndexMaintenance =
    replaced(segments.filterNot(_.name == entry.name) :+ entry)

  /** Changes every segment. */
  def mapped(change: IndexSegment => IndexSegment): IndexMaintenance =
    if (segments.isEmpty) this else replaced(segments.map(change))

  private def replaced(now: IndexedSeq[IndexSegment]): IndexMaintenance =
    if (now.length == segments.length && now.indices.forall(i => now(i) eq segments(i))) this
    else
      new IndexMaintenance(
        indices.toBuilder.clearIndices().addAllIndices(now.map(_.message).asJava).build()
      )
}

private[table] object IndexMaintenance {

  /** No index. */
  val none: IndexMaintenance = new IndexMaintenance(proto.IndexSection.getDefaultInstance)
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import java.util.UUID

import scala.jdk.CollectionConverters._

import com.google.protobuf.ByteString
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{InvalidRequestException, Schema}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.reuse.FragmentReuse

/** What a commit makes of the list of indices. Immutable.
  *
  * Source: format page of the table, "Building the manifest".
  */
final private[table] class IndexMaintenance(indices: proto.IndexSection) {

  /** The segments in their order. */
  lazy val segments: IndexedSeq[IndexSegment] =
    indices.getIndicesList.asScala.iterator.map(IndexSegment(_)).toIndexedSeq

  /** The indices as a section of a manifest; none without any. */
  def section: Option[ByteString] =
    if (indices.getIndicesCount == 0) None else Some(indices.toByteString)

  /** Rule P: without indices of fields that left the schema, and of the segments of an index without those that
    * cover no fragment any more, of which one stays as the definition.
    *
    * @param schema of the new version
    * @param fragmentIds of the new version
    * @param reuse by which coverage that names fragments of the past is mapped to those of the new version
    * @param isTagged whether the fragment-reuse index has tags: then coverage cannot be mapped, and all segments are kept
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
      val live = RoaringBitmap.bitmapOf(fragmentIds.map(_.toInt).toSeq: _*)
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

  /** Lets indices that follow a row by its stable id cover the fragments that moved rows went to, if they covered all
    * fragments that the rows came from.
    *
    * @param moved new fragments without new rows
    * @param from fragments the rows came from
    * @param changedFields fields whose values the rows have new: indices on them do not know these values
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

  /** Takes fragments out of the coverage of indices on fields that have new values there.
    *
    * @param rewritten fragment ids with the fields, and those above and below them
    * @param live ids of all fragments of the newest version
    * @param reuse leads back to the fragments of the past by which coverage may name the rewritten ones
    * @param isTagged whether the fragment-reuse index has tags. Then it is unknown which fragments of the past had the
    *   rows, and a segment that names any is withdrawn as a whole
    */
  def withdrawn(
      rewritten: Iterable[(Long, Set[Int])],
      live: Iterable[Long],
      reuse: => FragmentReuse,
      isTagged: Boolean
  ): IndexMaintenance = {
    lazy val present = live.toSet
    mapped { i =>
      val lost = rewritten.collect { case (id, fields) if i.valueFields.exists(fields) => id }
      i.bitmap.filter(_ => lost.nonEmpty && !i.isSystem).fold(i) { covered =>
        val hasRetired = i.coveredFragments.exists(_.exists(id => !present(id)))
        if (isTagged && hasRetired) i.covering(new RoaringBitmap)
        else if (isTagged) without(i, covered, FragmentReuse.empty.names(lost))
        else without(i, covered, reuse.names(lost))
      }
    }
  }

  private def without(i: IndexSegment, covered: RoaringBitmap, lost: RoaringBitmap): IndexSegment =
    if (RoaringBitmap.intersects(covered, lost)) i.covering(RoaringBitmap.andNot(covered, lost))
    else i

  /** Lets indices follow rows that were moved as they are.
    *
    * @param indices segments that were built again, by their old ids; those that are gone are passed over
    * @param moves old and new fragment ids of each group
    * @param follows whether rows keep their ids, so that indices of ids cover the new fragments, and those of
    *   addresses that were not built again lose them; else other segments stay as they are, covering what is gone
    */
  def rewritten(
      indices: Seq[RewrittenIndex],
      moves: Seq[(Seq[Long], Seq[Long])],
      follows: Boolean
  ): IndexMaintenance = {
    if (indices.map(_.oldId).distinct.length != indices.length)
      throw new InvalidRequestException("a rewrite that builds one index segment twice")
    val built = indices.iterator.map(i => i.oldId -> i).toMap
    mapped { i =>
      (built.get(i.uuid), i.bitmap) match {
        case (Some(_), None) =>
          throw new InvalidRequestException(
            s"a rewrite of the index ${i.name}, of which nobody knows what it covers"
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
            s"a rewrite that puts rows together of which the index ${i.name} covers only some"
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

  /** Without segments. */
  def without(uuids: Set[UUID]): IndexMaintenance =
    if (uuids.isEmpty) this else replaced(segments.filterNot(i => uuids(i.uuid)))

  /** With new segments at the end. */
  def add(added: Seq[IndexSegment]): IndexMaintenance =
    if (added.isEmpty) this else replaced(segments ++ added)

  /** With this entry in the place of those of its name. */
  def replacing(entry: IndexSegment): IndexMaintenance =
    replaced(segments.filterNot(_.name == entry.name) :+ entry)

  /** With every segment changed. */
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import com.google.protobuf.ByteString
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{CorruptFileException, Schema}
import io.github.pysparklance.table.proto

/** What a commit that changes fragments makes of the list of indices.
  *
  * Source: format page of the table, "Building the manifest", rule P.
  *
  * @param schema of the new version
  * @param fragmentIds of the new version
  * @param isTagged whether the fragment-reuse index has tags: then coverage names fragments of the past, and all
  *   segments are kept
  */
final private class IndexMaintenance(
    indices: proto.IndexSection,
    schema: Schema,
    fragmentIds: Iterable[Long],
    isTagged: Boolean
) {
  import IndexMaintenance._

  /** The indices as a section of a manifest; none without any. */
  def section: Option[ByteString] =
    if (indices.getIndicesCount == 0) None else Some(indices.toByteString)

  /** Without indices of fields that left the schema, and of the segments of an index without those that cover no
    * fragment any more, of which one stays as the definition.
    */
  def retained: IndexMaintenance = {
    val fields = schema.flatten.map(_.id).toSet
    val live = RoaringBitmap.bitmapOf(fragmentIds.map(_.toInt).toSeq: _*)
    val inSchema = segments.filter(i => isSystem(i) || i.getFieldsList.asScala.forall(fields(_)))
    val dropped =
      if (isTagged) Set.empty[proto.UUID]
      else
        inSchema
          .filterNot(_.getName == fragmentReuse)
          .groupBy(_.getName)
          .values
          .flatMap(emptySegments(_, live))
          .map(_.getUuid)
          .toSet
    replaced(inSchema.filterNot(i => dropped(i.getUuid)))
  }

  private def emptySegments(
      sameName: Seq[proto.IndexMetadata],
      live: RoaringBitmap
  ): Seq[proto.IndexMetadata] = {
    val known = sameName.filterNot(_.getFragmentBitmap.isEmpty)
    if (known.length <= 1) Nil
    else {
      val (covering, empty) = known.partition(i => RoaringBitmap.intersects(bitmap(i), live))
      if (covering.nonEmpty) empty
      else
        empty.sortBy(i => (!i.hasCreatedAt, i.getCreatedAt, i.getDatasetVersion)).drop(1)
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
      replaced(segments.map { i =>
        val unaffected = !isSystem(i) && !hasRowAddresses(i) && !i.getFragmentBitmap.isEmpty &&
          !i.getFieldsList.asScala.exists(changedFields(_))
        val covered = if (unaffected) bitmap(i) else new RoaringBitmap
        if (!unaffected || !from.forall(id => covered.contains(id.toInt))) i
        else {
          moved.foreach(id => covered.add(id.toInt))
          i.toBuilder.setFragmentBitmap(bytes(covered)).build()
        }
      })

  private def segments: Seq[proto.IndexMetadata] = indices.getIndicesList.asScala.toSeq

  private def replaced(segments: Seq[proto.IndexMetadata]): IndexMaintenance =
    new IndexMaintenance(
      indices.toBuilder.clearIndices().addAllIndices(segments.asJava).build(),
      schema,
      fragmentIds,
      isTagged
    )
}

private object IndexMaintenance {
  private val fragmentReuse = "__lance_frag_reuse"
  private val systemNames = Set(fragmentReuse, "__lance_mem_wal")

  private def isSystem(i: proto.IndexMetadata): Boolean = systemNames(i.getName)

  /** Whether the index knows rows by where they are, so that it cannot follow them. */
  private def hasRowAddresses(i: proto.IndexMetadata): Boolean = {
    val kind = i.getIndexDetails.getTypeUrl.toLowerCase
    Seq("zonemapindexdetails", "bloomfilterindexdetails", "fmindexdetails").exists(kind.endsWith) ||
    kind.endsWith("btreeindexdetails") && i.getIndexVersion >= 1
  }

  private def bitmap(i: proto.IndexMetadata): RoaringBitmap = {
    val b = new RoaringBitmap
    try b.deserialize(ByteBuffer.wrap(i.getFragmentBitmap.toByteArray))
    catch {
      case e @ (_: java.io.IOException | _: RuntimeException) =>
        throw new CorruptFileException("corrupt coverage bitmap of an index", cause = e)
    }
    b
  }

  private def bytes(b: RoaringBitmap): ByteString = {
    val out = new Array[Byte](b.serializedSizeInBytes)
    b.serialize(ByteBuffer.wrap(out))
    ByteString.copyFrom(out)
  }
}

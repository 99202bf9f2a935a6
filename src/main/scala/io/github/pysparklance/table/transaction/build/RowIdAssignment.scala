// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.build

import java.lang.Long.compareUnsigned

import com.google.protobuf.ByteString
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{
  Checked,
  InvalidRequestException,
  RowRange,
  UnsupportedFeatureException
}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.manifest.{FeatureFlags, Fragment}
import io.github.pysparklance.table.rowid.{
  LineageReader,
  RowDatasetVersionSequence,
  RowIdSequence,
  RowLineage
}

/** Gives new fragments their stable row ids and their row versions, in tables that have them. Fragments of other
  * tables stay as they are.
  *
  * Source: format page of the table, "Who assigns what".
  */
private[transaction] object RowIdAssignment {

  /** Fragments whose rows are all new.
    *
    * @param m the manifest being built, whose `next_row_id` is raised
    */
  def allNew(
      added: Seq[proto.DataFragment],
      version: Long,
      m: proto.Manifest.Builder
  ): Seq[proto.DataFragment] = whenStable(added, m) { f =>
    if (f.getRowIdSequenceCase != unset)
      throw new InvalidRequestException("new rows that name stable row ids")
    val versions = ByteString.copyFrom(uniform(f, version))
    withIds(f, RowIdSequence.empty, m)
      .setInlineCreatedAtVersions(versions)
      .setInlineLastUpdatedAtVersions(versions)
      .build()
  }

  /** Fragments with rows of other fragments, named by their ids, in front of new rows.
    *
    * @param existing fragments in which the rows were until now
    */
  def moved(
      added: Seq[proto.DataFragment],
      version: Long,
      m: proto.Manifest.Builder,
      existing: Seq[Fragment],
      lineage: LineageReader
  ): Seq[proto.DataFragment] = {
    lazy val ids = added.flatMap(f => idsOf(f).toArray).distinct.sortWith(compareUnsigned(_, _) < 0)
    lazy val created = createdAt(ids.toArray, existing, lineage)
    whenStable(added, m) { f =>
      val known = idsOf(f)
      val versions = known.toArray.map(id => created.getOrElse(id, version)) ++
        Array.fill(Checked.int(f.getPhysicalRows - known.numRows, "rows of a fragment"))(version)
      withIds(f, known, m)
        .setInlineCreatedAtVersions(
          ByteString.copyFrom(RowDatasetVersionSequence.of(versions).toBytes)
        )
        .setInlineLastUpdatedAtVersions(ByteString.copyFrom(uniform(f, version)))
        .build()
    }
  }

  /** A fragment all of whose rows have new values in some column. */
  def allUpdated(f: proto.DataFragment, version: Long): proto.DataFragment =
    if (f.getPhysicalRows == 0) f
    else
      f.toBuilder.setInlineLastUpdatedAtVersions(ByteString.copyFrom(uniform(f, version))).build()

  /** A fragment some of whose rows have new values in some column, where it was noted which version changed a row.
    *
    * @param offsets of these rows
    */
  def stamped(
      f: proto.DataFragment,
      offsets: RoaringBitmap,
      version: Long,
      lineage: LineageReader
  ): proto.DataFragment = {
    if ((offsets.last & 0xffffffffL) >= f.getPhysicalRows)
      throw new InvalidRequestException(
        s"row ${offsets.last & 0xffffffffL} of fragment ${f.getId}, which has ${f.getPhysicalRows} rows"
      )
    lineage.lastUpdatedAt(Fragment(f)).fold(f) { before =>
      val versions = new Array[Long](Checked.int(f.getPhysicalRows, "rows of a fragment"))
      before.fill(RowRange(0, f.getPhysicalRows), versions, 0)
      offsets.forEach((offset: Int) => versions(offset) = version)
      f.toBuilder
        .setInlineLastUpdatedAtVersions(
          ByteString.copyFrom(RowDatasetVersionSequence.of(versions).toBytes)
        )
        .build()
    }
  }

  /** Ids of the fragments all of whose rows were there before. */
  def onlyMoved(added: Seq[proto.DataFragment]): Seq[Long] =
    added.filter(f => f.hasInlineRowIds && idsOf(f).numRows == f.getPhysicalRows).map(_.getId)

  private val unset = proto.DataFragment.RowIdSequenceCase.ROWIDSEQUENCE_NOT_SET

  private def whenStable(added: Seq[proto.DataFragment], m: proto.Manifest.Builder)(
      assign: proto.DataFragment => proto.DataFragment
  ): Seq[proto.DataFragment] =
    if ((m.getReaderFeatureFlags & FeatureFlags.stableRowIds) != 0) added.map(assign)
    else {
      if (added.exists(_.getRowIdSequenceCase != unset))
        throw new InvalidRequestException("stable row ids for a table that has none")
      added
    }

  private def uniform(f: proto.DataFragment, version: Long): Array[Byte] =
    RowDatasetVersionSequence.uniform(version, f.getPhysicalRows).toBytes

  private def withIds(
      f: proto.DataFragment,
      known: RowIdSequence,
      m: proto.Manifest.Builder
  ): proto.DataFragment.Builder = {
    val missing = f.getPhysicalRows - known.numRows
    if (missing < 0)
      throw new InvalidRequestException(s"${known.numRows} row ids for ${f.getPhysicalRows} rows")
    val next = m.getNextRowId
    m.setNextRowId(Checked.add(next, missing, "the next row id"))
    f.toBuilder.setInlineRowIds(ByteString.copyFrom(known.appended(next, missing).toBytes))
  }

  private def idsOf(f: proto.DataFragment): RowIdSequence =
    RowLineage.rowIds(Fragment(f), complete = false) match {
      case RowLineage.Inline(ids) => ids
      case RowLineage.Absent => RowIdSequence.empty
      case _: RowLineage.Stored =>
        throw new UnsupportedFeatureException("writing row ids into columns of data files")
    }

  /** The version that made each row, 1 where nobody noted it; no entry for an id that is nowhere. An id may stand in
    * several fragments: it was made in the one with the lowest id.
    */
  private def createdAt(
      ids: Array[Long],
      existing: Seq[Fragment],
      lineage: LineageReader
  ): Map[Long, Long] = {
    val found = scala.collection.mutable.LongMap.empty[Long]
    if (ids.nonEmpty)
      existing.sortBy(_.id).foreach { f =>
        lazy val versions = lineage.createdAt(f)
        lineage.rowIds(f).foreach(_.locate(
          ids,
          (i, offset) =>
            if (!found.contains(ids(i))) found(ids(i)) = versions.fold(1L)(_(offset))
        ))
      }
    found.toMap
  }
}

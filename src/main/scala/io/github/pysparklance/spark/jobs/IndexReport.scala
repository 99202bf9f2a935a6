// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.time.Instant

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.ScalarIndices
import io.github.pysparklance.index.vector.VectorDetails
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment

/** The coverage of the indices of a version. */
final private[spark] class IndexReport(table: LanceTable) {
  import IndexReport._

  private val known = new ScalarIndices(table)

  /** All indices by name, without system indices. */
  lazy val indices: Seq[Index] = {
    val segments = table.indices.filterNot(_.isSystem)
    segments.map(_.name).distinct.sorted.map(name => index(segments.filter(_.name == name)))
  }

  private def index(segments: Seq[IndexSegment]): Index = {
    val described = segments.map(segment)
    val covered = described.map(_.covered)
    val all = Optional.when(covered.forall(_.isDefined)) {
      covered.flatten.foldLeft(new RoaringBitmap)(RoaringBitmap.or(_, _))
    }
    Index(
      segments.head.name,
      segments.head.fields.map(name),
      kindOf(segments),
      all.map(count(_, isCovered = true)),
      all.map(count(_, isCovered = false)),
      described
    )
  }

  private def segment(s: IndexSegment): Segment = {
    val covered = coverage(s)
    val usable = known.kindOf(s).filter(s.indexVersion <= _.newestVersion)
    Segment(
      s,
      covered,
      covered.map(count(_, isCovered = true)),
      usable.fold(noParameters) { kind =>
        kind.parametersOf(known.filesOf(s))
      }
    )
  }

  private def kindOf(segments: Seq[IndexSegment]): Option[String] = {
    val s = segments.head
    known.kindOf(s).filter(_ => segments.forall(known.kindOf(_).isDefined)).map(_.name)
      .orElse(VectorDetails.kind(s))
      .orElse(
        Some(s.detailsType.split('.').last.stripSuffix("IndexDetails").stripSuffix("Details"))
          .filter(_.nonEmpty)
      )
  }

  private def coverage(s: IndexSegment): Option[RoaringBitmap] =
    s.bitmap.map { bitmap =>
      ScalarIndices.usable(table, s) match {
        case Some(kind) => known.covered(kind, s)
        case None => table.fragmentReuse.coverage(bitmap)
      }
    }

  private def count(covered: RoaringBitmap, isCovered: Boolean): Count = {
    val fragments =
      table.fragments.filter(f => covered.contains(f.id.toInt) == isCovered)
    Count(
      fragments.length.toLong,
      fragments.map(f =>
        f.liveRows.getOrElse(table.physicalRows(f) - table.deletionVector(f).numDeletedRows)
      ).sum
    )
  }

  private def name(id: Int): String = table.schema.ways
    .find(_.last.id == id)
    .fold(s"#$id")(_.map(_.name).mkString("."))
}

/** Types of the report. */
private[spark] object IndexReport {
  private val noParameters = Map.empty[String, String]

  /** Numbers of fragments and rows. */
  final case class Count(fragments: Long, rows: Long)

  /** @param kind name of the kind, as in pylance's `create_scalar_index` if it is supported; `None`
    *   in old tables
    * @param indexed indexed fragments and rows; `None` if not recorded
    */
  final case class Index(
      name: String,
      fields: Seq[String],
      kind: Option[String],
      indexed: Option[Count],
      unindexed: Option[Count],
      segments: Seq[Segment]
  ) {
    def sizeBytes: Option[Long] =
      Optional.when(segments.forall(_.sizeBytes.isDefined))(segments.flatMap(_.sizeBytes).sum)
  }

  /** @param covered ids of covered fragments of the version; `None` if not recorded */
  final case class Segment(
      segment: IndexSegment,
      covered: Option[RoaringBitmap],
      indexed: Option[Count],
      parameters: Map[String, String]
  ) {
    def fragmentIds: Option[Seq[Long]] =
      covered.map(_.toArray.toSeq.map(_ & 0xffffffffL))

    def sizeBytes: Option[Long] =
      Optional.when(segment.fileSizes.nonEmpty)(segment.fileSizes.values.sum)

    def createdAt: Option[Instant] =
      segment.createdAtMillis.map(Instant.ofEpochMilli(_))
  }
}

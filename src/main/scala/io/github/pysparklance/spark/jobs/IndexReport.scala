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
import io.github.pysparklance.table.schema.FieldPath

/** The coverage of the indices of a version. */
final private[spark] class IndexReport(table: LanceTable) {
  import IndexReport._

  private val known = new ScalarIndices(table)

  /** All indices by name, without system indices. */
  lazy val indices: Seq[Index] = {
    val found = segments.filterNot(_.segment.isSystem)
    found.map(_.segment.name).distinct.sorted.map(name =>
      index(found.filter(_.segment.name == name))
    )
  }

  /** All segments, also of system indices. */
  lazy val segments: Seq[Segment] = table.indices.map(new Segment(_))

  /** Opens the files of an index.
    *
    * @throws CorruptFileException if one is damaged
    */
  def checkReadable(index: Index): Unit = known.checkReadable(index.segments.map(_.segment))

  private def index(segments: Seq[Segment]): Index = {
    val covered = segments.map(_.covered)
    val all = Optional.when(covered.forall(_.isDefined)) {
      covered.flatten.foldLeft(new RoaringBitmap)(RoaringBitmap.or(_, _))
    }
    Index(
      segments.head.segment.name,
      segments.head.fields,
      kindOf(segments),
      all.map(count(_, isCovered = true)),
      all.map(count(_, isCovered = false)),
      segments
    )
  }

  private def kindOf(segments: Seq[Segment]): Option[String] = {
    val kinds = segments.map(s => known.kindOf(s.segment))
    kinds.head.filter(_ => kinds.forall(_.isDefined)).map(_.name).orElse(segments.head.detailsKind)
  }

  private def coverage(s: IndexSegment): Option[RoaringBitmap] =
    s.bitmap.map { bitmap =>
      ScalarIndices.usable(table, s) match {
        case Some(kind) => known.usedFor(kind, s)
        case None => table.fragmentReuse.coverage(bitmap)
      }
    }

  private def count(covered: RoaringBitmap, isCovered: Boolean): Count = {
    val fragments =
      table.fragments.filter(f => covered.contains(f.id.toInt) == isCovered)
    new Count(
      fragments.length.toLong,
      fragments.map(f =>
        f.liveRows.getOrElse(table.physicalRows(f) - table.deletionVector(f).numDeletedRows)
      ).sum
    )
  }

  /** A segment. Its values are computed when they are used. */
  final class Segment(val segment: IndexSegment) {

    /** Paths of the indexed fields. */
    def fields: Seq[FieldPath] = segment.fields.map { id =>
      val way = table.schema.ways.find(_.last.id == id)
      way.fold(FieldPath.of(s"#$id"))(w => FieldPath(w.map(_.name)))
    }

    /** Name of the kind, see [[IndexReport.detailsKind]]. */
    def detailsKind: Option[String] = IndexReport.detailsKind(segment)

    /** Ids of covered fragments of the version; `None` if not recorded. */
    lazy val covered: Option[RoaringBitmap] = coverage(segment)

    /** The covered fragments of the version and their rows; `None` if not recorded. */
    def indexed: Option[Count] = covered.map(count(_, isCovered = true))

    /** The other fragments of the version and their rows; `None` if not recorded. */
    def unindexed: Option[Count] = covered.map(count(_, isCovered = false))

    /** The parameters of the build. Reads the files of the segment.
      *
      * @throws CorruptFileException if a file is damaged
      */
    def parameters: Map[String, String] = known.kindOf(segment)
      .filter(segment.indexVersion <= _.latestVersion)
      .fold(noParameters)(_.parametersOf(known.filesOf(segment)))

    /** Ids of covered fragments of the version; `None` if not recorded. */
    def fragmentIds: Option[Seq[Long]] = covered.map { its =>
      table.fragments.map(_.id).filter(id => its.contains(id.toInt))
    }

    def sizeBytes: Option[Long] =
      Optional.when(segment.fileSizes.nonEmpty)(segment.fileSizes.values.sum)

    def createdAt: Option[Instant] = segment.createdAtMillis.map(Instant.ofEpochMilli(_))
  }
}

/** Types of the report. */
private[spark] object IndexReport {
  private val noParameters = Map.empty[String, String]

  /** Returns the name of a segment's kind in the manifest, such as `BTree` for
    * `/lance.table.BTreeIndexDetails`, or `IVF_PQ`; `None` in old tables.
    */
  def detailsKind(segment: IndexSegment): Option[String] = VectorDetails.kind(segment).orElse(
    Some(segment.detailsType.split('.').last.stripSuffix("IndexDetails").stripSuffix("Details"))
      .filter(_.nonEmpty)
  )

  /** Numbers of fragments and rows.
    *
    * @param count counts the rows that are not deleted
    */
  final class Count(val fragments: Long, count: => Long) {

    /** Number of rows that are not deleted. Computed when used, because it reads deletion files
      * whose row counts an old manifest lacks.
      */
    lazy val rows: Long = count
  }

  /** @param kind name of the kind, as in pylance's `create_scalar_index` if it is supported; `None`
    *   in old tables
    * @param indexed indexed fragments and rows; `None` if not recorded
    */
  final case class Index(
      name: String,
      fields: Seq[FieldPath],
      kind: Option[String],
      indexed: Option[Count],
      unindexed: Option[Count],
      segments: Seq[IndexReport#Segment]
  ) {
    def sizeBytes: Option[Long] =
      Optional.when(segments.forall(_.sizeBytes.isDefined))(segments.flatMap(_.sizeBytes).sum)
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import java.time.Instant

import org.apache.spark.sql.types._

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.vector.VectorDetails
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{Fragment, IndexSegment}

/** Lists the index segments of a version. */
private object IndicesView
    extends MetadataView(
      "indices",
      "a segment of an index; segments with the same name form one index"
    ) {
  override type Entry = Segment

  /** A segment and its coverage. */
  final class Segment(table: LanceTable, val index: IndexSegment) {
    private lazy val covered = index.coveredFragments.map(_.toSet)
    private def count(isCovered: Boolean): Option[Int] =
      covered.map(c => table.fragments.count(f => c(f.id) == isCovered))
    private def coveredNow: Option[Seq[Fragment]] = covered.map { _ =>
      val now = table.fragmentReuse.coverage(index.bitmap.get)
      table.fragments.filter(f => now.contains(f.id.toInt))
    }
    def fragmentIds: Option[Seq[Long]] = coveredNow.map(_.map(_.id))
    def numRows: Option[Long] = coveredNow.flatMap { its =>
      val rows = its.map(_.liveRows)
      Optional.when(rows.forall(_.isDefined))(rows.flatten.sum)
    }
    def sizeBytes: Option[Long] =
      Optional.when(index.fileSizes.nonEmpty)(index.fileSizes.values.sum)
    def createdAt: Option[Instant] =
      index.createdAtMillis.map(Instant.ofEpochMilli(_))
    def numCovered: Option[Int] = count(isCovered = true)
    def numUncovered: Option[Int] = count(isCovered = false)
    def names: Seq[String] = index.fields.map { id =>
      table.schema.byId(id).fold(s"#$id")(_.name)
    }
  }

  override val columns: Seq[ViewColumn[Segment]] = Seq(
    ViewColumn[Segment]("name", StringType, "name of the index", nullable = false)(_.index.name),
    ViewColumn[Segment](
      "uuid",
      StringType,
      "id of the segment, and name of its folder in `_indices`",
      nullable = false
    )(
      _.index.uuid.toString
    ),
    ViewColumn[Segment]("type", StringType, "kind of index, such as `BTree`; null if not recorded")(
      s => VectorDetails.kind(s.index).orElse(kind(s.index.detailsType))
    ),
    ViewColumn[Segment](
      "fields",
      ArrayType(StringType, containsNull = false),
      "names of the indexed fields",
      nullable = false
    )(_.names),
    ViewColumn[Segment](
      "field_ids",
      ArrayType(IntegerType, containsNull = false),
      "ids of the indexed fields",
      nullable = false
    )(_.index.fields),
    ViewColumn[Segment](
      "built_at_version",
      LongType,
      "version of the table that the segment was built from",
      nullable = false
    )(_.index.datasetVersion),
    ViewColumn[Segment](
      "num_indexed_fragments",
      IntegerType,
      "number of fragments of the version that the segment covers; null if not recorded"
    )(_.numCovered),
    ViewColumn[Segment](
      "num_unindexed_fragments",
      IntegerType,
      "number of fragments that it does not cover; null if not recorded"
    )(_.numUncovered),
    ViewColumn[Segment](
      "is_system",
      BooleanType,
      "whether it is a system index, which belongs to the structure of the table",
      nullable = false
    )(_.index.isSystem),
    ViewColumn[Segment](
      "type_url",
      StringType,
      "type of the index details message",
      nullable = false
    )(
      _.index.detailsType
    ),
    ViewColumn[Segment](
      "index_version",
      IntegerType,
      "version of the index format",
      nullable = false
    )(_.index.indexVersion),
    ViewColumn[Segment](
      "fragment_ids",
      ArrayType(LongType, containsNull = false),
      "ids of the fragments of the version that it covers; null if not recorded"
    )(_.fragmentIds),
    ViewColumn[Segment](
      "num_indexed_rows",
      LongType,
      "number of rows of these fragments that are not deleted; null if not recorded"
    )(_.numRows),
    ViewColumn[Segment]("size_bytes", LongType, "size of the files in bytes; null if not recorded")(
      _.sizeBytes
    ),
    ViewColumn[Segment]("created_at", TimestampType, "time of the build; null if not recorded")(
      _.createdAt
    )
  )

  /** Returns the kind of an index: `BTree` for `/lance.table.BTreeIndexDetails`. */
  private def kind(detailsType: String): Option[String] =
    Some(detailsType.split('.').last.stripSuffix("IndexDetails").stripSuffix("Details"))
      .filter(_.nonEmpty)

  override def entries(source: MetadataSource): Iterator[Segment] =
    source.table.indices.iterator.map(new Segment(source.table, _))
}

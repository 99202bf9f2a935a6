// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.spark.jobs.IndexReport

/** Lists the index segments of a version. */
private object IndicesView
    extends MetadataView(
      "indices",
      "a segment of an index; segments with the same name form one index"
    ) {
  override type Entry = IndexReport#Segment

  override val columns: Seq[ViewColumn[Entry]] = Seq(
    ViewColumn[Entry]("name", StringType, "name of the index", nullable = false)(_.segment.name),
    ViewColumn[Entry](
      "uuid",
      StringType,
      "id of the segment, and name of its folder in `_indices`",
      nullable = false
    )(
      _.segment.uuid.toString
    ),
    ViewColumn[Entry]("type", StringType, "kind of index, such as `BTree`; null if not recorded")(
      _.detailsKind
    ),
    ViewColumn[Entry](
      "fields",
      ArrayType(StringType, containsNull = false),
      "paths of the indexed fields",
      nullable = false
    )(_.fields.map(_.toString)),
    ViewColumn[Entry](
      "field_ids",
      ArrayType(IntegerType, containsNull = false),
      "ids of the indexed fields",
      nullable = false
    )(_.segment.fields),
    ViewColumn[Entry](
      "built_at_version",
      LongType,
      "version of the table that the segment was built from",
      nullable = false
    )(_.segment.datasetVersion),
    ViewColumn[Entry](
      "num_indexed_fragments",
      IntegerType,
      "number of fragments of the version that the segment covers; null if not recorded"
    )(_.indexed.map(_.fragments.toInt)),
    ViewColumn[Entry](
      "num_unindexed_fragments",
      IntegerType,
      "number of fragments that it does not cover; null if not recorded"
    )(_.unindexed.map(_.fragments.toInt)),
    ViewColumn[Entry](
      "is_system",
      BooleanType,
      "whether it is a system index, which belongs to the structure of the table",
      nullable = false
    )(_.segment.isSystem),
    ViewColumn[Entry](
      "type_url",
      StringType,
      "type of the index details message",
      nullable = false
    )(
      _.segment.detailsType
    ),
    ViewColumn[Entry](
      "index_version",
      IntegerType,
      "version of the index format",
      nullable = false
    )(_.segment.indexVersion),
    ViewColumn[Entry](
      "fragment_ids",
      ArrayType(LongType, containsNull = false),
      "ids of the fragments of the version that it covers; null if not recorded"
    )(_.fragmentIds),
    ViewColumn[Entry](
      "num_indexed_rows",
      LongType,
      "number of rows of these fragments that are not deleted; the query reads deletion " +
        "files whose row counts the manifest lacks; null if the covered fragments are not recorded"
    )(_.indexed.map(_.rows)),
    ViewColumn[Entry]("size_bytes", LongType, "size of the files in bytes; null if not recorded")(
      _.sizeBytes
    ),
    ViewColumn[Entry]("created_at", TimestampType, "time of the build; null if not recorded")(
      _.createdAt
    )
  )

  override def entries(source: MetadataSource): Iterator[Entry] =
    new IndexReport(source.table).segments.iterator
}

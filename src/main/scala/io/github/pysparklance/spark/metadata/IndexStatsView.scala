// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

import io.github.pysparklance.spark.jobs.IndexReport
import io.github.pysparklance.table.LanceTable

/** Lists the indices of a version with the size of their coverage. `SHOW INDEXES` returns the same
  * rows.
  */
private[spark] object IndexStatsView
    extends MetadataView("index_stats", "an index with all its segments") {
  override type Entry = IndexReport.Index

  override val columns: Seq[ViewColumn[Entry]] = Seq(
    ViewColumn[Entry]("name", StringType, "name of the index", nullable = false)(_.name),
    ViewColumn[Entry](
      "fields",
      ArrayType(StringType, containsNull = false),
      "paths of the indexed fields",
      nullable = false
    )(_.fields.map(_.toString)),
    ViewColumn[Entry]("index_type", StringType, "kind of index, such as `BTREE`; null if unknown")(
      _.kind
    ),
    count(
      "num_indexed_fragments",
      "number of fragments that it covers"
    )(_.indexed.map(_.fragments)),
    count("num_indexed_rows", "number of their rows that are not deleted")(_.indexed.map(_.rows)),
    count("num_unindexed_fragments", "number of fragments that it does not cover")(
      _.unindexed.map(_.fragments)
    ),
    count("num_unindexed_rows", "number of their rows that are not deleted")(
      _.unindexed.map(_.rows)
    ),
    ViewColumn[Entry]("num_segments", LongType, "number of segments", nullable = false)(
      _.segments.length.toLong
    ),
    count("size_bytes", "size of the files in bytes")(_.sizeBytes)
  )

  private def count(name: String, meaning: String)(value: Entry => Option[Long]) =
    ViewColumn[Entry](name, LongType, s"$meaning; null if not recorded")(value)

  override def entries(source: MetadataSource): Iterator[Entry] =
    new IndexReport(source.table).indices.iterator

  /** Returns the rows of a version. */
  def rows(table: LanceTable): Seq[Row] = new IndexReport(table).indices.map { index =>
    Row.fromSeq(columns.map(_.value(index) match {
      case Some(value) => value
      case None => null
      case value => value
    }))
  }
}

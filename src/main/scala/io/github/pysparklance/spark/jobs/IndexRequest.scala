// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import io.github.pysparklance.core.{InvalidRequestException, Parse}
import io.github.pysparklance.index.IndexDefinition
import io.github.pysparklance.index.spi.ScalarIndexKind
import io.github.pysparklance.table.schema.FieldPath

/** An index to be created.
  *
  * @param kind of it
  * @param parameters of the kind, by name
  * @param train whether its rows are indexed now; else the index is empty until it is optimized
  * @param fragmentIds that are indexed; none: all
  * @param rowsPerRange rows of a range of a BTREE index, which one task sorts
  */
final private[spark] case class IndexRequest(
    name: String,
    kind: ScalarIndexKind,
    column: FieldPath,
    parameters: Map[String, String],
    train: Boolean,
    fragmentIds: Option[Set[Long]],
    rowsPerRange: Long
)

private[spark] object IndexRequest {
  private val Train = "train"
  private val FragmentIds = "fragment_ids"
  private val RowsPerRange = "rows_per_range"

  /** Rows of a range without another option. */
  val defaultRowsPerRange: Long = 4L << 20

  /** @param name of the index
    * @param kind name of the kind, in any case
    * @param options parameters of the kind, and `train`, `fragment_ids`, and for BTREE `rows_per_range`
    * @throws InvalidRequestException for an option that there is not, a value that is not valid, or a reserved name
    */
  def of(
      name: String,
      kind: String,
      column: FieldPath,
      options: Map[String, String]
  ): IndexRequest = {
    if (name.trim.isEmpty || name.startsWith("__lance_"))
      throw new InvalidRequestException(
        s"an index cannot have the name '$name': it is empty or begins with __lance_"
      )
    val found = IndexDefinition.kindOf(kind)
    val own = found.parameters.map(_.name)
    val names = own ++ Seq(Train, FragmentIds, RowsPerRange)
    val values = new JobOptions(s"a ${found.name} index", names, options)
    IndexRequest(
      name,
      found,
      column,
      own.flatMap(n => values.text(n).map(n -> _)).toMap,
      values.boolean(Train).getOrElse(true),
      values.longs(FragmentIds),
      values.long(RowsPerRange).getOrElse(defaultRowsPerRange)
    )
  }
}

/** How an index is brought up to date.
  *
  * @param segmentsToMerge how many of the newest segments become one with the rows that are not indexed yet; none: all
  * @param retrain whether all rows are indexed again
  * @param rowsPerRange as for [[IndexRequest]]
  */
final private[spark] case class IndexRefresh(
    segmentsToMerge: Option[Int],
    retrain: Boolean,
    rowsPerRange: Long
)

private[spark] object IndexRefresh {
  private val Merge = "num_indices_to_merge"
  private val Retrain = "retrain"
  private val RowsPerRange = "rows_per_range"

  /** @param options `num_indices_to_merge`, `retrain`, `rows_per_range`
    * @throws InvalidRequestException for an option that there is not, or a value that is not valid
    */
  def of(options: Map[String, String]): IndexRefresh = {
    val values = new JobOptions("OPTIMIZE INDEX", Seq(Merge, Retrain, RowsPerRange), options)
    IndexRefresh(
      values.text(Merge).map(count),
      values.boolean(Retrain).getOrElse(false),
      values.long(RowsPerRange).getOrElse(IndexRequest.defaultRowsPerRange)
    )
  }

  private def count(text: String): Int = Parse.int(text).filter(_ >= 0).getOrElse(
    throw new InvalidRequestException(
      s"option $Merge is '$text', a whole number of at least 0 is expected"
    )
  )
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import io.github.pysparklance.core.{InvalidRequestException, Parse}
import io.github.pysparklance.index.IndexDefinition
import io.github.pysparklance.index.spi.ScalarIndexKind
import io.github.pysparklance.index.vector.build.{VectorKind, VectorParameters}
import io.github.pysparklance.table.schema.FieldPath

/** The options of a new index.
  *
  * @param train whether to index the rows now; otherwise the index is empty until it is optimized
  * @param fragmentIds fragments to index; `None` for all
  */
final private[spark] case class IndexRequest(
    name: String,
    kind: RequestedKind,
    column: FieldPath,
    train: Boolean,
    fragmentIds: Option[Set[Long]]
)

/** The kind of a new index, with its parameters. */
sealed private[spark] trait RequestedKind

/** A scalar index.
  *
  * @param parameters parameters of the kind, by name
  * @param rowsPerRange rows per range of a BTREE index, which one task sorts
  */
final private[spark] case class ScalarKind(
    kind: ScalarIndexKind,
    parameters: Map[String, String],
    rowsPerRange: Long
) extends RequestedKind

/** A vector index. */
final private[spark] case class VectorIndexKind(parameters: VectorParameters)
    extends RequestedKind

/** Parses options. */
private[spark] object IndexRequest {
  private val Train = "train"
  private val FragmentIds = "fragment_ids"
  private val RowsPerRange = "rows_per_range"

  /** Default number of rows per range. */
  val defaultRowsPerRange: Long = 4L << 20

  /** @param name name of the index
    * @param kind name of the kind; case-insensitive
    * @param options parameters of the kind, `train`, `fragment_ids`, and for BTREE `rows_per_range`
    * @throws InvalidRequestException if an option is unknown, a value is invalid, or the name is
    *   reserved
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
    VectorKind.find(kind).fold(ofScalar(name, kind, column, options))(
      ofVector(name, _, column, options)
    )
  }

  private def ofScalar(
      name: String,
      kind: String,
      column: FieldPath,
      options: Map[String, String]
  ): IndexRequest = {
    val found = IndexDefinition.kindOf(kind, VectorKind.all.map(_.name))
    val own = found.parameters.map(_.name)
    val names = own ++ Seq(Train, FragmentIds, RowsPerRange)
    val values = new JobOptions(s"a ${found.name} index", names, options)
    val requested = ScalarKind(
      found,
      values.texts(own),
      values.long(RowsPerRange).getOrElse(defaultRowsPerRange)
    )
    of(name, requested, column, values)
  }

  private def ofVector(
      name: String,
      kind: VectorKind,
      column: FieldPath,
      options: Map[String, String]
  ): IndexRequest = {
    val own = VectorParameters.names(kind)
    val values = new JobOptions(s"an ${kind.name} index", own ++ Seq(Train, FragmentIds), options)
    of(name, VectorIndexKind(VectorParameters.of(kind, values.texts(own))), column, values)
  }

  private def of(
      name: String,
      kind: RequestedKind,
      column: FieldPath,
      values: JobOptions
  ): IndexRequest = IndexRequest(
    name,
    kind,
    column,
    values.boolean(Train).getOrElse(true),
    values.longs(FragmentIds)
  )
}

/** The options of an index optimization.
  *
  * @param segmentsToMerge number of latest segments to merge with rows that are not indexed; `None`
  *   for all
  * @param retrain whether to index all rows again
  * @param retrainFactor growth of the mean distance to the centroids of a vector index from which
  *   all rows are indexed again
  * @param rowsPerRange as for [[IndexRequest]]
  * @param isNamed whether the statement names the index; otherwise, it optimizes all indices, and
  *   `retrainFactor` applies to those that record distances
  */
final private[spark] case class IndexRefresh(
    segmentsToMerge: Option[Int],
    retrain: Boolean,
    retrainFactor: Option[Double],
    rowsPerRange: Long,
    isNamed: Boolean
)

/** Parses options. */
private[spark] object IndexRefresh {
  private val Merge = "num_indices_to_merge"
  private val Retrain = "retrain"
  private val RetrainFactor = "retrain_factor"
  private val RowsPerRange = "rows_per_range"

  /** @param options `num_indices_to_merge`, `retrain`, `retrain_factor`, `rows_per_range`
    * @throws InvalidRequestException if an option is unknown or a value is invalid
    */
  def of(options: Map[String, String], isNamed: Boolean): IndexRefresh = {
    val values =
      new JobOptions("OPTIMIZE INDEX", Seq(Merge, Retrain, RetrainFactor, RowsPerRange), options)
    IndexRefresh(
      values.text(Merge).map(count),
      values.boolean(Retrain).getOrElse(false),
      values.text(RetrainFactor).map(factor),
      values.long(RowsPerRange).getOrElse(IndexRequest.defaultRowsPerRange),
      isNamed
    )
  }

  private def count(text: String): Int = Parse.int(text).filter(_ >= 0).getOrElse(
    throw new InvalidRequestException(
      s"option $Merge is '$text', a whole number of at least 0 is expected"
    )
  )

  private def factor(text: String): Double =
    Parse.double(text).filter(f => f >= 1 && !f.isInfinite).getOrElse(
      throw new InvalidRequestException(
        s"option $RetrainFactor is '$text', a number of at least 1 is expected"
      )
    )
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import java.util.Locale

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.connector.distributions.{Distribution, Distributions}
import org.apache.spark.sql.connector.expressions.{
  Expression,
  Expressions,
  NamedReference,
  NullOrdering,
  SortDirection,
  SortOrder
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.common.LanceOptions

/** The required distribution of rows over tasks, and their order within a task.
  *
  * @param mode option `distributionMode`
  * @param columns option `distributionColumns`: rows with equal values go to the same task
  * @param order option `orderBy`: order of rows in a task
  * @param numPartitions option `distributionPartitions`: number of tasks
  * @param partitionBytes option `advisoryPartitionSize`: approximate bytes per task in Spark's
  *   shuffle; only used if the number of tasks is not set
  */
final case class RowDistribution(
    mode: RowDistribution.Mode,
    columns: IndexedSeq[NamedReference],
    order: IndexedSeq[SortOrder],
    numPartitions: Option[Int],
    partitionBytes: Long
) {

  /** The distribution for Spark, which adds a shuffle unless it is unspecified. */
  def distribution: Distribution = mode match {
    case RowDistribution.Unchanged => Distributions.unspecified()
    case RowDistribution.Hash => Distributions.clustered(columns.toArray[Expression])
    case RowDistribution.Range => Distributions.ordered(ranges.toArray)
  }

  /** Whether Spark must not split partitions. Ranges must stay contiguous. Hash partitions may be
    * split if a value has too many rows for one task.
    */
  def isStrict: Boolean = mode == RowDistribution.Range

  private def ranges: IndexedSeq[SortOrder] =
    if (columns.isEmpty) order
    else columns.map(Expressions.sort(_, SortDirection.ASCENDING, NullOrdering.NULLS_FIRST))

  /** @throws InvalidRequestException if the rows do not have a column */
  private[spark] def check(rows: StructType): Unit =
    (columns.map("distributionColumns" -> _) ++
      order.flatMap(_.expression.references.map("orderBy" -> _))).foreach { case (option, c) =>
      if (!RowDistribution.has(rows, c.fieldNames.toSeq))
        throw new InvalidRequestException(
          s"option $option names a column ${c.describe}, and the rows have " +
            rows.fieldNames.mkString(", ")
        )
    }
}

/** Parses distributions. */
object RowDistribution {

  /** How rows are assigned to tasks. */
  sealed abstract class Mode(val text: String) extends Serializable

  /** Keeps the partitioning and order of the query. */
  case object Unchanged extends Mode("none")

  /** Rows with equal values go to the same task. */
  case object Hash extends Mode("hash")

  /** Each task has a range of the rows, in global order. */
  case object Range extends Mode("range")

  private val modes = Seq(Unchanged, Hash, Range)

  /** Default advisory shuffle partition size. Shuffled data is usually larger than the file it
    * becomes.
    */
  val DefaultPartitionBytes: Long = 512L << 20

  /** Keeps the partitioning and order of the query. */
  val asTheyCome: RowDistribution =
    RowDistribution(Unchanged, IndexedSeq.empty, IndexedSeq.empty, None, DefaultPartitionBytes)

  /** @param clusteringKey columns of the table that are the default of `distributionColumns`
    * @throws InvalidRequestException if a value is invalid, or options contradict each other
    */
  private[write] def apply(options: LanceOptions, clusteringKey: Seq[String]): RowDistribution = {
    val mode = options.text("distributionMode").fold[Mode](Unchanged) { text =>
      modes.find(_.text.equalsIgnoreCase(text.trim)).getOrElse(
        throw new InvalidRequestException(
          s"option distributionMode is '$text', one of ${modes.map(_.text).mkString(", ")} is expected"
        )
      )
    }
    val named = list(options, "distributionColumns").map(column("distributionColumns", _))
    def key =
      clusteringKey.toIndexedSeq.map(c => Expressions.column(quoteIdentifier(c)): NamedReference)
    val hasOrder = options.text("orderBy").isDefined
    val columns =
      if (named.isEmpty && (mode == Hash || mode == Range && !hasOrder)) key else named
    val order = list(options, "orderBy").map(sortOrder)
    val tasks = options.long(1, "distributionPartitions").map(n => math.min(n, 1L << 20).toInt)
    def reject(problem: String) = throw new InvalidRequestException(problem)
    mode match {
      case Unchanged if columns.nonEmpty =>
        reject("option distributionColumns requires distributionMode hash or range")
      case Unchanged if tasks.nonEmpty =>
        reject("option distributionPartitions requires distributionMode hash or range")
      case Hash if columns.isEmpty =>
        reject("distributionMode hash requires the option distributionColumns")
      case Range if columns.isEmpty && order.isEmpty =>
        reject("distributionMode range requires the option distributionColumns or orderBy")
      case _ => ()
    }
    val bytes = options.bytes(1, "advisoryPartitionSize").getOrElse(DefaultPartitionBytes)
    // Without an order, ranges are sorted by the range columns.
    val found = RowDistribution(mode, columns, order, tasks, bytes)
    if (mode == Range && order.isEmpty) found.copy(order = found.ranges) else found
  }

  private def has(rows: StructType, path: Seq[String]): Boolean =
    rows.fields.find(f => SQLConf.get.resolver(f.name, path.head)).map(_.dataType).exists {
      case inner: StructType => path.tail.isEmpty || has(inner, path.tail)
      case _ => path.tail.isEmpty
    }

  /** Splits an option at commas outside of backticks. Tables contain options, so this takes linear
    * time.
    */
  private[spark] def list(options: LanceOptions, name: String): IndexedSeq[String] =
    options.text(name).toIndexedSeq.flatMap(parts)

  private[write] def parts(text: String): IndexedSeq[String] = {
    val found = IndexedSeq.newBuilder[String]
    var from = 0
    var isQuoted = false
    for (at <- text.indices) text.charAt(at) match {
      case '`' => isQuoted = !isQuoted
      case ',' if !isQuoted =>
        found += text.substring(from, at)
        from = at + 1
      case _ => ()
    }
    val last = text.substring(from)
    if (last.nonEmpty || from == 0) found += last
    found.result().map(_.trim)
  }

  private def column(option: String, text: String): NamedReference =
    try Expressions.column(text)
    catch {
      case NonFatal(e) =>
        throw new InvalidRequestException(
          s"option $option: '$text' is not the name of a column; separate the parts of a path with dots, " +
            "and put names with special characters in backticks",
          cause = e
        )
    }

  // Each matches in linear time.
  private val nullsAtEnd = "(?is)(.*\\S)\\s+nulls\\s+(first|last)".r
  private val directionAtEnd = "(?is)(.*\\S)\\s+(asc|desc)".r

  private def sortOrder(text: String): SortOrder = {
    if (text.isEmpty) throw new InvalidRequestException("option orderBy has an empty part")
    val (ordered, nulls) = text match {
      case nullsAtEnd(rest, place) => (rest, Some(place.toLowerCase(Locale.ROOT)))
      case _ => (text, None)
    }
    val (name, way) = ordered match {
      case directionAtEnd(rest, word) if word.equalsIgnoreCase("desc") =>
        (rest, SortDirection.DESCENDING)
      case directionAtEnd(rest, _) => (rest, SortDirection.ASCENDING)
      case _ => (ordered, SortDirection.ASCENDING)
    }
    val place = nulls match {
      case Some("first") => NullOrdering.NULLS_FIRST
      case Some(_) => NullOrdering.NULLS_LAST
      case None => way.defaultNullOrdering
    }
    Expressions.sort(column("orderBy", name), way, place)
  }
}

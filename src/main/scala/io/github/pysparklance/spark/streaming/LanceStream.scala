// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import java.util
import java.util.Optional

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.streaming.{
  MicroBatchStream,
  Offset,
  ReadLimit,
  ReportsSourceMetrics,
  SupportsTriggerAvailableNow
}
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{Field, InvalidRequestException}
import io.github.pysparklance.spark.common.{LanceErrors, TableLocation}
import io.github.pysparklance.spark.scan.changes.{ChangeEstimate, ChangeFilters}
import io.github.pysparklance.spark.scan.push.Projection
import io.github.pysparklance.spark.scan.task.ReadTask
import io.github.pysparklance.spark.scan.{LanceInputPartition, LanceReaderFactory}
import io.github.pysparklance.spark.types.MetadataFields
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.changes.Changes
import io.github.pysparklance.table.scan.{ChangeColumn, ComputedColumn}

/** The micro-batches of a table or branch: the rows of a version, and then the rows or changes of
  * later commits. Tasks read them in the same way as batch queries.
  *
  * @param home location of the table, even if the stream reads a branch
  * @param table the version with the columns of the stream
  * @param columns all columns of the table, with the types of the read
  * @param read read of each task
  * @param state state, which streams with other columns share
  * @param filters filters of the rows; Spark evaluates their conditions as well
  */
final private[spark] class LanceStream private (
    home: TableLocation,
    table: LanceTable,
    columns: IndexedSeq[Field],
    read: ReadTask,
    state: LanceStream.State,
    filters: ChangeFilters
) extends MicroBatchStream
    with SupportsTriggerAvailableNow
    with ReportsSourceMetrics {
  import state.{mark, planner, request}

  override def initialOffset(): Offset = StreamOffset.Initial

  override def deserializeOffset(json: String): Offset = StreamOffset.parse(json)

  /** Spark calls the other method of this name. */
  override def latestOffset(): Offset =
    throw new UnsupportedOperationException("latestOffset(Offset, ReadLimit) is to be called")

  override def getDefaultReadLimit: ReadLimit = ReadBudget.limit(request.limits)

  override def prepareForTriggerAvailableNow(): Unit =
    state.target = Some(LanceErrors.translated(planner.latest().version))

  override def latestOffset(startOffset: Offset, limit: ReadLimit): Offset =
    LanceErrors.translated {
      val start = position(startOffset)
      val latest = planner.latest()
      state.latest = Some(latest)
      val last = state.target.fold(latest.version)(math.min(_, latest.version))
      val end = planner.end(start, last, ReadBudget.limits(limit))
      mark.foreach(_.begin(planner.firstNeeded(start, end)))
      end
    }

  override def reportLatestOffset(): Offset =
    state.latest.map(StreamOffset.endOf).orNull

  private def position(offset: Offset): Option[StreamOffset] = offset match {
    case o: StreamOffset => Some(o)
    case StreamOffset.Initial => None
    case other => position(StreamOffset.parse(other.json()))
  }

  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] =
    LanceErrors.translated {
      val selected = planned(start, end).filter(p => filters.keeps(p.change))
      selected.foreach(_.checkReadable(read.fields))
      new ChangeEstimate(selected, columns, read).tasks
        .map(t => LanceInputPartition(t): InputPartition).toArray
    }

  /** Returns the rows of a micro-batch, which the optimizer and several scans use. */
  private def planned(start: Offset, end: Offset): IndexedSeq[Changes.Part] = {
    val batch = (position(start), position(end))
    val parts = state.planned.collect { case (`batch`, known) => known }.getOrElse {
      batch._2.fold(IndexedSeq.empty[Changes.Part])(planner.parts(batch._1, _))
    }
    state.planned = Some(batch -> parts)
    parts
  }

  override def createReaderFactory(): PartitionReaderFactory =
    new LanceReaderFactory(read, home.copy(path = table.path).taskStore(Some(table)), table.path)

  override def commit(end: Offset): Unit = position(end).foreach { offset =>
    planner.committed(offset)
    state.planned = None
    mark.foreach(_.move(planner.firstNeeded(Some(offset), offset)))
  }

  override def metrics(latestConsumedOffset: Optional[Offset]): util.Map[String, String] = {
    val consumed =
      if (latestConsumedOffset.isPresent) position(latestConsumedOffset.get) else None
    consumed.fold(Map.empty[String, String]) { offset =>
      val behind = planner.behind(offset)
      Map("versionsBehind" -> behind.versions.toString) ++
        behind.rows.map("rowsBehind" -> _.toString) ++
        behind.bytes.map("bytesBehind" -> _.toString)
    }.asJava
  }

  override def stop(): Unit = ()

  /** Returns the scan, for plans and metrics. */
  private[streaming] def scan: StreamScan =
    new StreamScan(table.path, read, filters.selecting.map(_.sql))

  /** Returns a stream of the same micro-batches with other columns, or `None` if this stream has
    * them. Spark treats both as the same stream.
    *
    * @param wanted columns, which may be metadata columns; structs have the wanted fields only
    * @param batch start and end of the micro-batch, whose fragments may lack added fields
    * @throws InvalidRequestException if a metadata column is not available in streams
    */
  private[streaming] def reading(
      wanted: StructType,
      batch: Option[(Offset, Offset)]
  ): Option[LanceStream] = {
    val (stored, made) = wanted.fields.partition(w => state.fields.exists(_.name == w.name))
    val computed = made.map { column =>
      val found = ComputedColumn.byName(column.name)
      if (!found.exists(c => c.isInstanceOf[ChangeColumn] || MetadataFields.isOfChanges(c.name)))
        throw new InvalidRequestException(
          s"streams do not have the metadata column ${column.name}"
        )
      found.get
    }
    lazy val parts = batch.map { case (start, end) => planned(start, end) }
    def isEverywhere(leaf: Int): Boolean =
      parts.exists(_.forall(_.fragment.files.exists(_.columnOf(leaf).isDefined)))
    val task = read.copy(
      fields = Projection(state.fields, StructType(stored), isEverywhere),
      computed = computed.toIndexedSeq
    )
    if (task.fields == read.fields && task.computed == read.computed) None
    else Some(new LanceStream(home, table, columns, task, state, filters))
  }

  /** Returns a stream of the same micro-batches that evaluates the supported predicates, or `None`
    * if this stream evaluates the same ones. Spark evaluates all predicates again.
    */
  private[streaming] def filtering(predicates: Seq[Predicate]): Option[LanceStream] = {
    val other = new ChangeFilters(state.fields, read.options)
    other.push(predicates.toArray): Unit
    if (other.predicates == filters.predicates) None
    else {
      val task = read.copy(filter = other.rowFilter)
      Some(new LanceStream(home, table, columns, task, state, other))
    }
  }

  override def equals(other: Any): Boolean = other match {
    case s: LanceStream => s.isSame(state)
    case _ => false
  }

  private def isSame(other: LanceStream.State): Boolean = state eq other

  override def hashCode: Int = System.identityHashCode(state)

  override def toString: String = s"lance ${table.path}"
}

private[spark] object LanceStream {

  /** Returns a stream that Spark starts.
    *
    * @param checkpoint folder of the source below the checkpoint of the query
    */
  def apply(
      home: TableLocation,
      table: LanceTable,
      columns: IndexedSeq[Field],
      read: ReadTask,
      request: StreamRequest,
      checkpoint: String
  ): LanceStream = {
    val mark =
      if (request.keepsUnread) Some(VersionMark(home, table.manifest.branch, checkpoint)) else None
    val state = new State(request, new StreamPlanner(table, request), mark, read.fields)
    val filters = new ChangeFilters(read.fields, read.options)
    new LanceStream(home, table, columns, read, state, filters)
  }

  private type Batch = (Option[StreamOffset], Option[StreamOffset])

  /** The state of a query.
    *
    * @param fields readable columns
    */
  final private class State(
      val request: StreamRequest,
      val planner: StreamPlanner,
      val mark: Option[VersionMark],
      val fields: IndexedSeq[Field]
  ) {

    /** The last version that `Trigger.AvailableNow` reads. */
    var target: Option[Long] = None

    /** The rows of the last planned micro-batch, by its start and end. */
    var planned = Option.empty[(Batch, IndexedSeq[Changes.Part])]

    /** The latest version at the last call of `latestOffset`. */
    var latest: Option[LanceTable] = None
  }
}

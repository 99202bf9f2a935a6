// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import java.nio.ByteBuffer
import java.util.UUID

import scala.reflect.ClassTag
import scala.util.control.NonFatal

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.{SparkContext, SparkEnv, TaskContext, TaskKilledException}

import io.github.pysparklance.core.{Interrupts, LanceException}

/** Runs independent work items as the tasks of one Spark job.
  *
  * Items and results use Java serialization, whatever `spark.serializer` is: they contain protobuf
  * messages, which other serializers do not support.
  */
private[spark] object SparkTasks {

  /** Returns the results of all items, in their order.
    *
    * @param description description of the job, for Spark's UI
    * @param undo reverts the result of a finished item after another item failed permanently; runs
    *   on the driver or on the executor of the item
    * @throws LanceException if an item failed with it
    */
  def run[T <: AnyRef: ClassTag, R <: AnyRef: ClassTag](
      session: SparkSession,
      description: String,
      pieces: IndexedSeq[T]
  )(work: T => R)(undo: R => Unit): IndexedSeq[R] =
    if (pieces.isEmpty) IndexedSeq.empty
    else {
      val rdd = session.sparkContext.parallelize(pieces.map(bytes(_)), pieces.length)
      partitions(session, description, rdd)(in => work(parsed[T](in.next())))(undo)
    }

  /** Returns the elements that `work` produces, with a partition for each item. */
  def elements[T <: AnyRef: ClassTag, A: ClassTag](session: SparkSession, pieces: IndexedSeq[T])(
      work: T => Iterator[A]
  ): RDD[A] =
    session.sparkContext
      .parallelize(pieces.map(bytes(_)), math.max(1, pieces.length))
      .mapPartitions(_.flatMap(piece => work(parsed[T](piece))))

  /** Returns the results for all partitions of `rows`, in their order.
    *
    * @param undo as for [[run]]
    */
  def partitions[A, R <: AnyRef: ClassTag](
      session: SparkSession,
      description: String,
      rows: RDD[A]
  )(work: Iterator[A] => R)(undo: R => Unit): IndexedSeq[R] = {
    val results = new Array[Option[R]](rows.getNumPartitions).map(_ => Option.empty[R])
    // The job continues after an interrupt of this thread, so it is canceled by its tag.
    val tag = s"lance-${UUID.randomUUID()}"
    var isGivenUp = false
    def undoAll(): Unit = Interrupts.defer {
      results.synchronized { isGivenUp = true }
      results.foreach(_.foreach(undo))
    }
    // A result can arrive after the job was canceled.
    def take(i: Int, result: R): Unit = {
      val isTaken = results.synchronized {
        if (!isGivenUp) results(i) = Some(result)
        !isGivenUp
      }
      if (!isTaken) undo(result)
    }
    described(session.sparkContext, description) {
      session.sparkContext.addJobTag(tag)
      val interrupts = session.sparkContext.getLocalProperty(interruptsKey)
      session.sparkContext.setLocalProperty(interruptsKey, "true")
      try
        session.sparkContext.runJob(
          rows,
          (task: TaskContext, in: Iterator[A]) => {
            val result = StorageErrors.named(description)(work(in))
            // The driver ignores the result of a task that is being killed.
            if (task.isInterrupted()) {
              undo(result)
              throw new TaskKilledException("the job has failed")
            }
            bytes(result)
          },
          rows.partitions.indices,
          (i: Int, result: Array[Byte]) => take(i, parsed[R](result))
        )
      catch {
        case e: InterruptedException =>
          session.sparkContext.cancelJobsWithTag(tag)
          undoAll()
          throw e
        case NonFatal(e) =>
          undoAll()
          throw LanceErrors.find[LanceException](e).getOrElse(e)
      } finally {
        session.sparkContext.setLocalProperty(interruptsKey, interrupts)
        session.sparkContext.removeJobTag(tag)
      }
    }
    results.toIndexedSeq.map(_.get)
  }

  /** Runs jobs under a description, and restores the previous one. */
  def described[A](context: SparkContext, description: String)(body: => A): A = {
    val before = context.getLocalProperty(descriptionKey)
    context.setJobDescription(description)
    try body
    finally context.setJobDescription(before)
  }

  /** Whether canceled jobs interrupt their tasks. Otherwise tasks write until they finish. */
  private val interruptsKey = "spark.job.interruptOnCancel"

  private val descriptionKey = "spark.job.description"

  /** Serializes a value for tasks. */
  private[common] def bytes[T: ClassTag](value: T): Array[Byte] = {
    val buffer = SparkEnv.get.closureSerializer.newInstance().serialize(value)
    val out = new Array[Byte](buffer.remaining)
    buffer.get(out)
    out
  }

  /** Deserializes a value in a task. */
  private[common] def parsed[T: ClassTag](bytes: Array[Byte]): T =
    SparkEnv.get.closureSerializer
      .newInstance()
      .deserialize[T](ByteBuffer.wrap(bytes), Thread.currentThread.getContextClassLoader)
}

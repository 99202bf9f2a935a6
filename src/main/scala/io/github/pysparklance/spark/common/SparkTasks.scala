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

/** Runs pieces of work that do not depend on each other as the tasks of one Spark job.
  *
  * Work and answers travel as Java serialises them, whatever `spark.serializer` says: they hold messages of the format,
  * which other serialisers do not know.
  */
private[spark] object SparkTasks {

  /** The answers of all pieces, in their order.
    *
    * @param description of the job, for Spark's UI
    * @param undo takes the answer of a piece back, when another one failed for good; here or where it was made
    * @throws LanceException of the piece that failed, where it was one
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

  /** The answers for all partitions of some rows, in their order.
    *
    * @param undo as for [[run]]
    */
  def partitions[A, R <: AnyRef: ClassTag](
      session: SparkSession,
      description: String,
      rows: RDD[A]
  )(work: Iterator[A] => R)(undo: R => Unit): IndexedSeq[R] = {
    val answers = new Array[Option[R]](rows.getNumPartitions).map(_ => Option.empty[R])
    // An interrupt leaves the job running: only its tag finds it again.
    val tag = s"lance-${UUID.randomUUID()}"
    var isGivenUp = false
    def undoAll(): Unit = Interrupts.defer {
      answers.synchronized { isGivenUp = true }
      answers.foreach(_.foreach(undo))
    }
    // An answer may still arrive when nobody waits for it any more.
    def take(i: Int, answer: R): Unit = {
      val isTaken = answers.synchronized {
        if (!isGivenUp) answers(i) = Some(answer)
        !isGivenUp
      }
      if (!isTaken) undo(answer)
    }
    described(session.sparkContext, description) {
      session.sparkContext.addJobTag(tag)
      val interrupts = session.sparkContext.getLocalProperty(interruptsKey)
      session.sparkContext.setLocalProperty(interruptsKey, "true")
      try
        session.sparkContext.runJob(
          rows,
          (task: TaskContext, in: Iterator[A]) => {
            val answer = StorageErrors.named(description)(work(in))
            // Nobody waits any more for the answer of a task that is to be killed.
            if (task.isInterrupted()) {
              undo(answer)
              throw new TaskKilledException("the job has failed")
            }
            bytes(answer)
          },
          rows.partitions.indices,
          (i: Int, answer: Array[Byte]) => take(i, parsed[R](answer))
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
    answers.toIndexedSeq.map(_.get)
  }

  /** Runs jobs under a description, and puts the one before back. */
  def described[A](context: SparkContext, description: String)(body: => A): A = {
    val before = context.getLocalProperty(descriptionKey)
    context.setJobDescription(description)
    try body
    finally context.setJobDescription(before)
  }

  /** Whether a cancelled job interrupts its tasks, which otherwise write on to their end. */
  private val interruptsKey = "spark.job.interruptOnCancel"

  private val descriptionKey = "spark.job.description"

  private def bytes[T: ClassTag](value: T): Array[Byte] = {
    val buffer = SparkEnv.get.closureSerializer.newInstance().serialize(value)
    val out = new Array[Byte](buffer.remaining)
    buffer.get(out)
    out
  }

  private def parsed[T: ClassTag](bytes: Array[Byte]): T =
    SparkEnv.get.closureSerializer
      .newInstance()
      .deserialize[T](ByteBuffer.wrap(bytes), Thread.currentThread.getContextClassLoader)
}

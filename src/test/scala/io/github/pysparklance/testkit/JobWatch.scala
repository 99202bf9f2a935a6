// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.util.concurrent.atomic.AtomicLong

import scala.concurrent.duration.{Deadline, DurationInt}

import org.apache.spark.SparkContext
import org.apache.spark.executor.TaskMetrics
import org.apache.spark.scheduler._

/** The jobs of some statements in a shared session, and the metrics of their tasks. The jobs have a
  * job group; events of other jobs, or late events, are ignored. Events arrive late, so all methods
  * wait for them.
  */
final class JobWatch private (context: SparkContext) extends SparkListener {
  import JobWatch._

  private val group = s"watched ${numbers.incrementAndGet()}"
  private val fence = s"$group, fence"
  private var descriptions = Vector.empty[String]
  private var stages = Set.empty[Int]
  private var started = 0
  private var ended = 0
  private var counts = Vector.empty[TaskMetrics]
  private var fences = Set.empty[Int]
  private var fencesEnded = 0

  /** Runs statements, and watches their jobs. */
  def run[A](body: => A): A = grouped(group)(body)

  /** Cancels all jobs that run, and interrupts their tasks. */
  def cancel(): Unit = context.cancelJobGroup(group)

  /** Waits until a number of tasks have ended, successfully or not, so that the driver has their
    * results.
    */
  def awaitTasks(number: Int): Unit =
    await(s"$number of its tasks have ended")(ended >= number)

  /** Returns all jobs, after all tasks, including killed ones, have ended. */
  def settled(): Seen = {
    val before = synchronized(fencesEnded)
    // Events are ordered: the event of a job follows the events of all earlier jobs.
    grouped(fence)(context.range(0, 1, 1, 1).count()): Unit
    await("its jobs have ended")(fencesEnded > before && started == ended)
    synchronized(Seen(descriptions, counts))
  }

  private def grouped[A](name: String)(body: => A): A = {
    context.setJobGroup(name, null, interruptOnCancel = true)
    try body
    finally context.clearJobGroup()
  }

  private def await(what: String)(condition: => Boolean): Unit = synchronized {
    val deadline = Deadline.now + patience
    while (!condition) {
      val left = deadline.timeLeft.toMillis
      if (left <= 0)
        throw new AssertionError(
          s"waited $patience until $what: of $started tasks $ended have ended"
        )
      wait(left)
    }
  }

  private def on(event: => Unit): Unit = synchronized {
    event
    notifyAll()
  }

  override def onJobStart(start: SparkListenerJobStart): Unit = on {
    def property(key: String) = Option(start.properties).flatMap(p => Option(p.getProperty(key)))
    if (property(groupKey).contains(group)) {
      descriptions :+= property(descriptionKey).getOrElse("")
      stages ++= start.stageIds
    } else if (property(groupKey).contains(fence)) fences += start.jobId
  }

  override def onTaskStart(start: SparkListenerTaskStart): Unit = on {
    if (stages(start.stageId)) started += 1
  }

  override def onTaskEnd(end: SparkListenerTaskEnd): Unit = on {
    if (stages(end.stageId)) {
      ended += 1
      Option(end.taskMetrics).foreach(counts :+= _)
    }
  }

  override def onJobEnd(end: SparkListenerJobEnd): Unit = on {
    if (fences(end.jobId)) fencesEnded += 1
  }
}

object JobWatch {

  /** @param descriptions descriptions of the jobs
    * @param tasks metrics of each task, including failed ones
    */
  final case class Seen(descriptions: Seq[String], tasks: Seq[TaskMetrics])

  private val numbers = new AtomicLong
  private val groupKey = "spark.jobGroup.id"
  private val descriptionKey = "spark.job.description"

  /** Long enough for every event. */
  private val patience = 2.minutes

  /** Runs code whose tasks may fail, and waits for its other tasks. */
  def settled[A](context: SparkContext)(body: => A): A = apply(context)(_.run(body))

  /** Watches jobs until `body` ends; jobs that still run then are canceled and awaited. */
  def apply[A](context: SparkContext)(body: JobWatch => A): A = {
    val watch = new JobWatch(context)
    context.addSparkListener(watch)
    try
      try body(watch)
      finally {
        watch.cancel()
        watch.settled(): Unit
      }
    finally context.removeSparkListener(watch)
  }
}

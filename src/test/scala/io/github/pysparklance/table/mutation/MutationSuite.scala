// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.mutation

import java.lang.management.ManagementFactory
import java.util.concurrent.{
  Callable,
  ExecutionException,
  ExecutorService,
  Executors,
  TimeUnit,
  TimeoutException
}

import scala.collection.mutable
import scala.util.Random

import com.google.protobuf.InvalidProtocolBufferException
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.LanceException
import io.github.pysparklance.testkit.TestRun

/** Tables with a single change return rows or raise a Lance error, within limits of time and
  * memory.
  *
  * Each test run covers some of the changes, and `make test-long` covers all. Environment
  * variables: `PYSPARK_LANCE_SEED` selects the changes, `PYSPARK_LANCE_MUTATIONS` sets their
  * number, `PYSPARK_LANCE_MUTATION` repeats a single change, and `PYSPARK_LANCE_MUTATION_MINUTES`
  * limits the time.
  */
class MutationSuite extends AnyFunSuite {
  import MutationSuite._

  private val isLong = TestRun.isLong
  private def number(name: String): Option[Long] = sys.env.get(s"PYSPARK_LANCE_$name").map(_.toLong)

  private val seed = TestRun.seed
  private val count = number("MUTATIONS").getOrElse(if (isLong) 100000L else 800L)
  private val minutes = number("MUTATION_MINUTES").getOrElse(if (isLong) 60L else 10L)

  /** The tables to change, by version: all in the long run, otherwise some fixtures and all tables
    * of this source tree.
    */
  private lazy val namesByVersion: IndexedSeq[(String, IndexedSeq[String])] =
    SourceTable.names
      .groupBy(SourceTable.versionOf)
      .filter(_._1.nonEmpty)
      .toIndexedSeq
      .sortBy(_._1)
      .map { case (version, names) =>
        val (own, others) = names.partition(SourceTable.isOwn)
        val some = if (isLong) others else new Random(seed).shuffle(others).take(8)
        version -> (own ++ some.sorted)
      }

  private val loaded = mutable.Map.empty[String, Option[SourceTable]]
  private def load(name: String): Option[SourceTable] =
    loaded.getOrElseUpdate(name, SourceTable.load(name))

  /** Returns change number i: the table and the mutation. Deterministic for a seed. */
  private def mutation(i: Long): Option[(SourceTable, Mutation)] = {
    val random = new Random(seed + i * 0x9e3779b97f4a7c15L)
    val (_, names) = namesByVersion(random.nextInt(namesByVersion.length))
    val room = Room.all(random.nextInt(Room.all.length))
    val start = random.nextInt(names.length)
    // The next readable table that has this part.
    names.indices.iterator
      .map(k => names((start + k) % names.length))
      .flatMap(load)
      .flatMap(t => t.mutate(room, random).map(t -> _))
      .find(_ => true)
  }

  test("tables with a single change") {
    val only = number("MUTATION")
    val deadline = System.nanoTime() + minutes * 60L * 1000000000L
    val outcomes = mutable.Map.empty[(Room, Outcome), Long].withDefaultValue(0L)
    val versions = mutable.Map.empty[String, Long].withDefaultValue(0L)
    val failures = mutable.LinkedHashMap.empty[String, String]
    val worker = new Worker
    var i = only.getOrElse(0L)
    val end = only.fold(count)(_ + 1)
    try
      while (i < end && failures.size < 20 && System.nanoTime() < deadline) {
        mutation(i).foreach { case (table, m) =>
          versions(table.version) += 1
          // Manifests and deletion files may contain another number.
          val expected =
            if (m.room == Room.Manifests || m.room == Room.DeletionFiles) None else table.rows
          val outcome = worker.run(() => table.read(m), expected)
          outcomes((m.room, outcome.outcome)) += 1
          outcome.problem.foreach { p =>
            val text =
              s"change $i of seed $seed: ${table.name}, ${m.room}, ${m.path}: ${m.what}\n$p"
            if (!failures.contains(outcome.key)) failures(outcome.key) = text
          }
        }
        i += 1
      }
    finally worker.close()
    info(
      s"seed $seed, ${i - only.getOrElse(0L)} changes, by version ${versions.toSeq.sorted.mkString(" ")}"
    )
    val rooms = Room.all.filter(r => outcomes.keys.exists(_._1 == r))
    rooms.foreach { room =>
      val of = Outcome.all.map(o => s"${outcomes((room, o))} $o")
      info(s"$room: ${of.mkString(", ")}")
    }
    if (failures.nonEmpty) fail(failures.values.mkString("\n\n"))
    if (only.isEmpty) {
      assert(i == end, s"after $minutes minutes")
      rooms.filter(_ != Room.DeletionFiles).foreach { room =>
        val early = outcomes((room, Outcome.Early))
        val all = Outcome.all.map(o => outcomes((room, o))).sum
        assert(early * 10 <= all, s"$early of $all changes in $room end at the magic or the parser")
      }
    }
  }
}

object MutationSuite {
  private val mostSeconds = 10L
  private val mostBytes = 512L << 20

  sealed abstract class Outcome(text: String) { override def toString: String = text }
  object Outcome {
    case object Rows extends Outcome("read")
    case object Ours extends Outcome("rejected")
    case object Early extends Outcome("rejected by the magic or the protobuf parser")
    case object Failed extends Outcome("failed")
    val all: Seq[Outcome] = Seq(Rows, Ours, Early, Failed)
  }

  /** The result of a mutation.
    *
    * @param key the same for failures with the same cause
    */
  final case class Result(outcome: Outcome, key: String = "", problem: Option[String] = None)

  /** Runs tasks sequentially in a separate thread, and monitors their time and memory. */
  final class Worker {
    private var executor: ExecutorService = newExecutor()
    private val threads =
      ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

    private def newExecutor(): ExecutorService =
      Executors.newSingleThreadExecutor { (task: Runnable) =>
        val t = new Thread(null, task, "mutation", 4L << 20)
        t.setDaemon(true)
        t
      }

    /** @param expected the result of `read`, if it returns */
    def run(read: () => Long, expected: Option[Long]): Result = {
      @volatile var thread: Thread = null
      @volatile var allocated = 0L
      val task: Callable[Long] = () => {
        thread = Thread.currentThread
        val before = threads.getThreadAllocatedBytes(thread.getId)
        try read()
        finally allocated = threads.getThreadAllocatedBytes(thread.getId) - before
      }
      val future = executor.submit(task)
      val result =
        try {
          val rows = future.get(mostSeconds, TimeUnit.SECONDS)
          if (expected.forall(_ == rows)) Result(Outcome.Rows)
          else Result(Outcome.Failed, "rows", Some(s"$rows rows, expected ${expected.get}"))
        } catch {
          case e: ExecutionException => judge(e.getCause)
          case _: TimeoutException =>
            val stack = Option(thread).fold("")(_.getStackTrace.take(25).mkString("\n  at "))
            executor.shutdownNow(): Unit
            executor = newExecutor()
            Result(
              Outcome.Failed,
              stack.take(300),
              Some(s"takes more than $mostSeconds s\n  at $stack")
            )
        }
      if (result.problem.isEmpty && allocated > mostBytes)
        Result(
          Outcome.Failed,
          "memory" + allocated / mostBytes,
          Some(s"$allocated bytes allocated")
        )
      else result
    }

    private def judge(e: Throwable): Result = e match {
      case ours: LanceException => Result(if (isEarly(ours)) Outcome.Early else Outcome.Ours)
      case other =>
        val stack = other.getStackTrace.take(25).mkString("\n  at ")
        val key = other.getClass.getName + other.getStackTrace.headOption
        Result(Outcome.Failed, key, Some(s"$other\n  at $stack"))
    }

    private def isEarly(e: LanceException): Boolean =
      e.problem.contains("magic") ||
        Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).take(10)
          .exists(_.isInstanceOf[InvalidProtocolBufferException])

    def close(): Unit = executor.shutdownNow(): Unit
  }
}

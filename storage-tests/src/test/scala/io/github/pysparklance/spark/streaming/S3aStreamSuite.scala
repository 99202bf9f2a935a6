// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import java.util.concurrent.atomic.AtomicInteger

import scala.util.Try

import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{S3Fault, S3Request, S3Tables, TestRun}

/** A query from a table on S3 to another one, with the checkpoint on S3. It fails because all
  * requests of one kind fail: in a task, in the commit, or in the checkpoint. It is restarted while
  * other requests fail once.
  */
class S3aStreamSuite extends AnyFunSuite with S3Tables {
  private var numIds = 0L

  /** Appends two fragments, which are two micro-batches. */
  private def feed(): Unit = {
    spark.range(numIds, numIds + 4, 1, 1).write.format("lance").mode("append")
      .option("maxRowsPerFile", 2).save(path("in"))
    numIds += 4
  }

  /** Runs the query until it has read all rows or fails. Returns the result and the number of
    * faults.
    */
  private def run(fault: S3Request => Option[S3Fault]): (Try[Unit], Int) = {
    val numFaults = new AtomicInteger
    forget()
    proxy.fault = { r =>
      val found = fault(r)
      if (found.isDefined) numFaults.incrementAndGet(): Unit
      found
    }
    val result = Try {
      val query = spark.readStream.format("lance").option("maxFragmentsPerTrigger", 1)
        .load(path("in"))
        .writeStream.format("lance").option("checkpointLocation", path("checkpoint"))
        .trigger(Trigger.AvailableNow()).start(path("out"))
      try query.awaitTermination()
      finally query.stop()
    }
    proxy.reset()
    (result, numFaults.get)
  }

  private def ids: Seq[Long] =
    load("out").select("id").collect().map(_.getLong(0)).toSeq.sorted

  private val places = Seq(
    ("the commit, after its effect", S3Fault.LostResponse, "PUT", "/out/_versions/"),
    ("the commits of the checkpoint", S3Fault.Dropped, "PUT", "/checkpoint/commits/"),
    ("reads of a task", S3Fault.Dropped, "GET", "/in/data/"),
    ("writes of a task", S3Fault.Dropped, "PUT", "/out/data/"),
    ("the commit", S3Fault.Dropped, "PUT", "/out/_versions/"),
    ("the offsets", S3Fault.Dropped, "PUT", "/checkpoint/offsets/")
  ).take(if (TestRun.isLong) 6 else 1)

  test("a query that fails and restarts reads and writes each row once") {
    feed()
    assert(run(_ => None)._1.isSuccess)
    for (((place, fault, kind, folder), i) <- places.zipWithIndex)
      withClue(s"$place: ") {
        feed()
        val (failed, numFaults) = run { r =>
          if (r.kind == kind && r.key.contains(folder)) Some(fault) else None
        }
        // After lost responses, a commit may find its version in the table.
        assert(numFaults > 0 && (failed.isFailure || fault == S3Fault.LostResponse))
        val once = if (i % 2 == 0) S3Fault.LostResponse else S3Fault.Dropped
        val (restarted, numOnce) = run(S3Fault.everyThird(once))
        assert(restarted.isSuccess && numOnce > 0, restarted)
        assert(ids == (0L until numIds))
      }
  }
}

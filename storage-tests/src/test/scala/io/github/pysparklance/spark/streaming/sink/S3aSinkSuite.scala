// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{MotoServer, SharedSpark, StreamingTests}

/** A streaming query whose table and checkpoint are on S3. */
class S3aSinkSuite extends AnyFunSuite with StreamingTests {
  private lazy val onS3: SparkSession = {
    val session = SharedSpark.newInterpreted()
    MotoServer.configuration.iterator.forEachRemaining { entry =>
      if (entry.getKey.startsWith("fs.s3a.")) session.conf.set(entry.getKey, entry.getValue)
    }
    session
  }

  override protected def spark: SparkSession = onS3

  private def remote(name: String): String =
    s"s3a://${MotoServer.bucket}/${folder.getFileName}/$name"

  private def run(upserts: Boolean): Unit = {
    val options = if (upserts) Map("upsertKeys" -> "id") else Map.empty[String, String]
    val query = source().writeStream
      .format("lance")
      .outputMode(if (upserts) "update" else "append")
      .option("checkpointLocation", remote("checkpoint"))
      .options(options)
      .trigger(Trigger.AvailableNow())
      .start(remote("t"))
    finished(query): Unit
  }

  for (upserts <- Seq(false, true))
    test(s"a repeated micro-batch is committed once, upserts $upserts") {
      feed("""{"id": 1, "v": "a"}""", """{"id": 2, "v": "b"}""")
      feed(s"""{"id": ${if (upserts) 2 else 3}, "v": "c"}""")
      val expected =
        if (upserts) Seq(1L -> "a", 2L -> "c") else Seq(1L -> "a", 2L -> "b", 3L -> "c")
      def rows = spark.read.format("lance").load(remote("t")).select("id", "v")
        .collect().map(r => r.getLong(0) -> r.getString(1)).sorted.toSeq
      run(upserts)
      assert(rows == expected)
      val version = LanceTable.open(MotoServer.storage, remote("t")).version
      assert(MotoServer.storage.delete(remote("checkpoint/commits/1")))
      run(upserts)
      assert(rows == expected)
      assert(LanceTable.open(MotoServer.storage, remote("t")).version == version)
    }
}

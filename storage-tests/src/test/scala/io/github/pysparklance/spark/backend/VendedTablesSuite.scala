// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import java.io.{PrintWriter, StringWriter}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.Files
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicBoolean

import scala.jdk.CollectionConverters._

import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent, SparkListenerJobStart}
import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{Row, SparkSession}
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.cache.RangeCache
import io.github.pysparklance.storage.hadoop.HadoopConf
import io.github.pysparklance.testkit.{
  LogCapture,
  NamespaceServer,
  S3Keys,
  S3Proxy,
  SharedSpark,
  TemporaryFolder,
  TestClock
}

/** Tables on S3 for which a REST catalog returns temporary keys. S3 checks the signature of each
  * request, and no other key is valid.
  */
class VendedTablesSuite extends AnyFunSuite with TemporaryFolder with BeforeAndAfterAll {
  import VendedTablesSuite._

  private val proxy = new S3Proxy
  private val lifetimeMillis = 1000000L

  override protected def afterAll(): Unit = {
    SparkSession.setActiveSession(SharedSpark.session)
    proxy.close()
    super.afterAll()
  }

  private def serving(test: (SparkSession, NamespaceServer) => Any): Unit = {
    TestClock.set(0)
    proxy.keys = Some(keys)
    val server = new NamespaceServer(s"s3://${proxy.bucket}/${folder.getFileName}", hasAll = false)
    server.vend = () => keys.issue(lifetimeMillis).options(proxy.endpoint)
    val s = SharedSpark.newInterpreted()
    proxy.configuration.iterator.forEachRemaining { e =>
      if (e.getKey.startsWith("fs.s3a.")) s.conf.set(e.getKey, e.getValue)
    }
    s.conf.set("fs.s3a.access.key", "unknown")
    s.conf.set("spark.sql.catalog.r", "io.github.pysparklance.spark.LanceCatalog")
    s.conf.set("spark.sql.catalog.r.impl", classOf[ClockedRestBackend].getName)
    s.conf.set("spark.sql.catalog.r.uri", server.uri)
    SparkSession.setActiveSession(s)
    try test(s, server): Unit
    finally server.close()
  }

  private def clearCaches(): Unit = {
    RangeCache.shared.clear()
    IndexCache.shared.clear()
  }

  private def count(s: SparkSession): Long = s.table("r.t").count()

  test("all kinds of statements use the keys of the catalog, which expire between them") {
    serving { (s, _) =>
      def sql(text: String) = {
        TestClock.set(TestClock.millis() + lifetimeMillis)
        clearCaches()
        s.sql(text).collect().toSeq
      }
      sql("CREATE TABLE r.t AS SELECT id, id % 3 AS g FROM range(0, 100, 1, 4)")
      sql("INSERT INTO r.t SELECT id, 5 FROM range(100, 120, 1, 2)")
      sql("DELETE FROM r.t WHERE id < 10")
      sql("UPDATE r.t SET g = 9 WHERE id BETWEEN 10 AND 14")
      sql(
        "MERGE INTO r.t USING (SELECT id FROM range(110, 130)) u ON t.id = u.id " +
          "WHEN MATCHED THEN UPDATE SET g = 8 WHEN NOT MATCHED THEN INSERT (id, g) VALUES (id, 7)"
      )
      sql("CALL r.system.create_index('t', 'id', 'btree')")
      sql("OPTIMIZE r.t")
      sql("ALTER TABLE r.t ADD COLUMN w STRING")
      assert(sql("SELECT g, count(*) FROM r.t WHERE id >= 100 GROUP BY g ORDER BY g") ==
        Seq(Row(5L, 10L), Row(7L, 10L), Row(8L, 10L)))
      assert(sql("SELECT g FROM r.t WHERE id = 12") == Seq(Row(9L)))
      assert(sql("SELECT count(*) FROM r.t VERSION AS OF 1") == Seq(Row(100L)))
      sql("VACUUM r.t RETAIN 0 HOURS")
      assert(sql("SELECT count(*) FROM r.t") == Seq(Row(120L)))
      sql("DROP TABLE r.t")
      proxy.keys = None
      assert(objects().isEmpty)
    }
  }

  test("keys that are revoked after planning are renewed in tasks") {
    serving { (s, _) =>
      s.sql("CREATE TABLE r.t AS SELECT id, id % 3 AS g FROM range(0, 100, 1, 4)")
      val planned = s.table("r.t").where("id >= 50").select("g")
      planned.queryExecution.executedPlan
      val before = keys.numIssued
      clearCaches()
      keys.revoke()
      assert(planned.collect().length == 50 && keys.numIssued > before)
    }
  }

  test("keys that are revoked while a task writes are renewed for its file and for the commit") {
    serving { (s, _) =>
      s.sql("CREATE TABLE r.t AS SELECT id FROM range(0, 10, 1, 1)")
      armed.set(true)
      s.range(10, 20, 1, 1).select(revoking(col("id")).as("id")).writeTo("r.t").append()
      assert(!armed.get && count(s) == 20)
      TestClock.set(5000) // keys are not renewed twice in a second
      armed.set(true)
      s.udf.register("revoking", revoking)
      s.sql("UPDATE r.t SET id = revoking(id) + 100 WHERE id >= 15")
      assert(!armed.get && s.table("r.t").where("id > 100").count() == 5)
    }
  }

  test("a stream continues with renewed keys") {
    serving { (s, _) =>
      s.sql("CREATE TABLE r.t AS SELECT id FROM range(0, 10, 1, 1)")
      s.sql("CREATE TABLE r.u (id BIGINT)")
      def run(): Unit = {
        val query = s.readStream.table("r.t").writeStream
          .option("checkpointLocation", folder.resolve("checkpoint").toString)
          .trigger(Trigger.AvailableNow()).toTable("r.u")
        query.awaitTermination()
      }
      run()
      keys.revoke()
      s.sql("INSERT INTO r.t SELECT id FROM range(10, 20, 1, 1)")
      TestClock.set(lifetimeMillis)
      run()
      assert(s.table("r.u").count() == 20)
      val files = Files.walk(folder).iterator.asScala.filter(Files.isRegularFile(_)).toSeq
      assert(files.length > 4)
      files.foreach(f => assert(!holds(new String(Files.readAllBytes(f), ISO_8859_1)), f))
    }
  }

  test("plans, events, logs, errors, and objects contain no keys") {
    serving { (s, server) =>
      val events = new ConcurrentLinkedQueue[String]
      val listener = new SparkListener {
        override def onOtherEvent(event: SparkListenerEvent): Unit =
          events.add(event.toString): Unit
        override def onJobStart(job: SparkListenerJobStart): Unit =
          events.add(s"$job ${job.properties}"): Unit
      }
      s.sparkContext.addSparkListener(listener)
      val shown = new StringBuilder
      var errors = Seq.empty[Throwable]
      val lines =
        try LogCapture.all {
            s.sql("CREATE TABLE r.t AS SELECT id, id % 3 AS g FROM range(0, 100, 1, 4)")
            s.sql("DELETE FROM r.t WHERE id = 5")
            keys.revoke()
            assert(count(s) == 99)
            Seq(
              "EXPLAIN EXTENDED SELECT g, count(*) FROM r.t WHERE id > 3 GROUP BY g",
              "EXPLAIN EXTENDED INSERT INTO r.t SELECT 1L, 2L",
              "DESCRIBE EXTENDED r.t",
              "SHOW TBLPROPERTIES r.t"
            ).foreach(sql => shown ++= s.sql(sql).collect().mkString("\n"))
            shown ++= s.table("r.t").groupBy("g").count().queryExecution.executedPlan.toJSON
            val denied = keys.issue(lifetimeMillis).options(proxy.endpoint)
            keys.revoke()
            clearCaches()
            TestClock.set(lifetimeMillis)
            server.vend = () => denied
            errors :+= intercept[Exception](count(s))
            errors :+= intercept[Exception](s.sql("INSERT INTO r.t VALUES (1L, 2L)"))
            val misspelled = denied + ("aws_secret_key" -> denied("aws_secret_access_key"))
            server.vend = () => misspelled
            errors :+= intercept[Exception](s.sql("CREATE TABLE r.v AS SELECT 1 AS id"))
          }
        finally s.sparkContext.removeSparkListener(listener)
      assert(shown.nonEmpty && !holds(shown.toString))
      assert(!events.isEmpty && !events.asScala.exists(holds))
      assert(lines.nonEmpty && !lines.exists(l => holds(l.text)))
      errors.foreach { e =>
        val text = new StringWriter
        e.printStackTrace(new PrintWriter(text))
        assert(!holds(text.toString), e)
      }
      proxy.keys = None
      val stored = objects()
      assert(stored.length > 4 && !stored.exists(holds))
    }
  }

  /** The contents of all objects in the folder of the test. */
  private def objects(): Seq[String] = {
    val conf = proxy.configuration
    conf.setBoolean("fs.s3a.impl.disable.cache", true)
    val store = Storage(new HadoopConf(conf))
    val root = s"s3a://${proxy.bucket}/${folder.getFileName}"
    store.listFiles(root).toSeq.map { f =>
      val in = store.open(s"$root/${f.relativePath}")
      try new String(in.read(0, in.size.toInt), ISO_8859_1)
      finally in.close()
    }
  }
}

object VendedTablesSuite {
  private val keys = new S3Keys

  /** Whether the next row of a query revokes all keys. */
  private val armed = new AtomicBoolean

  private val revoking = udf { (id: Long) =>
    if (armed.getAndSet(false)) keys.revoke()
    id
  }

  private def holds(text: String): Boolean = text.contains(S3Keys.mark)
}

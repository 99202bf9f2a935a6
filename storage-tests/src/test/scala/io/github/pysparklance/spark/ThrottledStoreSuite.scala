// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark

import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger

import scala.util.{Failure, Try}

import org.apache.hadoop.fs.s3a.impl.AWSClientConfig
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{S3Fault, S3Request, S3Tables, TestRun}

/** Operations on S3 while it sheds load, drops connections, loses responses, or sends bodies slowly
  * or in part. Hadoop's client repeats requests. Results stay right, nothing is lost or added
  * twice, and a store that does not recover fails the operation within a bounded number of
  * requests.
  */
class ThrottledStoreSuite extends AnyFunSuite with S3Tables {
  override protected val numFragments = 2

  import S3Fault.everyThird

  /** After this time without a byte of the response, clients give up. */
  private def timeoutMillis = 3000L

  override protected def ownSettings: Map[String, String] =
    Map("fs.s3a.connection.timeout" -> s"${timeoutMillis}ms")

  override protected def beforeAll(): Unit = {
    // Hadoop accepts no shorter timeouts than 15 s otherwise.
    AWSClientConfig.setMinimumOperationDuration(Duration.ofMillis(timeoutMillis))
    super.beforeAll()
  }

  override protected def afterAll(): Unit =
    try super.afterAll()
    finally AWSClientConfig.resetMinimumOperationDuration()

  private val slowDown = S3Fault.Status(503, "SlowDown")

  private def ofReads(
      reads: S3Request => Option[S3Fault],
      others: S3Request => Option[S3Fault]
  ): S3Request => Option[S3Fault] = r => if (r.kind == "GET") reads(r) else others(r)

  /** Checks the rows after some [[changes]]: each id once, with its value. */
  private def check(name: String, kinds: Set[String]): Assertion = {
    val found =
      load(name).selectExpr("id", "value").collect().map(r => r.getLong(0) -> r.getLong(1))
    val ids = (0L until numRows.toLong * numFragments) ++ (1000000L until 1000010L)
    val expected = ids.filterNot(id => kinds("rows") && id % 100 == 9).map { id =>
      id -> (if (kinds("rows") && id % 100 == 8) -1L
             else if (id >= 5 && id < 8) id * 20 else id * 10)
    }
    assert(found.sorted.toSeq == expected)
  }

  /** Operations of all kinds, each through the caches of a new process. In a short run, the tests
    * share some of them.
    *
    * @return the kinds of changes
    */
  private def changes(name: String, number: Int): Set[String] = {
    val all = Seq("lookup", "index", "compaction", "rows", "columns", "search") ++
      Seq("copies", "text", "streams", "refs")
    val kinds = TestRun.share(number, 2, all).toSet
    def run(work: => Any): Unit = {
      forget()
      work: Unit
    }
    run(assert(LanceTable.open(store, path(name)).version == numFragments))
    if (kinds("lookup")) run(assert(load(name).where("_rowid IN (3, 5)").count() == 2))
    run(append(name))
    run(merge(name))
    if (kinds("index")) {
      run(statement(name, "CREATE INDEX by_id ON {t} USING btree (id)"))
      run(assert(load(name).where("id = 77").count() == 1))
    }
    if (kinds("rows")) {
      run(statement(name, "DELETE FROM {t} WHERE id % 100 = 9"))
      run(statement(name, "UPDATE {t} SET value = -1 WHERE id % 100 = 8"))
    }
    if (kinds("columns")) {
      run(statement(name, "ALTER TABLE {t} ADD COLUMNS (note STRING)"))
      run(statement(name, "ALTER TABLE {t} RENAME COLUMN kind TO sort"))
      run(assert(load(name).where("note IS NULL AND sort = 3").count() > 0))
    }
    if (kinds("search")) {
      run(statement(
        name,
        "CREATE INDEX near ON {t} USING ivf_flat (vec) OPTIONS (num_partitions = 4)"
      ))
      run(assert(nearest(name) == Seq(77L)))
    }
    if (kinds("text")) {
      run(statement(name, "CREATE INDEX words ON {t} USING inverted (text)"))
      run(assert(matching(name) == Seq(77L)))
    }
    if (kinds("compaction")) run(statement(name, "OPTIMIZE {t}"))
    if (kinds("search")) run(assert(nearest(name) == Seq(77L)))
    if (kinds("text")) run(assert(matching(name) == Seq(77L)))
    if (kinds("copies")) copies(name)(run)
    if (kinds("refs")) references(name)(run)
    if (kinds("streams")) streams(name)(run)
    run(statement(name, "VACUUM {t} WITH (retain_versions = 1)"))
    kinds
  }

  /** Tags, branches, and a restored version. Leaves the rows unchanged. */
  private def references(name: String)(run: (=> Any) => Unit): Unit = {
    val count = load(name).count()
    run(statement(name, "ALTER TABLE {t} CREATE TAG kept"))
    run(statement(name, "ALTER TABLE {t} CREATE BRANCH dev"))
    def dev = spark.read.format("lance").option("branch", "dev").load(path(name))
    run {
      load(name).limit(3).write.format("lance").option("branch", "dev").mode("append")
        .save(path(name))
    }
    run(assert(dev.count() == count + 3 && load(name).count() == count))
    run(statement(name, "DELETE FROM {t} WHERE id % 2 = 1"))
    run(statement(name, "RESTORE {t} TO TAG kept"))
    run(assert(load(name).count() == count))
    run(statement(name, "ALTER TABLE {t} DROP TAG kept"))
    run(statement(name, "ALTER TABLE {t} DROP BRANCH dev"))
  }

  /** Clones, overwritten tables, and the change feed. */
  private def copies(name: String)(run: (=> Any) => Unit): Unit = {
    val count = load(name).count()
    run(statement(name, s"CREATE TABLE lake.`${path(name)}-deep` DEEP CLONE {t}"))
    run(statement(name, s"CREATE TABLE lake.`${path(name)}-shallow` SHALLOW CLONE {t}"))
    for (kind <- Seq("deep", "shallow")) {
      run(assert(load(s"$name-$kind").count() == count))
      run {
        load(name).where("id < 5").write.format("lance").mode("overwrite")
          .save(path(s"$name-$kind"))
      }
      run(assert(load(s"$name-$kind").count() == 5))
    }
    run {
      val inserted = changeFeed(name).where("_change_type = 'insert' AND id >= 1000000")
      assert(inserted.select("id").distinct().count() == 10)
    }
  }

  private def changeFeed(name: String): DataFrame = spark.read.format("lance")
    .option("readChangeFeed", "true").option("startingVersion", 1).load(path(name))

  /** A query from the table to another one, whose checkpoint is on S3, too. */
  private def streams(name: String)(run: (=> Any) => Unit): Unit = {
    run(stream(name))
    run(assert(load(s"$name-out").count() == load(name).count()))
  }

  private def stream(name: String): Unit = {
    val query = spark.readStream.format("lance").load(path(name)).selectExpr("id", "value")
      .writeStream.format("lance").option("checkpointLocation", path(s"$name-checkpoint"))
      .trigger(Trigger.AvailableNow()).start(path(s"$name-out"))
    try query.awaitTermination()
    finally query.stop()
  }

  /** Returns the row with the word 77. */
  private def matching(name: String): Seq[Long] =
    spark.sql(s"SELECT id FROM search('${path(name)}', '77', search_columns => 'text')")
      .collect().map(_.getLong(0)).toSeq

  /** Returns the row that is nearest to row 77. */
  private def nearest(name: String): Seq[Long] = spark.sql(
    s"SELECT id FROM vector_search('${path(name)}', array(77F, 7F, 0F, 1F), 1, nprobes => 4)"
  ).collect().map(_.getLong(0)).toSeq

  private val faults: Seq[(String, S3Request => Option[S3Fault])] = Seq(
    "requests are rejected with 503" -> everyThird(slowDown),
    "requests are rejected with 500" -> everyThird(S3Fault.Status(500, "InternalError")),
    "connections close before the response" -> everyThird(S3Fault.Dropped),
    "responses are lost after the effect" -> everyThird(S3Fault.LostResponse),
    "bodies end in the middle" -> ofReads(everyThird(S3Fault.PartialBody), _ => None),
    "bodies are slow, and responses late" ->
      ofReads(everyThird(S3Fault.SlowBody(5)), everyThird(S3Fault.Delayed(20))),
    "responses come after the client has given up" ->
      S3Fault.every(10, S3Fault.LateResponse(timeoutMillis + 2000))
  )

  // Clients wait long before they repeat rejected requests, so the other tests run in `make
  // test-long`.
  private val ofShortRun =
    Set("responses are lost after the effect")

  for (((what, fault), i) <- faults.zipWithIndex if TestRun.isLong || ofShortRun(what))
    test(s"every operation succeeds while $what") {
      val name = s"t$i"
      proxy.reset()
      create(name)
      proxy.reset()
      val numFaults = new AtomicInteger
      proxy.fault = { r =>
        val found = fault(r)
        if (found.isDefined) numFaults.incrementAndGet(): Unit
        found
      }
      val kinds =
        try changes(name, i)
        finally proxy.fault = _ => None
      assert(numFaults.get > 0)
      forget()
      check(name, kinds)
      val table = LanceTable.open(store, path(name))
      assert(LanceTable.versions(store, path(name)) == Seq(table.version))
    }

  if (TestRun.isLong) test(
    "a store that stays unavailable fails every operation in bounded requests, and keeps the table"
  ) {
    proxy.reset()
    create("down")
    val operations = Seq[(String, () => Any)](
      "open" -> (() => LanceTable.open(store, path("down"))),
      "scan" -> (() => load("down").count()),
      "append" -> (() => append("down")),
      "merge" -> (() => merge("down")),
      "delete" -> (() => statement("down", "DELETE FROM {t} WHERE id = 9")),
      "update" -> (() => statement("down", "UPDATE {t} SET value = -1 WHERE id = 8")),
      "column" -> (() => statement("down", "ALTER TABLE {t} ADD COLUMNS (note STRING)")),
      "search" -> (() => nearest("down")),
      "index" -> (() => statement("down", "CREATE INDEX by_id ON {t} USING btree (id)")),
      "compaction" -> (() => statement("down", "OPTIMIZE {t}")),
      "clean-up" -> (() => statement("down", "VACUUM {t} WITH (retain_versions = 1)")),
      "text index" -> (() => statement("down", "CREATE INDEX words ON {t} USING inverted (text)")),
      "text search" -> (() => matching("down")),
      "overwrite" -> { () =>
        spark.range(3).write.format("lance").mode("overwrite").save(path("down"))
      },
      "tag" -> (() => statement("down", "ALTER TABLE {t} CREATE TAG kept")),
      "branch" -> (() => statement("down", "ALTER TABLE {t} CREATE BRANCH dev")),
      "restore" -> (() => statement("down", "RESTORE {t} TO VERSION AS OF 1")),
      "clone" -> { () =>
        statement("down", s"CREATE TABLE lake.`${path("down")}-copy` SHALLOW CLONE {t}")
      },
      "change feed" -> (() => changeFeed("down").count()),
      "stream" -> (() => stream("down"))
    )
    for ((operation, run) <- operations) {
      forget()
      proxy.reset()
      proxy.fault = _ => Some(slowDown)
      val failed = Try(run())
      proxy.fault = _ => None
      failed match {
        case Failure(e) =>
          val texts =
            Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).map(_.toString)
          assert(texts.exists(t => t.contains("503") || t.contains("SlowDown")), (operation, e))
        case other => fail(s"$operation: $other")
      }
      assert(proxy.requests.length < 200, operation)
    }
    forget()
    assert(LanceTable.open(store, path("down")).version == numFragments)
    assert(load("down").count() == numRows.toLong * numFragments)
  }

  if (TestRun.isLong)
    test("an append fails without an effect if the store fails while the version is published") {
      proxy.reset()
      create("lost")
      proxy.fault = r =>
        if (r.kind == "PUT" && r.key.contains("/_versions/")) Some(slowDown) else None
      assert(Try(append("lost")).isFailure)
      proxy.fault = _ => None
      assert(LanceTable.open(store, path("lost")).version == numFragments)
      append("lost")
      assert(load("lost").where("id >= 1000000").count() == 10)
    }
}

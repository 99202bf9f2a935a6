// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util.concurrent.{Callable, CyclicBarrier, Executors, TimeUnit}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{
  CatalogPlugin,
  Identifier,
  SupportsNamespaces,
  TableCatalog
}
import org.apache.spark.sql.functions.{col, lit}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{Classic, FrameMerge, SharedSpark, TemporaryFolder}

/** Entry points on threads and in sessions that have not used the connector. */
class SessionsSuite extends AnyFunSuite with TemporaryFolder {

  private def newSession(): SparkSession = {
    val s = SharedSpark.newInterpreted()
    s.conf.set(
      "spark.sql.catalog.spark_catalog",
      "io.github.pysparklance.spark.LanceSessionCatalog"
    )
    s.conf.set("spark.sql.catalog.mine", "io.github.pysparklance.spark.LanceCatalog")
    s.conf.set("spark.sql.catalog.mine.warehouse", folder.resolve("mine").toString)
    s
  }

  /** Runs code on a thread that inherits no session. */
  private def onFreshThread[A](active: Option[SparkSession])(body: => A): A = {
    val pool = Executors.newSingleThreadExecutor()
    try
      pool.submit(new Callable[A] {
        override def call(): A = {
          SparkSession.clearActiveSession()
          active.foreach(SparkSession.setActiveSession)
          body
        }
      }).get(120, TimeUnit.SECONDS)
    finally pool.shutdown()
  }

  private def rows(s: SparkSession, path: String): Long =
    s.read.format("lance").load(path).count()

  /** Entry points of users. Each receives a table of three rows, and a path without a table.
    */
  private val entries: Seq[(String, (SparkSession, String, String) => Any)] = Seq(
    "save" -> ((s, _, to) => s.range(3).write.format("lance").save(to)),
    "save ignore" -> ((s, _, to) => s.range(3).write.format("lance").mode("ignore").save(to)),
    "save append" -> ((s, _, to) => s.range(3).write.format("lance").mode("append").save(to)),
    "save overwrite" -> ((s, _, to) => s.range(3).write.format("lance").mode("overwrite").save(to)),
    "append" -> { (s, table, _) =>
      s.range(3).write.format("lance").mode("append").save(table)
      assert(rows(s, table) == 6)
    },
    "overwrite" -> { (s, table, _) =>
      s.range(4).write.format("lance").mode("overwrite").save(table)
      assert(rows(s, table) == 4)
    },
    "load" -> ((s, table, _) => assert(rows(s, table) == 3)),
    "load version" -> { (s, table, _) =>
      assert(s.read.format("lance").option("versionAsOf", 1).load(table).count() == 3)
    },
    "load of files" -> ((s, table, _) => assert(rows(s, s"$table#files") == 1)),
    "path in SQL" -> ((s, table, _) => assert(s.table(s"lance.`$table`").count() == 3)),
    "statements by path" -> { (s, table, _) =>
      s.sql(s"DELETE FROM lance.`$table` WHERE id = 0")
      s.sql(s"OPTIMIZE lance.`$table`")
      s.sql(s"CALL lance.system.create_tag('$table', 't', 1)")
      assert(s.table(s"lance.`$table`").count() == 2)
    },
    "mergeInto" -> { (s, table, _) =>
      FrameMerge(s.range(2, 5), s"lance.`$table`", col(s"lance.`$table`.id") === lit(-1))
        .whenNotMatched().insertAll().merge()
      assert(rows(s, table) == 6)
    },
    "saveAsTable" -> { (s, _, _) =>
      s.range(3).write.saveAsTable("mine.a")
      assert(s.table("mine.a").count() == 3)
      assert(LanceTable.exists(Storage.local, folder.resolve("mine/a.lance").toString))
    },
    "writeTo" -> { (s, _, _) =>
      s.range(3).writeTo("mine.b").create()
      s.range(3).writeTo("mine.b").append()
      assert(s.table("mine.b").count() == 6)
    },
    "insertInto" -> { (s, _, _) =>
      s.sql("CREATE TABLE mine.c (id BIGINT) USING lance")
      s.range(3).write.insertInto("mine.c")
      assert(s.table("mine.c").count() == 3)
    },
    "catalog functions" -> { (s, _, _) =>
      s.catalog.createTable("mine.d", "lance", s.range(1).schema, Map.empty[String, String])
      assert(s.catalog.tableExists("mine.d"))
      assert(s.catalog.listTables("mine").toDF().where("name = 'd'").count() == 1)
    },
    "temporary view" -> { (s, table, _) =>
      s.sql(s"CREATE TEMP VIEW seen USING lance OPTIONS (path '$table')")
      assert(s.table("seen").count() == 3)
    },
    "tables of the session catalog" -> { (s, _, to) =>
      s.range(3).write.format("lance").option("path", to).saveAsTable("threads_t")
      try assert(s.table("threads_t").count() == 3)
      finally s.sql("DROP TABLE threads_t"): Unit
    }
  )

  private def check(entry: String, session: SparkSession, active: Option[SparkSession]): Unit = {
    val run = entries.toMap.apply(entry)
    val at = folder.resolve(java.util.UUID.randomUUID.toString)
    val (table, to) = (at.resolve("t.lance").toString, at.resolve("new.lance").toString)
    SharedSpark.session.range(0, 3, 1, 1).write.format("lance").save(table)
    withClue(s"$entry: ") {
      onFreshThread(active)(run(session, table, to))
      if (entry.startsWith("save ") || entry == "save") assert(rows(session, to) == 3)
    }
    if (session.catalog.tableExists("mine.a")) session.sql("DROP TABLE mine.a"): Unit
  }

  for ((entry, _) <- entries)
    test(
      s"$entry works first on a thread without a session, with another session, and with a clone"
    ) {
      check(entry, newSession(), None)
      Storage.local.deleteFolder(folder.resolve("mine").toString)
      check(entry, newSession(), Some(newSession()))
      Storage.local.deleteFolder(folder.resolve("mine").toString)
      val original = newSession()
      val clone = original.getClass.getMethod("cloneSession").invoke(original)
      check(entry, clone.asInstanceOf[SparkSession], None)
    }

  test("many threads save tables in many sessions concurrently") {
    val pool = Executors.newFixedThreadPool(8)
    val sessions = Seq.fill(3)(newSession())
    val paths = (0 until 24).map(i => folder.resolve(s"t$i").toString)
    try {
      val done = paths.zipWithIndex.map { case (path, i) =>
        pool.submit(new Callable[Unit] {
          override def call(): Unit = {
            SparkSession.clearActiveSession()
            sessions(i % 3).range(i + 1).write.format("lance").save(path)
          }
        })
      }
      done.foreach(_.get(120, TimeUnit.SECONDS))
      paths.zipWithIndex.foreach { case (path, i) =>
        assert(LanceTable.open(Storage.local, path).rowCount.contains(i + 1L))
      }
    } finally pool.shutdown()
  }

  test("the configuration of a session applies to its reads, regardless of the thread's session") {
    val path = folder.resolve("t.lance").toString
    val plain = newSession()
    plain.range(3).write.format("lance").save(path)
    plain.sql(s"ALTER TABLE lance.`$path` CREATE BRANCH dev")
    plain.sql(s"INSERT INTO lance.`$path`.branch_dev VALUES (7)")
    val audited = newSession()
    audited.conf.set("spark.lance.wap.branch", "dev")
    for (active <- Seq(None, Some(plain), Some(audited))) onFreshThread(active) {
      assert(rows(audited, path) >= 4)
      assert(rows(plain, path) == 3)
      audited.range(1).write.format("lance").mode("append").save(path)
    }
    assert(rows(audited, path) == 7 && rows(plain, path) == 3)
  }

  private def catalogs(s: SparkSession) = {
    s.sql("SELECT 1")
    Classic.session(s).sessionState.catalogManager
  }

  /** The catalog `mine` of a session. Spark loads it by the configuration of the thread's session.
    */
  private def mine(s: SparkSession): CatalogPlugin =
    onFreshThread(Some(s))(catalogs(s).catalog("mine"))

  test("a catalog finds its session without loading catalogs of other sessions") {
    val others = Seq.fill(4)(newSession())
    others.foreach(_.sql("SELECT 1"))
    val session = newSession()
    val catalog = mine(session).asInstanceOf[TableCatalog]
    onFreshThread(None)(assert(!catalog.tableExists(Identifier.of(Array.empty, "a"))))
    assert(catalogs(session).listCatalogs(None).contains("mine"))
    others.foreach(o => assert(!catalogs(o).listCatalogs(None).contains("mine")))
  }

  test("a catalog opens while another thread changes the current namespace") {
    val pool = Executors.newFixedThreadPool(2)
    try
      0.until(20).foreach { _ =>
        val session = newSession()
        val manager = catalogs(session)
        val catalog = mine(session).asInstanceOf[SupportsNamespaces]
        val start = new CyclicBarrier(2)
        def exists: Boolean = catalog.namespaceExists(Array("a"))
        def task(body: => Boolean): Callable[Boolean] = () => {
          SparkSession.setActiveSession(session)
          start.await(60, TimeUnit.SECONDS)
          body
        }
        // Like USE.
        val runs = Seq(task(manager.synchronized(exists)), task(exists)).map(r => pool.submit(r))
        runs.foreach(r => assert(!r.get(60, TimeUnit.SECONDS)))
      }
    finally pool.shutdownNow(): Unit
  }

  test("options of writes that create tables are kept for their paths") {
    val tables = (0 until 40).map(i => PathNames.of("/data/t", Map("key" -> i.toString)))
    tables.zipWithIndex.reverse.foreach { case (name, i) =>
      assert(name == "/data/t" && PathNames.options(name) == Map("key" -> i.toString))
    }
    assert(
      intercept[IllegalStateException](PathNames.options("/data/t")).getMessage.contains("/data/t")
    )
  }

  test("options of paths that are no longer used are forgotten") {
    (0 until 1000).foreach(i => PathNames.of(s"/data/$i", Map("key" -> "x" * 1000)))
    val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30)
    while (PathNames.size > 500 && System.nanoTime() < end) {
      System.gc()
      PathNames.of("/data/last", Map.empty): Unit
    }
    assert(PathNames.size <= 500)
  }
}

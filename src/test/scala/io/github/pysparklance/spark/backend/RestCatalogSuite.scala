// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import java.io.{PrintWriter, StringWriter}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Paths}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{AnalysisException, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.NamespaceServer.Answer
import io.github.pysparklance.testkit.{
  KeyedFileSystem,
  LogCapture,
  NamespaceServer,
  SharedSpark,
  TemporaryFolder,
  TestClock
}

/** A `LanceCatalog` with `impl=rest`: statements, credentials, and versions that the service
  * records.
  */
class RestCatalogSuite extends AnyFunSuite with TemporaryFolder {
  private def session(server: NamespaceServer, options: (String, String)*): SparkSession = {
    val s = SharedSpark.newInterpreted()
    val all = Map("impl" -> "rest", "uri" -> server.uri, "token" -> secret("catalog")) ++ options
    s.conf.set("spark.sql.catalog.r", "io.github.pysparklance.spark.LanceCatalog")
    all.foreach { case (k, v) => s.conf.set(s"spark.sql.catalog.r.$k", v) }
    s
  }

  private def secret(name: String): String = s"wJalr-$name"

  private def serving(server: NamespaceServer)(test: NamespaceServer => Any): Unit =
    try test(server): Unit
    finally server.close()

  private def rows(s: SparkSession, sql: String): Set[Row] = s.sql(sql).collect().toSet

  test("namespaces and tables") {
    serving(new NamespaceServer(folder.toString)) { server =>
      val s = session(server)
      s.sql("CREATE NAMESPACE r.a WITH PROPERTIES ('k' = 'v')")
      s.sql("CREATE NAMESPACE IF NOT EXISTS r.a")
      intercept[AnalysisException](s.sql("CREATE NAMESPACE r.a"))
      s.sql("CREATE NAMESPACE r.a.b")
      assert(rows(s, "SHOW NAMESPACES IN r.a") == Set(Row("a.b")))
      assert(s.sql("DESCRIBE NAMESPACE EXTENDED r.a").collect().mkString.contains("k"))
      val unsupported =
        intercept[AnalysisException](s.sql("ALTER NAMESPACE r.a SET PROPERTIES ('k' = 'w')"))
      assert(unsupported.getMessage.contains("no operation"))
      s.sql("CREATE TABLE r.a.b.t (id BIGINT, v STRING)")
      intercept[AnalysisException](s.sql("CREATE TABLE r.a.b.t (id BIGINT)"))
      s.sql("INSERT INTO r.a.b.t VALUES (1, 'x'), (2, 'y')")
      s.sql(
        "MERGE INTO r.a.b.t USING (SELECT * FROM VALUES (2L, 'z'), (3L, 'n') AS s(id, v)) AS u ON t.id = u.id " +
          "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
      )
      s.sql("ALTER TABLE r.a.b.t ADD COLUMN w INT")
      assert(
        rows(s, "SELECT id, v FROM r.a.b.t") == Set(Row(1L, "x"), Row(2L, "z"), Row(3L, "n"))
      )
      s.sql("CREATE OR REPLACE TABLE r.u AS SELECT 1 AS id")
      s.sql("CREATE OR REPLACE TABLE r.u AS SELECT 2 AS id")
      assert(rows(s, "SELECT * FROM r.u") == Set(Row(2)))
      s.sql("ALTER TABLE r.u RENAME TO r.a.w")
      assert(rows(s, "SHOW TABLES IN r.a").map(_.getString(1)) == Set("w"))
      intercept[AnalysisException](s.sql("DROP NAMESPACE r.a"))
      s.sql("DROP TABLE r.a.w")
      intercept[AnalysisException](s.sql("DROP TABLE r.a.w"))
      s.sql("DROP NAMESPACE r.a CASCADE")
      assert(server.locations.isEmpty && Files.list(folder).iterator.asScala.isEmpty)
      assert(server.requests.forall(_.headers("authorization") == s"Bearer ${secret("catalog")}"))
    }
  }

  test("services without operations to drop and rename tables") {
    serving(new NamespaceServer(folder.toString, hasAll = false)) { server =>
      val s = session(server)
      s.sql("CREATE TABLE r.t AS SELECT 1 AS id")
      s.sql("ALTER TABLE r.t RENAME TO u")
      assert(rows(
        s,
        "SELECT * FROM r.u"
      ) == Set(Row(1)) && server.locations.keySet == Set(Seq("u")))
      s.sql("DROP TABLE r.u")
      server.isManaged = true
      s.sql("CREATE TABLE r.v AS SELECT 1 AS id")
      s.sql("DROP TABLE r.v")
      assert(server.locations.isEmpty && Files.list(folder).iterator.asScala.isEmpty)
    }
  }

  test("a declared table is created by CREATE TABLE, and is not a table before") {
    serving(new NamespaceServer(folder.toString)) { server =>
      val s = session(server)
      s.sql("CREATE NAMESPACE r.n")
      val at = server.declare("n", "t")
      assert(rows(s, "SHOW TABLES IN r.n").isEmpty)
      intercept[AnalysisException](s.sql("SELECT * FROM r.n.t"))
      s.sql("CREATE TABLE r.n.t AS SELECT 1 AS id")
      assert(Files.isDirectory(Paths.get(at, "_versions")))
      server.declare("n", "left")
      s.sql("DROP NAMESPACE r.n CASCADE")
      assert(server.locations.isEmpty)
    }
  }

  test("a failed statement leaves no name") {
    serving(new NamespaceServer(folder.toString)) { server =>
      val s = session(server)
      intercept[Exception](s.sql("CREATE TABLE r.t AS SELECT raise_error('stop') AS id"))
      intercept[Exception](s.sql("CREATE TABLE r.t (id INTERVAL)"))
      assert(server.locations.isEmpty)
      s.sql("CREATE TABLE r.t AS SELECT 1 AS id")
      assert(rows(s, "SELECT * FROM r.t") == Set(Row(1)))
    }
  }

  test("a failed statement keeps the name of another writer") {
    serving(new NamespaceServer(folder.resolve("w").toString)) { server =>
      val s = session(server)
      val invalid = Answer.text(400, """{"code": 13, "error": "not there"}""")
      server.intercept = r =>
        if (!r.path.endsWith("/declare")) None
        else {
          server.declare("t")
          Some(invalid)
        }
      val at = folder.resolve("mine").toString
      intercept[Exception](s.sql(s"CREATE TABLE r.t LOCATION '$at' AS SELECT 1 AS id"))
      assert(server.locations.keySet == Set(Seq("t")) && !Files.exists(Paths.get(at)))
    }
  }

  test("LOCATION: new and existing tables") {
    serving(new NamespaceServer(folder.resolve("w").toString)) { server =>
      val s = session(server)
      val at = folder.resolve("elsewhere").toString
      s.sql(s"CREATE TABLE r.t (id INT) LOCATION '$at'")
      s.sql("INSERT INTO r.t VALUES (1)")
      s.sql(s"CREATE TABLE r.u LOCATION '$at'")
      assert(rows(s, "SELECT * FROM r.u") == Set(Row(1)))
      intercept[AnalysisException](s.sql(s"CREATE TABLE r.v LOCATION '$at' AS SELECT 1 AS id"))
      assert(server.locations.keySet == Set(Seq("t"), Seq("u")))
      assert(server.locations(Seq("t")) == s"file://$at")
      // A service that takes paths relative to its folder.
      val invalid = Answer.text(400, """{"code": 13, "error": "no absolute paths"}""")
      server.intercept = r =>
        if (r.body.contains("file://")) Some(invalid) else None
      val direct = folder.resolve("w/direct.lance").toString
      s.sql(s"CREATE TABLE r.d LOCATION '$direct' AS SELECT 5 AS id")
      assert(rows(s, "SELECT * FROM r.d") == Set(Row(5)))
      val far = folder.resolve("far/away.lance").toString
      val e =
        intercept[AnalysisException](s.sql(s"CREATE TABLE r.e LOCATION '$far' AS SELECT 5 AS id"))
      assert(e.getMessage.contains("no absolute paths"))
      assert(server.locations.keySet == Set(Seq("t"), Seq("u"), Seq("d")))
      assert(!Files.exists(Paths.get(far)))
    }
  }

  test("credentials of the service are used on the driver and in tasks, and are renewed") {
    TestClock.set(0)
    serving(new NamespaceServer(s"s3://bucket$folder")) { server =>
      val issued = new AtomicInteger
      def issue(): Map[String, String] = synchronized {
        val n = (TestClock.millis() / 1000000).toInt
        issued.set(n)
        KeyedFileSystem.admit(s"key$n", secret(s"s$n"), secret(s"t$n"))
        Map(
          "aws_access_key_id" -> s"key$n",
          "aws_secret_access_key" -> secret(s"s$n"),
          "aws_session_token" -> secret(s"t$n"),
          "expires_at_millis" -> ((n + 1) * 1000000L).toString
        )
      }
      server.vend = () => issue()
      val s = session(server, "impl" -> classOf[ClockedRestBackend].getName)
      KeyedFileSystem.settings.foreach { case (k, v) => s.conf.set(k, v) }
      val shown = new StringBuilder
      var errors = Seq.empty[Throwable]
      val lines = LogCapture {
        s.sql("CREATE TABLE r.t AS SELECT id, id % 3 AS g FROM range(0, 100, 1, 4)")
        val table = s.table("r.t")
        assert(table.count() == 100)
        TestClock.set(900000) // in the last quarter, but at most 5 minutes before the end
        s.sql("UPDATE r.t SET g = 7 WHERE id = 5")
        TestClock.set(1000000) // a loaded table continues with new credentials
        assert(table.where("id > 10").count() == 89 && issued.get == 1)
        TestClock.set(2000000)
        s.sql("INSERT INTO r.t SELECT id + 100, 1 FROM range(0, 100, 1, 4)")
        s.sql("OPTIMIZE r.t")
        assert(rows(s, "SELECT count(*) FROM r.t") == Set(Row(200L)))
        assert(issued.get == 2 && KeyedFileSystem.usedKeys.exists(_.startsWith("key2/")))
        for (
          sql <- Seq(
            "EXPLAIN EXTENDED SELECT g, count(*) FROM r.t WHERE id > 3 GROUP BY g",
            "EXPLAIN FORMATTED SELECT * FROM r.t ORDER BY g LIMIT 3",
            "EXPLAIN EXTENDED MERGE INTO r.t USING (SELECT * FROM range(9)) u ON t.id = u.id WHEN MATCHED THEN DELETE",
            "EXPLAIN EXTENDED INSERT INTO r.t SELECT 1L, 2L",
            "DESCRIBE EXTENDED r.t",
            "SHOW TBLPROPERTIES r.t",
            "SHOW CREATE TABLE r.t"
          )
        ) shown ++= s.sql(sql).collect().mkString("\n")
        val plan = s.table("r.t").groupBy("g").count()
        shown ++= plan.queryExecution.toString + plan.queryExecution.executedPlan.toJSON
        s.sql("INSERT INTO r.t VALUES (7L, 7L)") // rows that no cache has
        KeyedFileSystem.valid.clear()
        server.vend = () => Map.empty
        errors :+= intercept[Exception](s.table("r.t").collect())
        errors :+= intercept[Exception](s.sql("INSERT INTO r.t VALUES (1L, 2L)"))
        server.next(Seq.fill(9)(Answer.text(
          403,
          s"""{"code": 15, "error": "${secret("catalog")}"}"""
        )): _*)
        errors :+= intercept[Exception](s.table("r.t").collect())
      }
      def holds(text: String) = text.contains("wJalr")
      assert(shown.nonEmpty && !holds(shown.toString))
      assert(lines.nonEmpty && !lines.exists(l => holds(l.text)))
      errors.foreach { e =>
        val text = new StringWriter
        e.printStackTrace(new PrintWriter(text))
        assert(!holds(text.toString), e)
      }
      val files = Files.walk(folder).iterator.asScala.filter(Files.isRegularFile(_)).toSeq
      assert(files.length > 4)
      files.foreach(f => assert(!holds(new String(Files.readAllBytes(f), ISO_8859_1)), f))
    }
  }

  test("the service records the versions of tables") {
    serving(new NamespaceServer(folder.toString)) { server =>
      server.isManaged = true
      val s = session(server)
      s.sql("CREATE TABLE r.t AS SELECT 1 AS id")
      s.sql("INSERT INTO r.t VALUES (2)")
      s.sql("DELETE FROM r.t WHERE id = 1")
      assert(rows(s, "SELECT * FROM r.t") == Set(Row(2)))
      assert(rows(s, "SELECT * FROM r.t VERSION AS OF 2") == Set(Row(1), Row(2)))
      val recorded = server.requests.filter(_.path.endsWith("/version/create"))
      assert(recorded.length == 3)
      val versions = Paths.get(server.locations(Seq("t")), "_versions")
      assert(!Files.list(versions).iterator.asScala.exists(_.toString.contains(".manifest-")))
      // Another writer records the version first.
      val lost = Answer.text(409, """{"code": 14, "error": "version exists"}""")
      val answers = new AtomicInteger
      server.intercept = r =>
        if (r.path.endsWith("/version/create") && answers.getAndIncrement() == 0) Some(lost)
        else None
      s.sql("INSERT INTO r.t VALUES (3)")
      assert(rows(s, "SELECT * FROM r.t") == Set(Row(2), Row(3)))
      s.sql("DROP TABLE r.t")
      assert(server.locations.isEmpty)
    }
  }

  test("parent, delimiter, and errors that name the service") {
    serving(new NamespaceServer(folder.toString)) { server =>
      session(server).sql("CREATE NAMESPACE r.a")
      val s = session(server, "parent" -> "a", "delimiter" -> "::")
      s.sql("CREATE TABLE r.`t$1` AS SELECT 1 AS id")
      assert(server.locations.keySet == Set(Seq("a", "t$1")))
      val odd = intercept[AnalysisException](s.sql("CREATE TABLE r.`t::1` (id INT)"))
      assert(odd.getMessage.contains("delimiter"))
      val misspelled = session(server, "delimitr" -> ":")
      val e = intercept[AnalysisException](misspelled.sql("SHOW TABLES IN r"))
      assert(e.getMessage.contains("did you mean delimiter?"))
      val gone = session(server, "maxRetries" -> "0")
      server.close()
      val unreachable = intercept[AnalysisException](gone.sql("SHOW NAMESPACES IN r"))
      assert(unreachable.getMessage.contains(server.uri))
    }
  }
}

/** The REST back end with a clock that a test sets. */
class ClockedRestBackend extends RestBackend(TestClock)

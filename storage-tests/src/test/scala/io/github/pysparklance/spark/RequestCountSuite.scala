// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark

import java.nio.file.{Files, Paths}

import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{MotoServer, Pylance, PylanceError, S3Request, S3Tables}

/** Counts the requests of operations on S3, with Hadoop's client and with pylance.
  * `docs/storage.md` has the table; `UPDATE_DOCS=1` in the environment writes it.
  *
  * Caches are empty before each operation. pylance opens the table in each, too.
  */
class RequestCountSuite extends AnyFunSuite with S3Tables {
  import RequestCountSuite._

  private lazy val counts: Seq[Counted] = {
    create("t")
    val ours = operations.map { o =>
      o.prepare()
      forget()
      proxy.reset()
      val found = o.run()
      val made = proxy.requests
      o.check(found)
      Counted(o.name, made, None)
    }
    theirRun(
      """for i in range(fragments):
        |    lance.write_dataset(rows(i * n, n), path, mode='append' if i else 'create', storage_options=options)
        |""".stripMargin
    )
    ours.map(c => c.copy(theirs = theirs(c.name)))
  }

  private def theirPath: String = path("pylance").replace("s3a:", "s3:")

  private def arguments: Seq[(String, Any)] = Seq(
    "path" -> theirPath,
    "options" -> (MotoServer.storageOptions + ("aws_endpoint" -> proxy.endpoint)),
    "n" -> numRows,
    "fragments" -> numFragments
  )

  private def theirRun(code: String): Unit =
    try Pylance.run(prelude + code + "\nresult = None", arguments: _*): Unit
    catch { case e: PylanceError => fail(code, e) }

  /** Runs the operation with pylance, if it has it. */
  private def theirs(name: String): Option[Seq[S3Request]] = pylance.get(name).map { o =>
    o.prepare.foreach(p => theirRun(opened + p))
    proxy.reset()
    theirRun(opened + o.run)
    proxy.requests
  }

  private def operations: Seq[Operation] = Seq(
    Operation("open the table", () => LanceTable.open(store, path("t")).version)(_ == numFragments),
    Operation(
      "plan a scan",
      () => load("t").queryExecution.toRdd.getNumPartitions
    )(n => n == 1 || n == 2),
    Operation(
      s"scan 1 of 5 columns, $numFragments fragments",
      () => load("t").selectExpr("sum(value)").head().getLong(0)
    )(_ == total * (total - 1) / 2 * 10),
    Operation(
      s"scan 3 of 5 columns, $numFragments fragments",
      () => load("t").selectExpr("sum(id)", "sum(value)", "max(text)").head().getLong(0)
    )(_ == total * (total - 1) / 2),
    Operation(
      "take 10 rows of 1 fragment, all columns",
      () =>
        load("t").where((0 until 10).map(_ * 90).mkString("_rowid IN (", ",", ")")).collect().length
    )(_ == 10),
    Operation(
      s"take 100 rows of $numFragments fragments, 1 column",
      () => load("t").where(spread(100)).select("value").collect().length
    )(_ == 100),
    Operation(
      "scan 1 of 5 columns, 16 fragments",
      () => load("t16").selectExpr("sum(value)").head().getLong(0),
      () => create("t16", 16)
    )(_ == 16 * numRows * (16L * numRows - 1) / 2 * 10),
    Operation("append a fragment", () => append("t"))(_ => true),
    Operation("MERGE that updates 3 rows", () => merge("t"))(_ => true),
    Operation(
      "UPDATE of a row",
      () => statement("t", "UPDATE {t} SET value = value WHERE id = 20").length
    )(_ => true),
    Operation(
      "DELETE of a row",
      () => statement("t", "DELETE FROM {t} WHERE id = 1000009").length
    )(_ => true),
    Operation(
      "changes of the last version",
      () =>
        spark.sql(
          s"SELECT * FROM lance_changes('${path("t")}', ${LanceTable.open(store, path("t")).version})"
        ).collect().length
    )(_ == 1),
    Operation(
      "compaction of all fragments",
      () => statement("t", "OPTIMIZE {t}").length
    )(_ == 1),
    Operation(
      "indexed lookup of a row",
      () => load("t").where("id = 77").collect().length,
      () => statement("t", "CREATE INDEX by_id ON {t} USING btree (id)"): Unit
    )(_ == 1),
    Operation(
      "vector query, 5 rows, id column",
      () =>
        spark.sql(
          s"SELECT id, _distance FROM vector_search('${path("t")}', array(7F, 7F, 0F, 1F), 5, nprobes => 1)"
        ).collect().length,
      () =>
        statement(
          "t",
          "CREATE INDEX near ON {t} USING ivf_flat (vec) OPTIONS (num_partitions = 4)"
        ): Unit
    )(_ == 5),
    Operation(
      "VACUUM of all old versions",
      () => statement("t", "VACUUM {t} WITH (retain_versions = 1)").length
    )(_ == 1)
  )

  /** A condition on row addresses that are spread over all fragments. */
  private def spread(rows: Int): String = (0 until rows).map { i =>
    (i % numFragments).toLong << 32 | i * 9L
  }.mkString("_rowid IN (", ",", ")")

  private def total: Long = numRows.toLong * numFragments

  test("operations need as many requests as docs/storage.md has") {
    val file = Paths.get("docs/storage.md")
    val page = Files.readString(file)
    val begin = "<!-- requests, generated by RequestCountSuite -->\n"
    val end = "<!-- end of requests -->\n"
    val from = page.indexOf(begin) + begin.length
    val until = page.indexOf(end)
    assert(from >= begin.length && until >= from, s"$file has no place for the table")
    val made = page.substring(0, from) + table(counts) + page.substring(until)
    if (sys.env.get("UPDATE_DOCS").contains("1")) Files.writeString(file, made): Unit
    else // The last column differs between releases of pylance.
      assert(ofOurs(page) == ofOurs(made), s"$file is stale: run this suite with UPDATE_DOCS=1")
  }

  /** Returns a page without the last column of its tables. */
  private def ofOurs(page: String): String =
    page.linesIterator.map(_.replaceFirst("\\|[^|]*\\|$", "|")).mkString("\n")

  test("opening and planning read manifests only, and Spark loads a table at most twice") {
    for ((name, most) <- Seq("open the table" -> 1, "plan a scan" -> 2)) {
      val made = counts.find(_.name == name).get.ours
      val manifests = made.count(r => r.kind == "GET" && r.key.endsWith(".manifest"))
      assert(manifests >= 1 && manifests <= most, made)
      assert(!made.exists(_.key.contains("/data/")), made)
    }
  }

  test("a compaction and a MERGE read each data file a bounded number of times") {
    for (name <- Seq("MERGE that updates 3 rows", "compaction of all fragments")) {
      val reads = counts.find(_.name == name).get.ours.filter(r =>
        r.kind == "GET" && r.key.contains("/data/")
      )
      val most = reads.groupBy(_.key).values.map(_.length).max
      assert(most <= 12, reads)
    }
  }
}

private object RequestCountSuite {

  /** An operation.
    *
    * @param prepare runs before it, uncounted
    * @param check whether its result is right
    */
  final class Operation(
      val name: String,
      val run: () => Any,
      val prepare: () => Unit,
      val check: Any => Unit
  )

  object Operation {
    def apply[A](name: String, run: () => A, prepare: () => Unit = () => ())(
        isRight: A => Boolean
    ): Operation = new Operation(
      name,
      run,
      prepare,
      found => assert(Try(isRight(found.asInstanceOf[A])).getOrElse(false), s"$name: $found")
    )
  }

  /** Requests of an operation.
    *
    * @param theirs requests of pylance; `None` where it has no such operation
    */
  final case class Counted(name: String, ours: Seq[S3Request], theirs: Option[Seq[S3Request]])

  private val kinds = Seq("LIST", "HEAD", "GET", "PUT", "DELETE")

  def table(counts: Seq[Counted]): String = {
    val head = s"| operation | ${kinds.mkString(" | ")} | all | pylance |\n" +
      s"|---|${"--:|" * (kinds.length + 2)}\n"
    head + counts.map { c =>
      val numbers = kinds.map(k => c.ours.count(_.kind == k).toString)
      val theirs = c.theirs.fold("")(_.length.toString)
      s"| ${c.name} | ${numbers.mkString(" | ")} | ${c.ours.length} | $theirs |\n"
    }.mkString
  }

  /** An operation in pylance.
    *
    * @param prepare runs before it, uncounted
    */
  final case class Theirs(run: String, prepare: Option[String] = None)

  /** Defines the rows of [[S3Tables]]. */
  val prelude: String =
    """def rows(first, number):
      |    ids = list(range(first, first + number))
      |    numbers = [x for i in ids for x in (i, i % 10, 0, 1)]
      |    return pa.table({
      |        'id': pa.array(ids, pa.int64()), 'value': pa.array([i * 10 for i in ids], pa.int64()),
      |        'text': [f'text {i}' for i in ids], 'kind': pa.array([i % 7 for i in ids], pa.int64()),
      |        'vec': pa.FixedSizeListArray.from_arrays(pa.array(numbers, pa.float32()), 4)})
      |""".stripMargin

  val opened: String =
    "table = lance.dataset(path, storage_options=options, session=lance.Session())\n"

  /** The operations in pylance. */
  val pylance: Map[String, Theirs] = Map(
    "open the table" -> Theirs(""),
    "scan 1 of 5 columns, 4 fragments" -> Theirs("table.to_table(columns=['value'])"),
    "scan 3 of 5 columns, 4 fragments" -> Theirs("table.to_table(columns=['id', 'value', 'text'])"),
    "take 10 rows of 1 fragment, all columns" -> Theirs("table.take([i * 90 for i in range(10)])"),
    "take 100 rows of 4 fragments, 1 column" ->
      Theirs("table.take([i % 4 * n + i * 9 for i in range(100)], columns=['value'])"),
    "scan 1 of 5 columns, 16 fragments" -> Theirs(
      "lance.dataset(path + '16', storage_options=options).to_table(columns=['value'])",
      Some(
        """for i in range(16):
          |    mode = 'append' if i else 'create'
          |    lance.write_dataset(rows(i * n, n), path + '16', mode=mode, storage_options=options)
          |""".stripMargin
      )
    ),
    "UPDATE of a row" -> Theirs("table.update({'value': 'value'}, where='id = 20')"),
    "DELETE of a row" -> Theirs("table.delete('id = 1000009')"),
    "append a fragment" -> Theirs("lance.write_dataset(rows(1000000, 10), table, mode='append')"),
    "MERGE that updates 3 rows" ->
      Theirs("table.merge_insert('id').when_matched_update_all().execute(rows(5, 3))"),
    "compaction of all fragments" -> Theirs("table.optimize.compact_files()"),
    "indexed lookup of a row" -> Theirs(
      "assert table.to_table(filter='id = 77').num_rows == 1",
      Some("table.create_scalar_index('id', 'BTREE')")
    ),
    "vector query, 5 rows, id column" -> Theirs(
      "nearest = {'column': 'vec', 'q': [7, 7, 0, 1], 'k': 5, 'nprobes': 1}\n" +
        "assert table.to_table(columns=['id'], nearest=nearest).num_rows == 5",
      Some("table.create_index('vec', 'IVF_FLAT', num_partitions=4)")
    ),
    "VACUUM of all old versions" -> Theirs("table.cleanup_old_versions(retain_versions=1)")
  )
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

/** The reference implementation at hand in Scala tests: one Python process with pylance for all suites of a run.
  *
  * {{{
  *   Pylance.write("[{'id': i} for i in range(10)]", path, "max_rows_per_file" -> 5)
  *   val n = Pylance.run("result = dataset(path).delete('id < 3')", "path" -> path)
  *   assert(Pylance.rows(path).map(_.get("id").asInt) == (3 until 10))
  * }}}
  * Snippets find what `python/tests/kit/pylance_worker.py` has, `lance`, `pa` and the arguments as names. Inside one
  * process pylance caches data by path and version: open tables with `dataset(path)`, which clears the cache, and never
  * create a table again at a path.
  *
  * The interpreter is the one that `PYSPARK_LANCE_PYTHON` names, else the repository's `.venv`; without it tests are
  * canceled.
  */
object Pylance {
  private var worker = Option.empty[PylanceWorker]

  /** Runs a snippet, one at a time.
    *
    * @param code Python that leaves its result in `result`; indentation that all lines share does not count
    * @param arguments texts, numbers, booleans, JSON, and options, sequences and maps of them
    * @return the result; bytes in base64, times as ISO 8601 has them
    * @throws PylanceError when it raises an exception
    */
  def run(code: String, arguments: (String, Any)*): JsonNode = synchronized {
    if (!worker.exists(_.isAlive)) {
      worker = Some(PylanceWorker.start())
      sys.addShutdownHook(worker.foreach(_.close())): Unit
    }
    worker.get.run(code, arguments: _*)
  }

  /** Writes a table.
    *
    * @param rows Python that gives a table of Arrow, a dict of columns or a list of dicts
    * @param options arguments of `lance.write_dataset`
    */
  def write(rows: String, path: String, options: (String, Any)*): Unit =
    run(s"write($rows, path, **options)", "path" -> path, "options" -> options.toMap): Unit

  /** The rows in scan order, each an object. */
  def rows(
      path: String,
      version: Option[Long] = None,
      columns: Option[Seq[String]] = None,
      branch: Option[String] = None
  ): IndexedSeq[JsonNode] = items(
    "rows(path, version, columns, branch)",
    path,
    version,
    branch,
    "columns" -> columns
  )

  /** The versions, ascending, each with `version`, `timestamp`, `rows` and `fragments`. */
  def versions(path: String, branch: Option[String] = None): IndexedSeq[JsonNode] =
    items("versions(path, branch)", path, None, branch)

  /** The fragments as the manifest has them, with `files`, `deletion_file`, `physical_rows`, and besides `deleted` (the
    * offsets), `row_ids` and `rows` (of those that are not).
    */
  def fragments(
      path: String,
      version: Option[Long] = None,
      branch: Option[String] = None
  ): IndexedSeq[JsonNode] = items("fragments(path, version, branch)", path, version, branch)

  /** The fields of the schema at every depth, parents first, with `name`, `id`, `parent`, `type`, `nullable` and
    * `metadata`.
    */
  def schema(
      path: String,
      version: Option[Long] = None,
      branch: Option[String] = None
  ): IndexedSeq[JsonNode] = items("schema(path, version, branch)", path, version, branch)

  /** The tags by name. */
  def tags(path: String): JsonNode = run("result = tags(path)", "path" -> path)

  /** The branches by name. */
  def branches(path: String): JsonNode = run("result = branches(path)", "path" -> path)

  /** Lets pylance check a version and read every row of it.
    *
    * @return the number of rows
    * @throws PylanceError when it finds anything wrong
    */
  def validate(
      path: String,
      version: Option[Long] = None,
      branch: Option[String] = None
  ): Long =
    run(
      "result = validate(path, version, branch)",
      "path" -> path,
      "version" -> version,
      "branch" -> branch
    ).asLong

  private def items(
      call: String,
      path: String,
      version: Option[Long],
      branch: Option[String],
      more: (String, Any)*
  ): IndexedSeq[JsonNode] = {
    val arguments = Seq("path" -> path, "version" -> version, "branch" -> branch) ++ more
    run(s"result = $call", arguments: _*).elements.asScala.toIndexedSeq
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

/** The reference implementation for Scala tests: a Python process with pylance that all suites of a
  * run share.
  *
  * {{{
  *   Pylance.write("[{'id': i} for i in range(10)]", path, "max_rows_per_file" -> 5)
  *   val n = Pylance.run("result = dataset(path).delete('id < 3')", "path" -> path)
  *   assert(Pylance.rows(path).map(_.get("id").asInt) == (3 until 10))
  * }}}
  * Snippets can use the names in `python/tests/kit/pylance_worker.py`, `lance`, `pa`, and the
  * arguments. In a process, pylance caches data by path and version. Open tables with
  * `dataset(path)`, which clears the cache, and never recreate a table at a path.
  *
  * The interpreter is `PYSPARK_LANCE_PYTHON`, by default the repository's `.venv`. Without it,
  * tests are canceled.
  */
object Pylance {
  private var worker = Option.empty[PylanceWorker]

  /** Runs a snippet, one at a time.
    *
    * @param code Python code that stores its result in `result`; common indentation is removed
    * @param arguments strings, numbers, booleans, JSON, and options, sequences, and maps of these
    * @return the result; bytes in base64, times in ISO 8601
    * @throws PylanceError if it raises an exception
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
    * @param rows Python expression of an Arrow table, a dict of columns, or a list of dicts
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

  /** The versions in ascending order, each with `version`, `timestamp`, `rows`, and `fragments`. */
  def versions(path: String, branch: Option[String] = None): IndexedSeq[JsonNode] =
    items("versions(path, branch)", path, None, branch)

  /** The fragments of the manifest, each with `files`, `deletion_file`, and `physical_rows`. The
    * offsets of deleted rows are in `deleted`, the ids and values of other rows in `row_ids` and
    * `rows`.
    */
  def fragments(
      path: String,
      version: Option[Long] = None,
      branch: Option[String] = None
  ): IndexedSeq[JsonNode] = items("fragments(path, version, branch)", path, version, branch)

  /** The fields of the schema at every depth, parents first, with `name`, `id`, `parent`, `type`,
    * `nullable`, and `metadata`.
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

  /** Validates a version with pylance, and reads every row.
    *
    * @return the number of rows
    * @throws PylanceError if the version is invalid
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

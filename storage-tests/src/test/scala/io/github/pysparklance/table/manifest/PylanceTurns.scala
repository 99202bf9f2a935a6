// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import scala.util.Using

import org.scalatest.{Assertion, Assertions}

import io.github.pysparklance.core.{Field, LeafColumn, LogicalType, LongValues, RowRange, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.cloning.ShallowClone
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan}
import io.github.pysparklance.table.transaction.CommitOptions
import io.github.pysparklance.table.{FragmentWriter, LanceTable}
import io.github.pysparklance.testkit.{ColumnRows, MotoServer, Pylance, PylanceWorker}

/** Commits of pylance and of this connector to one table on remote storage. */
private object PylanceTurns extends Assertions {
  private val patient = CommitOptions(maxRetries = 200, timeoutMillis = 120000)

  private val append =
    """
      for i in range(first, first + n):
          lance.write_dataset(pa.table({'id': [i], 'value': [i]}), path, mode='append',
                              storage_options=options, session=lance.Session())
      result = lance.dataset(path, storage_options=options, session=lance.Session()).version
    """

  /** @param path path of the table for this connector
    * @param theirs path of the table for pylance
    */
  def apply(store: FileStore, path: String, theirs: String): Assertion = {
    val fragment = write(store, path, 1, 2)
    LanceTable.create(store, path, schema, IndexedSeq(fragment))
    assert(run(append, theirs, "first" -> 3, "n" -> 1).asLong == 2)
    val ours = LanceTable.open(store, path)
    assert(ours.version == 2)
    assert(ours.append(IndexedSeq(write(store, path, 4))).version == 3)
    assert(ids(store, path) == Set(1L, 2L, 3L, 4L) && theirIds(theirs) == Set(1L, 2L, 3L, 4L))
    meet(store, path, theirs)
  }

  /** Branches and clones of both writers, which reference files of the table by base paths.
    *
    * @param clone path of the clone for this connector
    */
  def branches(store: FileStore, path: String, theirs: String, clone: String): Assertion = {
    LanceTable.create(store, path, schema, IndexedSeq(write(store, path, 1, 2)))
    run(s"$open.create_branch('theirs'); result = None", theirs)
    val branch = LanceTable.open(store, path, Revision.OnBranch("theirs", None))
    branch.append(IndexedSeq(write(store, branch.path, 3)))
    assert(ids(store, LanceTable.open(store, path, Revision.OnBranch("theirs", None))) ==
      Set(1L, 2L, 3L))
    assert(theirIds(theirs, ".checkout_version(('theirs', None))") == Set(1L, 2L, 3L))

    LanceTable.branches(store, path).create("ours")
    assert(theirIds(theirs, ".checkout_version(('ours', None))") == Set(1L, 2L))

    val cloned = new ShallowClone(branch)(clone)
    assert(ids(store, cloned) == Set(1L, 2L))
    assert(theirIds(clone.replace("s3a:", "s3:")) == Set(1L, 2L))
  }

  private val open =
    "lance.dataset(path, storage_options=options, session=lance.Session())"

  private def meet(store: FileStore, path: String, theirs: String): Assertion = {
    val n = 3
    val python = PylanceWorker.start()
    try {
      val other = new Thread(() =>
        python.run(append, arguments(theirs) ++ Seq("first" -> 100, "n" -> n): _*): Unit
      )
      other.start()
      (200L until 200L + n).foreach { i =>
        val added = write(store, path, i)
        LanceTable.open(store, path).append(IndexedSeq(added), options = patient)
      }
      other.join(120000)
    } finally python.close()
    val expected = Set(1L, 2L, 3L, 4L) ++ (100L until 100L + n) ++ (200L until 200L + n)
    assert(ids(store, path) == expected && theirIds(theirs) == expected)
    assert(LanceTable.versions(store, path) == (1L to 3L + 2 * n))
  }

  private val schema = Schema(
    IndexedSeq("id", "value").map(Field(-1, _, LogicalType.parse("int64"), nullable = true))
  ).withFreshIds

  /** Writes a data file that no version references yet. */
  private def write(store: FileStore, path: String, values: Long*): Fragment = {
    val column = new LongValues
    values.foreach(column.append)
    val out = FragmentWriter.open(store, path, schema, FileVersion.default)
    out.write(IndexedSeq.fill(2)(LeafColumn(column, null)), values.length)
    out.finish()
  }

  private def ids(store: FileStore, path: String): Set[Any] =
    ids(store, LanceTable.open(store, path))

  private def ids(store: FileStore, table: LanceTable): Set[Any] = {
    val found = Set.newBuilder[Any]
    table.fragments.indices.foreach { i =>
      val all = RowRange(0, table.physicalRows(table.fragments(i)))
      val scan =
        FragmentScan(table, i, all, None, FragmentScan.defaultGapRows, IndexedSeq.empty)
      Using.resource(
        FragmentReader.open(store, scan, schema.fields, IndexedSeq.empty, batchRows = 64)
      ) { r =>
        while (r.next()) found ++= (0 until r.numRows).map(ColumnRows(r.columns(0))(_))
      }
    }
    found.result()
  }

  private def theirIds(path: String, at: String = ""): Set[Any] = {
    val answer = run(s"result = $open$at.to_table()['id'].to_pylist()", path)
    (0 until answer.size).map(answer.get(_).asLong).toSet
  }

  private def arguments(path: String): Seq[(String, Any)] =
    Seq("path" -> path, "options" -> MotoServer.storageOptions)

  private def run(code: String, path: String, more: (String, Any)*) =
    Pylance.run(code, arguments(path) ++ more: _*)
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.scan.FragmentScan
import io.github.pysparklance.testkit.IndexCoverage._
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder}

class ColumnUpdateSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local

  /** Two fragments of five rows, `a` 0 to 9, `b` as text, `l` lists; rows 1 and 8 deleted. */
  private def source(name: String, options: (String, Any)*): String = {
    val path = folder.resolve(name).toString
    Pylance.write(
      """pa.table({
        |  'a': pa.array(range(10), pa.int32()),
        |  'b': pa.array([str(i) for i in range(10)]),
        |  'l': pa.array([[i] * (i % 3) for i in range(10)], pa.list_(pa.int8())),
        |})""".stripMargin,
      path,
      Seq("max_rows_per_file" -> 5) ++ options: _*
    )
    Pylance.run("dataset(path).delete('a in (1, 8)'); result = 0", "path" -> path)
    path
  }

  private def texts(values: String*): Column = {
    val v = new BinaryValues
    val validity = new Validity
    values.foreach { s =>
      validity.append(s != null)
      val bytes = if (s == null) Array.emptyByteArray else s.getBytes("UTF-8")
      v.append(bytes, 0, bytes.length)
    }
    LeafColumn(v, validity)
  }

  private def lists(lengths: Int*): Column = {
    val items = new ByteValues
    lengths.foreach(n => (0 until n).foreach(_ => items.append(99)))
    ListColumn(lengths.length, lengths.scanLeft(0)(_ + _).toArray, LeafColumn(items, null), null)
  }

  private def written(task: ColumnTask, offsets: Seq[Long], columns: Column*): NewColumns = {
    val w = task.open(store)
    w.write(offsets.toArray, columns.toIndexedSeq)
    w.finish()
  }

  private def column(path: String, name: String): Seq[String] =
    Pylance.rows(path).map(_.get(name)).map(v => if (v.isNull) null else v.asText)

  test("some rows get new values in place, others are unchanged") {
    Seq("legacy", "2.0", "2.1", "2.2").foreach { v =>
      val path = source(s"some-$v", "data_storage_version" -> v)
      val t = LanceTable.open(store, path)
      val update = ColumnUpdate.plan(t, Seq("b"))
      val files = Seq(
        written(update.tasks(0), Seq(0L, 3L), texts("x", null)),
        update.tasks(1).run(store) // no new value, so skipped
      )
      val committed = update.commit(files)
      assert(committed.fragments(1).files == t.fragments(1).files, v)
      assert(committed.fragments(0).files.length == 2)
      assert(committed.fragments(0).files.head.fields.contains(-2))
      assert(Pylance.validate(path) == 8)
      assert(column(path, "b") == Seq("x", "2", null, "4", "5", "6", "7", "9"), v)
      assert(column(path, "a") == Seq(0, 2, 3, 4, 5, 6, 7, 9).map(_.toString))

      // Again, with a column that was already replaced, lists, and all rows of a fragment.
      val second = ColumnUpdate.plan(committed, Seq("l", "b"), Some(Set(0L)))
      assert(second.fields.map(_.name) == Seq("b", "l") && second.tasks.length == 1)
      val file = written(second.tasks.head, Seq(4L), texts("y"), lists(3))
      val last = second.commit(Seq(file))
      assert(column(path, "b") == Seq("x", "2", null, "y", "5", "6", "7", "9"), v)
      assert(Pylance.rows(path).map(_.get("l").size) == Seq(0, 2, 0, 3, 2, 0, 1, 0), v)
      // The file of the first update has no live column anymore.
      assert(last.fragments(0).files.length == 2)
      assert(Pylance.validate(path) == 8)
    }
  }

  test("updating all columns leaves no old file") {
    val path = source("all")
    val t = LanceTable.open(store, path)
    val update = ColumnUpdate.plan(t, Seq("a", "b", "l"), Some(Set(1L)))
    val ints = new IntValues
    ints.append(50)
    val file = written(update.tasks.head, Seq(0L), LeafColumn(ints, null), texts("z"), lists(1))
    val committed = update.commit(Seq(file))
    assert(committed.fragments(1).files.map(_.path) == Seq(file.file.path))
    assert(column(path, "a") == Seq(0, 2, 3, 4, 50, 6, 7, 9).map(_.toString))
    assert(Pylance.validate(path) == 8)
  }

  test("only updated rows are marked as updated") {
    val path = source("stable", "enable_stable_row_ids" -> true)
    val t = LanceTable.open(store, path)
    val update = ColumnUpdate.plan(t, Seq("b"))
    val files = Seq(
      written(update.tasks(0), Seq(2L, 3L), texts("x", "y")),
      written(update.tasks(1), Seq(4L), texts("z"))
    )
    update.commit(files)
    val lineage = Pylance.run(
      """
      |names = ['a', '_rowid', '_row_created_at_version', '_row_last_updated_at_version']
      |result = dataset(path).scanner(columns=names).to_table().to_pylist()
      """.stripMargin,
      "path" -> path
    ).elements.asScala.toSeq
    assert(lineage.map(_.get("_rowid").asInt) == Seq(0, 2, 3, 4, 5, 6, 7, 9))
    assert(lineage.map(_.get("_row_created_at_version").asInt).distinct == Seq(1))
    assert(lineage.map(_.get("_row_last_updated_at_version").asInt) == Seq(1, 3, 3, 1, 1, 1, 1, 3))
  }

  test("indices on the column no longer cover the fragments") {
    val path = source("indexed")
    Pylance.run(
      "ds = dataset(path); ds.create_scalar_index('b', 'BTREE'); ds.create_scalar_index('a', 'BTREE'); result = 0",
      "path" -> path
    )
    val t = LanceTable.open(store, path)
    val update = ColumnUpdate.plan(t, Seq("b"), Some(Set(0L)))
    val committed = update.commit(Seq(written(update.tasks.head, Seq(0L), texts("x"))))
    val covered = committed.indices.map(i => i.name -> i.coveredFragments.get).toMap
    assert(covered == Map("b_idx" -> Seq(1L), "a_idx" -> Seq(0L, 1L)))
    def found(filter: String) = Pylance.run(
      "result = dataset(path).to_table(filter=filter).num_rows",
      "path" -> path,
      "filter" -> filter
    ).asInt
    assert(found("b = 'x'") == 1 && found("b = '0'") == 0 && found("b = '9'") == 1)
  }

  test("whole columns are replaced") {
    Seq("2.0", "2.1", "2.2").foreach { v =>
      val path = source(s"replaced-$v", "data_storage_version" -> v)
      val t = LanceTable.open(store, path)
      val update = ColumnUpdate.replace(t, Seq("b"))
      val files = Seq(
        written(update.tasks(0), Seq(0L, 2L, 3L, 4L), texts("p", "q", null, "r")),
        update.tasks(1).run(store)
      )
      update.commit(files)
      assert(Pylance.validate(path) == 8)
      assert(column(path, "b") == Seq("p", "q", null, "r", null, null, null, null), v)
      // The second time, the file is replaced.
      val again = ColumnUpdate.replace(LanceTable.open(store, path), Seq("b"), Some(Set(1L)))
      val last = again.commit(Seq(written(again.tasks.head, Seq(0L), texts("s"))))
      assert(last.fragments(1).files.length == 2)
      assert(column(path, "b") == Seq("p", "q", null, "r", "s", null, null, null), v)
    }
    val old = source("replaced-legacy", "data_storage_version" -> "legacy")
    val e = intercept[InvalidRequestException] {
      ColumnUpdate.replace(LanceTable.open(store, old), Seq("b"))
    }
    assert(e.getMessage.contains("0.1"))
  }

  test("updates of columns beside blobs, and of blobs") {
    val path = folder.resolve("blobs").toString
    Pylance.write(
      """pa.table([
        |  pa.array(range(4), pa.int32()),
        |  pa.array(['p', 'q', 'r', 's']),
        |  lance.blob_array([b'a', b'bb' * 20, None, b'c' * 300]),
        |], schema=pa.schema([
        |  pa.field('a', pa.int32()),
        |  pa.field('b', pa.string()),
        |  lance.blob_field('x', inline_size_threshold=8, dedicated_size_threshold=100),
        |]))""".stripMargin,
      path,
      "data_storage_version" -> "2.2"
    )
    Pylance.run("dataset(path).delete('a = 0'); result = 0", "path" -> path)
    def blobs = Pylance.run(
      """
      |ds = dataset(path)
      |result = [len(b.readall()) if b is not None else -1 for b in ds.take_blobs('x', indices=[0, 2])]
      """.stripMargin,
      "path" -> path
    ).elements.asScala.map(_.asInt).toSeq
    val t = LanceTable.open(store, path)
    val beside = ColumnUpdate.plan(t, Seq("b"))
    val next = beside.commit(Seq(written(beside.tasks.head, Seq(1L), texts("z"))))
    assert(blobs == Seq(40, 300))
    val among = ColumnUpdate.plan(next, Seq("x"))
    val last = among.commit(Seq(written(among.tasks.head, Seq(3L), texts("w" * 50))))
    assert(blobs == Seq(40, 50))
    assert(last.fragments.head.files.length == 3 && column(path, "b") == Seq("z", "r", "s"))
  }

  test("unchanged long values are collected a few at a time") {
    val path = folder.resolve("long").toString
    Pylance.write(
      """pa.table({
        |  'a': pa.array(range(100), pa.int32()),
        |  'b': pa.array([__import__('random').Random(i).randbytes(50000).hex() for i in range(100)]),
        |})""".stripMargin,
      path
    )
    val t = LanceTable.open(store, path)
    val fields = IndexedSeq(t.schema.field("b").get)
    val scan = FragmentScan(t, 0, RowRange(0, 100), None, 0, IndexedSeq.empty)
    Using.resource(new StoredRows(store, scan, fields, fields)) { rows =>
      val appended = rows.append(4096)
      assert(appended >= 1 && appended <= 10 && rows.buffers.head.numRows == appended)
      assert(rows.buffers.head.sizeInBytes >= appended * 100000L)
    }
    val before = column(path, "b")
    val update = ColumnUpdate.plan(t, Seq("b"))
    update.commit(Seq(written(update.tasks.head, Seq(70L), texts("new"))))
    assert(column(path, "b") == before.updated(70, "new"))
  }

  test("before and after column updates of pylance") {
    val path = source("both")
    val byPylance =
      """
      |ds = dataset(path)
      |new = pa.table({'k': pa.array(keys, pa.int32()), 'b': values})
      |f, fields = ds.get_fragments()[0].update_columns(new, 'a', 'k')
      |op = lance.LanceOperation.Update(updated_fragments=[f], fields_modified=fields, update_mode='rewrite_columns')
      |result = lance.LanceDataset.commit(path, op, read_version=ds.version).version
      """.stripMargin
    Pylance.run(byPylance, "path" -> path, "keys" -> Seq(0, 4), "values" -> Seq("p0", "p4"))
    val t = LanceTable.open(store, path)
    val update = ColumnUpdate.plan(t, Seq("b"), Some(Set(0L)))
    update.commit(Seq(written(update.tasks.head, Seq(2L), texts("o2"))))
    assert(column(path, "b") == Seq("p0", "o2", "3", "p4", "5", "6", "7", "9"))
    Pylance.run(byPylance, "path" -> path, "keys" -> Seq(2, 3), "values" -> Seq("p2", "p3"))
    assert(column(path, "b") == Seq("p0", "p2", "p3", "p4", "5", "6", "7", "9"))
    assert(Pylance.validate(path) == 8)
  }

  test("concurrent deletion of other rows is compatible") {
    val path = source("deleted")
    val t = LanceTable.open(store, path)
    val update = ColumnUpdate.plan(t, Seq("b"))
    val file = written(update.tasks(0), Seq(0L), texts("x"))
    t.delete(Map(0L -> DeletionVector.of(Array(4))), "a = 4")
    update.commit(Seq(file))
    assert(column(path, "b") == Seq("x", "2", "3", "5", "6", "7", "9"))

    val latest = LanceTable.open(store, path)
    val late = ColumnUpdate.plan(latest, Seq("b"))
    val lost = written(late.tasks(0), Seq(2L), texts("y"))
    latest.delete(Map(0L -> DeletionVector.of(Array(2))), "a = 2")
    assert(intercept[CommitConflictException](late.commit(Seq(lost))).retryable)

    // A column of the same fragment that another writer changed.
    val base = LanceTable.open(store, path)
    val (one, two) = (ColumnUpdate.plan(base, Seq("b")), ColumnUpdate.plan(base, Seq("b")))
    val mine = written(two.tasks(1), Seq(0L), texts("mine"))
    one.commit(Seq(written(one.tasks(1), Seq(1L), texts("theirs"))))
    assert(intercept[CommitConflictException](two.commit(Seq(mine))).retryable)
    assert(column(path, "b") == Seq("x", "3", "5", "theirs", "7", "9"))
    assert(Pylance.validate(path) == 6)
  }

  test("missing columns and fragments") {
    val t = LanceTable.open(store, source("missing"))
    def fails(word: String)(f: => Any): Assertion = {
      val e = intercept[InvalidRequestException](f)
      assert(e.getMessage.contains(word) && e.getMessage.contains(t.path))
    }
    fails("no column \"z\"")(ColumnUpdate.plan(t, Seq("z")))
    fails("no columns")(ColumnUpdate.plan(t, Nil))
    fails("no fragment 7")(ColumnUpdate.plan(t, Seq("b"), Some(Set(7L))))
    val update = ColumnUpdate.plan(t, Seq("b"), Some(Set(0L)))
    assert(update.commit(Nil) eq t)
  }
}

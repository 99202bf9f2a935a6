// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import java.io.{
  ByteArrayInputStream,
  ByteArrayOutputStream,
  ObjectInputStream,
  ObjectOutputStream
}
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.metadata.MetadataChanges
import io.github.pysparklance.table.schema.SchemaChange._
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}
import io.github.pysparklance.table.transaction.operation.UpdateMap
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder}

class SchemaUpdateSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local
  private val versions = Seq("2.0", "2.1", "2.2")

  private def at(path: String): FieldPath = FieldPath.parse(path)
  private def leaf(name: String, t: String, nullable: Boolean = true): Field =
    Field(-1, name, LogicalType.parse(t), nullable)

  /** Two fragments of five rows, `a` 0 to 9, `s` with two members, `l` lists of numbers; rows 1, 2
    * and 8 deleted.
    */
  private def source(name: String, version: String, options: (String, Any)*): String = {
    val path = folder.resolve(name).toString
    Pylance.write(
      """pa.table({
        |  'a': pa.array(range(10), pa.int32()),
        |  's': pa.array([{'x': i, 'y': str(i)} for i in range(10)],
        |                pa.struct([('x', pa.int16()), ('y', pa.string())])),
        |  'l': pa.array([list(range(i % 4)) if i != 7 else None for i in range(10)], pa.list_(pa.int8())),
        |})""".stripMargin,
      path,
      Seq("max_rows_per_file" -> 5, "data_storage_version" -> version) ++ options: _*
    )
    Pylance.run("dataset(path).delete('a in (1, 2, 8)'); result = 0", "path" -> path)
    path
  }

  private val live = Seq(0, 3, 4, 5, 6, 7, 9)

  private def change(path: String, changes: SchemaChange*): LanceTable =
    SchemaUpdate.plan(LanceTable.open(store, path), changes).run()

  private def rows(path: String): IndexedSeq[JsonNode] = {
    assert(Pylance.validate(path) == live.length)
    Pylance.rows(path)
  }

  private def numFiles(path: String): Int = {
    val files = Files.list(java.nio.file.Paths.get(path, "data"))
    try files.iterator.asScala.length
    finally files.close()
  }

  private def ids(path: String): Seq[(String, Int)] =
    Pylance.schema(path).map(f => f.get("name").asText -> f.get("id").asInt)

  test("changes of names, positions, and metadata, and drops of columns write no files") {
    versions.foreach { v =>
      val path = source(s"names-$v", v)
      val before = numFiles(path)
      val t = change(
        path,
        Rename(at("a"), "b"),
        Drop(at("s.x")),
        Move(at("l"), Position.First),
        SetMetadata(at("b"), Map("comment" -> Some("numbers"))),
        SetNullable(at("l"), nullable = true)
      )
      assert(numFiles(path) == before && t.version == 3, v)
      val found = rows(path)
      assert(found.map(_.get("b").asInt) == live)
      assert(found.map(_.get("s").get("y").asText) == live.map(_.toString))
      assert(found.forall(_.get("s").size == 1))
      assert(found.head.fieldNames.asScala.toSeq == Seq("l", "b", "s"))
      assert(Pylance.schema(path)(2).get("metadata").get("comment").asText == "numbers")
      change(path, Drop(at("l")))
      assert(rows(path).head.fieldNames.asScala.toSeq == Seq("b", "s"))
      assert(change(path).version == 4, "nothing to change")
    }
  }

  test("new columns of nulls write no files") {
    versions.foreach { v =>
      val path = source(s"nulls-$v", v)
      val before = numFiles(path)
      val nested =
        Field(-1, "n", LogicalType.Struct, nullable = true, IndexedSeq(leaf("p", "int8")))
      change(
        path,
        Add(FieldPath.root, leaf("z", "double")),
        Add(FieldPath.root, nested, Position.First)
      )
      if (v == "2.2") change(path, Add(at("s"), leaf("w", "string"), Position.First))
      assert(numFiles(path) == before)
      val found = rows(path)
      assert(found.forall(r => r.get("z").isNull && r.get("n").isNull), v)
      assert(found.map(_.get("a").asInt) == live)
      if (v == "2.2") {
        assert(found.forall(_.get("s").get("w").isNull))
        assert(found.map(_.get("s").get("x").asInt) == live)
      }
      // pylance continues with rows with values and with new columns.
      Pylance.run(
        """
        |ds = dataset(path)
        |ds.add_columns({'t': 'a + 1'})
        |result = ds.version
        """.stripMargin,
        "path" -> path
      )
      val t = LanceTable.open(store, path)
      assert(t.schema.field("t").isDefined && t.schema.flatten.map(_.id).distinct.length ==
        t.schema.flatten.length)
      assert(rows(path).map(_.get("t").asInt) == live.map(_ + 1))
    }
  }

  test("a type change assigns a new id and writes a new file") {
    versions.foreach { v =>
      val path = source(s"types-$v", v)
      val oldIds = ids(path).toMap
      change(path, SetType(at("a"), LogicalType.parse("int64")))
      val t = change(
        path,
        SetType(at("s.x"), LogicalType.parse("decimal:128:12:2")),
        SetType(at("l.element"), LogicalType.parse("int32")),
        Rename(at("l"), "k")
      )
      assert(t.schema.fields.map(_.name) == Seq("a", "s", "k"))
      val found = rows(path)
      assert(found.map(_.get("a").asLong) == live)
      assert(found.map(_.get("s").get("x").asText.toDouble) == live.map(_.toDouble), v)
      assert(found.map(_.get("s").get("y").asText) == live.map(_.toString))
      assert(found.map(r => if (r.get("k").isNull) -1 else r.get("k").size) ==
        live.map(i => if (i == 7) -1 else i % 4))
      assert(ids(path).toMap.apply("a") > oldIds.values.max)
      val types = Pylance.schema(path).map(_.get("type").asText)
      assert(
        types.contains("int64") && types.exists(_.startsWith("decimal")) && types.contains("int32")
      )
      val files = t.fragments.map(_.files.length)
      // Of files before 2.1, and of lists beside deleted rows, whole columns are written.
      if (v == "2.1" || v == "2.2") assert(files == Seq(3, 3)) else assert(files == Seq(2, 2))
      assert(ColumnRowsOf(t, "a") == live.map(_.toLong))
      // A failed cast leaves no files behind.
      val before = numFiles(path)
      val e = intercept[InvalidRequestException](change(
        path,
        SetType(at("s.x"), LogicalType.parse("decimal:128:2:2"))
      ))
      assert(e.getMessage.contains("does not fit"))
      assert(numFiles(path) == before && LanceTable.open(store, path).version == t.version)
    }
  }

  test("values of deleted rows do not affect a type change") {
    val path = folder.resolve("deleted").toString
    Pylance.write("{'a': pa.array([1, 1000, 3], pa.int32())}", path)
    Pylance.run("dataset(path).delete('a = 1000'); result = 0", "path" -> path)
    change(path, SetType(at("a"), LogicalType.parse("int8")))
    assert(Pylance.validate(path) == 2 && Pylance.rows(path).map(_.get("a").asInt) == Seq(1, 3))
  }

  test("setting NOT NULL checks existing rows") {
    val path = folder.resolve("strict").toString
    Pylance.write(
      """pa.table({'a': [1, None, 3], 's': [{'x': 1}, {'x': 2}, None], 'n': pa.nulls(3, pa.int8())})""",
      path
    )
    Seq("a" -> "\"a\"", "s" -> "\"s\"", "n" -> "\"n\"").foreach { case (column, word) =>
      val e =
        intercept[InvalidRequestException](change(path, SetNullable(at(column), nullable = false)))
      assert(e.getMessage.contains("nulls") && e.getMessage.contains(word))
    }
    // Members of a null struct are not null violations.
    change(path, SetNullable(at("s.x"), nullable = false))
    Pylance.run("dataset(path).delete('a is null'); result = 0", "path" -> path)
    val t = change(path, SetNullable(at("a"), nullable = false))
    assert(Pylance.validate(path) == 2)
    assert(Pylance.schema(path).filterNot(_.get("nullable").asBoolean).map(_.get("name").asText) ==
      Seq("a", "x"))
    assert(!t.schema.field("a").get.nullable)
    assert(change(path, SetNullable(at("a"), nullable = true)).schema.field("a").get.nullable)
  }

  private def intColumn(values: Int*): Column = {
    val v = new IntValues
    values.foreach(v.append)
    LeafColumn(v, null)
  }

  /** Returns a value after serialization. */
  private def sent[A](value: A): A = {
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(value)
    out.close()
    new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject().asInstanceOf[A]
  }

  test("new columns with values are written to separate files") {
    (versions :+ "legacy").foreach { v =>
      val path = source(s"values-$v", v)
      val t = LanceTable.open(store, path)
      val before = t.fragments.map(_.files)
      val update = SchemaUpdate.plan(
        t,
        Seq(Add(FieldPath.root, leaf("v", "int32"), Position.After("a"))),
        withValues = true
      )
      val e = intercept[InvalidRequestException](update.run())
      assert(e.getMessage.contains("need rows"))
      val files = update.tasks.zip(Seq(Seq(0, 3, 4), Seq(5, 6, 7, 9))).map { case (task, rows) =>
        val w = sent(task).open(store)
        // From two batches.
        val (first, rest) = rows.splitAt(2)
        Seq(first, rest).foreach { some =>
          w.write(some.map(_ % 5L).toArray, IndexedSeq(intColumn(some.map(_ * 100): _*)))
        }
        sent(w.finish())
      }
      val committed = update.commit(files)
      assert(committed.fragments.map(_.files.init) == before, v)
      val found = rows(path)
      assert(found.map(_.get("v").asInt) == live.map(_ * 100))
      assert(found.head.fieldNames.asScala.toSeq == Seq("a", "v", "s", "l"))
      assert(found.map(_.get("s").get("x").asInt) == live)
      assert(ColumnRowsOf(committed, "v") == live.map(_ * 100))
    }
  }

  test("new struct members with values, even inside of lists") {
    val path = folder.resolve("members").toString
    Pylance.write(
      """pa.table({
        |  's': pa.array([{'x': 1}, None, {'x': 3}], pa.struct([('x', pa.int8())])),
        |  'l': pa.array([[{'u': 1}, {'u': 2}], None, [{'u': 3}]],
        |                pa.list_(pa.struct([('u', pa.int8())]))),
        |})""".stripMargin,
      path
    )
    val adds = Seq(
      Add(at("s"), leaf("w", "int32"), Position.First),
      Add(at("l.element"), leaf("v", "int32"))
    )
    val update = SchemaUpdate.plan(LanceTable.open(store, path), adds, withValues = true)
    assert(update.tasks.head.fields.map(_.name) == Seq("s", "l"))
    val w = update.tasks.head.open(store)
    val structs = StructColumn(3, IndexedSeq(intColumn(10, 0, 30)), Validity.of(true, false, true))
    val items = StructColumn(3, IndexedSeq(intColumn(100, 200, 300)), null)
    val lists = ListColumn(3, Array(0, 2, 2, 3), items, Validity.of(true, false, true))
    w.write(Array(0L, 1L, 2L), IndexedSeq(structs, lists))
    val t = update.commit(Seq(w.finish()))
    assert(t.fragments.head.files.length == 2 && Pylance.validate(path) == 3)
    assert(Pylance.rows(path).map(_.toString) == Seq(
      """{"s":{"w":10,"x":1},"l":[{"u":1,"v":100},{"u":2,"v":200}]}""",
      """{"s":null,"l":null}""",
      """{"s":{"w":30,"x":3},"l":[{"u":3,"v":300}]}"""
    ))
    assert(ColumnRowsOf(t, "s") == Seq(Seq(10, 1.toByte), null, Seq(30, 3.toByte)))
    t.delete(Map(0L -> DeletionVector.of(Array(0))), "first")
    val more = SchemaUpdate.plan(
      LanceTable.open(store, path),
      adds.tail.map(_ =>
        Add(at("l.element"), leaf("y", "int32"))
      ),
      withValues = true
    )
    assert(intercept[UnsupportedFeatureException](more.tasks).getMessage.contains("compact"))
  }

  test("null struct members: columns that pylance reads from one file are rewritten") {
    val item = "pa.struct([('u', pa.int8())])"
    val struct = "{'u': i}"
    // column -> type, value, position of the new member, resulting value, number of files
    val shapes = Seq(
      ("l", s"pa.list_($item)", s"[$struct, None]", "l.element", "[{'u': i, 'w': None}, None]", 1),
      (
        "ll",
        s"pa.list_(pa.list_($item))",
        s"[[$struct], []]",
        "ll.element.element",
        "[[{'u': i, 'w': None}], []]",
        1
      ),
      ("b", s"pa.large_list($item)", s"[$struct]", "b.element", "[{'u': i, 'w': None}]", 2),
      ("f", s"pa.list_($item, 1)", s"[$struct]", "f.element", "[{'u': i, 'w': None}]", 2),
      (
        "m",
        s"pa.map_(pa.string(), $item)",
        s"[('k', $struct)]",
        "m.value",
        "[('k', {'u': i, 'w': None})]",
        2
      ),
      (
        "sm",
        s"pa.struct([('o', pa.int8()), ('m', pa.map_(pa.string(), $item))])",
        s"{'o': i, 'm': [('k', $struct)]}",
        "sm.m.value",
        "{'o': i, 'm': [('k', {'u': i, 'w': None})]}",
        2
      ),
      (
        "lm",
        s"pa.list_(pa.map_(pa.string(), $item))",
        s"[[('k', $struct)], None]",
        "lm.element.value",
        "[[('k', {'u': i, 'w': None})], None]",
        2
      ),
      (
        "ml",
        s"pa.map_(pa.string(), pa.list_($item))",
        s"[('k', [$struct])]",
        "ml.value.element",
        "[('k', [{'u': i, 'w': None}])]",
        2
      )
    )
    shapes.foreach { case (name, t, value, at, expected, files) =>
      val path = folder.resolve(s"grown-$name").toString
      Pylance.write(
        s"pa.table({'i': range(6), '$name': " +
          s"pa.array([None if i == 2 else $value for i in range(6)], $t)})",
        path,
        "data_storage_version" -> "2.2",
        "max_rows_per_file" -> 3
      )
      Pylance.run("dataset(path).delete('i in (1, 4)'); result = 0", "path" -> path)
      val changed = change(path, Add(this.at(at), leaf("w", "string")))
      assert(changed.fragments.forall(_.files.length == files), name)
      def read(value: String) = Pylance.run(
        s"""
           |live = (0, 2, 3, 5)
           |expected = [{'i': i, '$name': None if i == 2 else $value} for i in live]
           |found = dataset(path).to_table().to_pylist()
           |result = 'same' if found == expected else str(found)
           |""".stripMargin,
        "path" -> path
      ).asText
      assert(read(expected) == "same", name)
      assert(Pylance.validate(path) == 4)
      if (files == 2) {
        change(path, Drop(this.at(at) / "u"))
        assert(read(expected.replace("'u': i, ", "")) == "same", name)
      } else {
        // The items of the list are stored with their only member that has values.
        val e = intercept[UnsupportedFeatureException](change(path, Drop(this.at(at) / "u")))
        val item = at.replace("element", "item")
        assert(e.getMessage.contains("column \"" + item + "\"") && read(expected) == "same", name)
      }
      assert(ColumnRowsOf(changed, name).length == 4)
    }
  }

  test("files of version 0.1 keep the batches of the fragment") {
    val path = folder.resolve("batches").toString
    Pylance.write(
      "{'a': list(range(2500))}",
      path,
      "max_rows_per_group" -> 1000,
      "data_storage_version" -> "legacy"
    )
    val t = change(path, SetType(at("a"), LogicalType.parse("int32")))
    assert(t.fragments.map(_.files.length) == Seq(1))
    val update =
      SchemaUpdate.plan(t, Seq(Add(FieldPath.root, leaf("v", "int32"))), withValues = true)
    val w = update.tasks.head.open(store)
    w.write(Array.tabulate(2500)(_.toLong), IndexedSeq(intColumn((0 until 2500): _*)))
    update.commit(Seq(w.finish()))
    assert(Pylance.validate(path) == 2500)
    assert(Pylance.run(
      "t = dataset(path).to_table(); result = t['a'].to_pylist() == t['v'].to_pylist() == list(range(2500))",
      "path" -> path
    ).asBoolean)
  }

  test("rows of a task are checked") {
    val path = source("checked", "2.2")
    val t = LanceTable.open(store, path)
    val before = numFiles(path)
    val update = SchemaUpdate.plan(
      t,
      Seq(Add(FieldPath.root, leaf("v", "int32", nullable = false))),
      withValues = true
    )
    def fails(word: String)(f: ColumnFileWriter => Any): Assertion = {
      val w = update.tasks.head.open(store)
      val e = intercept[InvalidRequestException](f(w))
      w.abort()
      assert(e.getMessage.contains(word))
    }
    fails("is deleted")(_.write(Array(0L, 1L), IndexedSeq(intColumn(1, 2))))
    fails("has 5 rows")(_.write(Array(5L), IndexedSeq(intColumn(1))))
    fails("does not follow the previous row")(_.write(Array(0L, 0L), IndexedSeq(intColumn(1, 2))))
    fails("expected 1 of 1")(_.write(Array(3L), IndexedSeq.empty))
    fails("is not nullable") { w =>
      w.write(Array(0L, 3L), IndexedSeq(intColumn(1, 2)))
      w.finish()
    }
    val e = intercept[InvalidRequestException](update.commit(Nil))
    assert(e.getMessage.contains("no new file for fragment 0"))
    assert(numFiles(path) == before)
    assert(intercept[InvalidRequestException](
      change(path, Add(FieldPath.root, leaf("v", "int32", nullable = false)))
    ).getMessage.contains("must be nullable"))
  }

  test("a change of columns keeps metadata that was added concurrently") {
    val path = folder.resolve("t").toString
    val fields = IndexedSeq(leaf("a", "int32", nullable = false), leaf("b", "int32"))
    LanceTable.create(store, path, Schema(fields).withFreshIds)
    Seq(
      Rename(at("b"), "c"),
      SetMetadata(at("a"), Map("comment" -> Some("text"))),
      Drop(at("c"))
    ).zipWithIndex.foreach { case (change, i) =>
      val t = LanceTable.open(store, path)
      val stale = SchemaUpdate.plan(t, Seq(change))
      val meanwhile = new MetadataChanges(t)
      if (i == 0) meanwhile.primaryKey(Seq(0))
      else meanwhile.fieldMetadata(Map(0 -> UpdateMap.upsert(Map(s"k$i" -> "v"))))
      val a = stale.run().latest.schema.field("a").get
      assert(a.unenforcedPrimaryKey.contains(1))
      assert((1 to i).forall(n => a.metadata.contains(s"k$n")))
    }
    assert(LanceTable.open(store, path).schema.fields.map(_.name) == Seq("a"))
    assert(LanceTable.open(store, path).schema.fields.head.metadata.get("comment").contains("text"))
  }

  test("rows appended concurrently also get new files") {
    val path = source("meanwhile", "2.2")
    val t = LanceTable.open(store, path)
    val update = SchemaUpdate.plan(t, Seq(SetType(at("a"), LogicalType.parse("int64"))))
    val files = update.tasks.map(_.run(store))
    Pylance.run(
      """
      |ds = dataset(path)
      |ds.insert(pa.table({'a': pa.array([10], pa.int32())}))
      |ds.delete('a = 3')
      |result = 0
      """.stripMargin,
      "path" -> path
    )
    val committed = update.commit(files)
    assert(committed.fragments.take(2).map(_.files.last.path) == files.map(_.file.path))
    assert(Pylance.validate(path) == 7)
    assert(Pylance.rows(path).map(_.get("a").asLong) == Seq(0, 4, 5, 6, 7, 9, 10))

    // New columns with values need a task that provides them.
    val adding =
      SchemaUpdate.plan(committed, Seq(Add(FieldPath.root, leaf("v", "int32"))), withValues = true)
    val some = adding.tasks.map(_.run(store))
    Pylance.run(
      "dataset(path).insert(pa.table({'a': pa.array([11], pa.int64())})); result = 0",
      "path" -> path
    )
    val e = intercept[CommitConflictException](adding.commit(some))
    assert(e.retryable)
    val again =
      SchemaUpdate.plan(
        LanceTable.open(store, path),
        Seq(Add(FieldPath.root, leaf("v", "int32"))),
        withValues = true
      )
    val kept = again.reusable(adding, some)
    assert(kept.map(_.fragmentId) == Seq(
      0,
      1,
      2
    ) && again.tasks.map(_.fragmentId) == Seq(0, 1, 2, 3))
    again.commit(kept :+ again.tasks.last.run(store))
    assert(Pylance.validate(path) == 8)
  }

  test("row ids and versions are kept") {
    val path = source("stable", "2.2", "enable_stable_row_ids" -> true)
    def lineage = Pylance.run(
      """
      |names = ['a', '_rowid', '_row_created_at_version', '_row_last_updated_at_version']
      |result = dataset(path).scanner(columns=names).to_table().to_pylist()
      """.stripMargin,
      "path" -> path
    ).elements.asScala.toSeq
    val ids = lineage.map(_.get("_rowid").asLong)
    change(path, Add(FieldPath.root, leaf("z", "int8")))
    assert(lineage.map(_.get("_row_last_updated_at_version").asLong).distinct == Seq(1L))
    change(path, SetType(at("a"), LogicalType.parse("int64")))
    assert(lineage.map(_.get("_rowid").asLong) == ids)
    assert(lineage.map(_.get("_row_created_at_version").asLong).distinct == Seq(1L))
    assert(lineage.map(_.get("_row_last_updated_at_version").asLong).distinct == Seq(4L))
    assert(Pylance.validate(path) == live.length)
  }

  test("an index prevents a type change, and is dropped with its column") {
    val path = source("indexed", "2.2")
    Pylance.run("dataset(path).create_scalar_index('a', 'BTREE'); result = 0", "path" -> path)
    val e =
      intercept[InvalidRequestException](change(path, SetType(at("a"), LogicalType.parse("int64"))))
    assert(e.getMessage.contains("a_idx") && e.getMessage.contains("drop the index"))
    val renamed = change(path, Rename(at("a"), "b"), Add(FieldPath.root, leaf("z", "int8")))
    assert(renamed.indices.length == 1)
    assert(Pylance.run(
      "result = dataset(path).to_table(filter='b = 4').num_rows",
      "path" -> path
    ).asInt == 1)
    assert(change(path, Drop(at("b"))).indices.isEmpty)
    assert(rows(path).length == live.length)
  }

  /** The values of a numeric column according to our reader, without deleted rows. */
  private object ColumnRowsOf {
    import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan}
    import io.github.pysparklance.testkit.ColumnRows

    def apply(t: LanceTable, column: String): Seq[Any] = t.fragments.indices.flatMap { i =>
      val all = RowRange(0, t.physicalRows(t.fragments(i)))
      val scan = FragmentScan(t, i, all, None, FragmentScan.defaultGapRows, IndexedSeq.empty)
      val reader =
        FragmentReader.open(store, scan, IndexedSeq(t.schema.field(column).get), batchRows = 3)
      val found = Seq.newBuilder[Any]
      while (reader.next()) {
        val values = ColumnRows(reader.columns.head)
        found ++= Option(reader.live).fold(values)(_.toIndexedSeq.map(values(_)))
      }
      reader.close()
      found.result()
    }
  }

  test("a deletion on top of new files") {
    val path = source("on-top", "2.2")
    val t = change(path, SetType(at("a"), LogicalType.parse("int64")))
    t.delete(Map(0L -> DeletionVector.of(Array(0))), "a = 0")
    assert(Pylance.validate(path) == live.length - 1)
    assert(Pylance.rows(path).map(_.get("a").asInt) == live.tail)
  }
}

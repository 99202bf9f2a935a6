// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import scala.collection.mutable
import scala.util.{Random, Using}

import com.fasterxml.jackson.databind.JsonNode
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan}
import io.github.pysparklance.table.schema.SchemaChange._
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}
import io.github.pysparklance.testkit.{ColumnRows, Pylance, TemporaryFolder, TestRun}

/** Random changes of columns and rows, made by either side, and compared with an in-memory model
  * after each step.
  */
class ColumnHistoriesSuite extends AnyFunSuite with TemporaryFolder {
  private val numHistories = if (TestRun.isLong) 100 else 3
  private val stepsEach = 14

  Seq("2.0", "2.1", "2.2").foreach { version =>
    test(s"histories of columns, file version $version") {
      (0 until numHistories).foreach { i =>
        val seed = TestRun.seed + i
        val history = new History(
          folder.resolve(s"history-$version-$i").toString,
          version,
          stableRowIds = i % 2 == 1,
          new Random(seed)
        )
        try history.run()
        catch {
          case e: Throwable =>
            fail(
              s"file version $version, seed ${seed}L, after ${history.done.mkString("; ")}: $e",
              e
            )
        }
      }
    }
  }

  /** A leaf of the model: its type, and a value (null, text, or number) for each row by the row's
    * `id`.
    */
  private case class Leaf(t: String, values: Map[Long, Any])

  private class History(path: String, version: String, stableRowIds: Boolean, random: Random) {
    private val store = Storage.local
    val done = mutable.ArrayBuffer.empty[String]
    private var leaves = Map.empty[Seq[String], Leaf]
    private var ids = (0L until 12L).toSet
    private var nextName = 0

    private def pick[A](from: Seq[A]): A = from(random.nextInt(from.length))
    private def newName(): String = {
      nextName += 1
      s"c$nextName"
    }
    private def top: Seq[String] = leaves.keys.map(_.head).toSeq.distinct.sorted
    private def table: LanceTable = LanceTable.open(store, path)

    def run(): Unit = {
      Pylance.write(
        """pa.table({
          |  'id': pa.array(range(12), pa.int64()),
          |  'n': pa.array([i if i % 3 else None for i in range(12)], pa.int8()),
          |  't': pa.array([f't{i}' for i in range(12)]),
          |  's': pa.array([{'x': i, 'y': f'y{i}', 'f': i} for i in range(12)],
          |    pa.struct([('x', pa.int16()), ('y', pa.string()), ('f', pa.float32())])),
          |})""".stripMargin,
        path,
        "max_rows_per_file" -> 5,
        "data_storage_version" -> version,
        "enable_stable_row_ids" -> stableRowIds
      )
      def of(t: String)(f: Long => Any) = Leaf(t, ids.map(i => i -> f(i)).toMap)
      leaves = Map(
        Seq("n") -> of("int8")(i => if (i % 3 == 0) null else i),
        Seq("t") -> of("string")(i => s"t$i"),
        Seq("s", "x") -> of("int16")(i => i),
        Seq("s", "y") -> of("string")(i => s"y$i"),
        Seq("s", "f") -> of("float")(i => i)
      )
      check()
      (0 until stepsEach).foreach { _ =>
        step()
        check()
      }
    }

    private def step(): Unit = random.nextInt(12) match {
      case 0 => addNulls()
      case 1 => addValues()
      case 2 => drop()
      case 3 => rename()
      case 4 | 5 => widen()
      case 6 => move()
      case 7 => updateColumns()
      case 8 => replaceColumn()
      case 9 => updateRows()
      case 10 => delete()
      case _ => append()
    }

    private def both(what: String)(ours: => Any)(pylance: (String, Seq[(String, Any)])): Unit =
      if (random.nextBoolean()) {
        done += s"ours: $what"
        ours: Unit
      } else {
        done += s"pylance: $what"
        val (code, arguments) = pylance
        Pylance.run(
          s"ds = dataset(path)\n$code\nresult = 0",
          ("path" -> path) +: arguments: _*
        ): Unit
      }

    private def change(changes: SchemaChange*): Unit = SchemaUpdate.plan(table, changes).run(): Unit

    private def field(name: String, t: String): Field =
      Field(-1, name, LogicalType.parse(t), nullable = true)

    private def addNulls(): Unit = {
      val name = newName()
      val isNested = version == "2.2" && random.nextBoolean() && top.contains("s")
      val where = if (isNested) Seq("s") else Nil
      if (isNested) {
        done += s"ours: add s.$name"
        change(Add(
          FieldPath.of("s"),
          field(name, "int32"),
          pick(Seq(Position.First, Position.Last))
        ))
      } else
        both(s"add $name")(change(Add(FieldPath.root, field(name, "int32"))))(
          "ds.add_columns(pa.field(name, pa.int32()))" -> Seq("name" -> name)
        )
      leaves += (where :+ name) -> Leaf("int32", ids.map(_ -> (null: Any)).toMap)
    }

    private def addValues(): Unit = {
      val name = newName()
      both(s"add $name with values") {
        val update =
          SchemaUpdate.plan(
            table,
            Seq(Add(FieldPath.root, field(name, "int64"))),
            withValues = true
          )
        val files = update.tasks.map(t => written(t)(id => Some(IndexedSeq(id * 3))))
        update.commit(files)
      }("ds.add_columns({name: 'id * 3'})" -> Seq("name" -> name))
      leaves += Seq(name) -> Leaf("int64", ids.map(i => i -> (i * 3: Any)).toMap)
    }

    private def drop(): Unit = if (leaves.size > 2) {
      val path = pick(leaves.keys.toSeq.sortBy(_.mkString(".")))
      both(s"drop ${path.mkString(".")}")(change(Drop(FieldPath(path.toIndexedSeq))))(
        "ds.drop_columns([column])" -> Seq("column" -> path.mkString("."))
      )
      leaves -= path
    }

    private def rename(): Unit = if (leaves.nonEmpty) {
      val old = pick(leaves.keys.toSeq.sortBy(_.mkString(".")))
      val name = newName()
      both(s"rename ${old.mkString(".")} to $name")(
        change(Rename(FieldPath(old.toIndexedSeq), name))
      )("ds.alter_columns({'path': column, 'name': name})" ->
        Seq("column" -> old.mkString("."), "name" -> name))
      leaves = leaves - old + ((old.init :+ name) -> leaves(old))
    }

    private val wider = Map(
      "int8" -> Seq("int16", "int32", "int64"),
      "int16" -> Seq("int32", "int64"),
      "int32" -> Seq("int64"),
      "float" -> Seq("double")
    )

    private def widen(): Unit = {
      val able = leaves.filter { case (_, leaf) => wider.contains(leaf.t) }
      if (able.nonEmpty) {
        val column = pick(able.keys.toSeq.sortBy(_.mkString(".")))
        val t = pick(wider(able(column).t))
        // pylance writes nested columns of 2.0 in parts, which no reader supports.
        val byUs = column.length > 1 && version == "2.0"
        val what = s"widen ${column.mkString(".")} to $t"
        def ours() = change(SetType(FieldPath(column.toIndexedSeq), LogicalType.parse(t)))
        if (byUs) {
          done += s"ours: $what"
          ours()
        } else
          both(what)(ours())(
            "ds.alter_columns({'path': column, 'data_type': pa.type_for_alias(t)})" ->
              Seq("column" -> column.mkString("."), "t" -> t)
          )
        leaves += column -> leaves(column).copy(t = t)
      }
    }

    private def move(): Unit = {
      val name = pick(top)
      val position = pick(Seq(Position.First, Position.Last, Position.After("id")))
      done += s"ours: move $name to $position"
      change(Move(FieldPath.of(name), position))
    }

    private def plainColumns: Seq[String] =
      leaves.collect { case (Seq(name), leaf) if leaf.t.startsWith("int") => name }.toSeq.sorted

    private def updateColumns(): Unit = if (plainColumns.nonEmpty) {
      val name = pick(plainColumns)
      val wanted = ids.filter(_ => random.nextInt(3) == 0)
      done += s"ours: update $name in place where id in ${wanted.mkString(",")}"
      val update = ColumnUpdate.plan(table, Seq(name))
      val files = update.tasks.map(t =>
        written(t)(id => if (wanted(id)) Some(IndexedSeq(id + 1)) else None)
      )
      update.commit(files)
      set(Seq(name), wanted)(_ + 1)
    }

    private def replaceColumn(): Unit = if (plainColumns.nonEmpty) {
      val name = pick(plainColumns)
      done += s"ours: replace $name"
      val update = ColumnUpdate.replace(table, Seq(name))
      update.commit(update.tasks.map(t => written(t)(id => Some(IndexedSeq(id / 2)))))
      set(Seq(name), ids)(_ / 2)
    }

    private def updateRows(): Unit = if (plainColumns.nonEmpty) {
      val name = pick(plainColumns)
      val below = random.nextInt(8).toLong
      done += s"pylance: update $name where id < $below"
      Pylance.run(
        "dataset(path).update({name: 'id'}, where=f'id < {below}'); result = 0",
        "path" -> path,
        "name" -> name,
        "below" -> below
      )
      set(Seq(name), ids.filter(_ < below))(i => i)
    }

    private def set(column: Seq[String], rows: Set[Long])(value: Long => Any): Unit = {
      val leaf = leaves(column)
      leaves += column -> leaf.copy(values = leaf.values ++ rows.map(i => i -> value(i)))
    }

    private def delete(): Unit = if (ids.size > 3) {
      val id = pick(ids.toSeq.sorted)
      both(s"delete $id") {
        val t = table
        val rows = t.fragments.indices.flatMap { i =>
          cells(t, i, IndexedSeq(t.schema.field("id").get)).collect {
            case (offset, Seq(found)) if found == id =>
              t.fragments(i).id -> DeletionVector.of(Array(offset.toInt))
          }
        }
        t.delete(rows.toMap, s"id = $id")
      }("ds.delete(f'id = {id}')" -> Seq("id" -> id))
      ids -= id
      leaves = leaves.map { case (p, leaf) => p -> leaf.copy(values = leaf.values - id) }
    }

    private def append(): Unit = {
      val id = 100L + done.length
      done += s"pylance: append $id"
      Pylance.run(
        "ds = dataset(path); ds.insert(pa.table({'id': pa.array([id], pa.int64())})); result = 0",
        "path" -> path,
        "id" -> id
      )
      ids += id
      leaves = leaves.map { case (p, leaf) =>
        p -> leaf.copy(values = leaf.values + (id -> (null: Any)))
      }
    }

    /** Writes the file of a task with numeric columns.
      *
      * @param values returns the value of a row by its `id`; none keeps the old value
      */
    private def written(task: ColumnTask)(
        values: Long => Option[IndexedSeq[Long]]
    ): NewColumns = {
      val t = table
      val i = t.fragments.indexWhere(_.id == task.fragmentId)
      val w = task.open(store)
      cells(t, i, IndexedSeq(t.schema.field("id").get)).foreach { case (offset, row) =>
        val found = values(row.head.asInstanceOf[Long])
        found.foreach { numbers =>
          val columns = task.fields.zip(numbers).map { case (f, v) =>
            val out = Values.allocate(f.valueType)
            out match {
              case o: LongValues => o.append(v)
              case o: IntValues => o.append(v.toInt)
              case o: ShortValues => o.append(v.toShort)
              case o: ByteValues => o.append(v.toByte)
              case other => throw new IllegalArgumentException(other.toString)
            }
            LeafColumn(out, null): Column
          }
          w.write(Array(offset), columns)
        }
      }
      w.finish()
    }

    /** Returns the live rows of a fragment: their offset and a value for each field. */
    private def cells(
        t: LanceTable,
        index: Int,
        fields: IndexedSeq[Field]
    ): IndexedSeq[(Long, Seq[Any])] = {
      val all = RowRange(0, t.physicalRows(t.fragments(index)))
      val scan = FragmentScan(t, index, all, None, 0L, IndexedSeq.empty)
      val live =
        t.deletionVector(t.fragments(index)).liveRanges(all).flatMap(r => r.from until r.until)
      val found = IndexedSeq.newBuilder[Seq[Any]]
      Using.resource(FragmentReader.open(store, scan, fields, batchRows = 3)) { r =>
        while (r.next()) {
          val columns = r.columns.map(ColumnRows(_))
          Option(r.live).fold(0 until r.numRows: Seq[Int])(_.toSeq).foreach(i =>
            found += columns.map(_(i))
          )
        }
      }
      live.toIndexedSeq.zip(found.result())
    }

    private def check(): Unit = {
      assert(Pylance.validate(path) == ids.size)
      checkRows("pylance", Pylance.rows(path).map(r => r.get("id").asLong -> inPylance(r) _))
      val t = table
      val ours = t.fragments.indices.flatMap { i =>
        cells(t, i, t.schema.fields).map { case (_, row) =>
          val values = t.schema.fields.zip(row).toMap
          val id = values(t.schema.field("id").get).asInstanceOf[Long]
          id -> ((path: Seq[String]) =>
            plain(path, t.schema.fields.find(_.name == path.head).get, values)
          )
        }
      }
      val fieldIds = t.schema.flatten.map(_.id)
      assert(fieldIds.distinct.length == fieldIds.length)
      checkRows("ours", ours)
    }

    private def checkRows(who: String, rows: Seq[(Long, Seq[String] => Any)]): Unit = {
      assert(rows.map(_._1).sorted == ids.toSeq.sorted, who)
      rows.foreach { case (id, value) =>
        leaves.foreach { case (path, leaf) =>
          assert(value(path) == leaf.values(id), s"$who: ${path.mkString(".")} of row $id")
        }
      }
    }

    private def inPylance(row: JsonNode)(path: Seq[String]): Any = {
      val node = path.foldLeft(row)((n, name) =>
        if (n.isNull) n
        else Option(n.get(name)).getOrElse(throw new NoSuchElementException(path.mkString(".")))
      )
      if (node.isNull) null else if (node.isTextual) node.asText else node.asLong
    }

    private def plain(path: Seq[String], f: Field, values: Map[Field, Any]): Any = {
      val (leaf, value) = path.tail.foldLeft((f, values(f))) { case ((parent, v), name) =>
        val at = parent.children.indexWhere(_.name == name)
        (parent.children(at), if (v == null) null else v.asInstanceOf[Seq[Any]](at))
      }
      (value, leaf.logicalType) match {
        case (null, _) => null
        case (v: Int, LogicalType.Float) => java.lang.Float.intBitsToFloat(v).toLong
        case (v: Long, LogicalType.Double) => java.lang.Double.longBitsToDouble(v).toLong
        case (v: Seq[_], _) => new String(v.map(_.asInstanceOf[Byte]).toArray, "UTF-8")
        case (v: Number, _) => v.longValue
        case (v, _) => v
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.zones

import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{LeafColumn, LongValues}
import io.github.pysparklance.index.ScalarIndices
import io.github.pysparklance.index.scalar.ZoneMap
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.maintenance.{Compaction, CompactionOptions}
import io.github.pysparklance.table.manifest.{Fragment, IndexSegment}
import io.github.pysparklance.table.schema.FieldPath
import io.github.pysparklance.testkit.{Pylance, StorageFaults, TableRows, TemporaryFolder}

/** Zones of new fragments, added to the zone maps of a table. */
class ZoneMapUpdateSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local
  private val name = "id_zonemap"
  private var tables = 0

  private def fresh(): String = {
    tables += 1
    folder.resolve(s"t$tables").toString
  }

  /** A data file of `n` rows from one id on, and its zones. */
  private def file(path: String, from: Long, n: Int, isRequested: Boolean = true) = {
    val ids = from until from + n
    val fragment = TableRows.write(store, path, ids.map(id => (id, id * 10)))
    val columns = ZonedColumns.of(
      TableRows.schema,
      ZoneMapRequest(isOn = true, Seq(FieldPath.of("id"))),
      hasStableRowIds = false,
      None
    )
    val asked = ZonedColumns(columns.columns.map(_.copy(isRequested = isRequested)))
    val builder = asked.builder()
    val values = new LongValues
    ids.foreach(values.append)
    builder.add(IndexedSeq(LeafColumn(values, null), LeafColumn(values, null)), n)
    (fragment, builder.finish(fragment.files.head.path))
  }

  private def create(path: String, fragments: Fragment*): LanceTable =
    LanceTable.create(store, path, TableRows.schema, fragments.toIndexedSeq)

  private def segments(of: LanceTable): Seq[IndexSegment] = of.indices.filter(_.name == name)

  /** The fragments that the zone map covers, each once. */
  private def covered(of: LanceTable): Set[Long] = {
    val indices = new ScalarIndices(of)
    val all = segments(of).flatMap(s => indices.covered(ZoneMap, s).toArray.map(_.toLong))
    assert(all.distinct.length == all.length)
    all.toSet
  }

  private def isComplete(of: LanceTable): Boolean =
    covered(of) == of.fragments.map(_.id).toSet

  test("an update writes one segment, and later ones replace it") {
    val path = fresh()
    val (first, zones) = file(path, 0, 10000)
    val one = ZoneMapUpdate(create(path, first), Seq(zones))
    assert(one.version == 2 && isComplete(one) && segments(one).length == 1)
    val (second, more) = file(path, 10000, 100)
    val two = ZoneMapUpdate(one.append(IndexedSeq(second)), Seq(more))
    assert(two.version == 4 && isComplete(two) && segments(two).length == 1)
    assert(ZoneMapUpdate(two, Nil).version == 4)
    assert(Pylance.run(
      """
      ds = dataset(path)
      used = 'ScalarIndexQuery' in ds.scanner(filter='id >= 10050').explain_plan(True)
      result = [ds.count_rows(filter='id >= 10050'), used]
      """,
      "path" -> path
    ).toString == "[50,true]")
  }

  test("the number of segments grows with the logarithm of their zones") {
    val path = fresh()
    var table = create(path)
    (0 until 40).foreach { i =>
      val (fragment, zones) = file(path, i * 10L, 10)
      table = ZoneMapUpdate(table.append(IndexedSeq(fragment)), Seq(zones), oneSegment = 4)
      assert(isComplete(table))
      assert(segments(table).length <= 6, s"after ${i + 1} updates")
    }
    assert(segments(table).length > 1)
    assert(Pylance.run(
      "ds = dataset(path)\nds.optimize.optimize_indices()\nresult = ds.count_rows(filter='id < 15')",
      "path" -> path
    ).asInt == 15)
    assert(isComplete(table.latest))
  }

  test("updates of two writers, the second one on a version that is not the latest") {
    val path = fresh()
    val base = create(path)
    val ((left, zonesOfLeft), (right, zonesOfRight)) = (file(path, 0, 10), file(path, 10, 10))
    val withLeft = base.append(IndexedSeq(left))
    val withBoth = base.append(IndexedSeq(right))
    ZoneMapUpdate(withLeft, Seq(zonesOfLeft))
    val done = ZoneMapUpdate(withBoth, Seq(zonesOfRight))
    assert(isComplete(done) && segments(done).length == 1)
  }

  test("removed fragments, and fragments with new values of the column, are omitted") {
    val path = fresh()
    val ((kept, zones), (gone, zonesOfGone)) = (file(path, 0, 10), file(path, 10, 10))
    val table = create(path, kept, gone)
    val rest = table.delete(Map(1L -> DeletionVector.of((0 until 10).toArray)), "id >= 10")
    assert(rest.fragments.map(_.id) == Seq(0L))
    val done = ZoneMapUpdate(table, Seq(zones, zonesOfGone))
    assert(isComplete(done) && covered(done) == Set(0L))
    val (compacted, _) = new Compaction(done).run(CompactionOptions())
    val nothing = ZoneMapUpdate(compacted, Seq(zonesOfGone))
    assert(nothing.version == compacted.version)
  }

  test("tables with stable row ids get a zone map only on request") {
    Seq(true, false).foreach { isRequested =>
      val path = fresh()
      val (fragment, zones) = file(path, 0, 10, isRequested)
      val table = LanceTable.create(
        store,
        path,
        TableRows.schema,
        IndexedSeq(fragment),
        enableStableRowIds = true
      )
      val done = ZoneMapUpdate(table, Seq(zones))
      assert(segments(done).length == (if (isRequested) 1 else 0))
    }
  }

  test("a failure at any call keeps the rows, and leaves no partial segment") {
    def prepared(): (String, FragmentZones) = {
      val path = fresh()
      val (first, zones) = file(path, 0, 10)
      val (second, more) = file(path, 10, 10)
      val one = ZoneMapUpdate(create(path, first), Seq(zones))
      one.append(IndexedSeq(second)): Unit
      (path, more)
    }
    def update(path: String, zones: FragmentZones, on: FileStore): Unit =
      ZoneMapUpdate(LanceTable.open(on, path), Seq(zones)): Unit
    val counted = new StorageFaults()
    val (path, zones) = prepared()
    update(path, zones, counted(store))
    assert(isComplete(LanceTable.open(store, path)))
    for {
      call <- counted.calls.indices
      afterEffect <- Seq(false, true)
    } {
      val (failing, more) = prepared()
      val faults = new StorageFaults(Some(call -> StorageFaults.Error(afterEffect)))
      // The table may not even open, as for the write before.
      val opened =
        try Some(LanceTable.open(faults(store), failing))
        catch { case _: Exception => None }
      opened.foreach(ZoneMapUpdate(_, Seq(more)))
      val table = LanceTable.open(store, failing)
      withClue(s"${counted.calls(call)}, after its effect: $afterEffect: ") {
        assert(table.rowCount.contains(20L))
        val ids = covered(table)
        assert(ids == Set(0L) || ids == Set(0L, 1L))
        val named = LanceTable.versions(store, failing).flatMap { v =>
          LanceTable.open(store, failing, Some(v)).indices.map(_.uuid.toString)
        }.toSet
        val written = Using.resource(Files.list(Paths.get(failing, "_indices")))(
          _.iterator.asScala.map(_.getFileName.toString).toSet
        )
        // A removal that fails leaves a folder for a clean-up.
        if (counted.calls(call).method != "deleteFolder")
          assert(written.subsetOf(named), s"version ${table.version}")
      }
    }
  }
}

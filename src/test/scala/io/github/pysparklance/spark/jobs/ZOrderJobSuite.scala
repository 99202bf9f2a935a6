// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.functions.{col, max, min}

import io.github.pysparklance.core.{CommitConflictException, InvalidRequestException}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.testkit.Pylance

class ZOrderJobSuite extends JobSuite {

  private def request(options: (String, String)*): CompactionRequest =
    CompactionRequest.of(options.toMap, Map.empty)

  /** A grid of 32 x 32 points in an unrelated order. */
  private def grid(options: (String, Any)*): String = {
    val path = fresh()
    Pylance.write(
      """[{'id': i, 'x': (i * 389 % 1024) % 32, 'y': (i * 389 % 1024) // 32,
           'when': datetime.date(2026, 1, 1) + datetime.timedelta(days=i % 9),
           'tags': [str(i)] * (i % 3), 'n': {'b': b'%03d' % (i % 11), 'f': None if i % 5 else i / 8}}
          for i in range(1024)]""",
      path,
      Seq("max_rows_per_file" -> 100) ++ options: _*
    )
    delete(path, "id in (7, 500)")
    path
  }

  private def sorted(path: String): Seq[String] = Pylance.rows(path).map(_.toString).sorted

  test("near rows are stored together, each row once with all values") {
    val path = grid()
    val before = sorted(path)
    val target = request("target_rows_per_fragment" -> "128")
    val outcome = ZOrderJob.run(on(path), Seq("x", "y"), target)
    assert(outcome.metrics.fragmentsRemoved == 11 && outcome.table.version == 3)
    assert(outcome.metrics.fragmentsAdded >= 7 && outcome.metrics.fragmentsAdded <= 9)
    assert(sorted(path) == before && Pylance.validate(path) == 1022)
    assert(open(path).fragments.forall(_.deletionFile.isEmpty))
    val areas = read(path)
      .groupBy("_fragid")
      .agg(max("x") - min("x") + 1, max("y") - min("y") + 1)
      .collect()
      .map(r => r.getLong(1) * r.getLong(2))
    // In any other order, each fragment spans the grid of 1,024 points.
    assert(areas.sum <= 4 * 1024, areas.mkString(", "))
  }

  test("rows keep their stable ids and versions") {
    val path = grid("enable_stable_row_ids" -> true)
    val identity = Seq("_rowid", "_row_created_at_version", "_row_last_updated_at_version", "id")
    def rows = read(path).select(identity.map(col): _*).orderBy("id").collect().toSeq
    Pylance.run("dataset(path).update({'y': '0'}, where='id < 10')", "path" -> path)
    val (before, values) = (rows, sorted(path))
    ZOrderJob.run(on(path), Seq("n.b", "when"), request()): Unit
    assert(rows == before && sorted(path) == values && Pylance.validate(path) == 1022)
    assert(open(path).fragments.length == 1)
    assert(read(path).where("_rowid = 600").select("id").collect().map(_.getLong(0)).toSeq ==
      before.filter(_.getLong(0) == 600).map(_.getLong(3)))
  }

  test("some fragments, while others are unchanged") {
    val path = grid()
    val before = sorted(path)
    val some = request("fragment_ids" -> "1,2,3", "excluded_fragment_ids" -> "3")
    val outcome = ZOrderJob.run(on(path), Seq("x"), some)
    assert(outcome.metrics.fragmentsRemoved == 2 && outcome.metrics.fragmentsAdded == 1)
    assert(sorted(path) == before)
    val xs = read(path).where("_fragid > 10").select("x").collect().map(_.getLong(0)).toSeq
    assert(xs.length == 200 && xs == xs.sorted)
    val none = ZOrderJob.run(on(path), Seq("x"), request("fragment_ids" -> "99"))
    assert(none.table.version == outcome.table.version)
  }

  Seq(false, true).foreach { stable =>
    test(s"an index of pylance still returns the right rows, stable row ids $stable") {
      val path = grid("enable_stable_row_ids" -> stable)
      Pylance.run("dataset(path).create_scalar_index('id', 'BTREE')", "path" -> path)
      ZOrderJob.run(on(path), Seq("x", "y"), request()): Unit
      val found = Pylance.run(
        "result = [dataset(path).to_table(filter='id = %d' % i)['x'].to_pylist() for i in ids]",
        "path" -> path,
        "ids" -> Seq(0, 7, 123, 999)
      )
      assert(found.toString == Seq(0, 7, 123, 999)
        .map(i => if (i == 7) "[]" else s"[${i * 389 % 1024 % 32}]")
        .mkString("[", ",", "]"))
      assert(Pylance.validate(path) == 1022)
    }
  }

  test("values are written unchanged, regardless of Spark's types") {
    val path = fresh()
    Pylance.run(
      """
        |n = 100
        |nanos = pa.array([i * 7919 * 10 ** 9 + i for i in range(n)], pa.int64())
        |times = nanos.cast(pa.timestamp('ns'))
        |t = pa.table({
        |    'x': [i * 37 % n for i in range(n)], 'at': times, 'zoned': nanos.cast(pa.timestamp('ns', 'UTC')),
        |    's': pa.StructArray.from_arrays([times], ['at']), 
        |    'l': pa.array([[v] for v in times.to_pylist()], pa.list_(pa.timestamp('ns'))),
        |    'of': pa.array(range(n), pa.duration('ms')), 'day': pa.array(range(n), pa.time64('us'))})
        |lance.write_dataset(t, path, max_rows_per_file=30)
        |result = 0""".stripMargin,
      "path" -> path
    )
    def all = Pylance.run(
      """
        |import pyarrow.compute as pc
        |t = dataset(path).to_table().sort_by('x').combine_chunks()
        |parts = [t[c] for c in ('at', 'zoned', 'of', 'day')]
        |parts += [pc.struct_field(t['s'], [0]), pc.list_flatten(t['l'])]
        |result = str([p.cast(pa.int64()).to_pylist() for p in parts])""".stripMargin,
      "path" -> path
    ).asText
    val before = all
    ZOrderJob.run(on(path), Seq("x"), request()): Unit
    assert(all == before && open(path).fragments.length == 1)
    val options = Seq("nativeTimeTypes" -> "true")
    options.foreach { case (k, v) => spark.conf.set(s"spark.sql.catalog.typed.$k", v) }
    spark.conf.set("spark.sql.catalog.typed", "io.github.pysparklance.spark.LanceCatalog")
    spark.sql(s"OPTIMIZE typed.`$path` ZORDER BY (day)")
    assert(all == before)
  }

  test("columns without an order, and a concurrently changed table") {
    val path = grid()
    val files = dataFiles(path)
    def rejected(columns: String*): String =
      intercept[AnalysisException](ZOrderJob.run(on(path), columns, request())).getMessage
    assert(rejected("z").contains("z") && rejected("tags").contains("ARRAY"))
    assert(rejected("n").contains("STRUCT") && rejected().contains("0 columns"))
    val stale = on(path)
    open(path).delete(Map(1L -> DeletionVector.of(Array(2))), "one row")
    val e = intercept[AnalysisException](ZOrderJob.run(stale, Seq("x"), request()))
    assert(e.getCause.isInstanceOf[CommitConflictException])
    assert(dataFiles(path) == files)
  }

  test("numbers interleave the bits of the ranks") {
    val bounds = IndexedSeq(Array[AnyRef]("b", "c", "d"), Array[AnyRef](Long.box(5)))
    val z = new ZOrder(bounds, 2)
    def number(s: String, n: java.lang.Long) = z.call(org.apache.spark.sql.Row(s, n))
    assert(number(null, null) == 0 && number("a", 4L) == 0)
    assert(number("b", 4L) == 4 >> 1 && number("c", 4L) == 8 && number("z", 4L) == 10)
    assert(number("a", 5L) == 1 && number("d", 6L) == 11)
    intercept[InvalidRequestException](ZOrder.keys(spark.range(1).toDF(), Nil))
  }
}

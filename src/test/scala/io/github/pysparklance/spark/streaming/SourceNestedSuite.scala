// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import java.io.ByteArrayOutputStream

import org.apache.spark.sql.DataFrame
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{Pylance, TestRun}

/** Streams of struct fields. */
class SourceNestedSuite extends AnyFunSuite with SourceTests {

  private val columns = "id BIGINT, s STRUCT<a: INT, b: STRING, `x y`: STRUCT<c: INT, d: INT>>, " +
    "list ARRAY<STRUCT<p: INT, q: STRING>>, map MAP<STRING, STRUCT<p: INT, q: STRING>>"

  private var queries = 0

  /** Runs a new query. Returns the rows of each micro-batch, and the plan of the last one. */
  private def read(frame: DataFrame): (Seq[Seq[String]], String) = {
    queries += 1
    val (batches, query) = run(frame, other(queries))
    val out = new ByteArrayOutputStream
    Console.withOut(out)(query.explain())
    (batches, out.toString("UTF-8"))
  }

  private def fill(): Unit = {
    sql(s"""INSERT INTO $name VALUES
      (1, named_struct('a', 1, 'b', 'one', 'x y', named_struct('c', 11, 'd', 12)),
        array(named_struct('p', 1, 'q', 'x'), null), map('k', named_struct('p', 5, 'q', 'y'))),
      (2, named_struct('a', null, 'b', 'two', 'x y', null), array(), map()),
      (3, null, null, null)""")
    val struct = "named_struct('a', 4, 'b', null, 'x y', named_struct('c', null, 'd', 42))"
    sql(s"INSERT INTO $name VALUES (4, $struct, null, null)"): Unit
  }

  /** Compares streams in one micro-batch, and in one for each fragment, with a batch query. */
  private def checkSame(selected: String*)(where: String): Assertion = {
    def of(frame: DataFrame) = frame.where(where).selectExpr(selected: _*)
    val expected = text(of(spark.table(name))).sorted
    val (all, _) = read(of(stream()))
    assert(all.flatten.sorted == expected, selected)
    val limited = stream("maxFragmentsPerTrigger" -> 1)
    val (some, _) = read(of(limited))
    assert(some.flatten.sorted == expected, selected)
    val changes = of(stream("readChangeFeed" -> true))
    val (feed, _) = read(changes)
    assert(feed.flatten.sorted == expected, selected)
  }

  test("only the struct fields of the query are read") {
    withTable(columns = columns) {
      fill()
      def plan(selected: String*): String = read(stream().selectExpr(selected: _*))._2
      Seq(
        Seq("s.a") -> "struct<s:struct<a:int>>",
        Seq("S.A", "iD") -> "struct<id:bigint,s:struct<a:int>>",
        Seq("s.`x y`.d", "s.b") -> "struct<s:struct<b:string,x y:struct<d:int>>>",
        Seq("list.q") -> "struct<list:array<struct<q:string>>>",
        Seq("get(list, 0).p", "s.a + 1") -> "struct<s:struct<a:int>,list:array<struct<p:int>>>",
        Seq("map['k'].q") -> "struct<map:map<string,struct<q:string>>>",
        Seq("map_values(map).p") -> "struct<map:map<string,struct<p:int>>>",
        Seq("s.a", "s") -> "struct<s:struct<a:int,b:string,x y:struct<c:int,d:int>>>"
      ).foreach { case (selected, schema) =>
        val explained = plan(selected: _*)
        assert(explained.contains(s"stream, $schema"), explained)
      }
      val filtered = read(stream().where("s.b = 'one' AND s IS NOT NULL").select("s.a"))
      assert(filtered._1.flatten == Seq("1"))
      assert(filtered._2.contains("stream, struct<s:struct<a:int,b:string>>"), filtered._2)
      spark.conf.set("spark.sql.optimizer.nestedSchemaPruning.enabled", "false")
      try assert(plan("s.a", "1").contains("struct<s:struct<a:int,b:string,x y:"))
      finally spark.conf.unset("spark.sql.optimizer.nestedSchemaPruning.enabled")
    }
  }

  test("streams and batch queries return the same struct fields") {
    for (stable <- Seq(true, false)) withTable(stable, columns) {
      fill()
      val cases = Seq(
        Seq("s.a") -> "true",
        Seq("S.A", "s.A IS NULL", "id") -> "s IS NOT NULL",
        Seq("s IS NULL", "s.`x y`.d") -> "true",
        Seq("s.`x y`.c") -> "s.b <> 'two' OR s.b IS NULL",
        Seq("list.p", "size(list)") -> "true",
        Seq("get(list, 0).q", "map['k'].p") -> "id < 3",
        Seq("map_values(map).q", "map_keys(map)") -> "true",
        Seq("explode(list.p) AS p", "id") -> "true",
        Seq("s", "s.a") -> "s.a IS NOT NULL"
      )
      TestRun.share(if (stable) 0 else 1, 2, cases).foreach { case (selected, where) =>
        checkSame(selected: _*)(where)
      }
    }
  }

  test("fields that were added later are null in older fragments, and null structs stay null") {
    var checks = 0
    for (stable <- Seq(true, false)) withTable(stable, columns) {
      fill()
      sql(s"ALTER TABLE $name ADD COLUMNS (s.e INT, list.element.r INT, s.`x y`.f STRING)")
      val cases = Seq(
        Seq("s.e", "s IS NULL", "id") -> "true",
        Seq("id") -> "s.e IS NULL AND s IS NOT NULL",
        Seq("list.r", "size(list)") -> "true",
        Seq("s.`x y`.f", "s.`x y` IS NULL", "s IS NULL") -> "true",
        Seq("s.e", "s.a") -> "s IS NOT NULL"
      )
      def check(): Unit = {
        checks += 1
        TestRun.share(checks, cases.length, cases).foreach { case (selected, where) =>
          checkSame(selected: _*)(where)
        }
      }
      check()
      sql(s"""INSERT INTO $name VALUES
        (5, named_struct('a', 1, 'b', 'one', 'x y', named_struct('c', 11, 'd', 12, 'f', 'z'),
            'e', 9),
          array(named_struct('p', 1, 'q', 'x', 'r', 7)), null), (6, null, null, null)""")
      check()
      sql(s"DELETE FROM $name WHERE id IN (1, 6)")
      sql(s"UPDATE $name SET s.e = 8 WHERE id = 2")
      check()
      sql(s"OPTIMIZE $name")
      check()
    }
  }

  test("a query continues after fields were added, renamed, and dropped") {
    withTable(columns = "id BIGINT, s STRUCT<a: INT, b: STRING>") {
      sql(s"INSERT INTO $name VALUES (1, named_struct('a', 1, 'b', 'x')), (2, null)")
      assert(drain(stream().select("id", "s.a")).flatten.sorted == Seq("1,1", "2,null"))
      sql(s"INSERT INTO $name VALUES (3, named_struct('a', 3, 'b', 'y')), (4, null)")
      sql(s"ALTER TABLE $name ADD COLUMN s.e INT")
      sql(s"ALTER TABLE $name RENAME COLUMN s.b TO a2")
      sql(s"INSERT INTO $name VALUES (5, named_struct('a', 5, 'a2', 'z', 'e', 50)), (6, null)")
      sql(s"ALTER TABLE $name DROP COLUMN s.a")
      sql(s"INSERT INTO $name VALUES (7, named_struct('a2', 'w', 'e', 70)), (8, null)")
      val rest = stream("maxFragmentsPerTrigger" -> 1)
        .selectExpr("id", "s.e", "s.a2", "s IS NULL AS n")
      val batches = drain(rest)
      assert(batches.flatten == Seq(
        "3,null,y,false",
        "4,null,null,true",
        "5,50,z,false",
        "6,null,null,true",
        "7,70,w,false",
        "8,null,null,true"
      ))
      assert(batches.length == 6)
      // Only the added field, from commits before and after it was added.
      val added = stream("startingVersion" -> 2, "readChangeFeed" -> true)
        .selectExpr("id", "s.e", "s IS NULL AS n", "_change_type")
      assert(drain(added, other("added")).flatten.sorted ==
        Seq(
          "1,null,false",
          "2,null,true",
          "3,null,false",
          "4,null,true",
          "5,50,false",
          "6,null,true",
          "7,70,false",
          "8,null,true"
        ).map(_ + ",insert"))
    }
  }

  test("fragments without a field do not change the state of a query") {
    withTable(columns = "id BIGINT, s STRUCT<a: INT, b: STRING>") {
      sql(s"INSERT INTO $name VALUES (1, named_struct('a', 1, 'b', 'x')), (2, null)")
      sql(s"ALTER TABLE $name ADD COLUMN s.e INT")
      def distinct() =
        drain(stream("maxFragmentsPerTrigger" -> 1).select("s.e").dropDuplicates("e"))
      assert(distinct().flatten == Seq("null"))
      sql(s"INSERT INTO $name VALUES (3, named_struct('a', 3, 'b', 'y', 'e', 5)), (4, null)")
      sql(s"INSERT INTO $name VALUES (5, named_struct('a', 3, 'b', 'y', 'e', 5))")
      assert(distinct().flatten == Seq("5"))
      sql(s"INSERT INTO $name VALUES (6, named_struct('a', 3, 'b', 'y', 'e', 6))")
      assert(distinct().flatten == Seq("6"))
      def joined() = {
        val left = stream().selectExpr("id AS l", "s")
        val right = stream().selectExpr("id AS r", "s AS t")
        drain(left.join(right, left("l") === right("r")).select("l", "s.e", "t.a"), other("join"))
      }
      assert(joined().flatten.sorted ==
        Seq("1,null,1", "2,null,null", "3,5,3", "4,null,null", "5,5,3", "6,6,3"))
      sql(s"INSERT INTO $name VALUES (7, named_struct('a', 7, 'b', 'y', 'e', 8))")
      assert(joined().flatten == Seq("7,8,7"))
    }
  }

  test("struct fields of tables that pylance wrote and changed") {
    val other = folder.resolve("p").toString
    Pylance.write("[{'id': i, 's': {'a': i, 'b': str(i)} if i else None} for i in range(3)]", other)
    def read(select: String*): Seq[Seq[String]] = drain(
      spark.readStream.format("lance").load(other).selectExpr(select: _*),
      folder.resolve("c")
    )
    assert(read("s.a", "s IS NULL") == Seq(Seq("null,true", "1,false", "2,false")))
    Pylance.run(
      "lance.write_dataset(pa.table({'id': [7, 8], 's': [{'a': 9, 'b': 'x'}, None]}), path, " +
        "mode='append')\ndataset(path).optimize.compact_files()",
      "path" -> other
    )
    assert(read("s.a", "s IS NULL") == Seq(Seq("9,false", "null,true")))
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.text

import scala.util.Random

import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.text.query.MatchQuery
import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.ViewContext
import io.github.pysparklance.spark.scan.search.{SearchExec, SearchSource}
import io.github.pysparklance.spark.scan.text.TextSearchSuite._
import io.github.pysparklance.testkit.{
  Classic,
  JobWatch,
  Pylance,
  SharedSpark,
  TemporaryFolder,
  TestRun
}

/** Full-text search: `search` and the option `fullTextQuery`. */
class TextSearchSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted

  private def path: String = folder.resolve("t").toString

  private def rows(from: Int, n: Int, r: Random): DataFrame = {
    val values = (from until from + n).map { id =>
      val text =
        if (r.nextInt(12) == 0) "NULL"
        else Seq.fill(r.nextInt(9))(word(r)).mkString("'", " ", "'")
      s"($id, $text, ${id % 10})"
    }
    spark.sql(
      s"SELECT id, CAST(t AS STRING) AS t, g FROM VALUES ${values.mkString(",")} AS r(id, t, g)"
    )
  }

  private def write(frame: DataFrame, mode: String, options: (String, String)*): Unit =
    writeTo(path, frame, mode, options: _*)

  private def writeTo(
      path: String,
      frame: DataFrame,
      mode: String,
      options: (String, String)*
  ): Unit =
    frame.repartition(1).write.format("lance").mode(mode).option("maxRowsPerFile", "60")
      .options(options.toMap).save(path)

  private def index(column: String, options: String = ""): Unit = Pylance.run(
    s"dataset(path).create_scalar_index('$column', 'INVERTED'$options)\nresult = None",
    "path" -> path
  ): Unit

  private def documents(options: (String, String)*): IndexedSeq[Document] =
    spark.read.format("lance").options(options.toMap).load(path)
      .selectExpr("_rowid", "_fragid", "id", "g", "coalesce(t, '')").collect().map { r =>
        Document(
          r.getLong(0),
          r.getAs[Number](1).longValue,
          r.getInt(2),
          r.getInt(3),
          r.getString(4).split(" ").filter(_.nonEmpty).toIndexedSeq
        )
      }.toIndexedSeq

  private def search(words: String, arguments: String*): DataFrame = {
    val all = Seq(s"'$path'", s"'$words'", "search_columns => 't'") ++ arguments
    spark.sql(s"SELECT * FROM search(${all.mkString(", ")})")
  }

  private def found(frame: DataFrame): IndexedSeq[(Int, Float)] =
    frame.select("id", "_score").collect().map(r => (r.getInt(0), r.getFloat(1))).toIndexedSeq

  /** Checks scores to 1e-4, and the ids of rows with higher scores than the last one. */
  private def same(
      found: IndexedSeq[(Int, Float)],
      expected: IndexedSeq[(Int, Float)]
  ): Assertion = {
    assert(found.length == expected.length)
    found.zip(expected).foreach { case ((_, a), (_, b)) =>
      assert(math.abs(a - b) <= 1e-4 * math.abs(b), s"$found, not $expected")
    }
    val last = expected.lastOption.fold(0f)(_._2 * 1.0002f)
    assert(
      found.filter(_._2 > last).map(_._1).toSet == expected.filter(_._2 > last).map(_._1).toSet
    )
  }

  private def failure(body: => Any): String = intercept[Exception](body).getMessage

  for {
    stable <- Seq("false", "true")
    indexed <- Seq(false, true)
  } test(
    s"scores equal the scores of a comparison of all rows, index $indexed, stable row ids $stable, after changes"
  ) {
    val r = new Random(TestRun.seed)
    write(rows(0, 200, r), "overwrite", "enableStableRowIds" -> stable)
    val atIndex = if (indexed) documents() else IndexedSeq.empty
    if (indexed) index("t", ", stem=False, remove_stop_words=False")
    val covered = atIndex.map(_.fragment).toSet
    spark.sql(s"DELETE FROM lance.`$path` WHERE id % 7 = 3")
    write(rows(200, 80, r), "append")
    spark.sql(s"UPDATE lance.`$path` SET t = 'w1 w2 w2' WHERE id IN (11, 120, 220)")
    val live = documents()
    def expected(words: String, k: Int, where: Document => Boolean, needsAll: Boolean = false) =
      best(words.split(" ").toIndexedSeq, k, live.filter(where), atIndex, covered, needsAll)
    withClue(s"seed ${TestRun.seed}L: ") {
      (1 to (if (TestRun.isLong) 6 else 3)).foreach { i =>
        val words = Seq.fill(i % 3 + 1)(word(r)).distinct.mkString(" ")
        for (k <- Seq(1, 10, 1000))
          same(found(search(words, s"k => $k")), expected(words, k, _ => true))
        same(
          found(search(words, "operator => 'and'", "k => 20")),
          expected(words, 20, _ => true, needsAll = true)
        )
        same(
          found(search(words, "filter => 'g IN (2, 5)'", "k => 7")),
          expected(words, 7, d => d.g == 2 || d.g == 5)
        )
        // A condition that Spark evaluates.
        same(
          found(search(words, "filter => 'length(string(id)) = 2'", "k => 7")),
          expected(words, 7, _.id.toString.length == 2)
        )
        assert(found(search(words, "filter => 'id < 0'")).isEmpty)
        val all = found(search(words, "k => 30"))
        assert(found(search(words, "k => 30", "filter => 'g = 2'", "prefilter => false")) ==
          all.filter(_._1 % 10 == 2))
        assert(found(search(words, "k => 5", "offset => 4")) == all.slice(4, 9))
        if (indexed) {
          val fast = found(search(words, "k => 1000", "fast_search => true")).map(_._1).toSet
          assert(fast == found(search(words, "k => 1000")).map(_._1).toSet
            .intersect(live.filter(d => covered(d.fragment)).map(_.id).toSet))
        }
      }
    }
  }

  test("rows are ordered by descending score and row id, with their columns") {
    val r = new Random(TestRun.seed)
    write(
      rows(0, 150, r).selectExpr("id", "t", "g", "named_struct('a', id * 2, 'b', t) AS s"),
      "overwrite"
    )
    val all = search("w1 w2", "k => 60", "with_row_id => true")
    assert(all.columns.toSeq == Seq("id", "t", "g", "s", "_score", "_rowid"))
    val ordered = all.collect().map(r => (r.getFloat(4), r.getLong(5))).toSeq
    assert(ordered == ordered.sortBy { case (score, id) => (-score, id) } && ordered.nonEmpty)
    all.collect().foreach(row =>
      assert(row.getStruct(3) == Row(row.getInt(0) * 2, row.getString(1)))
    )
    val some = search("w1", "k => 3", "columns => array('s.b', 'id')")
    assert(some.columns.toSeq == Seq("b", "id", "_score"))
    assert(search("w1", "k => 3").count() == 3)
    assert(search("w1", "k => 9").where("id % 2 = 0").collect().map(_.getInt(0)).toSet ==
      found(search("w1", "k => 9")).map(_._1).filter(_ % 2 == 0).toSet)
    assert(search("w1", "k => 4").join(spark.read.format("lance").load(path), "id").count() == 4)
    val nested = found(search("w1", "k => 9"))
    assert(
      found(spark.sql(s"SELECT * FROM search('$path', 'w1', 9, search_columns => 's.b')")) == nested
    )
    // Two children of one struct, and a column and a child
    val both = s"SELECT * FROM search('$path', 'w1', 9, search_columns => array('s.b', 't'))"
    assert(found(spark.sql(both)) == nested)
  }

  test("columns with special names, CHAR and VARCHAR, lists, and several children of a struct") {
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.text")
    spark.sql("DROP TABLE IF EXISTS lake.text.odd")
    spark.sql(
      """CREATE TABLE lake.text.odd (id INT, `a-b` STRING, `Wörter (x)` STRING, c CHAR(12), v VARCHAR(20),
        |  l ARRAY<STRING>, s STRUCT<p: STRING, `q.r`: STRING>)""".stripMargin
    )
    spark.sql(
      """INSERT INTO lake.text.odd VALUES
        |  (1, 'one fox', 'two fox', 'red fox', 'blue fox', array('big', 'fox'),
        |    named_struct('p', 'fox', 'q.r', 'cat')),
        |  (2, 'dog', 'dog', 'dog', 'dog', array('dog', NULL), named_struct('p', 'cat', 'q.r', 'fox')),
        |  (3, NULL, NULL, NULL, NULL, NULL, NULL)""".stripMargin
    )
    def ids(column: String, more: String = ""): Set[Int] = spark.sql(
      s"SELECT id FROM search('lake.text.odd', 'foxes', search_columns => array($column)$more)"
    ).collect().map(_.getInt(0)).toSet
    Seq("'`a-b`'", "'a-b'", "'`Wörter (x)`'", "'wörter (X)'", "'c'", "'v'", "'l'", "'s.p'", "'S.p'")
      .foreach(c => assert(ids(c) == Set(1), c))
    assert(ids("'s.`q.r`'") == Set(2))
    assert(ids("'s.p', 's.`q.r`'") == Set(1, 2))
    Seq("c", "v").foreach { c =>
      assert(ids(s"'$c'", ", filter => '" + c + " <> \"dog\"'") == Set(1))
    }
    assert(ids("'l'", ", filter => '`a-b` LIKE \"%f_x\"'") == Set(1))
  }

  test("versions, tags, branches, and names in views are searched") {
    val r = new Random(TestRun.seed)
    write(rows(0, 50, r), "overwrite")
    spark.sql(s"ALTER TABLE lance.`$path` CREATE TAG first")
    spark.sql(s"ALTER TABLE lance.`$path` CREATE BRANCH side")
    write(rows(50, 50, r), "append")
    def expected(options: (String, String)*) =
      best(IndexedSeq("w1"), 10, documents(options: _*), IndexedSeq.empty, Set.empty)
    same(found(search("w1", "version => 1")), expected("version" -> "1"))
    same(found(search("w1", "tag => 'first'")), expected("version" -> "1"))
    spark.sql(s"DELETE FROM lance.`$path`.branch_side WHERE id < 20")
    same(found(search("w1", "branch => 'side'")), expected("branch" -> "side"))
    val json = """{"query": "w1", "column": "t"}"""
    same(
      found(spark.read.format("lance").option(
        "fullTextQuery",
        json
      ).option("version", "1").load(path)),
      expected("version" -> "1")
    )
    same(found(search("w1")), expected())
  }

  test("names in views and their filters are resolved where the view was created") {
    named("viewed", "fox")
    spark.sql("USE lake.text")
    try spark.sql(
        """CREATE OR REPLACE TEMPORARY VIEW texts_viewed AS
          |SELECT id FROM search('viewed', 'fox', search_columns => 't',
          |  filter => 'id IN (SELECT id + 1 FROM viewed WHERE id < 3)')""".stripMargin
      ): Unit
    finally spark.sql("USE spark_catalog.default"): Unit
    try assert(
        spark.sql("SELECT * FROM texts_viewed").collect().map(_.getInt(0)).toSet == Set(1, 2, 3)
      )
    finally spark.sql("DROP VIEW texts_viewed"): Unit
  }

  private def named(name: String, text: String): Unit = {
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.text")
    spark.sql(s"DROP TABLE IF EXISTS lake.text.$name")
    spark.sql(
      s"CREATE TABLE lake.text.$name AS SELECT int(id) AS id, '$text' AS t FROM range(9)"
    ): Unit
  }

  test("the relation has the name of the table, and other searches are other relations") {
    named("authorized", "fox")
    def one(word: String) =
      s"SELECT id FROM search('lake.text.authorized', '$word', 2, search_columns => 't')"
    val plan = spark.sql(one("fox")).queryExecution.analyzed
    val relation = plan.collectFirst { case r: DataSourceV2Relation => r }.get
    assert(relation.catalog.map(_.name()).contains("lake"))
    assert(relation.identifier.map(_.toString).contains("text.authorized"))
    assert(spark.sql(s"${one("fox")} UNION ALL ${one("dog")} UNION ALL ${one("fox")}").count() == 4)
    val cached = spark.sql(one("fox")).cache()
    try {
      assert(cached.count() == 2)
      named("authorized", "dog")
      assert(spark.sql(one("fox")).count() == 0)
    } finally cached.unpersist(): Unit
  }

  test("a cached search is reused only if its filter has the same meaning") {
    named("cached", "fox")
    def texts(filter: String): DataFrame = spark.sql(
      s"SELECT id FROM search('lake.text.cached', 'fox', 9, search_columns => 't', filter => '$filter')"
    )
    val zone = spark.conf.get("spark.sql.session.timeZone")
    val (picked, timed) = (
      "id IN (SELECT id FROM picked_texts)",
      "timestamp_seconds(id) >= \"1970-01-01 00:00:03\""
    )
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    spark.range(2).createOrReplaceTempView("picked_texts")
    val cached = Seq(texts(picked).cache(), texts(timed).cache())
    try {
      assert(cached.map(_.count()) == Seq(2L, 6L))
      spark.range(5).createOrReplaceTempView("picked_texts")
      assert(texts(picked).count() == 5 && texts(timed).count() == 6)
      spark.conf.set("spark.sql.session.timeZone", "America/Los_Angeles")
      assert(texts(timed).count() == 0)
      def keep(limit: Long): Unit = {
        spark.udf.register("keep_text", (id: Long) => id < limit): Unit
      }
      keep(3)
      val called = texts("keep_text(id)").cache()
      try {
        assert(called.count() == 3)
        keep(5)
        assert(texts("keep_text(id)").count() == 5)
      } finally called.unpersist(): Unit
    } finally {
      spark.conf.set("spark.sql.session.timeZone", zone)
      cached.foreach(_.unpersist())
      spark.sql("DROP VIEW picked_texts"): Unit
    }
  }

  test("a filter keeps its meaning after the session changes") {
    named("filtered", "fox")
    Seq("one" -> 2, "two" -> 5).foreach { case (namespace, numRows) =>
      spark.sql(s"CREATE NAMESPACE IF NOT EXISTS lake.$namespace")
      spark.sql(s"DROP TABLE IF EXISTS lake.$namespace.picked")
      spark.sql(s"CREATE TABLE lake.$namespace.picked AS SELECT int(id) AS id FROM range($numRows)")
    }
    val zone = spark.conf.get("spark.sql.session.timeZone")
    def set(namespace: String, zone: String): Unit = {
      spark.sql(s"USE $namespace"): Unit
      spark.conf.set("spark.sql.session.timeZone", zone)
    }
    try {
      set("lake.one", "UTC")
      val found = for {
        filter <- Seq(
          "id IN (SELECT id FROM picked)",
          "timestamp_seconds(id) >= \"1970-01-01 00:00:03\""
        )
        prefilter <- Seq(true, false)
      } yield spark.sql(
        "SELECT id FROM search('lake.text.filtered', 'fox', 9, search_columns => 't', " +
          s"filter => '$filter', prefilter => $prefilter)"
      )
      set("lake.two", "America/Los_Angeles")
      assert(found.map(_.count()) == Seq(2L, 2L, 6L, 6L))
    } finally set("spark_catalog.default", zone)
  }

  test("phrases are found by an index without positions, whose candidates are read") {
    val r = new Random(TestRun.seed)
    write(rows(0, 300, r), "overwrite")
    spark.sql(s"DELETE FROM lance.`$path` WHERE id % 7 = 3")
    def structured(words: String): DataFrame = {
      val query = s"""{"boolean": {"must": [{"phrase": {"terms": "$words", "column": "t"}}],
        "must_not": [{"match": {"terms": "w3", "column": "t"}}]}}"""
      spark.sql(s"SELECT * FROM search('$path', '$query', 1000)")
    }
    val phrases = for (a <- 0 to 3; b <- 0 to 2) yield s"w$a w$b"
    def all() = phrases.flatMap { words =>
      Seq(
        search(words, "slop => 0", "k => 1000"),
        search(words, "slop => 2", "k => 7"),
        search(words, "slop => 0", "k => 1000", "filter => 'g < 5'"),
        structured(words)
      ).map(found(_))
    }
    withClue(s"seed ${TestRun.seed}L: ") {
      index("t", ", stem=False, remove_stop_words=False")
      val verified = all()
      assert(failure(search("w1 w2", "slop => 0", "fast_search => true").collect())
        .contains("no positions"))
      index("t", ", stem=False, remove_stop_words=False, with_position=True")
      verified.zip(all()).foreach { case (a, b) => same(a, b) }
      assert(verified.exists(_.nonEmpty))
      index("t", ", stem=False, remove_stop_words=False")
      write(rows(300, 60, r), "append")
      phrases.foreach { words =>
        assert(
          found(search(words, "slop => 1", "k => 1000")).map(_._1).toSet ==
            found(search(words, "slop => 1", "k => 1000", "use_index => false")).map(_._1).toSet
        )
      }
    }
  }

  test("tasks search the partitions of a large index") {
    val r = new Random(TestRun.seed)
    write(rows(0, 200, r), "overwrite")
    spark.sql(s"CREATE INDEX words ON lance.`$path` USING inverted (t) OPTIONS (stem = false)")
    write(rows(200, 80, r), "append")
    spark.sql(s"OPTIMIZE INDEX words ON lance.`$path` WITH (num_indices_to_merge = 0)")
    write(rows(280, 20, r), "append")
    val table = spark.read.format("lance").load(path).queryExecution.analyzed
      .collectFirst { case d: DataSourceV2Relation => d.table }
      .collect { case t: LanceSparkTable => t }.get
    val source = SearchSource(
      table,
      table.table,
      table.loaded.types.fields(table.table.schema),
      CaseInsensitiveStringMap.empty,
      ViewContext.current
    )
    for (filter <- Seq(None, Some("g < 6"))) {
      val request =
        new TextArguments(
          "test",
          Seq("query" -> "w1 w2", "search_columns" -> Seq("t"), "k" -> 25) ++
            filter.map("filter" -> _)
        ).request
      def run(docsOnDriver: Long) = {
        val search = new TextRowSearch(
          Classic.session(spark),
          source,
          request,
          None,
          docsOnDriver
        )
        search.run().map(row => (row.rowId, row.address, row.measures.toSeq))
      }
      val numTasks = JobWatch(spark.sparkContext) { watch =>
        assert(watch.run(run(0L)) == run(Long.MaxValue))
        watch.settled().tasks.length
      }
      // Each run reads other rows on the driver, and a filter in tasks. One run searches two
      // partitions.
      if (filter.isEmpty) assert(numTasks == 2)
      assert(run(0L).length == 25)
    }
  }

  test("a search for all rows fails if there may be more than its limit") {
    val values = (1 to 60).map(i => s"($i, 'fox ${"dog " * (i % 5)}', $i)")
    write(spark.sql(s"SELECT * FROM VALUES ${values.mkString(",")} AS r(id, t, g)"), "overwrite")
    val table = spark.read.format("lance").load(path).queryExecution.analyzed
      .collectFirst { case d: DataSourceV2Relation => d.table }
      .collect { case t: LanceSparkTable => t }.get
    val source = SearchSource(
      table,
      table.table,
      table.loaded.types.fields(table.table.schema),
      CaseInsensitiveStringMap.empty,
      ViewContext.current
    )
    val arguments = Seq("query" -> "fox", "search_columns" -> Seq("t"))
    val request = new TextArguments("test", arguments).request.copy(isComplete = true)
    def run(r: TextRequest): Int =
      new TextRowSearch(Classic.session(spark), source, r, None).run().length
    assert(run(request.copy(k = 60)) == 60 && run(request.copy(k = 100)) == 60)
    val thrown = intercept[InvalidRequestException](run(request.copy(k = 59)))
    assert(thrown.getMessage.contains("more rows match") && thrown.getMessage.contains("_score"))
    assert(run(request.copy(k = 59).first(7).get) == 7)
    assert(request.copy(k = 59).first(59).get.isComplete && request.copy(isComplete =
      false
    ).first(1).isEmpty)
  }

  test("small searches run no job, and large texts are read in tasks with the same scores") {
    val r = new Random(TestRun.seed)
    write(rows(0, 200, r), "overwrite")
    index("t", ", stem=False")
    write(rows(200, 30, r), "append")
    def tasks(body: => Any): Int = JobWatch(spark.sparkContext) { watch =>
      watch.run(body): Unit
      watch.settled().tasks.length
    }
    val some = search("w1 w2")
    assert(tasks(some.collect()) == 0)
    assert(tasks(search("w1", "use_index => false").selectExpr("id * 2").collect()) == 0)
    val exec = some.queryExecution.executedPlan.collectFirst { case e: SearchExec => e }.get
    assert(exec.nodeName == "LanceTextSearch")
    assert(
      exec.metrics("lanceIndexCacheHits").value + exec.metrics("lanceIndexCacheMisses").value > 0
    )
    val plan = some.queryExecution.executedPlan.toString
    assert(plan.contains("full-text search in t by index t_idx (k 10)"), plan)
    val long = spark.range(60000).selectExpr(
      "id",
      "concat_ws(' ', IF(id % 1000 = 7, 'needle', 'straw'), repeat('x', 40), id) AS t"
    )
    val other = folder.resolve("long").toString
    writeTo(other, long, "overwrite", "maxRowsPerFile" -> "20000")
    def needle(more: String) =
      spark.sql(s"SELECT * FROM search('$other', 'needle', 100, search_columns => 't'$more)")
    val needles = needle("")
    assert(
      tasks(assert(needles.collect().map(_.getLong(0)).toSeq == (7L until 60000L by 1000))) > 1
    )
    assert(needles.collect().map(_.getFloat(2)).toSet.size == 1)
    assert(needle(", filter => 'id > 30000'").count() == 30)
  }

  test("queries in JSON, phrases, and all indexed columns") {
    write(
      spark.sql(
        """SELECT * FROM VALUES (1, 'the quick brown fox', 'x'), (2, 'a brown quick fox', 'y'),
                  |(3, 'lazy dogs', 'fox') AS r(id, t, u)""".stripMargin
      ),
      "overwrite"
    )
    index("t", ", with_position=True")
    def ids(query: String, more: String = ""): Seq[Int] =
      spark.sql(s"SELECT id FROM search('$path', '$query'$more)").collect().map(_.getInt(0)).toSeq
    assert(ids("foxes").toSet == Set(1, 2))
    assert(ids("quick brown", ", slop => 0") == Seq(1))
    assert(ids("""{"phrase": {"terms": "quick brown", "column": "t"}}""") == Seq(1))
    index("u")
    assert(ids("fox").toSet == Set(1, 2, 3))
    assert(ids("fox", ", search_columns => 'u'") == Seq(3))
    val boolean =
      """{"boolean": {"must": [{"match": {"terms": "fox"}}], "must_not": [{"match": {"terms": "x", "column": "u"}}]}}"""
    assert(ids(boolean).toSet == Set(2, 3))
    assert(ids("fux", ", fuzziness => 1, search_columns => 't'").toSet == Set(1, 2))
    assert(ids("quick brown", ", slop => 0, search_columns => 'u'").isEmpty)
    def option(value: String) =
      spark.read.format("lance").option(
        "fullTextQuery",
        value
      ).load(path).collect().map(_.getInt(0)).toSet
    assert(option("fox") == Set(1, 2, 3) && option(boolean) == Set(2, 3))
    assert(option("""{"query": {"match": {"terms": "dog"}}, "filter": "id > 1"}""") == Set(3))
    val year = TextArguments.ofOption("option", """{"query": 2026, "k": 5}""").request
    assert(year.query == MatchQuery("2026") && year.k == 5)
  }

  test("invalid arguments are rejected by name before a job runs") {
    write(rows(0, 20, new Random(1)), "overwrite")
    def call(arguments: String*): String = failure(search("w1", arguments: _*))
    def sql(q: String) = failure(spark.sql(s"SELECT * FROM search('$path', $q)"))
    assert(sql("'w1'").contains("no full-text index"))
    assert(sql(
      "'w1', search_columns => 'nothing'"
    ).contains("no column nothing; its columns with text are t"))
    assert(sql("'w1', search_columns => 'id'").contains("strings"))
    assert(sql("'w1', search_columns => array()").contains("search_columns is empty"))
    assert(sql("NULL").contains("missing or null"))
    assert(sql("string(rand())").contains("not constant"))
    assert(sql("'{\"match\": {}}'").contains("lacks terms"))
    assert(sql(
      "'{\"match\": {\"terms\": \"a\", \"column\": \"t\"}}', fuzziness => 1"
    ).contains("combined"))
    assert(sql("'{\"combined_fields\": {}}'").contains("combined_fields"))
    assert(call("k => 0").contains("k must be"))
    assert(call("flavor => 3").contains("no argument flavor"))
    assert(call("k => 3", "limit => 4").contains("given twice"))
    assert(call("operator => 'xor'").contains("AND or OR"))
    assert(call("slop => 1", "operator => 'and'").contains("operator cannot be combined with slop"))
    assert(call("fuzziness => -1").contains("fuzziness must be"))
    assert(call("filter => 'nothing = 1'").contains("nothing"))
    assert(call("k => 20000000").contains("a search returns at most"))
    assert(failure(search("w1", "fast_search => true").collect()).contains("fast_search"))
    assert(search("w100", "fuzziness => 2", "k => 50").count() > 0)
    def option(options: (String, String)*) =
      failure(spark.read.format("lance").options(options.toMap).load(path))
    assert(option("fullTextQuery" -> "w1", "nearest" -> "{}").contains("two searches"))
    assert(option("fullTextQuery" -> "{}").contains("missing or null"))
    val json = """{"query": "w1", "column": "t"}"""
    assert(option(
      "fullTextQuery" -> json,
      "includeDeletedRows" -> "true"
    ).contains("includeDeletedRows"))
    named("optioned", "fox")
    assert(failure(spark.read.option("fullTextQuery", "fox").table("lake.text.optioned").collect())
      .contains("search(table, query"))
    val other = folder.resolve("other").toString
    writeTo(other, spark.sql("SELECT 'a' AS t, 2 AS _score"), "overwrite")
    assert(failure(spark.sql(s"SELECT * FROM search('$other', 'a', search_columns => 't')"))
      .contains("column _score"))
  }
}

object TextSearchSuite {

  /** A row of the table.
    *
    * @param terms terms of its text
    */
  final case class Document(rowId: Long, fragment: Long, id: Int, g: Int, terms: IndexedSeq[String])

  /** Words with different frequencies. */
  def word(r: Random): String = s"w${(math.pow(r.nextDouble(), 2) * 12).toInt}"

  /** The best rows by BM25 of all rows.
    *
    * @param rows rows that may be found
    * @param indexed documents of the index, including deleted ones
    * @param covered ids of the fragments of the index
    */
  def best(
      words: IndexedSeq[String],
      k: Int,
      rows: IndexedSeq[Document],
      indexed: IndexedSeq[Document],
      covered: Set[Long],
      needsAll: Boolean = false
  ): IndexedSeq[(Int, Float)] = {
    val inIndex = indexed.filter(_.terms.nonEmpty)
    val others = rows.filter(d => !covered(d.fragment) && d.terms.nonEmpty)
    def score(d: Document): Double = {
      val all = if (covered(d.fragment)) inIndex else inIndex ++ others
      val average = all.map(_.terms.length).sum.toDouble / all.length
      words.map { w =>
        val n = all.count(_.terms.contains(w))
        val f = d.terms.count(_ == w)
        val idf = math.log((all.length - n + 0.5) / (n + 0.5) + 1)
        if (f == 0) 0.0
        else idf * 2.2 * f / (f + 1.2 * (0.25 + 0.75 * d.terms.length / average))
      }.sum
    }
    rows.filter { d =>
      if (needsAll) words.forall(d.terms.contains) else words.exists(d.terms.contains)
    }.map(d => (d, score(d).toFloat)).sortBy { case (d, s) => (-s, d.rowId) }.take(k)
      .map { case (d, s) => (d.id, s) }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.vector.VectorFixturesSuite
import io.github.pysparklance.index.vector.segment.VectorSegment
import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.ViewContext
import io.github.pysparklance.spark.scan.search.SearchSource
import io.github.pysparklance.testkit.{
  RecordedSearch,
  SharedSpark,
  TemporaryFolder,
  VectorCase,
  VectorFixtures
}

/** `vector_search` by vector indices of other writers. */
class NearestIndexSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted

  private def vectors(c: VectorCase, q: RecordedSearch): String = {
    val all = q.vectors.map(_.mkString("[", ",", "]"))
    if (c.family.endsWith("multi")) all.mkString("'[", ",", "]'") else s"'${all.head}'"
  }

  private def search(c: VectorCase, q: RecordedSearch, more: String*): IndexedSeq[(Long, Float)] = {
    val arguments = Seq(
      s"'${c.path.toAbsolutePath}'",
      vectors(c, q),
      s"k => ${q.k}",
      "vector_column => 'v'",
      s"distance_type => '${c.metric}'",
      s"nprobes => ${q.nprobes}",
      s"refine_factor => ${q.refineFactor.getOrElse(0)}"
    ) ++ q.ef.map(n => s"ef => $n") ++ q.filter.map(f => s"filter => '$f'") ++
      q.range.toSeq.flatMap { case (least, most) =>
        // The reference takes bounds on the scale of the index.
        val scale = if (c.metric == "cosine" && !c.family.endsWith("flat")) 2 else 1
        Seq(s"lower_bound => ${least / scale}D", s"upper_bound => ${most / scale}D")
      } ++ more
    spark.sql(s"SELECT id, _distance FROM vector_search(${arguments.mkString(", ")})").collect()
      .map(r => r.getLong(0) -> r.getFloat(1)).toIndexedSeq
  }

  private val cases = VectorFixtures.kept.filterNot(_.family.endsWith("multi"))

  VectorFixtures.kept.foreach { c =>
    test(s"finds the rows of the reference in ${c.name}") {
      c.queries.zipWithIndex.foreach { case (q, i) =>
        withClue(s"query $i: ")(VectorFixturesSuite.check(c, q, search(c, q)))
      }
    }
  }

  test("a search without the index is exact") {
    VectorFixtures.kept.foreach { c =>
      c.queries.filter(q => q.filter.isEmpty && q.range.isEmpty).take(1).foreach { q =>
        val found = search(c, q, "use_index => false").take(q.exact.length)
        val wanted = q.exact.take(found.length)
        withClue(c.name) {
          found.map(_._2).zip(wanted.map(_._2)).foreach { case (d, e) =>
            assert(math.abs(d - e) <= 1e-3 * math.max(1f, math.abs(e)))
          }
        }
      }
    }
  }

  test("several queries in lists of vectors are a batch, and a join") {
    val c = VectorFixtures.kept.find(_.family.endsWith("multi")).get
    val some = c.queries.filter(q => q.filter.isEmpty && q.range.isEmpty).take(3)
    val path = c.path.toAbsolutePath
    def arrays(q: RecordedSearch): String =
      q.vectors.map(_.mkString("array(", "D, ", "D)")).mkString("array(", ", ", ")")
    for (arguments <- Seq("5, nprobes => 1000, refine_factor => 3", "5, use_index => false")) {
      def single(q: RecordedSearch) =
        spark.sql(s"SELECT id, _distance FROM vector_search('$path', ${arrays(q)}, $arguments)")
      val wanted = some.indices.flatMap(i => rows(single(some(i))).map(r => (i, r._1, r._2)))
      def tuples(frame: DataFrame) =
        frame.collect().map(r => (r.getInt(0), r.getLong(1), r.getFloat(2))).toSeq
      val batch = some.map(arrays).mkString("array(", ", ", ")")
      assert(tuples(spark.sql(
        s"SELECT query_index, id, _distance FROM vector_search('$path', $batch, $arguments)"
      )) == wanted)
      val left = some.indices.map(i => s"($i, ${arrays(some(i))})").mkString(", ")
      assert(tuples(spark.sql(
        s"""SELECT i, n.id, n._distance FROM VALUES $left AS q(i, vec),
           |LATERAL vector_search('$path', q.vec, $arguments) n ORDER BY i, _distance, id""".stripMargin
      )).toSet == wanted.toSet)
    }
    val e = intercept[AnalysisException](
      spark.sql(s"SELECT * FROM vector_search('${cases.head.path.toAbsolutePath}', '[[[1,2]]]')")
    )
    assert(e.getMessage.contains("one vector for each row"), e)
  }

  private def copy(c: VectorCase): Path = {
    val to = folder.resolve(c.name.replace('/', '-'))
    Using.resource(Files.walk(c.path))(_.iterator.asScala.toIndexedSeq).foreach { file =>
      val target = to.resolve(c.path.relativize(file).toString)
      if (Files.isDirectory(file)) Files.createDirectories(target) else Files.copy(file, target)
    }
    to
  }

  /** Copies a table and cuts the codes of the first `numSegments` segments of its index. */
  private def damaged(c: VectorCase, file: String, numSegments: Int): Path = {
    val to = copy(c)
    Using.resource(Files.walk(to.resolve("_indices")))(_.iterator.asScala.toIndexedSeq)
      .filter(_.getFileName.toString == file).sorted.take(numSegments)
      .foreach(f => Files.write(f, Files.readAllBytes(f).take(40)))
    to
  }

  private def call(path: Path, q: Array[Double], more: String*): DataFrame =
    spark.sql(
      s"SELECT id, _distance FROM vector_search('${path.toAbsolutePath}', '${q.mkString("[", ",", "]")}'" +
        more.map(", " + _).mkString + ")"
    )

  private def rows(found: DataFrame): Seq[(Long, Float)] =
    found.collect().map(r => r.getLong(0) -> r.getFloat(1)).toSeq

  test("a damaged index does not change the metric") {
    cases.filter(c => Set("cosine", "dot")(c.metric)).foreach { c =>
      val path = damaged(c, VectorSegment.indexFile, Int.MaxValue)
      val q = c.queries.head.vectors.head
      val exact = rows(call(path, q, s"metric => '${c.metric}'"))
      assert(exact.length == 10)
      withClue(s"${c.name}: ")(assert(rows(call(path, q)) == exact))
    }
  }

  test("a damaged index of an early release, whose details are empty, requires a metric") {
    val c = cases.find(_.writtenBy == "0.19.2").get
    val path = damaged(c, VectorSegment.indexFile, Int.MaxValue)
    val q = c.queries.head.vectors.head
    val e = intercept[AnalysisException](call(path, q))
    assert(e.getMessage.contains("the metric of the index"), e)
    assert(rows(call(path, q, "metric => 'l2'")) == rows(call(path, q, "use_index => false")))
  }

  test("an index with a damaged segment finds all rows, and fast_search rejects it") {
    val c = cases.find(_.name.endsWith("ivf_pq-plain-delta")).get
    val q = c.queries.head.vectors.head
    Seq(VectorSegment.indexFile, VectorSegment.codeFile).foreach { file =>
      val path = damaged(c, file, 1)
      val exact = rows(call(path, q, "use_index => false"))
      val found = rows(call(path, q, "maximum_nprobes => 1000", "minimum_nprobes => 1000"))
      assert(found.map(_._2).zip(exact.map(_._2)).forall { case (d, e) =>
        math.abs(d - e) <= 1e-4 * math.max(1f, e)
      })
      val e = intercept[Exception](call(path, q, "fast_search => true").collect())
      assert(e.getMessage.contains("fast_search reads only the index"), e)
      Using.resource(Files.walk(path))(_.iterator.asScala.toIndexedSeq).reverse
        .foreach(Files.delete(_))
    }
  }

  test("after a segment fails in a search, no distances of codes are returned") {
    val c = cases.find(_.name.endsWith("ivf_sq-cosine-plain-fresh")).get
    val path = damaged(c, VectorSegment.codeFile, 1)
    val q = c.queries.head.vectors.head
    assert(rows(call(path, q, "metric => 'cosine'")) ==
      rows(call(path, q, "metric => 'cosine'", "use_index => false")))
  }

  test("no row has a cosine distance to a vector of zeros") {
    val c = cases.find(_.name.endsWith("ivf_sq-cosine-plain-fresh")).get
    val zeros = new Array[Double](c.queries.head.vectors.head.length)
    assert(rows(call(c.path, zeros)).isEmpty)
    assert(rows(call(c.path, zeros, "metric => 'cosine'", "use_index => false")).isEmpty)
  }

  test("bounds are in the unit of the metric") {
    val c = cases.find(_.name.endsWith("ivf_sq-cosine-plain-fresh")).get
    val q = c.queries.head.vectors.head
    val all = rows(call(c.path, q, "nprobes => 1000", "refine_factor => 1"))
    val bound = all(5)._2
    val found = rows(call(c.path, q, "nprobes => 1000", s"upper_bound => ${bound}D"))
    assert(found.length >= 4 && found.length <= 7, s"$found, $all")
    assert(rows(call(
      c.path,
      q,
      "nprobes => 1000",
      "refine_factor => 3",
      s"upper_bound => ${bound}D"
    )) == all.filter(_._2 < bound))
  }

  test("ef may be less than the rows that are refined by default") {
    val c = cases.find(_.family == "hnsw_pq").get
    assert(rows(call(c.path, c.queries.head.vectors.head, "ef => 50")).length == 10)
  }

  test("the plan shows the index, and fast_search reads only the index") {
    val c = cases.find(_.name.contains("ivf_sq-dot")).get
    val sql =
      s"vector_search('${c.path.toAbsolutePath}', '${c.queries.head.vectors.head.mkString("[", ",", "]")}', 5"
    val plan = spark.sql(s"SELECT * FROM $sql)").queryExecution.executedPlan.toString
    assert(plan.contains("(dot, k 5, index") && plan.contains("IVF_SQ"), plan)
    assert(spark.sql(s"SELECT * FROM $sql, fast_search => true)").count() == 5)
    val e = intercept[Exception] {
      spark.sql(s"SELECT * FROM $sql, fast_search => true, metric => 'l2')")
    }
    assert(e.getMessage.contains("fast_search") && e.getMessage.contains("l2"))
  }

  private def source(c: VectorCase): SearchSource = {
    val table = spark.read.format("lance").load(c.path.toString).queryExecution.analyzed
      .collectFirst { case r: DataSourceV2Relation => r.table }.get.asInstanceOf[LanceSparkTable]
    SearchSource(
      table,
      table.table,
      table.loaded.types.fields(table.table.schema),
      CaseInsensitiveStringMap.empty(),
      ViewContext.current
    )
  }

  test(
    "partitions that are large for the driver are searched in tasks, and the same rows are found"
  ) {
    val variants = IndexedSeq[Seq[(String, Any)]](
      Nil,
      Seq("refine_factor" -> 3),
      Seq("nprobes" -> 2),
      Seq("filter" -> "id % 3 = 0"),
      // rows in many partitions, one after another
      Seq("filter" -> "id % 7 = 0", "minimum_nprobes" -> 1, "refine_factor" -> 0, "k" -> 200),
      Seq("k" -> 100)
    )
    VectorFixtures.kept.zipWithIndex.foreach { case (c, number) =>
      val from = source(c)
      val all = c.queries.map(_.vectors.toIndexedSeq).toIndexedSeq
      val vectors = all.take(if (number % 2 == 0) 1 else 3)
      val isMulti = c.family.endsWith("multi")
      Seq(number % 6, (number + 3) % 6).map(variants(_)).foreach { more =>
        val arguments = Seq[(String, Any)]("column" -> "v", "q" -> vectors.head.head.toSeq) ++ more
        val asked = new NearestArguments("test", arguments).query
        val batch = asked.copy(vectors = new QueryVectors(vectors, isBatch = true, isMulti))
        val resolved = NearestTable.resolve(from, batch)
        def found(bytesHere: Long): (IndexedSeq[Seq[(Long, Float)]], Long) = {
          val search = new NearestSearch(
            spark,
            from,
            resolved.field,
            resolved.index,
            resolved.query,
            indexBytesHere = bytesHere
          )
          val rows = search.run().map(n => n.rowIds.zip(n.distances).toSeq)
          (rows, search.statistics.partitionsProbed)
        }
        val (here, probedHere) = found(Long.MaxValue)
        val (inTasks, probed) = found(-1)
        withClue(s"${c.name}, $more, ${vectors.size} queries: ") {
          // With RQ, the search skips other vectors by error bounds.
          if (c.family == "ivf_rq") {
            val both = here.zip(inTasks)
            assert(both.forall { case (a, b) =>
              a.length == b.length && a.toSet.intersect(b.toSet).size >= a.length * 8 / 10
            })
          } else assert(inTasks == here && probed == probedHere)
        }
      }
    }
  }
}

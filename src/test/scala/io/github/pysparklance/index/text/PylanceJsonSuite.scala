// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import scala.jdk.CollectionConverters._

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.text.query._
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder}

/** Searches in pylance's indices of JSON documents find the rows and scores of pylance, after any
  * changes of the table. Without the index, they find the same rows.
  */
class PylanceJsonSuite extends AnyFunSuite with TemporaryFolder {
  import PylanceJsonSuite._

  /** Writes a table with an index of the column `j`, and changes it. */
  private def write(change: String, stable: Boolean, options: String = ""): SearchedTable = {
    val path = folder.resolve(s"t${change.hashCode}$stable${options.hashCode}").toString
    Pylance.run(
      s"""
      |import random, json
      |made = random.Random(11)
      |words = ['quick', 'brown', 'foxes', 'The', 'dog', 'running', 'Café', 'fox']
      |def doc(i):
      |    if i % 17 == 3: return None
      |    if i % 29 == 5: return made.choice(['{}', '[]', 'null', '7', '"a fox"', '{"a": {}}'])
      |    text = lambda: ' '.join(made.choices(words, k=made.randint(0, 7)))
      |    d = {'a': {'b': text(), 'n': made.randint(0, 5)}, 'tags': made.choices(words, k=made.randint(0, 3)),
      |         'ok': made.random() < 0.3, 'x': made.choice([None, 1.5, 0.25, 7])}
      |    for k in list(d):
      |        if made.random() < 0.2: del d[k]
      |    return json.dumps(d, ensure_ascii=i % 2 == 0)
      |def rows(first, n):
      |    return pa.table({'id': list(range(first, first + n)),
      |                     'j': pa.array([doc(i) for i in range(first, first + n)], pa.json_())})
      |write(rows(0, 1500), path, max_rows_per_file=400, enable_stable_row_ids=stable)
      |dataset(path).create_scalar_index('j', 'INVERTED', with_position=True, $options)
      |$change
      |result = None
      |""".stripMargin,
      "path" -> path,
      "stable" -> stable
    )
    new SearchedTable(path)
  }

  private def reference(table: SearchedTable, query: String): Map[Long, Float] =
    Pylance.run(
      s"""
      import lance.query as Q
      t = dataset(path).scanner(columns=['id', '_score'], full_text_query=$query).to_table()
      result = list(zip(t['id'].to_pylist(), t['_score'].to_pylist()))
      """,
      "path" -> table.table.path
    ).elements.asScala.map(r => r.get(0).asLong -> r.get(1).floatValue).toMap

  private def assertSame(found: Map[Long, Float], wanted: Map[Long, Float]): Assertion = {
    assert(found.keySet == wanted.keySet)
    found.foreach { case (id, score) =>
      assert(math.abs(score - wanted(id)) <= 1e-4f * math.abs(wanted(id)), s"row $id")
    }
    succeed
  }

  for {
    (state, change) <- changes
    stable <- Seq(false, true)
  } test(s"$state, ${if (stable) "stable row ids" else "row addresses"}") {
    val table = write(change, stable)
    var numFound = 0
    queries.foreach { case (query, python) =>
      withClue(s"$python: ") {
        val found = table.search(query).toMap
        numFound += found.size
        // In rows outside of the index, the reference finds only similar terms of the index.
        if (!query.leaves.exists(_.isFuzzy) || state == "fresh")
          assertSame(found, reference(table, python))
        assert(table.search(query, useIndex = false).map(_._1).toSet == found.keySet)
        val limit = 7
        assert(table.search(query, Some(limit)) == table.search(query).take(limit))
      }
    }
    assert(numFound > 500)
  }

  Seq("base_tokenizer='ngram'", "block_size=256", "stem=False, max_token_length=4").foreach {
    options =>
      test(s"an index with $options") {
        val table = write("", stable = false, options)
        // In phrases of three or more terms with a slop, the reference misses occurrences.
        val compared = queries.filterNot(_._1.leaves.exists {
          case PhraseQuery(_, _, slop, _) => slop > 0 && options.contains("ngram")
          case other => other.isFuzzy
        })
        compared.foreach { case (query, python) =>
          withClue(s"$python: ")(assertSame(table.search(query).toMap, reference(table, python)))
        }
      }
  }

  test("queries that are not of the form path,type,value") {
    val table = write("", stable = false)
    Seq("fox", "a.b,string,fox", "a.b,str,fox;").foreach { text =>
      Seq(true, false).foreach { useIndex =>
        val error = intercept[InvalidRequestException](
          table.search(MatchQuery(text, Some("j")), useIndex = useIndex)
        )
        assert(error.getMessage.contains("path,type,value"))
      }
    }
  }

  test("a column without an index, and an index of a field of a struct") {
    val path = folder.resolve("nested").toString
    Pylance.run(
      """
      docs = pa.array(['{"a":"red foxes"}', None, '{"a":"dog","b":[1,2]}'], pa.json_())
      s = pa.StructArray.from_arrays([docs], fields=[pa.field('j', pa.json_())])
      write(pa.table({'id': [1, 2, 3], 's': s, 'k': docs}), path)
      dataset(path).create_scalar_index('s.j', 'INVERTED')
      result = None
      """,
      "path" -> path
    )
    val table = new SearchedTable(path)
    Seq("s.j", "k").foreach { column =>
      def ids(text: String) = table.search(MatchQuery(text, Some(column))).map(_._1)
      assert(ids("a,str,fox") == Seq(1) && ids("b,number,2;b,number,1") == Seq(3))
      assert(ids("b,number,3").isEmpty && ids("b,str,2").isEmpty)
    }
    assert(table.indices.columns.map(_.name) == Seq("s.j"))
  }
}

private object PylanceJsonSuite {

  val changes: Seq[(String, String)] = {
    val append = "write(rows(5000, 300), path, mode='append')"
    val delete = "dataset(path).delete('id % 7 = 2')"
    val compact = "dataset(path).optimize.compact_files()"
    Seq(
      "fresh" -> Nil,
      "appended" -> Seq(append),
      "two segments" -> Seq(
        append,
        "dataset(path).optimize.optimize_indices(num_indices_to_merge=0)"
      ),
      "deleted and appended" -> Seq(delete, append),
      "compacted" -> Seq(delete, compact, append),
      "merged" -> Seq(append, delete, "dataset(path).optimize.optimize_indices()")
    ).map { case (name, steps) => name -> steps.mkString("\n") }
  }

  private def leaf(text: String, more: String = "") =
    s"Q.MatchQuery('$text', 'j'${if (more.isEmpty) "" else ", " + more})"

  private def matching(text: String): (TextQuery, String) =
    MatchQuery(text, Some("j")) -> leaf(text)

  private val fox = matching("a.b,str,fox")
  private val dog = matching("a.b,str,The DOG")

  val queries: Seq[(TextQuery, String)] = Seq(
    fox,
    dog,
    matching("a.b,str,running cafe;tags,str,quick"),
    matching("a.n,number,3"),
    matching("x,number,1.5;x,null,null"),
    matching("ok,bool,true"),
    matching(",str,fox;,number,7"),
    matching("a,str,fox"),
    matching("a.b,str,the"),
    MatchQuery("a.b,str,fox;a.n,number,2", Some("j"), operator = Operator.And) ->
      leaf("a.b,str,fox;a.n,number,2", "operator=Q.FullTextOperator.AND"),
    MatchQuery("a.b,str,fix", Some("j"), fuzziness = Some(1)) -> leaf("a.b,str,fix", "fuzziness=1"),
    MatchQuery("a.c,str,fox", Some("j"), fuzziness = Some(1)) -> leaf("a.c,str,fox", "fuzziness=1"),
    MatchQuery("a.b,str,qiick", Some("j"), fuzziness = Some(2), prefixLength = 2) ->
      leaf("a.b,str,qiick", "fuzziness=2, prefix_length=2"),
    MatchQuery("a.b,str,quikc", Some("j"), fuzziness = Some(2), prefixLength = 3) ->
      leaf("a.b,str,quikc", "fuzziness=2, prefix_length=3"),
    PhraseQuery("a.b,str,quick brown", Some("j")) -> "Q.PhraseQuery('a.b,str,quick brown', 'j')",
    PhraseQuery("a.n,number,1;ok,bool,true", Some("j")) ->
      "Q.PhraseQuery('a.n,number,1;ok,bool,true', 'j')",
    PhraseQuery("a.b,str,quick dog", Some("j"), 2) ->
      "Q.PhraseQuery('a.b,str,quick dog', 'j', slop=2)",
    BooleanQuery(IndexedSeq(fox._1), IndexedSeq(dog._1), IndexedSeq(matching("ok,bool,true")._1)) ->
      ("Q.BooleanQuery([(Q.Occur.MUST, " + fox._2 + "), (Q.Occur.SHOULD, " + dog._2 +
        "), (Q.Occur.MUST_NOT, " + leaf("ok,bool,true") + ")])"),
    BoostQuery(fox._1, dog._1, 0.25f) -> s"Q.BoostQuery(${fox._2}, ${dog._2}, negative_boost=0.25)"
  )
}

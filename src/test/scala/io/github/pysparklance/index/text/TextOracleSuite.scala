// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import scala.collection.mutable
import scala.util.Random

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.text.query._
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder, TestRun}

/** Random queries on random tables find the same rows and scores as a search that reads every
  * document: after deletions and appends, with several segments, with masks, and without the index.
  */
class TextOracleSuite extends AnyFunSuite with TemporaryFolder {
  import TextOracleSuite._

  private val numTables = if (TestRun.isLong) 60 else 4

  (0 until numTables).foreach { i =>
    val options = indexOptions(i % indexOptions.length)
    test(s"table $i, an index with $options") {
      val random = new Random(TestRun.seed + i)
      val table = new ChangedTable(folder.resolve("t").toString, options, random)
      (0 until 3).foreach { step =>
        if (step > 0) table.change()
        check(table, random)
      }
    }
  }

  private def check(changed: ChangedTable, random: Random): Unit = {
    val table = new SearchedTable(changed.path)
    val parameters = table.indices.find(table.column("t"), None).get.parameters
    val oracle = new TextOracle(changed.documents, parameters)
    val isKept = (id: Long) => id % 5 == 2
    // Rows that are filtered before they are scanned do not count.
    val oracleOfKept = new TextOracle(
      changed.documents.map { case (name, docs) =>
        name -> docs.filter(d => d.isIndexed || isKept(d.id))
      },
      parameters
    )
    val live = changed.documents.map { case (name, docs) =>
      name -> docs.filter(_.isLive).map(_.copy(isIndexed = false))
    }
    val withoutIndex = new TextOracle(live, parameters)
    (0 until 12).foreach { _ =>
      val query = randomQuery(random, 2)
      withClue(s"after ${changed.changes.mkString(", ")}: $query: ") {
        val all = table.search(query)
        assertSame(all, oracle.search(query))
        assertOrdered(all)
        val limit = 1 + random.nextInt(30)
        assert(table.search(query, Some(limit)) == all.take(limit))
        val allKept = table.search(query, None, Some(isKept))
        assertSame(allKept, oracleOfKept.search(query).filter(r => isKept(r._1)))
        assert(table.search(query, Some(limit), Some(isKept)) == allKept.take(limit))
        assertSame(table.search(query, useIndex = false), withoutIndex.search(query))
        assert(table.search(query, inTasks = true) == all)
        assert(table.search(
          query,
          Some(limit),
          Some(isKept),
          inTasks = true
        ) == allKept.take(limit))
      }
    }
  }

  private def assertSame(found: IndexedSeq[(Long, Float)], wanted: Map[Long, Float]): Assertion = {
    assert(found.map(_._1).sorted == wanted.keys.toIndexedSeq.sorted)
    found.foreach { case (id, score) =>
      assert(
        math.abs(score - wanted(id)) <= 1e-4f * math.max(1e-2f, math.abs(wanted(id))),
        s"row $id"
      )
    }
    succeed
  }

  private def assertOrdered(found: IndexedSeq[(Long, Float)]): Assertion = {
    found.zip(found.drop(1)).foreach { case ((_, a), (_, b)) => assert(a >= b) }
    succeed
  }
}

private object TextOracleSuite {

  // Blocks of 256 round the lengths of documents from 16 on, which texts do not have here.
  val indexOptions: IndexedSeq[String] = IndexedSeq(
    "with_position=True",
    "with_position=True, format_version=1, remove_stop_words=False",
    "with_position=True, block_size=256, stem=False, max_token_length=5"
  )

  private val words: IndexedSeq[String] =
    ("the quick brown fox jumps over a lazy dog data base spark lance vector index table Café straße naïve " +
      "search searching searched engine engines running runs ran test tests x xx xxx").split(
      ' '
    ).toIndexedSeq

  private def word(random: Random): String =
    words((math.pow(random.nextDouble(), 2) * words.length).toInt)

  private def text(random: Random, mostWords: Int): String =
    Seq.fill(random.nextInt(mostWords + 1))(word(random)).mkString(" ")

  def randomQuery(random: Random, depth: Int): TextQuery = {
    def inner(): TextQuery = randomQuery(random, depth - 1)
    def several(least: Int): IndexedSeq[TextQuery] =
      IndexedSeq.fill(least + random.nextInt(2))(inner())
    random.nextInt(if (depth > 0) 10 else 6) match {
      case 0 | 1 => matching(random).copy(operator = Operator.Or)
      case 2 => matching(random).copy(operator = Operator.And)
      case 3 => PhraseQuery(
          Seq.fill(1 + random.nextInt(3))(word(random)).mkString(" "),
          Some(column(random)),
          random.nextInt(3)
        )
      case 4 =>
        matching(random).copy(
          text = word(random).dropRight(random.nextInt(2)),
          fuzziness = Seq(Some(1), Some(2), None)(random.nextInt(3)),
          prefixLength = random.nextInt(2),
          maxExpansions = if (random.nextBoolean()) 50 else 2
        )
      case 5 =>
        CombinedFieldsQuery(
          Seq.fill(1 + random.nextInt(3))(word(random)).mkString(" "),
          IndexedSeq("t" -> 1f, "u" -> (1f + random.nextInt(3))).drop(random.nextInt(2)),
          if (random.nextBoolean()) Operator.And else Operator.Or
        )
      case 6 => BoostQuery(inner(), inner(), random.nextFloat())
      case 7 => MultiMatchQuery(IndexedSeq("t", "u").map(c => matching(random).on(c)))
      case 8 => BooleanQuery(several(1), several(0), several(0))
      case _ => BooleanQuery(IndexedSeq.empty, several(1), several(0))
    }
  }

  private def column(random: Random): String = if (random.nextInt(4) == 0) "u" else "t"

  private def matching(random: Random): MatchQuery = MatchQuery(
    Seq.fill(1 + random.nextInt(3))(if (random.nextInt(9) == 0) "nosuch"
    else word(random)).mkString(" "),
    Some(column(random)),
    boost = if (random.nextBoolean()) 1f else 2.5f
  )

  /** A table with the columns `id`, `t`, and `u`, both with an index. Pylance changes its rows. */
  final class ChangedTable(val path: String, options: String, random: Random) {
    private var rows = IndexedSeq.empty[(Long, Map[String, String])]
    private val indexed = mutable.HashMap.empty[String, Set[Long]]
    private val deleted = mutable.HashSet.empty[Long]
    private val isStable = random.nextBoolean()
    val changes: mutable.ArrayBuffer[String] = mutable.ArrayBuffer(s"stable row ids: $isStable")

    append(900, "create")
    Pylance.run(
      s"""
      for c in ['t', 'u']:
          dataset(path).create_scalar_index(c, 'INVERTED', $options)
      result = None
      """,
      "path" -> path
    )
    Seq("t", "u").foreach(c => indexed(c) = rows.map(_._1).toSet)

    /** The documents of both columns. */
    def documents: Map[String, IndexedSeq[OracleDocument]] = Seq("t", "u").map { c =>
      c -> rows.map { case (id, texts) =>
        OracleDocument(id, texts(c), indexed(c)(id), !deleted(id))
      }
    }.toMap

    def change(): Unit = {
      if (random.nextBoolean()) delete()
      if (random.nextInt(4) > 0) append(1 + random.nextInt(200), "append")
      random.nextInt(4) match {
        case 0 => indexMore()
        case 1 => compact()
        case _ =>
      }
      if (random.nextBoolean()) delete()
    }

    private def append(numRows: Int, mode: String): Unit = {
      val added = IndexedSeq.tabulate(numRows) { i =>
        val t = if (random.nextInt(30) == 0) null else text(random, 8)
        (rows.length + i).toLong -> Map("t" -> t, "u" -> text(random, 3))
      }
      Pylance.run(
        """
        write(pa.table({'id': ids, 't': pa.array(t, pa.string()), 'u': pa.array(u, pa.string())}), path, mode=mode,
              max_rows_per_file=300, enable_stable_row_ids=stable)
        result = None
        """,
        "path" -> path,
        "ids" -> added.map(_._1),
        "t" -> added.map(r => Option(r._2("t"))),
        "u" -> added.map(_._2("u")),
        "mode" -> mode,
        "stable" -> isStable
      )
      rows = rows ++ added
      changes += s"$mode $numRows"
    }

    private def delete(): Unit = {
      val (by, rest) = (3 + random.nextInt(9), random.nextInt(3))
      Pylance.run(s"result = dataset(path).delete('id % $by = $rest')", "path" -> path)
      deleted ++= rows.map(_._1).filter(_ % by == rest)
      changes += s"delete id % $by = $rest"
    }

    private def indexMore(): Unit = {
      val columns = if (random.nextBoolean()) Seq("t", "u") else Seq("t")
      Pylance.run(
        """
        dataset(path).optimize.optimize_indices(num_indices_to_merge=0, index_names=[c + '_idx' for c in columns])
        result = None
        """,
        "path" -> path,
        "columns" -> columns
      )
      // Deleted rows that were not indexed before are not now.
      columns.foreach(c => indexed(c) = indexed(c) ++ rows.map(_._1).filterNot(deleted))
      changes += s"index more of ${columns.mkString(", ")}"
    }

    /** Without stable row ids, the index is written again without deleted rows. */
    private def compact(): Unit = {
      Pylance.run(
        "dataset(path).optimize.compact_files(materialize_deletions_threshold=0.0)\nresult = None",
        "path" -> path
      )
      if (!isStable) Seq("t", "u").foreach(c => indexed(c) = indexed(c) -- deleted)
      changes += "compact"
    }
  }
}

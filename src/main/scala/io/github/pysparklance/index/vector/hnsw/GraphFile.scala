// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

import com.fasterxml.jackson.databind.JsonNode

import io.github.pysparklance.core._
import io.github.pysparklance.index.vector.quantizer.CodeColumns

/** The graph of a partition in an index file.
  *
  * {{{
  *   __vector_id   number of the node in the partition
  *   __neighbors   list of nodes
  *   rows [levelOffsets(l), levelOffsets(l + 1)) of the partition's rows are level l
  * }}}
  * Level 0 lists all nodes from 0.
  *
  * Source: format page of indices, "HNSW sub-index".
  */
object GraphFile {

  /** Columns to read. */
  val columns: IndexedSeq[String] = IndexedSeq("__vector_id", "__neighbors")

  /** Maximum number of levels of a graph, for damaged files. */
  private[vector] val maxLevels: Int = 1 << 16

  /** The metadata of a partition's graph.
    *
    * @param levelOffsets first row of each level within the partition, followed by the number of
    *   rows
    */
  final case class Outline(entryPoint: Int, levelOffsets: IndexedSeq[Int])

  /** Reads the metadata of a partition's graph.
    *
    * @param numRows number of rows of the partition in the file
    * @throws CorruptFileException if the metadata contradict the number of rows
    */
  def outline(json: JsonNode, numRows: Int, what: String): Outline = {
    val entry = json.path("entry_point")
    val offsets = json.path("level_offsets")
    CorruptFileException.check(
      entry.canConvertToInt && offsets.isArray && offsets.size >= 2 && offsets.size <= maxLevels,
      s"$what: no graph: ${Printable.line(json.toString.take(100))}"
    )
    val levelOffsets = IndexedSeq.tabulate(offsets.size) { i =>
      val offset = offsets.get(i)
      CorruptFileException.check(
        offset.canConvertToInt,
        s"$what: a level of a graph at ${Printable.line(offset.toString.take(40))}"
      )
      offset.asInt
    }
    CorruptFileException.check(
      levelOffsets.head == 0 && levelOffsets.last <= numRows &&
        levelOffsets.zip(levelOffsets.tail).forall { case (from, until) => from <= until },
      s"$what: levels of a graph of $numRows rows at ${levelOffsets.take(20).mkString(", ")}"
    )
    Outline(entry.asInt, levelOffsets)
  }

  /** Gathers the rows of a partition. Not thread-safe.
    *
    * @param numRows number of rows of the partition in the file; all of them are appended
    */
  final class Builder(numRows: Int, outline: Outline, what: String) {
    private val nodes = new Array[Int](numRows)
    private val starts = new Array[Int](numRows + 1)
    private val neighbors = new IntValues
    private var row = 0

    /** Appends rows.
      *
      * @param batch the columns [[GraphFile.columns]]
      */
    def append(batch: IndexedSeq[Column]): Unit = {
      val numBatchRows = batch(0).numRows
      CodeColumns.appendInts(batch(0), columns(0), nodes, row)
      val (offsets, items) = CodeColumns.lists(batch(1), columns(1))
      val first = offsets(0)
      val count = offsets(numBatchRows) - first
      val before = neighbors.numItems
      neighbors.reserve(count)
      neighbors.extend(count): Unit
      if (count > 0)
        CodeColumns.copyInts(items, first, count, columns(1), neighbors.array, before)
      var i = 0
      while (i < numBatchRows) {
        starts(row + i + 1) = before + offsets(i + 1) - first
        i += 1
      }
      row += numBatchRows
    }

    /** Returns the graph.
      *
      * @param numVectors number of vectors of the partition
      * @throws CorruptFileException if the graph has nodes without a vector
      */
    def result(numVectors: Int): HnswGraph = {
      val levels = outline.levelOffsets.zip(outline.levelOffsets.tail).zipWithIndex.map {
        case ((from, until), level) => levelOf(from, until, level)
      }
      CorruptFileException.check(
        levels.head.numNodes <= numVectors,
        s"$what: a graph of ${levels.head.numNodes} nodes over $numVectors vectors"
      )
      new HnswGraph(levels, outline.entryPoint)
    }

    private def levelOf(from: Int, until: Int, level: Int): GraphLevel = {
      val numNodes = outline.levelOffsets(1)
      val its = java.util.Arrays.copyOfRange(nodes, from, until)
      val first = starts(from)
      val (itsStarts, itsNeighbors) = within(
        Array.tabulate(until - from + 1)(i => starts(from + i) - first),
        java.util.Arrays.copyOfRange(neighbors.array, first, starts(until)),
        numNodes
      )
      if (level == 0) {
        val bad = its.indices.indexWhere(i => its(i) != i)
        CorruptFileException.check(
          bad < 0,
          s"$what: row $bad of the lowest level of a graph is node ${if (bad < 0) 0 else its(bad)}"
        )
        GraphLevel.bottom(itsStarts, itsNeighbors)
      } else GraphLevel.upper(its, itsStarts, itsNeighbors)
    }

    /** Drops neighbors that are not nodes. Some releases wrote such neighbors. */
    private def within(
        starts: Array[Int],
        neighbors: Array[Int],
        numNodes: Int
    ): (Array[Int], Array[Int]) =
      if (neighbors.forall(n => n >= 0 && n < numNodes)) (starts, neighbors)
      else {
        val kept = (0 until starts.length - 1).map { i =>
          neighbors.slice(starts(i), starts(i + 1)).filter(n => n >= 0 && n < numNodes)
        }
        (kept.scanLeft(0)(_ + _.length).toArray, kept.toArray.flatten)
      }
  }
}

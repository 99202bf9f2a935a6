// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

import com.fasterxml.jackson.databind.ObjectMapper

import io.github.pysparklance.core.{Column, Field, IntValues, LeafColumn, ListColumn, LogicalType}
import io.github.pysparklance.index.vector.quantizer.CodeColumns

/** The graph of a partition as rows of an index file, level by level. See [[GraphFile]].
  *
  * @param nodes node of each row
  * @param starts position of the first neighbor of each row, followed by the number of neighbors
  * @param distances distances of the neighbors
  * @param levelOffsets first row of each level, followed by the number of rows
  */
final class GraphRows(
    val nodes: Array[Int],
    val starts: Array[Int],
    val neighbors: Array[Int],
    val distances: Array[Float],
    val levelOffsets: IndexedSeq[Int],
    val entryPoint: Int,
    val parameters: GraphParameters
) {

  def numRows: Int = nodes.length

  /** The entry of the partition in the metadata of the file. */
  def outline: String = {
    val json = GraphRows.json.createObjectNode()
    json.put("entry_point", entryPoint)
    val its = json.putObject("params")
    its.put("max_level", parameters.maxLevel)
    its.put("m", parameters.m)
    its.put("ef_construction", parameters.efConstruction)
    its.put("prefetch_distance", GraphRows.prefetchDistance)
    val offsets = json.putArray("level_offsets")
    levelOffsets.foreach(offsets.add(_))
    GraphRows.json.writeValueAsString(json)
  }

  /** Returns rows as columns of the file. */
  def columns(from: Int, until: Int): IndexedSeq[Column] = {
    val first = starts(from)
    val offsets = Array.tabulate(until - from + 1)(i => starts(from + i) - first)
    val bits = Array.tabulate(starts(until) - first)(i =>
      java.lang.Float.floatToRawIntBits(distances(first + i))
    )
    IndexedSeq(
      GraphRows.leaf(java.util.Arrays.copyOfRange(nodes, from, until)),
      ListColumn(
        until - from,
        offsets,
        GraphRows.leaf(java.util.Arrays.copyOfRange(neighbors, first, starts(until))),
        null
      ),
      ListColumn(until - from, offsets, GraphRows.leaf(bits), null)
    )
  }
}

object GraphRows {
  private val json = new ObjectMapper

  /** The value that pylance writes. It does not affect the graph. */
  private val prefetchDistance = 2

  private def list(name: String, item: LogicalType): Field = Field(
    0,
    name,
    LogicalType.List(large = false, ofStruct = false),
    nullable = true,
    IndexedSeq(Field(0, "item", item, nullable = true))
  )

  private val unsigned = LogicalType.Integer(32, signed = false)

  /** The fields of the file. */
  val fields: IndexedSeq[Field] = IndexedSeq(
    Field(0, GraphFile.columns(0), unsigned, nullable = true),
    list(GraphFile.columns(1), unsigned),
    list("_distance", LogicalType.Float)
  )

  /** Returns the columns of a batch of [[fields]] in the form of [[GraphRows.columns]].
    *
    * @throws io.github.pysparklance.core.CorruptFileException if they have another shape
    */
  def plain(batch: IndexedSeq[Column]): IndexedSeq[Column] = {
    val numRows = batch(0).numRows
    val nodes = new Array[Int](numRows)
    CodeColumns.appendInts(batch(0), fields(0).name, nodes, 0)
    leaf(nodes) +: Seq(1, 2).map(i => plainList(batch(i), numRows, fields(i).name)).toIndexedSeq
  }

  private def plainList(column: Column, numRows: Int, name: String): Column = {
    val (starts, items) = CodeColumns.lists(column, name)
    val first = starts(0)
    val count = starts(numRows) - first
    val values = new Array[Int](count)
    if (count > 0) CodeColumns.copyInts(items, first, count, name, values, 0)
    ListColumn(numRows, Array.tabulate(numRows + 1)(i => starts(i) - first), leaf(values), null)
  }

  private def leaf(values: Array[Int]): Column = {
    val out = new IntValues
    out.extend(values.length): Unit
    System.arraycopy(values, 0, out.array, 0, values.length)
    LeafColumn(out, null)
  }
}

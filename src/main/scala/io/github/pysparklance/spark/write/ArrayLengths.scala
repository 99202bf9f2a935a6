// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import io.github.pysparklance.core.{Column, Field, ListColumn, LogicalType, Schema}

/** Detects float array columns whose arrays all have the same length. Such a column probably has
  * vectors, but was written without their dimension. Hot code.
  *
  * @param schema schema of the rows
  */
final private[write] class ArrayLengths(schema: Schema) {
  import ArrayLengths._

  private val watched = schema.fields.indices.filter(i => isFloats(schema.fields(i))).toArray
  private val lengths = Array.fill(watched.length)(Unknown)

  /** Checks the next rows. */
  def look(columns: IndexedSeq[Column]): Unit = {
    var w = 0
    while (w < watched.length) {
      if (lengths(w) != Several)
        columns(watched(w)) match {
          case list: ListColumn => lengths(w) = lengthOf(list, lengths(w))
          case _ => lengths(w) = Several
        }
      w += 1
    }
  }

  /** Returns the length of the arrays by column, or [[ArrayLengths.Several]] if there are several
    * lengths.
    */
  def found: Map[String, Int] =
    watched.indices.collect {
      case w if lengths(w) != Unknown => schema.fields(watched(w)).name -> lengths(w)
    }.toMap

  private def lengthOf(list: ListColumn, before: Int): Int = {
    var length = before
    var i = 0
    while (i < list.numRows && length != Several) {
      if (!list.isNull(i)) {
        val here = list.offsets(i + 1) - list.offsets(i)
        if (length == Unknown) length = here
        else if (length != here) length = Several
      }
      i += 1
    }
    length
  }
}

/** Evaluates the results of tasks. */
private[write] object ArrayLengths {

  /** Arrays with several lengths. */
  val Several: Int = -1

  private val Unknown = -2

  /** Shorter arrays are rarely used for vector search. */
  private val LeastVector = 8

  /** Returns columns that probably have vectors, with the length of their arrays.
    *
    * @param ofTasks results of the tasks
    */
  def vectors(ofTasks: Seq[Map[String, Int]]): Seq[(String, Int)] =
    ofTasks.flatten.groupBy(_._1).toSeq.sortBy(_._1).collect {
      case (name, found) if found.distinct.length == 1 && found.head._2 >= LeastVector =>
        name -> found.head._2
    }

  private def isFloats(field: Field): Boolean = field.logicalType match {
    case _: LogicalType.List =>
      field.children.headOption.exists { item =>
        item.logicalType == LogicalType.Float || item.logicalType == LogicalType.Double
      }
    case _ => false
  }
}

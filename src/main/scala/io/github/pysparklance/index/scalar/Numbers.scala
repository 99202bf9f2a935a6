// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi.LeafRows

/** Unsigned numbers of index files. */
private[scalar] object Numbers {
  private val json = new ObjectMapper

  /** Returns a function from rows to the numbers of a column without nulls. */
  def of(column: Column): Int => Long = {
    val rows = LeafRows.of(column)
    CorruptFileException.check(!rows.hasNulls, "nulls among the numbers of an index")
    val value = at(rows.values)
    row => value(rows.at(row))
  }

  /** Appends the numbers of a column without nulls. */
  def append(column: Column, to: LongValues): Unit = column match {
    case LeafColumn(numbers: LongValues, null) => to.appendFrom(numbers, 0, numbers.numItems)
    case _ =>
      val number = of(column)
      var row = 0
      while (row < column.numRows) {
        to.append(number(row))
        row += 1
      }
  }

  private def at(values: Values): Int => Long = values match {
    case v: LongValues => i => v.array(i)
    case v: IntValues => i => v.array(i) & 0xffffffffL
    case v: ByteValues => i => v.array(i) & 0xffL
    case other => mismatch(other)
  }

  private def mismatch(found: Any): Nothing = throw new CorruptFileException(
    s"numbers of an index that are none: ${found.getClass.getSimpleName}"
  )

  /** Parses a JSON list of pairs: `[[7, 3], [8, 1]]`. */
  def pairs(text: String): IndexedSeq[(Long, Long)] =
    try
      json.readTree(text).elements.asScala.map { pair =>
        CorruptFileException.check(
          pair.isArray && pair.size == 2 && pair.get(0).canConvertToLong && pair.get(
            1
          ).canConvertToLong,
          s"no pair of numbers: ${Printable.line(pair.toString.take(40))}"
        )
        (pair.get(0).asLong, pair.get(1).asLong)
      }.toIndexedSeq
    catch {
      case e: JsonProcessingException =>
        throw new CorruptFileException(s"no JSON: ${Printable.line(text.take(40))}", cause = e)
    }
}

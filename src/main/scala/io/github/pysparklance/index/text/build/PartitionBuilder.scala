// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{IntValues, LongValues}
import io.github.pysparklance.index.spi.NewSegment
import io.github.pysparklance.index.text.analysis.Analyzer

/** Collects the postings of documents in memory. Not thread-safe. Hot code: imperative. */
final private[build] class PartitionBuilder(analyzer: Analyzer, format: SegmentFormat) {
  import PartitionBuilder._

  private val rows = new LongValues
  private val lengths = new IntValues
  private val elements = new IntValues
  private val terms = new java.util.HashMap[String, Postings]
  private val ofDocument = new java.util.ArrayList[Postings]
  private var bytes = 0L

  /** Approximate memory in bytes. */
  def numBytes: Long = bytes + (if (format.hasElements) 16L else 12L) * rows.numItems

  def isEmpty: Boolean = rows.numItems == 0

  /** Adds a document, unless it has no terms. */
  def add(row: Long, text: String): Unit = {
    val length = collect(text)
    if (length > 0) end(row, length)
  }

  /** Adds the elements of a list, including elements without terms. */
  def addAll(row: Long, texts: Iterator[String]): Unit = {
    var element = 0
    texts.foreach { text =>
      end(row, collect(text))
      elements.append(element)
      element += 1
    }
  }

  /** Collects the terms of a document. Returns their number. */
  private def collect(text: String): Int = {
    var length = 0
    analyzer(text) { (term, position) =>
      length += 1
      var postings = terms.get(term)
      if (postings == null) {
        postings = new Postings
        terms.put(term, postings)
        bytes += termBytes + term.length + (if (format.hasPositions) positionBytes else 0L)
      }
      if (postings.frequency == 0) ofDocument.add(postings): Unit
      postings.frequency += 1
      if (format.hasPositions) postings.addPosition(position)
    }
    length
  }

  private def end(row: Long, length: Int): Unit = {
    var i = 0
    while (i < ofDocument.size) {
      bytes += ofDocument.get(i).endDocument(rows.numItems)
      i += 1
    }
    ofDocument.clear()
    rows.append(row)
    lengths.append(length)
  }

  /** Writes the partition. */
  def write(into: NewSegment, id: Long): Unit = {
    val sorted =
      terms.entrySet.iterator.asScala.map(e => e.getKey.getBytes(UTF_8) -> e.getValue).toArray
    Arrays.sort(
      sorted,
      (a: (Array[Byte], Postings), b: (Array[Byte], Postings)) => Arrays.compareUnsigned(a._1, b._1)
    )
    PartitionWriter.writeAll(into, id, format, new NewDocuments(rows, lengths, elements)) {
      writer =>
        val docs = new TermDocs
        sorted.foreach { case (token, postings) =>
          postings.read(docs, format.hasPositions)
          writer.add(token, docs)
        }
    }
  }
}

private object PartitionBuilder {

  /** Memory of a term without its postings. */
  private val termBytes = 200L

  /** Additional memory of a term with positions. */
  private val positionBytes = 32L

  /** The postings of a term, as numbers of variable length: for each document, the difference from
    * the previous document, the frequency, and the differences of positions.
    */
  final class Postings {
    var frequency = 0
    private var encoded = new Array[Byte](8)
    private var length = 0
    private var lastDoc = 0
    // Start of the position differences of the current document.
    private var positions: Array[Int] = null

    def addPosition(position: Int): Unit = {
      if (positions == null) positions = new Array[Int](2)
      if (frequency > positions.length) positions = Arrays.copyOf(positions, 2 * frequency)
      positions(frequency - 1) = position
    }

    /** Ends a document. Returns the additional memory. */
    def endDocument(doc: Int): Int = {
      val before = encoded.length
      put(doc - lastDoc)
      lastDoc = doc
      put(frequency)
      if (positions != null) {
        var last = 0
        var i = 0
        while (i < frequency) {
          put(positions(i) - last)
          last = positions(i)
          i += 1
        }
      }
      frequency = 0
      encoded.length - before
    }

    private def put(value: Int): Unit = {
      var rest = value
      if (length + 5 > encoded.length) encoded = Arrays.copyOf(encoded, encoded.length * 2)
      while ((rest & ~0x7f) != 0) {
        encoded(length) = (rest & 0x7f | 0x80).toByte
        length += 1
        rest >>>= 7
      }
      encoded(length) = rest.toByte
      length += 1
    }

    def read(into: TermDocs, hasPositions: Boolean): Unit = {
      into.clear()
      var at = 0
      def next(): Int = {
        var value = 0
        var shift = 0
        while (encoded(at) < 0) {
          value |= (encoded(at) & 0x7f) << shift
          shift += 7
          at += 1
        }
        value |= encoded(at) << shift
        at += 1
        value
      }
      var doc = 0
      while (at < length) {
        doc += next()
        val count = next()
        into.docs.append(doc)
        into.frequencies.append(count)
        if (hasPositions) {
          var position = 0
          var i = 0
          while (i < count) {
            position += next()
            into.positions.append(position)
            i += 1
          }
        }
      }
    }
  }
}

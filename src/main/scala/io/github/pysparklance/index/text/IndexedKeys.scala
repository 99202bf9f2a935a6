// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.spi.AddressSet
import io.github.pysparklance.index.text.search.{AllScores, TextStatistics}
import io.github.pysparklance.index.text.segment.PostingBlock
import io.github.pysparklance.index.vector.search.TopRows

/** Finds rows in indices. Like [[TextCollector]], returns the frequencies of terms and the lengths
  * of texts, but no scores.
  *
  * @param leaves searches of the leaves of the query
  */
final private[text] class IndexedKeys(scan: TextScan, leaves: IndexedSeq[LeafSearch]) {
  private val layout = new KeyLayout(scan)
  private val keys = mutable.LongMap.empty[Array[Int]]

  /** @param excluded ids of fragments whose rows are not searched */
  def find(rows: Option[AddressSet], excluded: RoaringBitmap): ScannedRows = {
    leaves.indices.foreach(readTerms(_, rows, excluded))
    leaves.indices.foreach { l =>
      if (scan.leaves(l).slop.isDefined) readPhrases(l, rows, excluded)
    }
    scan.columns.indices.foreach { c =>
      val leaf = leaves(scan.columnOf.indexOf(c))
      leaf.foreachPartition(rows, excluded) { (docs, _) =>
        docs.rows.indices.foreach { doc =>
          keys.get(docs.keys(doc)).foreach(_(layout.lengthAt(c)) = docs.exactLengths(doc))
        }
      }
    }
    grouped()
  }

  private def readTerms(l: Int, rows: Option[AddressSet], excluded: RoaringBitmap): Unit = {
    val block = new PostingBlock
    leaves(l).foreachPartition(rows, excluded) { (docs, lists) =>
      scan.leaves(l).terms.zipWithIndex.foreach { case (term, t) =>
        lists.get(term).foreach { list =>
          (0 until list.numBlocks).foreach { b =>
            list.read(b, block)
            var i = 0
            while (i < block.size) {
              val doc = block.docs(i)
              if (docs.mask.accepts(docs.rows(doc)))
                keyOf(docs.keys(doc))(layout.firstTerm(l) + t) = block.frequencies(i)
              i += 1
            }
          }
        }
      }
    }
  }

  private def readPhrases(l: Int, rows: Option[AddressSet], excluded: RoaringBitmap): Unit = {
    val found = new AllScores
    leaves(l).run(rows, excluded, found)
    found.result().rows.foreach(row => keyOf(row)(layout.phraseAt(l)) = 1)
  }

  private def keyOf(row: Long): Array[Int] = keys.getOrElseUpdate(
    row, {
      val key = new Array[Int](layout.size)
      scan.columns.indices.foreach(c => key(layout.coveredAt(c)) = 1)
      key
    }
  )

  private def grouped(): ScannedRows = {
    val found = mutable.HashMap.empty[TextCollector.Key, TopRows]
    keys.foreach { case (row, key) =>
      if (layout.isFound(key))
        found.getOrElseUpdate(new TextCollector.Key(key), new TopRows(scan.limit)).offer(0f, row)
    }
    val all = found.toArray
    new ScannedRows(
      all.map(_._1.values),
      all.map(_._2.result().rows),
      scan.columns.map(_ => TextStatistics.empty).toArray
    )
  }
}

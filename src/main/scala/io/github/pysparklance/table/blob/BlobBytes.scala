// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import java.io.IOException
import java.util.{Collections, LinkedHashMap, Map => JavaMap}

import io.github.pysparklance.core.{LanceException, Workers}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{DataFile, Fragment}

/** Bytes of the side files of a table's fragments, which no manifest notes: they are found by listing. Objects outside
  * of the table do not count.
  *
  * @param blobFields ids of the fields with blobs of version 2
  * @param pathOf where a data file is, ending with its name
  */
final private[table] class BlobBytes(
    store: FileStore,
    blobFields: Set[Int],
    pathOf: DataFile => String
) {
  import BlobBytes._

  /** Bytes beside each of these fragments, exact.
    *
    * @throws IOException when storage cannot be listed
    */
  def exact(fragments: IndexedSeq[Fragment]): IndexedSeq[Long] =
    Workers.map(fragments, threads)(bytes)

  /** Bytes beside each of these fragments, for planning: at most 64 fragments are listed, the others are taken to have
    * as many bytes a row. Zero where storage cannot be listed.
    *
    * @param rows physical rows of each fragment
    */
  def estimated(fragments: IndexedSeq[Fragment], rows: IndexedSeq[Long]): IndexedSeq[Long] = {
    val holders = fragments.indices.filter(i => fragments(i).files.exists(hasBlobs))
    val step = math.max(1, (holders.length + maxListed - 1) / maxListed)
    val sample = holders.indices.by(step).map(holders)
    val found =
      try sample.zip(Workers.map(sample, threads)(i => bytes(fragments(i)))).toMap
      catch { case _: IOException | _: LanceException => Map.empty[Int, Long] }
    val sampledRows = math.max(1L, sample.map(rows).sum)
    val bytesOfRow = found.valuesIterator.sum.toDouble / sampledRows
    val isHolder = holders.toSet
    fragments.indices.map { i =>
      found.getOrElse(i, if (isHolder(i)) (rows(i) * bytesOfRow).toLong else 0L)
    }
  }

  private def hasBlobs(f: DataFile): Boolean = f.fields.exists(blobFields)

  private def bytes(f: Fragment): Long = f.files.filter(hasBlobs).map(beside).sum

  private def beside(f: DataFile): Long = {
    val path = pathOf(f)
    BlobSideFiles.folderOf(f.path).fold(0L) { key =>
      val folder = TablePath(path.dropRight(f.path.length)).resolve(key)
      Option(known.get(folder)).map(_.longValue).getOrElse {
        val sum = store.list(folder).filterNot(_.isFolder).map(_.sizeBytes).sum
        known.put(folder, sum): Unit
        sum
      }
    }
  }
}

private object BlobBytes {
  private val maxListed = 64
  private val threads = 8
  private val maxKnown = 20000

  /** Bytes by folder. Names of data files are never used again, and files that a version names never change. */
  private val known: JavaMap[String, java.lang.Long] =
    Collections.synchronizedMap(new LinkedHashMap[String, java.lang.Long](16, 0.75f, true) {
      override def removeEldestEntry(e: JavaMap.Entry[String, java.lang.Long]): Boolean =
        size > maxKnown
    })
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import com.google.protobuf.ByteString

import io.github.pysparklance.core.{Checked, CorruptFileException, RowRange}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.rowid.{LineageReader, RowDatasetVersionSequence, RowIdSequence}
import io.github.pysparklance.table.scan.FragmentScan

/** The stable ids and versions of moved rows, in order.
  *
  * Source: format page of the table, "Compaction", rule 2.
  *
  * @param ids one for each live row
  * @param createdAt version that created each row
  * @param lastUpdatedAt version that last updated each row
  */
final private class MovedLineage(
    ids: Array[Long],
    createdAt: Array[Long],
    lastUpdatedAt: Array[Long]
) {

  /** Returns a new fragment with the lineage of its rows.
    *
    * @param from position of its first row among the moved rows
    */
  def put(fragment: Fragment, from: Long): Fragment = {
    val rows = fragment.physicalRows.getOrElse(0L)
    def slice(values: Array[Long]): Array[Long] =
      java.util.Arrays.copyOfRange(
        values,
        Checked.int(from, "rows"),
        Checked.int(from + rows, "rows")
      )
    def versions(values: Array[Long]): ByteString =
      ByteString.copyFrom(RowDatasetVersionSequence.of(slice(values)).toBytes)
    Fragment(
      fragment.message.toBuilder
        .setInlineRowIds(ByteString.copyFrom(RowIdSequence.of(slice(ids)).toBytes))
        .setInlineCreatedAtVersions(versions(createdAt))
        .setInlineLastUpdatedAtVersions(versions(lastUpdatedAt))
        .build()
    )
  }
}

private object MovedLineage {

  /** Reads the lineage of the live rows of some fragments. */
  def read(store: FileStore, scans: IndexedSeq[FragmentScan]): MovedLineage = {
    val parts = scans.map { scan =>
      val f = scan.fragment
      val reader = new LineageReader(store, file => scan.paths(f.files.indexOf(file)))
      val ids = reader.rowIds(f).getOrElse(
        throw new CorruptFileException(
          s"corrupt manifest: fragment ${f.id} has no row ids, but the table has stable row ids",
          scan.place
        )
      ).toArray
      val created = values(reader.createdAt(f), ids.length).getOrElse(Array.fill(ids.length)(1L))
      val updated = values(reader.lastUpdatedAt(f), ids.length).getOrElse(created)
      val deletions = f.deletionFile.fold(DeletionVector.empty) { file =>
        DeletionVector.read(store, scan.deletionPath.get, file, f.physicalRows)
      }
      val live = deletions.liveRanges(scan.rows).toIndexedSeq
      Seq(ids, created, updated).map(kept(_, live))
    }
    def all(i: Int): Array[Long] = Array.concat(parts.map(_(i)): _*)
    new MovedLineage(all(0), all(1), all(2))
  }

  private def values(
      sequence: Option[RowDatasetVersionSequence],
      numRows: Int
  ): Option[Array[Long]] = sequence.map { s =>
    val out = new Array[Long](numRows)
    s.fill(RowRange(0, numRows.toLong), out, 0)
    out
  }

  private def kept(values: Array[Long], live: IndexedSeq[RowRange]): Array[Long] = {
    val out = new Array[Long](Checked.int(live.iterator.map(_.numRows).sum, "rows"))
    var at = 0
    live.foreach { r =>
      System.arraycopy(values, r.from.toInt, out, at, r.numRows.toInt)
      at += r.numRows.toInt
    }
    out
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.CRC32C

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.Fragment

/** Distinguishes a version of a table from versions with the same number of other tables, such as a
  * table that was dropped and created again. Lance tables have no id.
  *
  * @param commit name of the transaction, which has a random part; the time of the commit for
  *   tables without transactions
  * @param fragments checksum of the ids and files of the fragments, in hexadecimal digits
  */
final case class VersionId(commit: String, fragments: String)

object VersionId {

  /** The id of a version. */
  def of(table: LanceTable): VersionId = VersionId(
    table.manifest.transactionFile.fold(table.manifest.timestamp.toString)(_.stripSuffix(".txn")),
    checksum(table.manifest.fragments)
  )

  /** The checksum of fragments. Must not change between releases, because checkpoints of streams
    * have it.
    */
  def checksum(fragments: IndexedSeq[Fragment]): String = {
    val sum = new CRC32C
    def add(text: String): Unit = sum.update(text.getBytes(UTF_8))
    fragments.foreach { f =>
      add(s"${f.id}:")
      f.files.foreach(file => add(s"${file.path},"))
      f.deletionFile.foreach(d => add(s"${d.readVersion}.${d.id}"))
      add(";")
    }
    f"${sum.getValue}%08x"
  }
}

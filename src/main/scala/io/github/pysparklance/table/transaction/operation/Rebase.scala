// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.ManifestFile

/** Where a commit happens.
  *
  * @param root of the table or branch
  */
final private[table] case class CommitContext(store: FileStore, root: TablePath)

/** An operation in the course of one commit: what has to be written to storage for it, again when others were faster.
  *
  * Source: format page of the table, "Rebase".
  */
private[table] trait Rebase {

  /** Takes note of a transaction that was committed meanwhile and goes together with the operation. */
  def over(theirs: PlainOperation): Unit = ()

  /** The operation on the newest version.
    *
    * @param newest none when the operation creates the table
    * @throws io.github.pysparklance.core.CommitConflictException when it does not go together with what others did
    */
  def onto(newest: Option[ManifestFile]): PlainOperation

  /** Whether the transaction then says that it is based on the newest version. */
  def movesReadVersion: Boolean

  /** The version that the transaction says it is based on, if it is no version of this table. */
  def readVersion: Option[Long] = None

  /** Files that no attempt will use any more. */
  def takeUnused(): Seq[String]

  /** All files, when nothing was committed. */
  def takeAll(): Seq[String]
}

private[table] object Rebase {

  /** Of an operation that is the same on every version.
    *
    * @param check raises a conflict where it cannot be committed on a version
    */
  def unchanged(
      operation: PlainOperation,
      readFrom: Option[Long] = None,
      check: ManifestFile => Unit = _ => ()
  ): Rebase = new Rebase {
    override def readVersion: Option[Long] = readFrom
    def onto(newest: Option[ManifestFile]): PlainOperation = {
      newest.foreach(check)
      operation
    }
    def movesReadVersion: Boolean = false
    def takeUnused(): Seq[String] = Nil
    def takeAll(): Seq[String] = Nil
  }
}

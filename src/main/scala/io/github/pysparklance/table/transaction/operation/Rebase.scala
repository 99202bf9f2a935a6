// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.ManifestFile

/** The table or branch of a commit.
  *
  * @param root root of the table or branch
  */
final private[table] case class CommitContext(store: FileStore, root: TablePath)

/** An operation during one commit. Writes the files that the commit needs, again after each lost
  * race.
  *
  * Source: format page of the table, "Rebase".
  */
private[table] trait Rebase {

  /** Adapts the operation to a concurrent transaction that is compatible with it. */
  def over(theirs: PlainOperation): Unit = ()

  /** Returns the operation on the latest version.
    *
    * @param latest none when the operation creates the table
    * @throws io.github.pysparklance.core.CommitConflictException if it conflicts with concurrent
    *   changes
    */
  def onto(latest: Option[ManifestFile]): PlainOperation

  /** Whether the read version of the transaction becomes the latest version. */
  def movesReadVersion: Boolean

  /** The read version of the transaction, if it is not a version of this table. */
  def readVersion: Option[Long] = None

  /** Returns and forgets the files that no attempt will use anymore. */
  def takeUnused(): Seq[String]

  /** Returns all files, to be deleted if nothing was committed. */
  def takeAll(): Seq[String]
}

private[table] object Rebase {

  /** Creates the rebase of an operation that is the same on every version.
    *
    * @param seen called with every concurrent transaction
    * @param check throws if the operation conflicts with a version
    */
  def unchanged(
      operation: PlainOperation,
      readFrom: Option[Long] = None,
      seen: PlainOperation => Unit = _ => (),
      check: ManifestFile => Unit = _ => ()
  ): Rebase = new Rebase {
    override def over(theirs: PlainOperation): Unit = seen(theirs)
    override def readVersion: Option[Long] = readFrom
    def onto(latest: Option[ManifestFile]): PlainOperation = {
      latest.foreach(check)
      operation
    }
    def movesReadVersion: Boolean = false
    def takeUnused(): Seq[String] = Nil
    def takeAll(): Seq[String] = Nil
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.util.concurrent.ThreadLocalRandom

import io.github.pysparklance.core.{
  CommitConflictException,
  CommitStateUnknownException,
  Interrupts,
  Log,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{ManifestFile, NamingScheme, Versions}
import io.github.pysparklance.table.transaction.build.Repairs
import io.github.pysparklance.table.transaction.operation.{
  CommitContext,
  ManifestBuilder,
  Operation,
  Transaction
}

/** Commits detached versions: versions outside the history of a table, with random numbers whose
  * highest bit is set. They cannot conflict, because each is built on its base version.
  *
  * Source: format page of the table, "Detached commits".
  */
final private[table] class DetachedCommit(store: FileStore, root: TablePath) {
  private val log = Log(getClass)
  private val place = Place(path = Some(root.root))

  /** Commits an operation as a detached version.
    *
    * @param base the version the operation is based on
    * @throws CommitStateUnknownException if storage failed and the outcome of the commit is unknown
    */
  def apply(
      operation: Operation,
      base: ManifestFile,
      properties: Map[String, String]
  ): ManifestFile = {
    if (base.location.scheme != NamingScheme.V2)
      throw new UnsupportedFeatureException(
        "detached versions in a table with manifest names of the old scheme; migrate the names first",
        place
      )
    base.manifest.flags.checkWritable()
    val context = CommitContext(store, root)
    val rebase = operation.begin(context, Some(base))
    try {
      val plain = rebase.onto(Some(base))
      if (plain.needsSoundBase) Repairs.reject(base)
      val transaction = Transaction(base.manifest.version, plain, properties = properties)
      val builder = new ManifestBuilder(context, Some(base))
      plain.build(builder)
      builder.version = ThreadLocalRandom.current().nextLong() | Long.MinValue
      publish(transaction, builder)
    } catch {
      case e: CommitStateUnknownException => throw e
      case e: Exception =>
        Interrupts.defer(rebase.takeAll().foreach(store.discard))
        throw e
    }
  }

  private def publish(transaction: Transaction, builder: ManifestBuilder): ManifestFile = {
    val message = transaction.toMessage
    val built = builder.finish(transaction)
    val encoded =
      ManifestFile.encode(built.manifest, built.indexSection, message, built.dictionaries)
    val versions = new Versions(store, root)
    val target = versions.location(builder.version, NamingScheme.V2)
    // Checked before publishing, because an error afterwards must not look like a failed commit.
    val committed = ManifestFile.encoded(store, target, encoded, builder.latest)
    val transactionPath = root.folder("_transactions").resolve(transaction.fileName)
    store.createIfAbsent(transactionPath, message.toByteArray)
    new Publication(store, root, versions)(target, encoded.bytes, message) match {
      case Publication.Won =>
        log.info(
          s"${root.root}: committed a detached version on version ${transaction.readVersion} " +
            s"(${transaction.operation.name})"
        )
        committed
      case Publication.Lost =>
        store.discard(transactionPath)
        throw new CommitConflictException(
          "not committed: the random number of the detached version is already in use",
          builder.version,
          retryable = true,
          place
        )
      case Publication.Failed(e) =>
        store.discard(transactionPath)
        throw e
    }
  }
}

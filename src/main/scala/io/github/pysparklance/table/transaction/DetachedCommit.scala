// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.io.IOException
import java.util.concurrent.ThreadLocalRandom

import io.github.pysparklance.core.{
  CommitConflictException,
  CommitStateUnknownException,
  Interrupts,
  LanceException,
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

/** Publishes transactions beside the versions of a table, under random numbers with the highest bit set. There are no
  * conflicts: each is built on the version it is based on.
  *
  * Source: format page of the table, "Detached commits".
  */
final private[table] class DetachedCommit(store: FileStore, root: TablePath) {
  private val log = Log(getClass)
  private val place = Place(path = Some(root.root))

  /** @param base the version the operation is based on
    * @throws CommitStateUnknownException when storage failed and does not say whether the version is there
    */
  def apply(
      operation: Operation,
      base: ManifestFile,
      properties: Map[String, String]
  ): ManifestFile = {
    if (base.location.scheme != NamingScheme.V2)
      throw new UnsupportedFeatureException(
        "a detached version in a table with manifest names of the old scheme; migrate them first",
        place
      )
    base.manifest.flags.checkWritable()
    val context = CommitContext(store, root)
    val rebase = operation.begin(context, Some(base))
    try {
      val plain = rebase.onto(Some(base))
      if (plain.needsSoundBase) Repairs.refuse(base)
      val transaction = Transaction(base.manifest.version, plain, properties = properties)
      val builder = new ManifestBuilder(context, Some(base))
      plain.build(builder)
      builder.version = ThreadLocalRandom.current().nextLong() | Long.MinValue
      publish(transaction, builder)
    } catch {
      case e: CommitStateUnknownException => throw e
      case e @ (_: LanceException | _: IOException | _: InterruptedException) =>
        Interrupts.defer(rebase.takeAll().foreach(store.discard))
        throw e
    }
  }

  private def publish(transaction: Transaction, builder: ManifestBuilder): ManifestFile = {
    val message = transaction.toMessage
    val built = builder.finish(transaction)
    val bytes =
      ManifestFile.encode(built.manifest, built.indexSection, message, built.dictionaries)
    val versions = new Versions(store, root)
    val target = versions.location(builder.version, NamingScheme.V2)
    // Before it is published: a failure after that must not look like a failed commit.
    val committed =
      ManifestFile.decode(store, target.copy(sizeBytes = Some(bytes.length.toLong)), bytes)
    val transactionPath = root.folder("_transactions").resolve(transaction.fileName)
    store.createIfAbsent(transactionPath, message.toByteArray)
    new Publication(store, root, versions)(target, bytes, message) match {
      case Publication.Won =>
        log.info(
          s"${root.root}: committed a detached version on version ${transaction.readVersion} " +
            s"(${transaction.operation.name})"
        )
        committed
      case Publication.Lost =>
        store.discard(transactionPath)
        throw new CommitConflictException(
          "not committed: the random number of the detached version is taken",
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

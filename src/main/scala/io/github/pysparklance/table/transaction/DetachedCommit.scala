// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.io.IOException
import java.util.concurrent.ThreadLocalRandom

import io.github.pysparklance.core.{
  CommitConflictException,
  CommitStateUnknownException,
  LanceException,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{
  ManifestFile,
  NamingScheme,
  NotPublishedException,
  Versions
}

/** Publishes transactions beside the versions of a table, under random numbers with the highest bit set. There are no
  * conflicts: each is built on the version it is based on.
  *
  * Source: format page of the table, "Detached commits".
  */
final private[table] class DetachedCommit(store: FileStore, root: TablePath) {
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
      case e @ (_: LanceException | _: IOException) =>
        rebase.takeAll().foreach(store.discard)
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
    val transactionPath = root.folder("_transactions").resolve(transaction.fileName)
    store.createIfAbsent(transactionPath, message.toByteArray)
    def isOurs: Boolean = versions
      .find(target.version)
      .exists(ManifestFile.read(store, _).transaction(root).contains(message))
    val isPublished =
      try versions.publish(target, bytes) || isOurs
      catch {
        case e: IOException =>
          val found =
            try isOurs
            catch { case again @ (_: IOException | _: LanceException) => unknown(again) }
          if (!found) {
            if (!versions.absenceIsFinal && !e.isInstanceOf[NotPublishedException]) unknown(e)
            store.discard(transactionPath)
            throw e
          }
          true
      }
    if (!isPublished) {
      store.discard(transactionPath)
      throw new CommitConflictException(
        "not committed: the random number of the detached version is taken",
        builder.version,
        retryable = true,
        place
      )
    }
    ManifestFile.decode(store, target.copy(sizeBytes = Some(bytes.length.toLong)), bytes)
  }

  private def unknown(cause: Throwable): Nothing = throw new CommitStateUnknownException(
    "storage failed and does not say whether a detached version was committed",
    place,
    cause
  )
}

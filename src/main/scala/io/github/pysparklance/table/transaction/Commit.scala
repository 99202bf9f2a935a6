// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.io.IOException
import java.util.concurrent.ThreadLocalRandom

import io.github.pysparklance.core.{
  CommitConflictException,
  CommitStateUnknownException,
  CorruptFileException,
  LanceException,
  NotFoundException,
  Place
}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{
  DataFile,
  ManifestDictionary,
  ManifestFile,
  ManifestLocation,
  NamingScheme,
  VersionHint,
  Versions
}
import io.github.pysparklance.table.proto

/** How long a commit goes on after losing to other writers.
  *
  * @param maxRetries attempts after the first one
  * @param timeoutMillis no new attempt begins after this time
  */
final case class CommitOptions(maxRetries: Int = 20, timeoutMillis: Long = 30000L)

/** Publishes transactions. The manifest is the only commit point: before it is there nothing of a transaction is
  * visible, and files of a transaction that failed belong to no version.
  *
  * {{{
  *   1  load the versions committed meanwhile, check for conflicts
  *   2  write the deletion files, if rows are deleted; they hold what others deleted as well
  *   3  write _transactions/{read version}-{uuid}.txn
  *   4  build the manifest of the next version
  *   5  create it if absent; lost: back off, go to 1
  * }}}
  *
  * Source: format page of the table, "Commit protocol".
  */
final class Commit(store: FileStore, root: TablePath, options: CommitOptions = CommitOptions()) {
  import Outcome._

  private val versions = new Versions(store, root)
  private val place = Place(path = Some(root.root))

  /** Commits a transaction on top of the newest version.
    *
    * @param base the version the transaction is based on; none when it creates the table
    * @return the new version
    * @throws CommitConflictException when another commit stands in the way, or others won every time; nothing was
    *   committed
    * @throws CommitStateUnknownException when storage failed and does not say whether the version is there;
    *   no file of the transaction may be deleted
    */
  def apply(transaction: Transaction, base: Option[ManifestFile]): ManifestFile = {
    val started = System.nanoTime()
    val deletion = (transaction.operation, base) match {
      case (o: Operation.DeletesRows, Some(b)) =>
        Some(new RowDeletion(store, root, b.manifest, o.rows))
      case _ => None
    }
    try attempts(transaction, base, deletion, started)
    catch {
      case e: CommitStateUnknownException => throw e
      case e @ (_: LanceException | _: IOException) =>
        deletion.foreach(_.takeAll().foreach(removeQuietly))
        throw e
    }
  }

  private def attempts(
      transaction: Transaction,
      base: Option[ManifestFile],
      deletion: Option[RowDeletion],
      started: Long
  ): ManifestFile = {
    var newest = catchUp(transaction, base)
    var attempt = 0
    var committed = Option.empty[ManifestFile]
    while (committed.isEmpty) {
      val attemptStarted = System.nanoTime()
      committed = attemptOnce(transaction, newest, deletion)
      if (committed.isEmpty) {
        val elapsedMillis = (System.nanoTime() - started) / 1000000L
        if (attempt >= options.maxRetries || elapsedMillis >= options.timeoutMillis)
          throw new CommitConflictException(
            s"not committed: other writers won all ${attempt + 1} attempts in $elapsedMillis ms",
            newest.fold(0L)(_.manifest.version) + 1,
            place
          )
        backOff(attempt, (System.nanoTime() - attemptStarted) / 1000000L)
        attempt += 1
        newest = catchUp(transaction, newest)
      }
    }
    deletion.foreach(_.takeUnused().foreach(removeQuietly))
    committed.get
  }

  private def attemptOnce(
      transaction: Transaction,
      newest: Option[ManifestFile],
      deletion: Option[RowDeletion]
  ): Option[ManifestFile] = (newest, deletion) match {
    case (Some(n), Some(d)) =>
      n.manifest.flags.checkWritable()
      Repairs.refuse(n)
      // A merged deletion is one of the newest version, and says so.
      publish(transaction.copy(readVersion = n.manifest.version), d(n), newest)
    case _ => publish(transaction, DeletedRows.none, newest)
  }

  /** Loads all versions after `known`, in order, and checks each against the transaction.
    *
    * @return the newest version; none when there is no table
    */
  private def catchUp(
      transaction: Transaction,
      known: Option[ManifestFile]
  ): Option[ManifestFile] = {
    val from = known.fold(0L)(_.manifest.version)
    versions.list().filter(_.version > from).foldLeft(known) { (previous, location) =>
      val theirs = ManifestFile.read(store, location)
      checkConflict(transaction, theirs, previous)
      Some(theirs)
    }
  }

  private def checkConflict(
      transaction: Transaction,
      theirs: ManifestFile,
      previous: Option[ManifestFile]
  ): Unit = {
    val version = theirs.manifest.version
    def conflict(why: String, cause: Throwable = null): Nothing =
      throw new CommitConflictException(
        s"not committed: version $version was committed meanwhile and $why",
        version,
        place,
        cause
      )
    val message =
      try theirs.transaction(root)
      catch {
        case e @ (_: CorruptFileException | _: NotFoundException) =>
          conflict("its transaction cannot be read", e)
      }
    Conflicts.check(
      transaction.operation,
      message.getOrElse(conflict("says nothing about its transaction")),
      id => filesOf(theirs, id) == previous.map(filesOf(_, id)).getOrElse(Nil)
    ) match {
      case Conflicts.Compatible => ()
      case Conflicts.Retryable(reason) => conflict(s"$reason; run the operation again on it")
      case Conflicts.Incompatible(reason) => conflict(reason)
    }
  }

  private def filesOf(file: ManifestFile, fragmentId: Long): Seq[DataFile] =
    file.manifest.fragments.find(_.id == fragmentId).fold(Seq.empty[DataFile])(_.files)

  /** One attempt. @return none when another writer took the version */
  private def publish(
      transaction: Transaction,
      deleted: DeletedRows,
      newest: Option[ManifestFile]
  ): Option[ManifestFile] = {
    val message = transaction.toMessage(deleted)
    val built = newest.fold(ManifestBuild.create(transaction)) { n =>
      new ManifestBuild(store, root, n).next(transaction, deleted)
    }
    val target = versions.location(
      newest.fold(1L)(_.manifest.version + 1),
      newest.fold[NamingScheme](NamingScheme.V2)(_.location.scheme)
    )
    val dictionaries = newest.fold(Map.empty[Int, ManifestDictionary])(_.dictionaries)
    val bytes = ManifestFile.encode(built.manifest, built.indexSection, message, dictionaries)
    val transactionPath = root.folder("_transactions").resolve(transaction.fileName)
    store.createIfAbsent(transactionPath, message.toByteArray)
    val failure =
      try if (store.createIfAbsent(target.path, bytes)) None else Some(Lost)
      catch { case e: IOException => Some(Failed(e)) }
    val outcome = failure.fold[Outcome](Won)(reconsider(target, message, _))
    outcome match {
      case Won =>
        VersionHint.write(store, root, target.version)
        // Not read back: a failure now must not look like a failed commit.
        Some(ManifestFile.decode(store, target.copy(sizeBytes = Some(bytes.length.toLong)), bytes))
      case Lost =>
        removeQuietly(transactionPath)
        None
      case Failed(e) =>
        removeQuietly(transactionPath)
        throw e
    }
  }

  /** A create that failed may have worked, as when a client repeats a request whose answer was lost. What is at
    * the name now decides.
    */
  private def reconsider(
      target: ManifestLocation,
      ours: proto.Transaction,
      failure: Outcome
  ): Outcome = {
    def look(attemptsLeft: Int): Outcome =
      try
        if (!store.exists(target.path)) failure
        else if (ManifestFile.read(store, target).transaction(root).contains(ours)) Won
        else Lost
      catch {
        // We were told that the file is not ours. Why it cannot be read, the next catch-up says.
        case _: LanceException if failure == Lost => Lost
        case e @ (_: IOException | _: LanceException) =>
          if (attemptsLeft > 0) {
            Thread.sleep(100L)
            look(attemptsLeft - 1)
          } else
            throw new CommitStateUnknownException(
              s"storage failed and does not say whether version ${target.version} was committed",
              place,
              e
            )
      }
    look(2)
  }

  private def removeQuietly(path: String): Unit =
    try store.delete(path): Unit
    catch { case _: IOException => () }

  /** Waits a random number of slots, the more the more often the commit has lost. */
  private def backOff(attempt: Int, attemptMillis: Long): Unit = {
    val slots = math.min(128, 4 << math.min(attempt, 5))
    val slotMillis = math.min(attemptMillis * 11 / 10 + 1, 1000L)
    Thread.sleep(ThreadLocalRandom.current().nextInt(slots) * slotMillis)
  }
}

/** How one attempt ended. */
sealed private trait Outcome

private object Outcome {
  case object Won extends Outcome
  case object Lost extends Outcome
  final case class Failed(cause: IOException) extends Outcome
}

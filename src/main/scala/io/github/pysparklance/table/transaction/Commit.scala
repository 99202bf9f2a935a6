// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.io.IOException
import java.util.UUID

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{
  BestEffort,
  CommitConflictException,
  CommitStateUnknownException,
  CorruptFileException,
  Interrupts,
  LanceException,
  Log,
  NotFoundException,
  Place,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{
  DataFile,
  ManifestFile,
  NamingScheme,
  VersionHint,
  Versions
}
import io.github.pysparklance.table.transaction.build.Repairs
import io.github.pysparklance.table.transaction.conflict.Conflicts
import io.github.pysparklance.table.transaction.operation.{
  CommitContext,
  ManifestBuilder,
  Operation,
  PlainOperation,
  Rebase,
  Transaction
}

/** How long a commit goes on after losing to other writers.
  *
  * @param maxRetries attempts after the first one
  * @param timeoutMillis no new attempt begins after this time
  * @param unlessCommitted looks at the notes on each version that others committed meanwhile: true refuses the commit,
  *   as that version is this same change
  * @param onlyOnBase whether the operation has to be run again when others committed anything meanwhile, be it what goes
  *   together with it
  */
final case class CommitOptions(
    maxRetries: Int = 20,
    timeoutMillis: Long = 30000L,
    unlessCommitted: Map[String, String] => Boolean = CommitOptions.neverCommitted,
    onlyOnBase: Boolean = false
)

private object Commit {
  private val log = Log(classOf[Commit])
}

object CommitOptions {
  // One for all, so that equal options are equal.
  private val neverCommitted: Map[String, String] => Boolean = _ => false
}

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
  import Commit.log
  import Publication._

  private val context = CommitContext(store, root)
  private val versions = new Versions(store, root)
  private val place = Place(path = Some(root.root))

  /** Commits an operation on top of the newest version.
    *
    * @param base the version the operation is based on; none when it creates the table
    * @param properties the user's notes on the commit
    * @return the new version
    * @throws CommitConflictException when another commit stands in the way, or others won every time; nothing was
    *   committed
    * @throws CommitStateUnknownException when storage failed and does not say whether the version is there;
    *   no file of the transaction may be deleted
    */
  def apply(
      operation: Operation,
      base: Option[ManifestFile],
      properties: Map[String, String] = Map.empty
  ): ManifestFile = {
    val rebase = operation.begin(context, base)
    val committed =
      try attempts(new Attempt(operation, rebase, base, properties), base)
      catch {
        case e: CommitStateUnknownException => throw e
        case e @ (_: LanceException | _: IOException | _: InterruptedException) =>
          Interrupts.defer(rebase.takeAll().foreach(store.discard))
          throw e
      }
    TableChanges.changed(root.root)
    committed
  }

  private def attempts(attempt: Attempt, base: Option[ManifestFile]): ManifestFile = {
    var newest = catchUp(attempt, base)
    val started = System.nanoTime()
    def elapsedMillis = (System.nanoTime() - started) / 1000000L
    var firstMillis = 0L
    var lost = 0
    var committed = attempt(newest)
    while (committed.isEmpty) {
      if (lost == 0) firstMillis = elapsedMillis
      if (lost >= options.maxRetries || elapsedMillis >= options.timeoutMillis)
        throw new CommitConflictException(
          s"not committed: other writers won all ${lost + 1} attempts in $elapsedMillis ms",
          newest.fold(0L)(_.manifest.version) + 1,
          retryable = true,
          place
        )
      log.info(
        s"${root.root}: lost version ${newest.fold(0L)(_.manifest.version) + 1} " +
          s"(${attempt.operation.name}) to another writer; retry ${lost + 1} of ${options.maxRetries}"
      )
      Retry.backOff(lost, firstMillis)
      lost += 1
      newest = catchUp(attempt, newest)
      committed = attempt(newest)
    }
    BestEffort.run(s"${root.root}: the removal of files that are not needed")(
      attempt.rebase.takeUnused().foreach(store.discard)
    )
    val version = committed.get.manifest.version
    log.info(
      s"${root.root}: committed version $version (${attempt.operation.name}) in $elapsedMillis ms, " +
        s"attempt ${lost + 1}"
    )
    committed.get
  }

  /** One commit. All its attempts have one UUID. */
  final private class Attempt(
      val operation: Operation,
      val rebase: Rebase,
      base: Option[ManifestFile],
      properties: Map[String, String]
  ) {
    private val uuid = UUID.randomUUID()

    /** @return none when another writer took the version */
    def apply(newest: Option[ManifestFile]): Option[ManifestFile] = {
      newest.foreach(_.manifest.flags.checkWritable())
      val plain = rebase.onto(newest)
      if (plain.needsSoundBase) newest.foreach(Repairs.refuse)
      val readOn = if (rebase.movesReadVersion) newest else base
      val readVersion = rebase.readVersion.orElse(readOn.map(_.manifest.version)).getOrElse(0L)
      publish(Transaction(readVersion, plain, uuid, properties), newest)
    }
  }

  /** Loads all versions after `known`, in order, and checks each against the operation.
    *
    * @return the newest version; none when there is no table
    */
  private def catchUp(
      attempt: Attempt,
      known: Option[ManifestFile]
  ): Option[ManifestFile] = {
    val from = known.fold(0L)(_.manifest.version)
    versions.since(from).foldLeft(known) { (previous, location) =>
      val next = previous.fold(0L)(_.manifest.version) + 1
      if (location.version != next) gone(next, location.version - 1)
      val theirs = ManifestFile.read(store, location)
      val meanwhile = compatible(attempt.operation, theirs, previous)
      log.info(
        s"${root.root}: version $next (${meanwhile.name}) was committed meanwhile; " +
          s"${attempt.operation.name} goes together with it"
      )
      attempt.rebase.over(meanwhile)
      Some(theirs)
    }
  }

  /** Versions were committed meanwhile and are removed already: nobody knows what they did. */
  private def gone(first: Long, last: Long): Nothing = {
    val which = if (first == last) s"version $first was" else s"versions $first to $last were"
    throw new CommitConflictException(
      s"not committed: $which committed and removed meanwhile; run the operation again on the newest version",
      last,
      retryable = true,
      place
    )
  }

  /** The operation of a version that was committed meanwhile.
    *
    * @throws CommitConflictException when it does not go together with ours
    */
  private def compatible(
      operation: Operation,
      theirs: ManifestFile,
      previous: Option[ManifestFile]
  ): PlainOperation = {
    val version = theirs.manifest.version
    def conflict(why: String, retryable: Boolean, cause: Throwable = null): Nothing =
      throw new CommitConflictException(
        s"not committed: version $version was committed meanwhile and $why",
        version,
        retryable,
        place,
        cause
      )
    val plain =
      try theirs.transaction(root).map { t =>
          if (options.unlessCommitted(t.getTransactionPropertiesMap.asScala.toMap))
            conflict("is the same change", retryable = false)
          Operation.parse(t)
        }
      catch {
        case e @ (_: CorruptFileException | _: NotFoundException | _: UnsupportedFeatureException) =>
          conflict("its transaction cannot be read", retryable = false, e)
      }
    val meanwhile =
      plain.getOrElse(conflict("says nothing about its transaction", retryable = false))
    if (options.onlyOnBase)
      conflict("nothing may come in between; run the operation again on it", retryable = true)
    lazy val filesNow = filesById(theirs)
    lazy val filesBefore = previous.fold(Map.empty[Long, Seq[DataFile]])(filesById)
    Conflicts.check(
      operation,
      meanwhile,
      previous.fold(Schema(IndexedSeq.empty))(_.manifest.schema),
      id => filesNow.getOrElse(id, Nil) == filesBefore.getOrElse(id, Nil)
    ) match {
      case Conflicts.Compatible => meanwhile
      case Conflicts.Retryable(reason) =>
        conflict(s"$reason; run the operation again on it", retryable = true)
      case Conflicts.Incompatible(reason) => conflict(reason, retryable = false)
    }
  }

  private def filesById(file: ManifestFile): Map[Long, Seq[DataFile]] =
    file.manifest.fragments.iterator.map(f => f.id -> f.files).toMap

  /** One attempt. @return none when another writer took the version */
  private def publish(
      transaction: Transaction,
      newest: Option[ManifestFile]
  ): Option[ManifestFile] = {
    val message = transaction.toMessage
    val builder = new ManifestBuilder(context, newest)
    transaction.operation.build(builder)
    val built = builder.finish(transaction)
    val target = versions.location(
      built.manifest.getVersion,
      newest.fold[NamingScheme](NamingScheme.V2)(_.location.scheme)
    )
    val bytes =
      ManifestFile.encode(built.manifest, built.indexSection, message, built.dictionaries)
    // Before it is published: a failure after that must not look like a failed commit.
    val committed =
      ManifestFile.decode(store, target.copy(sizeBytes = Some(bytes.length.toLong)), bytes)
    val transactionPath = root.folder("_transactions").resolve(transaction.fileName)
    // Its name is new, so nobody's file is replaced.
    store.replace(transactionPath, message.toByteArray)
    new Publication(store, root, versions)(target, bytes, message) match {
      case Won =>
        BestEffort.run(s"${root.root}: the version hint")(
          new VersionHint(store, root).write(target.version)
        )
        Some(committed)
      case Lost =>
        store.discard(transactionPath)
        None
      case Failed(e) =>
        store.discard(transactionPath)
        throw e
    }
  }
}

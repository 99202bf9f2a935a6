// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.util.UUID

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{
  BestEffort,
  CommitConflictException,
  CommitStateUnknownException,
  CorruptFileException,
  Interrupts,
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
  TableFolders,
  VersionHint,
  Versions
}
import io.github.pysparklance.table.transaction.build.Repairs
import io.github.pysparklance.table.transaction.conflict.Conflicts
import io.github.pysparklance.table.transaction.operation.{
  Append,
  CommitContext,
  ManifestBuilder,
  Merge,
  Operation,
  PlainOperation,
  Rebase,
  Transaction
}

/** Limits and conditions for committing despite concurrent commits.
  *
  * @param maxRetries attempts after the first one
  * @param timeoutMillis no new attempt begins after this time
  * @param unlessCommitted predicate over the commit properties of each concurrent version; if it
  *   holds, the commit is rejected because that version is the same change
  * @param onlyOnBase whether any concurrent commit is a retryable conflict, even a compatible one
  * @param unlessRowsAdded whether a concurrent commit that adds or changes rows is a retryable
  *   conflict, even a compatible one
  * @param unlessRowsChanged like `unlessRowsAdded`, but appends are compatible
  */
final case class CommitOptions(
    maxRetries: Int = 20,
    timeoutMillis: Long = 300000L,
    unlessCommitted: Map[String, String] => Boolean = CommitOptions.neverCommitted,
    onlyOnBase: Boolean = false,
    unlessRowsAdded: Boolean = false,
    unlessRowsChanged: Boolean = false
)

private object Commit {
  private val log = Log(classOf[Commit])
}

object CommitOptions {
  // One shared instance, so that equal options compare equal.
  private val neverCommitted: Map[String, String] => Boolean = _ => false
}

/** Commits operations to a table. The manifest is the only commit point. Before it exists, nothing
  * of a transaction is visible, and the files of a failed transaction belong to no version.
  *
  * {{{
  *   1  load the versions committed concurrently, check for conflicts
  *   2  write the deletion files, if rows are deleted; they include concurrent deletions
  *   3  write _transactions/{read version}-{uuid}.txn
  *   4  build the manifest of the next version
  *   5  create it if absent; after a lost race, back off and go to 1
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

  /** Commits an operation on top of the latest version.
    *
    * @param base the version the operation is based on; none when it creates the table
    * @param properties commit properties
    * @return the new version
    * @throws CommitConflictException if a concurrent commit conflicts, or all attempts lost the
    *   race; nothing was committed
    * @throws CommitStateUnknownException if storage failed and the outcome of the commit is
    *   unknown; no file of the transaction may be deleted
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
        case e: CommitStateUnknownException =>
          Interrupts.defer(TableChanges.changed(root.root)) // the version may exist
          throw e
        case e: Exception =>
          Interrupts.defer(rebase.takeAll().foreach(store.discard))
          throw e
      }
    TableChanges.changed(root.root)
    committed
  }

  private def attempts(attempt: Attempt, base: Option[ManifestFile]): ManifestFile = {
    val removed = base.filter(isRemoved)
    val oldReferences = if (base.isEmpty) references() else Nil
    var latest = catchUp(attempt, base)
    // Clean-up leaves later versions.
    if (latest == removed) removed.foreach(dropped)
    val started = System.nanoTime()
    def elapsedMillis = (System.nanoTime() - started) / 1000000L
    var firstMillis = 0L
    var lost = 0
    var committed = attempt(latest)
    while (committed.isEmpty) {
      if (lost == 0) firstMillis = elapsedMillis
      if (lost >= options.maxRetries || elapsedMillis >= options.timeoutMillis)
        throw new CommitConflictException(
          s"not committed: lost the race to other writers in all ${lost + 1} attempts, within $elapsedMillis ms",
          latest.fold(0L)(_.manifest.version) + 1,
          retryable = true,
          place
        )
      log.info(
        s"${root.root}: lost version ${latest.fold(0L)(_.manifest.version) + 1} " +
          s"(${attempt.operation.name}) to another writer; retry ${lost + 1} of ${options.maxRetries}"
      )
      Retry.backOff(lost, firstMillis, options.timeoutMillis - elapsedMillis)
      lost += 1
      latest = catchUp(attempt, latest)
      committed = latest.filter(attempt.published).orElse(attempt(latest))
    }
    BestEffort.run(s"${root.root}: deleting files that are not needed")(
      attempt.rebase.takeUnused().foreach(store.discard)
    )
    if (oldReferences.nonEmpty)
      BestEffort.run(s"${root.root}: deleting references of an earlier table")(
        store.deleteAll(oldReferences)
      )
    val version = committed.get.manifest.version
    log.info(
      s"${root.root}: committed version $version (${attempt.operation.name}) in $elapsedMillis ms, " +
        s"attempt ${lost + 1}"
    )
    committed.get
  }

  /** The tags and branches at the path of a new table. They are of an earlier table whose removal
    * was interrupted, and would name versions of the new table.
    */
  private def references(): Seq[String] = {
    val folder = root.folder(TableFolders.refs)
    store.listFiles(folder.root).map(f => folder.resolve(f.relativePath)).toIndexedSeq
  }

  /** One commit. All its attempts share one UUID. */
  final private class Attempt(
      val operation: Operation,
      val rebase: Rebase,
      base: Option[ManifestFile],
      properties: Map[String, String]
  ) {
    private val uuid = UUID.randomUUID()

    /** Whether a version is from an attempt that seemed to have failed. It is the last attempt,
      * because later ones are for later versions, or repeat it.
      */
    def published(version: ManifestFile): Boolean =
      version.manifest.transactionFile.exists(_.contains(uuid.toString))

    /** Makes one attempt. Returns none if another writer created the version first. */
    def apply(latest: Option[ManifestFile]): Option[ManifestFile] = {
      latest.foreach(_.manifest.flags.checkWritable())
      val plain = rebase.onto(latest)
      if (plain.needsSoundBase) latest.foreach(Repairs.reject)
      val readOn = if (rebase.movesReadVersion) latest else base
      val readVersion = rebase.readVersion.orElse(readOn.map(_.manifest.version)).getOrElse(0L)
      publish(Transaction(readVersion, plain, uuid, properties), latest)
    }
  }

  /** Loads all versions after `known`, in order, and checks each against the operation.
    *
    * @return the latest version, or the version of the attempt if it was published; none if there
    *   is no table
    */
  private def catchUp(
      attempt: Attempt,
      known: Option[ManifestFile]
  ): Option[ManifestFile] = {
    val from = known.fold(0L)(_.manifest.version)
    versions.since(from).foldLeft(known) {
      case (ours @ Some(version), _) if attempt.published(version) => ours
      case (previous, location) =>
        val next = previous.fold(0L)(_.manifest.version) + 1
        if (location.version != next) gone(next, location.version - 1)
        val theirs = ManifestFile.read(store, location)
        if (!attempt.published(theirs)) {
          val meanwhile = compatible(attempt.operation, theirs, previous)
          log.info(
            s"${root.root}: version $next (${meanwhile.name}) was committed concurrently; " +
              s"${attempt.operation.name} is compatible with it"
          )
          attempt.rebase.over(meanwhile)
        }
        Some(theirs)
    }
  }

  /** Whether the base was removed, by clean-up or with the table. Lance tables have no id, but the
    * transaction of a version has a unique name.
    *
    * @throws CommitConflictException if its number belongs to a version of another table, which was
    *   created after this one was dropped
    */
  private def isRemoved(base: ManifestFile): Boolean = {
    val transaction = base.manifest.transactionFile.map(root.folder("_transactions").resolve)
    transaction.exists(store.status(_).isEmpty) && !base.isUnchanged && {
      if (versions.find(base.manifest.version).isDefined) dropped(base)
      true
    }
  }

  /** Fails because the new version would list files of a table that no longer exists. */
  private def dropped(base: ManifestFile): Nothing =
    throw new CommitConflictException(
      s"not committed: the table was dropped after version ${base.manifest.version} was read; repeat the " +
        "operation if it was created again",
      base.manifest.version,
      retryable = false,
      place
    )

  /** Fails because concurrent versions were already cleaned up, so their operations are unknown. */
  private def gone(first: Long, last: Long): Nothing = {
    val which = if (first == last) s"version $first was" else s"versions $first to $last were"
    throw new CommitConflictException(
      s"not committed: $which committed and cleaned up concurrently; retry the operation on the latest version",
      last,
      retryable = true,
      place
    )
  }

  /** Returns the operation of a concurrent version.
    *
    * @throws CommitConflictException if it conflicts with ours
    */
  private def compatible(
      operation: Operation,
      theirs: ManifestFile,
      previous: Option[ManifestFile]
  ): PlainOperation = {
    val version = theirs.manifest.version
    def conflict(why: String, retryable: Boolean, cause: Throwable = null): Nothing =
      throw new CommitConflictException(
        s"not committed: version $version was committed concurrently: $why",
        version,
        retryable,
        place,
        cause
      )
    val plain =
      try theirs.transaction(root).map { t =>
          if (options.unlessCommitted(t.getTransactionPropertiesMap.asScala.toMap))
            conflict("it is the same change", retryable = false)
          Operation.parse(t)
        }
      catch {
        case e @ (_: CorruptFileException | _: NotFoundException | _: UnsupportedFeatureException) =>
          conflict("its transaction cannot be read", retryable = false, e)
      }
    val meanwhile =
      plain.getOrElse(conflict("it does not record its transaction", retryable = false))
    if (options.onlyOnBase)
      conflict(
        "the operation must follow its base version directly; retry it on the latest version",
        retryable = true
      )
    val wouldMiss = options.unlessRowsAdded ||
      options.unlessRowsChanged && !meanwhile.isInstanceOf[Append]
    if (wouldMiss && bringsRows(meanwhile, theirs, previous))
      conflict(
        "rows were added or changed; retry the operation on the latest version",
        retryable = true
      )
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
        conflict(s"$reason; retry the operation on the latest version", retryable = true)
      case Conflicts.Incompatible(reason) => conflict(reason, retryable = false)
    }
  }

  /** Whether a version has new rows or values. A merge may have added rows beside columns. */
  private def bringsRows(
      operation: Operation,
      version: ManifestFile,
      previous: Option[ManifestFile]
  ): Boolean = operation match {
    case _: Merge =>
      val before = previous.iterator.flatMap(_.manifest.fragments).map(_.id).toSet
      version.manifest.fragments.exists(f => !before(f.id))
    case other => Conflicts.bringsRows(other)
  }

  private def filesById(file: ManifestFile): Map[Long, Seq[DataFile]] =
    file.manifest.fragments.iterator.map(f => f.id -> f.files).toMap

  /** Makes one attempt. Returns none if another writer created the version first. */
  private def publish(
      transaction: Transaction,
      latest: Option[ManifestFile]
  ): Option[ManifestFile] = {
    val message = transaction.toMessage
    val builder = new ManifestBuilder(context, latest)
    transaction.operation.build(builder)
    val built = builder.finish(transaction)
    val target = versions.location(
      built.manifest.getVersion,
      latest.fold[NamingScheme](NamingScheme.V2)(_.location.scheme)
    )
    val encoded =
      ManifestFile.encode(built.manifest, built.indexSection, message, built.dictionaries)
    // Checked before publishing, because an error afterwards must not look like a failed commit.
    val committed = ManifestFile.encoded(store, target, encoded, latest)
    val transactionPath = root.folder("_transactions").resolve(transaction.fileName)
    // The name is new, so this cannot replace another writer's file.
    store.replace(transactionPath, message.toByteArray)
    new Publication(store, root, versions)(target, encoded.bytes, message) match {
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

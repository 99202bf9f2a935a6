// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.time.Instant

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{
  CorruptFileException,
  Optional,
  Place,
  Printable,
  Schema,
  UnsupportedFeatureException,
  Wrapped
}
import io.github.pysparklance.file.metadata.{FieldMessages, FileVersion, MapEntries}
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.proto

/** A location outside the table's root with files of the table.
  *
  * Source: message `BasePath`, table.proto.
  *
  * @param isDatasetRoot whether it has the folder structure of a table; otherwise files are
  *   directly in it
  * @param path URI or absolute path
  */
final case class BasePath(id: Int, name: Option[String], isDatasetRoot: Boolean, path: String) {

  /** Returns the folder of this base path. A path without a scheme is local, as in pylance. `s3`
    * paths are read as `s3a`, unless the table's own path uses `s3`.
    *
    * A base path must be on the same kind of storage as the table. Otherwise, anyone who can write
    * a manifest could make readers access their local files or other servers. On Azure, it must
    * have the same service, because clients send the reader's token to the host of a path.
    *
    * @param root root of the table
    * @throws UnsupportedFeatureException if the path is relative, on another kind of storage, or of
    *   another service
    */
  def folder(root: TablePath): TablePath = {
    val scheme = TablePath.scheme(path)
    if (scheme.isEmpty && !path.startsWith("/"))
      throw new UnsupportedFeatureException(s"""the relative base path "$path" (base $id)""")
    if (TablePath.storage(path) != TablePath.storage(root.root) || BasePath.web(scheme))
      throw new UnsupportedFeatureException(
        s"""the base path "${Printable.line(
            path
          )}" (base $id), which is on another kind of storage than the table""",
        Place(path = Some(root.root))
      )
    if (TablePath.service(path) != TablePath.service(root.root))
      throw new UnsupportedFeatureException(
        s"""the base path "${Printable.line(path)}" (base $id), which is not on the service """ +
          s"${TablePath.service(root.root)} of the table",
        Place(path = Some(root.root))
      )
    (scheme, TablePath.scheme(root.root)) match {
      case (Some("s3"), rootScheme) if !rootScheme.contains("s3") =>
        TablePath("s3a" + path.drop("s3".length))
      case (None, Some(_)) => TablePath(s"file://$path")
      case _ => TablePath(path)
    }
  }

  private[table] def toMessage: proto.BasePath = {
    val b =
      proto.BasePath.newBuilder().setId(id).setIsDatasetRoot(isDatasetRoot).setPath(path)
    name.foreach(b.setName)
    b.build()
  }
}

object BasePath {

  /** Schemes of web and FTP servers, which cannot contain tables. */
  private val web: Option[String] => Boolean = _.exists(Set("http", "https", "ftp"))

  private[table] def apply(m: proto.BasePath): BasePath =
    BasePath(
      m.getId,
      if (m.hasName) Some(m.getName) else None,
      m.getIsDatasetRoot,
      m.getPath
    )
}

/** The library that wrote a manifest. Source: message `Manifest.WriterVersion`, table.proto. */
final case class WriterVersion(library: String, version: String)

/** The content of one table version. Immutable; checked on creation.
  *
  * Retains the whole message, so that unknown fields survive a commit.
  *
  * Source: message `Manifest`, table.proto.
  */
final class Manifest private (
    private[table] val message: proto.Manifest,
    known: IndexedSeq[Fragment]
) {

  /** Features that readers and writers must support. */
  val flags: FeatureFlags =
    FeatureFlags(message.getReaderFeatureFlags, message.getWriterFeatureFlags)
  // Checked first, because unknown flags can change the meaning of everything below.
  flags.checkReadable()

  /** The version number. Unsigned: detached versions have the highest bit set. */
  val version: Long = message.getVersion

  ManifestLimits.check(message)

  /** The columns. */
  val schema: Schema =
    FieldMessages.toSchema(
      message.getFieldsList.asScala,
      MapEntries.bytes(message.getSchemaMetadataList)
    )

  /** The fragments in scan order. */
  val fragments: IndexedSeq[Fragment] = Manifest.fragments(message, known)

  /** The file version for new data files, and of all present ones unless versions are mixed. */
  val fileVersion: FileVersion =
    DataFormat.effective(message, flags, Manifest.fileVersions(message))

  if (flags.reads(FeatureFlags.stableRowIds))
    fragments.foreach { f =>
      CorruptFileException.check(
        f.message.getRowIdSequenceCase !=
          proto.DataFragment.RowIdSequenceCase.ROWIDSEQUENCE_NOT_SET,
        s"corrupt manifest: fragment ${f.id} has no row ids, but the table has stable row ids"
      )
    }

  /** Time of the commit. */
  def timestamp: Instant = Manifest.timestamp(message)

  /** Highest fragment id that was ever used or reserved; `None` if the table never had a fragment.
    */
  def maxFragmentId: Option[Long] = {
    val stored = recordedMaxFragmentId.getOrElse(-1L)
    Some(fragments.iterator.map(_.id).foldLeft(stored)(_ max _)).filter(_ >= 0)
  }

  /** The lowest stable row id that was never assigned. */
  def nextRowId: Long = message.getNextRowId

  /** The highest fragment id that the manifest records; `None` in tables of early releases, and if
    * the table never had a fragment.
    */
  def recordedMaxFragmentId: Option[Long] =
    Optional.when(message.hasMaxFragmentId)(message.getMaxFragmentId & 0xffffffffL)

  /** Table configuration. */
  def config: Map[String, String] = MapEntries.texts(message.getConfigList)

  /** User-defined table metadata. */
  def tableMetadata: Map[String, String] = MapEntries.texts(message.getTableMetadataList)

  /** Name of the branch; `None` for the main branch. */
  def branch: Option[String] =
    Optional.when(message.hasBranch)(message.getBranch).filter(_ != Manifest.mainBranch)

  /** The library that wrote this version; `None` in tables of the earliest releases. */
  def writerVersion: Option[WriterVersion] = Manifest.writerVersion(message)

  /** Name of the transaction file below `_transactions`, if it has one. */
  def transactionFile: Option[String] = Some(message.getTransactionFile).filter(_.nonEmpty)

  /** Base paths outside the table's root, by id. */
  lazy val basePaths: Map[Int, BasePath] =
    message.getBasePathsList.asScala.map(b => b.getId -> BasePath(b)).toMap

  /** Whether recorded numbers of rows are correct. Releases that did not record a writer version
    * miscounted.
    */
  def hasReliableCounts: Boolean = writerVersion.isDefined

  /** Whether the number of rows of each fragment is known. */
  def countsRows: Boolean =
    fragments.isEmpty || (hasReliableCounts && fragments.forall(_.physicalRows.isDefined))

  /** Number of rows that are not deleted; `None` if it is unknown or unreliable. */
  def rowCount: Option[Long] =
    if (!hasReliableCounts && fragments.nonEmpty) None
    else
      fragments.foldLeft(Option(0L)) { (sum, f) =>
        for (s <- sum; rows <- f.liveRows) yield Math.addExact(s, rows)
      }

  /** Returns the path of a data file.
    *
    * @param root root of the table or branch of this manifest
    */
  def pathOf(root: TablePath, file: DataFile): String =
    file.baseId.map(base) match {
      case None => root.folder("data").resolve(file.path)
      case Some(b) if b.isDatasetRoot => b.folder(root).folder("data").resolve(file.path)
      case Some(b) => b.folder(root).resolve(file.path)
    }

  /** Returns the path of a fragment's deletion file.
    *
    * @param root root of the table or branch of this manifest
    */
  def pathOf(root: TablePath, fragmentId: Long, file: DeletionFile): String =
    file.baseId.map(base) match {
      case None => root.resolve(file.path(fragmentId))
      case Some(b) if b.isDatasetRoot => b.folder(root).resolve(file.path(fragmentId))
      case Some(b) =>
        throw new UnsupportedFeatureException(
          s"a deletion file on base path ${b.id}, which is not a dataset root"
        )
    }

  /** Returns the folder of an index segment's files. */
  def indexFolder(root: TablePath, segment: IndexSegment): TablePath = {
    val name = segment.uuid.toString
    segment.baseId match {
      case None => root.folder("_indices").folder(name)
      case Some(id) =>
        val base = basePaths.getOrElse(
          id,
          throw new CorruptFileException(
            s"corrupt manifest: an index on base path $id, which is not listed"
          )
        )
        val at = base.folder(root)
        if (base.isDatasetRoot) at.folder("_indices").folder(name) else at.folder(name)
    }
  }

  private def base(id: Int): BasePath = basePaths.getOrElse(
    id,
    throw new CorruptFileException(
      s"corrupt manifest: a file on base path $id, which is not listed"
    )
  )
}

object Manifest {

  /** Name of the main branch, which some writers record. */
  val mainBranch: String = "main"

  /** Checks and wraps a message.
    *
    * @throws UnsupportedFeatureException for unsupported feature flags, types, or file versions
    * @throws CorruptFileException if the message is inconsistent
    */
  private[table] def apply(message: proto.Manifest): Manifest =
    new Manifest(message, IndexedSeq.empty)

  /** Wraps the message of a new version. Reuses the fragments that it shares with the previous
    * version.
    */
  private[table] def after(previous: Option[Manifest], message: proto.Manifest): Manifest =
    new Manifest(message, previous.fold(IndexedSeq.empty[Fragment])(_.fragments))

  /** Wraps the fragments of a message.
    *
    * @param known fragments of another version, which are used again if their messages are the same
    *   objects. Both versions usually have them in the same order.
    */
  private def fragments(
      message: proto.Manifest,
      known: IndexedSeq[Fragment]
  ): IndexedSeq[Fragment] = {
    val out = new Array[Fragment](message.getFragmentsCount)
    var next = 0
    var i = 0
    while (i < out.length) {
      val m = message.getFragments(i)
      while (next < known.length && known(next).id < m.getId) next += 1
      out(i) = if (next < known.length && (known(next).message eq m)) known(next) else Fragment(m)
      i += 1
    }
    Wrapped(out)
  }

  /** Checks the data files of a message and returns their versions. */
  private def fileVersions(message: proto.Manifest): Set[FileVersion] = {
    var found = Set.empty[FileVersion]
    var last: FileVersion = null
    message.getFragmentsList.forEach { f =>
      var i = 0
      while (i < f.getFilesCount) {
        val version = DataFile.checked(f.getFiles(i))
        if (version ne last) {
          last = version
          found += version
        }
        i += 1
      }
    }
    found
  }

  private[manifest] def timestamp(m: proto.Manifest): Instant =
    Instant.ofEpochSecond(m.getTimestamp.getSeconds, m.getTimestamp.getNanos.toLong)

  private[manifest] def writerVersion(m: proto.Manifest): Option[WriterVersion] =
    if (m.hasWriterVersion)
      Some(WriterVersion(m.getWriterVersion.getLibrary, m.getWriterVersion.getVersion))
    else None
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.time.Instant

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{
  CorruptFileException,
  Place,
  Printable,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.metadata.{FieldMessages, FileVersion, MapEntries}
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.proto

/** A place outside the table's root that holds files of the table.
  *
  * Source: message `BasePath`, table.proto.
  *
  * @param isDatasetRoot whether it has the folders of a table; else files lie right in it
  * @param path URI or absolute path
  */
final case class BasePath(id: Int, name: Option[String], isDatasetRoot: Boolean, path: String) {

  /** The folder itself. Files below it cannot leave it. A path without a scheme is a local one, as for pylance; `s3` is
    * what S3A reads, unless the table's own says otherwise. A base is on the same kind of storage as the table: whoever
    * can write a manifest chose it, and must not get at files or servers of the reader's.
    *
    * @param root the root of the table that names this base
    * @throws UnsupportedFeatureException when the path is relative, or on another kind of storage
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

  /** Schemes of web and FTP servers, where tables are not supported. */
  private val web: Option[String] => Boolean = _.exists(Set("http", "https", "ftp"))

  private[table] def apply(m: proto.BasePath): BasePath =
    BasePath(
      m.getId,
      if (m.hasName) Some(m.getName) else None,
      m.getIsDatasetRoot,
      m.getPath
    )
}

/** Who wrote a manifest. Source: message `Manifest.WriterVersion`, table.proto. */
final case class WriterVersion(library: String, version: String)

/** One version of a table: immutable, checked when made.
  *
  * Keeps the whole message, so that what this release does not know survives a commit.
  *
  * Source: message `Manifest`, table.proto.
  */
final class Manifest private (private[table] val message: proto.Manifest) {

  /** What a reader and a writer must know. */
  val flags: FeatureFlags =
    FeatureFlags(message.getReaderFeatureFlags, message.getWriterFeatureFlags)
  // Before anything else: what follows is read by rules that an unknown flag may change.
  flags.checkReadable()

  /** This version. Unsigned: detached versions have the highest bit set. */
  val version: Long = message.getVersion

  ManifestLimits.check(message)

  /** The columns. */
  val schema: Schema =
    FieldMessages.toSchema(
      message.getFieldsList.asScala,
      MapEntries.bytes(message.getSchemaMetadataList)
    )

  /** In scan order. */
  val fragments: IndexedSeq[Fragment] =
    message.getFragmentsList.asScala.iterator.map(Fragment(_)).toIndexedSeq

  /** The file version of new data files, and of all present ones unless versions are mixed. */
  val fileVersion: FileVersion = DataFormat.effective(
    message,
    flags,
    fragments.iterator.flatMap(_.files).map(_.fileVersion).toSet
  )

  if (flags.reads(FeatureFlags.stableRowIds))
    fragments.foreach { f =>
      CorruptFileException.check(
        f.message.getRowIdSequenceCase !=
          proto.DataFragment.RowIdSequenceCase.ROWIDSEQUENCE_NOT_SET,
        s"corrupt manifest: fragment ${f.id} has no row ids, though the table has stable row ids"
      )
    }

  /** Time of the commit. */
  def timestamp: Instant = Manifest.timestamp(message)

  /** The highest fragment id that was ever used or reserved; none in a table that never had a fragment. */
  def maxFragmentId: Option[Long] = {
    val stored = if (message.hasMaxFragmentId) Seq(message.getMaxFragmentId & 0xffffffffL) else Nil
    (stored ++ fragments.map(_.id)).reduceOption(_ max _)
  }

  /** Settings of the table. */
  def config: Map[String, String] = MapEntries.texts(message.getConfigList)

  /** The user's notes on the table. */
  def tableMetadata: Map[String, String] = MapEntries.texts(message.getTableMetadataList)

  /** None on the main branch. */
  def branch: Option[String] = if (message.hasBranch) Some(message.getBranch) else None

  /** None in tables of the earliest releases. */
  def writerVersion: Option[WriterVersion] = Manifest.writerVersion(message)

  /** Name of the transaction's file below `_transactions`, if it has one. */
  def transactionFile: Option[String] = Some(message.getTransactionFile).filter(_.nonEmpty)

  /** Other places with files of the table. */
  lazy val basePaths: Map[Int, BasePath] =
    message.getBasePathsList.asScala.map(b => b.getId -> BasePath(b)).toMap

  /** Whether the numbers of rows are right where there are any: releases that did not name themselves miscounted. */
  def hasReliableCounts: Boolean = writerVersion.isDefined

  /** Whether the number of rows of each fragment is known. */
  def countsRows: Boolean =
    fragments.isEmpty || (hasReliableCounts && fragments.forall(_.physicalRows.isDefined))

  /** Rows that are not deleted; none when an old writer did not count them, or not reliably. */
  def rowCount: Option[Long] =
    if (!hasReliableCounts && fragments.nonEmpty) None
    else
      fragments.foldLeft(Option(0L)) { (sum, f) =>
        for (s <- sum; rows <- f.liveRows) yield Math.addExact(s, rows)
      }

  /** Where a data file is.
    *
    * @param root the root of the table or branch this manifest belongs to
    */
  def pathOf(root: TablePath, file: DataFile): String =
    file.baseId.map(base) match {
      case None => root.folder("data").resolve(file.path)
      case Some(b) if b.isDatasetRoot => b.folder(root).folder("data").resolve(file.path)
      case Some(b) => b.folder(root).resolve(file.path)
    }

  /** Where the deletion file of a fragment is.
    *
    * @param root the root of the table or branch this manifest belongs to
    */
  def pathOf(root: TablePath, fragmentId: Long, file: DeletionFile): String =
    file.baseId.map(base) match {
      case None => root.resolve(file.path(fragmentId))
      case Some(b) if b.isDatasetRoot => b.folder(root).resolve(file.path(fragmentId))
      case Some(b) =>
        throw new UnsupportedFeatureException(
          s"a deletion file on base path ${b.id}, which is no dataset root"
        )
    }

  /** Where the files of an index segment are. */
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

  /** Checks and wraps a message.
    *
    * @throws UnsupportedFeatureException for feature flags, types or file versions this release does not have
    * @throws CorruptFileException when the message contradicts itself
    */
  private[table] def apply(message: proto.Manifest): Manifest = new Manifest(message)

  private[manifest] def timestamp(m: proto.Manifest): Instant =
    Instant.ofEpochSecond(m.getTimestamp.getSeconds, m.getTimestamp.getNanos.toLong)

  private[manifest] def writerVersion(m: proto.Manifest): Option[WriterVersion] =
    if (m.hasWriterVersion)
      Some(WriterVersion(m.getWriterVersion.getLibrary, m.getWriterVersion.getVersion))
    else None
}

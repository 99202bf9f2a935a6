// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.time.Instant

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{LanceException, Log, Optional, Place}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{
  DataFile,
  FeatureFlags,
  Fragment,
  FragmentMemo,
  ManifestLocation,
  ManifestOutline,
  WriterVersion
}
import io.github.pysparklance.table.proto.Transaction.OperationCase

/** Summary of a version's content.
  *
  * @param timestamp time of the commit
  * @param rowCount number of rows that are not deleted, if they are counted
  * @param dataBytes bytes of the data files; `None` if an old writer did not record them
  * @param fileVersion version for new data files
  */
final case class VersionContent(
    version: Long,
    timestamp: Instant,
    rowCount: Option[Long],
    numFragments: Int,
    numDataFiles: Int,
    numDeletionFiles: Int,
    dataBytes: Option[Long],
    fileVersion: FileVersion,
    hasStableRowIds: Boolean,
    writer: Option[WriterVersion]
)

/** A transaction without its fragments and columns.
  *
  * @param appendedRows rows of the fragments that an `Append` adds
  */
final private[table] case class TransactionRecord(
    uuid: String,
    readVersion: Long,
    operation: OperationCase,
    properties: Map[String, String],
    fileName: Option[String],
    appendedRows: Option[Long]
)

/** The parts of a version that the history of its table needs. Small, even for versions with many
  * fragments.
  */
final private[table] class VersionRecord(
    val content: VersionContent,
    val rows: FragmentRows,
    transactionOrFailure: Either[LanceException, Option[TransactionRecord]]
) {

  /** The transaction of this version; `None` if the manifest names none.
    *
    * @throws LanceException if it cannot be read
    */
  def transaction: Option[TransactionRecord] = transactionOrFailure.fold(e => throw e, identity)

  /** Like [[transaction]], but `None` if it cannot be read, because a version is readable without
    * it.
    */
  def knownTransaction: Option[TransactionRecord] = transactionOrFailure.fold(_ => None, identity)
}

/** The rows of a version's fragments.
  *
  * @param ids ids of fragments, ascending
  * @param liveRows rows that are not deleted; -1 if they were not counted
  * @param isReliable whether the counts are correct, where they exist
  */
final private[table] class FragmentRows(
    private val ids: Array[Long],
    private val liveRows: Array[Long],
    val isReliable: Boolean
) {

  /** Total number of rows, if all are counted. */
  def total: Option[Long] =
    if (ids.nonEmpty && (!isReliable || liveRows.contains(-1L))) None
    else Some(liveRows.foldLeft(0L)(Math.addExact(_, _)))

  /** Returns the number of rows of this version that another one does not have. Compares fragments
    * by id: a fragment has the same rows in all versions, with more and more of them deleted, until
    * an earlier version is restored.
    */
  def surplus(other: FragmentRows): Option[Long] = {
    var sum = 0L
    var (i, j) = (0, 0)
    var isKnown = true
    while (i < ids.length && isKnown) {
      while (j < other.ids.length && other.ids(j) < ids(i)) j += 1
      val there = if (j < other.ids.length && other.ids(j) == ids(i)) other.liveRows(j) else 0L
      isKnown = liveRows(i) >= 0 && there >= 0
      sum = Math.addExact(sum, math.max(0L, liveRows(i) - there))
      i += 1
    }
    Optional.when(isKnown)(sum)
  }
}

private[table] object VersionRecord {
  private val log = Log(classOf[VersionRecord])

  /** Summary of one fragment.
    *
    * @param liveRows -1 if unknown
    * @param bytes bytes of its data files; -1 if unknown
    */
  final private case class FragmentRecord(
      id: Long,
      liveRows: Long,
      numFiles: Int,
      bytes: Long,
      hasDeletions: Boolean,
      fileVersions: Set[FileVersion]
  )

  /** Reads versions of one table or branch. Thread-safe.
    *
    * @param root root of the table or branch
    */
  final class Reader(store: FileStore, root: TablePath) {
    private val memo = new FragmentMemo(m => record(Fragment(m)))

    /** Reads a version.
      *
      * @throws LanceException if its manifest cannot be read
      */
    def apply(location: ManifestLocation): VersionRecord =
      Place.in(Place(path = Some(location.path)))(recordOf(ManifestOutline.read(store, location)))

    private def recordOf(outline: ManifestOutline): VersionRecord = {
      val fragments = outline.fragments.map(memo(_))
      val rows = rowsOf(fragments, outline.writerVersion.isDefined)
      val transaction =
        try Right(outline.transaction(root).map(record(_, outline.transactionFile)))
        catch {
          case e: LanceException =>
            log.debug(s"${root.root}: version ${outline.version} without its transaction", e)
            Left(e)
        }
      new VersionRecord(content(outline, fragments, rows), rows, transaction)
    }
  }

  private def content(
      outline: ManifestOutline,
      fragments: IndexedSeq[FragmentRecord],
      rows: FragmentRows
  ): VersionContent = VersionContent(
    outline.version,
    outline.timestamp,
    rows.total,
    fragments.length,
    fragments.iterator.map(_.numFiles).sum,
    fragments.count(_.hasDeletions),
    Optional.when(fragments.forall(_.bytes >= 0))(fragments.iterator.map(_.bytes).sum),
    outline.fileVersion(fragments.iterator.map(_.fileVersions).toSet.flatten),
    outline.flags.reads(FeatureFlags.stableRowIds),
    outline.writerVersion
  )

  private def record(f: Fragment): FragmentRecord = FragmentRecord(
    f.id,
    f.liveRows.getOrElse(-1L),
    f.files.length,
    DataFile.totalBytes(f.files).getOrElse(-1L),
    f.deletionFile.isDefined,
    f.files.iterator.map(_.fileVersion).toSet
  )

  private def rowsOf(fragments: IndexedSeq[FragmentRecord], isReliable: Boolean): FragmentRows = {
    val isSorted = (1 until fragments.length).forall(i => fragments(i - 1).id <= fragments(i).id)
    val sorted = if (isSorted) fragments else fragments.sortBy(_.id)
    new FragmentRows(sorted.map(_.id).toArray, sorted.map(_.liveRows).toArray, isReliable)
  }

  private def record(t: proto.Transaction, fileName: Option[String]): TransactionRecord = {
    val appended = t.getAppend.getFragmentsList.asScala.map(_.getPhysicalRows)
    TransactionRecord(
      t.getUuid,
      t.getReadVersion,
      t.getOperationCase,
      t.getTransactionPropertiesMap.asScala.toMap,
      fileName,
      if (appended.exists(_ <= 0)) None else Some(appended.foldLeft(0L)(Math.addExact(_, _)))
    )
  }
}

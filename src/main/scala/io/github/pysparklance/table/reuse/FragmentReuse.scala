// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.reuse

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.google.protobuf.Descriptors.Descriptor
import com.google.protobuf.{
  Any => AnyMessage,
  ByteString,
  InvalidProtocolBufferException,
  UnsafeByteOperations
}
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{
  Checked,
  CorruptFileException,
  Place,
  UnsupportedFeatureException,
  Values
}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{Fragment, IndexSegment, Manifest, ManifestLimits}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.proto.FragmentReuseIndexDetails
import io.github.pysparklance.table.proto.FragmentReuseIndexDetails.{
  FragmentDigest,
  Group,
  InlineContent,
  Version
}
import io.github.pysparklance.table.rowid.RowAddress

/** Records which rows compactions moved. Indices with a deferred remap still contain addresses in
  * old fragments.
  *
  * Source: message `FragmentReuseIndexDetails`, table.proto; format page of the table,
  * "Compaction".
  *
  * @param versions one for each compaction, oldest first
  */
final class FragmentReuse private[table] (
    private[table] val versions: IndexedSeq[Version]
) extends Serializable {

  @transient private lazy val moves: IndexedSeq[IndexedSeq[RowMoves]] = versions.map { v =>
    v.getGroupsList.asScala.map { g =>
      RowMoves.parse(
        g.getChangedRowAddrs.toByteArray,
        g.getOldFragmentsList.asScala.map(_.getId).toSet,
        g.getNewFragmentsList.asScala.map(f => f.getId -> f.getPhysicalRows).toIndexedSeq
      )
    }.toIndexedSeq
  }

  /** Whether no rows moved. */
  def isEmpty: Boolean = versions.isEmpty

  /** Returns the present address of a row with an old address in an index, or [[RowAddress.none]]
    * if it is deleted.
    */
  def apply(address: Long): Long = moves.foldLeft(address) { (at, groups) =>
    if (at == RowAddress.none) at
    else groups.find(_.moves(RowAddress.fragmentId(at))).fold(at)(_(at))
  }

  /** Maps the fragments that an index covers to present fragments. A rewritten group is covered
    * only if all its old fragments were.
    */
  def coverage(bitmap: RoaringBitmap): RoaringBitmap = {
    val now = bitmap.clone()
    versions.foreach(_.getGroupsList.asScala.foreach { g =>
      val (inside, outside) =
        g.getOldFragmentsList.asScala.partition(f => now.contains(f.getId.toInt))
      inside.foreach(f => now.remove(f.getId.toInt))
      if (outside.isEmpty && inside.nonEmpty)
        g.getNewFragmentsList.asScala.foreach(f => now.add(f.getId.toInt))
    })
    now
  }

  /** Whether a segment may contain old addresses, so that this record must be kept. The coverage
    * alone does not show it: when pylance commits anything after a compaction, it replaces the old
    * fragments in the coverage of every segment, and leaves the entries unchanged.
    *
    * A segment that was built after a compaction has addresses in its new fragments. A segment that
    * covers no fragment of a compaction has no rows that moved.
    */
  def isNeededBy(segment: IndexSegment): Boolean = {
    lazy val bitmap = segment.bitmap
    def covers(f: FragmentDigest): Boolean = bitmap.forall(_.contains(f.getId.toInt))
    versions.exists { v =>
      val isOlder = segment.datasetVersion <= v.getDatasetVersion
      v.getGroupsList.asScala.exists { g =>
        g.getOldFragmentsList.asScala.exists(covers) ||
        isOlder && g.getNewFragmentsList.asScala.exists(covers)
      }
    }
  }

  /** Returns the ids under which a coverage may refer to fragments: their own ids and the ids of
    * all fragments whose rows were moved to them. A coverage without these ids covers neither these
    * fragments nor others that share their former rows.
    */
  private[table] def names(fragments: Iterable[Long]): RoaringBitmap = {
    val out = RoaringBitmap.bitmapOf(fragments.iterator.map(_.toInt).toIndexedSeq: _*)
    versions.reverseIterator.foreach(_.getGroupsList.asScala.foreach { g =>
      if (g.getNewFragmentsList.asScala.exists(f => out.contains(f.getId.toInt)))
        g.getOldFragmentsList.asScala.foreach(f => out.add(f.getId.toInt))
    })
    out
  }

  /** All fragments that compactions created, removed or not. */
  private[table] def newFragments: RoaringBitmap = {
    val out = new RoaringBitmap
    versions.foreach(_.getGroupsList.asScala.foreach(_.getNewFragmentsList.asScala.foreach { f =>
      out.add(f.getId.toInt)
    }))
    out
  }
}

object FragmentReuse {
  private val typeUrl = "/lance.table.FragmentReuseIndexDetails"
  private val detailsName = "details.binpb"
  private val what = "record of compactions"

  /** Larger content is stored in a separate file. */
  private val maxInlineBytes = 204800

  /** No rows moved. */
  val empty: FragmentReuse = new FragmentReuse(IndexedSeq.empty)

  /** Returns the record of a version, empty if it has none.
    *
    * @param root root of the table or branch
    * @throws CorruptFileException if it cannot be decoded
    * @throws UnsupportedFeatureException if it has tags
    */
  private[table] def of(
      store: FileStore,
      root: TablePath,
      manifest: Manifest,
      segments: Seq[IndexSegment]
  ): FragmentReuse =
    segments.find(_.isFragmentReuse).fold(empty)(e => read(store, manifest.indexFolder(root, e), e))

  private def read(
      store: FileStore,
      folder: => TablePath,
      entry: IndexSegment
  ): FragmentReuse = {
    if (entry.message.getIndexVersion != 0)
      throw new UnsupportedFeatureException("tagged fragment reuse")
    CorruptFileException.check(
      entry.detailsType.toLowerCase(java.util.Locale.ROOT).endsWith("fragmentreuseindexdetails"),
      s"corrupt fragment reuse: its details are a ${entry.detailsType}"
    )
    val details = parsed(
      entry.message.getIndexDetails.getValue,
      FragmentReuseIndexDetails.getDescriptor
    )(FragmentReuseIndexDetails.parseFrom)
    val content =
      if (details.hasExternal) {
        val e = details.getExternal
        val path = folder.resolve(e.getPath)
        Place.in(Place(path = Some(path))) {
          CorruptFileException.check(
            e.getOffset >= 0 && e.getSize >= 0 && e.getSize <= Values.maxArrayLength,
            s"corrupt fragment reuse: ${e.getSize} bytes at ${e.getOffset}"
          )
          ManifestLimits.checkMessage(e.getSize, what)
          val bytes = Using.resource(store.open(path))(_.read(
            e.getOffset,
            Checked.int(e.getSize, "bytes of the fragment reuse")
          ))
          parsed(UnsafeByteOperations.unsafeWrap(bytes), InlineContent.getDescriptor)(
            InlineContent.parseFrom
          )
        }
      } else details.getInline
    new FragmentReuse(
      content.getLegacyVersionsList.asScala.toIndexedSeq.sortBy(_.getDatasetVersion)
    )
  }

  private def parsed[A](bytes: ByteString, kind: Descriptor)(parse: ByteString => A): A =
    try {
      ManifestLimits.checkEntries(bytes, kind, what)
      parse(bytes)
    } catch {
      case e: InvalidProtocolBufferException =>
        throw new CorruptFileException(s"corrupt fragment reuse: ${e.getMessage}", cause = e)
    }

  private[table] def group(
      moves: RowMoves,
      old: Seq[Fragment],
      added: Seq[Fragment]
  ): Group = Group
    .newBuilder()
    .setChangedRowAddrs(ByteString.copyFrom(moves.toBytes))
    .addAllOldFragments(old.map(digest).asJava)
    .addAllNewFragments(added.map(digest).asJava)
    .build()

  private def digest(f: Fragment): FragmentDigest = FragmentDigest
    .newBuilder()
    .setId(f.id)
    .setPhysicalRows(f.physicalRows.getOrElse(0L))
    .setNumDeletedRows(f.deletionFile.fold(0L)(_.numDeletedRows))
    .build()

  /** Returns the entry for the list of indices with one more compaction.
    *
    * @param root folder for a record that is too large for the manifest
    * @param known the present record
    * @param baseVersion the latest version, on which the rewrite is committed
    */
  private[table] def entry(
      store: FileStore,
      root: TablePath,
      known: FragmentReuse,
      groups: Seq[Group],
      baseVersion: Long
  ): IndexSegment = {
    val version =
      Version.newBuilder().setDatasetVersion(baseVersion).addAllGroups(groups.asJava).build()
    val all = new FragmentReuse((known.versions :+ version).sortBy(_.getDatasetVersion))
    val content = InlineContent.newBuilder().addAllLegacyVersions(all.versions.asJava).build()
    val id = java.util.UUID.randomUUID()
    val details = FragmentReuseIndexDetails.newBuilder()
    if (content.getSerializedSize > maxInlineBytes) {
      val path = root.folder("_indices").folder(id.toString).resolve(detailsName)
      Using.resource(store.create(path))(_.write(content.toByteArray))
      details.setExternal(
        proto.ExternalFile.newBuilder().setPath(
          detailsName
        ).setSize(content.getSerializedSize.toLong)
      )
    } else details.setInline(content)
    val message = proto.IndexMetadata
      .newBuilder()
      .setUuid(IndexSegment.toMessage(id))
      .setName(IndexSegment.fragmentReuse)
      .setDatasetVersion(baseVersion)
      .setIndexDetails(
        AnyMessage.newBuilder().setTypeUrl(typeUrl).setValue(details.build().toByteString)
      )
      .setIndexVersion(0)
      .setCreatedAt(System.currentTimeMillis())
      .build()
    IndexSegment(message).covering(all.newFragments)
  }
}

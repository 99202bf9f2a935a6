// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{
  CommitConflictException,
  InvalidRequestException,
  UnsupportedFeatureException
}
import io.github.pysparklance.table.manifest.{
  BasePath,
  FeatureFlags,
  IndexSegment,
  ManifestFile,
  Versions
}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.transaction.build.Repairs

/** The first commit of a clone: a [[Clone]] together with its source version.
  *
  * Source: format page of the table, "Shallow clone".
  *
  * @param made the operation of the transaction
  * @param source the version that is cloned
  */
final private[table] case class CloneOf(made: Clone, source: ManifestFile) extends Operation {
  def name: String = made.name

  private[table] def begin(context: CommitContext, base: Option[ManifestFile]): Rebase = {
    if (base.isDefined || new Versions(context.store, context.root).latest().isDefined)
      throw new InvalidRequestException("cannot clone into a table that exists")
    CloneOf.check(source)
    Rebase.unchanged(new Building, Some(source.manifest.version))
  }

  final private class Building extends PlainOperation {
    def name: String = made.name

    private[table] def write(b: proto.Transaction.Builder): Unit = made.write(b)

    private[table] def build(m: ManifestBuilder): Unit = {
      m.latest.foreach { n =>
        throw new CommitConflictException(
          "not committed: a table was created concurrently at the path of the clone",
          n.manifest.version,
          retryable = false
        )
      }
      m.startFrom(source)
      m.version = source.manifest.version
      m.maxFragmentId = source.manifest.maxFragmentId
      made.branchName.fold(m.message.clearBranch())(m.message.setBranch(_))
      if (made.isShallow) shallow(m) else deep(m)
    }
  }

  /** Keeps the files in place, relative to a base path that refers to the source. */
  private def shallow(m: ManifestBuilder): Unit = {
    val taken = m.message.getBasePathsList.asScala.iterator.map(_.getId).toSet
    val id = Iterator.from(0).find(i => !taken(i)).get
    m.message.addBasePaths(
      BasePath(id, made.refName, isDatasetRoot = true, made.refPath).toMessage
    )
    m.fragments = m.fragments.map { f =>
      val b = f.toBuilder
      (0 until b.getFilesCount).foreach { i =>
        if (!b.getFiles(i).hasBaseId) b.getFilesBuilder(i).setBaseId(id): Unit
      }
      if (b.hasDeletionFile && !b.getDeletionFile.hasBaseId)
        b.getDeletionFileBuilder.setBaseId(id): Unit
      b.build()
    }
    m.indices = m.indices.mapped { i =>
      if (i.message.hasBaseId) i else IndexSegment(i.message.toBuilder.setBaseId(id).build())
    }
  }

  /** Refers to the files that were copied below the root of the clone. */
  private def deep(m: ManifestBuilder): Unit = {
    // Data files reference external blobs by base id.
    if (!m.schema.flatten.exists(_.isBlobV2)) m.message.clearBasePaths(): Unit
    m.fragments = m.fragments.map { f =>
      val b = f.toBuilder
      (0 until b.getFilesCount).foreach(i => b.getFilesBuilder(i).clearBaseId(): Unit)
      if (b.hasDeletionFile) b.getDeletionFileBuilder.clearBaseId(): Unit
      b.build()
    }
    m.indices = m.indices.mapped { i =>
      if (i.message.hasBaseId) IndexSegment(i.message.toBuilder.clearBaseId().build()) else i
    }
  }
}

private[table] object CloneOf {

  /** Checks that this release can clone a version. Called before anything is copied.
    *
    * @throws UnsupportedFeatureException naming the reason
    */
  def check(source: ManifestFile): Unit = {
    source.manifest.flags.checkWritable()
    // The clone names this release as its writer, which disables repairs for all writers.
    Repairs.reject(source)
    if (source.manifest.flags.reads(FeatureFlags.taggedFragmentReuse))
      throw new UnsupportedFeatureException("cloning a table with tagged fragment reuse")
  }
}

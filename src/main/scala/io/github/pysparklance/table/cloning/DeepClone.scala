// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cloning

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{
  CorruptFileException,
  NotFoundException,
  Place,
  UnsupportedFeatureException,
  Workers
}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.blob.BlobSideFiles
import io.github.pysparklance.table.manifest.{BasePath, BasePaths, IndexSegment}
import io.github.pysparklance.table.refs.SourceCheck
import io.github.pysparklance.table.transaction.Commit
import io.github.pysparklance.table.transaction.operation.{Clone, CloneOf}

/** A file to be copied. */
final case class FileCopy(from: String, to: String)

/** Creates an independent table from a version of another one, with copies of all its files: data
  * files, side files of blobs, deletion files, and index files, from all base paths. External blobs
  * are not copied.
  *
  * Source: message `Clone`, transaction.proto.
  *
  * @param source the version to clone, on any branch
  */
final class DeepClone(source: LanceTable) {
  private val store: FileStore = source.store
  private val bases: Map[Int, BasePath] = source.manifest.basePaths

  /** Lists the files to copy. The copies can run anywhere, before [[commit]].
    *
    * @param path path of the clone
    */
  def plan(path: String): IndexedSeq[FileCopy] = {
    val target = TablePath(path)
    val all = (dataFiles(target) ++ deletionFiles(target) ++ indexFiles(target)).distinct
    all.groupBy(_.to).values.find(_.length > 1).foreach { same =>
      throw new UnsupportedFeatureException(
        s"cloning files of several base paths with one name: ${same.map(_.from).mkString(", ")}"
      )
    }
    all
  }

  /** Checks that the version can be cloned, before an existing table is dropped.
    *
    * @param path path of the clone
    */
  def check(path: String): Unit = {
    CloneTarget.checkBeforeDrop(source, TablePath(path))
    Workers.map(plan(path), DeepClone.threads) { copy =>
      if (!store.exists(copy.from))
        throw new NotFoundException("a file of the table to clone", Place(path = Some(copy.from)))
    }: Unit
  }

  /** Copies all files in this process and commits. After a failure, the copied files remain,
    * because a concurrent clone to the same path may reference them. The next attempt replaces
    * them.
    *
    * @param path path of the clone
    * @return its first version, with the same number as the source's version
    * @throws io.github.pysparklance.core.InvalidRequestException if a table exists there
    * @throws io.github.pysparklance.core.NotFoundException if a clean-up removed the source version
    *   meanwhile
    */
  def apply(path: String, properties: Map[String, String] = Map.empty): LanceTable =
    CloneTarget.in(source, path) { root =>
      val copies = plan(path)
      Workers.map(copies, DeepClone.threads)(c => store.copy(c.from, c.to))
      commitTo(root, properties)
    }

  /** Commits the clone after the copies of [[plan]] were made. */
  def commit(path: String, properties: Map[String, String] = Map.empty): LanceTable =
    CloneTarget.in(source, path)(commitTo(_, properties))

  private def commitTo(root: TablePath, properties: Map[String, String]) = {
    // A clean-up deletes the manifest first, and listings of side files and indices may lack the
    // files that it deleted since.
    SourceCheck.before(store, source.root, source.file.location, s"the clone ${root.root}")
    val operation = CloneOf(
      Clone(
        isShallow = false,
        source.manifest.branch,
        source.version,
        BasePaths.of(store, source.path),
        branchName = None
      ),
      source.file
    )
    new Commit(store, root)(operation, None, properties)
  }

  private def dataFiles(target: TablePath): IndexedSeq[FileCopy] = {
    val data = target.folder(LanceTable.dataFolder)
    val hasSideFiles = source.schema.flatten.exists(_.isBlobV2)
    source.manifest.fragments.flatMap(_.files).distinct.flatMap { file =>
      val from = source.pathOf(file)
      val side = if (hasSideFiles) BlobSideFiles.folderOf(file.path).toSeq else Nil
      FileCopy(from, data.resolve(file.path)) +:
        side.flatMap(f => below(source.pathOf(file.copy(path = f)), data.folder(f)))
    }
  }

  private def deletionFiles(target: TablePath): IndexedSeq[FileCopy] =
    source.manifest.fragments.flatMap { f =>
      f.deletionFile.map(d => FileCopy(source.deletionPath(f).get, target.resolve(d.path(f.id))))
    }

  private def indexFiles(target: TablePath): IndexedSeq[FileCopy] =
    source.file.indices.getIndicesList.asScala.toIndexedSeq.flatMap { i =>
      val uuid = IndexSegment(i).uuid.toString
      val own = "_indices"
      val from = if (i.hasBaseId) {
        val base = bases.getOrElse(
          i.getBaseId,
          throw new CorruptFileException(
            s"corrupt manifest: an index on base path ${i.getBaseId}, which is not listed"
          )
        )
        val folder = base.folder(source.root)
        if (base.isDatasetRoot) folder.folder(own) else folder
      } else source.root.folder(own)
      below(from.resolve(uuid), target.folder(own).folder(uuid))
    }

  private def below(from: String, to: TablePath): IndexedSeq[FileCopy] =
    store
      .listFiles(from)
      .map(f => FileCopy(TablePath(from).resolve(f.relativePath), to.resolve(f.relativePath)))
      .toIndexedSeq
}

private object DeepClone {

  /** Number of files copied in parallel. */
  val threads = 8
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.github.pysparklance.table.manifest.{IndexSegment, ManifestFile}
import io.github.pysparklance.table.proto

/** The files below a root that versions name, relative to the root.
  *
  * A file that a manifest puts on another base counts as one of this root all the same: its name is unique, so at worst
  * nothing is removed that could have been.
  */
final private class References {
  private val dataPaths = mutable.Set.empty[String]
  private val dataNames = mutable.Set.empty[String]
  private val deletionPaths = mutable.Set.empty[String]
  private val transactionNames = mutable.Set.empty[String]
  private val indexUuids = mutable.Set.empty[String]

  /** Everything that a version of the root itself names. */
  def add(file: ManifestFile): Unit = {
    file.manifest.fragments.foreach { f =>
      f.files.foreach(d => dataPaths += d.path)
      f.deletionFile.foreach(d => deletionPaths += d.path(f.id))
    }
    file.manifest.transactionFile.foreach(transactionNames += _)
    segments(file).foreach(i => indexUuids += IndexSegment.uuid(i.getUuid).toString)
  }

  /** What a version of another root, as of a branch, names on bases. Which base is which folder does not count: paths
    * can be spelt in many ways.
    */
  def addForeign(file: ManifestFile): Unit = {
    file.manifest.fragments.foreach { f =>
      f.files.foreach(d => if (d.baseId.isDefined) dataNames += last(d.path))
      f.deletionFile.foreach(d => if (d.baseId.isDefined) deletionPaths += d.path(f.id))
    }
    segments(file).foreach(i =>
      if (i.hasBaseId) indexUuids += IndexSegment.uuid(i.getUuid).toString
    )
  }

  /** @param path below the data folder */
  def hasData(path: String): Boolean = dataPaths(path) || dataNames(last(path))

  /** @param path below the root */
  def hasDeletion(path: String): Boolean = deletionPaths(path)

  def hasTransaction(name: String): Boolean = transactionNames(name)

  def hasIndex(uuid: String): Boolean = indexUuids(uuid)

  private def segments(file: ManifestFile): mutable.Buffer[proto.IndexMetadata] =
    file.indices.getIndicesList.asScala

  private def last(path: String): String = path.substring(path.lastIndexOf('/') + 1)
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import io.github.pysparklance.table.manifest.{
  Fragment,
  FragmentMemo,
  IndexSegment,
  ManifestFile,
  ManifestOutline
}
import io.github.pysparklance.table.proto

/** The files below a root that versions reference, as names relative to the root, so that thousands
  * of versions fit in memory. Versions can be added from several threads.
  *
  * A file on another base path also counts as a file of this root. Names are unique, so at worst a
  * removable file is kept.
  *
  * @param budget limits the memory for fragments that were added already
  */
final private class References(budget: FragmentMemo.Budget) {
  private val dataPaths = ConcurrentHashMap.newKeySet[String]()
  private val dataNames = ConcurrentHashMap.newKeySet[String]()
  private val deletionPaths = ConcurrentHashMap.newKeySet[String]()
  private val transactionNames = ConcurrentHashMap.newKeySet[String]()
  private val indexUuids = ConcurrentHashMap.newKeySet[String]()
  private val own = new FragmentMemo[Unit](m => addOwn(Fragment(m)), budget)
  private val foreign = new FragmentMemo[Unit](m => addForeign(Fragment(m)), budget)

  /** Adds all references of a version of the root itself. */
  def add(version: ManifestOutline): Unit = {
    version.fragments.foreach(own(_))
    version.transactionFile.foreach(transactionNames.add(_): Unit)
    add(version.indices)
  }

  /** Adds all references of a version of the root itself. */
  def add(version: ManifestFile): Unit = {
    version.manifest.fragments.foreach(addOwn)
    version.manifest.transactionFile.foreach(transactionNames.add(_): Unit)
    add(version.indices)
  }

  private def addOwn(f: Fragment): Unit = {
    f.files.foreach { d =>
      dataPaths.add(d.path)
      // The base path may be a folder below the data folder.
      if (d.baseId.isDefined) dataNames.add(last(d.path)): Unit
    }
    f.deletionFile.foreach(d => deletionPaths.add(d.path(f.id)): Unit)
  }

  private def add(indices: proto.IndexSection): Unit =
    indices.getIndicesList.asScala.foreach(i => indexUuids.add(uuid(i)): Unit)

  /** Adds the references of a version of another root, such as a branch, on base paths. Ignores
    * which folder a base path is, because paths can be spelled in many ways.
    */
  def addForeign(version: ManifestOutline): Unit = {
    version.fragments.foreach(foreign(_))
    version.indices.getIndicesList.asScala.foreach { i =>
      if (i.hasBaseId) indexUuids.add(uuid(i)): Unit
    }
  }

  private def addForeign(f: Fragment): Unit = {
    f.files.foreach(d => if (d.baseId.isDefined) dataNames.add(last(d.path)): Unit)
    f.deletionFile.foreach(d => if (d.baseId.isDefined) deletionPaths.add(d.path(f.id)): Unit)
  }

  private def uuid(i: proto.IndexMetadata): String = IndexSegment.uuid(i.getUuid).toString

  /** @param path below the data folder */
  def hasData(path: String): Boolean = dataPaths.contains(path) || dataNames.contains(last(path))

  /** @param path below the root */
  def hasDeletion(path: String): Boolean = deletionPaths.contains(path)

  def hasTransaction(name: String): Boolean = transactionNames.contains(name)

  def hasIndex(uuid: String): Boolean = indexUuids.contains(uuid)

  private def last(path: String): String = path.substring(path.lastIndexOf('/') + 1)
}

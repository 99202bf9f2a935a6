// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage

import scala.util.Using

import io.github.pysparklance.core.{Place, UnsupportedFeatureException}
import io.github.pysparklance.storage.hadoop.{HadoopConf, HadoopFileStore}
import io.github.pysparklance.storage.local.LocalFileStore
import io.github.pysparklance.storage.spi.{
  FileEntry,
  FileStore,
  FoundFile,
  OutputFile,
  RangeReader,
  TablePath
}

/** Every storage the connector knows, chosen path by path from the scheme: `file` goes to [[LocalFileStore]],
  * everything else to Hadoop. A bare path means what it means to Hadoop: the configured default file system.
  *
  * @param hadoop the session's Hadoop configuration; without it only local paths work
  */
final class Storage private (hadoop: Option[HadoopConf]) extends FileStore {

  private val remote = hadoop.map(new HadoopFileStore(_))
  private val defaultScheme = hadoop.fold("file")(_.defaultScheme)

  def open(path: String): RangeReader = of(path).open(path)

  def open(path: String, sizeBytes: Long): RangeReader = of(path).open(path, sizeBytes)

  def create(path: String): OutputFile = of(path).create(path)

  def createIfAbsent(path: String, bytes: Array[Byte]): Boolean =
    of(path).createIfAbsent(path, bytes)

  def replace(path: String, bytes: Array[Byte]): Unit = of(path).replace(path, bytes)

  def copy(from: String, to: String): Unit = {
    val (source, target) = (of(from), of(to))
    if (source eq target) target.copy(from, to)
    else
      Using.resource(source.open(from)) { in =>
        target match {
          case LocalFileStore => LocalFileStore.copyFrom(in, to)
          case _ => remote.get.copyFrom(in, to)
        }
      }
  }

  def usesVersionHint(folder: String): Boolean = of(folder).usesVersionHint(folder)

  def list(folder: String): IndexedSeq[FileEntry] = of(folder).list(folder)

  override def listFiles(folder: String): Iterator[FoundFile] = of(folder).listFiles(folder)

  def status(path: String): Option[FileEntry] = of(path).status(path)

  def delete(path: String): Boolean = of(path).delete(path)

  override def deleteAll(paths: Seq[String]): Unit =
    paths.groupBy(of).foreach { case (store, its) => store.deleteAll(its) }

  def deleteFolder(path: String): Boolean = of(path).deleteFolder(path)

  private def of(path: String): FileStore =
    TablePath.scheme(path).getOrElse(defaultScheme) match {
      case "file" => LocalFileStore
      case scheme =>
        remote.getOrElse(
          throw new UnsupportedFeatureException(
            s"paths of the scheme $scheme without a Hadoop configuration",
            Place(path = Some(path))
          )
        )
    }
}

object Storage {

  /** Local paths only. */
  val local: Storage = new Storage(None)

  /** All schemes that `hadoop` has file systems for. */
  def apply(hadoop: HadoopConf): Storage = new Storage(Some(hadoop))
}

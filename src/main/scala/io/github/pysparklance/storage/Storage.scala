// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage

import scala.util.Using

import io.github.pysparklance.core.{Place, UnsupportedFeatureException}
import io.github.pysparklance.storage.hadoop.{HadoopConf, HadoopFileStore}
import io.github.pysparklance.storage.local.LocalFileStore
import io.github.pysparklance.storage.requests.StorageProfile
import io.github.pysparklance.storage.spi.{
  CommitLock,
  DynamoDbUri,
  FileEntry,
  FileStore,
  FoundFile,
  Listing,
  ManifestIndex,
  ManifestStore,
  OutputFile,
  RangeReader,
  TablePath
}

/** Routes each path to its storage by scheme: `file` to [[LocalFileStore]], all others to Hadoop. A
  * bare path refers to Hadoop's default file system.
  *
  * Files of `s3+ddb` paths are accessed as `s3a`, see [[DynamoDbUri]]. So are `s3` paths, unless
  * Hadoop has a file system for `s3`.
  *
  * @param hadoop Hadoop configuration of the session; without it only local paths work
  */
final class Storage private (hadoop: Option[HadoopConf]) extends FileStore {
  import Storage._

  private val remote = hadoop.map(new HadoopFileStore(_))
  private val defaultScheme = hadoop.fold("file")(_.defaultScheme)

  def open(path: String): RangeReader = at(path)(_.open(_))

  def open(path: String, sizeBytes: Long): RangeReader = at(path)(_.open(_, sizeBytes))

  override def profile(path: String): StorageProfile = at(path)(_.profile(_))

  def create(path: String): OutputFile = at(path)(_.create(_))

  def createIfAbsent(path: String, bytes: Array[Byte]): Boolean =
    at(path)(_.createIfAbsent(_, bytes))

  def replace(path: String, bytes: Array[Byte]): Unit = at(path)(_.replace(_, bytes))

  override def replaceUnsynced(path: String, bytes: Array[Byte]): Unit =
    at(path)(_.replaceUnsynced(_, bytes))

  def copy(from: String, to: String): Unit = at(from) { (source, fromPath) =>
    at(to) { (target, toPath) =>
      if (source eq target) target.copy(fromPath, toPath)
      else
        Using.resource(source.open(fromPath)) { in =>
          target match {
            case LocalFileStore => LocalFileStore.copyFrom(in, toPath)
            case _ => remote.get.copyFrom(in, toPath)
          }
        }
    }
  }

  override def listing(folder: String): Listing = at(folder)(_.listing(_))

  def list(folder: String): IndexedSeq[FileEntry] = at(folder)(_.list(_))

  override def listNames(folder: String): IndexedSeq[String] = at(folder)(_.listNames(_))

  override def listInOrder(folder: String): Iterator[FileEntry] = at(folder)(_.listInOrder(_))

  override def listFiles(folder: String): Iterator[FoundFile] = at(folder)(_.listFiles(_))

  override def qualify(path: String): String = at(path)(_.qualify(_))

  override def canonical(path: String): String = at(path)(_.canonical(_))

  override def isLink(path: String): Boolean = at(path)(_.isLink(_))

  def status(path: String): Option[FileEntry] = at(path)(_.status(_))

  def delete(path: String): Boolean = at(path)(_.delete(_))

  override def deleteAll(paths: Seq[String]): Unit =
    paths.groupBy(p => storeOf(filesPath(p))).foreach { case (store, its) =>
      store.deleteAll(its.map(filesPath))
    }

  def deleteFolder(path: String): Boolean = at(path)(_.deleteFolder(_))

  override def deleteEmptyFolder(path: String): Boolean = at(path)(_.deleteEmptyFolder(_))

  override def renameFolder(from: String, to: String): Boolean = at(from) { (source, fromPath) =>
    at(to)((target, toPath) => (source eq target) && target.renameFolder(fromPath, toPath))
  }

  /** The store of an `s3+ddb` path, else an instance of the class in `lance.commit.manifest-store`.
    */
  override def manifestIndex(root: String): Option[ManifestIndex] =
    if (DynamoDbUri.is(root)) {
      val uri = DynamoDbUri(root)
      def configuration(key: String) = hadoop.flatMap(_.get(key, Some(uri.bucket)))
      Some(ManifestIndex(dynamoDb(root, uri.tableName, configuration), uri.key))
    } else
      named("lance.commit.manifest-store", classOf[ManifestStore]).map { store =>
        val path = TablePath.localName(root)
        ManifestIndex(store, path.split('/').filter(_.nonEmpty).mkString("/"))
      }

  /** An instance of the class in `lance.commit.lock`. */
  override def commitLock(root: String): Option[CommitLock] =
    if (DynamoDbUri.is(root)) None else named("lance.commit.lock", classOf[CommitLock])

  private def named[A](key: String, kind: Class[A]): Option[A] =
    hadoop.flatMap(_.instance(key, kind))

  private def at[A](path: String)(use: (FileStore, String) => A): A = {
    val files = filesPath(path)
    use(storeOf(files), files)
  }

  private def filesPath(path: String): String =
    if (DynamoDbUri.is(path)) DynamoDbUri(path).filesPath
    else hadoop.fold(path)(_.clientPath(path))

  private def storeOf(path: String): FileStore =
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

  /** Storage for local paths only. */
  val local: Storage = new Storage(None)

  /** Storage for all schemes that a configuration has file systems for. */
  def apply(hadoop: HadoopConf): Storage = new Storage(Some(hadoop))

  /** Loaded by name, so that the AWS SDK is needed only if it is used. */
  private val dynamoDbClass =
    "io.github.pysparklance.storage.dynamodb.DynamoDbManifestStore"

  private def dynamoDb(
      path: String,
      tableName: String,
      configuration: String => Option[String]
  ): ManifestStore =
    try
      Class
        .forName(dynamoDbClass)
        .getConstructor(classOf[String], classOf[String => Option[String]])
        .newInstance(tableName, configuration)
        .asInstanceOf[ManifestStore]
    catch {
      case e: java.lang.reflect.InvocationTargetException =>
        e.getCause match {
          case missing: NoClassDefFoundError => throw withoutSdk(path, missing)
          case cause => throw cause
        }
      case e @ (_: NoClassDefFoundError | _: ClassNotFoundException) => throw withoutSdk(path, e)
    }

  private def withoutSdk(path: String, cause: Throwable) = new UnsupportedFeatureException(
    "paths of the scheme s3+ddb without the AWS SDK for Java 2.x: its modules dynamodb and " +
      "apache-client must be on the class path",
    Place(path = Some(path)),
    cause
  )
}

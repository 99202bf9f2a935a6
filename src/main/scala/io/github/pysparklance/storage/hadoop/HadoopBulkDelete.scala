// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.{Closeable, IOException}
import java.lang.reflect.{InvocationTargetException, Method}
import java.util

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.fs.{FileSystem, Path}

import io.github.pysparklance.core.Log

/** Deletes many files with one request, which S3A supports. Uses reflection, because Hadoop has the
  * interface only since 3.4.
  */
private object HadoopBulkDelete {

  private val log = Log(getClass)

  /** Smaller pages are no better than single deletes. */
  private val leastUseful = 2

  /** Returns the bulk delete of a file system, or `None` if it deletes files one by one. */
  def apply(fs: FileSystem): Option[Seq[String] => Unit] = {
    val top = new Path(fs.getUri.toString + "/")
    val pageSize =
      try usingBulk(fs, top)(_.pageSize)
      catch {
        case e @ (_: UnsupportedOperationException | _: IllegalArgumentException) =>
          log.debug(s"${fs.getUri}: no bulk delete", e)
          0
      }
    if (pageSize < leastUseful) None
    else
      Some { paths =>
        usingBulk(fs, top) { bulk =>
          paths.grouped(pageSize).foreach { page =>
            val failed = bulk.bulkDelete(page.map(p => fs.makeQualified(new Path(p))).asJava)
            failed.asScala.headOption.foreach { f =>
              throw new IOException(s"${f.getKey}: not deleted, ${f.getValue}")
            }
          }
        }
      }
  }

  private def usingBulk[A](fs: FileSystem, top: Path)(use: BulkDelete => A): A = {
    val bulk = new BulkDelete(BulkDelete.create(fs, top))
    try use(bulk)
    finally bulk.close()
  }

  /** Calls Hadoop's `BulkDelete` by reflection. */
  final private class BulkDelete(delegate: Closeable) extends Closeable {

    /** Maximum number of files per request. */
    def pageSize: Int =
      BulkDelete.call(BulkDelete.pageSize, delegate).asInstanceOf[Int]

    /** Deletes files. Returns the files that were not deleted, with the reason. */
    def bulkDelete(paths: util.Collection[Path]): util.List[util.Map.Entry[Path, String]] =
      BulkDelete.call(BulkDelete.bulkDelete, delegate, paths)
        .asInstanceOf[util.List[util.Map.Entry[Path, String]]]

    override def close(): Unit = delegate.close()
  }

  private object BulkDelete {
    private lazy val api = Class.forName("org.apache.hadoop.fs.BulkDelete")
    private lazy val factory =
      Try(classOf[FileSystem].getMethod("createBulkDelete", classOf[Path])).toOption
    lazy val pageSize: Method = api.getMethod("pageSize")
    lazy val bulkDelete: Method = api.getMethod("bulkDelete", classOf[util.Collection[_]])

    /** @throws UnsupportedOperationException if this version of Hadoop lacks the interface */
    def create(fs: FileSystem, top: Path): Closeable = factory match {
      case Some(method) => call(method, fs, top).asInstanceOf[Closeable]
      case None =>
        throw new UnsupportedOperationException("this version of Hadoop has no BulkDelete")
    }

    def call(method: Method, target: AnyRef, arguments: AnyRef*): AnyRef =
      try method.invoke(target, arguments: _*)
      catch { case e: InvocationTargetException => throw e.getCause }
  }
}

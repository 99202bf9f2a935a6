// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.IOException

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.{BulkDelete, FileSystem, Path}

import io.github.pysparklance.core.Log

/** Removal of many files with one request, which S3A has. */
private object HadoopBulkDelete {

  private val log = Log(getClass)

  /** Fewer files than this at a time are no better than single removals. */
  private val leastUseful = 2

  /** How to remove many files of a file system; none where it takes them one by one anyway. */
  def apply(fs: FileSystem): Option[Seq[String] => Unit] = {
    val top = new Path(fs.getUri.toString + "/")
    val pageSize =
      try usingBulk(fs, top)(_.pageSize)
      catch {
        case e @ (_: UnsupportedOperationException | _: IllegalArgumentException) =>
          log.debug(s"${fs.getUri}: no removal of many files at once", e)
          0
      }
    if (pageSize < leastUseful) None
    else
      Some { paths =>
        usingBulk(fs, top) { bulk =>
          paths.grouped(pageSize).foreach { page =>
            val failed = bulk.bulkDelete(page.map(p => fs.makeQualified(new Path(p))).asJava)
            failed.asScala.headOption.foreach { f =>
              throw new IOException(s"${f.getKey}: not removed, ${f.getValue}")
            }
          }
        }
      }
  }

  private def usingBulk[A](fs: FileSystem, top: Path)(use: BulkDelete => A): A = {
    val bulk = fs.createBulkDelete(top)
    try use(bulk)
    finally bulk.close()
  }
}

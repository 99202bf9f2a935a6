// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.time.Instant

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{CorruptFileException, NotFoundException}
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.manifest.{ManifestFile, WriterVersion}
import io.github.pysparklance.table.proto.Transaction.OperationCase

/** What happened in a version.
  *
  * @param timestamp time of the commit
  * @param operation name of the operation that made it, such as `Append`; none when it is not known
  * @param readVersion the version the operation was based on
  * @param properties the user's notes on the commit
  * @param rowCount rows that are not deleted, where they are counted
  * @param numFragments number of fragments
  */
final case class VersionInfo(
    version: Long,
    timestamp: Instant,
    operation: Option[String],
    readVersion: Option[Long],
    properties: Map[String, String],
    rowCount: Option[Long],
    numFragments: Int,
    writer: Option[WriterVersion]
)

private object VersionInfo {

  /** @param root of the table or branch */
  def apply(root: TablePath, file: ManifestFile): VersionInfo = {
    val m = file.manifest
    // A version is readable without its transaction, so it is part of the history all the same.
    val transaction =
      try file.transaction(root)
      catch { case _: CorruptFileException | _: NotFoundException => None }
    VersionInfo(
      m.version,
      m.timestamp,
      transaction.map(_.getOperationCase).filterNot(_ == OperationCase.OPERATION_NOT_SET).map(name),
      transaction.map(_.getReadVersion),
      transaction.fold(Map.empty[String, String])(_.getTransactionPropertiesMap.asScala.toMap),
      m.rowCount,
      m.fragments.length,
      m.writerVersion
    )
  }

  /** `CREATE_INDEX` is `CreateIndex`. */
  private def name(operation: OperationCase): String =
    operation.name.split('_').map(w => w.take(1) + w.drop(1).toLowerCase).mkString
}

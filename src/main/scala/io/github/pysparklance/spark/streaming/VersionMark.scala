// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.util.Using
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.ObjectMapper

import io.github.pysparklance.core.Log
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.refs.StreamMarks

/** A tag that keeps the versions that a query has not read yet. It is named after the query, and
  * moves after each micro-batch. Failures are logged, and do not stop the query.
  *
  * @param home location of the table, not of a branch
  * @param branch branch that the query reads; `None` for the main branch
  * @param name name of the tag
  * @param checkpoint folder of the source
  */
final private[streaming] class VersionMark private (
    home: TableLocation,
    branch: Option[String],
    name: String,
    checkpoint: String
) {
  private val marks = new StreamMarks(home.store, TablePath(home.path))
  private var at = 0L

  /** Creates the tag when the query starts. */
  def begin(version: => Long): Unit = if (at == 0) move(version)

  /** Moves the tag to the first version to keep. */
  def move(version: => Long): Unit =
    try {
      val next = version
      if (next != at) {
        marks.put(name, branch, next, checkpoint)
        at = next
      }
    } catch {
      case NonFatal(e) =>
        VersionMark.log.warn(
          s"${home.path}: the tag $name, which keeps unread versions, could not be moved from version $at",
          e
        )
    }
}

private[streaming] object VersionMark {
  private val log = Log(classOf[VersionMark])
  private val json = new ObjectMapper()

  /** @param checkpoint folder of the source, `<checkpoint of the query>/sources/<number>` */
  def apply(home: TableLocation, branch: Option[String], checkpoint: String): VersionMark = {
    val parts = checkpoint.split('/').filter(_.nonEmpty)
    val source = parts.lastOption.getOrElse("0")
    val query = queryId(checkpoint).getOrElse(
      UUID.nameUUIDFromBytes(checkpoint.getBytes(UTF_8)).toString
    )
    new VersionMark(home, branch, s"stream-$query-$source", checkpoint)
  }

  /** Returns the id of the query, which Spark stores in its checkpoint. */
  private def queryId(checkpoint: String): Option[String] =
    try {
      val root = checkpoint.split("/sources/").head
      val location = TableLocation(root, Map.empty[String, String])
      val path = TablePath(location.path).resolve("metadata")
      location.store.status(path).flatMap { file =>
        val bytes = Using.resource(location.store.open(path, file.sizeBytes))(
          _.read(0, math.min(file.sizeBytes, maxMetadataBytes).toInt)
        )
        Option(json.readTree(bytes).get("id")).filter(_.isTextual).map(_.textValue)
      }.filter(_.matches("[0-9a-fA-F-]{36}"))
    } catch {
      case NonFatal(e) =>
        log.debug(s"$checkpoint: the id of the query is not known", e)
        None
    }

  private val maxMetadataBytes = 65536L
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.connector.read.streaming.Offset

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.changes.VersionId

/** A position in the rows of a table that a stream reads: the fragments of a first version, or none, and then the
  * fragments of each later commit. Equal offsets have equal JSON.
  *
  * {{{
  *   {"formatVersion": 1,
  *    "commitId": "4-6f1c2f0e-...",      transaction of the version, which identifies the table
  *    "fragmentsId": "0a91bc3d",        checksum of the fragments of the version
  *    "version": 5,
  *    "position": 2, "parts": 8,        2 of the 8 fragments of the version or commit were read
  *    "isSnapshot": true,               whether these are all fragments of the version, or those of its commit
  *    "firstVersion": 5}                optional: the first version whose commit the query reads
  * }}}
  *
  * @param firstVersion the first version whose commit the query reads, if it does not begin with a snapshot. A query
  *   whose first micro-batch runs again reads from there
  */
final private[spark] case class StreamOffset(
    id: VersionId,
    version: Long,
    position: Int,
    parts: Int,
    isSnapshot: Boolean,
    firstVersion: Option[Long] = None
) extends Offset {

  /** Whether the version was read to its end. */
  def isComplete: Boolean = position == parts

  /** The first version that has more to read. */
  def nextVersion: Long = if (isComplete) version + 1 else version

  override def json(): String = {
    val node = StreamOffset.mapper.createObjectNode()
    node.put("formatVersion", StreamOffset.formatVersion)
    node.put("commitId", id.commit)
    node.put("fragmentsId", id.fragments)
    node.put("version", version)
    node.put("position", position)
    node.put("parts", parts)
    node.put("isSnapshot", isSnapshot)
    firstVersion.foreach(v => node.put("firstVersion", v))
    StreamOffset.mapper.writeValueAsString(node)
  }
}

/** Parses offsets. */
private[spark] object StreamOffset {

  /** The format of offsets that this release writes. It reads this one and all earlier ones. */
  val formatVersion: Int = 1

  private val mapper = new ObjectMapper()

  /** The end of a version, for information. */
  def endOf(table: LanceTable): StreamOffset =
    StreamOffset(VersionId.of(table), table.version, 0, 0, isSnapshot = false)

  /** Where a query starts. It is the same at each start of the query; the end of the first batch says where that is. */
  object Initial extends Offset {
    override def json(): String = s"""{"formatVersion":$formatVersion,"isInitial":true}"""
  }

  /** Parses an offset of a checkpoint.
    *
    * @throws org.apache.spark.sql.AnalysisException if it is not an offset of a Lance table, or a later release wrote
    *   it
    */
  def parse(json: String): Offset = {
    val node =
      try mapper.readTree(json)
      catch { case e: JsonProcessingException => throw StreamErrors.badOffset(json, e) }
    node match {
      case o: ObjectNode if o.path("formatVersion").isIntegralNumber =>
        val format = o.get("formatVersion").asLong
        if (format > formatVersion) throw StreamErrors.laterFormat(format, formatVersion)
        if (o.path("isInitial").asBoolean(false)) Initial else parse(o, json)
      case _ => throw StreamErrors.badOffset(json, null)
    }
  }

  private def parse(node: ObjectNode, json: String): StreamOffset = {
    def member(name: String)(isRight: JsonNode => Boolean): JsonNode =
      Option(node.get(name)).filter(isRight).getOrElse(throw StreamErrors.badOffset(json, null))
    def text(name: String): String = member(name)(_.isTextual).textValue
    def number(name: String): Long =
      member(name)(n => n.canConvertToLong && n.isIntegralNumber && n.asLong >= 0).asLong
    def count(name: String): Int = member(name)(n => n.isInt && n.asInt >= 0).asInt
    val offset = StreamOffset(
      VersionId(text("commitId"), text("fragmentsId")),
      number("version"),
      count("position"),
      count("parts"),
      member("isSnapshot")(_.isBoolean).booleanValue,
      if (node.has("firstVersion")) Some(number("firstVersion")) else None
    )
    if (offset.version < 1 || offset.position > offset.parts)
      throw StreamErrors.badOffset(json, null)
    offset
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.connector.read.streaming.Offset

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.changes.{ReadFragments, VersionId}

/** A position in the rows of a stream: the fragments of the first version, or none, followed by the
  * fragments of each later commit. Equal offsets have equal JSON.
  *
  * {{{
  *   {"formatVersion": 1,
  *    "commitId": "4-6f1c2f0e-...",      transaction of the version, which identifies the table
  *    "fragmentsId": "0a91bc3d",        checksum of the fragments of the version
  *    "version": 5,
  *    "position": 2, "parts": 8,        2 of the 8 fragments of the version or commit were read
  *    "isSnapshot": true,               whether these are all fragments of the version, or those of its commit
  *    "firstVersion": 5,                optional: the first version whose commit the query reads
  *    "maxFragmentId": 9}               optional: the highest fragment id that the table has used
  * }}}
  *
  * @param firstVersion first version whose commit the query reads, if the query does not start with
  *   a snapshot. A repeated first micro-batch starts there
  * @param maxFragmentId see [[io.github.pysparklance.table.changes.ReadFragments.maxId]]
  */
final private[spark] case class StreamOffset(
    id: VersionId,
    version: Long,
    position: Int,
    parts: Int,
    isSnapshot: Boolean,
    firstVersion: Option[Long] = None,
    maxFragmentId: Option[Long] = None
) extends Offset {

  /** Whether the version was read to its end. */
  def isComplete: Boolean = position == parts

  /** The first version that is not completely read. */
  def nextVersion: Long = if (isComplete) version + 1 else version

  /** The fragments of the version. */
  def fragments: ReadFragments = ReadFragments(id.fragments, maxFragmentId)

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
    maxFragmentId.foreach(id => node.put("maxFragmentId", id))
    StreamOffset.mapper.writeValueAsString(node)
  }
}

/** Parses offsets. */
private[spark] object StreamOffset {

  /** The offset format that this release writes. It also reads all earlier formats. */
  val formatVersion: Int = 1

  private val mapper = new ObjectMapper()

  /** Returns the end of a version, for the progress of a query. */
  def endOf(table: LanceTable): StreamOffset =
    StreamOffset(VersionId.of(table), table.version, 0, 0, isSnapshot = false)

  /** The start of a query. It is the same whenever the query starts. The end of the first
    * micro-batch contains the position.
    */
  object Initial extends Offset {
    override def json(): String = s"""{"formatVersion":$formatVersion,"isInitial":true}"""
  }

  /** Parses an offset of a checkpoint.
    *
    * @throws org.apache.spark.sql.AnalysisException if the text is not an offset of a Lance table,
    *   or if a later release wrote it
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
    def optional(name: String): Option[Long] = if (node.has(name)) Some(number(name)) else None
    def count(name: String): Int = member(name)(n => n.isInt && n.asInt >= 0).asInt
    val offset = StreamOffset(
      VersionId(text("commitId"), text("fragmentsId")),
      number("version"),
      count("position"),
      count("parts"),
      member("isSnapshot")(_.isBoolean).booleanValue,
      optional("firstVersion"),
      optional("maxFragmentId")
    )
    if (offset.version < 1 || offset.position > offset.parts)
      throw StreamErrors.badOffset(json, null)
    offset
  }
}

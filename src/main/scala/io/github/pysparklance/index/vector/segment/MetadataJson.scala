// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.segment

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.github.pysparklance.core.{CorruptFileException, Printable}

/** A JSON object in the metadata of an index file.
  *
  * @param what name of the object in messages
  */
final private[segment] class MetadataJson private (val node: JsonNode, what: String) {

  /** Returns a string, which is empty if it is missing. */
  def text(key: String): String = node.path(key).asText("")

  /** Returns a number from 0.
    *
    * @throws CorruptFileException if it is missing or too large
    */
  def count(key: String): Int =
    optionalCount(key).getOrElse(throw new CorruptFileException(s"$what has no $key"))

  /** Returns a number from 0, or `None` if it is missing or null. */
  def optionalCount(key: String): Option[Int] = value(key).map { v =>
    if (!v.isIntegralNumber || !v.canConvertToInt || v.asInt < 0) mismatch(key, v)
    v.asInt
  }

  /** Returns a number. */
  def number(key: String): Double = {
    val found = value(key).getOrElse(throw new CorruptFileException(s"$what has no $key"))
    if (!found.isNumber) mismatch(key, found)
    found.asDouble
  }

  /** Returns a boolean, or `default` if it is missing. */
  def flag(key: String, default: Boolean): Boolean = value(key).fold(default) { v =>
    if (!v.isBoolean) mismatch(key, v)
    v.asBoolean
  }

  /** Returns a list of bytes, stored as numbers, or `None` if it is missing or null. */
  def bytes(key: String): Option[Array[Byte]] = value(key).map { v =>
    if (
      !v.isArray || !v.elements.asScala.forall(e =>
        e.canConvertToInt && e.asInt >= 0 && e.asInt < 256
      )
    )
      mismatch(key, v)
    v.elements.asScala.map(_.asInt.toByte).toArray
  }

  /** Returns an object. */
  def inner(key: String): MetadataJson = {
    val found = value(key).getOrElse(throw new CorruptFileException(s"$what has no $key"))
    new MetadataJson(found, s"$what, $key")
  }

  private def value(key: String): Option[JsonNode] = Option(node.get(key)).filterNot(_.isNull)

  private def mismatch(key: String, found: JsonNode): Nothing = throw new CorruptFileException(
    s"$what: $key is ${Printable.line(found.toString.take(40))}"
  )
}

private[segment] object MetadataJson {
  private val json = new ObjectMapper

  /** Reads an object.
    *
    * @throws CorruptFileException if the text is not an object
    */
  def parse(text: String, what: String): MetadataJson = {
    val node = read(text, what)
    CorruptFileException.check(
      node != null && node.isObject,
      s"$what is not a JSON object: ${Printable.line(text.take(40))}"
    )
    new MetadataJson(node, what)
  }

  /** Reads a list of strings. */
  def texts(text: String, what: String): IndexedSeq[String] = {
    val node = read(text, what)
    CorruptFileException.check(
      node != null && node.isArray && node.elements.asScala.forall(_.isTextual),
      s"$what is not a JSON list of texts: ${Printable.line(text.take(40))}"
    )
    node.elements.asScala.map(_.asText).toIndexedSeq
  }

  private def read(text: String, what: String): JsonNode =
    try json.readTree(text)
    catch {
      case e: JsonProcessingException =>
        throw new CorruptFileException(
          s"$what is not JSON: ${Printable.line(text.take(40))}",
          cause = e
        )
    }
}

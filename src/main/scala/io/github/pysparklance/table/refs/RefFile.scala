// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.time.{DateTimeException, Instant, OffsetDateTime}

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.github.pysparklance.core.{CorruptFileException, Place}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** A JSON file that describes a tag or a branch. Members that are null count as missing. */
private[refs] object RefFile {
  private val suffix = ".json"
  private val maxBytes = 16 << 20
  private val json = new ObjectMapper()

  /** The names of the files in a folder, without suffix. */
  def names(store: FileStore, folder: TablePath): IndexedSeq[String] =
    store
      .list(folder.root)
      .filter(e => !e.isFolder && e.name.endsWith(suffix))
      .map(_.name.dropRight(suffix.length))
      .sorted

  /** Reads the file of a name.
    *
    * @param parse makes something of the JSON object
    * @return none when there is no such file
    * @throws CorruptFileException when it is damaged
    */
  def read[A](
      store: FileStore,
      folder: TablePath,
      name: String
  )(parse: JsonNode => A): Option[A] = {
    val path = folder.resolve(name + suffix)
    store.status(path).filterNot(_.isFolder).map { entry =>
      Place.in(Place(path = Some(path))) {
        check(entry.sizeBytes <= maxBytes, s"it has ${entry.sizeBytes} bytes")
        val bytes =
          Using.resource(store.open(path, entry.sizeBytes))(_.read(0, entry.sizeBytes.toInt))
        val node =
          try json.readTree(bytes)
          catch {
            case e: JsonProcessingException =>
              throw new CorruptFileException(
                s"corrupt reference: no JSON, ${e.getOriginalMessage}",
                cause = e
              )
          }
        check(node.isObject, "it is no JSON object")
        parse(node)
      }
    }
  }

  private def member(node: JsonNode, name: String): Option[JsonNode] =
    Option(node.get(name)).filterNot(_.isNull)

  def text(node: JsonNode, name: String): Option[String] = member(node, name).map { m =>
    check(m.isTextual, s"$name is not a text")
    m.textValue
  }

  /** A number of at least 0. */
  def number(node: JsonNode, name: String): Option[Long] = member(node, name).map { m =>
    check(
      m.isIntegralNumber && m.canConvertToLong && m.longValue >= 0,
      s"$name is not a number of at least 0"
    )
    m.longValue
  }

  def requiredNumber(node: JsonNode, name: String): Long =
    number(node, name).getOrElse(throw new CorruptFileException(s"corrupt reference: no $name"))

  /** A time as RFC 3339 has it. */
  def time(node: JsonNode, name: String): Option[Instant] = text(node, name).map { t =>
    try OffsetDateTime.parse(t).toInstant
    catch {
      case e: DateTimeException =>
        throw new CorruptFileException(
          s"corrupt reference: $name is $t, which is no time",
          cause = e
        )
    }
  }

  /** The user's notes. */
  def metadata(node: JsonNode): Map[String, String] =
    member(node, "metadata").fold(Map.empty[String, String]) { m =>
      check(m.isObject && m.elements.asScala.forall(_.isTextual), "metadata is no map of texts")
      m.properties.asScala.map(e => e.getKey -> e.getValue.textValue).toMap
    }

  def check(condition: Boolean, problem: => String): Unit =
    CorruptFileException.check(condition, s"corrupt reference: $problem")
}

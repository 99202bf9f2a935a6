// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.io.{ByteArrayOutputStream, IOException}
import java.math.BigInteger
import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8
import java.time.{DateTimeException, Instant, OffsetDateTime}

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.github.pysparklance.core.{
  Checked,
  CorruptFileException,
  LanceException,
  Place,
  Workers
}
import io.github.pysparklance.storage.spi.{FileStore, TablePath, UnconfirmedWriteException}

/** Reads and writes the JSON file of a tag or branch. Null members count as missing. */
private[refs] object RefFile {
  private val suffix = ".json"
  private val maxBytes = 16 << 20
  private val json = new ObjectMapper()

  /** Returns the names of the references in a folder. */
  def names(store: FileStore, folder: TablePath): IndexedSeq[String] =
    store
      .list(folder.root)
      .filter(e => !e.isFolder && e.name.endsWith(suffix))
      .flatMap(e => decoded(e.name.dropRight(suffix.length)))
      .sorted

  /** Reads all references of a folder in parallel, ordered by name.
    *
    * @param find reads a reference by name; `None` if it was deleted meanwhile
    */
  def list[A](store: FileStore, folder: TablePath)(find: String => Option[A]): IndexedSeq[A] =
    Workers
      .map(names(store, folder), store.profile(folder.root).filesInParallel)(find)
      .flatten

  /** Returns the path of a reference's file. Slashes and non-ASCII letters are percent-encoded. */
  def path(folder: TablePath, name: String): String = {
    val out = new StringBuilder
    name.getBytes(UTF_8).foreach { b =>
      if (b > 0 && b != '/' && b != '%') out.append(b.toChar) else out.append(f"%%${b & 0xff}%02X")
    }
    folder.resolve(out.append(suffix).toString)
  }

  /** Returns `None` if the file name is not the encoding of a name. */
  private def decoded(fileName: String): Option[String] =
    try Some(URLDecoder.decode(fileName.replace("+", "%2B"), UTF_8))
    catch { case _: IllegalArgumentException => None }

  /** Reads the file of a reference.
    *
    * @param parse parses the JSON object
    * @return `None` if the file does not exist
    * @throws CorruptFileException if it is damaged
    */
  def read[A](
      store: FileStore,
      folder: TablePath,
      name: String
  )(parse: ObjectNode => A): Option[A] = {
    val file = path(folder, name)
    bytes(store, file).map(b => Place.in(Place(path = Some(file)))(parse(node(b))))
  }

  private def bytes(store: FileStore, file: String): Option[Array[Byte]] =
    store.status(file).filterNot(_.isFolder).map { entry =>
      Place.in(Place(path = Some(file))) {
        check(entry.sizeBytes <= maxBytes, s"it has ${entry.sizeBytes} bytes")
        Using.resource(store.open(file, entry.sizeBytes))(_.read(
          0,
          Checked.int(entry.sizeBytes, "bytes of the file")
        ))
      }
    }

  private def node(bytes: Array[Byte]): ObjectNode =
    try
      json.readTree(bytes) match {
        case o: ObjectNode => o
        case _ => throw new CorruptFileException("corrupt reference: it is not a JSON object")
      }
    catch {
      case e: IOException =>
        val problem = e match {
          case json: JsonProcessingException => json.getOriginalMessage
          case _ => e.getMessage // bytes that are not characters
        }
        throw new CorruptFileException(s"corrupt reference: not valid JSON, $problem", cause = e)
    }

  /** Returns an empty object. */
  def newNode(): ObjectNode = json.createObjectNode()

  /** Creates the file of a reference.
    *
    * @return false if it exists
    */
  def create(store: FileStore, folder: TablePath, name: String, content: ObjectNode): Boolean = {
    val file = path(folder, name)
    val ours = pretty(content)
    // A failed create may have succeeded, for example if the client repeats a request after its
    // response was lost.
    def isOurs: Boolean = bytes(store, file).exists(_.sameElements(ours))
    def create(): Boolean = store.createIfAbsent(file, ours) || isOurs || {
      // An earlier request of the client may still be in flight.
      if (!store.exists(file))
        throw new UnconfirmedWriteException(
          file,
          new IOException("it cannot be created, but does not exist")
        )
      false
    }
    try create()
    catch {
      case e: IOException =>
        val settled =
          try
            if (isOurs) Some(true)
            // An unconfirmed request may still take effect. Repeating it resolves that.
            else if (e.isInstanceOf[UnconfirmedWriteException]) Some(create())
            else None
          catch {
            case again @ (_: IOException | _: LanceException) =>
              e.addSuppressed(again)
              None
          }
        settled.getOrElse(throw e)
    }
  }

  /** Replaces the file of a reference. */
  def replace(store: FileStore, folder: TablePath, name: String, content: ObjectNode): Unit =
    store.replace(path(folder, name), pretty(content))

  private def pretty(content: ObjectNode): Array[Byte] = {
    val out = new ByteArrayOutputStream
    json.writerWithDefaultPrettyPrinter.writeValue(out, content)
    out.toByteArray
  }

  private def member(node: JsonNode, name: String): Option[JsonNode] =
    Option(node.get(name)).filterNot(_.isNull)

  def text(node: JsonNode, name: String): Option[String] = member(node, name).map { m =>
    check(m.isTextual, s"$name is not a string")
    m.textValue
  }

  /** Returns a number of at least 0. */
  def number(node: JsonNode, name: String): Option[Long] = member(node, name).map { m =>
    check(
      m.isIntegralNumber && m.canConvertToLong && m.longValue >= 0,
      s"$name is not a number of at least 0"
    )
    m.longValue
  }

  /** Returns an unsigned version number. */
  def version(node: JsonNode, name: String): Long = {
    val m = member(node, name)
      .getOrElse(throw new CorruptFileException(s"corrupt reference: $name is missing"))
    check(
      m.isIntegralNumber && m.bigIntegerValue.signum >= 0 && m.bigIntegerValue.bitLength <= 64,
      s"$name is not a number of at least 0"
    )
    m.bigIntegerValue.longValue
  }

  def putVersion(node: ObjectNode, name: String, version: Long): Unit =
    node.put(name, new BigInteger(java.lang.Long.toUnsignedString(version))): Unit

  def putMetadata(node: ObjectNode, metadata: Map[String, String]): Unit = {
    val o = node.putObject("metadata")
    metadata.toSeq.sorted.foreach { case (k, v) => o.put(k, v) }
  }

  def requiredNumber(node: JsonNode, name: String): Long =
    number(
      node,
      name
    ).getOrElse(throw new CorruptFileException(s"corrupt reference: $name is missing"))

  /** Returns a time in RFC 3339 format. */
  def time(node: JsonNode, name: String): Option[Instant] = text(node, name).map { t =>
    try OffsetDateTime.parse(t).toInstant
    catch {
      case e: DateTimeException =>
        throw new CorruptFileException(
          s"corrupt reference: $name is $t, which is not a valid time",
          cause = e
        )
    }
  }

  /** Returns the user-defined metadata. */
  def metadata(node: JsonNode): Map[String, String] =
    member(node, "metadata").fold(Map.empty[String, String]) { m =>
      check(m.isObject && m.elements.asScala.forall(_.isTextual), "metadata is not a map of texts")
      m.properties.asScala.map(e => e.getKey -> e.getValue.textValue).toMap
    }

  def check(condition: Boolean, problem: => String): Unit =
    CorruptFileException.check(condition, s"corrupt reference: $problem")
}

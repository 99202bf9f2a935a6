// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend.rest

import java.io.IOException

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.{JsonParser, JsonProcessingException}
import com.fasterxml.jackson.databind.node.{JsonNodeFactory, ObjectNode}
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode, ObjectMapper}

import io.github.pysparklance.core.Parse
import io.github.pysparklance.storage.spi.VendedOptions

/** A page of names.
  *
  * @param token continues the list; `None` at its end
  */
final private[backend] case class NamePage(names: Seq[String], token: Option[String])

/** The parts of `DescribeTableResponse` and `DeclareTableResponse` that the connector uses. The
  * text form has no credentials.
  *
  * @param isManaged whether the service records the versions of the table
  */
final private[backend] case class TableDescription(
    location: String,
    options: VendedOptions,
    isManaged: Boolean
)

/** A version of a table that the service records.
  *
  * @param manifestPath path of the manifest in its bucket, or in the file system
  */
final private[backend] case class RecordedVersion(
    version: Long,
    manifestPath: String,
    sizeBytes: Option[Long]
)

/** An `ErrorResponse`. */
final private[backend] case class ServiceError(code: Int, text: String)

/** Messages of the protocol. Responses are checked: fields have the type of the specification, and
  * required fields exist. Unknown fields are ignored, because later releases of a service may add
  * them.
  *
  * Source: `docs/src/spec.yaml` of the namespace specification.
  */
private[backend] object RestMessages {
  private val mapper = new ObjectMapper()
    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
    .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)

  private val nodes = JsonNodeFactory.instance

  /** Parses a response. An empty body is an empty object.
    *
    * @param what the request, for errors
    */
  def parsed(body: Array[Byte], what: => String): JsonNode =
    if (body.isEmpty) nodes.objectNode()
    else
      try mapper.readTree(body)
      catch {
        // Messages may quote the response, which may have credentials.
        case e: JsonProcessingException =>
          val at = Option(e.getLocation).fold("")(l => s" at line ${l.getLineNr}")
          throw new RestException(s"$what: the response is not JSON$at")
        // Bytes that are not characters.
        case _: IOException => throw new RestException(s"$what: the response is not JSON")
      }

  /** Returns the error of a response, or `None` if its body is another text. */
  def error(body: Array[Byte]): Option[ServiceError] =
    try {
      val json = mapper.readTree(body)
      Option(json).filter(_.isObject).flatMap(j => Option(j.get("code"))).filter(_.isInt).map {
        code =>
          val text = Seq("error", "detail").flatMap(n => Option(json.get(n))).find(_.isTextual)
          ServiceError(code.intValue, text.fold("no message")(_.textValue))
      }
    } catch { case _: IOException => None }

  /** Parses `ListNamespacesResponse` and `ListTablesResponse`.
    *
    * @param field field with the names
    */
  def page(json: JsonNode, field: String): NamePage = {
    val names = elements(json, field).map { n =>
      if (n.isTextual) n.textValue else invalid(field, "a name is not a string")
    }
    NamePage(names, text(json, "page_token").filter(_.nonEmpty))
  }

  /** Parses the properties of a namespace, which are null if the service has none. */
  def properties(json: JsonNode): Map[String, String] = strings(json, "properties")

  /** Parses the response to a declared or described table. */
  def table(json: JsonNode): TableDescription = {
    val options = strings(json, "storage_options")
    if (options.get(VendedOptions.Expiry).exists(Parse.long(_).isEmpty))
      invalid(VendedOptions.Expiry, "it is not a number of milliseconds")
    TableDescription(
      text(json, "location").filter(_.nonEmpty).getOrElse(invalid("location", "it is missing")),
      new VendedOptions(options),
      boolean(json, "managed_versioning")
    )
  }

  /** Parses `ListTableVersionsResponse`. */
  def versions(json: JsonNode): Seq[RecordedVersion] = elements(json, "versions").map(version)

  /** Parses the version in `DescribeTableVersionResponse`. */
  def describedVersion(json: JsonNode): RecordedVersion = version(json.path("version"))

  private def version(json: JsonNode): RecordedVersion = RecordedVersion(
    long(json, "version").filter(_ >= 0).getOrElse(invalid("version", "it is missing or negative")),
    text(json, "manifest_path").getOrElse(invalid("manifest_path", "it is missing")),
    long(json, "manifest_size")
  )

  /** Returns the JSON object of a request.
    *
    * @param id identifier of the namespace or table
    * @param fields strings, booleans, numbers, lists of strings, and maps of strings; `None` is
    *   omitted
    */
  def request(id: Seq[String], fields: (String, Any)*): String =
    mapper.writeValueAsString(filled(("id" -> id) +: fields))

  /** Returns a JSON object. */
  def filled(fields: Seq[(String, Any)]): ObjectNode = {
    val json = nodes.objectNode()
    fields.foreach { case (name, value) => node(value).foreach(json.set[JsonNode](name, _)) }
    json
  }

  private def node(value: Any): Option[JsonNode] = value match {
    case None => None
    case Some(inner) => node(inner)
    case s: String => Some(nodes.textNode(s))
    case b: Boolean => Some(nodes.booleanNode(b))
    case n: Long => Some(nodes.numberNode(n))
    case m: Map[_, _] => Some(filled(m.toSeq.map { case (k, v) => k.toString -> v }))
    case s: Seq[_] =>
      val array = nodes.arrayNode()
      s.flatMap(v => node(v)).foreach(n => array.add(n))
      Some(array)
    case j: JsonNode => Some(j)
    case other => throw new IllegalArgumentException(s"${other.getClass} in a request")
  }

  private def field(json: JsonNode, name: String): Option[JsonNode] =
    Option(json.get(name)).filterNot(_.isNull)

  private def text(json: JsonNode, name: String): Option[String] = field(json, name).map { n =>
    if (n.isTextual) n.textValue else invalid(name, "it is not a string")
  }

  private def boolean(json: JsonNode, name: String): Boolean = field(json, name).exists { n =>
    if (n.isBoolean) n.booleanValue else invalid(name, "it is not a boolean")
  }

  private def long(json: JsonNode, name: String): Option[Long] = field(json, name).map { n =>
    if (n.canConvertToLong && n.isIntegralNumber) n.longValue
    else invalid(name, "it is not an integer of 64 bits")
  }

  private def elements(json: JsonNode, name: String): Seq[JsonNode] = field(json, name) match {
    case Some(n) if n.isArray => n.elements.asScala.toVector
    case Some(_) => invalid(name, "it is not a list")
    case None => invalid(name, "it is missing")
  }

  private def strings(json: JsonNode, name: String): Map[String, String] =
    field(json, name).fold(Map.empty[String, String]) { n =>
      if (!n.isObject) invalid(name, "it is not an object")
      n.properties.asScala.map { e =>
        if (!e.getValue.isTextual) invalid(name, "it has a value that is not a string")
        e.getKey -> e.getValue.textValue
      }.toMap
    }

  private def invalid(name: String, why: String): Nothing =
    throw new RestException(s"a response of the catalog is invalid: $name: $why")
}

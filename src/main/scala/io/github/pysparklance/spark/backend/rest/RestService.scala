// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend.rest

import java.nio.CharBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.charset.{CharacterCodingException, CodingErrorAction}

import scala.annotation.tailrec

import com.fasterxml.jackson.databind.JsonNode

import io.github.pysparklance.core.{InvalidRequestException, Printable}

/** The operations of a namespace service that the connector uses.
  *
  * {{{
  *   namespace   create, list, describe, exists, drop
  *   table       list, declare, describe, register, rename, deregister, drop
  *   version     create, list, describe, delete
  * }}}
  * An identifier is one segment of the URL: its names, joined by the delimiter, percent-encoded.
  * The identifier of the root is the delimiter.
  *
  * Failures throw [[RestException]].
  *
  * Source: namespace specification, "Lance REST Catalog" and `docs/src/spec.yaml`.
  *
  * @param limits limits on the pages of a list
  */
final private[backend] class RestService(
    options: RestOptions,
    limits: RestService.Limits = RestService.Limits()
) {
  import RestMessages.request
  import RestService._

  private val client = new RestClient(options)

  /** Returns the names of the child namespaces. */
  def namespaces(id: Seq[String]): Seq[String] =
    pages(id, "list", "namespaces")

  /** Returns the names of the tables of a namespace.
    *
    * @param withDeclared whether tables are included that are declared, but were never written
    */
  def tables(id: Seq[String], withDeclared: Boolean): Seq[String] =
    pages(id, "table/list", "tables", "include_declared" -> withDeclared.toString)

  def namespaceExists(id: Seq[String]): Boolean =
    found(post("namespace", id, "exists", request(id))).isDefined

  def namespaceProperties(id: Seq[String]): Map[String, String] =
    RestMessages.properties(post("namespace", id, "describe", request(id)))

  def createNamespace(id: Seq[String], properties: Map[String, String]): Unit = once(
    "namespace",
    id,
    "create",
    request(id, "mode" -> "Create", "properties" -> properties)
  )

  /** Drops an empty namespace. */
  def dropNamespace(id: Seq[String]): Unit =
    once("namespace", id, "drop", request(id, "mode" -> "Fail", "behavior" -> "Restrict"))

  /** Returns the description of a table, or `None` if it is not registered. */
  def describe(id: Seq[String]): Option[TableDescription] =
    found(RestMessages.table(post("table", id, "describe", request(id, vend))))

  /** Reserves a name for a table that will be written.
    *
    * @param location wanted location; `None` lets the service choose
    */
  def declare(id: Seq[String], location: Option[String]): TableDescription =
    RestMessages.table(
      post("table", id, "declare", request(id, "location" -> location, vend), isRepeatable = false)
    )

  /** Registers an existing table. */
  def register(id: Seq[String], location: String): Unit =
    once("table", id, "register", request(id, "location" -> location, "mode" -> "Create"))

  def rename(id: Seq[String], to: Seq[String]): Unit = once(
    "table",
    id,
    "rename",
    request(id, "new_table_name" -> to.last, "new_namespace_id" -> to.init)
  )

  /** Removes the registration of a table. */
  def deregister(id: Seq[String]): Unit = once("table", id, "deregister", request(id))

  /** Drops a table with its files. */
  def drop(id: Seq[String]): Unit = once("table", id, "drop", "")

  /** Returns the latest recorded version. */
  def latestVersion(id: Seq[String], branch: Option[String]): Option[RecordedVersion] = {
    val query = Seq("limit" -> "1", "descending" -> "true") ++ branch.map("branch" -> _)
    found(RestMessages.versions(post("table", id, "version/list", "", query = query))).flatMap(
      _.headOption
    )
  }

  /** Returns a recorded version. */
  def version(id: Seq[String], branch: Option[String], version: Long): Option[RecordedVersion] =
    found {
      val body = request(id, "version" -> version, "branch" -> branch)
      RestMessages.describedVersion(post("table", id, "version/describe", body))
    }

  /** Records a version, whose manifest the service copies from a staging path. If a repetition
    * fails because the first request was carried out, the commit finds its own version in the
    * table.
    */
  def createVersion(
      id: Seq[String],
      branch: Option[String],
      staged: RecordedVersion,
      scheme: String
  ): Unit = post(
    "table",
    id,
    "version/create",
    request(
      id,
      "version" -> staged.version,
      "branch" -> branch,
      "manifest_path" -> staged.manifestPath,
      "manifest_size" -> staged.sizeBytes,
      "naming_scheme" -> scheme
    )
  ): Unit

  /** Removes the records of versions.
    *
    * @param until the first version to keep; -1 removes all versions from `from` on
    */
  def deleteVersions(id: Seq[String], branch: Option[String], from: Long, until: Long): Unit = {
    val range = Map("start_version" -> from, "end_version" -> until)
    post(
      "table",
      id,
      "version/delete",
      request(id, "branch" -> branch, "ranges" -> Seq(range))
    ): Unit
  }

  private def found[A](ask: => A): Option[A] =
    try Some(ask)
    catch { case e: RestException if e.isAbsent => None }

  private def once(kind: String, id: Seq[String], action: String, body: String): Unit =
    post(kind, id, action, body, isRepeatable = false): Unit

  private def post(
      kind: String,
      id: Seq[String],
      action: String,
      body: String,
      query: Seq[(String, String)] = Nil,
      isRepeatable: Boolean = true
  ): JsonNode = client.send(RestRequest(target(kind, id, action, query), Some(body), isRepeatable))

  private def pages(
      id: Seq[String],
      action: String,
      field: String,
      query: (String, String)*
  ): Seq[String] = {
    def tooMany(what: String) =
      throw new RestException(s"${options.uri}: a namespace has more than $what of $field")
    @tailrec def from(
        token: Option[String],
        seen: Set[String],
        names: Vector[String],
        characters: Long
    ): Seq[String] = {
      val requested = (query :+ "limit" -> pageSize.toString) ++ token.map("page_token" -> _)
      val sent = RestRequest(target("namespace", id, action, requested), None, isRepeatable = true)
      val page = RestMessages.page(client.send(sent), field)
      val all = names ++ page.names
      val read = (page.names ++ page.token).foldLeft(characters)(_ + _.length)
      if (all.length > limits.names) tooMany(s"${limits.names} names")
      if (read > limits.characters) tooMany(s"${limits.characters} characters of names and tokens")
      page.token match {
        // Some services list deeper tables, too, whose names have the delimiter.
        case None => all.map(relative(id, _)).filterNot(_.contains(options.delimiter))
        case Some(next) if seen(next) =>
          throw new RestException(s"${options.uri}: the pages of $field repeat")
        case Some(_) if seen.size + 1 >= limits.pages => tooMany(s"${limits.pages} pages")
        case next @ Some(known) => from(next, seen + known, all, read)
      }
    }
    from(None, Set.empty, Vector.empty, characters = 0)
  }

  /** Some services return identifiers instead of names. */
  private def relative(id: Seq[String], name: String): String =
    if (id.isEmpty) name
    else name.stripPrefix(id.mkString("", options.delimiter, options.delimiter))

  private def target(
      kind: String,
      id: Seq[String],
      action: String,
      query: Seq[(String, String)]
  ): String = {
    val segment =
      encoded(if (id.isEmpty) options.delimiter else id.map(checked).mkString(options.delimiter))
    val all = ("delimiter" -> options.delimiter) +: query
    all.map { case (n, v) => s"$n=${encoded(v)}" }.mkString(s"/v1/$kind/$segment/$action?", "&", "")
  }

  private def checked(name: String): String = {
    def invalid(why: String) = throw new InvalidRequestException(
      s"'${Printable.line(name)}' cannot be a name in the catalog ${options.uri}: $why"
    )
    if (name.isEmpty) invalid("it is empty")
    // Servers and proxies remove such segments from a path.
    if (name == "." || name == "..") invalid("it is a relative path")
    if (name.contains(options.delimiter))
      invalid(s"it has the delimiter ${options.delimiter}; the option delimiter sets another one")
    name
  }
}

private[backend] object RestService {

  /** Limits on the pages of a list, which a service could continue forever.
    *
    * @param names maximum number of names
    * @param pages maximum number of pages, including empty ones
    * @param characters maximum characters of all names and tokens
    */
  final case class Limits(
      names: Int = 1000000,
      pages: Int = 10000,
      characters: Long = 64L << 20
  )

  private val vend: (String, Any) = "vend_credentials" -> true

  private val pageSize = 1000

  private val unreserved: Set[Int] =
    (('a' to 'z') ++ ('A' to 'Z') ++ ('0' to '9') ++ "-._~").map(_.toInt).toSet

  /** Percent-encodes a text for a segment of a path, or for a query. */
  private def encoded(text: String): String = {
    val utf8 =
      try
        UTF_8.newEncoder().onMalformedInput(CodingErrorAction.REPORT).encode(CharBuffer.wrap(text))
      catch {
        case _: CharacterCodingException =>
          throw new InvalidRequestException(
            "a name has an unpaired surrogate, which is not a character"
          )
      }
    val out = new StringBuilder
    while (utf8.hasRemaining) {
      val b = utf8.get() & 0xff
      if (unreserved(b)) out += b.toChar else out ++= f"%%$b%02X"
    }
    out.toString
  }
}

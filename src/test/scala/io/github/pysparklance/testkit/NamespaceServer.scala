// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.net.{InetAddress, InetSocketAddress, URLDecoder}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}
import java.util.concurrent.{ConcurrentLinkedQueue, Executors}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.node.{JsonNodeFactory, ObjectNode}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.sun.net.httpserver.{HttpExchange, HttpServer}

/** A namespace service in this process, with the REST protocol of Lance namespaces.
  *
  * @param root path or URI of the folder for tables
  * @param hasAll whether it has the optional operations drop and rename
  */
final class NamespaceServer(
    root: String,
    hasAll: Boolean = true,
    server: HttpServer = NamespaceServer.http()
) extends AutoCloseable {
  import NamespaceServer._

  /** Storage options that it returns for each table. */
  @volatile var vend: () => Map[String, String] = () => Map.empty

  /** Whether it records the versions of tables. */
  @volatile var isManaged = false

  /** Maximum number of names on a page. */
  @volatile var pageSize = 1000

  /** Responds to some requests in place of the service. */
  @volatile var intercept: Request => Option[Answer] = (_: Request) => None

  private val namespaces = mutable.LinkedHashMap(Seq.empty[String] -> Map.empty[String, String])
  private val tables = mutable.LinkedHashMap.empty[Seq[String], String]
  private val pending = new ConcurrentLinkedQueue[Answer]
  private val received = new ConcurrentLinkedQueue[Request]
  private val threads = Executors.newCachedThreadPool { (r: Runnable) =>
    val t = new Thread(r, "namespace-server")
    t.setDaemon(true)
    t
  }

  server.setExecutor(threads)
  server.createContext("/", (e: HttpExchange) => handle(e))
  server.start()

  /** The URL of the service. */
  val uri: String = s"http://127.0.0.1:${server.getAddress.getPort}"

  /** All requests so far. */
  def requests: Seq[Request] = received.asScala.toVector

  def forgetRequests(): Unit = received.clear()

  /** Returns these responses to the next requests. */
  def next(answers: Answer*): Unit = answers.foreach(pending.add)

  /** Locations of all tables. */
  def locations: Map[Seq[String], String] = synchronized(tables.toMap)

  /** Declares a table, as another client does. */
  def declare(id: String*): String = synchronized {
    tables.getOrElseUpdate(
      id,
      s"$root/${id.mkString("_").filter(_.isLetterOrDigit)}-${tables.size}"
    )
  }

  def close(): Unit = {
    server.stop(0)
    threads.shutdownNow(): Unit
  }

  private def handle(e: HttpExchange): Unit =
    try {
      val body = new String(e.getRequestBody.readAllBytes(), UTF_8)
      val headers = e.getRequestHeaders.asScala.map { case (k, v) =>
        k.toLowerCase -> v.get(0)
      }.toMap
      val uri = e.getRequestURI
      val request =
        Request(e.getRequestMethod, uri.getRawPath, query(uri.getRawQuery), headers, body)
      received.add(request)
      val answer = Option(pending.poll()).orElse(intercept(request)).getOrElse {
        try synchronized(respond(request))
        catch { case rejected: Rejected => rejected.answer }
      }
      if (answer.pauseMillis > 0) Thread.sleep(answer.pauseMillis)
      answer.headers.foreach { case (k, v) => e.getResponseHeaders.set(k, v) }
      e.sendResponseHeaders(
        answer.status,
        if (answer.body.isEmpty) -1 else answer.body.length.toLong
      )
      if (answer.body.nonEmpty) e.getResponseBody.write(answer.body)
    } finally e.close()

  private def query(raw: String): Map[String, String] =
    Option(raw).toSeq.flatMap(_.split('&')).map { p =>
      val at = p.indexOf('=')
      p.take(at) -> URLDecoder.decode(p.drop(at + 1), "UTF-8")
    }.toMap

  private def respond(r: Request): Answer = {
    val parts = r.path.split('/').drop(2)
    val delimiter = r.query.getOrElse("delimiter", "$")
    val text = URLDecoder.decode(parts(1).replace("+", "%2B"), "UTF-8")
    val id =
      if (text == delimiter) Nil else text.split(java.util.regex.Pattern.quote(delimiter)).toSeq
    val json = if (r.body.isEmpty) nodes.objectNode() else mapper.readTree(r.body)
    if (json.has("id") && texts(json.get("id")) != id) reject(400, 13, "the identifiers differ")
    (parts.head, parts.drop(2).mkString("/")) match {
      case ("namespace", "create") =>
        if (namespaces.contains(id)) reject(409, 2, "namespace exists")
        if (!namespaces.contains(id.init)) reject(404, 1, "no parent")
        namespaces(id) = strings(json.get("properties"))
        ok()
      case ("namespace", "list") =>
        page(
          r,
          "namespaces",
          namespaces.keys.filter(n => n.nonEmpty && n.init == inside(id)).map(_.last)
        )
      case ("namespace", "describe") =>
        inside(id)
        val properties = nodes.objectNode()
        namespaces(id).foreach { case (k, v) => properties.put(k, v) }
        ok(_.set[JsonNode]("properties", properties))
      case ("namespace", "exists") =>
        inside(id)
        Answer(200)
      case ("namespace", "drop") =>
        inside(id)
        if ((namespaces.keys ++ tables.keys).exists(k => k.length > id.length && k.startsWith(id)))
          reject(409, 3, "namespace is not empty")
        namespaces.remove(id)
        ok()
      case ("namespace", "table/list") =>
        val all = r.query.get("include_declared").contains("true")
        val shown = tables.collect {
          case (k, at) if k.init == inside(id) && (all || isWritten(at)) => k.last
        }
        page(r, "tables", shown)
      case ("table", "declare") =>
        inside(id.init)
        if (tables.contains(id)) reject(409, 5, "table exists")
        declare(id: _*)
        Option(json.get("location")).foreach(l => tables(id) = l.textValue)
        describe(id)
      case ("table", "register") =>
        inside(id.init)
        if (tables.contains(id)) reject(409, 5, "table exists")
        val at = json.get("location").textValue
        tables(id) = if (at.contains("/")) at else s"$root/$at"
        ok()
      case ("table", "describe") => describe(id)
      case ("table", "deregister") =>
        location(id)
        tables.remove(id)
        ok()
      case ("table", "drop") if hasAll =>
        val at = local(location(id))
        io.github.pysparklance.storage.local.LocalFileStore.deleteFolder(at)
        tables.remove(id)
        ok()
      case ("table", "rename") if hasAll =>
        val to = texts(json.get("new_namespace_id")) :+ json.get("new_table_name").textValue
        if (tables.contains(to)) reject(409, 5, "table exists")
        tables(to) = location(id)
        tables.remove(id)
        ok()
      case ("table", version) if version.startsWith("version/") => versions(r, id, version, json)
      case other => reject(406, 0, s"no operation $other")
    }
  }

  /** Versions are the manifests in the storage. */
  private def versions(r: Request, id: Seq[String], action: String, json: JsonNode): Answer = {
    val folder = Paths.get(local(location(id)), "_versions")
    def found = (if (Files.isDirectory(folder)) Files.list(folder).iterator.asScala.toSeq else Nil)
      .map(_.getFileName.toString)
      .collect { case number(n) => (BigInt("18446744073709551615") - BigInt(n)).toLong }
    def version(v: Long): ObjectNode = {
      val path = folder.resolve(f"${BigInt("18446744073709551615") - BigInt(v)}%020d.manifest")
      nodes.objectNode().put("version", v).put("manifest_path", path.toString.drop(1))
        .put("manifest_size", Files.size(path))
    }
    action match {
      case "version/list" =>
        val list = nodes.arrayNode()
        found.sorted.reverse.take(r.query("limit").toInt).foreach(v => list.add(version(v)))
        ok(_.set[JsonNode]("versions", list))
      case "version/describe" =>
        val v = json.get("version").longValue
        if (!found.contains(v)) reject(404, 11, "no such version")
        ok(_.set[JsonNode]("version", version(v)))
      case "version/create" =>
        val v = json.get("version").longValue
        if (found.contains(v)) reject(409, 14, s"version $v exists")
        Files.move(
          Paths.get("/" + json.get("manifest_path").textValue),
          folder.resolve(f"${BigInt("18446744073709551615") - BigInt(v)}%020d.manifest")
        )
        ok(_.set[JsonNode]("version", version(v)))
      case _ => ok()
    }
  }

  private def describe(id: Seq[String]): Answer = {
    val at = location(id)
    val options = nodes.objectNode()
    vend().foreach { case (k, v) => options.put(k, v) }
    ok { j =>
      j.put("location", at).put("managed_versioning", isManaged)
      j.set[JsonNode]("storage_options", options)
    }
  }

  private def inside(id: Seq[String]): Seq[String] =
    if (namespaces.contains(id)) id else reject(404, 1, "no such namespace")

  private def location(id: Seq[String]): String =
    tables.getOrElse(id, reject(404, 4, "no such table"))

  private def page(r: Request, field: String, names: Iterable[String]): Answer = {
    val from = r.query.get("page_token").fold(0)(_.toInt)
    val shown = names.slice(from, from + pageSize)
    ok { j =>
      val list = nodes.arrayNode()
      shown.foreach(n => list.add(n))
      j.set[JsonNode](field, list)
      if (from + shown.size < names.size) j.put("page_token", (from + shown.size).toString)
    }
  }
}

object NamespaceServer {
  private val mapper = new ObjectMapper
  private val nodes = JsonNodeFactory.instance
  private val number = "(\\d{20})\\.manifest".r

  /** A request that the service received.
    *
    * @param path path as received, percent-encoded
    * @param headers headers by name in lower case
    */
  final case class Request(
      method: String,
      path: String,
      query: Map[String, String],
      headers: Map[String, String],
      body: String
  )

  /** A response. */
  final case class Answer(
      status: Int,
      body: Array[Byte] = Array.emptyByteArray,
      headers: Map[String, String] = Map.empty,
      pauseMillis: Long = 0
  )

  object Answer {
    def text(status: Int, body: String, headers: (String, String)*): Answer =
      Answer(status, body.getBytes(UTF_8), headers.toMap)
  }

  private class Rejected(val answer: Answer) extends RuntimeException

  private def http(): HttpServer =
    HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0)

  private def reject(status: Int, code: Int, text: String): Nothing =
    throw new Rejected(Answer.text(status, s"""{"code": $code, "error": "$text"}"""))

  private def ok(fill: ObjectNode => Any = _ => ()): Answer = {
    val json = nodes.objectNode()
    fill(json): Unit
    Answer(200, mapper.writeValueAsBytes(json))
  }

  private def texts(json: JsonNode): Seq[String] = json.elements.asScala.map(_.textValue).toVector

  private def strings(json: JsonNode): Map[String, String] =
    Option(json).fold(Map.empty[String, String])(
      _.properties.asScala.map(e => e.getKey -> e.getValue.textValue).toMap
    )

  private def local(location: String): String =
    io.github.pysparklance.storage.spi.TablePath.localName(location)

  private def isWritten(location: String): Boolean =
    Files.isDirectory(Paths.get(local(location), "_versions"))
}

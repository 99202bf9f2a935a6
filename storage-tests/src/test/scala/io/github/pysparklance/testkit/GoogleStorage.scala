// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.net.{InetSocketAddress, URLDecoder}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{ConcurrentSkipListMap, Executors}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.node.{JsonNodeFactory, ObjectNode}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.sun.net.httpserver.{HttpExchange, HttpServer}
import org.apache.hadoop.conf.Configuration

/** A bucket of Google Cloud Storage in this process: the requests of its JSON API that Hadoop's
  * connector sends for files. Rejects requests without a valid token.
  *
  * Source: reference of the "Cloud Storage JSON API".
  */
final class GoogleStorage extends AutoCloseable {
  import GoogleStorage._

  private val objects = new ConcurrentSkipListMap[String, Entry]
  private val generations = new AtomicLong
  private val threads = Executors.newCachedThreadPool { task =>
    val t = new Thread(task, "google-storage")
    t.setDaemon(true)
    t
  }

  /** The token that requests must have. */
  @volatile var token: String = ""

  private val server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0)
  server.createContext("/", exchange => serve(exchange))
  server.setExecutor(threads)
  server.start()

  private val endpoint = s"http://127.0.0.1:${server.getAddress.getPort}/"

  /** The Hadoop configuration for this server, without credentials. */
  def configuration: Configuration = {
    val c = new Configuration()
    Seq(
      "fs.gs.impl" -> "com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem",
      "fs.gs.storage.root.url" -> endpoint,
      "fs.gs.project.id" -> "tests",
      "fs.gs.http.max.retry" -> "1",
      "fs.gs.max.requests.per.batch" -> "1",
      "fs.gs.batch.threads" -> "0"
    ).foreach { case (key, value) => c.set(key, value) }
    c
  }

  def close(): Unit = {
    server.stop(0)
    threads.shutdownNow(): Unit
  }

  private def serve(exchange: HttpExchange): Unit =
    try {
      val body = exchange.getRequestBody.readAllBytes()
      val found = Option(exchange.getRequestHeaders.getFirst("Authorization"))
      if (!found.contains(s"Bearer $token")) respond(exchange, 401, error(401))
      else handle(exchange, body)
    } finally exchange.close()

  private def handle(exchange: HttpExchange, body: Array[Byte]): Unit = {
    val query = queryOf(exchange)
    val uri = exchange.getRequestURI
    (exchange.getRequestMethod, uri.getRawPath.stripPrefix("/download").split('/').toSeq) match {
      case ("POST", Seq("", "upload", "storage", "v1", "b", bucket, "o")) =>
        val name = query.getOrElse("name", json.readTree(body).path("name").asText)
        val absent = query.get("ifGenerationMatch").contains("0")
        exchange.getResponseHeaders.set(
          "Location",
          s"${endpoint}session/$bucket?name=${java.net.URLEncoder.encode(name, "UTF-8")}&absent=$absent"
        )
        respond(exchange, 200, json.createObjectNode)
      case ("PUT", Seq("", "session", bucket)) =>
        val made = new Entry(bucket, query("name"), body, generations.incrementAndGet())
        if (query("absent") == "true" && objects.putIfAbsent(made.name, made) != null)
          respond(exchange, 412, error(412))
        else {
          objects.put(made.name, made)
          respond(exchange, 200, made.describe)
        }
      case ("GET", Seq("", "storage", "v1", "b", _, "o")) => respond(exchange, 200, list(query))
      case (method, Seq("", "storage", "v1", "b", _, "o", encoded)) =>
        val name = URLDecoder.decode(encoded, "UTF-8")
        (Option(objects.get(name)), method) match {
          case (None, _) => respond(exchange, 404, error(404))
          case (Some(_), "DELETE") =>
            objects.remove(name)
            exchange.sendResponseHeaders(204, -1)
          case (Some(entry), _) if query.get("alt").contains("media") => send(exchange, entry.bytes)
          case (Some(entry), _) => respond(exchange, 200, entry.describe)
        }
      case _ => respond(exchange, 501, error(501))
    }
  }

  /** All objects below a prefix on one page. */
  private def list(query: Map[String, String]): ObjectNode = {
    val prefix = query.getOrElse("prefix", "")
    val delimiter = query.getOrElse("delimiter", "")
    val page = json.createObjectNode.put("kind", "storage#objects")
    val (items, prefixes) = (page.putArray("items"), page.putArray("prefixes"))
    objects.tailMap(prefix).asScala.takeWhile(_._1.startsWith(prefix)).foreach {
      case (name, entry) =>
        val rest = name.drop(prefix.length)
        val at = if (delimiter.isEmpty) -1 else rest.indexOf(delimiter)
        if (
          at < 0 || at == rest.length - 1 && query.get("includeTrailingDelimiter").contains("true")
        )
          items.add(entry.describe)
        if (at >= 0) {
          val folder = prefix + rest.take(at + 1)
          if (!prefixes.elements.asScala.exists(_.asText == folder)) prefixes.add(folder)
        }
    }
    page
  }

  private def send(exchange: HttpExchange, bytes: Array[Byte]): Unit =
    Option(exchange.getRequestHeaders.getFirst("Range")) match {
      case Some(range(from, to)) if from.toInt < bytes.length =>
        val until = if (to.isEmpty) bytes.length else math.min(bytes.length, to.toInt + 1)
        exchange.getResponseHeaders.set(
          "Content-Range",
          s"bytes $from-${until - 1}/${bytes.length}"
        )
        write(exchange, 206, bytes.slice(from.toInt, until))
      case Some(_) => respond(exchange, 416, error(416))
      case None => write(exchange, 200, bytes)
    }
}

object GoogleStorage {
  private val json = new ObjectMapper
  private val range = "bytes=(\\d+)-(\\d*)".r

  final private class Entry(
      bucket: String,
      val name: String,
      val bytes: Array[Byte],
      number: Long
  ) {
    def describe: ObjectNode = json.createObjectNode
      .put("kind", "storage#object")
      .put("bucket", bucket)
      .put("name", name)
      .put("generation", number.toString)
      .put("metageneration", "1")
      .put("size", bytes.length.toString)
      .put("contentType", "application/octet-stream")
      .put("timeCreated", "2026-01-01T00:00:00.000Z")
      .put("updated", "2026-01-01T00:00:00.000Z")
  }

  private def error(status: Int): JsonNode = {
    val e = JsonNodeFactory.instance.objectNode
    e.putObject("error").put("code", status).put("message", s"status $status")
    e
  }

  private def respond(exchange: HttpExchange, status: Int, body: JsonNode): Unit = {
    exchange.getResponseHeaders.set("Content-Type", "application/json; charset=UTF-8")
    write(exchange, status, json.writeValueAsBytes(body))
  }

  private def write(exchange: HttpExchange, status: Int, body: Array[Byte]): Unit = {
    exchange.sendResponseHeaders(status, if (body.isEmpty) -1 else body.length.toLong)
    if (body.nonEmpty) exchange.getResponseBody.write(body)
  }

  private def queryOf(exchange: HttpExchange): Map[String, String] =
    Option(exchange.getRequestURI.getRawQuery).toSeq.flatMap(_.split('&')).map { p =>
      val at = p.indexOf('=')
      p.take(at) -> URLDecoder.decode(p.drop(at + 1), UTF_8)
    }.toMap
}

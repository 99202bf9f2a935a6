// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.net.{InetSocketAddress, URI}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{ConcurrentHashMap, Executors}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.sun.net.httpserver.{HttpExchange, HttpServer}
import org.apache.hadoop.conf.Configuration

/** A request of S3's protocol.
  *
  * @param number from 0 since the last reset
  * @param key path of the object or bucket
  */
final case class S3Request(number: Int, method: String, key: String, query: String) {

  /** `LIST`, `HEAD`, `GET`, `PUT`, or `DELETE`. A bulk delete is one `DELETE`, a part of an upload
    * one `PUT`.
    */
  def kind: String =
    if (method == "GET" && query.contains("list-type")) "LIST"
    else if (method == "POST") if (query.startsWith("delete")) "DELETE" else "PUT"
    else method
}

/** How a request goes wrong. */
sealed trait S3Fault

object S3Fault {

  /** The response is an error and nothing happens, as when S3 sheds load with 503. */
  final case class Status(code: Int, name: String) extends S3Fault

  /** The connection closes before the response, and nothing happens. */
  case object Dropped extends S3Fault

  /** The request takes effect, but the connection closes before the response. */
  case object LostResponse extends S3Fault

  /** The request takes effect, and the response comes after a pause, or not before the client has
    * given up.
    */
  final case class LateResponse(millis: Long) extends S3Fault

  /** The body of the response ends after half of its bytes. */
  case object PartialBody extends S3Fault

  /** The body of the response comes in pieces with pauses between them. */
  final case class SlowBody(pauseMillis: Long) extends S3Fault

  /** The response comes after a pause. */
  final case class Delayed(millis: Long) extends S3Fault

  /** The client gets no response. It is killed while `await` runs.
    *
    * @param afterEffect whether the request takes effect
    */
  final case class Held(afterEffect: Boolean, await: () => Unit) extends S3Fault

  /** Every third request goes wrong, unless one for the same file did before. So repeated requests
    * succeed in any order.
    */
  def everyThird(fault: S3Fault): S3Request => Option[S3Fault] = every(3, fault)

  /** The same for every `n`-th request. */
  def every(n: Int, fault: S3Fault): S3Request => Option[S3Fault] = {
    val failed = ConcurrentHashMap.newKeySet[S3Request]()
    r => if (r.number % n == 1 && failed.add(r.copy(number = 0))) Some(fault) else None
  }
}

/** A proxy of [[MotoServer]] that counts requests and lets chosen ones go wrong.
  *
  * @param own configuration of its clients, in addition to that of all tests
  */
final class S3Proxy(own: Map[String, String] = Map.empty) extends AutoCloseable {
  import S3Proxy._

  private val client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()
  private val made = mutable.ArrayBuffer.empty[S3Request]
  private val threads = Executors.newCachedThreadPool { task =>
    val t = new Thread(task, "s3-proxy")
    t.setDaemon(true)
    t
  }

  /** The fault of a request. */
  @volatile var fault: S3Request => Option[S3Fault] = _ => None

  /** The keys that requests must be signed with; `None` to accept all requests. */
  @volatile var keys: Option[S3Keys] = None

  private val server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0)
  server.createContext("/", exchange => serve(exchange))
  server.setExecutor(threads)
  server.start()

  val endpoint: String = s"http://127.0.0.1:${server.getAddress.getPort}"

  /** A bucket of its own, because Hadoop shares clients by bucket, whatever their configuration. */
  val bucket: String = s"proxied-${server.getAddress.getPort}"

  private val bucketMade = client.send(
    HttpRequest.newBuilder(
      URI.create(s"${MotoServer.endpoint}/$bucket")
    ).PUT(BodyPublishers.noBody()).build(),
    BodyHandlers.ofString()
  )
  assert(bucketMade.statusCode == 200, bucketMade.body)

  /** The Hadoop configuration for clients of this proxy. Retries begin after a few milliseconds. */
  def configuration: Configuration = MotoServer.configured(settings)

  /** The configuration that differs from Hadoop's defaults. */
  def settings: Map[String, String] =
    MotoServer.settings ++ Seq(
      "fs.s3a.endpoint" -> endpoint,
      "fs.s3a.attempts.maximum" -> "3",
      "fs.s3a.retry.limit" -> "4",
      "fs.s3a.retry.interval" -> "5ms",
      "fs.s3a.retry.throttle.limit" -> "4",
      "fs.s3a.retry.throttle.interval" -> "5ms",
      "fs.s3a.connection.request.timeout" -> "10s"
    ) ++ own

  /** The requests since the last reset. */
  def requests: IndexedSeq[S3Request] = made.synchronized(made.toIndexedSeq)

  /** Forgets requests and faults. */
  def reset(): Unit = made.synchronized {
    made.clear()
    fault = _ => None
  }

  def close(): Unit = {
    server.stop(0)
    threads.shutdownNow(): Unit
  }

  private def serve(exchange: HttpExchange): Unit =
    try {
      val uri = exchange.getRequestURI
      val body = exchange.getRequestBody.readAllBytes()
      val query = Option(uri.getRawQuery).getOrElse("")
      val request = made.synchronized {
        made += S3Request(made.length, exchange.getRequestMethod, uri.getPath, query)
        made.last
      }
      keys.flatMap(_.check(exchange)).orElse(fault(request)) match {
        case None => respond(exchange, forward(exchange, body), None)
        case Some(S3Fault.Dropped) => ()
        case Some(S3Fault.LostResponse) => forward(exchange, body): Unit
        case Some(S3Fault.Held(afterEffect, await)) =>
          if (afterEffect) forward(exchange, body): Unit
          await()
        case Some(S3Fault.LateResponse(millis)) =>
          val response = forward(exchange, body)
          Thread.sleep(millis)
          respond(exchange, response, None)
        case Some(S3Fault.Status(code, name)) => reject(exchange, code, name)
        case Some(S3Fault.Delayed(millis)) =>
          Thread.sleep(millis)
          respond(exchange, forward(exchange, body), None)
        case Some(other) => respond(exchange, forward(exchange, body), Some(other))
      }
    } catch {
      // The client is gone, or the body was cut on purpose.
      case _: java.io.IOException => ()
    } finally exchange.close()

  private def forward(exchange: HttpExchange, body: Array[Byte]): HttpResponse[Array[Byte]] = {
    val target = URI.create(MotoServer.endpoint + exchange.getRequestURI.toString)
    val request = HttpRequest.newBuilder(target).method(
      exchange.getRequestMethod,
      if (body.isEmpty) BodyPublishers.noBody() else BodyPublishers.ofByteArray(body)
    )
    for ((name, values) <- exchange.getRequestHeaders.asScala; value <- values.asScala)
      if (!hopByHop(name.toLowerCase)) request.header(name, value)
    client.send(request.build(), BodyHandlers.ofByteArray())
  }

  private def respond(
      exchange: HttpExchange,
      response: HttpResponse[Array[Byte]],
      fault: Option[S3Fault]
  ): Unit = {
    val isHead = exchange.getRequestMethod == "HEAD"
    for ((name, values) <- response.headers.map.asScala; value <- values.asScala)
      if (!hopByHop(name.toLowerCase) || isHead && name.toLowerCase == "content-length")
        exchange.getResponseHeaders.add(name, value)
    val body = response.body
    if (isHead || body.isEmpty) exchange.sendResponseHeaders(response.statusCode, -1)
    else {
      exchange.sendResponseHeaders(response.statusCode, body.length.toLong)
      val out = exchange.getResponseBody
      fault match {
        case Some(S3Fault.PartialBody) =>
          out.write(body, 0, body.length / 2)
          out.flush()
        case Some(S3Fault.SlowBody(pauseMillis)) =>
          body.grouped(math.max(1, body.length / 4)).foreach { piece =>
            out.write(piece)
            out.flush()
            Thread.sleep(pauseMillis)
          }
        case _ => out.write(body)
      }
    }
  }

  private def reject(exchange: HttpExchange, code: Int, name: String): Unit = {
    val text = s"<Error><Code>$name</Code><Message>$name</Message></Error>".getBytes(UTF_8)
    if (exchange.getRequestMethod == "HEAD") exchange.sendResponseHeaders(code, -1)
    else {
      exchange.sendResponseHeaders(code, text.length.toLong)
      exchange.getResponseBody.write(text)
    }
  }
}

object S3Proxy {

  /** Headers of one connection, and those that the HTTP classes set. */
  private val hopByHop =
    Set(
      "host",
      "connection",
      "content-length",
      "expect",
      "upgrade",
      "transfer-encoding",
      "keep-alive"
    )
}

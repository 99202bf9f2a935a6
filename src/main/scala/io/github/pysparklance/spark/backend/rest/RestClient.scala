// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend.rest

import java.io.{IOException, InterruptedIOException}
import java.net.URI
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.{HttpConnectTimeoutException, HttpRequest, HttpResponse}
import java.nio.charset.StandardCharsets.UTF_8
import java.time.format.{DateTimeFormatter, DateTimeParseException}
import java.time.{Duration, ZonedDateTime}
import java.util.concurrent.{ExecutionException, ThreadLocalRandom, TimeUnit, TimeoutException}

import scala.annotation.tailrec

import com.fasterxml.jackson.databind.JsonNode

import io.github.pysparklance.core.{Log, Parse, Printable, Redaction}
import io.github.pysparklance.spark.common.LanceErrors

/** A request to a REST service.
  *
  * @param target path and query below the base URL, percent-encoded
  * @param body JSON of a POST; `None` for a GET
  * @param isRepeatable whether the request can be repeated if it may have been carried out
  */
final private[backend] case class RestRequest(
    target: String,
    body: Option[String],
    isRepeatable: Boolean
)

/** Sends requests to a REST service and parses its responses.
  *
  *  - Requests that the service rejects because it is busy (status 429, and error codes 17 and 21)
  *    are repeated, with a pause that doubles each time, or that `Retry-After` names. So are
  *    requests that did not reach the service. After other failures (status 500, 502, 503, and
  *    504, broken connections, timeouts) only [[RestRequest.isRepeatable repeatable]] requests are.
  *  - Redirects are followed on the same host only, because requests contain credentials.
  *  - Responses larger than 16 MiB are not read.
  */
final private[backend] class RestClient(options: RestOptions) {
  import RestClient._

  /** Sends a request. Returns the JSON of the response; empty if it has no body.
    *
    * @throws RestException if the service returns an error, or if there is no valid response
    */
  def send(request: RestRequest): JsonNode = {
    @tailrec def attempt(number: Int): JsonNode = once(request) match {
      case Right(json) => json
      case Left(failure) =>
        if (!failure.mayRepeat || number > options.maxRetries) throw failure.error
        val pause = failure.pauseMillis.getOrElse(backOff(number))
        log.debug(s"attempt $number failed, the next one is in $pause ms", failure.error)
        sleep(pause)
        attempt(number + 1)
    }
    attempt(1)
  }

  private def once(request: RestRequest): Either[Failure, JsonNode] =
    try {
      val response = exchange(request)
      val status = response.statusCode
      if (status / 100 == 2) Right(RestMessages.parsed(response.body, describe(request)))
      else {
        val failed = error(request, response)
        val mayRepeat = isBusy(failed) || request.isRepeatable && isBroken(status)
        Left(Failure(failed, mayRepeat, retryAfter(response)))
      }
    } catch {
      case e: RestException => throw e
      case e: InterruptedIOException => throw e
      case e: IOException =>
        Left(Failure(unreachable(request, e), request.isRepeatable || wasNotSent(e), None))
    }

  private def exchange(request: RestRequest): HttpResponse[Array[Byte]] = {
    val deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(options.timeoutMillis)
    @tailrec def follow(uri: URI, redirects: Int): HttpResponse[Array[Byte]] = {
      val response = await(http(uri, request), deadline)
      if (!isRedirect(response.statusCode, request)) response
      else follow(redirected(uri, response, redirects), redirects + 1)
    }
    follow(URI.create(options.uri.toString + request.target), 0)
  }

  private def http(uri: URI, request: RestRequest): HttpRequest = {
    val builder = HttpRequest.newBuilder(uri).header("Accept", "application/json")
    options.headers.foreach { case (name, value) => builder.header(name, value) }
    request.body match {
      case Some(json) =>
        builder.header(
          "Content-Type",
          "application/json"
        ).POST(BodyPublishers.ofString(json, UTF_8))
      case None => builder.GET()
    }
    builder.timeout(Duration.ofMillis(options.timeoutMillis)).build()
  }

  private def await(request: HttpRequest, deadline: Long): HttpResponse[Array[Byte]] = {
    val body = new BoundedBody(maxBodyBytes)
    val handler: HttpResponse.BodyHandler[Array[Byte]] = _ => body
    val running = HttpClients(options.tls).sendAsync(request, handler)
    try running.get(math.max(0L, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)
    catch {
      case e: ExecutionException =>
        LanceErrors.find[BoundedBody.TooLarge](e).foreach { large =>
          throw new RestException(
            s"${options.uri}: a response has more than ${large.maxBytes} bytes"
          )
        }
        e.getCause match {
          case io: IOException => throw io
          case other => throw new IOException(other)
        }
      case _: TimeoutException =>
        body.cancel()
        running.cancel(true)
        throw new IOException(s"no complete response within ${options.timeoutMillis} ms")
      case _: InterruptedException =>
        body.cancel()
        running.cancel(true)
        Thread.currentThread.interrupt()
        throw new InterruptedIOException(s"${options.uri}: the request was interrupted")
    }
  }

  private def redirected(from: URI, response: HttpResponse[_], redirects: Int): URI = {
    def rejected(why: String) =
      throw new RestException(s"${options.uri}: redirected $why", status = response.statusCode)
    val location = response.headers.firstValue("Location")
    if (!location.isPresent) rejected("without a target")
    val to =
      try from.resolve(location.get)
      catch { case _: IllegalArgumentException => rejected("to an invalid URL") }
    val isSame = to.getScheme == from.getScheme && to.getRawAuthority == from.getRawAuthority
    if (!isSame)
      rejected(
        s"to ${Printable.line(String.valueOf(to.getHost))}, which gets no credentials; correct uri"
      )
    if (redirects >= maxRedirects) rejected(s"more than $maxRedirects times")
    to
  }

  /** Returns the error of a response. Its text comes from the service. */
  private def error(request: RestRequest, response: HttpResponse[Array[Byte]]): RestException = {
    val status = response.statusCode
    val parsed = RestMessages.error(response.body)
    val text = parsed.fold("")(e => s": ${shown(e.text)}")
    val code = parsed.map(_.code)
    val hint =
      if (parsed.isEmpty && status == 404) "; is uri the URL of a Lance namespace service?" else ""
    new RestException(s"${describe(request)} failed with status $status$text$hint", code, status)
  }

  private def shown(text: String): String = {
    val safe = Printable.line(Redaction(options.withoutSecrets(text)))
    if (safe.length > maxShown) safe.take(maxShown) + "…" else safe
  }

  private def unreachable(request: RestRequest, e: IOException): RestException =
    new RestException(
      s"${describe(request)} failed: ${e.getClass.getSimpleName} ${shown(String.valueOf(e.getMessage))}",
      cause = e
    )

  private def describe(request: RestRequest): String =
    s"the request ${options.uri}${request.target.takeWhile(_ != '?')}"
}

private object RestClient {
  private val log = Log(classOf[RestClient])

  private val maxBodyBytes = 16 << 20
  private val maxRedirects = 5
  private val maxShown = 500

  private val firstPauseMillis = 200L
  private val maxPauseMillis = 10000L
  private val maxRetryAfterMillis = 60000L

  /** @param mayRepeat whether the request can be repeated
    * @param pauseMillis pause that the service requires
    */
  final private case class Failure(
      error: RestException,
      mayRepeat: Boolean,
      pauseMillis: Option[Long]
  )

  private def isRedirect(status: Int, request: RestRequest): Boolean =
    status == 307 || status == 308 ||
      request.body.isEmpty && (status == 301 || status == 302 || status == 303)

  /** Whether the service itself rejected the request. Proxies return status 503, too, if the
    * connection to the service breaks.
    */
  private def isBusy(e: RestException): Boolean =
    e.status == 429 || e.has(RestException.ServiceUnavailable, RestException.Throttling)

  private def isBroken(status: Int): Boolean =
    status == 500 || status == 502 || status == 503 || status == 504

  private def wasNotSent(e: IOException): Boolean = e match {
    case _: java.net.ConnectException | _: HttpConnectTimeoutException => true
    case _ => false
  }

  private def backOff(number: Int): Long = {
    val pause = math.min(maxPauseMillis, firstPauseMillis << math.min(number - 1, 16))
    pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1)
  }

  /** Returns the pause of a `Retry-After` header: seconds, or a date. */
  private def retryAfter(response: HttpResponse[_]): Option[Long] = {
    val value = response.headers.firstValue("Retry-After")
    if (!value.isPresent) None
    else {
      val text = value.get.trim
      val millis = Parse.long(text).map(s => math.max(0L, math.min(s, maxRetryAfterMillis)) * 1000)
        .orElse {
          try {
            val at = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
            Some(at.toInstant.toEpochMilli - System.currentTimeMillis())
          } catch { case _: DateTimeParseException => None }
        }
      millis.map(m => math.max(0L, math.min(m, maxRetryAfterMillis)))
    }
  }

  private def sleep(millis: Long): Unit =
    try Thread.sleep(millis)
    catch {
      case _: InterruptedException =>
        Thread.currentThread.interrupt()
        throw new InterruptedIOException("waiting to repeat a request was interrupted")
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.io.{BufferedReader, InputStreamReader}
import java.net.URI
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import java.net.http.{HttpClient, HttpRequest}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{Callable, Executors, TimeUnit}

import org.apache.hadoop.conf.Configuration

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.hadoop.HadoopConf

/** S3 and DynamoDB on loopback: one Python process with moto, shared by all suites of a run. */
object MotoServer {
  private val script = "python/tests/kit/moto_server.py"

  /** The bucket. */
  val bucket: String = "tables"

  /** The endpoint of S3 and DynamoDB. */
  lazy val endpoint: String = {
    val process =
      new ProcessBuilder(PylanceWorker.interpreter, "-u", script)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start()
    sys.addShutdownHook(process.destroyForcibly(): Unit): Unit
    val out = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))
    val reader = Executors.newSingleThreadExecutor()
    val line =
      try reader.submit((() => out.readLine()): Callable[String]).get(60, TimeUnit.SECONDS)
      finally reader.shutdownNow(): Unit
    assert(line != null && line.startsWith("ready "), s"$script said $line")
    val url = s"http://127.0.0.1:${line.stripPrefix("ready ")}"
    val makeBucket =
      HttpRequest.newBuilder(URI.create(s"$url/$bucket")).PUT(BodyPublishers.noBody())
    val answer =
      HttpClient.newHttpClient().send(makeBucket.build(), BodyHandlers.ofString())
    assert(answer.statusCode == 200, answer.body)
    url
  }

  /** The Hadoop configuration for this server. */
  def configuration: Configuration = configured(settings)

  /** Hadoop's defaults, and the given properties. */
  private[testkit] def configured(settings: Map[String, String]): Configuration = {
    val c = new Configuration()
    settings.foreach { case (key, value) => c.set(key, value) }
    c
  }

  /** The configuration that differs from Hadoop's defaults. */
  def settings: Map[String, String] =
    Map(
      "fs.s3a.endpoint" -> endpoint,
      "fs.s3a.endpoint.region" -> "us-east-1",
      "fs.s3a.path.style.access" -> "true",
      "fs.s3a.connection.ssl.enabled" -> "false",
      "fs.s3a.access.key" -> "test",
      "fs.s3a.secret.key" -> "test",
      "fs.s3a.attempts.maximum" -> "2",
      "fs.s3a.retry.limit" -> "2",
      "lance.dynamodb.endpoint" -> endpoint
    )

  /** Storage on this server. */
  lazy val storage: Storage = Storage(new HadoopConf(configuration))

  /** The storage options of pylance for this server. */
  def storageOptions: Map[String, String] = Map(
    "aws_access_key_id" -> "test",
    "aws_secret_access_key" -> "test",
    "aws_region" -> "us-east-1",
    "aws_endpoint" -> endpoint,
    "allow_http" -> "true",
    "dynamodb_endpoint" -> endpoint
  )
}

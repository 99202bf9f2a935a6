// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.io.{BufferedReader, BufferedWriter, InputStreamReader, OutputStreamWriter}
import java.lang.ProcessBuilder.Redirect
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.{
  Callable,
  ExecutionException,
  Executors,
  TimeUnit,
  TimeoutException
}

import scala.concurrent.duration.{DurationInt, FiniteDuration}
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.json.JsonReadFeature
import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.json.JsonMapper
import org.scalatest.Assertions

/** A snippet failed.
  *
  * @param kind name of the Python exception's class, or `Timeout`, or `Ended` if the process ended
  */
final class PylanceError(val kind: String, message: String, trace: String)
    extends RuntimeException(s"$kind: $message\n$trace")

/** A Python process with pylance that runs snippets one after another. Suites that need two
  * processes, or kill one, start their own. See [[Pylance]].
  */
final class PylanceWorker private (process: Process, errors: Path, timeout: FiniteDuration)
    extends AutoCloseable {
  private val in = new BufferedWriter(new OutputStreamWriter(process.getOutputStream, UTF_8))
  private val out = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))
  private val reader = Executors.newSingleThreadExecutor { r =>
    val thread = new Thread(r, "pylance")
    thread.setDaemon(true)
    thread
  }

  /** Version of pylance. */
  val version: String = answer(timeout).asText

  /** Number of the process. */
  def pid: Long = process.pid

  /** Whether it can run snippets. */
  def isAlive: Boolean = process.isAlive

  /** Runs a snippet, see [[Pylance.run]]. */
  def run(code: String, arguments: (String, Any)*): JsonNode = synchronized {
    val request = Map[String, Any]("code" -> code, "arguments" -> arguments.toMap)
    try {
      in.write(PylanceWorker.json.writeValueAsString(PylanceWorker.asJava(request)))
      in.newLine()
      in.flush()
    } catch { case _: java.io.IOException => throw ended() }
    answer(timeout)
  }

  private def answer(timeout: FiniteDuration): JsonNode = {
    val line =
      try reader
          .submit((() => out.readLine()): Callable[String])
          .get(timeout.toMillis, TimeUnit.MILLISECONDS)
      catch {
        case _: TimeoutException =>
          kill()
          throw new PylanceError("Timeout", s"no result within $timeout", errorOutput)
        case _: ExecutionException => null
      }
    if (line == null) throw ended()
    val node = PylanceWorker.json.readTree(line)
    if (node.has("error"))
      throw new PylanceError(
        node.get("kind").asText,
        node.get("error").asText,
        node.get("trace").asText
      )
    node.get("result")
  }

  private def ended(): PylanceError = {
    kill()
    new PylanceError("Ended", s"the process ended with ${process.exitValue}", errorOutput)
  }

  /** The end of its standard error. */
  def errorOutput: String =
    if (Files.exists(errors)) new String(Files.readAllBytes(errors), UTF_8).takeRight(4000) else ""

  /** Kills the process. */
  def kill(): Unit = {
    process.destroyForcibly().waitFor(): Unit
    reader.shutdownNow(): Unit
  }

  /** Ends the process. */
  def close(): Unit = {
    kill()
    Files.deleteIfExists(errors): Unit
  }
}

object PylanceWorker {

  /** Snippets rarely take longer, on a very busy machine. */
  val defaultTimeout: FiniteDuration = 120.seconds

  private val script = Paths.get("python/tests/kit/pylance_worker.py")

  private val json = JsonMapper.builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build()

  /** Starts a process. Cancels the running test if there is no interpreter.
    *
    * @param timeout timeout of each snippet
    * @throws PylanceError if the configured interpreter cannot import pylance
    */
  def start(timeout: FiniteDuration = defaultTimeout): PylanceWorker = {
    val errors = Files.createTempFile("pylance", ".err")
    val process =
      new ProcessBuilder(interpreter, "-u", script.toString)
        .redirectError(Redirect.to(errors.toFile))
        .start()
    new PylanceWorker(process, errors, timeout)
  }

  /** The interpreter `PYSPARK_LANCE_PYTHON`, which must exist, by default the repository's `.venv`.
    */
  def interpreter: String = sys.env.getOrElse(
    "PYSPARK_LANCE_PYTHON", {
      val local = Paths.get(".venv/bin/python")
      if (Files.isExecutable(local)) local.toString
      else Assertions.cancel(s"no $local with pylance: run make test, or set PYSPARK_LANCE_PYTHON")
    }
  )

  private def asJava(value: Any): AnyRef = value match {
    case None => null
    case Some(v) => asJava(v)
    case m: scala.collection.Map[_, _] =>
      m.map { case (k, v) => k.toString -> asJava(v) }.toMap.asJava
    case s: Iterable[_] => s.map(asJava).toSeq.asJava
    case p: Path => p.toString
    case other => other.asInstanceOf[AnyRef]
  }
}

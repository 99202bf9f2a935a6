// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import java.io.{IOException, InterruptedIOException, UncheckedIOException}
import java.nio.channels.ClosedByInterruptException
import java.util.concurrent.{CompletionException, ExecutionException}

import scala.util.control.NonFatal
import scala.util.matching.Regex

import io.github.pysparklance.core.{LanceException, Place, StorageException}
import io.github.pysparklance.storage.hadoop.HadoopVersion

/** Explains storage failures, and what to do about them. Messages of file systems often have only a
  * path or a status code.
  */
private[spark] object StorageErrors {

  /** Runs `body`, and translates storage exceptions. Adds the path of the table.
    *
    * @throws StorageException whose message explains the remedy
    */
  def named[A](path: String)(body: => A): A =
    try body
    catch {
      case NonFatal(e) => throw of(e).fold(e)(_.within(Place(path = Some(path))))
    }

  /** Returns the translated exception of a storage failure. Returns `None` for other failures,
    * exceptions of the connector, and interrupts.
    */
  def of(e: Throwable): Option[StorageException] = e match {
    case _: LanceException | _: InterruptedIOException | _: ClosedByInterruptException => None
    case _: CompletionException | _: ExecutionException | _: UncheckedIOException
        if e.getCause != null =>
      of(e.getCause)
    case _: IOException => Some(made(e))
    // Hadoop throws this if the class of a file system is not on the class path.
    case _: RuntimeException if isMissingClass(e.getCause) => Some(made(e))
    case _ => None
  }

  private def isMissingClass(e: Throwable): Boolean = e match {
    case c: ClassNotFoundException => c.getMessage != null && c.getMessage.contains("FileSystem")
    case _ => false
  }

  private def made(e: Throwable): StorageException = {
    val text = words(e)
    val known = advice.find { case (pattern, _) => pattern.findFirstIn(text).isDefined }
    new StorageException(
      s"storage failed: $text${known.fold("")(k => s". ${k._2}")}",
      Place.unknown,
      e
    )
  }

  /** Joins the distinct messages of the error and its causes, with their class names. Some errors
    * have no message.
    */
  private def words(e: Throwable): String = {
    val chain = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).take(maxCauses)
    chain
      .foldLeft(Vector.empty[String]) { (said, cause) =>
        val line =
          Option(cause.getMessage).getOrElse("").linesIterator.find(_ => true).getOrElse("")
        val name = cause.getClass.getSimpleName
        if (line.nonEmpty && said.exists(_.contains(line))) said
        else said :+ (if (line.isEmpty) name else s"$name: $line")
      }
      .mkString(", caused by ")
  }

  private val maxCauses = 5

  private val advice: Seq[(Regex, String)] = Seq(
    "No space left on device|[Dd]isk quota exceeded|DiskFull|DSQuotaExceeded".r ->
      "The disk is full: free space there, or write elsewhere",
    "Read-only file system|ReadOnlyFileSystem".r ->
      "The file system is mounted read-only: write elsewhere, or have it mounted for writing",
    "File name too long|ENAMETOOLONG".r ->
      "A file name has at most 255 bytes; use a shorter name for the table or its folder",
    "NoSuchBucket|UnknownStoreException|[Bb]ucket \\S* ?does not exist|ContainerNotFound".r ->
      "Create the bucket or container, or correct its name in the path",
    "No FileSystem for scheme \"?s3[an]?\\b|Class \\S*S3AFileSystem not found".r ->
      ("Add the S3 file system to the session: spark.jars.packages = " +
        s"org.apache.hadoop:hadoop-aws:${HadoopVersion.current}, " +
        "and write s3a:// for s3://, or set spark.hadoop.fs.s3.impl to org.apache.hadoop.fs.s3a.S3AFileSystem"),
    "No FileSystem for scheme \"?abfss?\\b|Class \\S*Azure\\S*FileSystem not found".r ->
      ("Add the Azure file system to the session: spark.jars.packages = " +
        s"org.apache.hadoop:hadoop-azure:${HadoopVersion.current}"),
    "No FileSystem for scheme|UnsupportedFileSystem|Class \\S*FileSystem not found".r ->
      "Add the package of this file system to spark.jars.packages, or correct the scheme of the path",
    ("AccessDenied|AccessControlException|[Pp]ermission denied|Operation not permitted|Forbidden|" +
      "\\b403\\b|[Cc]redential").r ->
      ("Give the account that runs Spark the right to read and write there; on object stores, set the credentials as " +
        "spark.hadoop.fs.… configuration"),
    "Not a directory|FileAlreadyExists|NotDirectory|ParentNotDirectory".r ->
      "A file exists where a folder is expected: correct the path",
    "FileNotFound|NoSuchFile|NoSuchKey".r ->
      "The file is gone: read the latest version again; a clean-up may have removed the files of this one",
    "UnknownHost|Connect|HttpChannelEOF|EOFException|Timeout|timed out|reset|Unreachable".r ->
      "Check the network and the endpoint, and run it again"
  )
}

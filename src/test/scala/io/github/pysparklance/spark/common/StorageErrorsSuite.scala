// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import java.io.{FileNotFoundException, IOException, InterruptedIOException, UncheckedIOException}
import java.nio.channels.ClosedByInterruptException
import java.nio.file.{AccessDeniedException, FileSystemException}
import java.util.concurrent.CompletionException

import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{InvalidRequestException, StorageException}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder}

/** Exceptions of file systems have a cause and advice. */
class StorageErrorsSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session

  final private class HttpChannelEOFException(text: String) extends IOException(text)
  final private class AccessControlException(text: String) extends IOException(text)

  private val s3a = "Class org.apache.hadoop.fs.s3a.S3AFileSystem not found"

  private val cases = Seq[(Exception, String, String)](
    (new AccessDeniedException("/t/data"), "AccessDeniedException: /t/data", "the right to read"),
    (new AccessControlException("user=x"), "user=x", "the right to read and write"),
    (new FileSystemException("/t/x", null, "Read-only file system"), "/t/x", "mounted read-only"),
    (new IOException("/t/x: No space left on device"), "/t/x", "The disk is full"),
    (new IOException("Disk quota exceeded"), "quota", "The disk is full"),
    (new FileSystemException("/t/y", null, "File name too long"), "/t/y", "at most 255 bytes"),
    (new FileNotFoundException("s3a://b/t: Bucket b does not exist"), "b/t", "Create the bucket"),
    (new IOException("No FileSystem for scheme \"s3\""), "s3", "org.apache.hadoop:hadoop-aws:3"),
    (new RuntimeException(s3a, new ClassNotFoundException(s3a)), "S3A", "hadoop-aws:3"),
    (new HttpChannelEOFException("premature EOF"), "premature EOF", "Check the network"),
    (new CompletionException(new HttpChannelEOFException(null)), "HttpChannelEOF", "the network"),
    (new UncheckedIOException(new IOException("Connection reset")), "reset", "Check the network"),
    (
      new FileSystemException("/t/z", null, "Not a directory"),
      "/t/z",
      "where a folder is expected"
    ),
    (new IOException("odd"), "IOException: odd", "storage failed")
  )

  for ((error, said, advice) <- cases)
    test(s"${error.getClass.getSimpleName}: $said, $advice") {
      val e = intercept[AnalysisException](LanceErrors.translated(throw error))
      assert(e.condition == "LANCE_STORAGE")
      assert(e.getMessage.contains(said) && e.getMessage.contains(advice), e.getMessage)
      val task = intercept[StorageException](StorageErrors.named("/lake/t")(throw error))
      assert(task.getMessage.startsWith("/lake/t: storage failed: "))
    }

  test("interruptions and other errors are unchanged") {
    val others = Seq(
      new InterruptedIOException,
      new ClosedByInterruptException,
      new IllegalStateException("x"),
      new RuntimeException("x", new ClassNotFoundException("a.B"))
    )
    others.foreach { e =>
      assert(intercept[Exception](LanceErrors.translated(throw e)) eq e)
      assert(intercept[Exception](StorageErrors.named("/t")(throw e)) eq e)
    }
    val ours = new InvalidRequestException("no")
    assert(intercept[InvalidRequestException](StorageErrors.named("/t")(throw ours)) eq ours)
  }

  test("writes to and reads of impossible paths") {
    Storage.local.replace(folder.resolve("file").toString, Array[Byte](1))
    val long = "x" * 300
    val paths = Seq(
      folder.resolve("file/t.lance").toString -> "where a folder is expected",
      s"$folder/$long.lance" -> "at most 255 bytes",
      "s3://nowhere/t.lance" -> "hadoop-aws",
      "nothing://bucket/t.lance" -> "correct the scheme"
    )
    for ((path, advice) <- paths) {
      val e = intercept[Exception](spark.range(1).write.format("lance").save(path))
      val found = LanceErrors.find[StorageException](e).map(_.getMessage)
      assert(found.exists(_.contains(advice)), e.getMessage)
    }
    paths.drop(1).foreach { case (path, advice) =>
      val e = intercept[AnalysisException](spark.read.format("lance").load(path))
      assert(e.getMessage.contains(advice), e.getMessage)
    }
  }
}

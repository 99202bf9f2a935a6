// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

class RedactionSuite extends AnyFunSuite {

  test("user info in paths is redacted") {
    Seq(
      "s3a://AKIA:wJalr@bucket/t: not removed" -> "s3a://(redacted)@bucket/t: not removed",
      "from hdfs://me:p@ss@name:8020/t to /t" -> "from hdfs://(redacted)@name:8020/t to /t",
      "https://:pw@h/x and s3://u:v@b" -> "https://(redacted)@h/x and s3://(redacted)@b"
    ).foreach { case (text, shown) => assert(Redaction(text) == shown) }
  }

  test("values of secret keys are redacted") {
    Seq(
      "fs.s3a.secret.key=wJalr, x=1" -> "fs.s3a.secret.key=(redacted), x=1",
      "fs.s3a.access.key -> AKIA" -> "fs.s3a.access.key -> (redacted)",
      "fs.azure.account.key.a.dfs.core.windows.net=Zm9v==" ->
        "fs.azure.account.key.a.dfs.core.windows.net=(redacted)",
      "https://h/c/b?sv=2024&sig=abc%3D&se=1" -> "https://h/c/b?sv=2024&sig=(redacted)&se=1",
      """{"session_token": "abc", "region": "eu"}""" ->
        """{"session_token": "(redacted)", "region": "eu"}""",
      "Authorization: Bearer abc.def" -> "Authorization: Bearer (redacted)",
      "password = hunter2" -> "password = (redacted)"
    ).foreach { case (text, shown) => assert(Redaction(text) == shown) }
  }

  test("paths, versions, and conditions are not redacted") {
    Seq(
      "s3a://bucket/db/t.lance: committed version 7 (Append) in 12 ms, attempt 1",
      "abfss://container@account.dfs.core.windows.net/t",
      "hdfs://name:8020/t/_versions/18446744073709551614.manifest",
      "C:/tables/t where key = 4 AND name = 'x@y'",
      "signal=3, design=2"
    ).foreach(text => assert(Redaction(text) == text))
    assert(Redaction(null: String) == null)
  }

  test("redaction time is linear in the length of the text") {
    val start = System.nanoTime()
    Seq("a" * 1000000, "a." * 500000, "secret" * 100000, "a://" * 200000).foreach { text =>
      assert(Redaction(text) == text)
    }
    assert((System.nanoTime() - start) / 1000000000L < 20)
  }

  test("exceptions keep their classes, causes, and stack traces, without secrets") {
    val cause = new IllegalStateException("password=a")
    val e = new IOException("s3a://k:s@b/x", cause)
    val shown = Redaction(e)
    assert(shown.toString == "java.io.IOException: s3a://(redacted)@b/x")
    assert(shown.getCause.toString == "java.lang.IllegalStateException: password=(redacted)")
    assert(shown.getStackTrace.sameElements(e.getStackTrace))
  }

  test("suppressed exceptions are kept without secrets, even in cycles") {
    val e = new IOException("closing")
    val suppressed = new IOException("token=a", e)
    e.addSuppressed(suppressed)
    e.addSuppressed(new IOException("password=b"))
    val shown = Redaction(e)
    assert(shown.getSuppressed.map(_.toString).toSeq ==
      Seq("java.io.IOException: token=(redacted)", "java.io.IOException: password=(redacted)"))
    assert(shown.getSuppressed.head.getCause == null)
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.{EOFException, FileNotFoundException, IOException, InterruptedIOException}
import java.net.{ConnectException, SocketException, SocketTimeoutException, UnknownHostException}
import java.nio.file.AccessDeniedException

import org.apache.hadoop.fs.s3a.{AWSBadRequestException, RemoteFileChangedException, S3AUtils}
import org.scalatest.funsuite.AnyFunSuite
import software.amazon.awssdk.awscore.exception.AwsErrorDetails
import software.amazon.awssdk.core.exception.SdkClientException
import software.amazon.awssdk.services.s3.model.S3Exception

import io.github.pysparklance.storage.spi.UnconfirmedWriteException

class ServiceErrorsSuite extends AnyFunSuite {
  import ServiceErrors._

  private def s3(status: Int, code: String, message: String = "no"): S3Exception = S3Exception
    .builder()
    .statusCode(status)
    .message(message)
    .requestId("PreconditionFailed412")
    .awsErrorDetails(AwsErrorDetails.builder().errorCode(code).errorMessage(message).build())
    .build()
    .asInstanceOf[S3Exception]

  /** The exception that S3A throws. */
  private def translated(e: S3Exception): IOException =
    S3AUtils.translateException("PUT 0-object", "s3a://b/412/PreconditionFailed", e)

  test("a lost race is detected by status and error code") {
    val lost = Seq(
      s3(412, "PreconditionFailed"),
      s3(409, "ConditionalRequestConflict"),
      s3(409, "OperationAborted")
    )
    lost.foreach { e =>
      assert(isLostRace(e) && isLostRace(translated(e)), e)
      assert(isLostRace(new IOException("upload", translated(e))))
    }
    assert(isLostRace(new RemoteFileChangedException("s3a://b/x", "PUT", "changed")))
  }

  test("messages with 412, PreconditionFailed, or ConditionalRequestConflict are not a lost race") {
    val texts = Seq("412", "PreconditionFailed", "ConditionalRequestConflict", "version 1412")
    for (text <- texts) {
      val others = Seq(
        new IOException(s"s3a://b/$text/_versions/7.manifest: disk full"),
        new AccessDeniedException(s"s3a://b/$text"),
        new FileNotFoundException(text),
        new EOFException(text),
        translated(s3(403, "AccessDenied", text)),
        translated(s3(400, "InvalidRequest", text)),
        translated(s3(404, "NoSuchBucket", text)),
        translated(s3(409, "BucketAlreadyExists", text)),
        translated(s3(500, "InternalError", text)),
        translated(s3(503, "SlowDown", text)),
        new IOException(text, SdkClientException.create(text))
      )
      others.foreach(e => assert(!isLostRace(e), e))
    }
    // S3A reports any status 409 as a bad request.
    assert(translated(s3(409, "BucketAlreadyExists")).isInstanceOf[AWSBadRequestException])
  }

  test("only a rejected request certainly had no effect") {
    Seq(
      translated(s3(403, "AccessDenied")),
      translated(s3(404, "NoSuchBucket")),
      translated(s3(400, "InvalidRequest")),
      new AccessDeniedException("s3a://b/x")
    ).foreach(e => assert(isRejection(e), e))
    // An earlier attempt of the client may have succeeded.
    Seq(
      new IOException("x", new ConnectException("rejected")),
      new IOException("x", new UnknownHostException("b.s3.amazonaws.com")),
      translated(s3(503, "SlowDown")),
      translated(s3(429, "TooManyRequests")),
      translated(s3(500, "InternalError")),
      translated(s3(504, "GatewayTimeout")),
      translated(s3(408, "RequestTimeout")),
      new IOException("x", SdkClientException.create("unable to execute", new SocketException)),
      new SocketTimeoutException("Read timed out"),
      new InterruptedIOException("stopped"),
      new EOFException("HTTP channel closed, 412")
    ).foreach(e => assert(!isRejection(e), e))
  }

  test("requests are denied because of their credentials") {
    Seq(
      translated(s3(403, "AccessDenied")),
      translated(s3(403, "InvalidAccessKeyId")),
      translated(s3(401, "Unauthorized")),
      translated(s3(400, "ExpiredToken")),
      translated(s3(400, null)), // a response to HEAD
      new IOException("x", translated(s3(403, "AccessDenied"))),
      new AccessDeniedException("abfs://c@a/x")
    ).foreach(e => assert(isDenied(e), e))
    Seq(
      translated(s3(400, "InvalidRequest")),
      translated(s3(404, "NoSuchKey")),
      translated(s3(412, "PreconditionFailed")),
      translated(s3(503, "SlowDown")),
      new UnconfirmedWriteException("x", translated(s3(403, "AccessDenied"))),
      new IOException("403")
    ).foreach(e => assert(!isDenied(e), e))
  }
}

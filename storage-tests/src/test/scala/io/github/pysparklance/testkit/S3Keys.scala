// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

import scala.jdk.CollectionConverters._

import com.sun.net.httpserver.HttpExchange

/** A temporary key of S3. All its secrets contain [[S3Keys.mark]]. */
final case class S3Key(access: String, secret: String, token: String, expiresAtMillis: Long) {

  /** The storage options with which a catalog returns the key. */
  def options(endpoint: String): Map[String, String] = Map(
    "aws_access_key_id" -> access,
    "aws_secret_access_key" -> secret,
    "aws_session_token" -> token,
    "aws_endpoint" -> endpoint,
    "aws_region" -> "us-east-1",
    "aws_virtual_hosted_style_request" -> "false",
    "expires_at_millis" -> expiresAtMillis.toString
  )
}

/** Issues temporary keys, and rejects requests that are not signed with one, as S3 does.
  *
  * Source: "Signature Version 4" in the documentation of AWS.
  */
final class S3Keys {
  import S3Keys._

  private val valid = new ConcurrentHashMap[String, S3Key]
  private val issued = new AtomicInteger

  /** The time at which keys expire. */
  @volatile var nowMillis: () => Long = () => TestClock.millis()

  def numIssued: Int = issued.get

  def issue(lifetimeMillis: Long): S3Key = {
    val n = issued.incrementAndGet()
    val expiry = TestClock.millis() + lifetimeMillis
    val key = S3Key(f"ASIA$n%016d", s"$mark/secret/$n", s"$mark/token/$n", expiry)
    valid.put(key.access, key)
    key
  }

  /** Makes all keys invalid that were issued so far. */
  def revoke(): Unit = valid.clear()

  /** Returns the error response of a request, or `None` if it is signed with a valid key. */
  def check(request: HttpExchange): Option[S3Fault] = {
    def header(name: String) = Option(request.getRequestHeaders.getFirst(name)).getOrElse("")
    header("Authorization") match {
      case authorization(access, day, scope, names, signature) =>
        Option(valid.get(access)) match {
          case None => Some(S3Fault.Status(403, "InvalidAccessKeyId"))
          case Some(key) if header("x-amz-security-token") != key.token =>
            Some(S3Fault.Status(400, "InvalidToken"))
          case Some(key) if key.expiresAtMillis <= nowMillis() =>
            Some(S3Fault.Status(400, "ExpiredToken"))
          case Some(key) =>
            val text = Seq(
              "AWS4-HMAC-SHA256",
              header("x-amz-date"),
              s"$day/$scope",
              hex(sha256(canonical(request, names)))
            ).mkString("\n")
            val signing =
              scope.split('/').foldLeft(mac(s"AWS4${key.secret}".getBytes(UTF_8), day))(mac)
            if (hex(mac(signing, text)) == signature) None
            else Some(S3Fault.Status(403, "SignatureDoesNotMatch"))
        }
      case _ => Some(S3Fault.Status(403, "AccessDenied"))
    }
  }

  private def canonical(request: HttpExchange, names: String): String = {
    val headers = request.getRequestHeaders
    val query = Option(request.getRequestURI.getRawQuery).toSeq
      .flatMap(_.split('&')).map(p => if (p.contains('=')) p else s"$p=").sorted.mkString("&")
    val signed = names.split(';').map { name =>
      s"$name:${headers.get(name).asScala.map(_.trim).mkString(",")}\n"
    }
    Seq(
      request.getRequestMethod,
      request.getRequestURI.getRawPath,
      query,
      signed.mkString,
      names,
      headers.getFirst("x-amz-content-sha256")
    ).mkString("\n")
  }
}

object S3Keys {

  /** Text in all secrets. */
  val mark: String = "wJalr"

  private val authorization =
    "AWS4-HMAC-SHA256 Credential=([^/]+)/([^/]+)/([^,]+), SignedHeaders=([^,]+), Signature=(\\w+)".r

  private def sha256(text: String): Array[Byte] =
    MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8))

  private def mac(key: Array[Byte], text: String): Array[Byte] = {
    val mac = Mac.getInstance("HmacSHA256")
    mac.init(new SecretKeySpec(key, "HmacSHA256"))
    mac.doFinal(text.getBytes(UTF_8))
  }

  private def hex(bytes: Array[Byte]): String = bytes.map(b => f"${b & 0xff}%02x").mkString
}

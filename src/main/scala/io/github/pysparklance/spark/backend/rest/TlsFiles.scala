// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend.rest

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.{Files, Paths}
import java.security.cert.{Certificate, CertificateFactory}
import java.security.spec.{InvalidKeySpecException, PKCS8EncodedKeySpec}
import java.security.{GeneralSecurityException, KeyFactory, KeyStore, PrivateKey}
import java.util.{Arrays, Base64}
import javax.net.ssl.{KeyManagerFactory, SSLContext, TrustManagerFactory, X509TrustManager}

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.InvalidRequestException

/** PEM files for TLS. Tasks read them, too, so they must exist on all nodes.
  *
  * @param caFile certificates to trust in addition to the defaults of Java
  * @param certFile certificate of the client, followed by its chain
  * @param keyFile private key of the client in PKCS#8
  */
final private[backend] case class TlsFiles(
    caFile: Option[String] = None,
    certFile: Option[String] = None,
    keyFile: Option[String] = None
) {
  if (certFile.isDefined != keyFile.isDefined)
    throw new InvalidRequestException("tls.certFile and tls.keyFile must be set together")

  /** Whether no file is set. */
  def isEmpty: Boolean = caFile.isEmpty && certFile.isEmpty

  /** A hash of the contents of the files, which certificate agents replace. */
  def contentHash: Int =
    Seq(caFile, certFile, keyFile).map(_.map(f => Arrays.hashCode(TlsFiles.bytes(f)))).hashCode

  /** Returns a context with the certificates of the files.
    *
    * @throws InvalidRequestException that names a file without a certificate or key
    * @throws java.io.IOException if a file cannot be read
    */
  def context(): SSLContext = {
    val made = SSLContext.getInstance("TLS")
    val keys = for (cert <- certFile; key <- keyFile) yield TlsFiles.keyManagers(cert, key)
    val trusted = caFile.map(TlsFiles.trustManagers)
    made.init(keys.orNull, trusted.orNull, null)
    made
  }
}

private object TlsFiles {
  private val maxBytes = 1 << 20

  private def bytes(file: String): Array[Byte] = {
    val path = Paths.get(file)
    if (!Files.isRegularFile(path))
      throw new InvalidRequestException(s"$file, which a tls option names, is not a file")
    if (Files.size(path) > maxBytes)
      throw new InvalidRequestException(
        s"$file has more than $maxBytes bytes: it is not a PEM file"
      )
    Files.readAllBytes(path)
  }

  private def certificates(file: String): Seq[Certificate] =
    named(file, "certificates in PEM") {
      CertificateFactory
        .getInstance("X.509")
        .generateCertificates(new ByteArrayInputStream(bytes(file)))
        .asScala
        .toSeq
    }

  private def trustManagers(file: String): Array[javax.net.ssl.TrustManager] = {
    val store = emptyStore()
    val known = factory(null).getTrustManagers.toSeq.collect { case m: X509TrustManager => m }
    val all = certificates(file) ++ known.flatMap(m => m.getAcceptedIssuers.toSeq)
    all.zipWithIndex.foreach { case (c, i) => store.setCertificateEntry(i.toString, c) }
    factory(store).getTrustManagers
  }

  private def factory(store: KeyStore): TrustManagerFactory = {
    val made = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    made.init(store)
    made
  }

  private def keyManagers(cert: String, key: String): Array[javax.net.ssl.KeyManager] = {
    val store = emptyStore()
    store.setKeyEntry("client", privateKey(key), Array.emptyCharArray, certificates(cert).toArray)
    val made = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    made.init(store, Array.emptyCharArray)
    made.getKeyManagers
  }

  private def emptyStore(): KeyStore = {
    val store = KeyStore.getInstance(KeyStore.getDefaultType)
    store.load(null, null)
    store
  }

  private val pem = "(?s).*-----BEGIN PRIVATE KEY-----(.*)-----END PRIVATE KEY-----.*".r

  private def privateKey(file: String): PrivateKey = {
    val wanted =
      "a private key in PKCS#8 (BEGIN PRIVATE KEY); `openssl pkcs8 -topk8 -nocrypt` converts others"
    new String(bytes(file), US_ASCII) match {
      case pem(encoded) =>
        val spec = named(file, wanted) {
          new PKCS8EncodedKeySpec(Base64.getMimeDecoder.decode(encoded))
        }
        Iterator("RSA", "EC", "Ed25519").flatMap { kind =>
          try Some(KeyFactory.getInstance(kind).generatePrivate(spec))
          catch {
            case _: InvalidKeySpecException | _: java.security.NoSuchAlgorithmException => None
          }
        }.find(_ => true).getOrElse(throw missing(file, wanted))
      case _ => throw missing(file, wanted)
    }
  }

  private def named[A](file: String, wanted: String)(read: => A): A =
    try read
    catch {
      case _: GeneralSecurityException | _: IllegalArgumentException => throw missing(file, wanted)
    }

  private def missing(file: String, wanted: String) =
    new InvalidRequestException(s"$file does not have $wanted")
}

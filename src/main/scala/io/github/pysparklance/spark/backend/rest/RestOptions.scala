// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend.rest

import java.net.{URI, URISyntaxException}
import java.util.Locale

import org.apache.spark.network.util.JavaUtils

import io.github.pysparklance.core.{InvalidRequestException, Log, UnsupportedFeatureException}
import io.github.pysparklance.spark.common.{LanceOptions, NameSuggestion, OptionRegistry}

/** How a catalog reaches its REST service. The text form has no secrets.
  *
  * @param uri base of all URLs, without a trailing slash
  * @param headers names and values sent with every request, also the token
  * @param delimiter separates the names of an identifier in a URL
  * @param timeoutMillis time limit of a request, from connecting to the end of the response
  * @param maxRetries maximum number of retries of a request
  * @param tls certificates, if the defaults of Java do not suffice
  */
final private[backend] case class RestOptions(
    uri: URI,
    headers: Map[String, String] = Map.empty,
    delimiter: String = RestOptions.Delimiter,
    timeoutMillis: Long = 60000,
    maxRetries: Int = 5,
    tls: TlsFiles = TlsFiles()
) {
  override def toString: String = s"RestOptions($uri)"

  /** Replaces secrets in a text of the service. */
  def withoutSecrets(text: String): String =
    headers.values.flatMap(v => Seq(v.trim) ++ v.split(' ').lastOption)
      .filter(_.length >= minSecret)
      .foldLeft(text)((t, secret) => t.replace(secret, "(redacted)"))

  /** Shorter values of headers are not secrets, and may be words of a message. */
  private def minSecret = 6
}

/** Parses the options of a catalog. */
private[backend] object RestOptions {
  private val log = Log(classOf[RestOptions])

  /** The default of the protocol. */
  val Delimiter: String = "$"

  private val names = Seq(
    "uri",
    "token",
    "headers",
    "delimiter",
    "requestTimeout",
    "maxRetries",
    "tls.caFile",
    "tls.certFile",
    "tls.keyFile"
  )

  private val prefixes = Seq("storage", "headers", "header", "fs")

  /** Options of the folder backend. */
  private val ofFolders = Seq("warehouse", "manifestEnabled")

  /** Whether an option may be a secret, or names one. Such options are kept from tables, whose
    * options reach plans and tasks.
    */
  def isSecret(name: String): Boolean = {
    val canonical = LanceOptions.canonical(name)
    canonical == "token" || Seq("header.", "headers.", "tls.").exists(canonical.startsWith)
  }

  /** @param configured options of the catalog
    * @throws InvalidRequestException that names an unknown or invalid option
    */
  def apply(configured: Map[String, String]): RestOptions = {
    checkNames(configured)
    val set = new LanceOptions(configured)
    val uri = set.text("uri").map(parsedUri).getOrElse(
      throw new InvalidRequestException("option uri is missing, which impl=rest requires")
    )
    val token = set.text("token").map(t => "Authorization" -> s"Bearer $t")
    val named = set.withPrefix("headers").toSeq ++ token
    named.foreach { case (name, value) => checkHeader(name, value) }
    val headers = named.toMap
    if (named.map(_._1.toLowerCase(Locale.ROOT)).distinct.length < named.length)
      throw new InvalidRequestException("headers.… and token set a header twice")
    if (uri.getScheme == "http" && headers.nonEmpty && !isLoopback(uri.getHost))
      log.warn(s"$uri: headers with secrets are sent without encryption; use https")
    val options = RestOptions(uri, headers)
    options.copy(
      delimiter = set.text("delimiter").fold(options.delimiter)(checkedDelimiter),
      timeoutMillis = set.text("requestTimeout").fold(options.timeoutMillis)(millis),
      maxRetries =
        set.long(0, "maxRetries").fold(options.maxRetries)(math.min(_, maxRetries).toInt),
      tls = TlsFiles(set.text("tls.caFile"), set.text("tls.certFile"), set.text("tls.keyFile"))
    )
  }

  private val maxRetries = 20L

  private def checkNames(configured: Map[String, String]): Unit = {
    configured.keys.foreach { name =>
      val canonical = LanceOptions.canonical(name)
      val known = OptionRegistry.find(name).map(_.name)
      if (known.exists(ofFolders.contains))
        throw new InvalidRequestException(
          s"option $name is for catalogs in folders; with impl=rest, the service chooses locations"
        )
      if (known.isEmpty && !prefixes.exists(p => canonical.startsWith(s"$p."))) {
        if (canonical == "tls.asserthostname")
          throw new UnsupportedFeatureException(
            s"option $name: host names are always checked; use a certificate with the name in uri"
          )
        val meant = NameSuggestion.of(canonical, names.map(LanceOptions.canonical))
        throw new InvalidRequestException(
          s"there is no option $name of a catalog with impl=rest" +
            meant.flatMap(m => names.find(LanceOptions.canonical(_) == m)).fold("")(m =>
              s"; did you mean $m?"
            )
        )
      }
    }
  }

  private def parsedUri(text: String): URI = {
    def invalid(why: String) = throw new InvalidRequestException(
      s"option uri is not the URL of a service, such as https://catalog.example.com/lance: $why"
    )
    def parsed(text: String): URI =
      try new URI(text).parseServerAuthority()
      catch { case _: URISyntaxException => invalid("it cannot be parsed") }
    val typed = parsed(text.trim.reverse.dropWhile(_ == '/').reverse)
    val scheme = Option(typed.getScheme).getOrElse("").toLowerCase(Locale.ROOT)
    if (scheme != "http" && scheme != "https") invalid("the scheme is neither http nor https")
    // Schemes are compared later.
    val uri = parsed(scheme + typed.toString.drop(scheme.length))
    if (uri.getHost == null) invalid("it has no host")
    if (uri.getUserInfo != null) invalid("it has a user; set token instead")
    if (uri.getRawQuery != null || uri.getRawFragment != null)
      invalid("it has a query or a fragment")
    if (uri.normalize() != uri) invalid("its path has empty segments, or the segments . or ..")
    uri
  }

  private def isLoopback(host: String): Boolean =
    host.equalsIgnoreCase("localhost") || host == "[::1]" || host.startsWith("127.")

  private def checkHeader(name: String, value: String): Unit = {
    val isName = name.nonEmpty && name.forall { c =>
      c < 0x7f && (Character.isLetterOrDigit(c) || "!#$%&'*+-.^_`|~".indexOf(c.toInt) >= 0)
    }
    if (!isName) throw new InvalidRequestException("the name of a header in headers.… is invalid")
    if (value.exists(c => Character.isISOControl(c) || c > 0xff))
      throw new InvalidRequestException(
        s"the value of the header $name has a character that HTTP does not allow"
      )
    if (reserved(name.toLowerCase(Locale.ROOT)))
      throw new InvalidRequestException(s"the header $name is set by the HTTP client")
  }

  private val reserved = Set(
    "connection",
    "content-length",
    "content-type",
    "accept",
    "date",
    "expect",
    "from",
    "host",
    "origin",
    "referer",
    "transfer-encoding",
    "upgrade",
    "via",
    "warning"
  )

  private def checkedDelimiter(text: String): String =
    if (text.nonEmpty && text.length <= 8 && !text.exists(c => Character.isISOControl(c))) text
    else
      throw new InvalidRequestException(
        s"option delimiter has ${text.length} characters; 1 to 8 printable ones are expected"
      )

  private def millis(text: String): Long = {
    val parsed =
      try JavaUtils.timeStringAsMs(text.trim)
      catch { case _: NumberFormatException => 0L }
    if (parsed > 0) parsed
    else
      throw new InvalidRequestException(
        s"option requestTimeout is '$text', a time such as 30s is expected"
      )
  }
}

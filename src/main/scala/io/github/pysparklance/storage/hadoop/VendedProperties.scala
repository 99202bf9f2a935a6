// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.net.{URI, URLDecoder}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

import io.github.pysparklance.core.{
  InvalidRequestException,
  Parse,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.storage.spi.{TablePath, VendedOptions}

/** Translates storage options of Lance, which catalogs return, to properties of Hadoop's clients.
  * The properties apply to the bucket or account of the table only.
  *
  * {{{
  *   s3     aws_access_key_id, aws_secret_access_key, aws_session_token, aws_region, aws_endpoint, ...
  *   abfs   azure_storage_account_name, azure_storage_account_key, azure_storage_sas_token
  *   gs     google_storage_token
  *   file   all options are ignored, because local files have no options
  * }}}
  * Options that only tune requests are ignored. All others are rejected, because they may be
  * required to read or write the table.
  *
  * Source: the options of the `object_store` crate, which Lance's writers use.
  */
private[pysparklance] object VendedProperties {

  /** Returns the properties.
    *
    * @param path path of the table
    * @param options options by name; case is ignored
    * @throws UnsupportedFeatureException that names an option without a counterpart
    * @throws InvalidRequestException that names an option with an invalid value
    */
  def apply(path: String, options: Map[String, String]): Map[String, String] =
    Place.in(Place(path = Some(path))) {
      val known = lower(options).filterNot { case (name, _) => tuning.exists(name.endsWith) }
      known.foreach { case (name, value) =>
        // Hadoop replaces variables in values by properties and by environment variables.
        if (value.contains("${") || value.exists(Character.isISOControl))
          invalid(name, "it has a variable or a control character")
      }
      TablePath.storage(path) match {
        case "file" => Map.empty
        case "s3" => s3(TablePath.authority(path), known)
        case "abfs" => azure(TablePath.authority(path), known)
        case "gs" => google(TablePath.authority(path), known)
        case other =>
          known.keys.toSeq.sorted.headOption.fold(Map.empty[String, String]) { name =>
            throw new UnsupportedFeatureException(
              s"the storage option $name of a catalog for paths of the scheme $other"
            )
          }
      }
    }

  /** Returns the path of a table for Hadoop's clients.
    *
    * {{{
    *   az://container/t       abfss://container@account.dfs.core.windows.net/t
    *   file:///tmp/a%20b      file:///tmp/a b      because file URIs of Lance are percent-encoded
    * }}}
    * @param location location of a table in a catalog
    * @throws InvalidRequestException if the account is missing
    */
  def path(location: String, options: Map[String, String]): String =
    TablePath.scheme(location) match {
      case Some("az" | "azure") =>
        val account = first(lower(options), accountNames).getOrElse(
          throw new InvalidRequestException(
            s"the catalog returns no ${accountNames.head}, which is required for az paths",
            Place(path = Some(location))
          )
        )
        if (!account.matches("[a-z0-9-]+")) invalid(accountNames.head, "it is not an account")
        s"abfss://${TablePath.authority(location)}@$account.dfs.core.windows.net" +
          TablePath.localName(location)
      case Some("file") => decoded(location)
      // Another client of s3 paths would not use the options.
      case Some("s3") if options.nonEmpty => "s3a" + location.drop("s3".length)
      case _ => location
    }

  /** Returns the location of a path for a catalog: local paths become file URIs. */
  def location(path: String): String =
    if (TablePath.storage(path) != "file") path
    else new URI("file", "", TablePath.localName(path), null).toASCIIString

  private def decoded(uri: String): String =
    try URLDecoder.decode(uri.replace("+", "%2B"), UTF_8)
    catch { case _: IllegalArgumentException => uri } // a percent sign without two digits

  /** Whether HTTP is allowed needs no property, because the scheme of the endpoint decides. */
  private def s3(bucket: String, options: Map[String, String]): Map[String, String] = {
    val prefix = s"fs.s3a.bucket.$bucket."
    val session = Set("aws_session_token", "session_token", "aws_token", "token")
    val translated = (options -- Seq("aws_allow_http", "allow_http")).toSeq.map {
      case (name, value) =>
        name match {
          case "aws_access_key_id" | "access_key_id" => "access.key" -> value
          case "aws_secret_access_key" | "secret_access_key" => "secret.key" -> value
          case token if session(token) => "session.token" -> value
          case "aws_region" | "region" | "aws_default_region" | "default_region" =>
            "endpoint.region" -> value
          case "aws_endpoint" | "endpoint" | "aws_endpoint_url" | "endpoint_url" =>
            "endpoint" -> value
          case "aws_virtual_hosted_style_request" | "virtual_hosted_style_request" =>
            "path.style.access" -> (!boolean(name, value)).toString
          case "aws_server_side_encryption" => "encryption.algorithm" -> encryption(name, value)
          case "aws_sse_kms_key_id" => "encryption.key" -> value
          case other => unsupported(other)
        }
    }.toMap
    val provider = (translated.contains("access.key"), translated.contains("session.token")) match {
      case (true, true) => Some("TemporaryAWSCredentialsProvider")
      case (true, false) => Some("SimpleAWSCredentialsProvider")
      case (false, true) => invalid("aws_session_token", "aws_access_key_id is missing")
      case (false, false) => None
    }
    val credentials =
      provider.map(p => "aws.credentials.provider" -> s"org.apache.hadoop.fs.s3a.$p")
    (translated ++ credentials).map { case (key, value) => prefix + key -> value }
  }

  private def encryption(name: String, value: String): String =
    value.toLowerCase(Locale.ROOT) match {
      case "aes256" => "AES256"
      case "aws:kms" | "sse-kms" => "SSE-KMS"
      case "aws:kms:dsse" => "DSSE-KMS"
      case _ => invalid(name, "it is not an encryption of S3")
    }

  private def azure(authority: String, options: Map[String, String]): Map[String, String] = {
    val account = authority.drop(authority.indexOf('@') + 1)
    options.toSeq.flatMap { case (name, value) =>
      name match {
        case n if accountNames.contains(n) => Nil
        case "azure_storage_account_key" | "account_key" | "azure_storage_access_key" =>
          Seq(
            s"fs.azure.account.auth.type.$account" -> "SharedKey",
            s"fs.azure.account.key.$account" -> value
          )
        case "azure_storage_sas_token" | "azure_storage_sas_key" | "sas_token" | "sas_key" =>
          Seq(
            s"fs.azure.account.auth.type.$account" -> "SAS",
            s"fs.azure.sas.fixed.token.$account" -> value.stripPrefix("?")
          )
        case other => unsupported(other)
      }
    }.toMap
  }

  /** The connector has no properties for a single bucket, so its clients check the bucket. */
  private def google(bucket: String, options: Map[String, String]): Map[String, String] =
    options.toSeq.flatMap { case (name, value) =>
      name match {
        case "google_storage_token" =>
          Seq(
            "fs.gs.auth.type" -> "ACCESS_TOKEN_PROVIDER",
            "fs.gs.auth.access.token.provider" -> tokenProvider, // since release 3
            "fs.gs.auth.access.token.provider.impl" -> tokenProvider,
            OwnClients.googleToken -> value,
            OwnClients.googleBucket -> bucket
          )
        case other => unsupported(other)
      }
    }.toMap

  private val tokenProvider = "io.github.pysparklance.storage.hadoop.VendedTokenProvider"

  private val accountNames = Seq("azure_storage_account_name", "account_name")

  /** Ends of the names of options that do not change which data is read or written. */
  private val tuning = Seq(
    VendedOptions.Expiry,
    "refresh_offset_millis",
    "timeout",
    "timeout_ms",
    "_retries",
    "retry_count",
    "pool_idle_timeout",
    "user_agent"
  )

  private def lower(options: Map[String, String]): Map[String, String] =
    options.map { case (name, value) => name.toLowerCase(Locale.ROOT) -> value }

  private def first(options: Map[String, String], names: Seq[String]): Option[String] =
    names.flatMap(options.get).headOption

  private def boolean(name: String, value: String): Boolean =
    Parse.boolean(value.trim).getOrElse(invalid(name, "true or false is expected"))

  private def invalid(name: String, why: String): Nothing = throw new InvalidRequestException(
    s"the catalog returns an invalid value of the storage option $name: $why"
  )

  private def unsupported(name: String): Nothing =
    throw new UnsupportedFeatureException(s"the storage option $name of a catalog")
}

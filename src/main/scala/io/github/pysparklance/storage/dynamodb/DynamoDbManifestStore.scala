// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.dynamodb

import java.net.URI
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import software.amazon.awssdk.auth.credentials.{
  AwsBasicCredentials,
  AwsSessionCredentials,
  StaticCredentialsProvider
}
import software.amazon.awssdk.core.exception.SdkException
import software.amazon.awssdk.http.apache.ApacheHttpClient
import software.amazon.awssdk.regions.Region
import software.amazon.awssdk.services.dynamodb.DynamoDbClient
import software.amazon.awssdk.services.dynamodb.model.{
  AttributeValue,
  ConditionalCheckFailedException,
  KeyType,
  PutItemRequest,
  QueryRequest
}

import io.github.pysparklance.core.{CorruptFileException, InvalidRequestException}
import io.github.pysparklance.storage.spi.{ManifestRow, ManifestStore}

/** A [[ManifestStore]] in a DynamoDB table, compatible with other Lance writers. Loaded by name, so
  * that the AWS SDK is needed only if it is used.
  *
  * {{{
  *   base_uri (partition key, S)   version (sort key, N)   path (S)   committer (S)   size (N)
  *   tables/people                 7                       tables/people/_versions/18446744073709551608.manifest
  * }}}
  * Reads are consistent and writes conditional.
  *
  * Source: format page of the table, "External manifest store".
  *
  * @param tableName name of the DynamoDB table
  * @param configuration configuration values by key, see the companion object
  */
final class DynamoDbManifestStore(tableName: String, configuration: String => Option[String])
    extends ManifestStore {
  import DynamoDbManifestStore._

  private val where = ClientConfiguration(configuration)
  private val client = clientOf(where)

  if (!checked.contains(where -> tableName)) {
    checkTable()
    checked.add(where -> tableName)
  }

  /** Rejects a table with other keys: rows in it would never be found. */
  private def checkTable(): Unit = asking(s"the table $tableName") {
    val found = client.describeTable(r => r.tableName(tableName): Unit).table.keySchema.asScala
    val keys = found.map(k => k.keyType -> k.attributeName).toSet
    if (keys != Set(KeyType.HASH -> baseUri, KeyType.RANGE -> versionKey))
      throw new InvalidRequestException(
        s"the DynamoDB table $tableName must have the partition key $baseUri and the sort key " +
          s"$versionKey, not ${found.map(k => s"${k.attributeName} (${k.keyType})").mkString(", ")}"
      )
  }

  def get(base: String, version: Long): Option[ManifestRow] = asking(s"version $version of $base") {
    val item = client.getItem(r =>
      r.tableName(tableName).key(key(base, number(version))).consistentRead(true): Unit
    )
    if (item.hasItem) Some(rowOf(base, item.item)) else None
  }

  def latest(base: String): Option[ManifestRow] = asking(s"the latest version of $base") {
    // Other writers also add rows for detached versions, whose numbers have the highest bit set.
    val response = client.query(
      consistentQuery
        .keyConditionExpression(s"$baseUri = :base AND $versionKey < :detached")
        .expressionAttributeValues(Map(
          ":base" -> text(base),
          ":detached" -> number(Long.MinValue)
        ).asJava)
        .scanIndexForward(false)
        .limit(1)
        .build()
    )
    response.items.asScala.headOption.map(rowOf(base, _))
  }

  def putIfAbsent(base: String, row: ManifestRow): Boolean =
    put(base, row, s"attribute_not_exists($baseUri) AND attribute_not_exists($versionKey)")

  def putIfPresent(base: String, row: ManifestRow): Boolean =
    put(base, row, s"attribute_exists($baseUri) AND attribute_exists($versionKey)")

  private def put(base: String, row: ManifestRow, condition: String): Boolean =
    asking(s"version ${row.version} of $base") {
      val item = Map(
        baseUri -> text(base),
        versionKey -> number(row.version),
        "path" -> text(row.path),
        "committer" -> text(committer)
      ) ++ row.sizeBytes.map(n => "size" -> number(n))
      val request = PutItemRequest.builder
        .tableName(tableName)
        .item(item.asJava)
        .conditionExpression(condition)
        .build()
      try {
        client.putItem(request)
        true
      } catch { case _: ConditionalCheckFailedException => false }
    }

  def remove(base: String, version: Long): Unit = asking(s"version $version of $base")(
    removeRow(base, number(version))
  )

  def removeAll(base: String): Unit = asking(s"the versions of $base") {
    val request = consistentQuery
      .keyConditionExpression(s"$baseUri = :base")
      .expressionAttributeValues(Map(":base" -> text(base)).asJava)
      .build()
    client.queryPaginator(request).items.asScala.foreach(i => removeRow(base, i.get(versionKey)))
  }

  private def removeRow(base: String, version: AttributeValue): Unit =
    client.deleteItem(r => r.tableName(tableName).key(key(base, version)): Unit): Unit

  private def consistentQuery: QueryRequest.Builder =
    QueryRequest.builder.tableName(tableName).consistentRead(true)

  private def key(base: String, version: AttributeValue): java.util.Map[String, AttributeValue] =
    Map(baseUri -> text(base), versionKey -> version).asJava

  private def rowOf(base: String, item: java.util.Map[String, AttributeValue]): ManifestRow = {
    def corrupt(name: String): Nothing = throw new CorruptFileException(
      s"corrupt row of $base in the DynamoDB table $tableName: $name is ${item.get(name)}"
    )
    def unsigned(name: String): Option[Long] = Option(item.get(name)).map { value =>
      try java.lang.Long.parseUnsignedLong(value.n)
      catch { case _: NumberFormatException => corrupt(name) }
    }
    ManifestRow(
      unsigned(versionKey).getOrElse(corrupt(versionKey)),
      Option(item.get("path")).flatMap(v => Option(v.s)).getOrElse(corrupt("path")),
      unsigned("size")
    )
  }

  private def asking[A](about: String)(body: => A): A =
    try body
    catch {
      case e: SdkException =>
        throw new java.io.IOException(
          s"the DynamoDB table $tableName, accessing $about: ${e.getMessage}",
          e
        )
    }
}

/** Configuration keys, all optional:
  *
  *  - `lance.dynamodb.endpoint`, else the environment variable `DYNAMODB_ENDPOINT`: an endpoint
  *    other than AWS;
  *  - `lance.dynamodb.region`, else `fs.s3a.endpoint.region`, else the SDK's default;
  *  - `fs.s3a.access.key`, `fs.s3a.secret.key`, `fs.s3a.session.token`: else the SDK's default
  *    credentials.
  */
object DynamoDbManifestStore {
  private val baseUri = "base_uri"
  private val versionKey = "version"

  /** The same value as the reference implementation writes. */
  private val committer = "lancedb"

  final private case class ClientConfiguration(
      endpoint: Option[String],
      region: Option[String],
      accessKey: Option[String],
      secretKey: Option[String],
      sessionToken: Option[String]
  )

  private object ClientConfiguration {
    def apply(configuration: String => Option[String]): ClientConfiguration =
      new ClientConfiguration(
        configuration("lance.dynamodb.endpoint").orElse(sys.env.get("DYNAMODB_ENDPOINT")),
        configuration("lance.dynamodb.region").orElse(configuration("fs.s3a.endpoint.region")),
        configuration("fs.s3a.access.key"),
        configuration("fs.s3a.secret.key"),
        configuration("fs.s3a.session.token")
      )
  }

  /** Clients hold connections. They are shared and live until the process ends. */
  private val clients = new ConcurrentHashMap[ClientConfiguration, DynamoDbClient]

  private val checked = ConcurrentHashMap.newKeySet[(ClientConfiguration, String)]

  private def clientOf(config: ClientConfiguration): DynamoDbClient =
    clients.computeIfAbsent(config, c => newClient(c))

  private def newClient(config: ClientConfiguration): DynamoDbClient = {
    val builder = DynamoDbClient.builder.httpClientBuilder(ApacheHttpClient.builder)
    config.endpoint.foreach(e => builder.endpointOverride(URI.create(e)))
    config.region.foreach(r => builder.region(Region.of(r)))
    for (key <- config.accessKey; secret <- config.secretKey) {
      val credentials = config.sessionToken match {
        case Some(token) => AwsSessionCredentials.create(key, secret, token)
        case None => AwsBasicCredentials.create(key, secret)
      }
      builder.credentialsProvider(StaticCredentialsProvider.create(credentials))
    }
    builder.build()
  }

  private def text(value: String): AttributeValue = AttributeValue.fromS(value)

  private def number(value: Long): AttributeValue =
    AttributeValue.fromN(java.lang.Long.toUnsignedString(value))
}

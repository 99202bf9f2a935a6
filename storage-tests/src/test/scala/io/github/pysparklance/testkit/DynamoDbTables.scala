// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.net.URI
import java.util.UUID

import software.amazon.awssdk.auth.credentials.{AwsBasicCredentials, StaticCredentialsProvider}
import software.amazon.awssdk.http.apache.ApacheHttpClient
import software.amazon.awssdk.regions.Region
import software.amazon.awssdk.services.dynamodb.DynamoDbClient
import software.amazon.awssdk.services.dynamodb.model.{
  AttributeDefinition,
  BillingMode,
  CreateTableRequest,
  KeySchemaElement,
  KeyType,
  ScalarAttributeType
}

/** DynamoDB tables, created like an administrator would. */
object DynamoDbTables {
  lazy val client: DynamoDbClient = DynamoDbClient.builder
    .httpClientBuilder(ApacheHttpClient.builder)
    .endpointOverride(URI.create(MotoServer.endpoint))
    .region(Region.US_EAST_1)
    .credentialsProvider(
      StaticCredentialsProvider.create(AwsBasicCredentials.create("test", "test"))
    )
    .build()

  /** Creates a table for manifests.
    *
    * @return name of the table
    */
  def create(sortKey: String = "version"): String = {
    val name = s"commits-${UUID.randomUUID}"
    val keys = Seq(
      ("base_uri", KeyType.HASH, ScalarAttributeType.S),
      (sortKey, KeyType.RANGE, ScalarAttributeType.N)
    )
    client.createTable(
      CreateTableRequest.builder
        .tableName(name)
        .billingMode(BillingMode.PAY_PER_REQUEST)
        .keySchema(keys.map { case (n, k, _) =>
          KeySchemaElement.builder.attributeName(n).keyType(k).build()
        }: _*)
        .attributeDefinitions(keys.map { case (n, _, t) =>
          AttributeDefinition.builder.attributeName(n).attributeType(t).build()
        }: _*)
        .build()
    )
    name
  }
}

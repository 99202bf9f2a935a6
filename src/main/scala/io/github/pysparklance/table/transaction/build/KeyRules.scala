// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.build

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType, Parse, Schema}

/** The primary and clustering keys that a schema declares. The format does not enforce them.
  *
  * Source: format page of the table, "Keys" and "Reserved metadata keys".
  */
object KeyRules {
  private val primary = "lance-schema:unenforced-primary-key"

  /** Metadata key of a field: its position in the primary key, from 1. */
  val PrimaryPosition: String = "lance-schema:unenforced-primary-key:position"

  /** Metadata key of a field: its position in the clustering key, from 1. */
  val ClusteringPosition: String = "lance-schema:unenforced-clustering-key:position"

  private val trueWords = Set("1", "true", "on", "yes", "y")

  /** Returns the position of a field in the primary key according to its metadata. 0 means that the
    * order of field ids applies.
    */
  private[table] def primaryKey(metadata: Map[String, String]): Option[Int] =
    metadata
      .get(PrimaryPosition)
      .flatMap(Parse.int)
      .filter(_ >= 0)
      .orElse(
        metadata.get(primary).filter(w => trueWords(w.toLowerCase(java.util.Locale.ROOT))).map(_ =>
          0
        )
      )

  /** Returns the position of a field in the clustering key according to its metadata. */
  private[table] def clusteringKey(metadata: Map[String, String]): Option[Int] =
    metadata.get(ClusteringPosition).flatMap(Parse.int).filter(_ >= 0)

  /** Checks that an update of field metadata does not change an existing key.
    *
    * @param written the metadata keys that the update sets or removes
    */
  private[table] def checkChange(before: Schema, after: Schema, written: Set[String]): Unit = {
    check(
      "primary",
      before.flatten.filter(_.unenforcedPrimaryKey.isDefined).map(_.id),
      after.flatten.filter(_.unenforcedPrimaryKey.isDefined).map(_.id),
      written(primary) || written(PrimaryPosition)
    )
    check(
      "clustering",
      before.flatten.filter(_.unenforcedClusteringKey.isDefined).map(_.id),
      after.flatten.filter(_.unenforcedClusteringKey.isDefined).map(_.id),
      written(ClusteringPosition)
    )
    if (written(primary) || written(PrimaryPosition)) checkPrimaryKey(after)
  }

  private def check(kind: String, before: Seq[Int], after: Seq[Int], isWritten: Boolean): Unit =
    if (before.nonEmpty) {
      if (isWritten || after != before)
        throw new InvalidRequestException(
          s"the $kind key of the schema cannot be changed once it is set"
        )
    } else if (isWritten && after.isEmpty)
      throw new InvalidRequestException(s"invalid value for the $kind key of the schema")

  /** Checks that all primary key fields are valid: non-nullable leaves outside of lists and maps.
    *
    * @throws InvalidRequestException naming the invalid field
    */
  private[table] def checkPrimaryKey(schema: Schema): Unit =
    schema.fields.foreach(checkPrimaryKey(_, None))

  private def checkPrimaryKey(f: Field, obstacle: Option[String]): Unit = {
    val here = obstacle.orElse(
      if (f.nullable) Some("is nullable or in a nullable struct") else None
    )
    if (f.unenforcedPrimaryKey.isDefined) {
      if (f.children.nonEmpty)
        throw new InvalidRequestException(s"the primary key column '${f.name}' has child fields")
      here.foreach { why =>
        throw new InvalidRequestException(s"the primary key column '${f.name}' $why")
      }
    }
    val below = if (f.logicalType == LogicalType.Struct) here else Some("is in a list or a map")
    f.children.foreach(checkPrimaryKey(_, below))
  }
}

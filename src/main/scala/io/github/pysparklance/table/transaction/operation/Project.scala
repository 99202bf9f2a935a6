// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.Schema
import io.github.pysparklance.file.metadata.FieldMessages
import io.github.pysparklance.table.manifest.{ManifestFile, SchemaRules}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.transaction.build.{KeyRules, SameSchema}

/** Drops, renames, or reorders columns, or changes their properties, without new files.
  *
  * Source: message `Project`, transaction.proto.
  *
  * @param schema schema of the new version; fields keep their ids. Metadata of the schema is not
  *   part of the message and stays unchanged
  * @param preservesNullability whether files written for the previous schema are valid in the new
  *   one: no nullable column became non-nullable
  */
final case class Project(schema: Schema, preservesNullability: Boolean) extends PlainOperation {
  def name: String = "Project"

  override private[table] def begin(context: CommitContext, base: Option[ManifestFile]): Rebase =
    Rebase.unchanged(this, check = latest => base.foreach(SameSchema.check(_, latest)))

  private[table] def write(b: proto.Transaction.Builder): Unit =
    b.setProject(
      proto.Transaction.Project
        .newBuilder()
        .addAllSchema(FieldMessages.toMessages(schema).asJava)
        .setPreservesNullability(preservesNullability)
    ): Unit

  private[table] def build(m: ManifestBuilder): Unit = {
    SchemaRules.checkNew(schema, Some(m.previous.schema))
    KeyRules.checkPrimaryKey(schema)
    m.setSchema(schema.copy(metadata = m.previous.schema.metadata))
    m.dropDeadFiles()
    m.retainIndices()
  }
}

object Project {
  private[transaction] def parse(m: proto.Transaction.Project): Project =
    Project(
      FieldMessages.toSchema(m.getSchemaList.asScala, Map.empty),
      m.getPreservesNullability
    )
}

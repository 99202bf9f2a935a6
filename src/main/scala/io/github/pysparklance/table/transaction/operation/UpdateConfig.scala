// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{CorruptFileException, Field, InvalidRequestException, Schema}
import io.github.pysparklance.file.metadata.MapEntries
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.transaction.build.KeyRules

/** Changes table properties and metadata.
  *
  * Source: message `UpdateConfig`, transaction.proto, including its older form.
  *
  * @param config the properties of the table
  * @param tableMetadata user-defined metadata of the table
  * @param schemaMetadata metadata of the Arrow schema
  * @param fieldMetadata metadata of fields, by field id
  */
final case class UpdateConfig(
    config: Option[UpdateMap] = None,
    tableMetadata: Option[UpdateMap] = None,
    schemaMetadata: Option[UpdateMap] = None,
    fieldMetadata: Map[Int, UpdateMap] = Map.empty
) extends PlainOperation {
  def name: String = "UpdateConfig"

  /** Whether it changes metadata of the schema or of fields. */
  private[transaction] def touchesSchema: Boolean =
    schemaMetadata.isDefined || fieldMetadata.nonEmpty

  /** Whether metadata of the schema or of fields may differ afterwards. */
  private[transaction] def changesSchema: Boolean =
    (schemaMetadata ++ fieldMetadata.values).exists(c => c.replace || c.entries.nonEmpty)

  private[table] def write(b: proto.Transaction.Builder): Unit = {
    val u = proto.Transaction.UpdateConfig.newBuilder()
    config.foreach(c => u.setConfigUpdates(c.toMessage))
    tableMetadata.foreach(c => u.setTableMetadataUpdates(c.toMessage))
    schemaMetadata.foreach(c => u.setSchemaMetadataUpdates(c.toMessage))
    fieldMetadata.foreach { case (id, c) => u.putFieldMetadataUpdates(id, c.toMessage) }
    b.setUpdateConfig(u): Unit
  }

  private[table] def build(m: ManifestBuilder): Unit = {
    val before = m.previous
    config.foreach(c => m.message.clearConfig().addAllConfig(MapEntries.ofTexts(c(before.config))))
    tableMetadata.foreach { c =>
      m.message.clearTableMetadata()
        .addAllTableMetadata(MapEntries.ofTexts(c(before.tableMetadata)))
    }
    if (touchesSchema) {
      val schema = before.schema
      val metadata = schemaMetadata.fold(schema.metadata)(_(schema.metadata))
      m.setSchema(Schema(changed(schema), metadata))
    }
  }

  private def changed(schema: Schema): IndexedSeq[Field] = {
    val known = schema.flatten.map(_.id).toSet
    fieldMetadata.keys.find(id => !known(id)).foreach { id =>
      throw new InvalidRequestException(s"the table has no field with id $id")
    }
    val fields = schema.fields.map(changed)
    val after = schema.copy(fields = fields)
    KeyRules.checkChange(schema, after, fieldMetadata.values.flatMap(_.keys).toSet)
    fields
  }

  private def changed(field: Field): Field = {
    val f = field.copy(children = field.children.map(changed))
    fieldMetadata.get(f.id).fold(f) { c =>
      val metadata = c(f.metadata)
      f.copy(
        metadata = metadata,
        unenforcedPrimaryKey = KeyRules.primaryKey(metadata),
        unenforcedClusteringKey = KeyRules.clusteringKey(metadata)
      )
    }
  }
}

object UpdateConfig {
  private[transaction] def parse(m: proto.Transaction.UpdateConfig): UpdateConfig = {
    val isNew = m.hasConfigUpdates || m.hasTableMetadataUpdates || m.hasSchemaMetadataUpdates ||
      m.getFieldMetadataUpdatesCount > 0
    val isOld = m.getUpsertValuesCount > 0 || m.getDeleteKeysCount > 0 ||
      m.getSchemaMetadataCount > 0 || m.getFieldMetadataCount > 0
    CorruptFileException.check(
      !(isNew && isOld),
      "corrupt transaction: UpdateConfig in both its old and new form"
    )
    if (isOld) old(m)
    else
      UpdateConfig(
        if (m.hasConfigUpdates) Some(UpdateMap.parse(m.getConfigUpdates)) else None,
        if (m.hasTableMetadataUpdates) Some(UpdateMap.parse(m.getTableMetadataUpdates)) else None,
        if (m.hasSchemaMetadataUpdates) Some(UpdateMap.parse(m.getSchemaMetadataUpdates)) else None,
        m.getFieldMetadataUpdatesMap.asScala.iterator
          .map { case (id, u) => id.toInt -> UpdateMap.parse(u) }
          .toMap
      )
  }

  private def old(m: proto.Transaction.UpdateConfig): UpdateConfig = {
    val upserts = UpdateMap.upsert(m.getUpsertValuesMap.asScala.toMap)
    val removals = UpdateMap.remove(m.getDeleteKeysList.asScala)
    val config = UpdateMap(upserts.entries ++ removals.entries)
    val schema = m.getSchemaMetadataMap.asScala.toMap
    UpdateConfig(
      config = Some(config).filter(_.entries.nonEmpty),
      schemaMetadata = Some(schema).filter(_.nonEmpty).map(UpdateMap.replace),
      fieldMetadata = m.getFieldMetadataMap.asScala.iterator
        .map { case (id, f) => id.toInt -> UpdateMap.replace(f.getMetadataMap.asScala.toMap) }
        .toMap
    )
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import scala.jdk.CollectionConverters._

import com.google.protobuf.ByteString

import io.github.pysparklance.core.{
  CommitConflictException,
  InvalidRequestException,
  LogicalType,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.metadata.{FieldMessages, FileVersion, MapEntries}
import io.github.pysparklance.table.manifest.{
  BasePath,
  FeatureFlags,
  Fragment,
  ManifestFile,
  SchemaRules
}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.transaction.build.{KeyRules, RowIdAssignment, SameSchema}

/** Replaces the whole content of a table, or creates the table.
  *
  * Source: message `Overwrite`, transaction.proto.
  *
  * @param fragments without ids and without deletion files
  * @param schema schema with the field ids used in the files
  * @param fileVersion file version of these and later files; none for the file version of the
  *   table. Not part of the message
  * @param configUpserts merged into the properties of the table
  * @param stableRowIds whether a new table has stable row ids; ignored for an existing table. Not
  *   part of the message
  * @param initialBases base paths of a new table
  * @param keepsColumns whether the schema is derived from that of the base version, so that a
  *   concurrent change of columns is a conflict. Not part of the message
  */
final case class Overwrite(
    fragments: IndexedSeq[Fragment],
    schema: Schema,
    fileVersion: Option[FileVersion] = None,
    configUpserts: Map[String, String] = Map.empty,
    stableRowIds: Boolean = false,
    initialBases: Seq[BasePath] = Nil,
    keepsColumns: Boolean = false
) extends PlainOperation {
  def name: String = "Overwrite"

  override private[table] def begin(context: CommitContext, base: Option[ManifestFile]): Rebase =
    Rebase.unchanged(
      this,
      check = latest =>
        base match {
          // The conflict matrix allows overwriting a clone that was created concurrently.
          case None =>
            throw new CommitConflictException(
              "not committed: the table was created concurrently",
              latest.manifest.version,
              retryable = true
            )
          case Some(b) => if (keepsColumns) SameSchema.check(b, latest)
        }
    )

  private[table] def write(b: proto.Transaction.Builder): Unit = {
    val o = proto.Transaction.Overwrite
      .newBuilder()
      .addAllSchema(FieldMessages.toMessages(schema).asJava)
      .putAllConfigUpsertValues(configUpserts.asJava)
      .addAllFragments(Operation.messages(fragments))
      .addAllInitialBases(initialBases.map(_.toMessage).asJava)
    schema.metadata.foreach { case (k, v) =>
      o.putSchemaMetadata(k, ByteString.copyFromUtf8(v))
    }
    b.setOverwrite(o): Unit
  }

  override private[table] def needsSoundBase: Boolean = false

  private[table] def build(m: ManifestBuilder): Unit = {
    if (fragments.exists(_.deletionFile.isDefined))
      throw new InvalidRequestException("fragments of an overwrite must not have deleted rows")
    if ((m.message.getWriterFeatureFlags & FeatureFlags.nonReusableFieldIds) != 0)
      throw new UnsupportedFeatureException("overwriting a table with non-reusable field ids")
    if (m.latest.isEmpty) {
      if (stableRowIds) m.message.setReaderFeatureFlags(FeatureFlags.stableRowIds)
      m.addBases(initialBases)
    } else if (initialBases.nonEmpty)
      throw new InvalidRequestException("an overwrite cannot add base paths to a table")
    val version =
      fileVersion.orElse(m.latest.map(_.manifest.fileVersion)).getOrElse(FileVersion.default)
    m.setFileVersion(version)
    m.checkFileVersions(fragments)
    SchemaRules.checkNew(schema, m.latest.map(_.manifest.schema))
    KeyRules.checkPrimaryKey(schema)
    checkDictionaries(version)
    m.setSchema(schema)
    m.fragments = Nil
    m.fragments = RowIdAssignment.allNew(m.renumbered(fragments), m.version, m.message)
    val config = MapEntries.texts(m.message.getConfigList) ++ configUpserts
    m.message.clearConfig().addAllConfig(MapEntries.ofTexts(config))
    m.indices = IndexMaintenance.none
  }

  /** Rejects dictionary columns in file version 0.1, because their manifest dictionaries come from
    * the previous manifest.
    */
  private def checkDictionaries(version: FileVersion): Unit =
    if (version == FileVersion.V0_1)
      schema.flatten.find(_.logicalType.isInstanceOf[LogicalType.Dictionary]).foreach { f =>
        throw new UnsupportedFeatureException(
          s"the dictionary column '${f.name}' in a new table of file version 0.1, whose files must share its " +
            "values; use a later file version"
        )
      }
}

object Overwrite {
  private[transaction] def parse(m: proto.Transaction.Overwrite): Overwrite = Overwrite(
    Operation.fragments(m.getFragmentsList),
    FieldMessages.toSchema(m.getSchemaList.asScala, m.getSchemaMetadataMap.asScala),
    configUpserts = m.getConfigUpsertValuesMap.asScala.toMap,
    initialBases = m.getInitialBasesList.asScala.iterator.map(BasePath(_)).toIndexedSeq
  )
}

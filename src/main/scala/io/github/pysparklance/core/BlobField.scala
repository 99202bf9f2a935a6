// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** What a read makes of a blob. */
sealed abstract class BlobMode(val text: String) extends Serializable

object BlobMode {

  /** Its bytes. */
  case object Content extends BlobMode("content")

  /** Where its bytes are, as the data file describes it. */
  case object Descriptor extends BlobMode("descriptor")

  /** How many bytes it has. */
  case object Size extends BlobMode("size")

  val all: IndexedSeq[BlobMode] = IndexedSeq(Content, Descriptor, Size)
}

/** The shapes that a blob field takes when it is read. All of them keep id, name and metadata, so that the field still
  * is a blob and owns the same column.
  *
  * Source: format page of the table, "Blobs".
  */
object BlobField {

  /** Key of the metadata that mark a legacy blob, whatever the value. */
  val Marker: String = "lance-encoding:blob"

  private val unsigned64 = LogicalType.Integer(64, signed = false)

  private def member(name: String, t: LogicalType): Field =
    Field(Field.Unassigned, name, t, nullable = true)

  /** Where a legacy blob is in its data file. */
  private val legacyMembers = IndexedSeq(member("position", unsigned64), member("size", unsigned64))

  private val members = IndexedSeq(
    member("kind", LogicalType.Integer(8, signed = false)),
    member("position", unsigned64),
    member("size", unsigned64),
    member("blob_id", LogicalType.Integer(32, signed = false)),
    member("blob_uri", LogicalType.Utf8(large = false))
  )

  /** The same schema's fields with every blob, at any depth, in the shape that `mode` gives it. */
  def in(mode: BlobMode)(field: Field): Field =
    if (!field.isBlob)
      if (field.children.isEmpty) field else field.copy(children = field.children.map(in(mode)))
    else
      mode match {
        case BlobMode.Content => content(field)
        case BlobMode.Descriptor => descriptor(field)
        case BlobMode.Size => size(field)
      }

  /** The field as its bytes. */
  def content(blob: Field): Field = shaped(blob, LogicalType.Binary(large = true))

  /** The field as the struct that the pages hold. */
  def descriptor(blob: Field): Field =
    shaped(blob, LogicalType.Struct).copy(children =
      if (blob.isBlobV2) members else legacyMembers
    )

  /** A legacy blob as one of version 2, in the form of a table's schema; without ids. */
  def asV2(blob: Field): Field = blob.copy(
    id = Field.Unassigned,
    logicalType = LogicalType.Struct,
    children = IndexedSeq(
      member("data", LogicalType.Binary(large = true)),
      member("uri", LogicalType.Utf8(large = false))
    ),
    metadata = blob.metadata - Marker + ("ARROW:extension:name" -> "lance.blob.v2")
  )

  /** The field as a number of bytes. */
  def size(blob: Field): Field = shaped(blob, LogicalType.Integer(64, signed = true))

  /** The type may be all that marked a legacy blob. */
  private def shaped(blob: Field, logicalType: LogicalType): Field = blob.copy(
    logicalType = logicalType,
    children = IndexedSeq.empty,
    metadata =
      if (blob.logicalType == LogicalType.Blob) blob.metadata + (Marker -> "true")
      else blob.metadata
  )

  /** The shape that the field has; a field as the schema has it stands for its bytes. */
  def mode(blob: Field): BlobMode = blob.logicalType match {
    case LogicalType.Integer(_, _) => BlobMode.Size
    case LogicalType.Struct if blob.children.headOption.exists(_.id == Field.Unassigned) =>
      BlobMode.Descriptor
    case _ => BlobMode.Content
  }
}

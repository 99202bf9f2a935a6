// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** How blob columns are read. */
sealed abstract class BlobMode(val text: String) extends Serializable

object BlobMode {

  /** As the bytes of the blob. */
  case object Content extends BlobMode("content")

  /** As the struct that locates the bytes, as stored in the data file. */
  case object Descriptor extends BlobMode("descriptor")

  /** As the number of bytes. */
  case object Size extends BlobMode("size")

  val all: IndexedSeq[BlobMode] = IndexedSeq(Content, Descriptor, Size)
}

/** The fields that blob columns are read as. All of them keep the id, name, and metadata of the
  * blob's field, so that they still are blobs and own the same column.
  *
  * Source: format page of the table, "Blobs".
  */
object BlobField {

  /** Metadata key that marks a legacy blob. Its value is ignored. */
  val Marker: String = "lance-encoding:blob"

  private val unsigned64 = LogicalType.Integer(64, signed = false)

  private def member(name: String, t: LogicalType): Field =
    Field(Field.Unassigned, name, t, nullable = true)

  /** Position and size of a legacy blob in its data file. */
  private val legacyMembers = IndexedSeq(member("position", unsigned64), member("size", unsigned64))

  private val members = IndexedSeq(
    member("kind", LogicalType.Integer(8, signed = false)),
    member("position", unsigned64),
    member("size", unsigned64),
    member("blob_id", LogicalType.Integer(32, signed = false)),
    member("blob_uri", LogicalType.Utf8(large = false))
  )

  /** Returns the field with every blob in it, at any depth, as `mode` reads it. */
  def in(mode: BlobMode)(field: Field): Field =
    if (!field.isBlob)
      if (field.children.isEmpty) field else field.copy(children = field.children.map(in(mode)))
    else
      mode match {
        case BlobMode.Content => content(field)
        case BlobMode.Descriptor => descriptor(field)
        case BlobMode.Size => size(field)
      }

  /** The field as a binary of the blob's bytes. */
  def content(blob: Field): Field = shaped(blob, LogicalType.Binary(large = true))

  /** The field as the descriptor struct that pages store. */
  def descriptor(blob: Field): Field =
    shaped(blob, LogicalType.Struct).copy(children =
      if (blob.isBlobV2) members else legacyMembers
    )

  /** Converts a legacy blob field to a blob v2 field as table schemas declare it, without field
    * ids.
    */
  def asV2(blob: Field): Field = blob.copy(
    id = Field.Unassigned,
    logicalType = LogicalType.Struct,
    children = IndexedSeq(
      member("data", LogicalType.Binary(large = true)),
      member("uri", LogicalType.Utf8(large = false))
    ),
    metadata = blob.metadata - Marker + ("ARROW:extension:name" -> "lance.blob.v2")
  )

  /** The field as the number of bytes of the blob. */
  def size(blob: Field): Field = shaped(blob, LogicalType.Integer(64, signed = true))

  /** Sets the marker if only the type declared a legacy blob, because the type is replaced. */
  private def shaped(blob: Field, logicalType: LogicalType): Field = blob.copy(
    logicalType = logicalType,
    children = IndexedSeq.empty,
    metadata =
      if (blob.logicalType == LogicalType.Blob) blob.metadata + (Marker -> "true")
      else blob.metadata
  )

  /** The mode of a field that this object returned. For fields of a table's schema, returns
    * [[BlobMode.Content]].
    */
  def mode(blob: Field): BlobMode = blob.logicalType match {
    case LogicalType.Integer(_, _) => BlobMode.Size
    case LogicalType.Struct if blob.children.headOption.exists(_.id == Field.Unassigned) =>
      BlobMode.Descriptor
    case _ => BlobMode.Content
  }
}

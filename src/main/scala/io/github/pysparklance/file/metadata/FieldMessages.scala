// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.metadata

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.google.protobuf.ByteString

import io.github.pysparklance.core.{
  BlobField,
  CorruptFileException,
  Field,
  LogicalType,
  Place,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.proto

/** Converts schemas to and from the form in manifests and data files: a flat list of fields, depth
  * first, with parents before children.
  *
  * Source: messages `lance.file.Schema` and `lance.file.Field`; format page of the table, "Schema".
  */
object FieldMessages {

  private val extensionName = "ARROW:extension:name"

  /** Maximum number of fields of a schema, at all depths. */
  val MaxFields: Int = 100000

  /** Maximum number of fields of a schema with repeated ids. Each child of such a field takes a
    * search through all previous fields.
    */
  private val maxFieldsWithRepeatedIds = 5000

  /** Maximum nesting depth. Deeper schemas are rejected to avoid a stack overflow. */
  private val maxDepth = 256

  /** Returns the schema as one message.
    *
    * @param schema all fields have ids
    */
  def toMessage(schema: Schema): proto.Schema = {
    val message = proto.Schema.newBuilder().addAllFields(toMessages(schema).asJava)
    message.addAllMetadata(MapEntries.ofBytes(sorted(schema.metadata))).build()
  }

  /** Returns the schema in the form of a file descriptor, in which version 2 blobs are stored as
    * structs with their descriptors.
    */
  def toFileMessage(schema: Schema): proto.Schema =
    toMessage(schema.copy(fields = schema.fields.map(asStored)))

  private def asStored(field: Field): Field =
    if (field.isBlobV2) {
      val stored = BlobField.descriptor(field)
      stored.copy(
        children = stored.children.map(_.copy(nullable = false)),
        metadata = Map("lance-encoding:packed" -> "true", BlobField.Marker -> "true")
      )
    } else if (field.children.isEmpty) field
    else field.copy(children = field.children.map(asStored))

  /** Sorts entries by key, so that equal schemas have equal bytes. */
  private def sorted(metadata: Map[String, String]): Seq[(String, String)] =
    metadata.toSeq.sortBy(_._1)

  /** Returns the fields alone, in the form of a manifest. */
  def toMessages(schema: Schema): IndexedSeq[proto.Field] =
    schema.fields.flatMap(toMessages(_, parentId = Field.Unassigned))

  private def toMessages(field: Field, parentId: Int): IndexedSeq[proto.Field] = {
    val message = proto.Field
      .newBuilder()
      .setName(field.name)
      .setId(field.id)
      .setParentId(parentId)
      .setLogicalType(LogicalType.text(field.logicalType))
      .setNullable(field.nullable)
      .setEncoding(legacyEncoding(field.logicalType))
      .setExtensionName(field.metadata.getOrElse(extensionName, ""))
      .setUnenforcedPrimaryKey(field.unenforcedPrimaryKey.isDefined)
      .setUnenforcedPrimaryKeyPosition(field.unenforcedPrimaryKey.getOrElse(0))
      .setUnenforcedClusteringKeyPosition(field.unenforcedClusteringKey.getOrElse(0))
      .addAllMetadata(MapEntries.ofBytes(sorted(field.metadata)))
    field.logicalType match {
      // An empty message, but at least releases up to 0.30 fail without it.
      case _: LogicalType.Dictionary => message.setDictionary(proto.Dictionary.getDefaultInstance)
      case _ => ()
    }
    // The members of a blob descriptor have neither ids nor parents.
    message.build() +: field.children.flatMap { child =>
      toMessages(child, if (child.id == Field.Unassigned) Field.Unassigned else field.id)
    }
  }

  /** Returns the encoding of the field. Only legacy files use it, but all writers set it. */
  private def legacyEncoding(logicalType: LogicalType): proto.Encoding = {
    import LogicalType._
    logicalType match {
      case Null | Struct | FixedSizeList(Struct, _) => proto.Encoding.NONE
      case Utf8(_) | Binary(_) | Json | Blob => proto.Encoding.VAR_BINARY
      case _: Dictionary => proto.Encoding.DICTIONARY
      case _ => proto.Encoding.PLAIN
    }
  }

  /** Reads a schema in the form of a file descriptor. */
  def toSchema(message: proto.Schema): Schema =
    toSchema(message.getFieldsList.asScala, MapEntries.bytes(message.getMetadataList))

  /** Reads a schema in the form of a manifest.
    *
    * @throws CorruptFileException if the list is not a tree, or has more than [[MaxFields]] fields
    * @throws UnsupportedFeatureException for a logical type that the format does not define
    */
  def toSchema(
      fields: collection.Seq[proto.Field],
      metadata: collection.Map[String, ByteString]
  ): Schema = {
    checkCount(fields.length.toLong)
    val tree = new Tree(fields.toIndexedSeq)
    Schema(tree.roots.map(tree.field(_, 1)), text(metadata))
  }

  /** Checks the number of fields.
    *
    * @throws CorruptFileException if the schema has too many fields
    */
  private[pysparklance] def checkCount(fields: Long): Unit = CorruptFileException.check(
    fields <= MaxFields,
    s"corrupt schema: $fields fields, more than $MaxFields"
  )

  private def text(metadata: collection.Map[String, ByteString]): Map[String, String] =
    metadata.iterator.map { case (k, v) => k -> v.toStringUtf8 }.toMap

  /** The parents of fields, by position in the list, because old manifests repeat ids. */
  final private class Tree(messages: IndexedSeq[proto.Field]) {
    private val children = IndexedSeq.fill(messages.length)(mutable.ArrayBuffer.empty[Int])
    private val rootsSoFar = mutable.ArrayBuffer.empty[Int]
    private val firstWithId = mutable.HashMap.empty[Int, Int]
    private val repeatedIds = mutable.HashSet.empty[Int]

    messages.indices.foreach { i =>
      val m = messages(i)
      parentOf(i) match {
        case None => rootsSoFar += i
        case Some(parent) => children(parent) += i
      }
      if (firstWithId.contains(m.getId)) repeatedIds += m.getId
      else firstWithId(m.getId) = i
    }

    def roots: IndexedSeq[Int] = rootsSoFar.toIndexedSeq

    private def parentOf(i: Int): Option[Int] = {
      val m = messages(i)
      if (m.getParentId == Field.Unassigned) blobDescriptor(i)
      else
        firstWithId.get(m.getParentId) match {
          case Some(_) if repeatedIds(m.getParentId) =>
            CorruptFileException.check(
              messages.length <= maxFieldsWithRepeatedIds,
              s"corrupt schema: repeated field id ${m.getParentId} among ${messages.length} fields"
            )
            firstInTree(m.getParentId)
          case Some(parent) => Some(parent)
          case None =>
            throw new CorruptFileException(
              s"parent ${m.getParentId} of field ${m.getId} does not precede it",
              Place(column = Some(m.getName))
            )
        }
    }

    /** Returns the parent of a blob v2 descriptor's member. In data files, these have no ids and
      * follow their struct.
      */
    private def blobDescriptor(i: Int): Option[Int] =
      if (messages(i).getId != Field.Unassigned) None
      else
        rootsSoFar.lastOption.filter { root =>
          val metadata = MapEntries.bytes(messages(root).getMetadataList)
          metadata.contains("lance-encoding:blob") && metadata.contains("lance-encoding:packed")
        }

    private def firstInTree(id: Int): Option[Int] = {
      var toVisit = rootsSoFar.toList
      var found = Option.empty[Int]
      while (found.isEmpty && toVisit.nonEmpty) {
        val i = toVisit.head
        if (messages(i).getId == id) found = Some(i)
        else toVisit = children(i).toList ::: toVisit.tail
      }
      found
    }

    def field(i: Int, depth: Int): Field = {
      val m = messages(i)
      if (depth > maxDepth)
        throw new UnsupportedFeatureException(
          s"a schema with more than $maxDepth levels of nesting"
        )
      Place.in(Place(column = Some(m.getName))) {
        val extension = Option(m.getExtensionName).filter(_.nonEmpty).map(extensionName -> _)
        val field = Field(
          id = m.getId,
          name = m.getName,
          logicalType = LogicalType.parse(m.getLogicalType),
          nullable = m.getNullable,
          children = children(i).iterator.map(this.field(_, depth + 1)).toIndexedSeq,
          metadata = text(MapEntries.bytes(m.getMetadataList)) ++ extension,
          unenforcedPrimaryKey =
            if (m.getUnenforcedPrimaryKeyPosition != 0) Some(m.getUnenforcedPrimaryKeyPosition)
            else if (m.getUnenforcedPrimaryKey) Some(0)
            else None,
          unenforcedClusteringKey = Some(m.getUnenforcedClusteringKeyPosition).filter(_ != 0)
        )
        checkChildren(field)
        field
      }
    }

    private def checkChildren(field: Field): Unit = {
      import LogicalType._
      val n = field.children.length
      def check(expected: Boolean, words: String): Unit =
        CorruptFileException.check(
          expected,
          s"a field of type ${LogicalType.text(field.logicalType)} has $n children, expected $words"
        )
      field.logicalType match {
        case _ if field.isBlob => ()
        case Struct => ()
        case _: List | FixedSizeList(Struct, _) => check(n == 1, "1")
        case Map =>
          check(n == 1 && field.children.head.children.length == 2, "1 with a key and a value")
        case _ => check(n == 0, "none")
      }
    }
  }
}

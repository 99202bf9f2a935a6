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

/** A schema as manifests and data files hold it: a flat list of fields, depth first, parents before children.
  *
  * Source: messages `lance.file.Schema` and `lance.file.Field`; format page of the table, "Schema".
  */
object FieldMessages {

  private val extensionName = "ARROW:extension:name"

  /** Fields of a schema at all depths, at most. */
  val MaxFields: Int = 100000

  /** Fields of a schema that repeats ids, at most: each child of such a field takes a search through the fields before. */
  private val maxFieldsWithRepeatedIds = 5000

  /** Fields below one another; deeper schemas are refused rather than overflowing a stack. */
  private val maxDepth = 256

  /** The schema as one message.
    *
    * @param schema every field has its id
    */
  def toMessage(schema: Schema): proto.Schema = {
    val message = proto.Schema.newBuilder().addAllFields(toMessages(schema).asJava)
    message.addAllMetadata(MapEntries.ofBytes(sorted(schema.metadata))).build()
  }

  /** The form of a data file's descriptor: blobs of version 2 are the structs that describe them. */
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

  /** In the order of the keys, so that equal schemas make equal bytes. */
  private def sorted(metadata: Map[String, String]): Seq[(String, String)] =
    metadata.toSeq.sortBy(_._1)

  /** The fields alone, the form of a manifest. */
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
      // nothing in it, yet releases up to 0.30 at least fail without it
      case _: LogicalType.Dictionary => message.setDictionary(proto.Dictionary.getDefaultInstance)
      case _ => ()
    }
    // the members of a blob's descriptor have no ids, nor parents
    message.build() +: field.children.flatMap { child =>
      toMessages(child, if (child.id == Field.Unassigned) Field.Unassigned else field.id)
    }
  }

  /** Only legacy files go by it, yet every writer fills it in. */
  private def legacyEncoding(logicalType: LogicalType): proto.Encoding = {
    import LogicalType._
    logicalType match {
      case Null | Struct | FixedSizeList(Struct, _) => proto.Encoding.NONE
      case Utf8(_) | Binary(_) | Json | Blob => proto.Encoding.VAR_BINARY
      case _: Dictionary => proto.Encoding.DICTIONARY
      case _ => proto.Encoding.PLAIN
    }
  }

  /** Reads the descriptor's form. */
  def toSchema(message: proto.Schema): Schema =
    toSchema(message.getFieldsList.asScala, MapEntries.bytes(message.getMetadataList))

  /** Reads the manifest's form.
    *
    * @throws CorruptFileException when the list is no tree, or has more than [[MaxFields]] fields
    * @throws UnsupportedFeatureException for a logical type the format does not define
    */
  def toSchema(
      fields: collection.Seq[proto.Field],
      metadata: collection.Map[String, ByteString]
  ): Schema = {
    checkCount(fields.length.toLong)
    val tree = new Tree(fields.toIndexedSeq)
    Schema(tree.roots.map(tree.field(_, 1)), text(metadata))
  }

  /** @throws CorruptFileException if the schema has too many fields */
  private[pysparklance] def checkCount(fields: Long): Unit = CorruptFileException.check(
    fields <= MaxFields,
    s"corrupt schema: $fields fields, more than $MaxFields"
  )

  private def text(metadata: collection.Map[String, ByteString]): Map[String, String] =
    metadata.iterator.map { case (k, v) => k -> v.toStringUtf8 }.toMap

  /** Who is whose child, by position in the list, since old manifests repeat ids. */
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
              s"corrupt schema: several of ${messages.length} fields have the id ${m.getParentId}"
            )
            firstInTree(m.getParentId)
          case Some(parent) => Some(parent)
          case None =>
            throw new CorruptFileException(
              s"field ${m.getId} names parent ${m.getParentId}, which does not come before it",
              Place(column = Some(m.getName))
            )
        }
    }

    /** In data files the members of a blob v2 descriptor have no ids and follow their struct. */
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
          s"a field of type ${LogicalType.text(field.logicalType)} with $n children, expected $words"
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

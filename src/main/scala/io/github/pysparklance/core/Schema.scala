// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** A field of a table's schema with its children.
  *
  * Source: messages `lance.file.Field` and `lance.file.Schema`; format page of the table, "Schema".
  *
  * @param id unique in the schema, at least 0; [[Field.Unassigned]] before a table assigns one
  * @param name the field's own name, not a path
  * @param nullable whether the schema allows nulls
  * @param children list item, struct members, or map entries; a fixed-size list has a child only if
  *   its items are structs
  * @param metadata Arrow field metadata, UTF-8
  * @param unenforcedPrimaryKey 1-based position in the primary key; 0 orders the key by field id
  */
final case class Field(
    id: Int,
    name: String,
    logicalType: LogicalType,
    nullable: Boolean,
    children: IndexedSeq[Field] = IndexedSeq.empty,
    metadata: Map[String, String] = Map.empty,
    unenforcedPrimaryKey: Option[Int] = None,
    unenforcedClusteringKey: Option[Int] = None
) {

  /** Whether the metadata stores the whole struct as one column of the file. */
  def isPacked: Boolean =
    logicalType == LogicalType.Struct &&
      Seq("packed", "lance-encoding:packed").flatMap(metadata.get).headOption.exists(Field.isTrue)

  /** Whether values are stored outside the pages: a legacy blob, by marker or type, or a blob v2.
    */
  def isBlob: Boolean =
    metadata.contains(BlobField.Marker) || isBlobV2 || logicalType == LogicalType.Blob

  /** Whether the field is a blob v2. Files store a descriptor struct of five members for it,
    * whatever children the schema declares.
    */
  def isBlobV2: Boolean = extensionName.contains("lance.blob.v2")

  /** Whether the field contains JSON in binary format. */
  def isJson: Boolean = logicalType match {
    case LogicalType.Json => true
    case LogicalType.Binary(_) => extensionName.contains("lance.json")
    case _ => false
  }

  /** Name of the Arrow extension type, if any. */
  def extensionName: Option[String] = metadata.get("ARROW:extension:name")

  /** Whether the field is a struct without members. */
  def isEmptyStruct: Boolean = logicalType == LogicalType.Struct && children.isEmpty && !isBlob

  /** Whether the field owns a column in data files since version 2.1. */
  def isLeaf: Boolean = children.isEmpty || isPacked || isBlob

  /** The fields that own columns, depth first; the field itself if it is a leaf. */
  def leaves: IndexedSeq[Field] = if (isLeaf) IndexedSeq(this) else children.flatMap(_.leaves)

  /** This field and all fields below it, depth first. */
  def flatten: IndexedSeq[Field] = this +: children.flatMap(_.flatten)

  /** The type of the values in the column of this leaf.
    *
    * @throws UnsupportedFeatureException if the type has no layout in memory
    */
  def valueType: ValueType =
    if (isBlob) PackedStructType(BlobField.descriptor(this).children.map(_.valueType))
    else if (isPacked) PackedStructType(children.map(_.valueType))
    else Field.valueType(logicalType)
}

object Field {
  val Unassigned: Int = -1

  private val trueWords = Set("1", "true", "on", "yes", "y")
  private def isTrue(s: String): Boolean = trueWords(s.toLowerCase(java.util.Locale.ROOT))

  private def valueType(t: LogicalType): ValueType = {
    import LogicalType._
    t match {
      case Null => FixedWidth(8)
      case Bool => FixedWidth(1)
      case Integer(bits, _) => FixedWidth(bits)
      case HalfFloat => FixedWidth(16)
      case BFloat16 => FixedWidth(16)
      case Float | Date32 => FixedWidth(32)
      case Double | Date64 | Timestamp(_, _) | Duration(_) => FixedWidth(64)
      case Time(bits, _) => FixedWidth(bits)
      case Decimal(bits, _, _) => FixedWidth(bits)
      case FixedSizeBinary(n) => FixedWidth(n * 8)
      case Utf8(large) => VariableWidth(if (large) 64 else 32)
      case Binary(large) => VariableWidth(if (large) 64 else 32)
      case FixedSizeList(Struct, _) =>
        throw new UnsupportedFeatureException("fixed-size list of struct")
      case FixedSizeList(item, dimension) => FixedSizeListType(dimension, valueType(item))
      case Dictionary(value, _, _) => valueType(value)
      case Json | Blob => VariableWidth(64)
      case Struct => FixedWidth(8) // without members: a page of nulls that is never decoded
      case List(_, _) | Map => throw new UnsupportedFeatureException("list or map as a leaf")
    }
  }
}

/** The columns of a table, in order.
  *
  * @param metadata Arrow schema metadata, UTF-8
  */
final case class Schema(fields: IndexedSeq[Field], metadata: Map[String, String] = Map.empty) {

  /** All fields at any depth, depth first. */
  def flatten: IndexedSeq[Field] = fields.flatMap(_.flatten)

  /** The path of every field at every depth, from its top-level field to the field itself. */
  @transient lazy val ways: IndexedSeq[IndexedSeq[Field]] = {
    def below(way: IndexedSeq[Field]): IndexedSeq[IndexedSeq[Field]] =
      way +: way.last.children.flatMap(c => below(way :+ c))
    fields.flatMap(f => below(IndexedSeq(f)))
  }

  /** Returns the path of the field with an id. */
  def way(id: Int): Option[IndexedSeq[Field]] = ways.find(_.last.id == id)

  def field(name: String): Option[Field] = fields.find(_.name == name)

  def byId(id: Int): Option[Field] = flatten.find(_.id == id)

  /** Returns the ids with the ids of all ancestors and descendants: the fields whose values change
    * together.
    */
  def related(ids: Set[Int]): Set[Int] = {
    def found(f: Field): Set[Int] =
      if (ids(f.id)) f.flatten.iterator.map(_.id).toSet
      else {
        val below = f.children.iterator.flatMap(found).toSet
        if (below.isEmpty) below else below + f.id
      }
    ids ++ fields.iterator.flatMap(found)
  }

  def maxFieldId: Int = flatten.map(_.id).reduceOption(_ max _).getOrElse(Field.Unassigned)

  /** Returns the schema with ids 0, 1, 2, … assigned depth first, as in a new table. */
  def withFreshIds: Schema = {
    var next = -1
    def number(f: Field): Field = {
      next += 1
      val id = next
      f.copy(id = id, children = f.children.map(number))
    }
    copy(fields = fields.map(number))
  }
}

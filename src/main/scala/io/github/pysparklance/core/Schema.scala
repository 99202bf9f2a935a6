// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** A field of a table's schema with the fields below it.
  *
  * Source: messages `lance.file.Field` and `lance.file.Schema`; format page of the table, "Schema".
  *
  * @param id unique in the schema, at least 0; [[Field.Unassigned]] before a table gave it one
  * @param name the field's own name, not a path
  * @param nullable whether the schema allows nulls; files may hold none all the same
  * @param children list item, struct members, map entries; a fixed-size list has one only over structs
  * @param metadata Arrow field metadata, UTF-8
  * @param unenforcedPrimaryKey position in the key from 1, 0 when the position is left to the field id
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

  /** Metadata that makes the whole struct one column of the file. */
  def isPacked: Boolean =
    logicalType == LogicalType.Struct &&
      Seq("packed", "lance-encoding:packed").flatMap(metadata.get).headOption.exists(Field.isTrue)

  /** Values kept outside the pages, by the legacy marker or type or as blob v2. */
  def isBlob: Boolean =
    metadata.contains(BlobField.Marker) || isBlobV2 || logicalType == LogicalType.Blob

  /** Values that files describe with a struct of five, whatever children the schema has for writers. */
  def isBlobV2: Boolean = extensionName.contains("lance.blob.v2")

  /** The Arrow extension type over this field's storage. */
  def extensionName: Option[String] = metadata.get("ARROW:extension:name")

  /** A struct without members: its column says nothing. */
  def isEmptyStruct: Boolean = logicalType == LogicalType.Struct && children.isEmpty && !isBlob

  /** Whether the field owns a column in data files of version 2.1 and later. */
  def isLeaf: Boolean = children.isEmpty || isPacked || isBlob

  /** The fields that own columns, depth first; itself when it is a leaf. */
  def leaves: IndexedSeq[Field] = if (isLeaf) IndexedSeq(this) else children.flatMap(_.leaves)

  /** This field and all below it, depth first. */
  def flatten: IndexedSeq[Field] = this +: children.flatMap(_.flatten)

  /** The shape of the values that the column of this leaf holds.
    *
    * @throws UnsupportedFeatureException when no layout for the type is built
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
      case Struct => FixedWidth(8) // without members: a page of nulls that nobody looks at
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

  /** The way to each field, at all depths: from its column down to itself. */
  def ways: IndexedSeq[IndexedSeq[Field]] = {
    def below(way: IndexedSeq[Field]): IndexedSeq[IndexedSeq[Field]] =
      way +: way.last.children.flatMap(c => below(way :+ c))
    fields.flatMap(f => below(IndexedSeq(f)))
  }

  def field(name: String): Option[Field] = fields.find(_.name == name)

  def byId(id: Int): Option[Field] = flatten.find(_.id == id)

  /** These ids with those of all fields above and below them: the fields whose values change with theirs. */
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

  /** The same schema with ids 0, 1, 2... depth first, as a new table has them. */
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

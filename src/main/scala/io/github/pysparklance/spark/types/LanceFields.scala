// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types._

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType, Place, Schema}
import io.github.pysparklance.spark.shim.SparkShim

/** Converts Spark columns to the schema of a new table. Types are the same as for Arrow types in
  * pylance, unless column options request others.
  *
  * List items are named `item` in Lance. Properties can also use Spark's name `element`.
  *
  * Source: format page of the table, "Logical types".
  */
object LanceFields {

  /** Returns the schema of a new table, with field ids.
    *
    * @param properties table properties, including column options
    * @throws io.github.pysparklance.core.UnsupportedFeatureException that names the first column
    *   whose type is not supported
    * @throws InvalidRequestException if a property names an unknown column, or contradicts the type
    *   of its column
    */
  def schema(columns: StructType, properties: Map[String, String] = Map.empty): Schema =
    schema(columns, ColumnOptions(properties))

  /** Returns the schema for merged column options. */
  private[spark] def schema(columns: StructType, columnOptions: ColumnOptions): Schema = {
    columns.groupBy(_.name).find(_._2.length > 1).foreach { case (name, _) =>
      throw new InvalidRequestException(s"""two columns are named "$name"""")
    }
    columnOptions.checkMembers(columns.fieldNames.toIndexedSeq, "")
    // Restores CHAR and VARCHAR, which Spark replaces by strings with metadata.
    val declared = CharVarcharUtils.getRawSchema(columns)
    Schema(declared.fields.toIndexedSeq.map(column(_, columnOptions, ""))).withFreshIds
  }

  private def column(c: StructField, above: ColumnOptions, parent: String): Field = {
    val path = if (parent.isEmpty) c.name else s"$parent.${c.name}"
    Place.in(Place(column = Some(path))) {
      val columnOptions = ColumnOptions(c.metadata) ++ above.member(c.name)
      val made = field(c.name, c.dataType, c.nullable, columnOptions, path)
      val extra =
        c.getComment().map("comment" -> _).toMap ++ ShownMetadata.defaults(c.metadata)
      TableKeys.in(made.copy(metadata = made.metadata ++ extra), c.metadata)
    }
  }

  private def field(
      name: String,
      dataType: DataType,
      nullable: Boolean,
      columnOptions: ColumnOptions,
      path: String
  ): Field = Place.in(Place(column = Some(path))) {
    def made(t: LogicalType, children: IndexedSeq[Field] = IndexedSeq.empty): Field =
      Field(Field.Unassigned, name, t, nullable, children)
    def checked(names: String*): Unit = columnOptions.checkMembers(names, path)
    val request = TypeRequest(columnOptions.values)
    val stored = dataType match {
      case StructType(columns) =>
        checked(columns.toIndexedSeq.map(_.name): _*)
        request.checkNone(dataType)
        made(LogicalType.Struct, columns.toIndexedSeq.map(column(_, columnOptions, path)))
      case ArrayType(item, _) if request.dimension.isDefined =>
        checked(itemNames: _*)
        fixedSizeList(made(LogicalType.Null), item, request, columnOptions, path)
      case ArrayType(item, containsNull) =>
        checked(itemNames: _*)
        val child =
          field("item", item, containsNull, columnOptions.member(itemNames: _*), s"$path.item")
        made(request.listOf(child.logicalType, dataType), IndexedSeq(child))
      case MapType(key, value, valueContainsNull) =>
        checked("key", "value")
        request.checkNone(dataType)
        val members = IndexedSeq(
          field("key", key, nullable = false, columnOptions.member("key"), s"$path.key"),
          field("value", value, valueContainsNull, columnOptions.member("value"), s"$path.value")
        )
        val struct = made(LogicalType.Struct, members).copy(name = "entries", nullable = false)
        made(LogicalType.Map, IndexedSeq(struct))
      case udt: UserDefinedType[_] =>
        field(name, udt.sqlType, nullable, columnOptions, path)
      case t if SparkShim.isVariant(t) =>
        checked()
        request.checkNone(dataType)
        made(LogicalType.Struct, KeptTypes.variantMembers)
      case leaf =>
        checked()
        BlobFields(made(LogicalType.Null), leaf, columnOptions.values).getOrElse {
          val t = request.leaf(leaf)
          made(LeafTypes.stored(t)).copy(metadata = LeafTypes.extension(t))
        }
    }
    // The extension type of the items of a fixed-size list is part of the type of the list.
    val ofItems =
      if (request.dimension.isDefined) columnOptions.fieldMetadata -- ColumnOptionKeys.extensions
      else columnOptions.fieldMetadata
    stored.copy(metadata = ofItems ++ stored.metadata ++ KeptTypes.metadata(dataType))
  }

  private[types] val itemNames: Seq[String] = Seq("element", "item")

  /** Returns a fixed-size list. The item type is part of its type; only structs have a child field.
    */
  private def fixedSizeList(
      list: Field,
      item: DataType,
      request: TypeRequest,
      columnOptions: ColumnOptions,
      path: String
  ): Field = {
    val dimension = request.dimension.get
    val below = columnOptions.member(itemNames: _*)
    item match {
      case _: StructType =>
        val child = field("item", item, nullable = true, below, s"$path.item")
        val t = LogicalType.FixedSizeList(LogicalType.Struct, dimension)
        list.copy(logicalType = t, children = IndexedSeq(child))
      case _ =>
        if (below.fieldMetadata.nonEmpty)
          throw new InvalidRequestException(
            s"${below.fieldMetadata.keys.min} is set for the items of a fixed-size list, which have no field of " +
              "their own; set it for the column"
          )
        list.copy(
          logicalType =
            LogicalType.FixedSizeList(itemType(item, request.ofItems, below, path), dimension),
          metadata = KeptTypes.metadata(innermost(item))
        )
    }
  }

  private def itemType(
      item: DataType,
      outer: TypeRequest,
      columnOptions: ColumnOptions,
      path: String
  ): LogicalType = {
    val request = outer.orElse(TypeRequest(columnOptions.values))
    item match {
      case ArrayType(inner, _) if request.dimension.isDefined =>
        columnOptions.checkMembers(itemNames, path)
        val below = columnOptions.member(itemNames: _*)
        LogicalType.FixedSizeList(
          itemType(inner, request.ofItems, below, path),
          request.dimension.get
        )
      case _ =>
        columnOptions.checkMembers(Nil, path)
        LeafTypes.default(item).filter(LeafTypes.isFixedWidth) match {
          case Some(_) => request.leaf(item)
          case None =>
            throw new InvalidRequestException(
              s"${ColumnOptionKeys.FixedSizeListSize} is set for an array of ${item.sql}, " +
                "an array of numbers is expected"
            )
        }
    }
  }

  private def innermost(t: DataType): DataType = t match {
    case ArrayType(item, _) => innermost(item)
    case other => other
  }
}

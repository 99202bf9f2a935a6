// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.alter

import scala.util.Try

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{CharType, DataType, StructField, StructType, VarcharType}

import io.github.pysparklance.core.{
  Column,
  Field,
  InvalidRequestException,
  LogicalType,
  NullColumn,
  Place,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.spark.commit.CommitInfo
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.jobs.{JobTable, SchemaJob}
import io.github.pysparklance.spark.shim.{DefaultValues, SparkShim, TableConstraint}
import io.github.pysparklance.spark.types.{
  ColumnOptions,
  KeptTypes,
  LanceFields,
  SparkTypes,
  StoredRules,
  TableKeys
}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.schema.SchemaChange.Position
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange, SchemaChanges, TypeChange}

/** Changes of columns at any depth: `s.a` is a member of a struct, `l.element` the items of a list,
  * `m.key` and `m.value` the entries of a map.
  *
  * {{{
  *   ADD COLUMN, DROP COLUMN, RENAME COLUMN, ALTER COLUMN … COMMENT | FIRST | AFTER     the manifest alone
  *   ALTER COLUMN … DROP NOT NULL                                                       the manifest alone
  *   ADD COLUMN … DEFAULT, ALTER COLUMN … TYPE
  *                                     new files with this column, written by a job; the others stay
  * }}}
  *
  * @param location where the table is
  * @param table the latest version
  * @param name name of the table, for messages
  */
final private[alter] class ColumnChanges(
    location: TableLocation,
    table: LanceTable,
    name: String
) {

  /** Makes the changes in their order, as one version. */
  def apply(changes: Seq[ColumnChange]): LanceTable = {
    val made = planned(changes)
    if (made.isEmpty) table
    else {
      val values = nulls(made) ++ ColumnDefaults.values(made, changes)
      SchemaJob.run(
        JobTable(SparkSession.active, location, table),
        made,
        values,
        CommitInfo.by("ALTER TABLE")
      )
    }
  }

  /** Translates Spark's changes to changes of the table's schema, in order. Changes nothing. */
  def planned(changes: Seq[ColumnChange]): Seq[SchemaChange] =
    changes.foldLeft(Vector.empty[SchemaChange]) { (before, change) =>
      before ++ schemaChanges(change, before)
    }

  /** Whether a field can get a type of Spark's in which each of its values is the same. */
  def canWiden(path: FieldPath, t: DataType): Boolean =
    try retyped(path, t, Nil).keepsValues
    catch { case _: UnsupportedFeatureException => false }

  /** If all columns are dropped, a file of nulls must be written, because a fragment without files
    * has no row count.
    */
  private def nulls(made: Seq[SchemaChange]): Map[String, Column] = {
    val dropped = made.collect { case SchemaChange.Drop(path) if path.parent.isRoot => path.name }
    if (table.schema.fields.exists(f => !dropped.contains(f.name))) Map.empty
    else
      made.collect {
        case SchemaChange.Add(parent, field, _) if parent.isRoot => field.name -> NullColumn(1)
      }.toMap
  }

  private def schemaChanges(
      change: ColumnChange,
      before: Seq[SchemaChange]
  ): Seq[SchemaChange] = {
    val path = FieldPath(change.fieldNames().toIndexedSeq)
    change match {
      case _: RenameColumn => checkUnused(path)
      case _: DeleteColumn =>
        checkUnused(path)
        find(path, before).foreach(checkNoKey(path, _))
      case _ => ()
    }
    change match {
      case c: AddColumn =>
        Seq(SchemaChange.Add(path.parent, newField(path, c), position(c.position())))
      case c: RenameColumn => Seq(SchemaChange.Rename(path, c.newName()))
      case c: DeleteColumn =>
        if (c.ifExists() && find(path, before).isEmpty) Nil else Seq(SchemaChange.Drop(path))
      case c: UpdateColumnNullability => Seq(SchemaChange.SetNullable(path, c.nullable()))
      case c: UpdateColumnPosition => Seq(SchemaChange.Move(path, position(c.position())))
      case c: UpdateColumnComment =>
        metadata(path, ColumnChanges.comment -> Option(c.newComment()))
      case c: UpdateColumnType => retype(path, c.newDataType(), before)
      case c: UpdateColumnDefaultValue =>
        val default = DefaultValues.updated(c)
        default.foreach(StoredRules.checkDefault)
        metadata(path, SparkShim.currentDefault -> default)
      case other => throw new InvalidRequestException(s"the change of a column $other")
    }
  }

  /** A CHECK constraint would fail every write if it lost a column. */
  private def checkUnused(path: FieldPath): Unit = {
    val resolve = SQLConf.get.resolver
    def isUsed(column: Seq[String]) = column.length >= path.names.length &&
      column.zip(path.names).forall { case (used, name) => resolve(used, name) }
    TableConstraint.checks(table.manifest.config).find(_.columns.exists(isUsed)).foreach { c =>
      throw new InvalidRequestException(
        s"the column is part of the constraint ${c.name}, CHECK (${c.sql}); drop the constraint first",
        Place(path = Some(table.path), column = Some(path.toString))
      )
    }
  }

  /** The key would lose a column without a word, and the format has no statement that gives it
    * another one.
    */
  private def checkNoKey(path: FieldPath, field: Field): Unit = {
    def reject(key: String, columns: Seq[String]): Unit =
      throw new InvalidRequestException(
        s"the column is part of the $key key (${columns.mkString(", ")}), and the format does not allow " +
          "a key to change; CREATE OR REPLACE TABLE … AS SELECT makes a table without it",
        Place(path = Some(table.path), column = Some(path.toString))
      )
    if (field.flatten.exists(_.unenforcedPrimaryKey.isDefined))
      reject("primary", TableKeys.primaryKey(table.schema))
    if (field.flatten.exists(_.unenforcedClusteringKey.isDefined))
      reject("clustering", TableKeys.clusteringKey(table.schema).map(_.map(_.name).mkString(".")))
  }

  private def metadata(path: FieldPath, entry: (String, Option[String])): Seq[SchemaChange] =
    Seq(SchemaChange.SetMetadata(path, Map(entry)))

  private def newField(path: FieldPath, c: AddColumn): Field = {
    val plain = StructField(path.name, c.dataType(), c.isNullable)
    val column = Option(c.comment()).fold(plain)(plain.withComment)
    val field = ColumnChanges.field(column, declared.at(path.names))
    field.copy(metadata = field.metadata ++ ColumnDefaults.metadata(path, c))
  }

  /** Options that SET TBLPROPERTIES declared for future columns. */
  private lazy val declared: ColumnOptions =
    ColumnOptions.declared(table.manifest.config, table.schema.fields)

  private def position(p: TableChange.ColumnPosition): Position = p match {
    case after: TableChange.After => Position.After(after.column())
    case _: TableChange.First => Position.First
    case _ => Position.Last
  }

  /** A field that is to get another type.
    *
    * @param target the field's path; that of the list, for the items of a fixed-size list
    * @param shown the type that Spark sees, where it has one
    * @param kept what the field's metadata keep of the new type
    */
  private case class Retyped(
      target: FieldPath,
      field: Field,
      shown: Option[DataType],
      wanted: DataType,
      logicalType: LogicalType,
      kept: Option[String]
  ) {

    /** Whether no value is cut, rounded or too long afterwards. */
    def keepsValues: Boolean = TypeChange.keepsValues(field.logicalType, logicalType) &&
      ColumnChanges.maxLength(wanted).forall { n =>
        shown.flatMap(ColumnChanges.maxLength).exists(_ <= n)
      }
  }

  private def retyped(path: FieldPath, t: DataType, before: Seq[SchemaChange]): Retyped = {
    val ofItems = if (path.parent.isRoot) None else fixedSizeList(path, before)
    val (target, field) = ofItems match {
      case Some(list) => path.parent -> list
      case None => path -> path.find(schema(before)).last
    }
    val wanted = ColumnChanges.field(StructField(path.name, t))
    val logicalType = (ofItems.map(_.logicalType), wanted.logicalType) match {
      case (Some(LogicalType.FixedSizeList(_, n)), item) => LogicalType.FixedSizeList(item, n)
      case (_, plain) => plain
    }
    val shown =
      if (ofItems.isDefined) None else Try(SparkTypes.dataType(field)).toOption
    Retyped(target, field, shown, t, logicalType, wanted.metadata.get(KeptTypes.Key))
  }

  private def retype(path: FieldPath, t: DataType, before: Seq[SchemaChange]): Seq[SchemaChange] = {
    val change = retyped(path, t, before)
    import change.{field, kept, logicalType, shown, target}
    if (shown.contains(t)) Nil
    else {
      if (!field.isBlob && !change.keepsValues) throw rejected(path, shown, field, t)
      SchemaChange.SetType(target, logicalType) +:
        (if (field.metadata.get(KeptTypes.Key) == kept) Nil
         else metadata(target, KeptTypes.Key -> kept))
    }
  }

  private def rejected(path: FieldPath, shown: Option[DataType], field: Field, t: DataType) =
    SparkShim.analysisException(
      "NOT_SUPPORTED_CHANGE_COLUMN",
      Map(
        "table" -> name,
        "originName" -> path.toString,
        "originType" -> shown.fold(LogicalType.text(field.logicalType))(_.sql),
        "newName" -> path.toString,
        "newType" -> t.sql
      ),
      null
    )

  /** The list, when the path names the items of one of fixed size: these have no field of their
    * own.
    */
  private def fixedSizeList(path: FieldPath, before: Seq[SchemaChange]): Option[Field] =
    find(path.parent, before).filter { f =>
      path.name == "element" && (f.logicalType match {
        case LogicalType.FixedSizeList(item, _) => item != LogicalType.Struct
        case _ => false
      })
    }

  private def find(path: FieldPath, before: Seq[SchemaChange]): Option[Field] =
    Try(path.find(schema(before))).toOption.map(_.last)

  /** The columns after the changes so far. */
  private def schema(before: Seq[SchemaChange]): Schema =
    if (before.isEmpty) table.schema
    else
      new SchemaChanges(table.schema, table.schema.maxFieldId, table.fileVersion)(before).schema
}

private object ColumnChanges {
  val comment = "comment"

  /** The longest string of a type; none where it is not bounded. */
  def maxLength(t: DataType): Option[Int] = t match {
    case char: CharType => Some(char.length)
    case varchar: VarcharType => Some(varchar.length)
    case _ => None
  }

  /** Returns the field that a new table would have for a Spark column. */
  def field(column: StructField, columnOptions: ColumnOptions = ColumnOptions.empty): Field =
    LanceFields
      .schema(StructType(Seq(column)), ColumnOptions(members = Map(column.name -> columnOptions)))
      .fields
      .head
}

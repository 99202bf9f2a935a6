// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.core.{Field, LanceException, LogicalType}
import io.github.pysparklance.spark.types.SparkTypes
import io.github.pysparklance.table.schema.FieldPath

/** Lists the fields of the schema of a version. */
private object ColumnsView
    extends MetadataView(
      "columns",
      "a column of the version, or a field of a column, parents first"
    ) {
  override type Entry = Located

  /** A field with its location in the schema. */
  final class Located(val field: Field, val parents: IndexedSeq[Field], val position: Int) {
    def path: String = FieldPath((parents :+ field).map(_.name)).toString
  }

  override val columns: Seq[ViewColumn[Located]] = Seq(
    ViewColumn[Located](
      "path",
      StringType,
      "path of names, starting with the column",
      nullable = false
    )(
      _.path
    ),
    ViewColumn[Located]("name", StringType, "name of the field", nullable = false)(_.field.name),
    ViewColumn[Located](
      "field_id",
      IntegerType,
      "id of the field, which never changes",
      nullable = false
    )(_.field.id),
    ViewColumn[Located]("parent_id", IntegerType, "id of the parent field; null for a column")(
      _.parents.lastOption.map(_.id)
    ),
    ViewColumn[Located](
      "position",
      IntegerType,
      "position among its siblings, from 0",
      nullable = false
    )(
      _.position
    ),
    ViewColumn[Located]("type", StringType, "Lance type", nullable = false)(l =>
      LogicalType.text(l.field.logicalType)
    ),
    ViewColumn[Located](
      "spark_type",
      StringType,
      "Spark type; null if Spark has no type for it"
    )(l => sparkType(l.field)),
    ViewColumn[Located](
      "is_nullable",
      BooleanType,
      "whether it can contain nulls",
      nullable = false
    )(
      _.field.nullable
    ),
    ViewColumn[Located](
      "primary_key_position",
      IntegerType,
      "position in the unenforced primary key, from 1; 0 if the order of the fields decides"
    )(_.field.unenforcedPrimaryKey),
    ViewColumn[Located](
      "clustering_key_position",
      IntegerType,
      "position in the unenforced clustering key"
    )(_.field.unenforcedClusteringKey),
    ViewColumn[Located](
      "metadata",
      MapType(StringType, StringType, valueContainsNull = false),
      "metadata of the field",
      nullable = false
    )(_.field.metadata)
  )

  private def sparkType(field: Field): Option[String] =
    try Some(SparkTypes.dataType(field).sql)
    catch { case _: LanceException => None }

  override def entries(source: MetadataSource): Iterator[Located] =
    below(IndexedSeq.empty, source.table.schema.fields)

  private def below(parents: IndexedSeq[Field], fields: IndexedSeq[Field]): Iterator[Located] =
    fields.iterator.zipWithIndex.flatMap { case (f, i) =>
      Iterator.single(new Located(f, parents, i)) ++ below(parents :+ f, f.children)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import scala.util.Try

import org.apache.spark.sql.catalyst.util.{quoteIfNeeded, quoteNameParts}
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference, Transform}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import io.github.pysparklance.core.{
  Field,
  InvalidRequestException,
  LogicalType,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.spark.shim.{ClusterKeys, TableConstraint}
import io.github.pysparklance.table.transaction.build.KeyRules.{ClusteringPosition, PrimaryPosition}

/** The keys of a table, which are field metadata and are not enforced. `PRIMARY KEY` has the
  * columns that identify rows. `CLUSTER BY`, or columns in `PARTITIONED BY`, have the columns by
  * which rows are clustered. Tables have no partitions.
  *
  * Source: format page of the table, "Keys" and "Reserved metadata keys".
  */
private[spark] object TableKeys {

  /** Returns the columns of a new table, with their positions in keys as metadata. Primary key
    * columns are not nullable.
    *
    * @param partitions partitions of the statement
    * @param properties table properties, with [[TableConstraint.PrimaryKeyColumns]]
    * @throws InvalidRequestException if a key column does not exist
    * @throws UnsupportedFeatureException if partitions are not columns
    */
  def declared(
      columns: StructType,
      partitions: Array[Transform],
      properties: Map[String, String]
  ): StructType = {
    val primary = TableConstraint.primaryKey(properties).map(Seq(_))
    val withPrimary = marked(columns, primary, PrimaryPosition, nullable = Some(false))
    marked(withPrimary, clustering(partitions), ClusteringPosition, nullable = None)
  }

  /** Returns the columns of partitions, as paths through structs. */
  def clustering(partitions: Array[Transform]): Seq[Seq[String]] = partitions.toSeq.flatMap { t =>
    t.name() match {
      case "identity" | "cluster_by" => t.references().toSeq.map(_.fieldNames().toSeq)
      case other =>
        throw new UnsupportedFeatureException(
          s"partitions by $other: Lance tables have no partitions; PARTITIONED BY and CLUSTER BY take columns"
        )
    }
  }

  /** The table property of a table that was created with `PARTITIONED BY`, which determines how its
    * clustering key is shown.
    */
  val Partitioned: String = "lance.spark.partitioned"

  /** Whether a table property describes keys. */
  def isProperty(name: String): Boolean = name == Partitioned || TableConstraint.isProperty(name)

  /** Returns the table properties to add for these partitions. */
  def properties(partitions: Array[Transform]): Map[String, String] =
    if (partitions.exists(_.name() == "identity")) Map(Partitioned -> "true") else Map.empty

  /** Returns the clustering key, as `PARTITIONED BY` or as `CLUSTER BY`, depending on the table.
    *
    * @param config table properties
    */
  def partitioning(schema: Schema, config: Map[String, String]): Array[Transform] = {
    val columns = keyColumns(schema)
    if (config.get(Partitioned).contains("true")) partitionColumns(schema)
    else if (columns.isEmpty) Array.empty
    else Array(ClusterKeys.transform(columns))
  }

  /** Returns the clustering key as partition columns, for the `PARTITION` clause of writes. */
  def partitionColumns(schema: Schema): Array[Transform] =
    keyColumns(schema).map(Expressions.identity(_)).toArray

  private def keyColumns(schema: Schema): Seq[String] =
    clusteringKey(schema).map(way => quoteNameParts(way.map(_.name)))

  /** Returns the paths of the fields of the clustering key, in key order. */
  def clusteringKey(schema: Schema): Seq[Seq[Field]] = ways(schema, _.unenforcedClusteringKey)

  /** Returns the names of the columns of the clustering key, in key order. Skips nested fields. */
  def clusteringColumns(schema: Schema): Seq[String] =
    clusteringKey(schema).collect { case Seq(column) => column.name }

  /** Returns the paths of the nested fields of the clustering key, in key order. Writes do
    * not replace rows by them.
    */
  def nestedClusteringFields(schema: Schema): Seq[String] =
    clusteringKey(schema).filter(_.length > 1).map(_.map(f => quoteIfNeeded(f.name)).mkString("."))

  /** Returns the names of the columns of the primary key, in key order. */
  def primaryKey(schema: Schema): Seq[String] =
    ways(schema, _.unenforcedPrimaryKey).map(_.map(_.name).mkString("."))

  /** Returns the field of a reference in a statement.
    *
    * @throws InvalidRequestException if it does not exist
    */
  def find(schema: Schema, reference: NamedReference): Field = {
    val names = reference.fieldNames().toSeq
    val resolve = SQLConf.get.resolver
    names.tail
      .foldLeft(schema.fields.find(f => resolve(f.name, names.head))) { (parent, name) =>
        parent
          .filter(_.logicalType == LogicalType.Struct)
          .flatMap(_.children.find(f => resolve(f.name, name)))
      }
      .getOrElse(throw missing(names))
  }

  /** Adds the key positions in the metadata of a column to its field. */
  private[types] def in(field: Field, metadata: Metadata): Field = {
    def position(key: String): Option[Int] =
      if (metadata.contains(key)) Try(metadata.getLong(key).toInt).toOption else None
    val primary = position(PrimaryPosition)
    val clustering = position(ClusteringPosition)
    field.copy(
      metadata = field.metadata ++
        primary.map(PrimaryPosition -> _.toString) ++
        clustering.map(ClusteringPosition -> _.toString),
      unenforcedPrimaryKey = primary,
      unenforcedClusteringKey = clustering
    )
  }

  private def ways(schema: Schema, position: Field => Option[Int]): Seq[Seq[Field]] = {
    def below(f: Field, parents: Seq[Field]): Seq[(Int, Int, Seq[Field])] = {
      val way = parents :+ f
      position(f).map(p => (p, f.id, way)).toSeq ++ f.children.flatMap(below(_, way))
    }
    schema.fields.flatMap(below(_, Nil)).sortBy(k => (k._1, k._2)).map(_._3)
  }

  private def marked(
      columns: StructType,
      key: Seq[Seq[String]],
      name: String,
      nullable: Option[Boolean]
  ): StructType = {
    key.diff(key.distinct).headOption.foreach { twice =>
      throw new InvalidRequestException(s"the column ${twice.mkString(".")} is twice in a key")
    }
    key.zipWithIndex.foldLeft(columns) { case (all, (path, i)) =>
      mark(all, path, path, nullable) { metadata =>
        new MetadataBuilder().withMetadata(metadata).putLong(name, i + 1L).build()
      }
    }
  }

  private def mark(
      columns: StructType,
      path: Seq[String],
      whole: Seq[String],
      nullable: Option[Boolean]
  )(change: Metadata => Metadata): StructType = {
    val at = columns.fieldNames.indexWhere(SQLConf.get.resolver(_, path.head))
    if (at < 0) throw missing(whole)
    val field = columns(at)
    val changed = (path.tail, field.dataType) match {
      case (Nil, _) =>
        field.copy(metadata = change(field.metadata), nullable = nullable.getOrElse(field.nullable))
      case (below, struct: StructType) =>
        field.copy(dataType = mark(struct, below, whole, nullable)(change))
      case _ => throw missing(whole)
    }
    StructType(columns.fields.updated(at, changed))
  }

  private def missing(path: Seq[String]): InvalidRequestException =
    new InvalidRequestException(
      s"a key names the column ${path.mkString(".")}, which does not exist"
    )
}

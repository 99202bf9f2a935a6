// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.alter

import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.connector.catalog.{TableCatalog, TableChange}
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{InvalidRequestException, Optional, Place}
import io.github.pysparklance.spark.commit.{CommitInfo, TableCommit}
import io.github.pysparklance.spark.shim.{ClusterByChange, Constraints, TableConstraint}
import io.github.pysparklance.spark.types.{
  ColumnOptions,
  SparkTypes,
  StoredRules,
  TableKeys,
  TypeOptions
}
import io.github.pysparklance.spark.write.TableProperties
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.transaction.build.KeyRules
import io.github.pysparklance.table.transaction.operation.{UpdateConfig, UpdateMap}

/** Changes the properties and keys of a table. Properties are stored in the manifest, including the
  * comment and CHECK constraints. Keys are stored in field metadata.
  *
  * @param table the latest version
  * @param name name of the table, for messages
  */
final private[alter] class PropertyChanges(table: LanceTable, name: String) {
  private val config = table.manifest.config

  /** Changes of properties, and of field metadata by field id. */
  private type Update = (Seq[(String, Option[String])], Map[Int, UpdateMap])

  /** Applies changes in order, and commits them as one version. */
  def apply(changes: Seq[TableChange]): LanceTable = {
    val none: Update = (Nil, Map.empty)
    val (entries, fields) = changes.foldLeft(none) { case ((properties, keys), change) =>
      val (more, ofFields) = update(change, properties)
      (properties ++ more, keys ++ ofFields)
    }
    val properties = UpdateMap(entries)
    if (properties(config) == config && fields.isEmpty) table
    else
      TableCommit.change(table) {
        val update = UpdateConfig(
          config = Optional.when(properties(config) != config)(properties),
          fieldMetadata = fields
        )
        table.commit(update, CommitInfo.by("ALTER TABLE"))
      }
  }

  private def update(change: TableChange, before: Seq[(String, Option[String])]): Update =
    change match {
      case c: SetProperty =>
        (Seq(checked(c.property(), Some(c.value())) -> Some(c.value())), Map.empty)
      case c: RemoveProperty =>
        (Seq(checked(c.property(), config.get(c.property())) -> None), Map.empty)
      case other =>
        ClusterByChange.columns(other, columns).fold(ofConstraint(other, before)) { key =>
          (Nil, clusterBy(key))
        }
    }

  private def ofConstraint(change: TableChange, before: Seq[(String, Option[String])]): Update = {
    Constraints.validatedVersion(change).filter(_ != table.version.toString).foreach { v =>
      throw rejected(
        s"the constraint: its rows were checked in version $v, but the latest version is ${table.version}; " +
          "run the statement again"
      )
    }
    val present = constraints(UpdateMap(before)(config))
    Constraints
      .added(change)
      .map(add(_, present))
      .orElse(Constraints.dropped(change).map { case (n, ifExists) =>
        (drop(n, ifExists, present), Map.empty[Int, UpdateMap])
      })
      .getOrElse(throw rejected(s"the change $change"))
  }

  private def columns: StructType =
    SparkTypes.shownColumns(table.schema.fields, TypeOptions.default)

  private def checked(property: String, value: Option[String]): String = {
    if (property == TableCatalog.PROP_LOCATION)
      throw rejected(
        "another location: a table stays where it is, and DEEP CLONE copies it to another folder"
      )
    if (TableProperties.computed.contains(property))
      throw rejected(s"the property $property, which describes the table and is read-only")
    if (property == TableKeys.Partitioned)
      throw rejected(s"the property $property, which only CREATE TABLE can set")
    if (TableConstraint.isProperty(property))
      throw rejected(s"the property $property: ADD and DROP CONSTRAINT change constraints")
    if (ColumnOptions.isColumnOption(property)) value.foreach(checkNewColumn(property, _))
    else if (!TableProperties.isKept(property))
      throw rejected(s"the property $property, which only CREATE TABLE can set")
    property
  }

  /** Column options only apply to columns that are added later, because ADD COLUMN has no syntax
    * for them.
    */
  private def checkNewColumn(property: String, value: String): Unit =
    ColumnOptions(Map(property -> value)).existing(table.schema.fields).foreach { column =>
      throw rejected(
        s"the property $property: the type and encoding of the column $column cannot change after the " +
          "column is created. For another type, add a column and fill it with UPDATE"
      )
    }

  private def constraints(config: Map[String, String]): Seq[TableConstraint] =
    TableConstraint.of(config, TableKeys.primaryKey(table.schema))

  private def add(constraint: TableConstraint, present: Seq[TableConstraint]): Update = {
    present.find(_.is(constraint.name)).foreach { old =>
      throw Constraints.error(
        "CONSTRAINT_ALREADY_EXISTS",
        Map("constraintName" -> old.name, "oldConstraint" -> Constraints.ddl(old))
      )
    }
    constraint match {
      case check: TableConstraint.Check =>
        StoredRules.checkNew(Seq(check), columns)
        (set(check.properties), Map.empty)
      case key: TableConstraint.PrimaryKey =>
        (set(key.keyProperties), primaryKey(key.columns))
    }
  }

  private def set(properties: Map[String, String]): Seq[(String, Option[String])] =
    properties.toSeq.map { case (k, v) => k -> Some(v) }

  private def primaryKey(columns: Seq[String]): Map[Int, UpdateMap] = {
    val resolve = SQLConf.get.resolver
    positions(
      columns.map { c =>
        table.schema.fields.find(f => resolve(f.name, c)).getOrElse(
          throw rejected(s"a primary key on the column $c, which does not exist")
        ).id
      },
      KeyRules.PrimaryPosition
    )
  }

  private def clusterBy(columns: Seq[NamedReference]): Map[Int, UpdateMap] = {
    val ids = columns.map(TableKeys.find(table.schema, _).id)
    val present = TableKeys.clusteringKey(table.schema).map(_.last.id)
    if (present == ids) Map.empty
    else if (present.nonEmpty)
      throw rejected("another clustering key: the format does not allow a key to change")
    else positions(ids, KeyRules.ClusteringPosition)
  }

  private def positions(ids: Seq[Int], key: String): Map[Int, UpdateMap] = {
    if (ids.distinct.length != ids.length) throw rejected("a key that names a column twice")
    ids.zipWithIndex.map { case (id, i) =>
      id -> UpdateMap.upsert(Map(key -> (i + 1).toString))
    }.toMap
  }

  private def drop(
      constraint: String,
      ifExists: Boolean,
      present: Seq[TableConstraint]
  ): Seq[(String, Option[String])] = present.find(_.is(constraint)) match {
    case Some(check: TableConstraint.Check) => check.properties.keys.toSeq.map(_ -> None)
    case Some(_: TableConstraint.PrimaryKey) =>
      throw new InvalidRequestException(
        s"$name cannot drop its primary key: the format does not allow a key to change",
        Place(path = Some(table.path))
      )
    case None if ifExists => Nil
    case None =>
      throw Constraints.error(
        "CONSTRAINT_DOES_NOT_EXIST",
        Map("constraintName" -> constraint, "tableName" -> name)
      )
  }

  private def rejected(what: String): InvalidRequestException =
    new InvalidRequestException(s"$name cannot get $what", Place(path = Some(table.path)))
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.util.Locale

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.Optional
import io.github.pysparklance.table.transaction.conflict.StoredConstraints

/** A constraint of a table, independent of the Spark line. Only later lines support constraints.
  * New tables get them as properties.
  *
  * {{{
  *   lance.spark.constraint.<name>     SQL condition of a CHECK; stays a table property
  *   lance.spark.primary-key           columns as a JSON array; becomes metadata of the fields
  *   lance.spark.primary-key.name      name of the key; stays a table property
  *   lance.spark.rely.<name>           `true` for a RELY constraint; stays a table property
  * }}}
  */
sealed trait TableConstraint {

  /** The name, in its original case. */
  def name: String

  /** The constraint as table properties. */
  def properties: Map[String, String]

  /** Whether the optimizer may rely on it. */
  def rely: Boolean

  final def is(other: String): Boolean = name.equalsIgnoreCase(other)
}

/** Kinds of constraints, and their properties. */
object TableConstraint {

  /** Prefix of the properties of CHECK constraints. */
  val CheckPrefix: String = StoredConstraints.checkPrefix

  /** The property with the columns of the primary key. */
  val PrimaryKeyColumns: String = "lance.spark.primary-key"

  /** The property with the name of the primary key. */
  val PrimaryKeyName: String = "lance.spark.primary-key.name"

  private val relyPrefix = "lance.spark.rely."

  private val json = new ObjectMapper

  private def relies(name: String): String = relyPrefix + name.toLowerCase(Locale.ROOT)

  private def relyProperty(c: TableConstraint): Option[(String, String)] =
    Optional.when(c.rely)(relies(c.name) -> "true")

  /** A condition that Spark checks when rows are written. It must be true or null. */
  final case class Check(name: String, sql: String, rely: Boolean) extends TableConstraint {
    def properties: Map[String, String] =
      Map(CheckPrefix + name.toLowerCase(Locale.ROOT) -> sql) ++ relyProperty(this)

    /** The parsed condition, which is untrusted, or the reason why it is rejected. */
    private[shim] lazy val condition: Either[String, StoredExpression] =
      StoredExpression.condition(sql)

    /** The unresolved condition, or the reason why it is rejected. */
    private[spark] def parsed: Either[String, Expression] = condition.map(_.expression)

    /** Names of the columns in the condition, split into their parts. Empty if the condition is
      * rejected.
      */
    def columns: Seq[Seq[String]] = condition.fold(_ => Nil, _.columns)

    /** Returns the reason why the condition cannot be evaluated on rows with these columns, or
      * `None`.
      */
    def problem(rows: StructType): Option[String] =
      condition.fold(Some(_), _.problem(rows))
  }

  /** Columns whose values identify a row. Uniqueness is not checked. */
  final case class PrimaryKey(name: String, columns: Seq[String], rely: Boolean)
      extends TableConstraint {
    def properties: Map[String, String] =
      Map(PrimaryKeyColumns -> json.writeValueAsString(columns.toArray)) ++ keyProperties

    /** The properties that stay in the table. */
    def keyProperties: Map[String, String] = Map(PrimaryKeyName -> name) ++ relyProperty(this)
  }

  /** Whether a property describes a constraint. */
  def isProperty(name: String): Boolean =
    name.startsWith(CheckPrefix) || name.startsWith(relyPrefix) ||
      name == PrimaryKeyColumns || name == PrimaryKeyName

  /** Returns the columns of the primary key from the properties of a new table. */
  def primaryKey(properties: Map[String, String]): Seq[String] =
    properties
      .get(PrimaryKeyColumns)
      .fold(Seq.empty[String])(text => json.readValue(text, classOf[Array[String]]).toSeq)

  /** Returns the constraints of a table.
    *
    * @param config table properties
    * @param key columns of the primary key; empty if there is none
    */
  def of(config: Map[String, String], key: Seq[String]): Seq[TableConstraint] = {
    val primary = Optional.when(key.nonEmpty) {
      val name = config.get(PrimaryKeyName).filter(_.nonEmpty).getOrElse("primary_key")
      PrimaryKey(name, key, isRelied(config, name))
    }
    primary.toSeq ++ checks(config)
  }

  /** Returns the CHECK constraints from table properties. */
  def checks(config: Map[String, String]): Seq[Check] = config.toSeq.sorted.collect {
    case (property, sql) if property.startsWith(CheckPrefix) && sql.nonEmpty =>
      val name = property.stripPrefix(CheckPrefix)
      Check(name, sql, isRelied(config, name))
  }

  private def isRelied(config: Map[String, String], name: String) =
    config.get(relies(name)).contains("true")
}

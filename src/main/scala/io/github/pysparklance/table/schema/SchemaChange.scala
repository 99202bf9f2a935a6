// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.schema

import io.github.pysparklance.core.{Field, LogicalType}

/** One change of a table's columns. Several of them are applied in order by [[SchemaChanges]]. */
sealed trait SchemaChange

object SchemaChange {

  /** A new column or a new member of a struct.
    *
    * @param parent the struct, through lists and maps; [[FieldPath.root]] for a column
    * @param field ids are given when it is added, whatever it has
    */
  final case class Add(parent: FieldPath, field: Field, position: Position = Position.Last)
      extends SchemaChange

  /** Takes a column or a member away. A struct that loses its last member goes with it. Data stay where they are until
    * the next compaction.
    */
  final case class Drop(path: FieldPath) extends SchemaChange

  /** A new name, without the path. The id stays, so data and indices do as well. */
  final case class Rename(path: FieldPath, name: String) extends SchemaChange

  /** Another type of a field that is no struct, list or map. It gets a new id and its values are written again.
    *
    * @param logicalType one that [[TypeChange]] allows
    */
  final case class SetType(path: FieldPath, logicalType: LogicalType) extends SchemaChange

  /** Whether nulls are allowed. Forbidding them takes a look at the values. */
  final case class SetNullable(path: FieldPath, nullable: Boolean) extends SchemaChange

  /** Another place among the columns, or among the members of the same struct. */
  final case class Move(path: FieldPath, position: Position) extends SchemaChange

  /** Notes on a field, such as its comment.
    *
    * @param updates a value to be set for each key, none to remove it
    */
  final case class SetMetadata(path: FieldPath, updates: Map[String, Option[String]])
      extends SchemaChange

  /** A place among siblings. */
  sealed trait Position

  object Position {

    /** Before all others. */
    case object First extends Position

    /** Behind all others. */
    case object Last extends Position

    /** Right behind the sibling of this name. */
    final case class After(sibling: String) extends Position
  }
}

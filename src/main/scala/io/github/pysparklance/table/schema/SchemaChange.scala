// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.schema

import io.github.pysparklance.core.{Field, LogicalType}

/** A change of a table's columns. [[SchemaChanges]] applies several in order. */
sealed trait SchemaChange

object SchemaChange {

  /** Adds a column or a member of a struct.
    *
    * @param parent the struct, which can be inside lists and maps; [[FieldPath.root]] for a column
    * @param field its ids are ignored and assigned again
    */
  final case class Add(parent: FieldPath, field: Field, position: Position = Position.Last)
      extends SchemaChange

  /** Drops a column or a member of a struct. A struct that loses its last member is dropped, too.
    * The data remain in the files until the next compaction.
    */
  final case class Drop(path: FieldPath) extends SchemaChange

  /** Renames a field. `name` is not a path. The id stays the same, so data and indices remain
    * valid.
    */
  final case class Rename(path: FieldPath, name: String) extends SchemaChange

  /** Changes the type of a leaf field. The field gets a new id and its values are rewritten.
    *
    * @param logicalType a type that [[TypeChange]] allows
    */
  final case class SetType(path: FieldPath, logicalType: LogicalType) extends SchemaChange

  /** Allows or forbids nulls. Forbidding them reads the values. */
  final case class SetNullable(path: FieldPath, nullable: Boolean) extends SchemaChange

  /** Moves a field among the columns, or among the members of the same struct. */
  final case class Move(path: FieldPath, position: Position) extends SchemaChange

  /** Changes the metadata of a field, such as its comment.
    *
    * @param updates the new value for each key; `None` removes the key
    */
  final case class SetMetadata(path: FieldPath, updates: Map[String, Option[String]])
      extends SchemaChange

  /** A position among siblings. */
  sealed trait Position

  object Position {

    /** Before all others. */
    case object First extends Position

    /** After all others. */
    case object Last extends Position

    /** Directly after the sibling with this name. */
    final case class After(sibling: String) extends Position
  }
}

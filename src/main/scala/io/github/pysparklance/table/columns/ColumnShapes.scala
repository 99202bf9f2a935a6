// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import io.github.pysparklance.core.{Field, LogicalType, Place, UnsupportedFeatureException}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.schema.SchemaEvolution

/** Determines the columns of new data files: the changed columns, with the nesting that a file must
  * repeat.
  *
  * @param version version of the table's files
  */
private class ColumnShapes(evolution: SchemaEvolution, version: FileVersion) {

  /** New columns and members, in the order of the schema. */
  lazy val added: IndexedSeq[Field] = {
    val ids = evolution.added.map(_.find(evolution.schema).last.id).toSet
    evolution.schema.fields.flatMap(pruned(_, ids))
  }

  /** The paths of new members inside columns that pylance reads from a single file. */
  private lazy val grown: IndexedSeq[IndexedSeq[Field]] =
    evolution.added.filterNot(_.parent.isRoot).map(_.find(evolution.schema)).filter(isInOneFile)

  /** Pairs of fields to read and to write, for fragments without deleted rows. */
  private lazy val shapes: IndexedSeq[(Field, Field)] = shapesOf(hasDeletions = false)
  private lazy val shapesWithDeletions: IndexedSeq[(Field, Field)] = shapesOf(hasDeletions = true)

  /** Whether no column with values must be rewritten. */
  def areKept: Boolean = shapes.isEmpty

  /** Checks that new columns of a fragment can get values. Deleted rows of a new file have no
    * values, so their lists would be shorter than in other files.
    *
    * @throws UnsupportedFeatureException if they cannot
    */
  def checkValues(f: Fragment): Unit = {
    grown.foreach { way =>
      throw new UnsupportedFeatureException(
        "new members with values inside maps, large lists, and fixed-size lists",
        Place(column = Some(way.head.name))
      )
    }
    if (f.deletionFile.isDefined)
      added.find(c => evolution.before.byId(c.id).isDefined && hasLists(c)).foreach { c =>
        throw new UnsupportedFeatureException(
          s"new members inside lists in fragment ${f.id}, which has deleted rows; compact the table first",
          Place(column = Some(c.name))
        )
      }
  }

  /** Returns pairs of fields to read and to write. Omits columns that the fragment does not have,
    * because they remain null.
    */
  def rewritten(fragment: Fragment): IndexedSeq[(Field, Field)] = {
    val all = if (fragment.deletionFile.isDefined) shapesWithDeletions else shapes
    all.filter { case (before, _) => fragment.columns(before.flatten.map(_.id)).nonEmpty }
  }

  /** Decides between whole columns and parts of columns. Files before 2.1 contain whole columns. If
    * parts of a list are in several files, all must have the same items, even in deleted rows.
    * Columns that pylance reads from a single file are written whole, even for new members that are
    * null.
    */
  private def shapesOf(hasDeletions: Boolean): IndexedSeq[(Field, Field)] = {
    val beforeIds = evolution.retyped.map(_.before.last.id).toSet
    val afterIds = evolution.retyped.map(_.after.last.id).toSet
    val inParts = version != FileVersion.V0_1 && version != FileVersion.V2_0
    evolution.schema.fields.flatMap { after =>
      val changed = evolution.retyped.filter(_.after.head.id == after.id)
      val isGrown = grown.exists(_.head.id == after.id)
      val column =
        if (isGrown) evolution.before.fields.find(_.id == after.id)
        else changed.headOption.map(_.before.head)
      column.map { before =>
        val isWhole = !inParts || isGrown || changed.exists(r => isInOneFile(r.after)) ||
          (hasDeletions && changed.exists(_.after.exists(hasLists)))
        if (isWhole) (ordered(before, after), after)
        else {
          val prunedAfter = pruned(after, afterIds).get
          (ordered(pruned(before, beforeIds).get, prunedAfter), prunedAfter)
        }
      }
    }
  }

  /** Whether pylance requires all leaves of the column in one file. It joins only parts of structs,
    * and of plain lists of structs.
    */
  private def isInOneFile(way: IndexedSeq[Field]): Boolean = way.init.exists { f =>
    f.logicalType match {
      case LogicalType.Map | LogicalType.FixedSizeList(LogicalType.Struct, _) => true
      case LogicalType.List(large, _) => large
      case _ => false
    }
  }

  /** Ids of retyped fields before the change, by their ids after it. */
  private lazy val origin: Map[Int, Int] =
    evolution.retyped.map(r => r.after.last.id -> r.before.last.id).toMap

  /** Returns the old field with its members in the order of the new one. Missing members are read
    * as nulls.
    */
  private def ordered(before: Field, after: Field): Field =
    if (before.isLeaf || after.isLeaf) before
    else
      before.copy(children = after.children.map { a =>
        before.children.find(_.id == origin.getOrElse(a.id, a.id)).fold(a)(ordered(_, a))
      })

  private def pruned(field: Field, ids: Set[Int]): Option[Field] =
    if (ids(field.id)) Some(field)
    else if (field.isLeaf) None
    else {
      val children = field.children.flatMap(pruned(_, ids))
      if (children.isEmpty) None else Some(field.copy(children = children))
    }

  private def hasLists(f: Field): Boolean = f.logicalType match {
    case _: LogicalType.List | LogicalType.Map | LogicalType.FixedSizeList(LogicalType.Struct, _) =>
      true
    case _ => !f.isLeaf && f.children.exists(hasLists)
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import io.github.pysparklance.core.{Field, LogicalType, Place, UnsupportedFeatureException}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.schema.SchemaEvolution

/** Which columns new files hold: those that change, with as much of their nesting as a file has to repeat.
  *
  * @param version that of the table's files
  */
private class ColumnShapes(evolution: SchemaEvolution, version: FileVersion) {

  /** New columns and members, in the order of the schema. */
  lazy val added: IndexedSeq[Field] = {
    val ids = evolution.added.map(_.find(evolution.schema).last.id).toSet
    evolution.schema.fields.flatMap(pruned(_, ids))
  }

  /** The ways to new members of what pylance reads from one file only. */
  private lazy val grown: IndexedSeq[IndexedSeq[Field]] =
    evolution.added.filterNot(_.parent.isRoot).map(_.find(evolution.schema)).filter(isInOneFile)

  /** Pairs of what is read and what is written in a fragment without deleted rows, and in one with them. */
  private lazy val shapes: IndexedSeq[(Field, Field)] = shapesOf(hasDeletions = false)
  private lazy val shapesWithDeletions: IndexedSeq[(Field, Field)] = shapesOf(hasDeletions = true)

  /** Whether no column that has values is written again. */
  def areKept: Boolean = shapes.isEmpty

  /** A file's deleted rows have no values, so lists in them would be shorter than in the other files.
    *
    * @throws UnsupportedFeatureException when new columns of the fragment cannot be given values
    */
  def checkValues(f: Fragment): Unit = {
    grown.foreach { way =>
      throw new UnsupportedFeatureException(
        "new members with values inside of maps, large lists and lists of a fixed size",
        Place(column = Some(way.head.name))
      )
    }
    if (f.deletionFile.isDefined)
      added.find(c => evolution.before.byId(c.id).isDefined && hasLists(c)).foreach { c =>
        throw new UnsupportedFeatureException(
          s"new members inside of lists in fragment ${f.id}, which has deleted rows; compact the table first",
          Place(column = Some(c.name))
        )
      }
  }

  /** Pairs of what is read and what is written. Columns that the fragment lacks are left out: they stay nulls. */
  def rewritten(fragment: Fragment): IndexedSeq[(Field, Field)] = {
    val all = if (fragment.deletionFile.isDefined) shapesWithDeletions else shapes
    all.filter { case (before, _) => fragment.columns(before.flatten.map(_.id)).nonEmpty }
  }

  /** Files before 2.1 hold whole columns; and a list whose parts lie in several files has to have the same items in all
    * of them, in deleted rows too. What pylance reads from one file only is written whole, also for new members that are
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

  /** Whether pylance wants all leaves of the column in one file: it joins parts of structs, and of plain lists of them,
    * alone.
    */
  private def isInOneFile(way: IndexedSeq[Field]): Boolean = way.init.exists { f =>
    f.logicalType match {
      case LogicalType.Map | LogicalType.FixedSizeList(LogicalType.Struct, _) => true
      case LogicalType.List(large, _) => large
      case _ => false
    }
  }

  /** Ids of fields before they got a new type, by those after it. */
  private lazy val origin: Map[Int, Int] =
    evolution.retyped.map(r => r.after.last.id -> r.before.last.id).toMap

  /** The field as it was, its members in the order of the new one, those that it lacks as nulls. */
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

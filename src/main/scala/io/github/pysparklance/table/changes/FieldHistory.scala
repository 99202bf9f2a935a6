// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import io.github.pysparklance.core.{
  Field,
  InvalidRequestException,
  LogicalType,
  Place,
  Schema,
  Search
}
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.scan.StoredTypes
import io.github.pysparklance.table.schema.{FieldPath, TypeChange}

/** Where the columns of the last version of a range are in the versions before it. Columns keep their id when they are
  * renamed; they have another one, and the same name, before a change of their type and before an overwrite.
  *
  * {{{
  *   version   5 (end)             4: x was int32            3: renamed, 2: no column b
  *   columns   a 0   b 4   x 7     a 0   b 4   x 2 as int32  a 0 (called c)   x 2 as int32
  * }}}
  *
  * Source: format page of the table, "Ids and tree".
  *
  * @param schema schema of the last version
  */
final private[table] class FieldHistory private (
    val schema: Schema,
    starts: Array[Long],
    eras: IndexedSeq[FieldHistory.Era]
) {

  /** The columns in a version of the range. */
  def of(version: Long): FieldHistory.Era = eras(Search.lastAtMost(starts, version))

  /** Fails if a column cannot be read from a version, because its type was changed to one that its values do not have.
    *
    * @param fields fields of [[schema]]
    */
  def checkReadable(fields: IndexedSeq[Field], version: Long): Unit = {
    val era = of(version)
    unreadable(fields, version).foreach { f =>
      throw new InvalidRequestException(
        s"the type of the column was changed in the range of versions, from ${era.unreadable(f.id)} to " +
          s"${LogicalType.text(f.logicalType)}: read the changes before and after that change on their own, or without " +
          "the column",
        Place(version = Some(version), column = Some(FieldPath.of(f.name).toString))
      )
    }
  }

  /** Returns the first field that cannot be read from a version, see [[checkReadable]]. */
  def unreadable(fields: IndexedSeq[Field], version: Long): Option[Field] = {
    val era = of(version)
    if (era.unreadable.isEmpty) None
    else fields.flatMap(_.flatten).find(f => era.unreadable.contains(f.id))
  }
}

private[table] object FieldHistory {

  /** The columns of the last version in versions that have them in the same way.
    *
    * @param ids by id in these versions; `None` if all are the same
    * @param storedTypes types that files of these versions have
    * @param unreadable types, as text, of columns that cannot be read
    */
  final case class Era(
      ids: Option[Map[Int, Int]],
      storedTypes: StoredTypes,
      unreadable: Map[Int, String]
  ) {

    /** A fragment of these versions with the ids of the last version. */
    def renamed(fragment: Fragment): Fragment = ids.fold(fragment)(fragment.withFieldIds)

    /** Whether a field has another id in these versions. */
    def isRenumbered: Boolean = ids.exists(_.exists { case (before, now) => before != now })
  }

  /** A version.
    *
    * @param link relation of its columns to the columns of the previous version
    * @param stored ids of fields that some data file has; needed if the schema differs from the previous version
    */
  final case class Step(version: Long, schema: Schema, link: Link, stored: Set[Int] = Set.empty)

  /** How the columns of two consecutive versions relate. */
  sealed trait Link

  object Link {

    /** Columns keep their ids, unless their type is changed. */
    case object Kept extends Link

    /** Ids start again at 0, so columns are matched by name. */
    case object Replaced extends Link

    /** Ids may have belonged to dropped columns, so names are matched first. */
    case object Restored extends Link
  }

  /** The way to a field from its column down, in some version, by the id in the last version. */
  private type Ways = Map[Int, IndexedSeq[Field]]

  /** @param steps steps of consecutive versions, ascending, not empty */
  def apply(steps: IndexedSeq[Step]): FieldHistory = {
    val end = steps.last.schema
    var ways: Ways = end.ways.map(w => w.last.id -> w).toMap
    var eras = List(era(end, ways))
    var starts = List(steps.last.version)
    steps.indices.reverse.drop(1).foreach { i =>
      if (steps(i).schema == steps(i + 1).schema) starts = steps(i).version :: starts.tail
      else {
        ways = earlier(ways, steps(i).schema, steps(i + 1))
        eras = era(end, ways) :: eras
        starts = steps(i).version :: starts
      }
    }
    new FieldHistory(end, starts.toArray, eras.toIndexedSeq)
  }

  private def earlier(ways: Ways, before: Schema, step: Step): Ways = {
    val old = before.ways
    val byId = old.iterator.map(w => w.last.id -> w).toMap
    val byName = old.iterator.map(w => w.map(_.name) -> w).toMap
    val nowIds = step.schema.flatten.iterator.map(_.id).toSet
    ways.flatMap { case (id, way) =>
      val sameId = byId.get(way.last.id)
      val sameName = byName.get(way.map(_.name))
      val found = step.link match {
        case Link.Kept =>
          sameId.orElse(sameName.filter(w =>
            !nowIds(w.last.id) && isRetyped(w.last, way.last, step)
          ))
        case Link.Replaced => sameName
        case Link.Restored =>
          sameName.orElse(sameId.filter(_.last.logicalType == way.last.logicalType))
      }
      found.map(id -> _)
    }
  }

  /** Whether a commit changed the type of a field, and did not drop it and add another one of its name. A change of the
    * type writes the values to new files, and an added column has no files.
    */
  private def isRetyped(before: Field, after: Field, step: Step): Boolean =
    if (before.isLeaf && after.isLeaf)
      before.logicalType != after.logicalType && step.stored(after.id)
    else after.flatten.exists(f => step.stored(f.id))

  private def era(end: Schema, ways: Ways): Era = {
    val found = for {
      f <- end.flatten
      way <- ways.get(f.id)
    } yield f -> way.last
    val retyped = found.filter { case (f, before) => !isSame(before, f) }
    val (castable, other) = retyped.partition { case (f, before) =>
      f.isLeaf && before.isLeaf && !f.isBlob && !before.isBlob && f.isPacked == before.isPacked &&
      TypeChange.isAllowed(before.logicalType, f.logicalType)
    }
    val ids = found.map { case (f, before) => before.id -> f.id }
    // A version may have ids that another column of the last version has.
    val isSameIds = ids.forall { case (a, b) => a == b } && ids.length == end.flatten.length
    Era(
      if (isSameIds) None else Some(ids.toMap),
      StoredTypes(castable.map { case (f, before) => f.id -> before.logicalType }.toMap),
      other.map { case (f, before) => f.id -> LogicalType.text(before.logicalType) }.toMap
    )
  }

  /** Whether files hold the fields in the same way. Blobs of both versions are read alike. */
  private def isSame(before: Field, after: Field): Boolean =
    if (before.isBlob || after.isBlob) before.isBlob == after.isBlob
    else
      before.logicalType == after.logicalType && before.isLeaf == after.isLeaf &&
      (!before.isPacked || members(before) == members(after))

  private def members(packed: Field): IndexedSeq[(String, LogicalType)] =
    packed.children.map(c => (c.name, c.logicalType))
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import scala.collection.mutable

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

/** Where the columns of the last version of a range are in the versions before it. Columns keep
  * their id when they are renamed; they have another one, and the same name, before a change of
  * their type and before an overwrite.
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

  /** Fails if a column cannot be read from a version, because its type was changed to one that its
    * values do not have.
    *
    * @param fields fields of [[schema]]
    */
  def checkReadable(fields: IndexedSeq[Field], version: Long): Unit = {
    val era = of(version)
    unreadable(fields, version).foreach { f =>
      throw new InvalidRequestException(
        s"the type of the column was changed in the range of versions, from ${era.unreadable(f.id)} to " +
          s"${LogicalType.text(f.logicalType)}: read the changes before and after that change on their own, or " +
          "without the column",
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
    * @param stored ids of fields that some data file has; needed if the schema differs from the
    *   previous version
    */
  final case class Step(version: Long, schema: Schema, link: Link, stored: Set[Int] = Set.empty)

  /** How the columns of two consecutive versions relate. */
  sealed trait Link

  object Link {

    /** Columns keep their ids, unless their type is changed. */
    case object Kept extends Link

    /** Ids start again at 0, so columns are matched by name. */
    case object Replaced extends Link

    /** The columns come from another version. If that version is not in the range, ids may have
      * belonged to dropped columns, so names are matched with the previous version first.
      *
      * @param from `None` if it is not known
      */
    final case class Restored(from: Option[Long]) extends Link
  }

  /** @param steps steps of consecutive versions, ascending, not empty */
  def apply(steps: IndexedSeq[Step]): FieldHistory = {
    val columns = identities(steps)
    val begins = steps.indices.filter { i =>
      i == 0 || columns(i) != columns(i - 1) || steps(i).schema != steps(i - 1).schema
    }
    val end = steps.last.schema
    val eras = begins.map(i => era(end, columns.last, steps(i).schema, columns(i)))
    new FieldHistory(end, begins.map(steps(_).version).toArray, eras)
  }

  /** Identities of the fields of a version, by field id. A field has the same identity in all
    * versions of a range, even if its id changes.
    */
  private type Identities = Map[Int, Int]

  private def identities(steps: IndexedSeq[Step]): IndexedSeq[Identities] = {
    var count = 0
    def inherited(schema: Schema)(identity: IndexedSeq[Field] => Option[Int]): Identities =
      schema.ways.map { way =>
        way.last.id -> identity(way).getOrElse {
          count += 1
          count
        }
      }.toMap
    val found = mutable.ArrayBuffer(inherited(steps.head.schema)(_ => None))
    steps.zip(steps.drop(1)).foreach { case (before, step) =>
      found += (restored(step, steps.head.version) match {
        case Some(origin) => inherited(step.schema)(way => found(origin).get(way.last.id))
        case None if step.schema == before.schema => found.last
        case None =>
          val fieldBefore = earlier(before.schema, step)
          inherited(step.schema)(fieldBefore(_).flatMap(f => found.last.get(f.id)))
      })
    }
    found.toIndexedSeq
  }

  /** Returns the position of the step that a step restores, if it is in the range. */
  private def restored(step: Step, first: Long): Option[Int] = step.link match {
    case Link.Restored(from) =>
      from.filter(v => v >= first && v < step.version).map(v => (v - first).toInt)
    case _ => None
  }

  /** Returns where a field of a version was in the version before.
    *
    * @return a function of the fields from a column down to the field
    */
  private def earlier(before: Schema, step: Step): IndexedSeq[Field] => Option[Field] = {
    val byId = before.flatten.iterator.map(f => f.id -> f).toMap
    val byName = before.ways.iterator.map(w => names(w) -> w.last).toMap
    val nowIds = step.schema.flatten.iterator.map(_.id).toSet
    lazy val namesakes =
      step.schema.ways.iterator.flatMap(w => byName.get(names(w))).map(_.id).toSet
    way => {
      val field = way.last
      val sameId = byId.get(field.id)
      val sameName = byName.get(names(way))
      step.link match {
        case Link.Kept =>
          sameId.orElse(sameName.filter(f => !nowIds(f.id) && isRetyped(f, field, step)))
        case Link.Replaced => sameName
        case Link.Restored(_) =>
          sameName.orElse(
            sameId.filter(f => f.logicalType == field.logicalType && !namesakes(f.id))
          )
      }
    }
  }

  /** The names from a column down to a field. Items of lists and parts of maps have a position
    * instead, because writers call them by different names.
    */
  private def names(way: IndexedSeq[Field]): IndexedSeq[String] = way.indices.map { i =>
    val isPart = (i >= 1 && isRepeated(way(i - 1))) ||
      (i >= 2 && way(i - 2).logicalType == LogicalType.Map)
    if (isPart) s"[${way(i - 1).children.indexWhere(_.id == way(i).id)}]" else way(i).name
  }

  private def isRepeated(field: Field): Boolean = field.logicalType match {
    case _: LogicalType.List | _: LogicalType.FixedSizeList | LogicalType.Map => true
    case _ => false
  }

  /** Whether a commit changed the type of a field, and did not drop it and add another one of its
    * name. A change of the type writes the values to new files, and an added column has no files.
    */
  private def isRetyped(before: Field, after: Field, step: Step): Boolean =
    if (before.isLeaf && after.isLeaf)
      before.logicalType != after.logicalType && step.stored(after.id)
    else after.flatten.exists(f => step.stored(f.id))

  private def era(
      end: Schema,
      ofEnd: Identities,
      schema: Schema,
      ofSchema: Identities
  ): Era = {
    val byIdentity = schema.flatten.iterator.map(f => ofSchema(f.id) -> f).toMap
    val found = end.flatten.flatMap(f => byIdentity.get(ofEnd(f.id)).map(f -> _))
    val retyped = found.filter { case (f, before) => !isSame(before, f) }
    val (castable, other) = retyped.partition { case (f, before) =>
      f.isLeaf && before.isLeaf && !f.isBlob && !before.isBlob && f.isPacked == before.isPacked &&
      TypeChange.isAllowed(before.logicalType, f.logicalType)
    }
    val ids = found.map { case (f, before) => before.id -> f.id }
    val present = found.iterator.map(_._1.id).toSet
    // Only the files of the values record which lists are null or empty.
    val withoutValues = found.filter { case (f, _) =>
      isRepeated(f) && !f.isLeaf &&
      !f.flatten.exists(d => d.id != f.id && d.children.isEmpty && present(d.id))
    }
    // A version may have ids that another column of the last version has.
    val isSameIds = ids.forall { case (a, b) => a == b } && ids.length == end.flatten.length
    Era(
      if (isSameIds) None else Some(ids.toMap),
      StoredTypes(castable.map { case (f, before) => f.id -> before.logicalType }.toMap),
      withoutValues.map { case (f, b) =>
        f.id -> s"${LogicalType.text(b.logicalType)} of other fields"
      }.toMap ++
        other.map { case (f, before) => f.id -> LogicalType.text(before.logicalType) }
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

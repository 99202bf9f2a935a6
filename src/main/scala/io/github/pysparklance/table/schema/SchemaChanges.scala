// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.schema

import io.github.pysparklance.core.{
  Field,
  InvalidRequestException,
  LogicalType,
  Place,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.manifest.SchemaRules

/** The result of applying changes to a schema.
  *
  * @param before the schema before the changes
  * @param schema the new schema, with ids of all fields
  * @param added paths of new fields, without fields inside new ones
  * @param retyped for each field with a new type, its path from the column before and after
  * @param tightened paths, before the changes, of fields that no longer allow nulls
  */
final case class SchemaEvolution private[schema] (
    before: Schema,
    schema: Schema,
    added: IndexedSeq[FieldPath],
    retyped: IndexedSeq[SchemaEvolution.Retyped],
    tightened: IndexedSeq[IndexedSeq[Field]]
) {

  /** Whether rows written by the old schema can be read by the new one. No field that they lack, or
    * where they may have nulls, forbids nulls.
    *
    * Source: `preserves_nullability` of the messages `Merge` and `Project`, transaction.proto.
    */
  def preservesNullability: Boolean = tightened.isEmpty &&
    added.forall { path =>
      val way = path.find(schema)
      way.last.nullable && (way.length == 1 || way.head.nullable)
    } &&
    retyped.forall(r => r.after.last.nullable && r.after.head.nullable)
}

object SchemaEvolution {

  /** A field with a new type, as the last of its path from the column.
    *
    * @param before and `after` differ in the type and id of the last field, and in other changes
    */
  final case class Retyped(before: IndexedSeq[Field], after: IndexedSeq[Field])
}

/** Applies changes to a schema and checks them.
  *
  * @param schema schema of the latest version
  * @param highestId highest field id in the schema or any data file; higher ids are free
  * @param fileVersion file version of the table's data files; before 2.2, members of structs cannot
  *   be added, and members inside lists cannot be dropped
  */
final class SchemaChanges(schema: Schema, highestId: Int, fileVersion: FileVersion) {
  import SchemaChange._
  import SchemaChanges._

  private val hasNestedColumns = fileVersion == FileVersion.V2_2 || fileVersion == FileVersion.V2_3

  /** Returns the schema after all changes.
    *
    * @throws InvalidRequestException if a field does not exist, a name exists or is reserved, a
    *   type cannot be changed, or no column would remain
    * @throws UnsupportedFeatureException for changes that files of this version do not support
    */
  def apply(changes: Seq[SchemaChange]): SchemaEvolution = {
    val evolved = changes.foldLeft(Evolving(schema, highestId))(step)
    if (evolved.schema.fields.isEmpty) invalid("the table must keep at least one column")
    val known = schema.flatten.map(_.id).toSet
    val idsOfNew = evolved.addedIds
    val ways = evolved.schema.ways
    val oldWays = schema.ways.map(w => w.last.id -> w).toMap
    val retyped = for {
      way <- ways
      oldId <- evolved.retyped.get(way.last.id)
      if known(oldId)
    } yield SchemaEvolution.Retyped(oldWays(oldId), way)
    val tightened = for {
      way <- ways
      origin = evolved.retyped.getOrElse(way.last.id, way.last.id)
      old <- oldWays.get(origin)
      if old.last.nullable && !way.last.nullable
    } yield old
    val added = ways.collect {
      case way if idsOfNew(way.last.id) => FieldPath(way.map(_.name))
    }
    SchemaEvolution(schema, evolved.schema, added, retyped, tightened)
  }

  private def step(s: Evolving, change: SchemaChange): Evolving = {
    val path = change match {
      case Add(parent, field, _) => parent / field.name
      case Drop(path) => path
      case Rename(path, _) => path
      case SetType(path, _) => path
      case SetNullable(path, _) => path
      case Move(path, _) => path
      case SetMetadata(path, _) => path
    }
    Place.in(Place(column = Some(path.toString))) {
      change match {
        case c: Add => add(s, c)
        case Drop(p) => drop(s, p)
        case Rename(p, name) => rename(s, p, name)
        case SetType(p, t) => retype(s, p, t)
        case SetNullable(p, nullable) => setNullable(s, p, nullable)
        case Move(p, position) => move(s, p, position)
        case SetMetadata(p, updates) => setMetadata(s, p, updates)
      }
    }
  }

  private def add(s: Evolving, change: Add): Evolving = {
    val numbered = numberedFrom(change.field, s.highestId)
    val highest = numbered.flatten.map(_.id).max
    val way = if (change.parent.isRoot) IndexedSeq.empty else structAt(s.schema, change.parent)
    val siblings = way.lastOption.fold(s.schema.fields)(_.children)
    checkName(siblings, change.field.name, isColumn = way.isEmpty)
    numbered.flatten.foreach { f =>
      if (f.logicalType == LogicalType.Struct) checkDistinct(f)
    }
    way.lastOption.foreach { parent =>
      val isNewStruct = s.addedIds.exists(id => way.exists(_.id == id))
      if (!isNewStruct && !hasNestedColumns)
        throw new UnsupportedFeatureException(
          s"a new member of the struct ${parent.name} in a table of file version ${fileVersion.text}; 2.2 supports it"
        )
      if (parent.isPacked)
        invalid("a packed struct cannot get new members, because it is stored as one column")
    }
    val placed = inserted(siblings, numbered, change.position)
    val isInNew = way.exists(f => s.addedIds(f.id))
    s.copy(
      schema = withSiblings(s.schema, way, placed),
      highestId = highest,
      addedIds = if (isInNew) s.addedIds else s.addedIds + numbered.id
    )
  }

  private def drop(s: Evolving, path: FieldPath): Evolving = {
    val way = memberAt(s.schema, path)
    val parents = way.init
    if (parents.exists(_.isPacked)) invalid("a member of a packed struct cannot be dropped")
    if (parents.exists(isRepeated) && !hasNestedColumns)
      throw new UnsupportedFeatureException(
        s"dropping a field inside a list in a table of file version ${fileVersion.text}; 2.2 supports it"
      )
    // Dropping the last member drops its struct, as in pylance.
    val gone = way.lastIndexWhere { f =>
      val i = way.indexOf(f)
      i == 0 || way(i - 1).children.length > 1
    }
    val target = way.take(gone + 1)
    if (target.length > 1 && target(target.length - 2).logicalType != LogicalType.Struct)
      invalid("the items of a list or map cannot lose their last member")
    val siblings = target.init.lastOption.fold(s.schema.fields)(_.children)
    val left = siblings.filterNot(_.id == target.last.id)
    s.copy(schema = withSiblings(s.schema, target.init, left))
  }

  private def rename(s: Evolving, path: FieldPath, name: String): Evolving = {
    val way = memberAt(s.schema, path)
    val siblings = way.init.lastOption.fold(s.schema.fields)(_.children)
    if (name == way.last.name) s
    else {
      checkName(siblings, name, isColumn = way.length == 1)
      s.copy(schema = replaced(s.schema, way.last.id)(_.copy(name = name)))
    }
  }

  private def retype(s: Evolving, path: FieldPath, t: LogicalType): Evolving = {
    val way = fieldAt(s.schema, path)
    val field = way.last
    if (way.init.exists(_.isPacked))
      invalid("the type of a member of a packed struct cannot be changed")
    if (field.logicalType == t) s
    else if (field.isBlob || field.children.nonEmpty || !TypeChange.isAllowed(field.logicalType, t))
      invalid(
        s"a ${LogicalType.text(field.logicalType)} cannot become a ${LogicalType.text(t)}; " +
          "add a column of that type and drop this one"
      )
    else {
      val id = s.highestId + 1
      val kept = field.metadata.filterNot { case (key, _) => describesEncoding(key) }
      val isNew = s.addedIds(field.id) || way.exists(f => s.addedIds(f.id))
      val origin = s.retyped.getOrElse(field.id, field.id)
      s.copy(
        schema =
          replaced(s.schema, field.id)(_.copy(id = id, logicalType = t, metadata = kept)),
        highestId = id,
        addedIds = if (s.addedIds(field.id)) s.addedIds - field.id + id else s.addedIds,
        retyped = if (isNew) s.retyped else s.retyped - field.id + (id -> origin)
      )
    }
  }

  private def setNullable(s: Evolving, path: FieldPath, nullable: Boolean): Evolving = {
    val way = fieldAt(s.schema, path)
    if (nullable && way.last.flatten.exists(_.unenforcedPrimaryKey.isDefined))
      invalid("a column of the primary key cannot have nulls")
    if (nullable && isEntriesOrKey(way)) invalid("the keys of a map cannot be nullable")
    s.copy(schema = replaced(s.schema, way.last.id)(_.copy(nullable = nullable)))
  }

  private def move(s: Evolving, path: FieldPath, position: Position): Evolving = {
    val way = memberAt(s.schema, path)
    if (way.init.exists(_.isPacked)) invalid("the members of a packed struct cannot be moved")
    val siblings = way.init.lastOption.fold(s.schema.fields)(_.children)
    if (position == Position.After(way.last.name)) s
    else {
      val others = siblings.filterNot(_.id == way.last.id)
      s.copy(schema = withSiblings(s.schema, way.init, inserted(others, way.last, position)))
    }
  }

  private def setMetadata(
      s: Evolving,
      path: FieldPath,
      updates: Map[String, Option[String]]
  ): Evolving = {
    val way = fieldAt(s.schema, path)
    updates.keys.find(isFixed).foreach { key =>
      invalid(s"""the key "$key" is part of the type; it cannot be changed""")
    }
    val (set, removed) = updates.partition(_._2.isDefined)
    s.copy(schema = replaced(s.schema, way.last.id) { f =>
      f.copy(metadata = f.metadata -- removed.keys ++ set.map { case (k, v) => k -> v.get })
    })
  }
}

private object SchemaChanges {
  import SchemaChange.Position

  /** The state between changes.
    *
    * @param addedIds new fields, without fields inside new ones
    * @param retyped original id by new id of each field with a new type
    */
  final case class Evolving(
      schema: Schema,
      highestId: Int,
      addedIds: Set[Int] = Set.empty,
      retyped: Map[Int, Int] = Map.empty
  )

  def invalid(problem: String): Nothing = throw new InvalidRequestException(problem)

  private def describesEncoding(key: String): Boolean =
    key.startsWith("lance-encoding:") || key.startsWith("ARROW:extension:")

  /** Metadata that determines how files are read, or that encodes other properties of the schema.
    */
  private def isFixed(key: String): Boolean = key.startsWith("ARROW:extension:") ||
    key == "lance-encoding:blob" || key == "lance-encoding:packed" || key == "packed" ||
    key.startsWith("lance-schema:") || key == "lance:field_id"

  private def isRepeated(f: Field): Boolean = f.logicalType match {
    case _: LogicalType.List | LogicalType.Map | _: LogicalType.FixedSizeList => true
    case _ => false
  }

  /** Returns the fields along a path. Rejects fields inside blobs. */
  def fieldAt(schema: Schema, path: FieldPath): IndexedSeq[Field] = {
    val way = path.find(schema)
    if (way.init.exists(_.isBlob)) invalid("the parts of a blob cannot be changed")
    way
  }

  /** Like [[fieldAt]], for a column or a member of a struct, but not an item or an entry. */
  def memberAt(schema: Schema, path: FieldPath): IndexedSeq[Field] = {
    val way = fieldAt(schema, path)
    val isEntry = way.length > 2 && way(way.length - 3).logicalType == LogicalType.Map &&
      !way(way.length - 3).isBlob
    way.init.lastOption.foreach { parent =>
      if (parent.logicalType != LogicalType.Struct || isEntry)
        invalid("the items of a list and the entries of a map have a fixed name and position")
    }
    way
  }

  def isEntriesOrKey(way: IndexedSeq[Field]): Boolean = {
    def isMap(above: Int) =
      way.length > above && way(way.length - 1 - above).logicalType == LogicalType.Map
    isMap(1) || (isMap(2) && way(way.length - 2).children.head.id == way.last.id)
  }

  def structAt(schema: Schema, path: FieldPath): IndexedSeq[Field] = {
    val way = fieldAt(schema, path)
    val isMapEntries = way.length > 1 && way(way.length - 2).logicalType == LogicalType.Map
    if (way.last.isBlob || way.last.logicalType != LogicalType.Struct || isMapEntries)
      invalid(s"$path is not a struct but a ${LogicalType.text(way.last.logicalType)}")
    way
  }

  def checkName(siblings: Seq[Field], name: String, isColumn: Boolean): Unit = {
    if (name.isEmpty) invalid("the column name is empty")
    if (isColumn && name.contains('.')) invalid(s"""the column name "$name" contains a dot""")
    if (isColumn && SchemaRules.isReserved(name))
      invalid(s"""the column name "$name" is reserved""")
    if (siblings.exists(_.name == name)) invalid(s"""a column named "$name" exists already""")
  }

  private def checkDistinct(struct: Field): Unit = {
    val names = struct.children.map(_.name)
    names.diff(names.distinct).headOption.foreach { n =>
      invalid(s"""the struct "${struct.name}" has two columns named "$n"""")
    }
  }

  /** Returns a field with ids above `highest`, assigned depth first. */
  def numberedFrom(field: Field, highest: Int): Field = {
    var last = highest
    def number(f: Field): Field = {
      if (last == Int.MaxValue) invalid("all field ids of the table are used up")
      last += 1
      val id = last
      f.copy(id = id, children = f.children.map(number))
    }
    number(field)
  }

  def inserted(siblings: IndexedSeq[Field], field: Field, position: Position): IndexedSeq[Field] =
    position match {
      case Position.First => field +: siblings
      case Position.Last => siblings :+ field
      case Position.After(name) =>
        val at = siblings.indexWhere(_.name == name)
        if (at < 0) invalid(s"""there is no column "$name" next to it""")
        siblings.patch(at + 1, Seq(field), 0)
    }

  /** Returns the schema with other children of the last field of `way`, or with other columns if
    * `way` is empty.
    */
  def withSiblings(schema: Schema, way: IndexedSeq[Field], siblings: IndexedSeq[Field]): Schema =
    way.lastOption.fold(schema.copy(fields = siblings)) { parent =>
      replaced(schema, parent.id)(_.copy(children = siblings))
    }

  def replaced(schema: Schema, id: Int)(change: Field => Field): Schema = {
    def below(f: Field): Field =
      if (f.id == id) change(f)
      else if (f.children.isEmpty) f
      else f.copy(children = f.children.map(below))
    schema.copy(fields = schema.fields.map(below))
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.model

import io.github.pysparklance.file.metadata.FileVersion

/** The initial state of a table.
  *
  * @param by the side that creates it
  */
final case class ModelConfiguration(
    fileVersion: FileVersion,
    stableRowIds: Boolean,
    by: Side,
    rows: Int,
    rowsPerFile: Int
)

/** The writer of a change. */
sealed trait Side

object Side {
  case object Ours extends Side
  case object Pylance extends Side
  val both: Seq[Side] = Seq(Ours, Pylance)
}

/** A branch in the model.
  *
  * @param parent branch and version it was created from; none for the main branch
  * @param versions remaining versions, ascending
  */
final case class ModelBranch(parent: Option[(String, Long)], versions: Vector[ModelVersion]) {
  def latest: ModelVersion = versions.last
  def apply(version: Long): ModelVersion = versions.find(_.version == version).get
}

/** An in-memory table with its branches and tags.
  *
  * @param tags branch and version by name
  * @param nextKey value of `id` in the next new row
  */
final case class ModelState(
    configuration: ModelConfiguration,
    branches: Map[String, ModelBranch],
    tags: Map[String, (String, Long)] = Map.empty,
    nextKey: Long = 0
) {
  def apply(branch: String): ModelVersion = branches(branch).latest

  /** Adds versions to a branch. */
  def commit(branch: String)(change: ModelVersion => ModelVersion): ModelState = {
    val b = branches(branch)
    val changed = change(b.latest)
    // An operation that commits twice changes nothing visible in between.
    val between = (b.latest.version + 1 until changed.version).map { v =>
      b.latest.copy(version = v, maxFragmentId = changed.maxFragmentId)
    }
    val added = if (changed.version == b.latest.version) Vector.empty else between :+ changed
    copy(branches = branches + (branch -> b.copy(versions = b.versions ++ added)))
  }

  /** Generates rows for the columns of the latest version, with new keys. */
  def newRows(fields: Seq[ModelField], n: Int, salt: Int): Seq[ModelVersion.Row] =
    (nextKey until nextKey + n).map { key =>
      fields.flatMap { f =>
        val hash = (key * 31 + salt) * 17 + f.name.hashCode
        val value: Option[Any] =
          if (f.name == "id") Some(key)
          else if (hash % 4 == 0) None
          else if (f.kind == Kind.Text) Some(s"${f.name}${hash % 10}")
          else Some(hash % 100)
        value.map(f.name -> _)
      }.toMap
    }

  def withKeys(n: Int): ModelState = copy(nextKey = nextKey + n)

  /** The expected view of branches and tags. */
  def references: Vector[String] = {
    val (main, others) = branches.toVector.sortBy(_._1).partition(_._1 == "main")
    (main ++ others).map { case (name, b) =>
      ModelView.branch(name, b.parent, b.versions.map(_.version))
    } ++ tags.toVector.sorted.map { case (name, (b, v)) => ModelView.tag(name, b, v) }
  }

  override def toString: String = configuration.toString

  /** Versions of a branch that tags or branches reference. */
  def pinned(branch: String): Set[Long] =
    (tags.values ++ branches.values.flatMap(_.parent)).collect { case (`branch`, v) => v }.toSet
}

object ModelState {
  def apply(configuration: ModelConfiguration): ModelState = {
    val empty = ModelState(configuration, Map.empty)
    val rows = empty.newRows(ModelVersion.newFields, configuration.rows, 0)
    val first =
      ModelVersion.create(
        configuration.stableRowIds,
        rows.grouped(configuration.rowsPerFile).toIndexedSeq
      )
    ModelState(configuration, Map("main" -> ModelBranch(None, Vector(first))))
      .withKeys(configuration.rows)
  }
}

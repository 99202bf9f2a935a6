// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import java.time.Instant

import org.apache.spark.sql.types._

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.{RefNames, Revision}

/** Lists all branches and tags of a table. */
private object RefsView
    extends MetadataView("refs", "a branch (including `main`) or a tag of the table") {
  override type Entry = Ref

  /** @param version version of a tag, or the latest version of a branch */
  final class Ref(
      val name: String,
      val kind: String,
      val branch: String,
      val createdAt: Option[Instant]
  )(version: => Long) {
    def currentVersion: Long = version
  }

  override val columns: Seq[ViewColumn[Ref]] = Seq(
    ViewColumn[Ref]("name", StringType, "name", nullable = false)(_.name),
    ViewColumn[Ref]("type", StringType, "`BRANCH` or `TAG`", nullable = false)(_.kind),
    ViewColumn[Ref]("branch", StringType, "branch of the version", nullable = false)(
      _.branch
    ),
    ViewColumn[Ref](
      "version",
      LongType,
      "version of the tag, or the latest version of the branch",
      nullable = false
    )(_.currentVersion),
    ViewColumn[Ref]("created_at", TimestampType, "time of creation; null for `main`")(
      _.createdAt
    )
  )

  override def isVersioned: Boolean = false

  override def entries(source: MetadataSource): Iterator[Ref] = {
    val (store, path) = (source.home.store, source.home.path)
    def latest(branch: String) =
      LanceTable.open(store, path, Revision.OnBranch(branch)).version
    def branch(name: String, createdAt: Option[Instant]) =
      new Ref(name, "BRANCH", name, createdAt)(latest(name))
    val branches = LanceTable.branches(store, path).list()
    val tags = LanceTable.tags(store, path).list()
    Iterator.single(branch(RefNames.mainBranch, None)) ++
      branches.iterator.map(b => branch(b.name, b.createdAt)) ++
      tags.iterator.map { t =>
        new Ref(t.name, "TAG", t.branch.getOrElse(RefNames.mainBranch), t.createdAt)(t.version)
      }
  }
}

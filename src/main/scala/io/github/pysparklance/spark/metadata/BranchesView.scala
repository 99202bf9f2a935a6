// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Branch

/** The branches of a table. */
private object BranchesView
    extends MetadataView("branches", "a branch of the table other than the main one, by name") {
  override type Entry = Branch

  override val columns: Seq[ViewColumn[Branch]] = Seq(
    ViewColumn[Branch]("name", StringType, "its name", nullable = false)(_.name),
    ViewColumn[Branch]("parent_branch", StringType, "branch it began at; null: the main one")(
      _.parentBranch
    ),
    ViewColumn[Branch]("parent_version", LongType, "version it began at", nullable = false)(
      _.parentVersion
    ),
    ViewColumn[Branch]("created_at", TimestampType, "when it was made")(_.createdAt),
    ViewColumn[Branch](
      "identifier",
      StringType,
      "versions and ids from the main branch to it, which tell it from another of its name",
      nullable = false
    )(_.id.path.map { case (version, digits) => s"$version:$digits" }.mkString("/")),
    ViewColumn[Branch](
      "metadata",
      MapType(StringType, StringType, valueContainsNull = false),
      "notes on it",
      nullable = false
    )(_.metadata)
  )

  override def isVersioned: Boolean = false

  override def entries(source: MetadataSource): Iterator[Branch] =
    LanceTable.branches(source.home.store, source.home.path).list().iterator
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Branch

/** Lists the branches of a table. */
private object BranchesView
    extends MetadataView("branches", "a branch of the table except `main`, ordered by name") {
  override type Entry = Branch

  override val columns: Seq[ViewColumn[Branch]] = Seq(
    ViewColumn[Branch]("name", StringType, "name", nullable = false)(_.name),
    ViewColumn[Branch]("parent_branch", StringType, "branch at which it starts; null for `main`")(
      _.parentBranch
    ),
    ViewColumn[Branch]("parent_version", LongType, "version at which it starts", nullable = false)(
      _.parentVersion
    ),
    ViewColumn[Branch]("created_at", TimestampType, "time of creation")(_.createdAt),
    ViewColumn[Branch](
      "identifier",
      StringType,
      "versions and ids on the path from `main`, which distinguish it from an earlier branch with the same name",
      nullable = false
    )(_.id.path.map { case (version, digits) => s"$version:$digits" }.mkString("/")),
    ViewColumn[Branch](
      "metadata",
      MapType(StringType, StringType, valueContainsNull = false),
      "metadata",
      nullable = false
    )(_.metadata)
  )

  override def isVersioned: Boolean = false

  override def entries(source: MetadataSource): Iterator[Branch] =
    LanceTable.branches(source.home.store, source.home.path).list().iterator
}

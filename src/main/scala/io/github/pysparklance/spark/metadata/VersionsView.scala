// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.table.history.{LoggedVersion, VersionLog}
import io.github.pysparklance.table.refs.Tag
import io.github.pysparklance.table.{LanceTable, VersionContent}

/** What each version holds. */
private object VersionsView
    extends MetadataView("versions", "a version that is still there, the oldest first") {
  override type Entry = Logged

  /** @param tags of all versions of the table, by branch and number */
  final class Logged(
      val entry: LoggedVersion,
      branch: Option[String],
      tags: => Map[(Option[String], Long), Seq[Tag]]
  ) {
    def names: Seq[String] = tags.getOrElse(branch -> entry.version, Nil).map(_.name)
  }

  private def column(name: String, dataType: DataType, meaning: String)(
      value: VersionContent => Any
  ): ViewColumn[Logged] =
    ViewColumn[Logged](name, dataType, meaning)(l => value(l.entry.content))

  override val columns: Seq[ViewColumn[Logged]] = Seq(
    ViewColumn[Logged]("version", LongType, "number of the version", nullable = false)(
      _.entry.version
    ),
    column("timestamp", TimestampType, "time of the commit")(_.timestamp),
    ViewColumn[Logged](
      "tags",
      ArrayType(StringType, containsNull = false),
      "tags that name it",
      nullable = false
    )(_.names),
    column("rows", LongType, "rows that are not deleted")(_.rowCount),
    column("fragments", IntegerType, "fragments")(_.numFragments),
    column("data_files", IntegerType, "data files")(_.numDataFiles),
    column("deletion_files", IntegerType, "fragments with deleted rows")(_.numDeletionFiles),
    column(
      "bytes",
      LongType,
      "bytes of the data files; null where an old writer did not note them"
    )(_.dataBytes),
    column("file_version", StringType, "version of new data files")(_.fileVersion.text),
    column("has_stable_row_ids", BooleanType, "whether rows keep their id when they move")(
      _.hasStableRowIds
    ),
    ViewColumn[Logged]("manifest_path", StringType, "where its manifest is", nullable = false)(
      _.entry.manifestPath
    ),
    ViewColumn[Logged]("manifest_bytes", LongType, "length of the manifest")(
      _.entry.manifestSizeBytes
    )
  )

  override def entries(source: MetadataSource): Iterator[Logged] = {
    lazy val tags =
      LanceTable.tags(source.home.store, source.home.path).list().groupBy(t =>
        t.branch -> t.version
      )
    val branch = source.table.manifest.branch
    VersionLog
      .of(source.table, source.isFixed)
      .oldestFirst
      .map(new Logged(_, branch, tags))
  }
}

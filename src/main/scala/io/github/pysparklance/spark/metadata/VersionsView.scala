// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.table.history.{LoggedVersion, VersionLog}
import io.github.pysparklance.table.refs.Tag
import io.github.pysparklance.table.{LanceTable, VersionContent}

/** Lists the versions of a table with a summary of their content. */
private object VersionsView
    extends MetadataView("versions", "an existing version, oldest first") {
  override type Entry = Logged

  /** @param tags tags of all versions of the table, by branch and version number */
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
      "tags of the version",
      nullable = false
    )(_.names),
    column("rows", LongType, "number of rows that are not deleted")(_.rowCount),
    column("fragments", IntegerType, "number of fragments")(_.numFragments),
    column("data_files", IntegerType, "number of data files")(_.numDataFiles),
    column(
      "deletion_files",
      IntegerType,
      "number of fragments with deleted rows"
    )(_.numDeletionFiles),
    column(
      "bytes",
      LongType,
      "size of the data files in bytes; null if not recorded"
    )(_.dataBytes),
    column("file_version", StringType, "file version of new data files")(_.fileVersion.text),
    column("has_stable_row_ids", BooleanType, "whether the table has stable row ids")(
      _.hasStableRowIds
    ),
    ViewColumn[Logged]("manifest_path", StringType, "path of the manifest", nullable = false)(
      _.entry.manifestPath
    ),
    ViewColumn[Logged]("manifest_bytes", LongType, "size of the manifest in bytes")(
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

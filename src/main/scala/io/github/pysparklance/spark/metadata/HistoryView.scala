// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types.{IntegerType, LongType, MapType, StringType, TimestampType}

import io.github.pysparklance.spark.commit.CommitInfo
import io.github.pysparklance.table.history.{LoggedVersion, VersionLog}

/** Lists the commits of a table. */
private object HistoryView
    extends MetadataView("history", "the commit of an existing version, latest first") {
  override type Entry = LoggedVersion

  override val columns: Seq[ViewColumn[LoggedVersion]] = Seq(
    ViewColumn[LoggedVersion]("version", LongType, "number of the version", nullable = false)(
      _.version
    ),
    ViewColumn[LoggedVersion]("timestamp", TimestampType, "time of the commit", nullable = false)(
      _.info.timestamp
    ),
    ViewColumn[LoggedVersion](
      "operation",
      StringType,
      "the statement, such as `MERGE`, otherwise the operation of the format, such as `Append`; null if not recorded"
    )(v => CommitInfo.operation(v.info)),
    ViewColumn[LoggedVersion]("read_version", LongType, "version that the commit is based on")(
      _.info.readVersion
    ),
    ViewColumn[LoggedVersion]("rows", LongType, "number of rows of the version")(_.info.rowCount),
    ViewColumn[LoggedVersion](
      "rows_added",
      LongType,
      "number of rows that the previous version did not have"
    )(
      _.info.rowsAdded
    ),
    ViewColumn[LoggedVersion](
      "rows_deleted",
      LongType,
      "number of rows that only the previous version had"
    )(
      _.info.rowsDeleted
    ),
    ViewColumn[LoggedVersion](
      "fragments",
      IntegerType,
      "number of fragments of the version",
      false
    )(
      _.info.numFragments
    ),
    ViewColumn[LoggedVersion]("message", StringType, "commit message")(
      _.info.properties.get(CommitInfo.message)
    ),
    ViewColumn[LoggedVersion](
      "properties",
      MapType(StringType, StringType, valueContainsNull = false),
      "all commit properties",
      nullable = false
    )(_.info.properties),
    ViewColumn[LoggedVersion](
      "writer",
      StringType,
      "library that wrote the version, with its release"
    )(
      _.info.writer.map(w => s"${w.library} ${w.version}")
    )
  )

  override def entries(source: MetadataSource): Iterator[LoggedVersion] =
    VersionLog.of(source.table, source.isFixed).latestFirst
}

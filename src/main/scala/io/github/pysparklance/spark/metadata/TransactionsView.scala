// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.table.history.{LoggedVersion, VersionLog}

/** The transactions behind the versions. */
private object TransactionsView
    extends MetadataView(
      "transactions",
      "the transaction of a version that is still there, the newest first"
    ) {
  override type Entry = LoggedVersion

  override val columns: Seq[ViewColumn[LoggedVersion]] = Seq(
    ViewColumn[LoggedVersion]("version", LongType, "the version it made", nullable = false)(
      _.version
    ),
    ViewColumn[LoggedVersion](
      "uuid",
      StringType,
      "its id; null where the transaction was not noted or is gone"
    )(_.transaction.map(_.uuid)),
    ViewColumn[LoggedVersion]("read_version", LongType, "the version it was based on")(
      _.transaction.map(_.readVersion)
    ),
    ViewColumn[LoggedVersion]("operation", StringType, "what was done, such as `Append`")(
      _.info.operation
    ),
    ViewColumn[LoggedVersion](
      "properties",
      MapType(StringType, StringType, valueContainsNull = false),
      "notes on the commit, those of the library included",
      nullable = false
    )(_.info.properties),
    ViewColumn[LoggedVersion]("path", StringType, "its own file, where it has one")(
      _.transaction.flatMap(_.path)
    ),
    ViewColumn[LoggedVersion](
      "message",
      StringType,
      "all of it in protobuf's text form; long where many fragments changed"
    )(_.transaction.map(_.message))
  )

  override def entries(source: MetadataSource): Iterator[LoggedVersion] =
    VersionLog.of(source.table, source.isFixed).newestFirst
}

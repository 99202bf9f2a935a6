// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.table.history.{LoggedVersion, VersionLog}

/** Lists the transactions of the versions. */
private object TransactionsView
    extends MetadataView(
      "transactions",
      "the transaction of an existing version, latest first"
    ) {
  override type Entry = LoggedVersion

  override val columns: Seq[ViewColumn[LoggedVersion]] = Seq(
    ViewColumn[LoggedVersion](
      "version",
      LongType,
      "version that the transaction committed",
      nullable = false
    )(
      _.version
    ),
    ViewColumn[LoggedVersion](
      "uuid",
      StringType,
      "id of the transaction; null if not recorded or removed"
    )(_.transaction.map(_.uuid)),
    ViewColumn[LoggedVersion]("read_version", LongType, "version that the commit is based on")(
      _.transaction.map(_.readVersion)
    ),
    ViewColumn[LoggedVersion]("operation", StringType, "operation of the format, such as `Append`")(
      _.info.operation
    ),
    ViewColumn[LoggedVersion](
      "properties",
      MapType(StringType, StringType, valueContainsNull = false),
      "commit properties, including properties of the library",
      nullable = false
    )(_.info.properties),
    ViewColumn[LoggedVersion](
      "path",
      StringType,
      "path of the transaction file; null if there is none"
    )(
      _.transaction.flatMap(_.path)
    ),
    ViewColumn[LoggedVersion](
      "message",
      StringType,
      "the transaction in protobuf text format; long if many fragments changed"
    )(_.transaction.map(_.message))
  )

  override def entries(source: MetadataSource): Iterator[LoggedVersion] =
    VersionLog.of(source.table, source.isFixed).latestFirst
}

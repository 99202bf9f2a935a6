// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{
  ArrayType,
  DoubleType,
  FloatType,
  StringType,
  StructField,
  StructType
}

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.commit.{CommitInfo, Published, TaskFiles}
import io.github.pysparklance.spark.common.{LanceOptions, OptionUse, TableLocation}
import io.github.pysparklance.spark.streaming.StreamErrors
import io.github.pysparklance.spark.types.{ColumnOptions, SparkTypes, TableKeys}
import io.github.pysparklance.spark.write.{
  ExistingTable,
  LanceWriteBuilder,
  WriteMode,
  WriteOptions,
  WritePlan,
  WrittenRows
}
import io.github.pysparklance.table.transaction.build.AppliedWrites
import io.github.pysparklance.table.{FragmentWriter, LanceTable}

/** The planned write of a micro-batch. Columns are matched by name; in appended rows, missing
  * columns get their default or null. The number of the micro-batch is only known at its commit.
  *
  * @param table the latest version
  * @param mode whether the rows are appended or replace all rows
  */
final private[sink] class SinkPlan(
    info: LogicalWriteInfo,
    location: TableLocation,
    val table: LanceTable,
    mode: WriteMode,
    val sinkOptions: SinkOptions
) {

  /** The id of the query, which does not change if the query restarts from its checkpoint. */
  val queryId: String = info.queryId()

  val options: WriteOptions = WriteOptions(
    LanceOptions(OptionUse.Write, info.options(), table.manifest.config, location.options),
    TableKeys.clusteringColumns(table.schema)
  )
  options.distribution.check(info.schema())

  /** The write of the rows, without the number of the micro-batch. */
  val rows: WritePlan = by(options.info)
  LanceWriteBuilder.checkColumns(rows)
  FragmentWriter.check(rows.schema, rows.fileVersion)

  private val keys: Seq[StructField] = sinkOptions.upsertKeys.map(key)
  if (keys.nonEmpty) checkComplete()

  /** The number of the last micro-batch that the query committed before; `None` if the table does
    * not record one.
    */
  def lastEpoch: Option[Long] = AppliedWrites.latest(table.manifest.config, queryId)

  /** Whether a micro-batch with these files changes nothing. */
  def isEmpty(files: TaskFiles): Boolean = mode == WriteMode.Append && files.fragments.isEmpty

  /** Commits the rows of a micro-batch.
    *
    * @param info commit properties with the query and the number of the micro-batch
    */
  def publish(info: CommitInfo, files: TaskFiles): Published =
    if (keys.isEmpty)
      by(info).publish(WrittenRows(files.fragments, Nil, zones = files.zones))
    else new Upsert(location, table, keys, info)(files.fragments)

  private def by(commit: CommitInfo): WritePlan = {
    val columns = info.options().asCaseSensitiveMap().asScala.toMap
      .filter(s => ColumnOptions.isColumnOption(s._1))
    // The session may set options of batch writes: their numbers, and the rows that they overwrite.
    val write = options.copy(
      info = commit,
      replaceWhere = None,
      replaceKeys = false,
      // Upserts do not change the schema, even if other writes of the session do.
      mergeSchema = options.mergeSchema && sinkOptions.upsertKeys.isEmpty
    )
    ExistingTable(location, table, anySchema = true, byName = true)
      .plan(info.schema(), columns, write, mode)
      .constrainedInStream(table.manifest.config)
  }

  /** Checks that upserts, which replace whole rows, lose no values of the replaced rows. */
  private def checkComplete(): Unit = {
    val unreadable = SparkTypes.unreadable(table.schema.fields).map(_._1)
    val missing = (unreadable ++ MissingFields(rows.columns, info.schema())).distinct
    if (missing.nonEmpty)
      throw StreamErrors.missingColumns(location.path, table.version, missing)
  }

  private def key(name: String): StructField = {
    def reject(why: String): Nothing =
      throw new InvalidRequestException(
        s"option upsertKeys: the column $name $why",
        Place(path = Some(table.path))
      )
    val isSame = SQLConf.get.resolver
    val column = rows.columns
      .find(c => isSame(c.name, name))
      .getOrElse(reject(s"is not one of ${rows.columns.fieldNames.mkString(", ")}"))
    if (!info.schema().exists(c => isSame(c.name, name)))
      reject("is missing in the rows of the stream")
    column.dataType match {
      case FloatType | DoubleType =>
        reject("has floating-point numbers, which do not identify rows")
      case t @ (_: StructType | _: ArrayType) =>
        reject(s"has type ${t.sql}, and the columns of a key have single values")
      case t: StringType if t.sql.contains(" COLLATE ") =>
        reject(
          s"has type ${t.sql}, and a key is compared by its bytes: use a column without COLLATE"
        )
      case t if RowOrdering.isOrderable(t) => column
      case t => reject(s"has type ${t.sql}, whose values cannot be compared")
    }
  }
}

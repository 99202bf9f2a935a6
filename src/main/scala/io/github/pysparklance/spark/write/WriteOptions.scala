// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.file.spi.WriteBudget
import io.github.pysparklance.index.zones.ZoneMapRequest
import io.github.pysparklance.spark.commit.CommitInfo
import io.github.pysparklance.spark.common.{LanceOptions, OptionUse, SqlExpression}
import io.github.pysparklance.table.schema.FieldPath

/** The options of a write, fixed when the write is planned. Write options take precedence over
  * table properties.
  *
  * @param fileVersion option `fileVersion` (`dataStorageVersion`): file version of a new or
  *   replaced table
  * @param maxRowsPerFile option `maxRowsPerFile`: maximum rows per fragment
  * @param maxBytesPerFile option `maxBytesPerFile`: size at which a new fragment starts
  * @param budget option `writeBufferBytes`: bytes that a task buffers for all columns before
  *   encoding
  * @param distribution distribution of rows over tasks, and their order
  * @param info commit properties and options
  * @param mergeSchema option `mergeSchema`: whether to add missing columns to the table
  * @param overwriteSchema option `overwriteSchema`: whether an overwrite replaces the columns
  * @param replaceWhere option `replaceWhere`: condition for the replaced rows, and its SQL text
  * @param replaceKeys option `partitionOverwriteMode`, `dynamic`: whether an overwrite replaces
  *   rows with the same key
  * @param targetBases option `targetBases`: base paths among which files are distributed
  * @param enableStableRowIds option `enableStableRowIds`: whether a new table has stable row ids
  * @param zoneMaps options `automaticZoneMaps` and `zonemap`: columns whose zone maps cover the new
  *   rows
  * @param expectedRows option `expectedRows`: number of rows; with any other number, nothing is
  *   committed
  */
final private[spark] case class WriteOptions(
    fileVersion: Option[FileVersion],
    maxRowsPerFile: Long,
    maxBytesPerFile: Long,
    budget: WriteBudget = WriteBudget.default,
    distribution: RowDistribution = RowDistribution.asTheyCome,
    info: CommitInfo = CommitInfo.none,
    mergeSchema: Boolean = false,
    overwriteSchema: Boolean = false,
    replaceWhere: Option[(Expression, String)] = None,
    replaceKeys: Boolean = false,
    targetBases: IndexedSeq[String] = IndexedSeq.empty,
    enableStableRowIds: Boolean = false,
    expectedRows: Option[Long] = None,
    zoneMaps: ZoneMapRequest = ZoneMapRequest.default
)

/** Parses write options. */
private[spark] object WriteOptions {

  /** The default of pylance. */
  val DefaultMaxRowsPerFile: Long = 1L << 20

  /** The default of pylance. */
  val DefaultMaxBytesPerFile: Long = 90L << 30

  /** Returns the options for a table without a clustering key. */
  def apply(options: LanceOptions): WriteOptions = apply(options, Nil)

  /** @param clusteringKey columns of the clustering key
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if the file version does not
    *   exist
    * @throws io.github.pysparklance.core.InvalidRequestException if a limit is not positive, or a
    *   name is misspelled
    */
  def apply(options: LanceOptions, clusteringKey: Seq[String]): WriteOptions = {
    options.checkNames(OptionUse.Write)
    def parsed(condition: String) =
      SqlExpression.parse(SparkSession.active, condition) -> condition
    WriteOptions(
      fileVersion(options),
      maxRowsPerFile(options),
      options.bytes(1, "maxBytesPerFile").getOrElse(DefaultMaxBytesPerFile),
      options
        .bytes(1 << 20, "writeBufferBytes")
        .fold(WriteBudget.default)(b => WriteBudget.default.copy(totalBytes = b)),
      RowDistribution(options, clusteringKey),
      CommitInfo(options),
      options.boolean("mergeSchema").getOrElse(false),
      options.boolean("overwriteSchema").getOrElse(false),
      options.text("replaceWhere").filter(_.trim.nonEmpty).map(parsed),
      replaceKeys(options),
      options
        .text("targetBases")
        .toIndexedSeq
        .flatMap(_.split(',').map(_.trim).filter(_.nonEmpty)),
      stableRowIds(options),
      options.long(0, "expectedRows"),
      zoneMaps(options)
    )
  }

  /** Rejects options of streaming writes.
    *
    * @throws InvalidRequestException that names the option
    */
  def checkBatch(options: CaseInsensitiveStringMap): Unit =
    rejectAny(options, ofStreams, "applies to streaming writes only")

  /** Rejects options of batch writes that contradict a streaming write.
    *
    * @throws InvalidRequestException that names the option
    */
  def checkStream(options: CaseInsensitiveStringMap): Unit =
    rejectAny(options, ofBatches, "does not apply to streaming writes")

  private def rejectAny(
      options: CaseInsensitiveStringMap,
      names: Seq[String],
      why: String
  ): Unit = {
    val set = LanceOptions(options)
    names.filter(set.text(_).isDefined).foreach { name =>
      throw new InvalidRequestException(s"option $name $why")
    }
  }

  private val ofStreams = Seq("upsertKeys", "autoCompact")

  /** Streams number their own writes, and their output mode selects the rows that they replace. */
  private val ofBatches = Seq(
    "txnAppId",
    "txnVersion",
    "expectedRows",
    "overwriteSchema",
    "replaceWhere",
    "partitionOverwriteMode"
  )

  /** Returns the columns that get zone maps.
    *
    * @throws InvalidRequestException if the name of a column is invalid
    */
  def zoneMaps(options: LanceOptions): ZoneMapRequest = ZoneMapRequest(
    options.boolean("automaticZoneMaps").getOrElse(true),
    RowDistribution.list(options, "zonemap").filter(_.nonEmpty).map(FieldPath.parse)
  )

  /** Spark's configuration for file sources is the default. */
  private def maxRowsPerFile(options: LanceOptions): Long =
    options
      .long(1, "maxRowsPerFile")
      .orElse(Some(SQLConf.get.maxRecordsPerFile).filter(_ > 0))
      .getOrElse(DefaultMaxRowsPerFile)

  private def replaceKeys(options: LanceOptions): Boolean =
    options.text("partitionOverwriteMode").exists { mode =>
      val modes = Seq("static", "dynamic")
      if (!modes.exists(_.equalsIgnoreCase(mode.trim)))
        throw new InvalidRequestException(
          s"option partitionOverwriteMode is '$mode', one of ${modes.mkString(", ")} is expected"
        )
      mode.trim.equalsIgnoreCase("dynamic")
    }

  /** Whether a new table gets stable row ids. */
  def stableRowIds(options: LanceOptions): Boolean =
    options.boolean("enableStableRowIds").getOrElse(false)

  /** Returns the requested file version.
    *
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if it does not exist
    */
  def fileVersion(options: LanceOptions): Option[FileVersion] =
    options.text("fileVersion").map(v => FileVersion.parse(v.trim))
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.file.spi.WriteBudget
import io.github.pysparklance.index.zones.ZoneMapRequest
import io.github.pysparklance.spark.commit.CommitNotes
import io.github.pysparklance.spark.common.{LanceOptions, OptionUse}
import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.table.schema.FieldPath

/** How rows are written; decided once, when the write is planned: by the options of the write, then by the properties
  * of the table.
  *
  * @param fileVersion option `fileVersion` (`dataStorageVersion`): version of the files of a new or replaced table
  * @param maxRowsPerFile option `maxRowsPerFile`: rows of a fragment, at most
  * @param maxBytesPerFile option `maxBytesPerFile`: a file that has grown to this is the last of its fragment
  * @param budget option `writeBufferBytes`: what a task gathers of all columns before it is encoded
  * @param distribution which rows go to which task, and in which order
  * @param notes what is said of the commit
  * @param mergeSchema option `mergeSchema`: columns that the table lacks are added to it
  * @param overwriteSchema option `overwriteSchema`: an overwrite replaces the columns as well
  * @param replaceWhere option `replaceWhere`: the rows that an overwrite replaces, and how the user wrote it
  * @param replaceKeys option `partitionOverwriteMode`, `dynamic`: an overwrite replaces rows with the same key
  * @param targetBases option `targetBases`: base paths that get the files in turn
  * @param enableStableRowIds option `enableStableRowIds`: what a new table has
  * @param zoneMaps options `automaticZoneMaps` and `zonemap`: columns whose zone maps cover the new rows
  * @param expectedRows option `expectedRows`: number of rows without which nothing is committed
  */
final private[spark] case class WriteOptions(
    fileVersion: Option[FileVersion],
    maxRowsPerFile: Long,
    maxBytesPerFile: Long,
    budget: WriteBudget = WriteBudget.default,
    distribution: RowDistribution = RowDistribution.asTheyCome,
    notes: CommitNotes = CommitNotes.none,
    mergeSchema: Boolean = false,
    overwriteSchema: Boolean = false,
    replaceWhere: Option[(Expression, String)] = None,
    replaceKeys: Boolean = false,
    targetBases: IndexedSeq[String] = IndexedSeq.empty,
    enableStableRowIds: Boolean = false,
    expectedRows: Option[Long] = None,
    zoneMaps: ZoneMapRequest = ZoneMapRequest.default
)

private[spark] object WriteOptions {

  /** As pylance has it. */
  val DefaultMaxRowsPerFile: Long = 1L << 20

  /** As pylance has it. */
  val DefaultMaxBytesPerFile: Long = 90L << 30

  /** The same, for a table without a clustering key. */
  def apply(options: LanceOptions): WriteOptions = apply(options, Nil)

  /** @param clusteringKey columns of the table that say what its rows are near to, if it has such
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for a file version that does not exist
    * @throws io.github.pysparklance.core.InvalidRequestException for a limit that is no positive number, and a name
    *   that is nearly one of ours
    */
  def apply(options: LanceOptions, clusteringKey: Seq[String]): WriteOptions = {
    options.checkNames(OptionUse.Write)
    def parsed(condition: String) =
      SessionShim.parser(SparkSession.active).parseExpression(condition) -> condition
    WriteOptions(
      fileVersion(options),
      maxRowsPerFile(options),
      options.bytes(1, "maxBytesPerFile").getOrElse(DefaultMaxBytesPerFile),
      options
        .bytes(1 << 20, "writeBufferBytes")
        .fold(WriteBudget.default)(b => WriteBudget.default.copy(totalBytes = b)),
      RowDistribution(options, clusteringKey),
      CommitNotes(options),
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

  /** The columns that get zone maps while rows are written.
    *
    * @throws InvalidRequestException for a name of a column that is not valid
    */
  def zoneMaps(options: LanceOptions): ZoneMapRequest = ZoneMapRequest(
    options.boolean("automaticZoneMaps").getOrElse(true),
    RowDistribution.list(options, "zonemap").filter(_.nonEmpty).map(FieldPath.parse)
  )

  /** As for file sources, Spark's setting counts if nothing else does. */
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

  /** Whether a table that is made gets stable row ids. */
  def stableRowIds(options: LanceOptions): Boolean =
    options.boolean("enableStableRowIds").getOrElse(false)

  /** The file version asked for.
    *
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for one that does not exist
    */
  def fileVersion(options: LanceOptions): Option[FileVersion] =
    options.text("fileVersion").map(v => FileVersion.parse(v.trim))
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import io.github.pysparklance.core.{BlobField, BlobMode, Field, InvalidRequestException, Schema}
import io.github.pysparklance.spark.common.LanceOptions

/** Where Spark has several types for one of Lance's, which one a read gets. Decided when the table is loaded.
  *
  * @param nativeTimeTypes option `nativeTimeTypes`: times as TIME and durations as day-time intervals instead of
  *   integers
  * @param blobMode option `blobMode` (`blobHandling`): what a blob column holds
  * @param rawNanoseconds timestamps of nanoseconds as integers; no option, see [[TypeOptions.stored]]
  */
final case class TypeOptions(
    nativeTimeTypes: Boolean = false,
    blobMode: BlobMode = BlobMode.Content,
    rawNanoseconds: Boolean = false
) {

  /** The fields of a table as a read sees them. */
  def fields(schema: Schema): IndexedSeq[Field] = schema.fields.map(BlobField.in(blobMode))

  /** The same with options of a read.
    *
    * @throws InvalidRequestException for a value that an option does not have
    */
  private[spark] def and(options: LanceOptions): TypeOptions = copy(
    nativeTimeTypes = options.boolean("nativeTimeTypes").getOrElse(nativeTimeTypes),
    blobMode = options.text("blobMode").fold(blobMode)(TypeOptions.blobMode)
  )
}

object TypeOptions {
  val default: TypeOptions = TypeOptions()

  /** The options. */
  private[spark] val names: Seq[String] = Seq("nativeTimeTypes", "blobMode")

  /** Types that hold every value as it is, for rows that are written back. */
  private[spark] val stored: TypeOptions = TypeOptions(rawNanoseconds = true)

  /** @throws InvalidRequestException for a value that an option does not have */
  private[spark] def apply(options: LanceOptions): TypeOptions = default.and(options)

  /** Checks the options of a scan against those that the table was loaded with.
    *
    * @throws InvalidRequestException when the scan asks for other types
    */
  private[spark] def checkScan(options: LanceOptions, loaded: TypeOptions): Unit = {
    val set = names.filter(options.text(_).isDefined)
    if (loaded.and(options) != loaded)
      throw new InvalidRequestException(
        s"option ${set.mkString(", ")} decides on the types of columns and so cannot be set for a table of a " +
          "catalog; set it for the catalog, or read the table by its path"
      )
  }

  private def blobMode(text: String): BlobMode =
    BlobMode.all.find(_.text.equalsIgnoreCase(text.trim)).getOrElse(
      throw new InvalidRequestException(
        s"option blobMode is '$text', one of ${BlobMode.all.map(_.text).mkString(", ")} is expected"
      )
    )
}

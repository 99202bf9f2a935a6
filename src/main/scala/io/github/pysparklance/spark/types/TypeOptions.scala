// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import io.github.pysparklance.core.{BlobField, BlobMode, Field, InvalidRequestException, Schema}
import io.github.pysparklance.spark.common.LanceOptions

/** Selects Spark types for Lance types with several choices. Fixed when the table is loaded.
  *
  * @param nativeTimeTypes option `nativeTimeTypes`: reads times as TIME and durations as day-time
  *   intervals instead of integers
  * @param blobMode option `blobMode` (`blobHandling`): content of blob columns
  * @param rawNanoseconds whether nanosecond timestamps are integers; not an option, see
  *   [[TypeOptions.stored]]
  */
final case class TypeOptions(
    nativeTimeTypes: Boolean = false,
    blobMode: BlobMode = BlobMode.Content,
    rawNanoseconds: Boolean = false
) {

  /** Returns the fields of a table for a read. */
  def fields(schema: Schema): IndexedSeq[Field] = schema.fields.map(BlobField.in(blobMode))

  /** Returns a copy with options of a read.
    *
    * @throws InvalidRequestException if a value is invalid
    */
  private[spark] def and(options: LanceOptions): TypeOptions = copy(
    nativeTimeTypes = options.boolean("nativeTimeTypes").getOrElse(nativeTimeTypes),
    blobMode = options.text("blobMode").fold(blobMode)(TypeOptions.blobMode)
  )
}

/** Parses and checks type options. */
object TypeOptions {
  val default: TypeOptions = TypeOptions()

  /** Names of the options. */
  private[spark] val names: Seq[String] = Seq("nativeTimeTypes", "blobMode")

  /** Types that preserve all values, for rows that are written again. */
  private[spark] val stored: TypeOptions = TypeOptions(rawNanoseconds = true)

  /** @throws InvalidRequestException if a value is invalid */
  private[spark] def apply(options: LanceOptions): TypeOptions = default.and(options)

  /** Checks that the options of a scan equal the options with which the table was loaded.
    *
    * @throws InvalidRequestException if the scan requests other types
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

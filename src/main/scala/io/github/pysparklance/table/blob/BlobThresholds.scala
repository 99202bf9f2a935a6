// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import io.github.pysparklance.core.{Field, InvalidRequestException, Parse, Place, Schema}

/** The sizes above which blobs of a field are stored outside the data file.
  *
  * Source: format page of the table, "Blobs" and "Reserved metadata keys".
  *
  * @param inlineBytes blobs up to this size are stored in the data file
  * @param dedicatedBytes larger blobs get a dedicated file; blobs between the two sizes share a
  *   file
  * @param packBytes maximum bytes of a shared file
  */
final case class BlobThresholds(inlineBytes: Long, dedicatedBytes: Long, packBytes: Long)

object BlobThresholds {
  val default: BlobThresholds = BlobThresholds(64L << 10, 4L << 20, 1L << 30)

  private val prefix = "lance-encoding:blob-"
  private val inline = prefix + "inline-size-threshold"
  private val dedicated = prefix + "dedicated-size-threshold"
  private val pack = prefix + "pack-file-size-threshold"

  /** Returns the thresholds in the metadata of a blob field.
    *
    * @throws InvalidRequestException for a value that is not a number of bytes
    */
  def of(field: Field): BlobThresholds = BlobThresholds(
    bytes(field, inline, least = 0, default.inlineBytes),
    bytes(field, dedicated, least = 1, default.dedicatedBytes),
    bytes(field, pack, least = 1, default.packBytes)
  )

  /** Checks the fields of a schema.
    *
    * @throws InvalidRequestException for a value that is not a number of bytes
    */
  def check(schema: Schema): Unit = schema.flatten.filter(_.isBlob).foreach(of)

  private def bytes(field: Field, key: String, least: Long, unset: Long): Long =
    field.metadata.get(key).fold(unset) { text =>
      Parse.long(text).filter(_ >= least).getOrElse(
        throw new InvalidRequestException(
          s"$key is '$text', expected a number of bytes of at least $least",
          Place(column = Some(field.name))
        )
      )
    }
}

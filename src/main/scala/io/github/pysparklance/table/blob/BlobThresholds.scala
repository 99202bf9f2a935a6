// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import io.github.pysparklance.core.{Field, InvalidRequestException, Parse, Place, Schema}

/** From how many bytes on a blob of a field leaves the data file.
  *
  * Source: format page of the table, "Blobs" and "Reserved metadata keys".
  *
  * @param inlineBytes blobs of at most this many stay in the data file
  * @param dedicatedBytes blobs of more get a file of their own, those between the two share one
  * @param packBytes a shared file takes no more blobs than fit into this
  */
final case class BlobThresholds(inlineBytes: Long, dedicatedBytes: Long, packBytes: Long)

object BlobThresholds {
  val default: BlobThresholds = BlobThresholds(64L << 10, 4L << 20, 1L << 30)

  private val prefix = "lance-encoding:blob-"
  private val inline = prefix + "inline-size-threshold"
  private val dedicated = prefix + "dedicated-size-threshold"
  private val pack = prefix + "pack-file-size-threshold"

  /** What the metadata of a blob field say.
    *
    * @throws InvalidRequestException for a value that is no number of bytes
    */
  def of(field: Field): BlobThresholds = BlobThresholds(
    bytes(field, inline, least = 0, default.inlineBytes),
    bytes(field, dedicated, least = 1, default.dedicatedBytes),
    bytes(field, pack, least = 1, default.packBytes)
  )

  /** Checks the fields of a schema.
    *
    * @throws InvalidRequestException for a value that is no number of bytes
    */
  def check(schema: Schema): Unit = schema.flatten.filter(_.isBlob).foreach(of)

  private def bytes(field: Field, key: String, least: Long, unset: Long): Long =
    field.metadata.get(key).fold(unset) { text =>
      Parse.long(text).filter(_ >= least).getOrElse(
        throw new InvalidRequestException(
          s"$key is '$text', a number of bytes from $least up is expected",
          Place(column = Some(field.name))
        )
      )
    }
}

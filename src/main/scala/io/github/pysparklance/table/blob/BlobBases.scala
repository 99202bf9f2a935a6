// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import java.nio.charset.StandardCharsets.UTF_8

import io.github.pysparklance.core.{CorruptFileException, UnsupportedFeatureException}
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.manifest.BasePath

/** Where blobs outside the folders of a table may be. Made where the manifest is, sent to where the data is read.
  *
  * @param root of the table
  * @param bases its base paths by id
  */
final case class BlobBases(root: TablePath, bases: Map[Int, BasePath]) {

  /** The object that a descriptor names.
    *
    * @param blobId 0 for an absolute URI, else a base path that the URI is relative to
    * @throws CorruptFileException when there is no such base path, or the URI leads out of it
    * @throws UnsupportedFeatureException for an absolute URI without a scheme, or of a file of this machine in a table
    *   from elsewhere
    */
  def path(blobId: Int, uri: String): String =
    if (blobId == 0) absolute(uri)
    else
      bases
        .getOrElse(
          blobId,
          throw new CorruptFileException(
            s"a blob on base path ${Integer.toUnsignedString(blobId)}, which the manifest does not list"
          )
        )
        .folder(root)
        .resolve(uri)

  private def absolute(uri: String): String = {
    val here = TablePath.scheme(root.root)
    TablePath.scheme(uri) match {
      case None =>
        throw new UnsupportedFeatureException(s"""the external blob "$uri" without a scheme""")
      case Some("file") if here.exists(_ != "file") =>
        throw new UnsupportedFeatureException(
          s"""the external blob "$uri" on the machine of the reader, while the table is elsewhere"""
        )
      case Some("s3") if here.contains("s3a") => BlobBases.decoded("s3a" + uri.drop("s3".length))
      case Some(_) => BlobBases.decoded(uri)
    }
  }
}

object BlobBases {

  /** A URI as Hadoop's paths write it: without percent signs that stand for other characters. */
  private def decoded(uri: String): String =
    if (!uri.contains('%')) uri
    else {
      val bytes = uri.getBytes(UTF_8)
      val out = new java.io.ByteArrayOutputStream(bytes.length)
      var i = 0
      while (i < bytes.length) {
        val (high, low) =
          if (bytes(i) == '%' && i + 2 < bytes.length)
            (Character.digit(bytes(i + 1).toInt, 16), Character.digit(bytes(i + 2).toInt, 16))
          else (-1, -1)
        if (high >= 0 && low >= 0) {
          out.write(high << 4 | low)
          i += 3
        } else {
          out.write(bytes(i).toInt)
          i += 1
        }
      }
      new String(out.toByteArray, UTF_8)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try

import io.github.pysparklance.core.{CorruptFileException, Printable, UnsupportedFeatureException}
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.manifest.BasePath

/** Resolves blobs outside the folders of a table. Created with the manifest and sent to the tasks
  * that read data.
  *
  * @param root root of the table
  * @param bases base paths of the table by id
  * @param allowed further locations that the reader allows
  */
final case class BlobBases(
    root: TablePath,
    bases: Map[Int, BasePath],
    allowed: AllowedUris = AllowedUris.none
) {

  /** Returns the path of the object in a descriptor.
    *
    * @param blobId 0 for an absolute URI, else the id of the base path that the URI is relative to
    * @throws CorruptFileException if the base path does not exist, or the URI leads outside of it
    * @throws UnsupportedFeatureException for an absolute URI without a scheme, or outside the
    *   table's storage, its base paths, and the allowed locations
    */
  def path(blobId: Int, uri: String): String =
    if (blobId == 0) absolute(uri)
    else
      bases
        .getOrElse(
          blobId,
          throw new CorruptFileException(
            s"a blob on base path ${Integer.toUnsignedString(blobId)}, which is not in the manifest"
          )
        )
        .folder(root)
        .resolve(uri)

  private def absolute(uri: String): String = {
    def reject(why: String) =
      throw new UnsupportedFeatureException(s"""the external blob "${Printable.line(uri)}" $why""")
    val scheme = TablePath.scheme(uri)
    if (scheme.isEmpty) reject("has no scheme")
    val plain = BlobBases.decoded(uri)
    if (AllowedUris.leadsUp(plain)) reject("has .. in its path")
    if (!isOwn(plain) && !allowed.covers(plain))
      reject(
        s"is outside of the table's own storage, $own, and its base paths; to allow it, add its " +
          s"location to the read option or catalog property ${AllowedUris.Option}"
      )
    if (scheme.contains("s3") && !TablePath.scheme(root.root).contains("s3"))
      "s3a" + plain.drop("s3".length)
    else plain
  }

  private def isOwn(uri: String): Boolean =
    AllowedUris.isBelow(uri, own) || bases.values.exists { b =>
      Try(b.folder(root)).toOption.exists(f => AllowedUris.isBelow(uri, f.root))
    }

  /** Scheme and authority of the table. */
  private def own: String = {
    val scheme = TablePath.scheme(root.root).getOrElse("file")
    s"$scheme://${TablePath.authority(root.root)}"
  }
}

object BlobBases {

  /** Returns a URI in the form of Hadoop paths, with percent escapes decoded. */
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

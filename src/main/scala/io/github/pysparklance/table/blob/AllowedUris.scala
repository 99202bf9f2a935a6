// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.storage.spi.TablePath

/** Locations outside a table's own storage and base paths from which its external blobs may be
  * read. Data files contain the URIs, and the reader's credentials fetch them, so the reader must
  * allow them.
  *
  * @param prefixes folders as URIs without trailing slashes
  */
final case class AllowedUris private (prefixes: Seq[String]) {

  /** Whether a URI is allowed.
    *
    * @param uri without percent escapes
    */
  def covers(uri: String): Boolean = prefixes.exists(AllowedUris.isBelow(uri, _))
}

object AllowedUris {

  /** Name of the option, for messages. */
  val Option: String = "allowedBlobUris"

  /** No further locations. */
  val none: AllowedUris = AllowedUris(Nil)

  /** Parses a list separated by commas, such as `s3://media/photos, hdfs://nn:8020/archive`.
    *
    * @throws InvalidRequestException for an entry without a scheme, or without an authority or path
    */
  def parse(text: String): AllowedUris = AllowedUris(
    text.split(',').toSeq.map(_.trim).filter(_.nonEmpty).map { entry =>
      val rest = entry.drop(entry.indexOf(':') + 1).dropWhile(_ == '/')
      if (TablePath.scheme(entry).isEmpty || leadsUp(entry) || rest.isEmpty && !isLocal(entry))
        throw new InvalidRequestException(
          s"option $Option contains '$entry', expected a URI with a scheme, such as s3://bucket/folder"
        )
      entry.reverse.dropWhile(_ == '/').reverse
    }
  )

  private def isLocal(uri: String): Boolean = TablePath.scheme(uri).contains("file")

  /** Whether a URI has a segment `..`. */
  private[blob] def leadsUp(uri: String): Boolean = uri.split("[/\\\\]", -1).contains("..")

  /** Whether a URI is a folder or below it. Treats all schemes of a storage as equal. */
  private[blob] def isBelow(uri: String, folder: String): Boolean = {
    def parts(text: String) = (
      TablePath.storage(text),
      TablePath.authority(text).toLowerCase(java.util.Locale.ROOT),
      TablePath.localName(text).split('/').toSeq.filter(_.nonEmpty)
    )
    val (storage, authority, path) = parts(uri)
    val (otherStorage, otherAuthority, above) = parts(folder)
    storage == otherStorage && authority == otherAuthority && path.startsWith(above)
  }
}

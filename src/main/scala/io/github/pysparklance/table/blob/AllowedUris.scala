// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.storage.spi.TablePath

/** Places outside of a table's own storage and base paths from which its external blobs may be read. The URIs are in the
  * data files, and the reader's credentials fetch them, so that the reader says what is allowed.
  *
  * @param prefixes folders as URIs, without a slash at the end
  */
final case class AllowedUris private (prefixes: Seq[String]) {

  /** @param uri without percent escapes */
  def covers(uri: String): Boolean = prefixes.exists(AllowedUris.isBelow(uri, _))
}

object AllowedUris {

  /** The option that names them, for messages. */
  val Option: String = "allowedBlobUris"

  /** No place but the table's own. */
  val none: AllowedUris = AllowedUris(Nil)

  /** Reads a list separated by commas: `s3://media/photos, hdfs://nn:8020/archive`.
    *
    * @throws InvalidRequestException for an entry without a scheme and an authority or path
    */
  def parse(text: String): AllowedUris = AllowedUris(
    text.split(',').toSeq.map(_.trim).filter(_.nonEmpty).map { entry =>
      val rest = entry.drop(entry.indexOf(':') + 1).dropWhile(_ == '/')
      if (TablePath.scheme(entry).isEmpty || leadsUp(entry) || rest.isEmpty && !isLocal(entry))
        throw new InvalidRequestException(
          s"option $Option names '$entry', a URI with a scheme is expected, such as s3://bucket/folder"
        )
      entry.reverse.dropWhile(_ == '/').reverse
    }
  )

  private def isLocal(uri: String): Boolean = TablePath.scheme(uri).contains("file")

  /** Whether a URI has a segment that leads to the folder above. */
  private[blob] def leadsUp(uri: String): Boolean = uri.split("[/\\\\]", -1).contains("..")

  /** Whether a URI is a folder or lies below it; spellings of a storage's scheme are one. */
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

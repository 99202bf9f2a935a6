// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import io.github.pysparklance.core.{CorruptFileException, InvalidRequestException, Place}

/** A folder that files of a table lie under, and the only way to name them.
  *
  * @param root local path or URI without a slash at its end; what [[DynamoDbUri]] has behind the path stays behind it
  */
final case class TablePath private (root: String) {

  /** The path of a file or folder below the root.
    *
    * @param relative segments joined by `/`, as manifests hold them
    * @throws CorruptFileException when the name is absolute or leads out of the root
    */
  def resolve(relative: String): String = {
    val segments = relative.split("/", -1)
    val leavesRoot = segments.exists(s => s.isEmpty || s == "." || s == "..")
    if (leavesRoot || relative.exists(c => c == '\\' || c == '\u0000'))
      throw new CorruptFileException(
        s"""the file name "$relative" does not stay below the table""",
        Place(path = Some(root))
      )
    val (folder, rest) = DynamoDbUri.split(root)
    if (folder.endsWith("/")) folder + relative + rest else s"$folder/$relative$rest"
  }

  /** The folder of that name below the root. */
  def folder(relative: String): TablePath = TablePath(resolve(relative))

  override def toString: String = root
}

object TablePath {

  /** The folder at a path as a user wrote it.
    *
    * @throws InvalidRequestException when the path is empty
    */
  def apply(path: String): TablePath = {
    val (folder, rest) = DynamoDbUri.split(path)
    val trimmed = folder.reverse.dropWhile(_ == '/').reverse
    if (path.isEmpty) throw new InvalidRequestException("the path of a table is empty")
    // "/" and "s3a://" have nothing left to name the root with.
    new TablePath(if (trimmed.isEmpty || trimmed.endsWith(":")) path else trimmed + rest)
  }

  private val uri = "([A-Za-z][A-Za-z0-9+.-]+):(/.*)".r

  /** The scheme of a URI in lower case; none for a bare path, also one with colons in it. */
  def scheme(path: String): Option[String] = path match {
    case uri(scheme, _) => Some(scheme.toLowerCase(java.util.Locale.ROOT))
    case _ => None
  }

  /** The kind of storage that a path is on: `file` for local ones, and one word for the schemes that name the same
    * storage, such as `s3` for `s3a`.
    */
  def storage(path: String): String = scheme(path) match {
    case None => "file"
    case Some("s3a" | "s3n" | DynamoDbUri.scheme) => "s3"
    case Some("abfss") => "abfs"
    case Some("wasbs") => "wasb"
    case Some(other) => other
  }

  /** Bucket, host or account of a URI; empty for a path without one. */
  def authority(path: String): String = path match {
    case uri(_, rest) if rest.startsWith("//") => rest.drop(2).takeWhile(c => c != '/' && c != '?')
    case _ => ""
  }

  /** The part of a path that names a local file: a bare path itself, of a `file:` URI the path. Percent signs
    * are characters like any other, as in Hadoop's paths.
    */
  def localName(path: String): String = path match {
    case uri(_, rest) if rest.startsWith("//") => rest.drop(2).dropWhile(_ != '/')
    case uri(_, rest) => rest
    case bare => bare
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import io.github.pysparklance.core.{CorruptFileException, InvalidRequestException, Place}

/** The folder of a table or branch. Resolves the relative paths of its files.
  *
  * @param root local path or URI without a trailing slash; keeps the query of a [[DynamoDbUri]]
  */
final case class TablePath private (root: String) {

  /** Returns the path of a file or folder below the root.
    *
    * @param relative segments joined by `/`, as in manifests
    * @throws CorruptFileException if the path is absolute or leads outside the root
    */
  def resolve(relative: String): String = {
    val segments = relative.split("/", -1)
    val leavesRoot = segments.exists(s => s.isEmpty || s == "." || s == "..")
    if (leavesRoot || relative.exists(c => c == '\\' || c == '\u0000'))
      throw new CorruptFileException(
        s"""the file name "$relative" leads outside the table""",
        Place(path = Some(root))
      )
    val (folder, rest) = DynamoDbUri.split(root)
    if (folder.endsWith("/")) folder + relative + rest else s"$folder/$relative$rest"
  }

  /** Returns a folder below the root. */
  def folder(relative: String): TablePath = TablePath(resolve(relative))

  override def toString: String = root
}

object TablePath {

  /** Parses a path that a user wrote.
    *
    * @throws InvalidRequestException if the path is empty
    */
  def apply(path: String): TablePath = {
    val (folder, rest) = DynamoDbUri.split(path)
    val trimmed = folder.reverse.dropWhile(_ == '/').reverse
    if (path.isEmpty) throw new InvalidRequestException("the path of a table is empty")
    // "/" and "s3a://" consist of slashes or a scheme only and are kept.
    new TablePath(if (trimmed.isEmpty || trimmed.endsWith(":")) path else trimmed + rest)
  }

  private val uri = "(?s)([A-Za-z][A-Za-z0-9+.-]+):(/.*)".r

  /** Returns the lower-case scheme of a URI, or `None` for a bare path, even if it contains colons.
    */
  def scheme(path: String): Option[String] = path match {
    case uri(scheme, _) => Some(scheme.toLowerCase(java.util.Locale.ROOT))
    case _ => None
  }

  /** Returns the kind of storage of a path: `file` for local paths, and one name for all schemes of
    * a storage, such as `s3` for `s3a`.
    */
  def storage(path: String): String = scheme(path) match {
    case None => "file"
    case Some("s3a" | "s3n" | DynamoDbUri.scheme) => "s3"
    case Some("abfss") => "abfs"
    case Some("wasbs") => "wasb"
    case Some(other) => other
  }

  /** Returns the bucket, host, or account of a URI. Empty if the path has none. */
  def authority(path: String): String = path match {
    case uri(_, rest) if rest.startsWith("//") => rest.drop(2).takeWhile(c => c != '/' && c != '?')
    case _ => ""
  }

  /** Returns the domain of the service in the paths of Azure: `dfs.core.windows.net` for
    * `abfss://container@account.dfs.core.windows.net/t`. Empty for other storage.
    */
  def service(path: String): String = storage(path) match {
    case "abfs" | "wasb" =>
      val host = authority(path).split('@').last
      host.drop(host.indexOf('.') + 1).toLowerCase(java.util.Locale.ROOT)
    case _ => ""
  }

  /** Returns the canonical form of a path: without a query and redundant slashes, and with the name
    * of its [[storage]] as scheme. It serves comparisons only, and cannot be opened.
    *
    * @param path an absolute path or URI
    */
  def canonical(path: String): String = {
    val (folder, _) = DynamoDbUri.split(path)
    val kind = storage(folder)
    val rest = if (kind == "file") localName(folder) else folder.drop(folder.indexOf(':') + 1)
    kind + ":/" + rest.split('/').filter(_.nonEmpty).mkString("/")
  }

  /** Whether a path is a folder itself or below it.
    *
    * @param path a relative or [[canonical]] path
    * @param folder a path of the same kind, without a slash at the end
    */
  def isWithin(path: String, folder: String): Boolean =
    path == folder || path.startsWith(folder + "/")

  /** Returns the path part of a `file:` URI, or a bare path itself. Percent signs are ordinary
    * characters, as in Hadoop paths.
    */
  def localName(path: String): String = path match {
    case uri(_, rest) if rest.startsWith("//") => rest.drop(2).dropWhile(_ != '/')
    case uri(_, rest) => rest
    case bare => bare
  }
}

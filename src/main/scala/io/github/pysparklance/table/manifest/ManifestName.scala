// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

/** The naming scheme of a table's manifests. A table uses one scheme.
  *
  * Source: format page of the table, "Manifest names".
  */
sealed abstract class NamingScheme {

  /** Returns the file name of a version. */
  def fileName(version: Long): String
}

object NamingScheme {

  /** The version in decimal digits. */
  case object V1 extends NamingScheme {
    def fileName(version: Long): String = s"$version.manifest"
  }

  /** 2^64 - 1 - version in 20 digits, so that the latest version is listed first. */
  case object V2 extends NamingScheme {
    def fileName(version: Long): String =
      java.lang.Long.toUnsignedString(-1L - version).reverse.padTo(20, '0').reverse + ".manifest"
  }
}

/** The meaning of a file name in `_versions`. */
sealed trait ManifestName

object ManifestName {

  /** A version in the table's history. */
  final case class Version(version: Long, scheme: NamingScheme) extends ManifestName

  /** A version outside the history, which is opened by its number.
    *
    * @param version unsigned, with the highest bit set
    */
  final case class Detached(version: Long) extends ManifestName

  /** Returns the file name of a version.
    *
    * @param scheme scheme of the table; detached (negative) versions have the same names in both
    *   schemes
    */
  def of(version: Long, scheme: NamingScheme): String =
    if (version < 0) s"d${java.lang.Long.toUnsignedString(version)}.manifest"
    else scheme.fileName(version)

  private val v2Length = 29

  /** Parses a name. Returns `None` for files that are not manifests, such as staging copies. */
  def parse(name: String): Option[ManifestName] = {
    val number = name.takeWhile(_ != '.')
    if (!name.endsWith("manifest")) None
    else if (name.startsWith("d")) unsigned(number.drop(1)).filter(_ < 0).map(Detached)
    else if (name.length == v2Length)
      unsigned(number).map(-1L - _).filter(_ >= 0).map(Version(_, NamingScheme.V2))
    else unsigned(number).filter(_ >= 0).map(Version(_, NamingScheme.V1))
  }

  private def unsigned(digits: String): Option[Long] =
    if (digits.isEmpty || !digits.forall(c => c >= '0' && c <= '9')) None
    else
      try Some(java.lang.Long.parseUnsignedLong(digits))
      catch { case _: NumberFormatException => None }
}

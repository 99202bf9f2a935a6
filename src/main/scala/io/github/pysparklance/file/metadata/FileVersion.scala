// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.metadata

import io.github.pysparklance.core.UnsupportedFeatureException

/** A version of the data file format. The order of versions does not imply capabilities, so always
  * match versions exactly.
  *
  * Source: format page of the file container, "Version numbers".
  *
  * @param text spelling in the manifest's data format
  * @param major first number in a manifest's `DataFile`
  * @param minor second number in a manifest's `DataFile`
  */
sealed abstract class FileVersion(val text: String, val major: Int, val minor: Int)
    extends Serializable {
  override def toString: String = text
}

object FileVersion {
  case object V0_1 extends FileVersion("0.1", 0, 2)
  case object V2_0 extends FileVersion("2.0", 2, 0)
  case object V2_1 extends FileVersion("2.1", 2, 1)
  case object V2_2 extends FileVersion("2.2", 2, 2)
  case object V2_3 extends FileVersion("2.3", 2, 3)

  /** All versions, oldest first. */
  val all: IndexedSeq[FileVersion] = IndexedSeq(V0_1, V2_0, V2_1, V2_2, V2_3)

  /** The file version of new tables. */
  val default: FileVersion = V2_2

  private val aliases: Map[String, FileVersion] =
    all.map(v => v.text -> v).toMap ++
      Map("legacy" -> V0_1, "0.3" -> V2_0, "stable" -> default, "next" -> V2_3)

  /** Returns the version for a number or alias (`legacy`, `stable`, `next`).
    *
    * @throws UnsupportedFeatureException if there is no such version
    */
  def parse(text: String): FileVersion =
    aliases.getOrElse(text, throw new UnsupportedFeatureException(s"file version '$text'"))

  /** Returns the version for a pair of numbers in a footer or in a manifest's `DataFile`. Both
    * places accept the same pairs, although they store 2.0 differently.
    *
    * @throws UnsupportedFeatureException for any other pair, including later versions
    */
  def of(major: Int, minor: Int): FileVersion = (major, minor) match {
    case (0, 0) | (0, 1) | (0, 2) => V0_1
    case (0, 3) | (2, 0) => V2_0
    case (2, 1) => V2_1
    case (2, 2) => V2_2
    case (2, 3) => V2_3
    case _ => throw new UnsupportedFeatureException(s"file version $major.$minor")
  }
}

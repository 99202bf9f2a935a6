// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.metadata

import io.github.pysparklance.core.UnsupportedFeatureException

/** A version of the data file format. Capabilities do not follow from order: always match exactly.
  *
  * Source: format page of the file container, "Version numbers".
  *
  * @param text as the manifest's data format spells it
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

  /** What a new table gets. */
  val default: FileVersion = V2_2

  private val aliases: Map[String, FileVersion] =
    all.map(v => v.text -> v).toMap ++
      Map("legacy" -> V0_1, "0.3" -> V2_0, "stable" -> default, "next" -> V2_3)

  /** The version of a number or alias (`legacy`, `stable`, `next`).
    *
    * @throws UnsupportedFeatureException when there is none of that name
    */
  def parse(text: String): FileVersion =
    aliases.getOrElse(text, throw new UnsupportedFeatureException(s"file version '$text'"))

  /** The version of a pair of numbers, in a footer or in a manifest's `DataFile`: both accept the same pairs,
    * though 2.0 is written differently in the two places.
    *
    * @throws UnsupportedFeatureException for any other pair, larger ones included
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

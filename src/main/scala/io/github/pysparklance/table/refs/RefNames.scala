// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.table.manifest.{Manifest, TableFolders}

/** Rules for the names of tags and branches. Names become parts of paths, so they are checked
  * first.
  *
  * Source: format page of the table, "Tags" and "Branches".
  */
object RefNames {

  /** Name of the main branch, which is the table's own root. */
  val mainBranch: String = Manifest.mainBranch

  private val lockSuffix = ".lock"

  /** Checks the name of a tag: letters, digits, `.`, `-`, and `_`.
    *
    * @throws InvalidRequestException if the name is not valid
    */
  def checkTag(name: String): Unit = {
    def reject(why: String): Nothing =
      throw new InvalidRequestException(s"""the tag name "$name" is not valid: it $why""")
    if (name.isEmpty) reject("is empty")
    if (!isWord(name)) reject("has characters other than letters, digits, '.', '-' and '_'")
    if (name.startsWith(".") || name.endsWith(".")) reject("begins or ends with a dot")
    if (name.contains("..")) reject("has two dots in a row")
    if (name.endsWith(lockSuffix)) reject(s"ends with $lockSuffix")
  }

  /** Checks the name of a branch: words as in a tag's name, joined by `/`.
    *
    * @throws InvalidRequestException if the name is not valid, or is the main branch
    */
  def checkBranch(name: String): Unit = {
    def reject(why: String): Nothing =
      throw new InvalidRequestException(s"""the branch name "$name" is not valid: it $why""")
    val segments = name.split("/", -1)
    if (segments.exists(_.isEmpty)) reject("is empty, or has an empty part")
    if (!segments.forall(isWord))
      reject("has characters other than letters, digits, '.', '-', '_' and '/'")
    if (name.contains("..") || segments.contains("."))
      reject("has two dots in a row, or a part '.'")
    if (name.endsWith(lockSuffix)) reject(s"ends with $lockSuffix")
    if (name == mainBranch) reject("is reserved for the table itself")
  }

  /** Checks the name of a new tag. Only allows ASCII letters, because pylance cannot list the tags
    * of a table if one has other letters.
    *
    * @throws InvalidRequestException if the name is not valid for new tags
    */
  def checkNewTag(name: String): Unit = {
    checkTag(name)
    if (!name.forall(_ < 128))
      throw new InvalidRequestException(
        s"""the tag name "$name" is not valid: it has non-ASCII letters, which pylance cannot list"""
      )
  }

  /** Checks the name of a new branch. Its folder must not be one in which another branch stores its
    * files.
    *
    * @throws InvalidRequestException if the name is not valid for new branches
    */
  def checkNewBranch(name: String): Unit = {
    checkBranch(name)
    name.split("/").find(TableFolders.all.contains).foreach { segment =>
      throw new InvalidRequestException(
        s"""the branch name "$name" is not valid: tables store files in folders named $segment"""
      )
    }
  }

  private def isWord(s: String): Boolean = s.codePoints.allMatch { c =>
    Character.isAlphabetic(c) || isNumber(c) || c == '.' || c == '-' || c == '_'
  }

  private def isNumber(codePoint: Int): Boolean = Character.getType(codePoint).toByte match {
    case Character.DECIMAL_DIGIT_NUMBER | Character.LETTER_NUMBER | Character.OTHER_NUMBER => true
    case _ => false
  }
}

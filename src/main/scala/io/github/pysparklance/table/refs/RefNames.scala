// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.table.manifest.TableFolders

/** What tags and branches may be called. Names become paths, so they are checked before anything else.
  *
  * Source: format page of the table, "Tags" and "Branches".
  */
object RefNames {

  /** The branch that is the table's own root. */
  val mainBranch: String = "main"

  private val lockSuffix = ".lock"

  /** Letters, digits, `.`, `-` and `_`.
    *
    * @throws InvalidRequestException when no tag can have this name
    */
  def checkTag(name: String): Unit = {
    def refuse(why: String): Nothing =
      throw new InvalidRequestException(s"""the tag name "$name" is not valid: it $why""")
    if (name.isEmpty) refuse("is empty")
    if (!isWord(name)) refuse("has characters other than letters, digits, '.', '-' and '_'")
    if (name.startsWith(".") || name.endsWith(".")) refuse("begins or ends with a dot")
    if (name.contains("..")) refuse("has two dots in a row")
    if (name.endsWith(lockSuffix)) refuse(s"ends with $lockSuffix")
  }

  /** Words as in a tag's name, joined by `/`.
    *
    * @throws InvalidRequestException when no branch but the main one can have this name
    */
  def checkBranch(name: String): Unit = {
    def refuse(why: String): Nothing =
      throw new InvalidRequestException(s"""the branch name "$name" is not valid: it $why""")
    val segments = name.split("/", -1)
    if (segments.exists(_.isEmpty)) refuse("is empty, or has an empty part")
    if (!segments.forall(isWord))
      refuse("has characters other than letters, digits, '.', '-', '_' and '/'")
    if (name.contains("..") || segments.contains("."))
      refuse("has two dots in a row, or a part '.'")
    if (name.endsWith(lockSuffix)) refuse(s"ends with $lockSuffix")
    if (name == mainBranch) refuse("stands for the table itself")
  }

  /** The same for a tag that is to be made: only ASCII letters, because pylance cannot list the tags of a table that
    * has one with others.
    *
    * @throws InvalidRequestException when no tag should have this name
    */
  def checkNewTag(name: String): Unit = {
    checkTag(name)
    if (!name.forall(_ < 128))
      throw new InvalidRequestException(
        s"""the tag name "$name" is not valid: it has letters beyond ASCII, which pylance cannot list"""
      )
  }

  /** The same for a branch that is to be made: its folder must not be one in which another branch keeps its files.
    *
    * @throws InvalidRequestException when no branch should have this name
    */
  def checkNewBranch(name: String): Unit = {
    checkBranch(name)
    name.split("/").find(TableFolders.all.contains).foreach { segment =>
      throw new InvalidRequestException(
        s"""the branch name "$name" is not valid: tables keep files in folders named $segment"""
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

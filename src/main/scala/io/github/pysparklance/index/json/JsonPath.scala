// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.json

/** Parses the paths of indices of JSON documents.
  *
  * {{{
  *   x   $.x   $:x   $."x"   $["x"]      member x of the document
  *   a.b   $.a.b   $["a"].b              member b of the object in member a
  * }}}
  * Other paths select elements of arrays, or several values.
  *
  * Source: paths of the reference's `json_extract`.
  */
object JsonPath {

  /** Maximum characters of a path. Java's regular expressions recurse for each step. */
  val MaxLength: Int = 1000

  private val name = "[^\\s,.:{}\\[\\]()?@$|<>!=+\\-*/%\"'\\\\]+"
  private val quoted = "\"[^\"\\\\]+\""
  private val step = s"""[.:]($name)|[.:]($quoted)|\\[ *($quoted) *\\]""".r
  private val steps = s"(?:$step)*"
  private val path = s""" *(?:\\$$|(?!(?i:null|true|false|nan|inf)|\\d)($name))($steps) *""".r

  /** Returns the member at a path. Returns `None` for paths that are not only names, or that have
    * more than [[MaxLength]] characters.
    */
  def member(text: String): Option[JsonMember] = text match {
    case long if long.length > MaxLength => None
    case path(first, rest, _*) =>
      val names = Option(first).toIndexedSeq ++ step.findAllMatchIn(rest).map { m =>
        m.subgroups.find(_ != null).get.stripPrefix("\"").stripSuffix("\"")
      }
      JsonMember.of(names)
    case _ => None
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

import io.github.pysparklance.core.{Printable, UnsupportedFeatureException}

/** A language that has a stemmer and a list of stop words.
  *
  * @param name name in index files, such as `English`
  */
sealed abstract class Language(val name: String) extends Serializable {
  override def toString: String = name
}

/** The languages of full-text indices. */
object Language {
  case object Arabic extends Language("Arabic")
  case object Danish extends Language("Danish")
  case object Dutch extends Language("Dutch")
  case object English extends Language("English")
  case object Finnish extends Language("Finnish")
  case object French extends Language("French")
  case object German extends Language("German")
  case object Greek extends Language("Greek")
  case object Hungarian extends Language("Hungarian")
  case object Italian extends Language("Italian")
  case object Norwegian extends Language("Norwegian")
  case object Portuguese extends Language("Portuguese")
  case object Romanian extends Language("Romanian")
  case object Russian extends Language("Russian")
  case object Spanish extends Language("Spanish")
  case object Swedish extends Language("Swedish")
  case object Tamil extends Language("Tamil")
  case object Turkish extends Language("Turkish")

  /** All languages. */
  val all: IndexedSeq[Language] = IndexedSeq(
    Arabic,
    Danish,
    Dutch,
    English,
    Finnish,
    French,
    German,
    Greek,
    Hungarian,
    Italian,
    Norwegian,
    Portuguese,
    Romanian,
    Russian,
    Spanish,
    Swedish,
    Tamil,
    Turkish
  )

  /** Returns the language with a name.
    *
    * @throws UnsupportedFeatureException if the language is not supported
    */
  def named(name: String): Language = all.find(_.name == name).getOrElse(
    throw new UnsupportedFeatureException(
      s"a full-text index in the language '${Printable.line(name.take(40))}'; supported are ${all.mkString(", ")}"
    )
  )
}

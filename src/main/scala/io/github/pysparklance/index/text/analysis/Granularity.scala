// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

import java.util.Locale

import io.github.pysparklance.core.{InvalidRequestException, Printable}

/** The documents of a full-text index or query: the texts of rows, or the elements of lists.
  *
  * Source: `InvertedIndexDetails.DocumentGranularity`.
  *
  * @param name value of the option `document_granularity`
  * @param documents description of the documents, for errors
  */
sealed abstract class Granularity(val name: String, val documents: String) extends Serializable {
  override def toString: String = name
}

object Granularity {

  /** The option that selects a granularity. */
  val option: String = "document_granularity"

  /** A row is a document. The strings of a list are one text. */
  case object Row extends Granularity("row", "rows")

  /** Each element of a list is a document. */
  case object ListElement extends Granularity("list_element", "list elements")

  /** Returns the granularity with a name, ignoring case.
    *
    * @throws InvalidRequestException if there is none
    */
  def named(name: String): Granularity =
    Seq(Row, ListElement).find(_.name == name.toLowerCase(Locale.ROOT)).getOrElse(
      throw new InvalidRequestException(
        s"$option is '${Printable.line(name.take(40))}'; row or list_element is expected"
      )
    )
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{Buffer, Field}
import io.github.pysparklance.encoding.proto.v2_1.PageLayout

/** The description format of a file version's pages. */
trait PageForm {

  /** Returns a page with one of the layouts that all versions share.
    *
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if this version lacks the
    *   layout
    */
  def page(numRows: Long, layout: PageLayout, buffers: IndexedSeq[Buffer]): EncodedPage

  /** Returns a page in a form specific to this version, if it is required or smaller.
    *
    * @param leaf the field of the page's values, with members if it is a struct
    */
  def own(page: LeafPage, leaf: Field): Option[EncodedPage]
}

object PageForm {

  /** The form of 2.1 and 2.2. */
  object Layouts extends PageForm {
    private val typeUrl = "/lance.encodings21.PageLayout"

    def page(numRows: Long, layout: PageLayout, buffers: IndexedSeq[Buffer]): EncodedPage =
      EncodedPage(numRows, typeUrl, layout.toByteArray, buffers)

    def own(page: LeafPage, leaf: Field): Option[EncodedPage] = None
  }
}

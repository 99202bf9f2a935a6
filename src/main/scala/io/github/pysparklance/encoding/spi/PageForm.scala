// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{Buffer, Field}
import io.github.pysparklance.encoding.proto.v2_1.PageLayout

/** How the pages of a file version are described. */
trait PageForm {

  /** A page of the layouts that all versions share.
    *
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for a layout that this version lacks
    */
  def page(numRows: Long, layout: PageLayout, buffers: IndexedSeq[Buffer]): EncodedPage

  /** A page in a form that other versions lack, where it has to have one or is smaller so.
    *
    * @param leaf the field whose values the page holds, with members if it is a struct
    */
  def own(page: LeafPage, leaf: Field): Option[EncodedPage]
}

object PageForm {

  /** That of 2.1 and 2.2. */
  object Layouts extends PageForm {
    private val typeUrl = "/lance.encodings21.PageLayout"

    def page(numRows: Long, layout: PageLayout, buffers: IndexedSeq[Buffer]): EncodedPage =
      EncodedPage(numRows, typeUrl, layout.toByteArray, buffers)

    def own(page: LeafPage, leaf: Field): Option[EncodedPage] = None
  }
}

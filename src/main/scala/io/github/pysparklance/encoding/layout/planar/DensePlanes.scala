// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core.UnsupportedFeatureException
import io.github.pysparklance.encoding.proto.v2_1.{
  FullZipLayout,
  MiniBlockLayout,
  PageLayout,
  RepDefLayer
}
import io.github.pysparklance.encoding.proto.v2_3

/** Converts layouts of 2.2 to dense pages of 2.3, which have the same buffers. Source: messages
  * `DenseStructure`, `ChunkedValues`, `ZippedValues`; format page of the structural encodings,
  * "Dense pages".
  */
private[planar] object DensePlanes {

  /** Converts a layout.
    *
    * @throws UnsupportedFeatureException for legacy blobs, which 2.3 does not support
    */
  def apply(layout: PageLayout): v2_3.PlanarLayout = {
    import PageLayout.LayoutCase._
    layout.getLayoutCase match {
      case MINI_BLOCK_LAYOUT =>
        val dense = layout.getMiniBlockLayout
        planes(dense.getLayersList, v2_3.ValuePlane.newBuilder().setChunked(chunked(dense)))
      case FULL_ZIP_LAYOUT =>
        val dense = layout.getFullZipLayout
        planes(dense.getLayersList, v2_3.ValuePlane.newBuilder().setZipped(zipped(dense)))
      case CONSTANT_LAYOUT =>
        // only nulls; PlanarForm encodes all other constant pages
        planes(
          layout.getConstantLayout.getLayersList,
          v2_3.ValuePlane.newBuilder().setNone(v2_3.NoValues.getDefaultInstance)
        )
      case other => throw new UnsupportedFeatureException(s"pages of $other in version 2.3")
    }
  }

  def structure(layers: java.util.List[RepDefLayer]): v2_3.StructuralPlane =
    v2_3.StructuralPlane
      .newBuilder()
      .setDense(v2_3.DenseStructure.newBuilder().addAllLayers(layers))
      .build()

  private def planes(
      layers: java.util.List[RepDefLayer],
      values: v2_3.ValuePlane.Builder
  ): v2_3.PlanarLayout =
    v2_3.PlanarLayout.newBuilder().setStructure(structure(layers)).setValues(values).build()

  private def chunked(dense: MiniBlockLayout): v2_3.ChunkedValues = {
    val levels = v2_3.DenseChunkLevels
      .newBuilder()
      .setRepetitionIndexDepth(dense.getRepetitionIndexDepth)
    if (dense.hasRepCompression) levels.setRepetition(dense.getRepCompression)
    if (dense.hasDefCompression) levels.setDefinition(dense.getDefCompression)
    val message = v2_3.ChunkedValues
      .newBuilder()
      .setCompression(dense.getValueCompression)
      .setLevels(levels)
      .setNumBuffers(dense.getNumBuffers)
      .setNumItems(dense.getNumItems)
    if (dense.hasDictionary)
      message.setDictionary(dense.getDictionary).setNumDictionaryItems(dense.getNumDictionaryItems)
    message.build()
  }

  private def zipped(dense: FullZipLayout): v2_3.ZippedValues = {
    val message = v2_3.ZippedValues
      .newBuilder()
      .setCompression(dense.getValueCompression)
      .setLevels(
        v2_3.DenseZipLevels
          .newBuilder()
          .setBitsRepetition(dense.getBitsRep)
          .setBitsDefinition(dense.getBitsDef)
      )
      .setNumItems(Integer.toUnsignedLong(dense.getNumItems))
      .setNumVisibleItems(Integer.toUnsignedLong(dense.getNumVisibleItems))
    dense.getDetailsCase match {
      case FullZipLayout.DetailsCase.BITS_PER_OFFSET =>
        message.setBitsPerOffset(dense.getBitsPerOffset)
      case _ => message.setBitsPerValue(dense.getBitsPerValue)
    }
    message.build()
  }
}

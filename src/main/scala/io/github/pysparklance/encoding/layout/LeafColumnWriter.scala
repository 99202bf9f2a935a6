// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.PackedStruct
import io.github.pysparklance.encoding.spi.{EncodedPage, EncoderChooser, EncodingVersion}

/** Writes one physical column: gathers the rows of a leaf and turns them into pages when asked to. Not thread-safe.
  *
  * Lists, maps and structs own no column; their nesting is repeated in every leaf below them, so a top-level column
  * takes one writer for each of its leaves, and all of them get the same columns.
  *
  * @param path the fields from the top-level column to the leaf, both included
  * @param chooser chooses the compressions, for one file version
  * @throws UnsupportedFeatureException when the leaf's type, or the nesting above it, cannot be written
  */
final class LeafColumnWriter(path: IndexedSeq[Field], chooser: EncoderChooser) {
  require(path.nonEmpty, "a column has a field")
  LeafColumnWriter.check(path, chooser.version)

  private val valueType: ValueType = path.last.valueType
  private var shredder = new Shredder(path, valueType)
  private val encoder = new PageEncoder(path.last, chooser)

  /** Rows since the last [[flush]]. */
  def numRows: Long = shredder.numRows.toLong

  /** Bytes that these rows take in memory, about. */
  def bufferedBytes: Long = shredder.sizeInBytes

  /** Appends rows `[from, from + count)` of the top-level column; its arrays can be reused afterwards.
    *
    * @throws InvalidRequestException when the column's shape is not that of the fields
    */
  def append(column: Column, from: Int, count: Int): Unit = shredder.append(column, from, count)

  /** Pages with all rows since the last flush, in order: one as a rule, more when levels take too much room, none
    * without rows.
    */
  def flush(): IndexedSeq[EncodedPage] =
    if (shredder.numRows == 0) IndexedSeq.empty
    else {
      val pages = encoder.encode(shredder.page)
      shredder.clear()
      pages
    }

  /** The work of [[flush]], for another thread, while this one appends rows. It is done once, and before the next
    * flush or take.
    */
  def take(): () => IndexedSeq[EncodedPage] = {
    val full = shredder
    shredder = new Shredder(path, valueType)
    () => if (full.numRows == 0) IndexedSeq.empty else encoder.encode(full.page)
  }
}

object LeafColumnWriter {
  import LogicalType._

  /** Entries of the pages of a leaf that stand for one row: more than one below fixed-size lists of structs. */
  def entriesPerRow(path: IndexedSeq[Field]): Int =
    path.map(Shredder.structsPerSlot).foldLeft(1)(Math.multiplyExact(_, _))

  private def check(path: IndexedSeq[Field], version: EncodingVersion): Unit = {
    val leaf = path.last
    val hasLists = path.exists(Shredder.isListType)
    path.find(f => !f.isLeaf && Shredder.structsPerSlot(f) != 1).foreach { f =>
      if (version != EncodingVersion.V2_2) refuse(s"fixed-size lists of structs in $version", f)
      if (hasLists) refuse("fixed-size lists of structs together with lists", f)
      if (Shredder.structsPerSlot(f) < 1) refuse("fixed-size lists without items", f)
    }
    if (leaf.isEmptyStruct && (hasLists || entriesPerRow(path) != 1))
      refuse("structs without members in lists", leaf)
    if (leaf.isBlob) checkBlob(leaf, hasLists, version)
    else if (leaf.isPacked) checkPacked(leaf, version)
    else
      leaf.logicalType match {
        case FixedSizeBinary(0) => refuse("fixed-size binaries of 0 bytes", leaf)
        case Dictionary(_, Integer(_, _), _) => leaf.valueType: Unit
        case Dictionary(_, _, _) => refuse(s"the type ${text(leaf.logicalType)}", leaf)
        case _ => ()
      }
  }

  private def checkBlob(leaf: Field, hasLists: Boolean, version: EncodingVersion): Unit =
    if (leaf.isBlobV2) {
      if (version == EncodingVersion.V2_1) refuse(s"blobs of version 2 in $version", leaf)
    } else if (hasLists) refuse("blobs in lists", leaf)
    else if (version == EncodingVersion.V2_3) refuse(s"blobs of version 1 in $version", leaf)

  private def checkPacked(leaf: Field, version: EncodingVersion): Unit = {
    if (leaf.children.isEmpty) refuse("packed structs without members", leaf)
    leaf.children.foreach { member =>
      member.logicalType match {
        case _ if member.isBlob => refuse("blobs in packed structs", member)
        case Bool => refuse("booleans in packed structs", member)
        case Null => refuse("nulls in packed structs", member)
        case Struct | List(_, _) | Map | FixedSizeList(Struct, _) | Dictionary(_, _, _) =>
          refuse(s"members of type ${text(member.logicalType)} in packed structs", member)
        case _ => ()
      }
    }
    leaf.valueType match {
      case packed: PackedStructType =>
        if (PageEncoder.hasFixedWidth(packed))
          PackedStruct.checkWidth(packed.children)
        else if (version == EncodingVersion.V2_1)
          refuse(s"packed structs with strings, binaries or lists in $version", leaf)
      case _ => ()
    }
  }

  private def refuse(what: String, field: Field): Nothing =
    throw new UnsupportedFeatureException(s"writing $what, column '${field.name}'")
}

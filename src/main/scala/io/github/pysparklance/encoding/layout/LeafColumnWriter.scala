// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.PackedStruct
import io.github.pysparklance.encoding.spi.{EncodedPage, EncoderChooser, EncodingVersion}

/** Writes one physical column: collects rows of a leaf and encodes them as pages on [[flush]]. Not
  * thread-safe.
  *
  * Lists, maps, and structs own no columns. Each leaf repeats the nesting above it, so a top-level
  * column needs one writer per leaf, and each writer gets the same columns.
  *
  * @param path the fields from the top-level column to the leaf, inclusive
  * @param chooser chooses the compressions for one file version
  * @throws UnsupportedFeatureException if the leaf's type or the nesting above it cannot be written
  */
final class LeafColumnWriter(path: IndexedSeq[Field], chooser: EncoderChooser) {
  require(path.nonEmpty, "a column has a field")
  LeafColumnWriter.check(path, chooser.version)

  private val valueType: ValueType = path.last.valueType
  private var shredder = new Shredder(path, valueType)
  private val encoder = new PageEncoder(path.last, chooser)

  /** Number of rows since the last [[flush]]. */
  def numRows: Long = shredder.numRows.toLong

  /** Approximate bytes of these rows in memory. */
  def bufferedBytes: Long = shredder.sizeInBytes

  /** Appends rows `[from, from + count)` of the top-level column. Its arrays can be reused
    * afterwards.
    *
    * @throws InvalidRequestException if the column does not have the shape of the fields
    */
  def append(column: Column, from: Int, count: Int): Unit = shredder.append(column, from, count)

  /** Encodes all rows since the last flush as pages, in order. Usually returns one page, several if
    * levels take too much room, and none without rows.
    */
  def flush(): IndexedSeq[EncodedPage] =
    if (shredder.numRows == 0) IndexedSeq.empty
    else {
      val pages = encoder.encode(shredder.page)
      shredder.clear()
      pages
    }

  /** Returns the work of [[flush]] as a function for another thread, so that this one can append
    * further rows. It must be called once, and before the next flush or take.
    */
  def take(): () => IndexedSeq[EncodedPage] = {
    val full = shredder
    shredder = new Shredder(path, valueType)
    () => if (full.numRows == 0) IndexedSeq.empty else encoder.encode(full.page)
  }
}

object LeafColumnWriter {
  import LogicalType._

  /** Returns the number of entries that a row has in the pages of a leaf. It exceeds 1 below
    * fixed-size lists of structs.
    */
  def entriesPerRow(path: IndexedSeq[Field]): Int =
    path.map(Shredder.structsPerSlot).foldLeft(1)(Math.multiplyExact(_, _))

  private def check(path: IndexedSeq[Field], version: EncodingVersion): Unit = {
    val leaf = path.last
    val hasLists = path.exists(Shredder.isListType)
    path.find(f => !f.isLeaf && Shredder.structsPerSlot(f) != 1).foreach { f =>
      if (version != EncodingVersion.V2_2) reject(s"fixed-size lists of structs in $version", f)
      if (hasLists) reject("fixed-size lists of structs together with lists", f)
      if (Shredder.structsPerSlot(f) < 1) reject("fixed-size lists without items", f)
    }
    if (leaf.isEmptyStruct && (hasLists || entriesPerRow(path) != 1))
      reject("structs without members in lists", leaf)
    if (leaf.isBlob) checkBlob(leaf, hasLists, version)
    else if (leaf.isPacked) checkPacked(leaf, version)
    else
      leaf.logicalType match {
        case FixedSizeBinary(0) => reject("fixed-size binaries of 0 bytes", leaf)
        case Dictionary(_, Integer(_, _), _) => leaf.valueType: Unit
        case Dictionary(_, _, _) => reject(s"the type ${text(leaf.logicalType)}", leaf)
        case _ => ()
      }
  }

  private def checkBlob(leaf: Field, hasLists: Boolean, version: EncodingVersion): Unit =
    if (leaf.isBlobV2) {
      if (version == EncodingVersion.V2_1) reject(s"blobs of version 2 in $version", leaf)
    } else if (hasLists) reject("blobs in lists", leaf)
    else if (version == EncodingVersion.V2_3) reject(s"blobs of version 1 in $version", leaf)

  private def checkPacked(leaf: Field, version: EncodingVersion): Unit = {
    if (leaf.children.isEmpty) reject("packed structs without members", leaf)
    leaf.children.foreach { member =>
      member.logicalType match {
        case _ if member.isBlob => reject("blobs in packed structs", member)
        case Bool => reject("booleans in packed structs", member)
        case Null => reject("nulls in packed structs", member)
        case Struct | List(_, _) | Map | FixedSizeList(Struct, _) | Dictionary(_, _, _) =>
          reject(s"members of type ${text(member.logicalType)} in packed structs", member)
        case _ => ()
      }
    }
    leaf.valueType match {
      case packed: PackedStructType =>
        if (PageEncoder.hasFixedWidth(packed))
          PackedStruct.checkWidth(packed.children)
        else if (version == EncodingVersion.V2_1)
          reject(s"packed structs with strings, binaries or lists in $version", leaf)
      case _ => ()
    }
  }

  private def reject(what: String, field: Field): Nothing =
    throw new UnsupportedFeatureException(s"writing $what, column '${field.name}'")
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.build

import scala.jdk.CollectionConverters._

import com.google.protobuf.ByteString

import io.github.pysparklance.core.{CorruptFileException, Wrapped}
import io.github.pysparklance.table.proto

/** The keys of the rows that an update inserts. It detects concurrent inserts of the same key.
  *
  * Source: message `KeyExistenceFilter`, transaction.proto.
  *
  * @param fieldIds the fields of the key
  */
final case class KeyExistenceFilter(fieldIds: Seq[Int], keys: KeyExistenceFilter.Keys) {
  import KeyExistenceFilter._

  /** Returns why updates with these two filters cannot both be committed; none if they share no
    * key.
    */
  private[transaction] def obstacle(other: KeyExistenceFilter): Option[String] =
    if (fieldIds != other.fieldIds) Some("rows with another key were inserted")
    else
      (keys, other.keys) match {
        case (Exact(a), Exact(b)) => common(a.exists(b))
        case (a: Bloom, b: Bloom) =>
          if (
            a.bitmap.length != b.bitmap.length || a.numberOfItems != b.numberOfItems ||
            math.abs(a.probability - b.probability) > math.ulp(1.0)
          )
            Some("rows were inserted with another kind of key filter")
          else common(a.intersects(b))
        // Their hashes differ.
        case _ => common(found = true)
      }

  private def common(found: Boolean): Option[String] =
    if (found) Some("rows with the same keys were inserted, or may have been") else None

  private[transaction] def toMessage: proto.KeyExistenceFilter = {
    val b = proto.KeyExistenceFilter.newBuilder().addAllFieldIds(fieldIds.map(Int.box).asJava)
    keys match {
      case Exact(hashes) =>
        b.setExact(
          proto.ExactKeySetFilter.newBuilder().addAllKeyHashes(
            hashes.toSeq.sorted.map(Long.box).asJava
          )
        )
      case Bloom(bitmap, numBits, numberOfItems, probability) =>
        b.setBloom(
          proto.BloomFilter
            .newBuilder()
            .setBitmap(ByteString.copyFrom(bitmap.toArray))
            .setNumBits(numBits)
            .setNumberOfItems(numberOfItems)
            .setProbability(probability)
        )
    }
    b.build()
  }
}

object KeyExistenceFilter {

  /** A representation of the set of keys. */
  sealed trait Keys

  /** The hash of each key. */
  final case class Exact(hashes: Set[Long]) extends Keys

  /** A split-block Bloom filter of the keys' hashes.
    *
    * @param numberOfItems number of keys the filter was sized for
    * @param probability false-positive probability the filter was sized for
    */
  final case class Bloom(
      bitmap: IndexedSeq[Byte],
      numBits: Int,
      numberOfItems: Long,
      probability: Double
  ) extends Keys {

    /** Whether a key may be in both. */
    def intersects(other: Bloom): Boolean =
      bitmap.indices.exists(i => i < other.bitmap.length && (bitmap(i) & other.bitmap(i)) != 0)
  }

  private[transaction] def parse(m: proto.KeyExistenceFilter): KeyExistenceFilter = {
    import proto.KeyExistenceFilter.DataCase._
    val keys = m.getDataCase match {
      case EXACT => Exact(m.getExact.getKeyHashesList.asScala.iterator.map(_.toLong).toSet)
      case BLOOM =>
        val f = m.getBloom
        Bloom(
          Wrapped(f.getBitmap.toByteArray),
          f.getNumBits,
          f.getNumberOfItems,
          f.getProbability
        )
      case DATA_NOT_SET =>
        throw new CorruptFileException("corrupt transaction: key filter without keys")
    }
    KeyExistenceFilter(m.getFieldIdsList.asScala.iterator.map(_.toInt).toIndexedSeq, keys)
  }
}

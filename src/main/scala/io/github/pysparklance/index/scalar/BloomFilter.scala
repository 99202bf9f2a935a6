// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import net.jpountz.xxhash.XXHashFactory

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi._

/** A filter for each zone of rows that tells which values are not in there.
  *
  * {{{
  *   bloomfilter.lance   fragment_id, zone_start, zone_length: u64, has_null: bool, bloom_filter_data: binary
  *
  *   bloom_filter_data   blocks of 32 bytes: eight u32, little-endian
  *   h = xxHash64(bytes of the value, seed 0)      block = ((h >>> 32) * number of blocks) >>> 32
  *   a value sets bit (low half of h * salt(j)) >>> 27 in word j of its block, for j = 0 .. 7
  * }}}
  * The filter is the split block filter of Parquet. The bytes of a value are those of its physical type; a float's are its
  * bits, so that 0.0 and -0.0 are two values.
  *
  * Source: format page of indices, "Bloom filter"; Parquet format, "Parquet Bloom Filter".
  */
object BloomFilter extends ScalarIndexKind {
  def name: String = "BLOOMFILTER"
  def detailsType: String = "lance.index.pb.BloomFilterIndexDetails"
  def newestVersion: Int = 0

  private val fileName = "bloomfilter.lance"
  private val blockBytes = 32
  private val salts = Array(0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b,
    0x9efc4947, 0x5c6bfb31)

  def open(files: IndexFiles): ScalarSegment = files.use(fileName) { file =>
    val zones = IndexedSeq.newBuilder[Zone]
    val filters = IndexedSeq.newBuilder[Array[Byte]]
    val hasNull = IndexedSeq.newBuilder[Boolean]
    IndexFiles.foreachBatch(file, Zones.columns ++ Seq("has_null", "bloom_filter_data"): _*) {
      columns =>
        val its = Zones.of(columns)
        zones ++= its
        val nulls = Numbers.of(columns(3))
        hasNull ++= its.indices.map(nulls(_) != 0)
        filters ++= Binaries.of(columns(4), "bloom_filter_data").map { filter =>
          CorruptFileException.check(
            filter.length > 0 && filter.length % blockBytes == 0,
            s"a bloom filter of ${filter.length} bytes"
          )
          filter.toBytes
        }
    }
    new Segment(
      zones.result(),
      filters.result(),
      hasNull.result(),
      IndexFiles.rowSet(file, "null_bitmap")
    )
  }

  /** The hash of a value. */
  private[scalar] def hash(bytes: Array[Byte]): Long =
    XXHashFactory.fastestJavaInstance().hash64().hash(bytes, 0, bytes.length, 0L)

  /** Whether a value may be in a filter. */
  private[scalar] def mayContain(filter: Array[Byte], hash: Long): Boolean = {
    val block = ((hash >>> 32) * (filter.length / blockBytes)) >>> 32
    val low = hash.toInt
    salts.indices.forall { j =>
      val word = Buffer.intAt(filter, block.toInt * blockBytes + j * 4)
      (word >>> ((low * salts(j)) >>> 27) & 1) != 0
    }
  }

  final private class Segment(
      val zones: IndexedSeq[Zone],
      filters: IndexedSeq[Array[Byte]],
      hasNull: IndexedSeq[Boolean],
      nulls: Option[RowSet]
  ) extends ZonedSegment {
    def valueType: Option[LogicalType] = None

    def answer(files: IndexFiles, predicate: IndexPredicate): Option[SegmentAnswer] =
      predicate match {
        case IndexPredicate.Within(ranges, keyType) =>
          ranges.points.map { values =>
            val hashes = values.map(value => hash(keyType.storedBytes(value)))
            SegmentAnswer.AtMost(rows(i => hashes.exists(mayContain(filters(i), _))))
          }
        case IndexPredicate.IsNull =>
          Some(nulls match {
            case Some(rows) => new SegmentAnswer.Exact(rows, RowSet.empty)
            case None => SegmentAnswer.AtMost(rows(hasNull))
          })
        case _ => None
      }

    private def rows(accepts: Int => Boolean): RowSet =
      Zones.rows(zones.indices.filter(accepts).map(zones))

    def sizeInBytes: Long =
      filters.iterator.map(_.length + 64L).sum + nulls.fold(0L)(_.sizeInBytes)
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.util.Using

import net.jpountz.xxhash.{XXHash64, XXHashFactory}

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi._

/** A bloom filter index: a filter for each zone of rows, which proves that a value is not in the
  * zone.
  *
  * {{{
  *   bloomfilter.lance   fragment_id, zone_start, zone_length: u64, has_null: bool, bloom_filter_data: binary
  *
  *   bloom_filter_data   blocks of 32 bytes: eight u32, little-endian
  *   h = xxHash64(bytes of the value, seed 0)      block = ((h >>> 32) * number of blocks) >>> 32
  *   a value sets bit (low half of h * salt(j)) >>> 27 in word j of its block, for j = 0 .. 7
  * }}}
  * The filter is the split block filter of Parquet. Values are hashed as bytes of their physical
  * type. Floats are hashed by their bits, so 0.0 and -0.0 are different values.
  *
  * Source: format page of indices, "Bloom filter"; Parquet format, "Parquet Bloom Filter".
  */
object BloomFilter extends GatheredIndexKind {
  def name: String = "BLOOMFILTER"
  def detailsType: String = "lance.index.pb.BloomFilterIndexDetails"
  def latestVersion: Int = 0

  override def isByAddress: Boolean = true

  /** Files of old releases do not record null rows. */
  override def isMergeable(files: IndexFiles): Boolean =
    files.use(fileName)(_.schema.metadata.contains(Zones.nullBitmap))

  private val fileName = "bloomfilter.lance"
  private val zoneItems = "number_of_items"
  private val falsePositives = "probability"

  /** Names of the parameters in the file metadata. */
  private val metadata =
    Map(zoneItems -> "bloomfilter_item", falsePositives -> "bloomfilter_probability")

  def parameters: Seq[IndexParameter] = Seq(
    IndexParameter.count(zoneItems, 8192),
    IndexParameter.probability(falsePositives, "0.00057")
  )

  def parametersOf(files: IndexFiles): Map[String, String] = files.use(fileName) { file =>
    metadata.flatMap { case (name, key) => file.schema.metadata.get(key).map(name -> _) }
  }

  /** Types that Lance can hash. */
  def supports(field: Field): Boolean = {
    import LogicalType._
    field.logicalType match {
      case Integer(_, _) | Float | Double | Date32 | Date64 | Time(_, _) | Timestamp(_, _) |
          Utf8(_) | Binary(_) =>
        true
      case _ => false
    }
  }

  private val columns: IndexedSeq[Field] = Zones.fields ++ IndexedSeq(
    Field(0, "has_null", LogicalType.Bool, nullable = false),
    Field(0, "bloom_filter_data", LogicalType.Binary(large = false), nullable = false)
  )

  def builder(field: Field, parameters: IndexParameters, into: NewSegment): SegmentBuilder =
    new Builder(KeyType.of(field.logicalType).get, parameters, new Writer(parameters, into))

  def merge(
      sources: Seq[SegmentSource],
      field: Field,
      parameters: IndexParameters,
      into: NewSegment
  ): Unit = Using.resource(new Writer(parameters, into)) { writer =>
    sources.foreach { source =>
      source.files.use(fileName) { file =>
        val names = Zones.columns ++ Seq("has_null", "bloom_filter_data")
        IndexFiles.foreachBatch(file, names: _*) { columns =>
          val nulls = Numbers.of(columns(3))
          val filters = Binaries.of(columns(4), "bloom_filter_data")
          Zones.of(columns).zipWithIndex.foreach { case (zone, i) =>
            if (source.rows.keepsFragment(zone.fragmentId))
              writer.append(zone, nulls(i) != 0, filters(i).toBytes)
          }
        }
        writer.nulls.add(Zones.nulls(file, source))
      }
    }
    writer.finish()
  }

  /** Returns the size of a filter in bytes: a power of two, at least a block. */
  private[scalar] def filterBytes(numItems: Int, probability: Double): Int = {
    val bits = -8.0 * numItems / math.log(1 - math.pow(probability, 1.0 / 8))
    Iterator.iterate(blockBytes)(_ * 2).find(n => n >= maxFilterBytes || n * 8.0 >= bits).get
  }

  private val maxFilterBytes = 128 << 20

  /** Adds a value to a filter. */
  private[scalar] def insert(filter: Array[Byte], hash: Long): Unit = {
    val block = ((hash >>> 32) * (filter.length / blockBytes)) >>> 32
    val low = hash.toInt
    var j = 0
    while (j < salts.length) {
      val at = block.toInt * blockBytes + j * 4
      Buffer.putInt(filter, at, Buffer.intAt(filter, at) | 1 << ((low * salts(j)) >>> 27))
      j += 1
    }
  }

  final private class Builder(keyType: KeyType, parameters: IndexParameters, writer: Writer)
      extends ZoneBuilder(parameters.count(zoneItems)) {
    private val filter = new Array[Byte](
      filterBytes(parameters.count(zoneItems), parameters.number(falsePositives))
    )
    private var hasNull = false
    private val hashes = BloomFilter.hashes
    private val slot = new KeySlot
    private val number = new Array[Byte](java.lang.Long.BYTES)

    protected def start(batch: IndexBatch): Int => Unit = {
      val keys = keyType.keys(batch.values)
      row =>
        if (batch.isNull(row)) {
          hasNull = true
          writer.nulls.add(batch.ids(row)): Unit
        } else {
          keys.read(row, slot)
          insert(filter, hashOfSlot)
        }
    }

    private def hashOfSlot: Long =
      if (keyType.isNumber) hashes.hash(number, 0, keyType.store(slot.number, number), 0L)
      else hashes.hash(slot.bytes, slot.from, slot.numBytes, 0L)

    protected def end(zone: Zone): Unit = {
      writer.append(zone, hasNull, filter)
      java.util.Arrays.fill(filter, 0.toByte)
      hasNull = false
    }

    protected def write(): Unit = writer.finish()
    def close(): Unit = writer.close()
  }

  final private class Writer(parameters: IndexParameters, into: NewSegment)
      extends AutoCloseable {
    private val file = into.create(fileName, columns)
    private val zones = new ZoneColumns
    private val hasNull = new ByteValues
    private val filters = new BinaryValues
    val nulls = new RowSetBuilder

    def append(zone: Zone, withNull: Boolean, filter: Array[Byte]): Unit = {
      zones.append(zone)
      hasNull.append(if (withNull) 1 else 0)
      filters.append(filter, 0, filter.length)
      if (filters.numBytes >= batchBytes || zones.numRows >= Zones.batchRows) flush()
    }

    private def flush(): Unit = if (zones.numRows > 0) {
      file.write(
        zones.columns ++ IndexedSeq(LeafColumn(hasNull, null), LeafColumn(filters, null)),
        zones.numRows
      )
      zones.clear()
      hasNull.clear()
      filters.clear()
    }

    def finish(): Unit = {
      flush()
      metadata.foreach { case (name, key) => file.describe(key, parameters.text(name)) }
      file.describe(Zones.nullBitmap, Buffer(nulls.result().toBytes))
      into.finish(fileName, file)
    }

    def close(): Unit = file.close()
  }

  private val batchBytes = 4 << 20
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
      IndexFiles.rowSet(file, Zones.nullBitmap)
    )
  }

  /** Returns the hash of a value. */
  private[scalar] def hash(bytes: Array[Byte]): Long = hashes.hash(bytes, 0, bytes.length, 0L)

  private def hashes: XXHash64 = XXHashFactory.fastestJavaInstance().hash64()

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

    def evaluate(files: IndexFiles, predicate: IndexPredicate): Option[SegmentResult] =
      predicate match {
        case IndexPredicate.Within(ranges, keyType) =>
          ranges.points.map { values =>
            val hashes = values.map(value => hash(keyType.storedBytes(value)))
            SegmentResult.AtMost(rows(i => hashes.exists(mayContain(filters(i), _))))
          }
        case IndexPredicate.IsNull =>
          Some(nulls match {
            case Some(rows) => new SegmentResult.Exact(rows, RowSet.empty)
            case None => SegmentResult.AtMost(rows(hasNull))
          })
        case _ => None
      }

    private def rows(accepts: Int => Boolean): RowSet =
      Zones.rows(zones.indices.filter(accepts).map(zones))

    def sizeInBytes: Long =
      filters.iterator.map(_.length + 64L).sum + nulls.fold(0L)(_.sizeInBytes)
  }
}

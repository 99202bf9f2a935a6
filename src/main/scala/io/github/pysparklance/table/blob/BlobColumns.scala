// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import scala.collection.mutable

import io.github.pysparklance.core._
import io.github.pysparklance.file.scheduling.{ObjectReads, RangeRequest, ReadScheduler}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.manifest.DataFile

/** Converts the descriptors of blobs in decoded batches to the form that the read requests, see
  * [[BlobField]].
  *
  * Fetches the bytes of live rows only, with few requests. Returns each batch in slices whose blobs
  * fit in memory. A slice has the columns of its batch, but only its own rows are filled and live.
  * While one slice is used, the next one is fetched.
  *
  * @param fields fields as read, some with blobs; further columns of batches are not changed
  * @param locations locations of the data file of each blob field, by field id
  * @param objects limits the bytes of blobs in a slice, unless a single row has more
  */
final private[table] class BlobColumns private (
    fields: IndexedSeq[Field],
    locations: Map[Int, BlobColumns.Source],
    objects: ObjectReads
) extends AutoCloseable {
  import BlobColumns._

  private var batch = IndexedSeq.empty[Column]
  private var allLive: Array[Int] = null
  private var numLiveRows = 0
  private var leaves = IndexedSeq.empty[Leaf]
  private var current: Slice = null
  private var pending: Slice = null
  private var shown = IndexedSeq.empty[Column]

  /** Takes the next batch and moves to its first slice.
    *
    * @param live positions of the live rows; null if all are live
    * @param numLive number of live rows, at least 1
    */
  def start(columns: IndexedSeq[Column], live: Array[Int], numLive: Int): Unit = {
    batch = columns
    allLive = live
    numLiveRows = numLive
    val found = IndexedSeq.newBuilder[Leaf]
    each { (field, column, items) =>
      found += leaf(field, column, items)
      column
    }: Unit
    leaves = found.result()
    pending = plan(0)
    show()
  }

  /** Moves to the next slice of the batch. Returns false if there is none. */
  def next(): Boolean = current != null && current.until < numLiveRows && {
    if (pending == null) pending = plan(current.until)
    show()
    true
  }

  /** The columns of the batch. Blobs outside the slice are empty. */
  def columns: IndexedSeq[Column] = shown

  /** Positions of the slice's rows in the batch; null if it has all of them. */
  def live: Array[Int] =
    if (current.from == 0 && current.until == numLiveRows) allLive
    else if (allLive != null) java.util.Arrays.copyOfRange(allLive, current.from, current.until)
    else Array.range(current.from, current.until)

  /** Number of rows in the slice. */
  def numLive: Int = current.until - current.from

  /** Whether this is the first slice of the batch. */
  def isFirst: Boolean = current.from == 0

  /** Cancels pending reads. */
  def close(): Unit = objects.close()

  private def show(): Unit = {
    current = pending
    val readsNext = current.until < numLiveRows && objects.readsAhead
    pending = if (readsNext) plan(current.until) else null
    var i = 0
    shown = each { (_, _, _) =>
      val made = leaves(i).column(current, i)
      i += 1
      made
    }
    current.end()
  }

  /** Returns the columns with each blob column replaced by `f`. `f` gets the field, the column, and
    * the first item of each row followed by the end, or null if rows are items.
    */
  private def each(f: (Field, Column, Array[Int]) => Column): IndexedSeq[Column] =
    fields.indices.map(i => replaced(fields(i), batch(i), null)(f)) ++ batch.drop(fields.length)

  private def replaced(field: Field, column: Column, items: Array[Int])(
      f: (Field, Column, Array[Int]) => Column
  ): Column =
    if (field.isBlob) f(field, column, items)
    else if (!hasBlobs(field)) column
    else
      column match {
        case s: StructColumn =>
          s.copy(children =
            field.children.indices.map(i => replaced(field.children(i), s.children(i), items)(f))
          )
        case l: ListColumn =>
          val through = rowStarts(items, l.numRows).map(l.offsets(_))
          l.copy(items = replaced(field.children.head, l.items, through)(f))
        case l: FixedSizeListColumn =>
          val through = rowStarts(items, l.numRows).map(_ * l.dimension)
          l.copy(items = replaced(field.children.head, l.items, through)(f))
        case other => other
      }

  private def rowStarts(items: Array[Int], numRows: Int): Array[Int] =
    if (items == null) Array.range(0, numRows + 1) else items

  private def leaf(field: Field, column: Column, items: Array[Int]): Leaf = {
    val source = locations.get(field.id)
    val mode = BlobField.mode(field)
    column match {
      case NullColumn(_) => new Ready(column)
      case StructColumn(_, _, _) =>
        val descriptors = new BlobDescriptors(column)
        mode match {
          case BlobMode.Descriptor => new Ready(descriptors.asColumn(field.children.length))
          case BlobMode.Size => new Ready(sizes(descriptors, source.get, isNested = items != null))
          case BlobMode.Content => new Content(descriptors, items, source.get)
        }
      // Files of version 0.1 have the bytes themselves.
      case LeafColumn(values: BinaryValues, validity) =>
        mode match {
          case BlobMode.Content => new Ready(column)
          case BlobMode.Size => new Ready(lengths(values, validity))
          case BlobMode.Descriptor =>
            throw new UnsupportedFeatureException(
              "descriptors of blobs in files of version 0.1, which do not have descriptors",
              source.fold(Place.unknown)(_.place)
            )
        }
      case _ => throw new CorruptFileException("a blob column without descriptors")
    }
  }

  private def lengths(values: BinaryValues, validity: Validity): Column = {
    val out = new LongValues
    var i = 0
    while (i < values.numItems) {
      out.append((values.offsets(i + 1) - values.offsets(i)).toLong)
      i += 1
    }
    LeafColumn(out, validity)
  }

  private def sizes(blobs: BlobDescriptors, source: Source, isNested: Boolean): Column =
    Place.in(source.place) {
      val out = new LongValues
      var i = 0
      while (i < blobs.numItems) {
        val size =
          if (blobs.isNull(i) || !(isNested || isLive(i))) 0L
          else {
            val range = source.range(blobs, i)
            if (range.length != BlobRange.toEnd) range.length
            else range.within(objects.inspect(range.path)).length
          }
        out.append(size)
        i += 1
      }
      LeafColumn(out, blobs.validity)
    }

  private def isLive(row: Int): Boolean =
    allLive == null || java.util.Arrays.binarySearch(allLive, row) >= 0

  /** Requests the blobs of live rows from `from` on, up to the size of a slice. */
  private def plan(from: Int): Slice = {
    val round = objects.start()
    val requests = leaves.map(_ => new Requests(round))
    var until = from
    while (until < numLiveRows && (until == from || round.hasRoom)) {
      val row = if (allLive == null) until else allLive(until)
      var i = 0
      while (i < leaves.length) {
        leaves(i) match {
          case content: Content => content.ask(row, requests(i))
          case _ => ()
        }
        i += 1
      }
      until += 1
    }
    round.submit()
    new Slice(from, until, requests, round)
  }

  /** A blob column of the batch. */
  sealed private trait Leaf {

    /** Returns the column with the blobs of a slice.
      *
      * @param index index of the column among the slice's requests
      */
    def column(slice: Slice, index: Int): Column
  }

  /** A column that needs no bytes of blobs. */
  final private class Ready(made: Column) extends Leaf {
    def column(slice: Slice, index: Int): Column = made
  }

  /** A column of the bytes of blobs. */
  final private class Content(blobs: BlobDescriptors, items: Array[Int], source: Source)
      extends Leaf {

    /** Requests the blobs of a row. */
    def ask(row: Int, requests: Requests): Unit = Place.in(source.place) {
      var item = if (items == null) row else items(row)
      val end = if (items == null) row + 1 else items(row + 1)
      while (item < end) {
        if (!blobs.isNull(item)) ask(item, source.range(blobs, item), requests)
        item += 1
      }
    }

    private def ask(item: Int, wanted: BlobRange, requests: Requests): Unit =
      if (wanted.length != 0) {
        val range = wanted.within(objects.size(wanted.path))
        if (range.length > Values.maxArrayLength)
          throw new UnsupportedFeatureException(
            s"a blob of ${range.length} bytes exceeds the array limit; read its location with blobMode=descriptor",
            Place(path = Some(range.path))
          )
        requests.add(item, range, isOwn = wanted.path != source.dataFile)
      }

    def column(slice: Slice, index: Int): Column = Place.in(source.place) {
      val requests = slice.requests(index)
      val out = new BinaryValues
      out.reserve(blobs.numItems)
      out.reserveBytes(requests.requests.iterator.map(_.range.length).sum)
      var i = 0
      while (i < requests.items.length) {
        out.appendFiller(requests.items(i) - out.numItems)
        val bytes = requests.requests(i).await()
        out.append(bytes.array, bytes.offset, bytes.length)
        i += 1
      }
      out.appendFiller(blobs.numItems - out.numItems)
      LeafColumn(out, blobs.validity)
    }
  }
}

private[table] object BlobColumns {

  /** The blobs of one field in one data file. */
  final private[blob] class Source(
      val dataFile: String,
      column: String,
      locations: BlobLocations
  ) {
    val place: Place = Place(path = Some(dataFile), column = Some(column))

    def range(blobs: BlobDescriptors, item: Int): BlobRange =
      locations.range(
        blobs.kind(item),
        blobs.position(item),
        blobs.size(item),
        blobs.blobId(item),
        blobs.uri(item)
      )
  }

  /** The requests of a slice in one column, in the order of items. */
  final private class Requests(round: ObjectReads#Round) {
    val items = new mutable.ArrayBuffer[Int]
    val requests = new mutable.ArrayBuffer[RangeRequest]

    /** @param isOwn whether the object usually has no bytes of other rows */
    def add(item: Int, range: BlobRange, isOwn: Boolean): Unit = {
      items += item
      requests += round.request(range.path, ByteRange(range.offset, range.length), isOwn)
    }

    def clear(): Unit = {
      items.clear()
      requests.clear()
    }
  }

  /** Live rows `[from, until)` of a batch. */
  final private class Slice(
      val from: Int,
      val until: Int,
      val requests: IndexedSeq[Requests],
      round: ObjectReads#Round
  ) {

    /** Gives the bytes up, once they are in columns. */
    def end(): Unit = {
      requests.foreach(_.clear())
      round.end()
    }
  }

  /** Whether the field or one of its descendants is a blob. */
  def hasBlobs(field: Field): Boolean = field.isBlob || field.children.exists(hasBlobs)

  /** Returns `None` if no field has blobs.
    *
    * @param dataFiles data files of one fragment
    * @param paths paths of the data files
    * @param bases resolves blobs outside the table's folders
    * @param fields fields as read: blobs have a shape that [[BlobField]] returned
    * @param scheduler schedules the reads of the task
    */
  def open(
      store: FileStore,
      dataFiles: IndexedSeq[DataFile],
      paths: IndexedSeq[String],
      bases: BlobBases,
      fields: IndexedSeq[Field],
      scheduler: ReadScheduler
  ): Option[BlobColumns] =
    if (!fields.exists(hasBlobs)) None
    else {
      val sources = fields.flatMap(_.leaves).filter(_.isBlob).flatMap { blob =>
        dataFiles.indices.find(i => dataFiles(i).columnOf(blob.id).isDefined).map { i =>
          val path = paths(i)
          val locations = new BlobLocations(path, dataFiles(i).path, bases)
          blob.id -> new Source(path, blob.name, locations)
        }
      }
      val sizes = dataFiles.indices.collect {
        case i if dataFiles(i).fileSizeBytes > 0 => paths(i) -> dataFiles(i).fileSizeBytes
      }
      val objects = new ObjectReads(store, sizes.toMap, scheduler)
      Some(new BlobColumns(fields, sources.toMap, objects))
    }
}

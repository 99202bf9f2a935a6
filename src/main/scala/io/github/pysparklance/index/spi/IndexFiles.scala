// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.index.cache.{IndexCache, IndexMeter}
import io.github.pysparklance.storage.spi.{FileStore, RangeReader, TablePath}

/** The folder of an index segment.
  *
  * @param details bytes of the message that describes the index
  * @param version `index_version` of the segment
  * @param sizes sizes of files in the manifest; for other files, storage is queried
  * @param cached cache of this process, and the meter of the reader; null disables caching. Not
  *   serialized
  */
final class IndexFiles(
    store: FileStore,
    folder: TablePath,
    val details: Array[Byte],
    val version: Int,
    sizes: Map[String, Long],
    @transient cached: (IndexCache, IndexMeter) = null
) extends Serializable {

  def path: String = folder.root

  /** Returns the same folder with another file store, such as the store of tasks. */
  def on(other: FileStore): IndexFiles = new IndexFiles(other, folder, details, version, sizes)

  /** The size of a file in bytes, if the manifest has it. */
  def sizeOf(name: String): Option[Long] = sizes.get(name)

  /** The size of all files in bytes, if the manifest has it. */
  def numBytes: Option[Long] = Optional.when(sizes.nonEmpty)(sizes.valuesIterator.sum)

  /** Returns a part of the files from the cache, or loads it.
    *
    * @param part identifies the part within the folder
    */
  def cache[A <: IndexCache.Part](part: Any)(load: => A): A =
    if (cached == null) load else cached._1.get(key(part), cached._2)(load)

  /** Whether a part is in the cache. */
  def isCached(part: Any): Boolean = cached != null && cached._1.find(key(part)).isDefined

  /** Maximum size of the cache in bytes. */
  def cacheBytes: Long = if (cached == null) 0L else cached._1.maxBytes

  private def key(part: Any): AnyRef = (origin, path, part)

  /** Parts are cached separately for each storage client, because users may have different
    * permissions.
    */
  private lazy val origin: Option[AnyRef] =
    names.headOption.flatMap(name => Using.resource(openRange(name))(_.origin))

  /** Opens a file.
    *
    * @throws NotFoundException if it does not exist
    * @throws CorruptFileException if it claims more rows than its bytes can describe
    */
  def open(name: String): DescribedFile = {
    val range = openRange(name)
    val file = DescribedFile.open(range)
    try
      Place.in(Place(path = Some(file.path))) {
        CorruptFileException.check(
          file.numRows / IndexFiles.maxRowsPerByte <= range.size,
          s"an index file of ${range.size} bytes with ${file.numRows} rows"
        )
        file
      }
    catch {
      case e: CorruptFileException =>
        file.close()
        throw e
    }
  }

  /** Opens a file of any format for reading bytes.
    *
    * @throws NotFoundException if it does not exist
    */
  def openRange(name: String): RangeReader = {
    val path = folder.resolve(name)
    sizes.get(name).fold(store.open(path))(store.open(path, _))
  }

  /** Opens a file, and closes it after use. */
  def use[A](name: String)(f: DescribedFile => A): A = Using.resource(open(name))(f)

  /** The names of the files: the names in the manifest, otherwise the files in storage. */
  lazy val names: Set[String] =
    if (sizes.nonEmpty) sizes.keySet else store.listNames(folder.root).toSet
}

/** Reads index files. */
object IndexFiles {

  /** Maximum rows per byte of a file. Rows of an index differ from each other, so a file cannot
    * store more. Readers collect rows in memory.
    */
  private val maxRowsPerByte = 64L

  /** Rows per batch. */
  val batchRows: Int = 8192

  /** Runs `f` on all rows of a file, in batches.
    *
    * @param columns columns to read; their arrays are valid until `f` returns
    */
  def foreachBatch(file: DescribedFile, columns: String*)(f: IndexedSeq[Column] => Unit): Unit =
    foreachBatch(file, RowRange(0, file.numRows), columns: _*)(f)

  /** Runs `f` on rows of a file, in batches. */
  def foreachBatch(file: DescribedFile, rows: RowRange, columns: String*)(
      f: IndexedSeq[Column] => Unit
  ): Unit = if (!rows.isEmpty) foreachBatch(file, IndexedSeq(rows), batchRows, columns)(f)

  /** Runs `f` on rows of a file, in batches. A batch only spans adjacent ranges.
    *
    * @param rows ascending, disjoint ranges
    * @param batchRows maximum rows per batch
    */
  def foreachBatch(
      file: DescribedFile,
      rows: IndexedSeq[RowRange],
      batchRows: Int,
      columns: Seq[String]
  )(f: IndexedSeq[Column] => Unit): Unit =
    Using.resource(file.read(columns.toIndexedSeq, rows)) { reader =>
      var available = reader.rowsAvailable
      while (available > 0) {
        f(reader.read(math.min(available, batchRows)))
        available = reader.rowsAvailable
      }
    }

  /** Returns an entry of the schema metadata as a number. */
  def number(file: DescribedFile, key: String): Option[Long] = file.schema.metadata.get(key).map {
    text =>
      Parse.long(text).filter(_ >= 0).getOrElse(
        throw new CorruptFileException(
          s"$key is '${Printable.line(text.take(40))}', which is not a number",
          Place(path = Some(file.path))
        )
      )
  }

  /** Returns the id of the segment that had no outdated entries when this connector wrote the file,
    * or [[NewSegment.notExact]]; `None` without a record. The entry applies to the segment with
    * this id only.
    */
  def exactSegment(file: DescribedFile): Option[String] =
    file.schema.metadata.get(NewSegment.exactKey)

  /** Returns the rows in the global buffer that a metadata entry names; `None` without such an
    * entry.
    */
  def rowSet(file: DescribedFile, key: String): Option[RowSet] =
    number(file, key).map(index => RowSet.parse(file.globalBuffer(Checked.int(index, key))))
}

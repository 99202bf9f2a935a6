// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.storage.spi.{FileStore, RangeReader, TablePath}

/** The folder of an index segment.
  *
  * @param details the bytes of the message that describes the index
  * @param version the `index_version` of the segment
  * @param sizes of the files as the manifest has them; files without a size are asked for it
  * @param cached cache of this process, with the meter of who reads; null: nothing is cached. Not serialized.
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

  /** The same folder, read by another store, as tasks do. */
  def on(other: FileStore): IndexFiles = new IndexFiles(other, folder, details, version, sizes)

  /** Bytes of a file, as far as the manifest has its size. */
  def sizeOf(name: String): Option[Long] = sizes.get(name)

  /** A part of the files from the cache, or else loaded.
    *
    * @param part names it within the folder
    */
  def cache[A <: IndexCache.Part](part: Any)(load: => A): A =
    if (cached == null) load else cached._1.get(key(part), cached._2)(load)

  /** Whether a part is in the cache. */
  def isCached(part: Any): Boolean = cached != null && cached._1.find(key(part)).isDefined

  /** Bytes that may be cached. */
  def cacheBytes: Long = if (cached == null) 0L else cached._1.maxBytes

  private def key(part: Any): AnyRef = (origin, path, part)

  /** Parts are cached for each client of the storage, as what one user reads is not for everyone. */
  private lazy val origin: Option[AnyRef] =
    names.headOption.flatMap(name => Using.resource(openRange(name))(_.origin))

  /** Opens a file.
    *
    * @throws NotFoundException when there is none of that name
    */
  def open(name: String): DescribedFile = DescribedFile.open(openRange(name))

  /** Opens a file of any form, to read bytes of it.
    *
    * @throws NotFoundException when there is none of that name
    */
  def openRange(name: String): RangeReader = {
    val path = folder.resolve(name)
    sizes.get(name).fold(store.open(path))(store.open(path, _))
  }

  /** Opens a file, and closes it after use. */
  def use[A](name: String)(f: DescribedFile => A): A = Using.resource(open(name))(f)

  /** The names of files: those that the manifest lists, else those in storage. */
  lazy val names: Set[String] =
    if (sizes.nonEmpty) sizes.keySet else store.listNames(folder.root).toSet
}

object IndexFiles {

  /** Rows that are read at a time. */
  val batchRows: Int = 8192

  /** Runs `f` on all rows of a file, batch by batch.
    *
    * @param columns whose values `f` gets; their arrays are valid until it returns
    */
  def foreachBatch(file: DescribedFile, columns: String*)(f: IndexedSeq[Column] => Unit): Unit =
    foreachBatch(file, RowRange(0, file.numRows), columns: _*)(f)

  /** Runs `f` on rows of a file, batch by batch. */
  def foreachBatch(file: DescribedFile, rows: RowRange, columns: String*)(
      f: IndexedSeq[Column] => Unit
  ): Unit = if (!rows.isEmpty) foreachBatch(file, IndexedSeq(rows), batchRows, columns)(f)

  /** Runs `f` on rows of a file, batch by batch. A batch does not span ranges that do not touch.
    *
    * @param rows ascending and disjoint
    * @param batchRows rows of a batch, at most
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

  /** An entry of the metadata of a file's schema, as a number. */
  def number(file: DescribedFile, key: String): Option[Long] = file.schema.metadata.get(key).map {
    text =>
      Parse.long(text).filter(_ >= 0).getOrElse(
        throw new CorruptFileException(
          s"$key is '${Printable.line(text.take(40))}', which is no number",
          Place(path = Some(file.path))
        )
      )
  }

  /** The rows in the global buffer that an entry of the metadata names; none without such an entry. */
  def rowSet(file: DescribedFile, key: String): Option[RowSet] =
    number(file, key).map(index => RowSet.parse(file.globalBuffer(Checked.int(index, key))))
}

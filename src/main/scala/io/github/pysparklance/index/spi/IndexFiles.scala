// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** The folder of an index segment.
  *
  * @param details the bytes of the message that describes the index
  * @param version the `index_version` of the segment
  * @param sizes of the files as the manifest has them; files without a size are asked for it
  */
final class IndexFiles(
    store: FileStore,
    folder: TablePath,
    val details: Array[Byte],
    val version: Int,
    sizes: Map[String, Long]
) extends Serializable {

  def path: String = folder.root

  /** The same folder, read by another store, as tasks do. */
  def on(other: FileStore): IndexFiles = new IndexFiles(other, folder, details, version, sizes)

  /** Opens a file.
    *
    * @throws NotFoundException when there is none of that name
    */
  def open(name: String): DescribedFile = {
    val path = folder.resolve(name)
    DescribedFile.open(sizes.get(name).fold(store.open(path))(store.open(path, _)))
  }

  /** Opens a file, and closes it after use. */
  def use[A](name: String)(f: DescribedFile => A): A = Using.resource(open(name))(f)

  /** The names of files: those that the manifest lists, else those in storage. */
  lazy val names: Set[String] =
    if (sizes.nonEmpty) sizes.keySet else store.listNames(folder.root).toSet
}

object IndexFiles {

  /** Rows that are read at a time. */
  private val batchRows = 8192

  /** Runs `f` on all rows of a file, batch by batch.
    *
    * @param columns whose values `f` gets; their arrays are valid until it returns
    */
  def foreachBatch(file: DescribedFile, columns: String*)(f: IndexedSeq[Column] => Unit): Unit =
    foreachBatch(file, RowRange(0, file.numRows), columns: _*)(f)

  /** Runs `f` on rows of a file, batch by batch. */
  def foreachBatch(file: DescribedFile, rows: RowRange, columns: String*)(
      f: IndexedSeq[Column] => Unit
  ): Unit = if (!rows.isEmpty)
    Using.resource(file.read(columns.toIndexedSeq, IndexedSeq(rows))) { reader =>
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

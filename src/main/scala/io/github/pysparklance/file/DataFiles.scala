// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core.Place
import io.github.pysparklance.file.spi.{FileReader, FileTail}
import io.github.pysparklance.storage.spi.RangeReader

/** Opens data files by what their footers say; what a manifest says of their version may be wrong. */
object DataFiles {

  /** Opens a file for some of its columns; one request as a rule.
    *
    * @param reader belongs to the answer, and is closed when opening fails
    * @param columns indices of the columns that will be read
    * @param numRows rows the table says the file has
    * @throws io.github.pysparklance.core.CorruptFileException when the file contradicts the format, or has another
    *   number of rows
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for a file version that is unknown or not built
    */
  def open(reader: RangeReader, columns: Iterable[Int], numRows: Long): FileReader =
    closingOnError(reader) {
      DataFileReader.open(reader, FileTail.read(reader), columns, numRows)
    }

  private[file] def closingOnError[A](reader: RangeReader)(open: => A): A =
    try Place.in(Place(path = Some(reader.path)))(open)
    catch {
      case e: Exception =>
        try reader.close()
        catch { case again: java.io.IOException => e.addSuppressed(again) }
        throw e
    }
}

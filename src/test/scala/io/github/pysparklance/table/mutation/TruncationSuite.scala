// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.mutation

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.DataFiles
import io.github.pysparklance.testkit.MemoryStorage

/** Files that end too early raise an error of ours that names them: the tables of this tree and some of the fixtures,
  * all of them by `make test-long`.
  */
class TruncationSuite extends AnyFunSuite {
  private val step = 64
  private val isLong = sys.props.get("pysparklance.tests.long").contains("true")

  private def tables(version: String): Iterator[SourceTable] =
    SourceTable.names
      .filter(SourceTable.versionOf(_) == version)
      .zipWithIndex
      .iterator
      .filter { case (name, i) => isLong || name.startsWith("golden/") || i % 12 == 0 }
      .flatMap { case (name, _) => SourceTable.load(name) }

  SourceTable.names.map(SourceTable.versionOf).filter(_.nonEmpty).distinct.sorted.foreach { version =>
    test(s"data files of version $version cut at every $step bytes") {
      var cuts = 0
      tables(version).foreach { table =>
        table.dataFiles.foreach { path =>
          val bytes = table.storage.bytes(path)
          (0 until bytes.length by step).foreach { length =>
            val cut = MemoryStorage.reader(path, bytes, length.toLong)
            val e = intercept[LanceException](DataFiles.open(cut, IndexedSeq(0), IndexedSeq(0), 1))
            if (!e.place.path.contains(path)) fail(s"$path cut at $length: $e")
            cuts += 1
          }
        }
      }
      info(s"$cuts cuts")
    }

    test(s"manifests of tables of version $version cut at every $step bytes") {
      var cuts = 0
      tables(version).foreach { table =>
        val bytes = table.storage.bytes(table.manifestPath)
        (0 until bytes.length by step).foreach { length =>
          val cut = Mutation(Room.Manifests, table.manifestPath, bytes.take(length), "")
          val e = intercept[LanceException](table.read(cut))
          if (!e.getMessage.contains(table.root)) fail(s"${table.name} cut at $length: $e")
          cuts += 1
        }
      }
      info(s"$cuts cuts")
    }
  }
}

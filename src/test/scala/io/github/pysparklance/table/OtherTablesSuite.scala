// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.testkit.TemporaryFolder

/** Recognizes folders that contain a table of another format. */
class OtherTablesSuite extends AnyFunSuite with TemporaryFolder {

  private def path: String = folder.resolve("t").toString

  private def write(files: Seq[String]): Unit =
    files.foreach(f => Storage.local.replace(s"$path/$f", Array[Byte](1)))

  private val others = Seq(
    ("Delta Lake", "_delta_log", Seq("_delta_log/00000000000000000000.json", "part-0.parquet")),
    ("Hudi", ".hoodie", Seq(".hoodie/hoodie.properties")),
    ("Paimon", "snapshot", Seq("snapshot/LATEST", "schema/schema-0", "manifest/manifest-1")),
    ("Iceberg", "metadata/v1.metadata.json", Seq("metadata/v1.metadata.json", "data/a.parquet")),
    ("Iceberg", "version-hint.text", Seq("metadata/version-hint.text")),
    ("Parquet", "part-0.snappy.parquet", Seq("_SUCCESS", "part-0.snappy.parquet")),
    ("Parquet", "a=1/b=2/x.parquet", Seq("a=1/b=2/x.parquet", "a=1/b=2/.x.parquet.crc")),
    ("ORC", "part-0.zstd.orc", Seq("part-0.zstd.orc")),
    ("CSV", "part-0.csv.gz", Seq("part-0.csv.gz"))
  )

  for ((format, evidence, files) <- others)
    test(s"$format by ${files.last}") {
      write(files)
      val e = intercept[InvalidRequestException](OtherTables.reject(Storage.local, path))
      assert(e.getMessage.contains(s"the folder contains a $format table"))
      assert(e.getMessage.contains(evidence) && e.place.path.contains(path))
    }

  test("other files and folders are not tables") {
    OtherTables.reject(Storage.local, path)
    write(Seq("README.md", "settings.json", "input.csv", "data/x.lance", "metadata/a", "schema/b"))
    OtherTables.reject(Storage.local, path)
  }
}

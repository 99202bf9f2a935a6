// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.testkit.{TableRows, TemporaryFolder}

/** Values that fill a page each are compressed if that pays off. */
class LongValuesSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local
  private val mebibyte = 1 << 20

  private def schema(metadata: Map[String, String]): Schema = Schema(IndexedSeq(
    Field(-1, "t", LogicalType.parse("string"), nullable = true).copy(metadata = metadata)
  )).withFreshIds

  /** Writes values and reads them back.
    *
    * @return size of the data files in bytes
    */
  private def written(
      version: FileVersion,
      values: Seq[Option[String]],
      metadata: Map[String, String] = Map.empty
  ): Long = {
    val path = folder.resolve(s"${version.text}-${Random.nextInt()}").toString
    val out = FragmentWriter.open(store, path, schema(metadata), version)
    values.foreach { value =>
      val one = new BinaryValues
      val bytes = value.fold(Array.emptyByteArray)(_.getBytes(UTF_8))
      one.append(bytes, 0, bytes.length)
      val validity = if (value.isDefined) null else Validity.of(false)
      out.write(IndexedSeq(LeafColumn(one, validity)), 1)
    }
    val t =
      LanceTable.create(store, path, schema(metadata), IndexedSeq(out.finish()), version)
    val read = TableRows(store, t).map(_.head)
    assert(read.length == values.length)
    read.zip(values).zipWithIndex.foreach { case ((found, expected), i) =>
      val isSame = (Option(found.asInstanceOf[Seq[Byte]]), expected) match {
        case (Some(bytes), Some(text)) =>
          java.util.Arrays.equals(bytes.toArray, text.getBytes(UTF_8))
        case (none, noText) => none.isEmpty && noText.isEmpty
      }
      assert(isSame, s"row $i")
    }
    Files.list(Paths.get(path, "data")).iterator.asScala.map(Files.size(_)).sum
  }

  private val repeated = Seq.fill(3)(Some("x" * (9 * mebibyte)))
  private val random = new Random(1)
  private val noise = Seq(Some(random.alphanumeric.take(9 * mebibyte).mkString))

  for (version <- Seq(FileVersion.V2_0, FileVersion.V2_1, FileVersion.V2_2, FileVersion.V2_3)) {
    test(s"long values of one character are short in ${version.text}") {
      assert(written(version, repeated) < (64 << 10))
      assert(written(version, repeated :+ None :+ Some("") :+ Some("short")) < (64 << 10))
    }

    test(s"distinct long values are compressed in ${version.text}") {
      val words = Seq("order", "shipped", "returned", "paid", "number")
      val texts = Seq.fill(2) {
        val b = new StringBuilder
        while (b.length < 9 * mebibyte)
          b.append(words(random.nextInt(words.length))).append(random.nextInt(100)).append(' ')
        Some(b.toString)
      }
      assert(written(version, texts) < 9 * mebibyte)
    }
  }

  test("incompressible or explicitly uncompressed long values are written once and unchanged") {
    for (version <- Seq(FileVersion.V2_0, FileVersion.V2_2)) {
      val plain = Map("lance-encoding:compression" -> "none")
      val size = written(version, repeated.take(1), plain)
      assert(size >= 9 * mebibyte && size < 9 * mebibyte + 4096)
    }
  }

  test("a page of equal short values stores one of them") {
    assert(written(FileVersion.V2_2, Seq.fill(100)(Some("y" * 20000))) < 25000)
  }

  test("a value of random bytes is not compressed") {
    val size = written(FileVersion.V2_2, noise)
    assert(size > 6 * mebibyte)
  }
}

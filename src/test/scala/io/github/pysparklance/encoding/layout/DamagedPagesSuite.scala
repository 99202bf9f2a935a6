// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import scala.util.Random

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.PageDecoders
import io.github.pysparklance.encoding.spi.{EncodedPage, EncodingVersion}
import io.github.pysparklance.testkit.{Pages, PropertyChecks, RandomColumns}

/** Corrupt pages return wrong rows or raise a Lance error, but never another exception, an endless
  * loop, or a huge allocation.
  */
class DamagedPagesSuite extends AnyFunSuite with PropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 400)

  private def damaged(bytes: Array[Byte], random: Random): Array[Byte] = {
    val out =
      if (random.nextInt(4) == 0) bytes.take(random.nextInt(bytes.length + 1)) else bytes.clone()
    if (out.nonEmpty)
      (0 to random.nextInt(3)).foreach { _ =>
        val at = random.nextInt(if (random.nextBoolean()) out.length else math.min(24, out.length))
        out(at) = (random.nextInt(3) match {
          case 0 => random.nextInt(256)
          case 1 => out(at) ^ (1 << random.nextInt(8))
          case _ => 0xff
        }).toByte
      }
    out
  }

  private def damaged(page: EncodedPage, random: Random): EncodedPage = {
    val what = random.nextInt(page.buffers.length + 1)
    if (what == page.buffers.length) page.copy(encoding = damaged(page.encoding, random))
    else page.copy(buffers =
      page.buffers.updated(what, Buffer(damaged(page.buffers(what).toBytes, random)))
    )
  }

  private def rejectedOrRead(read: => Any): Unit =
    try read: Unit
    catch { case _: CorruptFileException | _: UnsupportedFeatureException => () }

  test("pages with changed or truncated bytes") {
    forAll(
      Gen.long,
      Gen.choose(1, 400),
      Gen.choose(0, 3),
      Gen.oneOf(EncodingVersion.V2_1, EncodingVersion.V2_2)
    ) {
      (seed, numRows, depth, version) =>
        val random = new Random(seed)
        val columns = new RandomColumns(random)
        val field = columns.field(depth, fixedSizeLists = true)
        val column = columns.column(field, numRows)
        Pages.paths(field).foreach { path =>
          Pages.write(path, column, version, 0, numRows, numRows).foreach { page =>
            (1 to 10).foreach { _ =>
              val bad = damaged(page, random)
              rejectedOrRead(Pages.readAll(bad, path.last.valueType, version, random))
              val from = random.nextInt(page.numRows.toInt).toLong
              val some = Seq(RowRange(from, from + 1))
              rejectedOrRead(Pages.readRanges(bad, path.last.valueType, version, some))
            }
          }
        }
    }
  }

  test("random bytes as a description") {
    forAll(Gen.listOf(Gen.choose(0, 255)), Gen.choose(0, 4)) { (bytes, numBuffers) =>
      val sizes = IndexedSeq.fill(numBuffers)(64L)
      intercept[LanceException] {
        PageDecoders(bytes.map(_.toByte).toArray, 10, sizes, FixedWidth(32), EncodingVersion.V2_2)
      }: Unit
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.kernels

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._

/** Runs each kernel twice, and checks its output. */
class KernelsSuite extends AnyFunSuite {

  private def items(values: Values): Seq[Any] = values match {
    case v: ByteValues => v.array.take(v.numItems).toSeq
    case v: ShortValues => v.array.take(v.numItems).toSeq
    case v: IntValues => v.array.take(v.numItems).toSeq
    case v: LongValues => v.array.take(v.numItems).toSeq
    case v: WideValues => v.bytes.take(v.numItems * v.bytesPerValue).toSeq
    case v: BinaryValues =>
      (0 until v.numItems).map(i =>
        new String(v.bytes, v.offsets(i), v.offsets(i + 1) - v.offsets(i))
      )
    case other => fail(other.getClass.getName)
  }

  private def numItems(made: AnyRef): Int = made match {
    case v: Values => v.numItems
    case v: NullableValues => v.values.numItems
    case v: Validity => v.numItems
    case a: Array[Int] => a.length - 1
    case batch: LeafBatch => batch.numRows
    case other => fail(other.getClass.getName)
  }

  private def twice(kernel: Kernel): AnyRef = {
    kernel.run()
    kernel.run()
  }

  private val withLayers = Set("levels")
  private val inBatches = Set("dictionary page" -> 4096, "2.3 sparse lists" -> 1024).toMap

  Kernels.all.foreach { kernels =>
    test(s"${kernels.name}: each kernel decodes all of its values") {
      kernels.cases.foreach { of =>
        val name = s"${kernels.name} $of"
        val kernel = Kernels.make(name)
        val made = twice(kernel)
        (kernel.source, made) match {
          case (Some(source), values: Values) =>
            assert(items(values) == items(source), name)
            assert(kernel.numValues == source.numItems)
          case _ if withLayers(kernels.name) =>
          case (_, distances: Array[Float]) =>
            assert(kernel.numValues % distances.length == 0 && distances.distinct.length > 1, name)
            assert(distances.forall(d => !d.isNaN && !d.isInfinite), name)
          case _ => assert(numItems(made) == inBatches.getOrElse(name, kernel.numValues), name)
        }
        assert(kernel.outBytes > 0)
      }
    }
  }

  test("levels: each kernel returns rows, and nulls if it has any") {
    Kernels.all.find(_.name == "levels").get.cases.foreach { of =>
      twice(Kernels.make(s"levels $of")) match {
        case layers: Seq[_] =>
          assert(layers.length == (if (of == "lists of lists") 3 else 2))
          layers.head match {
            case ListLayer(numSlots, offsets, validity) =>
              assert(numSlots > 500 && offsets(numSlots) > numSlots)
              assert((validity == null) == (of == "valid lists"))
            case other => fail(s"$other")
          }
        case other => fail(s"$other")
      }
    }
  }

  test("sequences have the expected numbers") {
    def numbers(of: String) = twice(SequenceKernels.sequence(of)) match {
      case v: LongValues => v.array.take(v.numItems)
      case other => fail(s"$other")
    }
    assert(numbers("rle").distinct.length == 82)
    assert(numbers("dictionary").distinct.length == 16)
    assert(numbers("delta").sliding(2).forall(p => p(0) <= p(1)))
    Seq("flat", "range").foreach(of => assert(numbers(of).distinct.length == numbers(of).length))
  }

  test("the table shows the met targets") {
    def result(name: String, of: String, nanos: Double, copyNanos: Double) =
      KernelResults.Result(
        Kernels.all.find(_.name == name).get,
        of,
        1000,
        8000,
        nanos,
        Some(copyNanos)
      )
    val table = KernelResults.table(Seq(
      result("bitpacking-u64", "3", 100, 36),
      result("bitpacking-u64", "63", 100, 34),
      result("validity", "levels", 999, 10),
      result("fsst", "words", 8001, 10),
      result("variable", "words", 8001, 10)
    ))
    def met(row: String) = table.linesIterator.find(_.startsWith(row)).get.split(' ').last
    assert(met("bitpacking-u64     3 ") == "yes" && met("bitpacking-u64     63 ") == "no")
    assert(met("validity           levels") == "yes" && met("fsst               words") == "no")
    assert(table.contains("bitpacking-u64       1 of   2 met, lowest 0.34 x copy"))
    assert(table.contains("2 of 4 targets met") && !met("variable           words").contains("yes"))
  }
}

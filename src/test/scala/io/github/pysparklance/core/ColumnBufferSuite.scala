// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{ColumnRows, RandomColumns, TestRun}

class ColumnBufferSuite extends AnyFunSuite {

  test("runs of random columns, nulls, and fillers round-trip") {
    val seed = TestRun.seed
    val random = new Random(seed)
    val columns = new RandomColumns(random)
    (0 until 150).foreach { round =>
      val field =
        if (round % 3 == 2) columns.special(anyWidth = true)
        else columns.field(random.nextInt(4), fixedSizeLists = true)
      val buffer = ColumnBuffer(field)
      (0 until 2).foreach { _ => // a buffer is used again
        val expected = Seq.newBuilder[Option[Any]]
        (0 until 6).foreach { _ =>
          random.nextInt(6) match {
            case 0 =>
              val n = random.nextInt(3)
              buffer.appendNulls(n)
              expected ++= Seq.fill(n)(Some(null))
            case 1 =>
              val n = random.nextInt(3)
              buffer.appendFiller(n)
              expected ++= Seq.fill(n)(None)
            case _ =>
              val all = columns.column(field, 1 + random.nextInt(20))
              val from = random.nextInt(all.numRows)
              val n = random.nextInt(all.numRows - from + 1)
              buffer.append(all, from, n)
              expected ++= ColumnRows(all).slice(from, from + n).map(Some(_))
          }
        }
        val rows = expected.result()
        assert(buffer.numRows == rows.length, s"seed $seed, round $round")
        val found = ColumnRows(buffer.column)
        rows.indices.foreach { i =>
          rows(i) match {
            case Some(row) => assert(found(i) == row, s"seed $seed, round $round, $field")
            case None =>
              val isText = buffer.column match {
                case LeafColumn(_: BinaryValues, _) | _: NullColumn => field.nullable
                case _ => false
              }
              assert(buffer.column.isNull(i) == isText, s"seed $seed, round $round, $field")
          }
        }
        buffer.clear()
      }
    }
  }

  test("dictionaries and constants are resolved") {
    val field = Field(0, "x", LogicalType.Utf8(large = false), nullable = true)
    val items = new BinaryValues
    Seq("a", "bc").foreach(s => items.append(s.getBytes, 0, s.length))
    val indices = new IntValues
    Seq(1, 99, 0).foreach(indices.append)
    val dictionary = new DictionaryValues(indices, items)
    dictionary.extend(3)
    val constant = new BinaryValues
    constant.append("d".getBytes, 0, 1)
    val buffer = ColumnBuffer(field)
    buffer.append(LeafColumn(dictionary, Validity.of(true, false, true)), 0, 3)
    buffer.append(ConstantColumn(constant, 5, null), 2, 2)
    val found = ColumnRows(buffer.column).map {
      case bytes: Seq[_] => new String(bytes.map(_.asInstanceOf[Byte]).toArray)
      case other => other
    }
    assert(found == Seq("bc", null, "a", "d", "d"))
  }

  test("a column of another shape is rejected") {
    val field = Field(0, "x", LogicalType.Integer(32, signed = true), nullable = true)
    val longs = new LongValues
    longs.append(1L)
    val e = intercept[InvalidRequestException] {
      ColumnBuffer(field).append(LeafColumn(longs, null), 0, 1)
    }
    assert(e.getMessage.contains("IntValues"))
  }
}

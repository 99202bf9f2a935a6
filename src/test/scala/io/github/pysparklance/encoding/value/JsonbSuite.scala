// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.value

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, UnsupportedFeatureException}

/** Texts of whole columns, as written by pylance, are tested in `GoldenTypesSuite`. */
class JsonbSuite extends AnyFunSuite {

  private def hex(digits: String): Array[Byte] =
    digits.filterNot(_.isWhitespace).grouped(2).map(Integer.parseInt(_, 16).toByte).toArray

  private def text(digits: String): String = {
    val bytes = hex(digits)
    val padded = Array[Byte](1, 2) ++ bytes ++ Array[Byte](3)
    val found = new String(Jsonb.text(padded, 2, 2 + bytes.length), "UTF-8")
    assert(found == new String(Jsonb.text(bytes, 0, bytes.length), "UTF-8"))
    found
  }

  private val obj = "40000001 10000001 20000002 69 5007"

  test("values are read from their bytes") {
    assert(text(obj) == """{"i":7}""")
    assert(text("20000000 00000000") == "null")
    assert(text("20000000 40000000") == "true")
    assert(text("20000000 30000000") == "false")
    assert(text("20000000 20000001 00") == "0")
    assert(text("20000000 20000002 40 ff") == "-1")
    assert(text("20000000 20000003 40 8000") == "-32768")
    assert(text("20000000 20000009 50 ffffffffffffffff") == "18446744073709551615")
    assert(text("20000000 20000009 60 3ff8000000000000") == "1.5")
    assert(text("20000000 20000009 60 7ff0000000000000") == "null")
    assert(text("20000000 20000001 10") == "null")
    assert(text("20000000 2000000a 70 0000000000003039 02") == "123.45")
    assert(text("20000000 10000003 0a2201") == "\"\\n\\\"\\u0001\"")
    assert(text("80000000") == "[]")
    assert(text("40000000") == "{}")
    assert(text("80000002 50000008 50000004 80000001 40000000 40000000") == "[[true],{}]")
  }

  test("kinds without a JSON representation are rejected by name") {
    val e = intercept[UnsupportedFeatureException](text("20000000 60000005 10 00000001"))
    assert(e.feature.contains("dates"))
    val deep = Iterator.iterate("80000000")(inner =>
      f"80000001 ${0x50000000 | hex(inner).length}%08x " + inner
    ).drop(600).next()
    intercept[UnsupportedFeatureException](text(deep))
  }

  test("corrupt bytes raise only Lance errors") {
    Seq(
      "",
      "00",
      "00000000",
      "60000000 00000000",
      "80000002 00000000",
      "20000000 20000000"
    ).foreach { d =>
      intercept[CorruptFileException](text(d))
    }
    intercept[CorruptFileException](text("9fffffff 00000000"))
    intercept[CorruptFileException](text("40000001 20000002 20000002 5007 5007"))
    val random = new Random(7)
    val bytes =
      hex("80000002" + "50000010" + "10000003" + "40000001 10000001 20000002 69 5007 00" + "616263")
    (0 until 2000).foreach { _ =>
      val damaged = bytes.clone()
      (0 to random.nextInt(3)).foreach { _ =>
        damaged(random.nextInt(damaged.length)) = random.nextInt(256).toByte
      }
      val end = if (random.nextBoolean()) damaged.length else random.nextInt(damaged.length)
      try Jsonb.text(damaged, 0, end): Unit
      catch { case _: CorruptFileException | _: UnsupportedFeatureException => () }
    }
  }
}

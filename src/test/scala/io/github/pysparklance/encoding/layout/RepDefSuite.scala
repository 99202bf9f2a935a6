// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, Validity}
import io.github.pysparklance.encoding.proto.v2_1.RepDefLayer
import io.github.pysparklance.encoding.spi.{ItemLayer, Layer, ListLayer}

class RepDefSuite extends AnyFunSuite {
  private def repDef(kinds: Int*): RepDef =
    RepDef(java.util.Arrays.asList(kinds.map(RepDefLayer.forNumber): _*))

  private def levels(text: String): Array[Short] = text.split(' ').map(_.toShort)

  private def bits(validity: Validity): String =
    if (validity == null) "all"
    else (0 until validity.numItems).map(i => if (validity.isValid(i)) 1 else 0).mkString(" ")

  private def text(layer: Layer): String = layer match {
    case ItemLayer(validity) => bits(validity)
    case ListLayer(numSlots, offsets, validity) =>
      s"${offsets.take(numSlots + 1).mkString(" ")} / ${bits(validity)}"
  }

  test("levels of nested lists with nulls at every layer") {
    // [ {b:[1,2]}, {b:[]}, null, {b:null} ]   null   []   [ {b:[null]}, {b:[3]} ]
    val nested = repDef(3, 6, 3, 6)
    assert(nested.maxRep == 2 && nested.maxDef == 6 && nested.maxVisible == 1)
    val rep = levels("2 0 1 1 1 2 2 2 1")
    val definition = levels("0 0 3 4 2 5 6 1 0")
    assert(nested.countVisible(definition, 0, 9) == 4)
    val builder = new LayerBuilder(nested)
    (1 to 2).foreach { _ =>
      assert(
        builder.lists(4, rep, definition, 9).map(text) == Seq(
          "0 4 4 4 6 / 1 0 1 1",
          "1 1 0 1 1 1",
          "0 2 2 2 2 3 4 / 1 1 0 0 1 1",
          "1 1 0 1"
        )
      )
    }
  }

  test("lists without definition levels") {
    val layers = new LayerBuilder(repDef(1, 2, 2)).lists(2, levels("2 0 1 2 1 0"), null, 6)
    assert(layers.map(text) == Seq("0 2 4 / all", "0 2 3 4 6 / all", "all"))
  }

  test("a null struct hides the list below it") {
    // struct<list<int>>: {[1]}, null, {null}, {[2, 3]}
    val layers =
      new LayerBuilder(repDef(1, 4, 3)).lists(4, levels("1 1 1 1 0"), levels("0 2 1 0 0"), 5)
    assert(layers.map(text) == Seq("1 0 1 1", "0 1 1 1 3 / 1 0 0 1", "all"))
  }

  test("items only: a level is null in its layer and in those below") {
    val builder = new LayerBuilder(repDef(3, 1, 3))
    builder.clear()
    builder.appendItems(levels("0 1 2 0"), 0, 4)
    builder.appendValid(1)
    assert(builder.items.map(text) == Seq("1 1 0 1 1", "1 1 0 1 1", "1 0 0 1 1"))
    builder.clear()
    builder.appendValid(3)
    assert(builder.items.map(text) == Seq("all", "all", "all"))
  }

  test("rejects layers and levels that the format does not have") {
    def rejected(text: String)(body: => Any) =
      assert(intercept[CorruptFileException](body).getMessage.contains(text))
    rejected("without layers")(repDef())
    rejected("innermost layer is a list")(repDef(2))
    rejected("REPDEF_UNSPECIFIED")(repDef(3, 0))
    rejected("level above 3")(RepDef.checkLevels(levels("3 0 4"), 3, 3, "definition"))
    rejected("level above 3")(RepDef.checkLevels(levels("3 0 -1"), 3, 3, "definition"))
    RepDef.checkLevels(levels("3 0 4"), 2, 3, "definition")
    rejected("levels form 2 rows")(new LayerBuilder(repDef(
      1,
      2
    )).lists(3, levels("1 0 1"), null, 3))
  }
}

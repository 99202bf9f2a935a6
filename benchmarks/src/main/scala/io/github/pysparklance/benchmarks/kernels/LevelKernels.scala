// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.kernels

import java.util.SplittableRandom

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import io.github.pysparklance.benchmarks.kernels.Target.GigaValues
import io.github.pysparklance.core._
import io.github.pysparklance.encoding.layout.{LayerBuilder, RepDef}
import io.github.pysparklance.encoding.proto.v2_1.RepDefLayer
import io.github.pysparklance.encoding.proto.v2_1.RepDefLayer._

/** Validity of definition levels with 10 % nulls, and of a bitmap that starts within a byte.
  * Booleans, unpacked from bits to bytes.
  */
private[kernels] object ValidityKernels {
  def all: Seq[Kernels] = Seq(Expansion)

  private val NumValues = 16384

  private object Expansion
      extends Kernels("validity", Seq("levels", "bitmap", "booleans"), Some(GigaValues(1.0))) {
    def make(of: String): Kernel =
      if (of == "booleans") FlatKernels.booleans() else validity(of)

    private def validity(of: String): Kernel = {
      val random = new SplittableRandom(42)
      val validity = new Validity
      val levels = Array.fill(NumValues)((if (random.nextInt(10) == 0) 1 else 0).toShort)
      val bytes = new Array[Byte](NumValues / 8 + 1)
      random.nextBytes(bytes)
      val bitmap = Buffer(bytes)
      def fromLevels(): Validity = {
        validity.clear()
        validity.appendLevels(levels, 0, NumValues, 0)
        validity
      }
      def fromBitmap(): Validity = {
        validity.clear()
        validity.appendBitmap(bitmap, 3, NumValues)
        validity
      }
      val run = if (of == "levels") () => fromLevels() else () => fromBitmap()
      Kernel(NumValues, NumValues / 8, run)
    }
  }
}

/** Conversion of repetition and definition levels to offsets and validity. "valid lists" have no
  * nulls and no empty lists, others have both in each layer.
  */
private[kernels] object LevelKernels {
  def all: Seq[Kernels] = Seq(Lists)

  private val NumLevels = 16384
  private val cases = Seq("valid lists", "lists", "lists of lists")

  private object Lists extends Kernels("levels", cases, Some(GigaValues(0.3))) {
    def make(of: String): Kernel = {
      val layers: Seq[RepDefLayer] = of match {
        case "valid lists" => Seq(REPDEF_ALL_VALID_ITEM, REPDEF_ALL_VALID_LIST)
        case "lists" => Seq(REPDEF_NULLABLE_ITEM, REPDEF_NULL_AND_EMPTY_LIST)
        case _ => Seq(
            REPDEF_NULLABLE_ITEM,
            REPDEF_NULL_AND_EMPTY_LIST,
            REPDEF_NULL_AND_EMPTY_LIST
          )
      }
      val repDef = RepDef(layers.asJava)
      val builder = new LayerBuilder(repDef)
      val levels = new Levels(hasNulls = repDef.maxDef > 0)
      var numRows = 0
      while (levels.repetition.length < NumLevels) {
        levels.list(repDef.maxRep, repDef.maxRep)
        numRows += 1
      }
      val rep = levels.repetition.toArray
      val definition = if (repDef.maxDef > 0) levels.definition.toArray else null
      Kernel(
        rep.length,
        4 * numRows + rep.length / 8,
        () => builder.lists(numRows, rep, definition, rep.length)
      )
    }
  }

  /** Levels of random lists of 1 to 9 items. 10 % of all items and lists are null or empty. */
  final private class Levels(hasNulls: Boolean) {
    private val random = new SplittableRandom(42)
    val repetition = new ArrayBuffer[Short]
    val definition = new ArrayBuffer[Short]

    /** Appends a list that starts at level `rep`.
      *
      * @param depth number of nested lists, including this one
      */
    def list(depth: Int, rep: Int): Unit =
      if (isNull()) level(rep, 2 * depth + random.nextInt(2))
      else
        (0 to random.nextInt(9)).foreach { i =>
          val start = if (i == 0) rep else depth - 1
          if (depth > 1) list(depth - 1, start)
          else level(start, if (isNull()) 1 else 0)
        }

    private def isNull(): Boolean = hasNulls && random.nextInt(10) == 0

    private def level(rep: Int, definition: Int): Unit = {
      repetition += rep.toShort
      this.definition += definition.toShort
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.kernels

import java.nio.charset.StandardCharsets.UTF_8
import java.util.SplittableRandom

import io.github.pysparklance.benchmarks.kernels.Target.GigaBytes
import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.{Fsst, Variable}

/** Strings of syllables: words of about 6 bytes, and comments of about 27 bytes. Speeds count
  * decoded bytes.
  */
private[kernels] object StringKernels {
  def all: Seq[Kernels] = Seq(Symbols, Plain)

  private val NumValues = 8192
  private val syllables = Array("al", "be", "car", "do", "eth", "fur", "gan", "ing ", "ly ", "the ")

  private object Symbols extends Kernels("fsst", Seq("words", "comments"), Some(GigaBytes(1.0))) {
    def make(of: String): Kernel = {
      val values = strings(of)
      MiniBlocks.kernel(
        Fsst.encodeMiniBlock(Fsst.codeAlways(values), 32),
        VariableWidth(32),
        values,
        values.numBytes
      )
    }
  }

  private object Plain extends Kernels("variable", Seq("words", "comments"), None) {
    def make(of: String): Kernel = {
      val values = strings(of)
      MiniBlocks.kernel(
        Variable.encodeMiniBlock(values, 32),
        VariableWidth(32),
        values,
        values.numBytes
      )
    }
  }

  private def strings(of: String): BinaryValues = {
    val random = new SplittableRandom(7)
    val out = new BinaryValues
    (0 until NumValues).foreach { _ =>
      val length = if (of == "words") 1 + random.nextInt(10) else 12 + random.nextInt(30)
      val text = new StringBuilder
      while (text.length < length) text.append(syllables(random.nextInt(syllables.length)))
      val bytes = text.toString.getBytes(UTF_8)
      out.append(bytes, 0, bytes.length)
    }
    out
  }
}

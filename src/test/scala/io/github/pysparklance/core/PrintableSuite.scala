// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import org.scalatest.funsuite.AnyFunSuite

class PrintableSuite extends AnyFunSuite {
  test("control and bidirectional characters are escaped, others are unchanged") {
    assert(Printable("a\u202eb\u0007\u009b\ufeff") == "a\\u202Eb\\u0007\\u009B\\uFEFF")
    val plain = "Größe, 高さ, עברית, 👍🏽, tab\tand\nline"
    assert(Printable(plain) == plain)
    assert(Printable.line("a\r\n\tb\u001b[31m") == "a\\r\\n\\tb\\u001B[31m")
  }

  test("error messages escape names") {
    val e = new CorruptFileException("odd \u202e", Place(column = Some("a\nb\u0000")))
    assert(e.getMessage == "column \"a\\nb\\u0000\": corrupt file: odd \\u202E")
    val path = new NotFoundException("file a\nb", Place(path = Some("/t\nERROR c")))
    assert(path.getMessage == "/t\\nERROR c: not found: file a\\nb")
  }
}

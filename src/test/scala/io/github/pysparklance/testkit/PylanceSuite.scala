// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.concurrent.duration.DurationInt
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

class PylanceSuite extends AnyFunSuite with TemporaryFolder {

  private def path: String = folder.resolve("t").toString

  test("arguments and results of every kind") {
    val answer = Pylance.run(
      """
      print("not in the way")
      result = {"text": text, "sum": sum(numbers), "none": nothing, "some": some, "map": pairs["k"],
                "bytes": b"\x00\xff", "big": 2**64 - 1, "nan": float("nan"), "true": flag,
                "day": datetime.date(2026, 1, 2)}
      """,
      "text" -> "Grüße\n\"\u2028😀",
      "numbers" -> Seq(1, 2L),
      "nothing" -> None,
      "some" -> Some(3),
      "pairs" -> Map("k" -> Seq("v")),
      "flag" -> true
    )
    assert(answer.get("text").asText == "Grüße\n\"\u2028😀")
    assert(answer.get("sum").asInt == 3 && answer.get("some").asInt == 3)
    assert(answer.get("none").isNull && answer.get("true").asBoolean)
    assert(answer.get("map").get(0).asText == "v")
    assert(answer.get("bytes").binaryValue.toSeq == Seq[Byte](0, -1))
    assert(answer.get("big").bigIntegerValue.bitLength == 64 && answer.get("nan").asDouble.isNaN)
    assert(answer.get("day").asText == "2026-01-02")
  }

  test("an exception is an error, and the process continues") {
    val e = intercept[PylanceError](Pylance.run("def f(): return [][3]\nf()"))
    assert(e.kind == "IndexError" && e.getMessage.contains("line 1, in f"))
    assert(intercept[PylanceError](Pylance.run("dataset(p)", "p" -> path)).kind == "ValueError")
    assert(Pylance.run("result = 1").asInt == 1)
  }

  test("a description of a table by pylance") {
    Pylance.write(
      "[{'id': i, 's': str(i)} for i in range(10)]",
      path,
      "max_rows_per_file" -> 5,
      "enable_stable_row_ids" -> true
    )
    Pylance.run("dataset(path).delete('id in (1, 2)')", "path" -> path)
    assert(Pylance.rows(path).map(_.get("s").asText) == Seq("0") ++ (3 to 9).map(_.toString))
    assert(Pylance.rows(path, Some(1L), Some(Seq("id"))).length == 10)
    assert(Pylance.versions(path).map(v => (v.get("version").asLong, v.get("rows").asInt)) ==
      Seq((1L, 10), (2L, 8)))
    val fragments = Pylance.fragments(path)
    val (first, second) = (fragments(0), fragments(1))
    assert(first.get("deleted").toString == "[1,2]" && first.get("row_ids").toString == "[0,3,4]")
    assert(first.get("deletion_file").get("num_deleted_rows").asInt == 2)
    assert(second.get("files").size == 1 && second.get("physical_rows").asInt == 5)
    assert(Pylance.schema(path).map(_.get("name").asText) == Seq("id", "s"))
    assert(Pylance.tags(path).isEmpty && Pylance.branches(path).isEmpty)
    assert(Pylance.validate(path) == 8 && Pylance.validate(path, Some(1L)) == 10)
  }

  test("a separate process, its timeout, and its end") {
    Using.resource(PylanceWorker.start()) { own =>
      assert(own.run("import os; result = os.getpid()").asLong == own.pid)
      assert(own.version == Pylance.run("result = lance.__version__").asText)
      val e = intercept[PylanceError](own.run("import os; print('last words'); os._exit(3)"))
      assert(e.kind == "Ended" && !own.isAlive && e.getMessage.contains("last words"))
    }
    Using.resource(PylanceWorker.start(20.seconds)) { own =>
      own.kill()
      assert(intercept[PylanceError](own.run("result = 1")).kind == "Ended")
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance

import java.io.File
import java.nio.file.{Files, Paths}

import org.scalatest.funsuite.AnyFunSuite

/** The walks through the code in `CONTRIBUTING.md`. */
class WalksSuite extends AnyFunSuite {
  private val root = "io.github.pysparklance"
  private val page = new String(Files.readAllBytes(Paths.get("CONTRIBUTING.md")), "UTF-8")

  private val walks: Seq[(String, Seq[String])] =
    page.split("(?m)^## ").find(_.startsWith("Three walks")).toSeq
      .flatMap(_.split("(?m)^### ").toSeq.tail)
      .map { walk =>
        val classes = "(?m)^\\d+\\. `([\\w.]+)`".r.findAllMatchIn(walk).map(_.group(1)).toSeq
        walk.linesIterator.next() -> classes
      }

  /** Pairs of classes in which one class mentions the other, without their inner classes. */
  private lazy val ties: Set[(String, String)] = {
    val folders = sys.props("pysparklance.classes").split(File.pathSeparator)
    def name(of: String) = of.stripPrefix(s"$root.").takeWhile(_ != '$')
    Layers.read(folders.toSeq.map(Paths.get(_))).map(d => name(d.from) -> name(d.to)).toSet
  }

  test("there are three walks of at most twelve classes") {
    assert(walks.map(_._1) == Seq("A filtered scan", "An append", "A DELETE"))
    walks.foreach { case (title, classes) =>
      assert(classes.length > 5 && classes.length <= 12, title)
      assert(classes.distinct == classes, title)
    }
  }

  for ((title, classes) <- walks)
    test(s"$title: each class mentions an earlier class of the walk, or is mentioned by one") {
      classes.zipWithIndex.tail.foreach { case (next, i) =>
        val earlier = classes.take(i)
        assert(earlier.exists(e => ties(e -> next) || ties(next -> e)), next)
      }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.conformance

import scala.collection.mutable

import org.apache.spark.SparkFunSuite
import org.scalactic.source.Position
import org.scalatest.Tag
import org.scalatest.tagobjects.Slow

/** Leaves out tests of a suite of Spark's by name, each with its reason, and refuses names that the suite does not
  * have. What is left out is reported as ignored, together with the reason. Of the others, a part runs every time, and
  * all of them in runs that may take long.
  */
trait Exclusions extends SparkFunSuite {

  /** The test's name (without the prefix that suites of commands add) -> why it cannot hold here. */
  protected def leftOut: Map[String, String] = Map.empty

  /** Every n-th test runs every time, the first among them. */
  protected def oneOf: Int = 1

  // Lazy: the suite registers its tests before the body of this trait runs.
  private lazy val met = mutable.Set.empty[String]
  private lazy val places = Iterator.from(0)

  override def test(name: String, tags: Tag*)(body: => Any)(implicit pos: Position): Unit =
    leftOut.get(name) match {
      case Some(reason) =>
        met += name
        ignore(s"$name ($reason)", tags: _*)(body)
      case None if places.next() % oneOf == 0 => super.test(name, tags: _*)(body)
      case None => super.test(name, tags :+ Slow: _*)(body)
    }

  private val unknown = leftOut.keySet.diff(met)
  require(unknown.isEmpty, unknown.mkString("no such tests: ", "; ", ""))
}

object Exclusions {
  val Partitions = "Lance tables have no partitions to manage"
  val Transforms = "Lance tables have no partition transforms"
  val Providers = "makes tables of other providers"
  val Place = "wants a LOCATION outside the warehouse"
  val Dots = "the format has no column names with dots"
  val FirstKey = "the format keeps the first clustering key for ever"
  val OtherConstraints = "Lance tables have no UNIQUE and FOREIGN KEY constraints"
  val NullableKey = "makes a key of columns that can be null, which the format has not"

  /** One reason for several tests. */
  def all(reason: String)(tests: String*): Map[String, String] = tests.map(_ -> reason).toMap
}

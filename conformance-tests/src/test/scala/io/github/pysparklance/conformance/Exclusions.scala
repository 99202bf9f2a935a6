// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.conformance

import scala.collection.mutable

import org.apache.spark.SparkFunSuite
import org.scalactic.source.Position
import org.scalatest.Tag
import org.scalatest.tagobjects.Slow

/** Excludes tests of a Spark suite by name, each with a reason, and rejects names that the suite
  * does not have. The excluded tests are reported as ignored, with the reason. Short runs execute a
  * part of the other tests, long runs all of them.
  */
trait Exclusions extends SparkFunSuite {

  /** Name of the test (without the prefix of command suites) -> reason why it does not apply. */
  protected def leftOut: Map[String, String] = Map.empty

  /** Short runs execute every n-th test, starting with the first. */
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
  val Providers = "creates tables of other providers"
  val Place = "requires a LOCATION outside the warehouse"
  val Dots = "the format has no column names with dots"
  val FirstKey = "the format does not change a clustering key"
  val OtherConstraints = "Lance tables have no UNIQUE and FOREIGN KEY constraints"
  val NullableKey = "creates a key of nullable columns, which the format does not support"

  /** Excludes several tests for one reason. */
  def all(reason: String)(tests: String*): Map[String, String] = tests.map(_ -> reason).toMap
}

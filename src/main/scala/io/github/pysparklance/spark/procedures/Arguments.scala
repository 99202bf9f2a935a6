// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import java.sql.Timestamp
import java.time.Instant
import java.time.temporal.ChronoUnit

import org.apache.spark.sql.SparkSession

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.spark.sql.TableTarget

/** What a procedure was called with.
  *
  * @param catalog whose procedure it is
  * @param values by name, null where none was given
  */
final private[spark] class Arguments(
    session: SparkSession,
    catalog: String,
    values: Map[String, Any]
) {

  /** A value that may be left out. */
  def text(name: String): Option[String] = get(name).map(_.toString)

  /** A number that may be left out. */
  def long(name: String): Option[Long] = get(name).collect { case n: Number => n.longValue }

  /** Whether it is `true`. */
  def flag(name: String): Boolean = get(name).contains(true)

  /** A time that may be left out, as microseconds since 1970 UTC. */
  def time(name: String): Option[Long] = get(name).map {
    case t: Instant => ChronoUnit.MICROS.between(Instant.EPOCH, t)
    case t => ChronoUnit.MICROS.between(Instant.EPOCH, t.asInstanceOf[Timestamp].toInstant)
  }

  /** A map of texts, empty if it is left out; none of its values is null. */
  def map(name: String): Map[String, String] =
    get(name).collect { case m: scala.collection.Map[_, _] =>
      m.iterator.map {
        case (key, null) => throw new InvalidRequestException(s"$name: the value of $key is null")
        case (key, value) => key.toString -> value.toString
      }.toMap
    }.getOrElse(Map.empty)

  /** A list of texts, empty if it is left out. */
  def texts(name: String): Seq[String] =
    get(name).collect { case s: scala.collection.Seq[_] => s.map(_.toString).toSeq }.getOrElse(Nil)

  /** What must be there. */
  def needed(name: String): String = text(name).getOrElse(missing(name))

  /** A number that must be there. */
  def neededLong(name: String): Long = long(name).getOrElse(missing(name))

  /** All arguments that were given, as texts, but for some. Elements of lists have commas between them.
    *
    * @param except names that are not wanted
    */
  def others(except: String*): Map[String, String] =
    values.collect {
      case (k, v: scala.collection.Seq[_]) if !except.contains(k) => k -> v.mkString(",")
      case (k, v) if v != null && !except.contains(k) => k -> v.toString
    }

  /** A table by its name, or by its path, which has a slash at its beginning or a scheme. */
  def table(name: String = "table"): TableTarget = {
    val text = needed(name)
    if (isPath(text)) TableTarget(byPath(text))
    else TableTarget(parts(text), Some(catalog))
  }

  /** The name of a table that is to be made: in this catalog, unless it says another. */
  def newTable(name: String): Seq[String] = {
    val text = needed(name)
    val named = if (isPath(text)) byPath(text) else parts(text)
    if (SessionShim.catalog(session, named.head).isDefined) named else catalog +: named
  }

  private def isPath(text: String): Boolean =
    text.startsWith("/") || text.matches("[A-Za-z][A-Za-z0-9+.-]*:/.*")

  /** The session catalog knows no paths. */
  private def byPath(path: String): Seq[String] =
    Seq(if (catalog == "spark_catalog") "lance" else catalog, path)

  private def parts(name: String): Seq[String] =
    SessionShim.parser(session).parseMultipartIdentifier(name)

  private def get(name: String): Option[Any] = Option(values(name))

  private def missing(name: String): Nothing =
    throw new InvalidRequestException(s"the argument $name is null")
}

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

/** The arguments of a procedure call.
  *
  * @param catalog catalog of the procedure
  * @param values values by name; null for missing arguments
  */
final private[spark] class Arguments(
    session: SparkSession,
    catalog: String,
    values: Map[String, Any]
) {

  /** Returns an optional text. */
  def text(name: String): Option[String] = get(name).map(_.toString)

  /** Returns an optional number. */
  def long(name: String): Option[Long] = get(name).collect { case n: Number => n.longValue }

  /** Returns whether a flag is `true`. */
  def flag(name: String): Boolean = get(name).contains(true)

  /** Returns an optional timestamp in microseconds since 1970 UTC. */
  def time(name: String): Option[Long] = get(name).map {
    case t: Instant => ChronoUnit.MICROS.between(Instant.EPOCH, t)
    case t => ChronoUnit.MICROS.between(Instant.EPOCH, t.asInstanceOf[Timestamp].toInstant)
  }

  /** Returns an optional map of strings without null values; empty if missing. */
  def map(name: String): Map[String, String] =
    get(name).collect { case m: scala.collection.Map[_, _] =>
      m.iterator.map {
        case (key, null) => throw new InvalidRequestException(s"$name: the value of $key is null")
        case (key, value) => key.toString -> value.toString
      }.toMap
    }.getOrElse(Map.empty)

  /** Returns an optional list of strings; empty if missing. */
  def texts(name: String): Seq[String] =
    get(name).collect { case s: scala.collection.Seq[_] => s.map(_.toString).toSeq }.getOrElse(Nil)

  /** Returns a required text. */
  def needed(name: String): String = text(name).getOrElse(missing(name))

  /** Returns a required number. */
  def neededLong(name: String): Long = long(name).getOrElse(missing(name))

  /** Returns all other arguments as texts. List elements are separated by commas.
    *
    * @param except names to skip
    */
  def others(except: String*): Map[String, String] =
    values.collect {
      case (k, v: scala.collection.Seq[_]) if !except.contains(k) => k -> v.mkString(",")
      case (k, v) if v != null && !except.contains(k) => k -> v.toString
    }

  /** Returns a table by name or path. A path starts with a slash or a scheme. */
  def table(name: String = "table"): TableTarget = {
    val text = needed(name)
    if (isPath(text)) TableTarget(byPath(text))
    else TableTarget(parts(text), Some(catalog))
  }

  /** Returns the name of a new table. It is in this catalog unless the name has a catalog. */
  def newTable(name: String): Seq[String] = {
    val text = needed(name)
    val named = if (isPath(text)) byPath(text) else parts(text)
    if (SessionShim.catalog(session, named.head).isDefined) named else catalog +: named
  }

  private def isPath(text: String): Boolean =
    text.startsWith("/") || text.matches("(?s)[A-Za-z][A-Za-z0-9+.-]*:/.*")

  /** The session catalog does not support paths. */
  private def byPath(path: String): Seq[String] =
    Seq(if (catalog == "spark_catalog") "lance" else catalog, path)

  private def parts(name: String): Seq[String] =
    SessionShim.parser(session).parseMultipartIdentifier(name)

  private def get(name: String): Option[Any] = Option(values(name))

  private def missing(name: String): Nothing =
    throw new InvalidRequestException(s"the argument $name is null")
}

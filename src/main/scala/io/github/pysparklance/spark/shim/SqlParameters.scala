// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions.Expression

/** A parameter marker of a statement.
  *
  * @param start position of its first character
  * @param end position after its last character
  * @param name name of `:name`; `None` for `?`
  */
final case class ParameterMarker(start: Int, end: Int, name: Option[String])

/** The values of the parameter markers of a statement.
  *
  * @param named values of `:name`
  * @param positional values of `?`, in order
  */
final case class SqlParameters(named: Map[String, Expression], positional: Seq[Expression]) {

  /** Returns the value of each marker.
    *
    * @param markers all markers of the statement, in order
    * @throws org.apache.spark.sql.AnalysisException if a marker has no value
    */
  private[shim] def of(markers: Seq[ParameterMarker]): Seq[Expression] = {
    val unnamed = markers.filter(_.name.isEmpty).zip(positional).toMap
    markers.map { m =>
      m.name.fold(unnamed.get(m))(named.get).getOrElse {
        val name = m.name.getOrElse(s"_${m.start}")
        throw SparkShim.analysisException("UNBOUND_SQL_PARAMETER", Map("name" -> name), null)
      }
    }
  }
}

/** Common values. */
object SqlParameters {

  /** The values of a statement without parameters. */
  val none: SqlParameters = SqlParameters(Map.empty, Nil)
}

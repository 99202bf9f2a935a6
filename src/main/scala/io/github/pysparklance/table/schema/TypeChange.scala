// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.schema

import io.github.pysparklance.core.LogicalType

/** Rules for changing the type of a column.
  *
  * {{{
  *   widening, no value is lost        integer -> wider integer, decimal that holds it, double up to 32 bits
  *                                     float -> double, decimal -> more digits before and behind the point
  *                                     date -> timestamp without zone, string -> large string, ...
  *   checked, value by value           integer -> narrower integer, decimal -> fewer digits, finer time unit
  *   rounding                          double -> float
  * }}}
  * Items of fixed-size lists and values of dictionaries follow the same rules.
  */
object TypeChange {
  import LogicalType._

  /** Whether `to` can represent every value of `from`, as Spark and Iceberg define widening. */
  def widens(from: LogicalType, to: LogicalType): Boolean = (from, to) match {
    case _ if from == to => true
    case (Integer(a, true), Integer(b, true)) => a < b
    case (Integer(a, false), Integer(b, signed)) => a < b || (a == b && !signed)
    case (Integer(a, _), Float) => a <= 16
    case (Integer(a, _), Double) => a <= 32
    case (Integer(a, signed), Decimal(_, p, s)) => p - s >= digits(a, signed) && s >= 0
    case (Float, Double) => true
    case (Decimal(_, p, s), Decimal(_, p2, s2)) => s2 >= s && p2 - s2 >= p - s
    case (Utf8(a), Utf8(b)) => !a || b
    case (Binary(a), Binary(b)) => !a || b
    case (FixedSizeBinary(_), Binary(_)) => true
    case (Date32, Timestamp(_, None)) => isSafe(to)
    case (Date32, Date64) => true
    case (FixedSizeList(a, n), FixedSizeList(b, m)) => n == m && widens(a, b)
    case (Dictionary(value, _, _), _) => widens(value, to)
    case _ => false
  }

  /** Whether the change never alters a value. Either it is a widening, or out-of-range values are
    * rejected, such as dates beyond timestamps in microseconds.
    */
  def keepsValues(from: LogicalType, to: LogicalType): Boolean =
    widens(from, to) || ((from, to) match {
      case (Date32, Timestamp(_, None)) => true
      case (Timestamp(a, zone), Timestamp(b, other)) =>
        zone.isDefined == other.isDefined && a.perSecond <= b.perSecond
      case (Duration(a), Duration(b)) => a.perSecond <= b.perSecond
      // Lengths of values have 32 bits in memory for both types.
      case (_: Utf8, _: Utf8) | (_: Binary, _: Binary) => true
      case (FixedSizeList(a, n), FixedSizeList(b, m)) => n == m && keepsValues(a, b)
      case (Dictionary(value, _, _), _) => keepsValues(value, to)
      case _ => false
    })

  /** Not every `date32` fits a timestamp in nanoseconds or microseconds. */
  private def isSafe(t: LogicalType): Boolean = t match {
    case Timestamp(unit, _) => unit == Second || unit == Millisecond
    case _ => false
  }

  private def digits(bits: Int, signed: Boolean): Int = (bits, signed) match {
    case (8, _) => 3
    case (16, _) => 5
    case (32, _) => 10
    case (_, true) => 19
    case _ => 20
  }

  /** Whether a type can be changed to another: a widening, or a checked change between types of the
    * same kind, as in pylance.
    */
  def isAllowed(from: LogicalType, to: LogicalType): Boolean =
    widens(from, to) || ((from, to) match {
      case (_: Integer, _: Integer) => true
      case (_: Integer, Decimal(_, _, _)) => true
      case (Float | Double, Float | Double) => true
      case (_: Decimal, _: Decimal) => true
      case (_: Utf8, _: Utf8) | (_: Binary, _: Binary) => true
      case (Date32, Timestamp(_, None)) => true
      case (Timestamp(_, a), Timestamp(_, b)) => a.isDefined == b.isDefined
      case (_: Duration, _: Duration) => true
      case (FixedSizeList(a, n), FixedSizeList(b, m)) => n == m && isAllowed(a, b)
      case (Dictionary(value, _, _), _) => isAllowed(value, to)
      case _ => false
    })
}

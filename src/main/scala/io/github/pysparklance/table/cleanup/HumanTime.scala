// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import java.time.Duration

import io.github.pysparklance.core.InvalidRequestException

/** Durations as people write them: `14days`, `1h 30min`, `2weeks`. Supports the units of table
  * properties. A month has 30.44 days, a year 365.25.
  */
private[pysparklance] object HumanTime {
  private val pair = """\s*(\d+)\s*([A-Za-zµ]+)""".r

  private val units: Map[String, Duration] = Seq(
    Seq("nanos", "nsec", "ns", "nanosecond", "nanoseconds") -> Duration.ofNanos(1),
    Seq("usec", "us", "µs", "micros", "microsecond", "microseconds") -> Duration.ofNanos(1000),
    Seq("millis", "msec", "ms", "millisecond", "milliseconds") -> Duration.ofMillis(1),
    Seq("seconds", "second", "secs", "sec", "s") -> Duration.ofSeconds(1),
    Seq("minutes", "minute", "min", "mins", "m") -> Duration.ofMinutes(1),
    Seq("hours", "hour", "hr", "hrs", "h") -> Duration.ofHours(1),
    Seq("days", "day", "d") -> Duration.ofDays(1),
    Seq("weeks", "week", "wk", "wks", "w") -> Duration.ofDays(7),
    Seq("months", "month", "M") -> Duration.ofSeconds(2630016),
    Seq("years", "year", "yr", "yrs", "y") -> Duration.ofSeconds(31557600)
  ).flatMap { case (names, unit) => names.map(_ -> unit) }.toMap

  /** Maximum characters of a duration. Parsing takes quadratic time, and tables contain durations.
    */
  private val maxLength = 200

  /** @throws InvalidRequestException if the text is not a duration */
  def parse(text: String): Duration = {
    def reject(): Nothing =
      throw new InvalidRequestException(
        s""""${text.take(maxLength)}" is not a duration, such as "14days" or "1h 30m""""
      )
    var rest = if (text.trim == "0") "0s" else text
    var sum = Duration.ZERO
    if (text.trim.isEmpty || text.length > maxLength) reject()
    while (rest.trim.nonEmpty)
      pair.findPrefixMatchOf(rest) match {
        case Some(m) =>
          val unit = units.getOrElse(m.group(2), reject())
          sum =
            try sum.plus(unit.multipliedBy(m.group(1).toLong))
            catch { case _: ArithmeticException | _: NumberFormatException => reject() }
          rest = rest.substring(m.end)
        case None => reject()
      }
    sum
  }
}

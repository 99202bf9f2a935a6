// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code.
package io.github.pysparklance.index.json

import java.math.{BigDecimal => JavaDecimal, BigInteger}
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import io.github.pysparklance.encoding.value.Jsonb

/** Converts a value in JSON text to a type, with the rules of the reference's `json_get` functions:
  *
  * {{{
  *   JSON            string           integer               float            bool
  *   null            null             null                  null             null
  *   true            'true'           1                     1.0              true
  *   number          its text         rounded, half up      itself           error
  *   string          itself           of its number         of its number    of true, yes, false, no
  *   array, object   error            error                 error            error
  * }}}
  * Numbers above the range of a double are null, as in the text of JSON columns.
  *
  * Source: the reference's functions on JSONB values.
  */
sealed trait JsonScalar[A >: Null] extends Serializable {

  /** Converts a value. Returns null for a JSON null.
    *
    * @param value range of its bytes, see [[JsonText]]
    * @return `None` if the value cannot be converted
    */
  def apply(text: Array[Byte], value: Long): Option[A] = {
    val (from, until) = (JsonText.from(value), JsonText.until(value))
    text(from) match {
      case '"' => ofString(JsonText.string(text, from, until))
      case '{' | '[' => None
      case 't' => JsonScalar.expect(text, from, until, "true"); ofBool(true)
      case 'f' => JsonScalar.expect(text, from, until, "false"); ofBool(false)
      case 'n' => JsonScalar.expect(text, from, until, "null"); Some(null)
      case _ =>
        val number = new String(text, from, until - from, ISO_8859_1)
        if (!JsonScalar.number.matcher(number).matches()) JsonText.invalid(from)
        JsonScalar.integer(number) match {
          case null =>
            val double = number.toDouble
            if (double.isInfinite) Some(null) else ofDouble(double)
          case integer => ofInteger(integer)
        }
    }
  }

  protected def ofString(bytes: Array[Byte]): Option[A]
  protected def ofBool(value: Boolean): Option[A]
  protected def ofInteger(value: BigInteger): Option[A]
  protected def ofDouble(value: Double): Option[A]
}

/** The types of values. */
object JsonScalar {

  /** Strings in UTF-8. */
  object Text extends JsonScalar[Array[Byte]] {
    protected def ofString(bytes: Array[Byte]): Option[Array[Byte]] = Some(bytes)
    protected def ofBool(value: Boolean): Option[Array[Byte]] = utf8(value.toString)
    protected def ofInteger(value: BigInteger): Option[Array[Byte]] = utf8(value.toString)
    protected def ofDouble(value: Double): Option[Array[Byte]] = utf8(Jsonb.numberText(value))

    private def utf8(text: String): Option[Array[Byte]] = Some(text.getBytes(UTF_8))
  }

  /** 64-bit integers. */
  object Integer extends JsonScalar[java.lang.Long] {
    protected def ofString(bytes: Array[Byte]): Option[java.lang.Long] = {
      val text = new String(bytes, UTF_8)
      if (wholeNumber.matcher(text).matches()) {
        val whole = new BigInteger(text.stripPrefix("+"))
        if (whole.bitLength < 64) Some(whole.longValue) else ofDouble(text.toDouble)
      } else parsed(text).flatMap(ofDouble)
    }
    protected def ofBool(value: Boolean): Option[java.lang.Long] = Some(if (value) 1L else 0L)
    protected def ofInteger(value: BigInteger): Option[java.lang.Long] =
      if (value.bitLength < 64) Some(value.longValue) else None
    protected def ofDouble(value: Double): Option[java.lang.Long] =
      if (value.isNaN || value.isInfinite) None
      else {
        val rounded =
          new JavaDecimal(value).setScale(0, java.math.RoundingMode.HALF_UP).toBigInteger
        ofInteger(rounded)
      }
  }

  /** Doubles. */
  object Float extends JsonScalar[java.lang.Double] {
    protected def ofString(bytes: Array[Byte]): Option[java.lang.Double] =
      parsed(new String(bytes, UTF_8)).map(Double.box)
    protected def ofBool(value: Boolean): Option[java.lang.Double] = Some(if (value) 1d else 0d)
    protected def ofInteger(value: BigInteger): Option[java.lang.Double] = Some(value.doubleValue)
    protected def ofDouble(value: Double): Option[java.lang.Double] = Some(value)
  }

  /** Booleans. */
  object Bool extends JsonScalar[java.lang.Boolean] {
    protected def ofString(bytes: Array[Byte]): Option[java.lang.Boolean] =
      // Without letters outside of ASCII, which Java may treat as the same letters.
      if (bytes.exists(_ < 0)) None
      else
        new String(bytes, ISO_8859_1).toLowerCase(java.util.Locale.ROOT) match {
          case "true" | "yes" => Some(true)
          case "false" | "no" => Some(false)
          case _ => None
        }
    protected def ofBool(value: Boolean): Option[java.lang.Boolean] = Some(value)
    protected def ofInteger(value: BigInteger): Option[java.lang.Boolean] = None
    protected def ofDouble(value: Double): Option[java.lang.Boolean] = None
  }

  private val number =
    java.util.regex.Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")
  private val wholeNumber = java.util.regex.Pattern.compile("[+-]?[0-9]+")
  private val anyNumber =
    java.util.regex.Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?")

  /** Returns an integer of at most 64 bits, or null for other numbers. */
  private def integer(text: String): BigInteger =
    if (text.length > 20 || text.exists(c => c == '.' || c == 'e' || c == 'E')) null
    else {
      val whole = new BigInteger(text)
      if (whole.bitLength <= (if (whole.signum < 0) 63 else 64)) whole else null
    }

  /** Returns the number in a string. */
  private def parsed(text: String): Option[Double] =
    if (anyNumber.matcher(text).matches()) Some(text.toDouble)
    else
      text.toLowerCase(java.util.Locale.ROOT) match {
        case "inf" | "+inf" | "infinity" | "+infinity" => Some(Double.PositiveInfinity)
        case "-inf" | "-infinity" => Some(Double.NegativeInfinity)
        case "nan" | "+nan" | "-nan" => Some(Double.NaN)
        case _ => None
      }

  private def expect(text: Array[Byte], from: Int, until: Int, word: String): Unit =
    if (new String(text, from, until - from, ISO_8859_1) != word) JsonText.invalid(from)
}

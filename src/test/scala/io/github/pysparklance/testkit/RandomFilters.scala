// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.util.Random

import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.MetadataBuilder
import org.apache.spark.sql.{Column, DataFrame, SparkSession}

/** A table of many types with nulls, NaN and -0.0, and random conditions on it in SQL. */
final class RandomFilters(random: Random) {
  import RandomFilters._

  /** Returns a condition of parts that are combined with AND, OR, and NOT. */
  def condition(depth: Int = 2): String =
    if (depth == 0 || random.nextInt(3) == 0) test()
    else
      random.nextInt(5) match {
        case 0 => s"NOT (${condition(depth - 1)})"
        case 1 | 2 => s"(${condition(depth - 1)} OR ${condition(depth - 1)})"
        case _ => s"(${condition(depth - 1)} AND ${condition(depth - 1)})"
      }

  /** A query of the view `random_rows` with a condition, of one of the shapes that a scan evaluates
    * in part.
    */
  def query(): String = {
    val keys = columns.filterNot(c => c.name == "f" || c.name == "d").map(_.name)
    def key() = keys(random.nextInt(keys.length))
    val where = s"FROM random_rows WHERE ${condition()}"
    random.nextInt(4) match {
      case 0 => s"SELECT count(*), count(${key()}), count(st), min(${key()}), max(${key()}) $where"
      case 1 =>
        val k = key()
        s"SELECT $k, count(*), max(id), min(i) $where GROUP BY $k"
      case 2 =>
        val order = if (random.nextBoolean()) "DESC NULLS FIRST" else "ASC NULLS LAST"
        val read = if (random.nextBoolean()) "st.in, list" else "vec"
        s"SELECT id, t, $read $where ORDER BY ${key()} $order, id LIMIT ${random.nextInt(20)}"
      case _ => s"SELECT id, t $where AND id IN (SELECT l $where)"
    }
  }

  private def test(): String = {
    val c = columns(random.nextInt(columns.length))
    def value() = c.literals(random.nextInt(c.literals.length))
    random.nextInt(8) match {
      case 0 => s"${c.name} IS ${if (random.nextBoolean()) "NOT " else ""}NULL"
      case 1 => s"${c.name} IN (${Seq.fill(1 + random.nextInt(12))(value()).mkString(", ")})"
      case 2 if c.isString => s"${c.name} LIKE ${like()}"
      case 2 => s"${c.name} BETWEEN ${value()} AND ${value()}"
      case 3 => s"${c.name} <=> ${if (random.nextInt(4) == 0) "NULL" else value()}"
      case 4 if c.twin.nonEmpty => s"${c.name} ${comparison()} ${c.twin}"
      case _ => s"${c.name} ${comparison()} ${value()}"
    }
  }

  private def comparison(): String = Seq("=", "<>", "<", "<=", ">", ">=")(random.nextInt(6))

  private def like(): String =
    Seq("'a%'", "'%a'", "'%ab%'", "'%'", "'a_c'", "''")(random.nextInt(6))
}

object RandomFilters {

  /** @param literals values of the column in SQL
    * @param twin a column of the same type, or `None`
    */
  private case class Tested(
      name: String,
      literals: Seq[String],
      twin: String = "",
      isString: Boolean = false
  )

  private val vectorDimension = 64
  private val vectorType =
    new MetadataBuilder().putLong("arrow.fixed-size-list.size", vectorDimension.toLong).build()

  private val numbers = Seq("-1", "0", "1", "7", "50", "99")
  private val doubles =
    Seq("0.0D", "-0.0D", "double('NaN')", "double('Infinity')", "1.5D", "-3.0D", "42.0D")

  private val columns = IndexedSeq(
    Tested("id", Seq("0", "10", "500", "2999", "100000", "-1"), "l"),
    Tested("b", numbers.map(n => s"tinyint($n)")),
    Tested("s", numbers.map(n => s"smallint($n)"), "i"),
    Tested("i", numbers, "s"),
    Tested("l", numbers.map(_ + "L") :+ "9223372036854775807L", "id"),
    Tested("f", doubles.map(d => s"float($d)"), "d"),
    Tested("d", doubles, "f"),
    Tested("m", Seq("0.00", "1.25", "-7.50", "99.99", "1e30BD")),
    Tested("w", Seq("0BD", "12345678901234567890BD", "-1BD", "7BD")),
    Tested("t", Seq("''", "'a'", "'abc'", "'Z'", "'\u00e9'", "'a b'"), "u", isString = true),
    Tested("u", Seq("''", "'a'", "'abc'", "'q'"), "t", isString = true),
    Tested("y", Seq("X''", "X'00'", "X'FF'", "X'6162'")),
    Tested("o", Seq("true", "false")),
    Tested("dt", Seq("DATE'2020-01-15'", "DATE'1969-12-31'", "DATE'2024-02-29'")),
    Tested("ts", Seq("TIMESTAMP'2020-01-15 00:00:00'", "TIMESTAMP'1969-12-31 23:59:59.999999'")),
    Tested("n", Seq("TIMESTAMP_NTZ'2020-01-15 12:00:00'", "TIMESTAMP_NTZ'1970-01-01 00:00:00'")),
    Tested("st.a", numbers, "st.in.b"),
    Tested("st.in.b", numbers, "i"),
    Tested("st.c", Seq("'a'", "'abc'", "''"), "t", isString = true)
  )

  /** Rows of all kinds of values.
    *
    * @param clustered whether equal values of `i` are stored together
    */
  def table(spark: SparkSession, rows: Long, seed: Long, clustered: Boolean): DataFrame = {
    val id = col("id")
    def hash(salt: Int): Column = pmod(xxhash64(id, lit(seed), lit(salt)), lit(1000))
    def sometimes(salt: Int, value: Column): Column = when(hash(salt + 100) >= 120, value)
    def number(salt: Int): Column = pmod(hash(salt), lit(101)) - 1
    def float(salt: Int): Column = {
      val special = pmod(hash(salt), lit(10))
      when(special === 0, lit(Double.NaN))
        .when(special === 1, lit(-0.0))
        .when(special === 2, lit(0.0))
        .when(special === 3, lit(Double.PositiveInfinity))
        .otherwise((hash(salt) - 500) / 4)
    }
    def text(salt: Int): Column =
      element_at(
        typedLit(Seq("", "a", "abc", "Z", "\u00e9", "a b", "ab", "xyza", "abcabc", "q")),
        (pmod(hash(salt), lit(10)) + 1).cast("int")
      )
    // a few of its values are null
    def vector(start: Column): Column =
      transform(
        sequence(lit(1), lit(vectorDimension)),
        x => when(start + x =!= 500, ((start + x) / 7).cast("float"))
      )
    val i = if (clustered) (id * 100 / rows).cast("int") else number(4).cast("int")
    spark
      .range(0, rows, 1, 1)
      .select(
        id,
        sometimes(2, number(2).cast("tinyint")).as("b"),
        sometimes(3, number(3).cast("smallint")).as("s"),
        sometimes(4, i).as("i"),
        sometimes(5, number(5)).as("l"),
        sometimes(6, float(6).cast("float")).as("f"),
        sometimes(7, float(7)).as("d"),
        sometimes(8, (number(8) / 4).cast("decimal(12,2)")).as("m"),
        sometimes(9, (number(9) * 123456789012L).cast("decimal(38,4)")).as("w"),
        sometimes(10, text(10)).as("t"),
        sometimes(11, text(11)).as("u"),
        sometimes(12, when(hash(12) < 300, unhex(lit("00"))).otherwise(text(12).cast("binary")))
          .as("y"),
        sometimes(13, hash(13) < 500).as("o"),
        sometimes(14, date_add(lit("2020-01-15").cast("date"), number(14).cast("int"))).as("dt"),
        sometimes(15, timestamp_micros(hash(15) * 86400000000L)).as("ts"),
        sometimes(16, timestamp_micros(hash(16) * 43200000000L).cast("timestamp_ntz")).as("n"),
        sometimes(
          17,
          struct(
            sometimes(18, number(18).cast("int")).as("a"),
            sometimes(19, struct(number(19).cast("int").as("b"), text(19).as("z"))).as("in"),
            text(20).as("c")
          )
        ).as("st"),
        sometimes(21, array(number(21), number(22))).as("list"),
        sometimes(23, vector(hash(23))).as("vec", vectorType)
      )
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import scala.util.Random

/** A command that changes rows, as a statement and as the query that returns the expected rows of
  * the table.
  *
  * @param statement statement on the table `$TABLE`, with `source` beside it
  * @param model model of all rows, from the views `model` and `source`
  */
final private[rowlevel] case class RandomCommand(statement: String, model: String)

/** Generates commands on a table of
  *
  * `k BIGINT, n INT, s STRING, d DOUBLE, p DECIMAL(10, 2), ts TIMESTAMP, st STRUCT<a INT, b
  * STRING>, l ARRAY<INT>`. `k` is never null and unique.
  *
  * @param firstKey the first key that no row has
  */
final private[rowlevel] class RandomCommands(random: Random, firstKey: Long) {
  private val columns = IndexedSeq("k", "n", "s", "d", "p", "ts", "st", "l")
  private var nextKey = firstKey

  /** Rows for a table or a source of a MERGE.
    *
    * @param keys one for each row
    */
  def rows(keys: Seq[Long]): String = keys
    .map(k => columns.tail.map(literal).mkString(s"(${k}L, ", ", ", ")"))
    .mkString("SELECT * FROM VALUES ", ", ", columns.mkString(" AS v(", ", ", ")"))

  /** Keys that no row has. */
  def newKeys(count: Int): Seq[Long] = {
    val from = nextKey
    nextKey += count
    from until nextKey
  }

  /** Rows for a MERGE: some of the keys that there are, and some new ones. */
  def source(): String = {
    val old = random.shuffle((0L until nextKey).toList).take(random.nextInt(12))
    rows(old ++ newKeys(1 + random.nextInt(4)))
  }

  /** A command at random. */
  def next(): RandomCommand = random.nextInt(8) match {
    case 0 | 1 => delete(condition(""))
    case 2 | 3 | 4 => update(condition(""))
    case 5 => insert()
    case _ => merge()
  }

  private def delete(where: String): RandomCommand = RandomCommand(
    s"DELETE FROM $$TABLE WHERE $where",
    s"SELECT * FROM model WHERE NOT coalesce($where, false)"
  )

  private def update(where: String): RandomCommand = {
    val changed = assignments(value(_, Seq("")))
    RandomCommand(
      s"UPDATE $$TABLE SET ${text(changed)} WHERE $where",
      s"SELECT ${columns.map(c => when(Seq(where -> changed.get(c)), c)).mkString(", ")} FROM model"
    )
  }

  private def insert(): RandomCommand = {
    val added = rows(newKeys(1 + random.nextInt(10)))
    RandomCommand(s"INSERT INTO $$TABLE $added", s"SELECT * FROM model UNION ALL $added")
  }

  /** The first clause of a kind whose condition holds counts. */
  private def merge(): RandomCommand = {
    val matched = clauses(2, Seq("x.", "y."), random.nextInt(3) == 0)
    val missing = clauses(1, Seq("x."), isDelete = random.nextBoolean())
    val inserts = random.nextInt(3)
    val insertIf = if (inserts == 2) condition("y.") else "true"
    val statement = Seq(
      "MERGE INTO $TABLE x USING source y ON x.k = y.k",
      matched.map(_.text("MATCHED")).mkString(" "),
      if (inserts == 0) "" else s"WHEN NOT MATCHED AND $insertIf THEN INSERT *",
      missing.map(_.text("NOT MATCHED BY SOURCE")).mkString(" ")
    ).mkString(" ")
    val both = "model x JOIN source y ON x.k = y.k"
    val alone = "model x LEFT ANTI JOIN source y ON x.k = y.k"
    val fresh = "source y LEFT ANTI JOIN model x ON x.k = y.k"
    val model = Seq(
      after(both, matched),
      after(alone, missing),
      s"SELECT ${columns.map("y." + _).mkString(", ")} FROM $fresh " +
        s"WHERE ${if (inserts == 0) "false" else insertIf}"
    ).mkString(" UNION ALL ")
    RandomCommand(statement, model)
  }

  private case class Clause(condition: String, changed: Option[Map[String, String]]) {
    def text(kind: String): String = {
      val action = changed.fold("DELETE")(c => s"UPDATE SET ${RandomCommands.this.text(c)}")
      s"WHEN $kind AND $condition THEN $action"
    }
  }

  private def clauses(count: Int, of: Seq[String], isDelete: Boolean): Seq[Clause] =
    (0 until count).map { i =>
      val where = condition(of(random.nextInt(of.length)))
      Clause(where, if (isDelete && i == 0) None else Some(assignments(value(_, of))))
    }

  private def after(rows: String, clauses: Seq[Clause]): String = {
    val shown = columns.map { c =>
      when(clauses.map(k => k.condition -> k.changed.flatMap(_.get(c))), s"x.$c") + s" AS $c"
    }
    val acting = clauses.map(k => s"WHEN ${k.condition} THEN ${k.changed.isEmpty}").mkString(" ")
    s"SELECT ${shown.mkString(", ")} FROM $rows WHERE NOT CASE $acting ELSE false END"
  }

  /** The new value of a column, by the first condition that holds. */
  private def when(changes: Seq[(String, Option[String])], column: String): String =
    changes
      .map { case (condition, value) => s"WHEN $condition THEN ${value.getOrElse(column)}" }
      .mkString("CASE ", " ", s" ELSE $column END")

  private def assignments(value: String => String): Map[String, String] =
    random
      .shuffle(columns.tail)
      .take(1 + random.nextInt(3))
      .map(c => c -> s"CAST(${value(c)} AS ${RandomCommands.types(c)})")
      .toMap

  private def text(changed: Map[String, String]): String =
    changed.map { case (c, v) => s"$c = $v" }.mkString(", ")

  private def value(column: String, of: Seq[String]): String = {
    val p = of(random.nextInt(of.length))
    if (random.nextInt(3) == 0) literal(column)
    else
      column match {
        case "n" => s"coalesce(${p}n, 0) % 50 + 1"
        case "s" => s"concat(left(${p}s, 3), 'z')"
        case "d" => s"-${p}d"
        case "p" => s"${p}p / 2"
        case "ts" => s"${p}ts + INTERVAL 1 MONTH"
        case "st" => s"named_struct('a', ${p}n, 'b', ${p}s)"
        case _ => s"reverse(${p}l)"
      }
  }

  private def literal(column: String): String =
    if (random.nextInt(6) == 0) s"CAST(NULL AS ${RandomCommands.types(column)})"
    else
      column match {
        case "n" => random.nextInt(40).toString
        case "s" => s"'${random.alphanumeric.take(random.nextInt(5)).mkString}'"
        case "d" =>
          Seq("CAST('NaN' AS DOUBLE)", "-0.0D", "0.0D", "1.5D", "-2e30D")(random.nextInt(5))
        case "p" => s"CAST(${random.nextInt(2000)} / 100.0 AS DECIMAL(10, 2))"
        case "ts" => s"timestamp_micros(${random.nextLong() >> 12})"
        case "st" => s"named_struct('a', ${literal("n")}, 'b', ${literal("s")})"
        case _ => Seq("array(1, 2)", "CAST(array() AS ARRAY<INT>)", "array(3, CAST(NULL AS INT))")(
            random.nextInt(3)
          )
      }

  private def condition(p: String): String = random.nextInt(12) match {
    case 0 => s"${p}k % 5 = ${random.nextInt(5)}"
    case 1 => s"${p}n < ${random.nextInt(40)}"
    case 2 => s"${p}s > '${('A' + random.nextInt(50)).toChar}'"
    case 3 => s"${p}d = 0"
    case 4 => s"isnan(${p}d)"
    case 5 => s"${p}p BETWEEN 3 AND 12.5"
    case 6 => s"${p}ts < timestamp_micros(0)"
    case 7 => s"${p}st.a IS NULL"
    case 8 => s"size(${p}l) > 1"
    case 9 => s"${p}k IN (${(1 to 5).map(_ => random.nextInt(nextKey.toInt + 1)).mkString(", ")})"
    case 10 => s"(${condition(p)} OR ${condition(p)})"
    case _ => s"(${condition(p)} AND NOT ${condition(p)})"
  }
}

private[rowlevel] object RandomCommands {

  /** The columns' types. */
  val types: Map[String, String] = Map(
    "k" -> "BIGINT",
    "n" -> "INT",
    "s" -> "STRING",
    "d" -> "DOUBLE",
    "p" -> "DECIMAL(10, 2)",
    "ts" -> "TIMESTAMP",
    "st" -> "STRUCT<a: INT, b: STRING>",
    "l" -> "ARRAY<INT>"
  )
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import java.util.Locale

/** What an option is given to. */
sealed abstract private[spark] class OptionUse(val text: String) extends Serializable

private[spark] object OptionUse {

  /** Reads: `spark.read…option(…)`, ``SELECT … FROM t WITH (`name` = …)``. */
  case object Read extends OptionUse("read")

  /** Writes: `df.write…option(…)`. */
  case object Write extends OptionUse("write")

  /** A catalog: `spark.sql.catalog.<name>.<option>`. */
  case object Catalog extends OptionUse("catalog")

  /** Nothing but the session: the name is the whole of a setting. */
  case object Session extends OptionUse("session")
}

/** What may set an option besides the read, write or catalog itself; asked in this order. */
sealed abstract private[spark] class OptionLife(val text: String) extends Serializable

private[spark] object OptionLife {

  /** Nothing: it decides which rows one read or write has. */
  case object Once extends OptionLife("")

  /** The session: `spark.lance.read.<name>` or `spark.lance.write.<name>`. */
  case object OfSession extends OptionLife("session")

  /** The session and the catalog, never the table: it guards the reader against the table. */
  case object OfReader extends OptionLife("session, catalog")

  /** The session, a property of the table, one of its catalog. */
  case object Lasting extends OptionLife("session, table, catalog")
}

/** One option: what the code that asks for it, the check of names and the table in `docs/options.md` have in common.
  *
  * @param name as it is written in documentation and messages
  * @param uses what it is given to
  * @param aliases other names for the same, in the order in which they are asked for
  * @param default what holds without it, in Markdown; empty when that is nothing
  * @param meaning in Markdown; sizes, ends and values said
  * @param life what else may set it
  */
final private[spark] case class LanceOption(
    name: String,
    uses: Seq[OptionUse],
    aliases: Seq[String],
    default: String,
    meaning: String,
    life: OptionLife
) {

  /** Whether reads or writes take it. */
  def isOfOperations: Boolean = uses.exists(u => u == OptionUse.Read || u == OptionUse.Write)

  /** All names in the spelling that is compared. */
  val keys: Seq[String] = (name +: aliases).map(LanceOptions.canonical)

  /** All names in the usual spellings, in lower case: `maxrowsperfile`, `max_rows_per_file`, `max-rows-per-file`. */
  def spellings: Seq[String] = (name +: aliases).flatMap { n =>
    Seq(
      "",
      "_",
      "-"
    ).map(between => n.replaceAll("(?<=[a-z])(?=[A-Z])", between)).map(_.toLowerCase(Locale.ROOT))
  }

  /** Its line in the documentation. */
  def row: String = {
    val also = if (aliases.isEmpty) "" else aliases.map(a => s"`$a`").mkString(" (", ", ", ")")
    s"| `$name`$also | ${uses.map(_.text).mkString(", ")} | ${life.text} | $default | $meaning |"
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import java.util.Locale

/** The kind of operation that accepts an option. */
sealed abstract private[spark] class OptionUse(val text: String) extends Serializable

/** Kinds of operations. */
private[spark] object OptionUse {

  /** Reads: `spark.read…option(…)`, ``SELECT … FROM t WITH (`name` = …)``. */
  case object Read extends OptionUse("read")

  /** Writes: `df.write…option(…)`. */
  case object Write extends OptionUse("write")

  /** A catalog: `spark.sql.catalog.<name>.<option>`. */
  case object Catalog extends OptionUse("catalog")

  /** The session only. The name is the full name of the configuration. */
  case object Session extends OptionUse("session")
}

/** Where an option can be set in addition to the read, write, or catalog itself, in order of
  * precedence.
  */
sealed abstract private[spark] class OptionLife(val text: String) extends Serializable

/** Scopes of options. */
private[spark] object OptionLife {

  /** Nowhere else, because the option selects the rows of a single read or write. */
  case object Once extends OptionLife("")

  /** The session: `spark.lance.read.<name>` or `spark.lance.write.<name>`. */
  case object OfSession extends OptionLife("session")

  /** The session and the catalog, but not the table, because the option protects readers from the
    * table.
    */
  case object OfReader extends OptionLife("session, catalog")

  /** The session, table properties, and the catalog. */
  case object Lasting extends OptionLife("session, table, catalog")
}

/** An option, as used by the code, the check of option names, and the table in `docs/options.md`.
  *
  * @param name name in documentation and messages
  * @param uses operations that accept it
  * @param aliases alternative names, in order of precedence
  * @param default default value as Markdown; empty if there is none
  * @param meaning description as Markdown, with units, bounds, and values
  * @param life where else it can be set
  */
final private[spark] case class LanceOption(
    name: String,
    uses: Seq[OptionUse],
    aliases: Seq[String],
    default: String,
    meaning: String,
    life: OptionLife
) {

  /** Whether reads or writes accept the option. */
  def isOfOperations: Boolean = uses.exists(u => u == OptionUse.Read || u == OptionUse.Write)

  /** All names in canonical spelling. */
  val keys: Seq[String] = (name +: aliases).map(LanceOptions.canonical)

  /** All names in their common spellings, in lower case: `maxrowsperfile`, `max_rows_per_file`,
    * `max-rows-per-file`.
    */
  def spellings: Seq[String] = (name +: aliases).flatMap { n =>
    Seq(
      "",
      "_",
      "-"
    ).map(between => n.replaceAll("(?<=[a-z])(?=[A-Z])", between)).map(_.toLowerCase(Locale.ROOT))
  }

  /** The row of the option in the documentation. */
  def row: String = {
    val also = if (aliases.isEmpty) "" else aliases.map(a => s"`$a`").mkString(" (", ", ", ")")
    s"| `$name`$also | ${uses.map(_.text).mkString(", ")} | ${life.text} | $default | $meaning |"
  }
}

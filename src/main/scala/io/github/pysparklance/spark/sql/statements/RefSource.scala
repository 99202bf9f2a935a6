// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import io.github.pysparklance.core.{InvalidRequestException, Optional}
import io.github.pysparklance.spark.sql.{Cursor, LoadedTable}
import io.github.pysparklance.table.refs.Revision

/** Which version a tag or branch is made at, before the table is looked up. */
sealed private[spark] trait RefSource {

  /** The version it means, in a table. */
  def in(loaded: LoadedTable): Revision
}

private[spark] object RefSource {

  /** The newest version of the branch that the name of the table says. */
  case object Current extends RefSource {
    override def in(loaded: LoadedTable): Revision = loaded.revision
  }

  /** A version by its number: of the given branch, else of the one that the name of the table says. */
  final case class Version(version: Long) extends RefSource {
    override def in(loaded: LoadedTable): Revision = loaded.revision(version)
  }

  /** A version of a branch, the newest one if none is given. */
  final case class OnBranch(branch: String, version: Option[Long]) extends RefSource {
    override def in(loaded: LoadedTable): Revision = Revision.OnBranch(branch, version)
  }

  /** The version that a tag names. */
  final case class Tagged(tag: String) extends RefSource {
    override def in(loaded: LoadedTable): Revision = Revision.Tagged(tag)
  }

  /** Reads `AS OF VERSION v`, `AS OF BRANCH b [VERSION v]` or `AS OF TAG t`, if it comes. */
  def parse(cursor: Cursor): RefSource =
    if (!cursor.take("AS", "OF")) Current
    else if (cursor.take("VERSION")) Version(cursor.number())
    else if (cursor.take("BRANCH")) {
      val branch = cursor.label()
      OnBranch(branch, Optional.when(cursor.take("VERSION"))(cursor.number()))
    } else if (cursor.take("TAG")) Tagged(cursor.label())
    else cursor.fail("VERSION, BRANCH or TAG")

  /** The same from arguments of a procedure.
    *
    * @throws InvalidRequestException when they contradict each other
    */
  def apply(version: Option[Long], branch: Option[String], tag: Option[String]): RefSource =
    (version, branch, tag) match {
      case (None, None, None) => Current
      case (Some(v), None, None) => Version(v)
      case (v, Some(b), None) => OnBranch(b, v)
      case (None, None, Some(t)) => Tagged(t)
      case _ =>
        throw new InvalidRequestException("a tag names its version: give no version or branch")
    }
}

/** What is to happen when the thing to be made is there already. */
sealed private[spark] trait IfThere

private[spark] object IfThere {
  case object Fail extends IfThere
  case object Replace extends IfThere
  case object Keep extends IfThere

  /** Whether `CREATE [OR REPLACE] what` comes right after the name of a table. */
  def follows(cursor: Cursor, what: String): Boolean =
    cursor.seesAfterName("CREATE", what) || cursor.seesAfterName("CREATE", "OR", "REPLACE", what)

  /** Reads `CREATE [OR REPLACE] what [IF NOT EXISTS]`. */
  def parse(cursor: Cursor, what: String): IfThere = {
    cursor.expect("CREATE")
    val replace = cursor.take("OR", "REPLACE")
    cursor.expect(what)
    if (replace) Replace else if (cursor.take("IF", "NOT", "EXISTS")) Keep else Fail
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import io.github.pysparklance.core.{InvalidRequestException, Optional}
import io.github.pysparklance.spark.sql.{Cursor, LoadedTable}
import io.github.pysparklance.table.refs.Revision

/** The version for a new tag or branch, before the table is loaded. */
sealed private[spark] trait RefSource {

  /** Returns the revision of the version in a table. */
  def in(loaded: LoadedTable): Revision
}

/** Kinds of versions, and their parser. */
private[spark] object RefSource {

  /** The latest version of the branch that the table name selects. */
  case object Current extends RefSource {
    override def in(loaded: LoadedTable): Revision = loaded.revision
  }

  /** A version by number, of the branch that the table name selects. */
  final case class Version(version: Long) extends RefSource {
    override def in(loaded: LoadedTable): Revision = loaded.revision(version)
  }

  /** A version of a branch; the latest one if no version is given. */
  final case class OnBranch(branch: String, version: Option[Long]) extends RefSource {
    override def in(loaded: LoadedTable): Revision = Revision.OnBranch(branch, version)
  }

  /** The version of a tag. */
  final case class Tagged(tag: String) extends RefSource {
    override def in(loaded: LoadedTable): Revision = Revision.Tagged(tag)
  }

  /** Parses `AS OF VERSION v`, `AS OF BRANCH b [VERSION v]`, or `AS OF TAG t`, if it comes next. */
  def parse(cursor: Cursor): RefSource =
    if (!cursor.take("AS", "OF")) Current
    else if (cursor.take("VERSION")) Version(cursor.number())
    else if (cursor.take("BRANCH")) {
      val branch = cursor.label()
      OnBranch(branch, Optional.when(cursor.take("VERSION"))(cursor.number()))
    } else if (cursor.take("TAG")) Tagged(cursor.label())
    else cursor.fail("VERSION, BRANCH or TAG")

  /** Returns the version from arguments of a procedure.
    *
    * @throws InvalidRequestException if the arguments contradict each other
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

/** How to treat an existing object with the same name. */
sealed private[spark] trait IfThere

/** The choices, and their parser. */
private[spark] object IfThere {

  /** Fails. */
  case object Fail extends IfThere

  /** Replaces the existing object. */
  case object Replace extends IfThere

  /** Keeps the existing object, and does nothing. */
  case object Keep extends IfThere

  /** Whether a table name comes next, followed by `CREATE [OR REPLACE] what`. */
  def follows(cursor: Cursor, what: String): Boolean =
    cursor.seesAfterName("CREATE", what) || cursor.seesAfterName("CREATE", "OR", "REPLACE", what)

  /** Parses `CREATE [OR REPLACE] what [IF NOT EXISTS]`. */
  def parse(cursor: Cursor, what: String): IfThere = {
    cursor.expect("CREATE")
    val replace = cursor.take("OR", "REPLACE")
    cursor.expect(what)
    if (replace) Replace else if (cursor.take("IF", "NOT", "EXISTS")) Keep else Fail
  }
}

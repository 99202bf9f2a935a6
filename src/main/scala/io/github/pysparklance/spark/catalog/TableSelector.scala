// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util.Locale

import org.apache.spark.sql.connector.catalog.Identifier

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.metadata.{MetadataView, MetadataViews}
import io.github.pysparklance.table.refs.Revision

/** What of a table a name means:
  * {{{
  *   db.t                 the table, its newest version
  *   db.t.branch_dev      the newest version of the branch dev, which can be written as well
  *   db.t.tag_v1          the version of the tag v1
  *   db.t.files           the metadata table `files` of the newest version
  *   db.t.tag_v1.files    the same of the tag
  * }}}
  * What stands before the underscore ignores case, the name of the branch or tag does not.
  *
  * @param revision none: the newest version of the main branch
  * @param view none: the rows of the table
  */
final private[spark] case class TableSelector(
    revision: Option[Revision],
    view: Option[MetadataView] = None
) {

  /** The same at what `VERSION AS OF`, `TIMESTAMP AS OF` or an option asks for; versions of a branch are its own.
    *
    * @throws InvalidRequestException when both say which version is meant
    */
  def at(travel: Option[Revision]): TableSelector =
    copy(revision = (revision ++ travel).reduceOption(TableSelector.both))

  /** The same with what another says besides: of a path and of the name it is in. */
  def and(other: TableSelector): TableSelector =
    at(other.revision).copy(view = other.view.orElse(view))
}

private[spark] object TableSelector {

  /** The newest version of the main branch. */
  val newest: TableSelector = TableSelector(None)

  private val branchPrefix = "branch_"
  private val tagPrefix = "tag_"

  /** Other ways to read a name than as a table's: as that of a table with a selector behind it.
    *
    * @param current the current namespace when the catalog is the current one: Spark does not take `t` in `t.tag_x`
    *   for a table in it
    */
  def readings(
      ident: Identifier,
      current: => Option[Array[String]]
  ): Iterator[(Identifier, TableSelector)] = {
    val parts = ident.namespace().toSeq :+ ident.name()
    for {
      length <- Iterator(1, 2)
      (table, selector) = parts.splitAt(parts.length - length)
      if table.nonEmpty
      found <- parse(selector).iterator
      namespace <- Iterator.single(table.init.toArray) ++
        (if (table.length > 1 || isPath(table.last)) None else current)
    } yield Identifier.of(namespace, table.last) -> found
  }

  private def parse(parts: Seq[String]): Option[TableSelector] = parts match {
    case Seq(one) =>
      revision(one)
        .map(r => TableSelector(Some(r)))
        .orElse(MetadataViews.find(one).map(v => TableSelector(None, Some(v))))
    case Seq(first, second) =>
      for (r <- revision(first); v <- MetadataViews.find(second))
        yield TableSelector(Some(r), Some(v))
    case _ => None
  }

  private def revision(part: String): Option[Revision] = {
    val lower = part.toLowerCase(Locale.ROOT)
    def behind(prefix: String): Option[String] =
      if (lower.startsWith(prefix)) Some(part.drop(prefix.length)).filter(_.nonEmpty) else None
    behind(branchPrefix)
      .map(Revision.OnBranch(_, None))
      .orElse(behind(tagPrefix).map(Revision.Tagged))
  }

  /** Whether a name is the path of a table. */
  def isPath(name: String): Boolean = name.contains("/")

  /** What is meant when a name says one thing and the query another. */
  private def both(named: Revision, asked: Revision): Revision =
    if (named == asked) named
    else
      onBranch(named, asked).orElse(onBranch(asked, named)).getOrElse(
        throw new InvalidRequestException(
          s"the name says ${text(named)}, which does not go together with ${text(asked)}"
        )
      )

  /** A version or time on a branch. */
  private def onBranch(branch: Revision, at: Revision): Option[Revision] = branch match {
    case Revision.OnBranch(name, version) =>
      at match {
        case Revision.Version(v) if version.forall(_ == v) =>
          Some(Revision.OnBranch(name, Some(v)))
        case Revision.OnBranch(`name`, v) if version.isEmpty || v.isEmpty =>
          Some(Revision.OnBranch(name, version.orElse(v)))
        case Revision.AsOf(time, None) if version.isEmpty => Some(Revision.AsOf(time, Some(name)))
        case _ => None
      }
    case Revision.AsOf(_, Some(_)) =>
      at match {
        case Revision.AsOf(_, None) => Some(branch)
        case _ => None
      }
    case _ => None
  }

  /** A revision in words. */
  def text(revision: Revision): String = revision match {
    case Revision.Latest => "the newest version"
    case Revision.Version(v) => s"version ${java.lang.Long.toUnsignedString(v)}"
    case Revision.Tagged(tag) => s"tag $tag"
    case Revision.Named(name) => s"tag or branch $name"
    case Revision.OnBranch(branch, version) =>
      version.fold("")(v => s"version $v of ") + s"branch $branch"
    case Revision.AsOf(time, branch) => s"the time $time" + branch.fold("")(b => s" on branch $b")
  }
}

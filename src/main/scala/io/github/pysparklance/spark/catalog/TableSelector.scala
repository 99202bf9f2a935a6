// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util.Locale

import org.apache.spark.sql.connector.catalog.Identifier

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.metadata.{MetadataView, MetadataViews}
import io.github.pysparklance.table.refs.Revision

/** The version, branch, tag, or metadata table that a name selects:
  * {{{
  *   db.t                 the latest version of the table
  *   db.t.branch_dev      the latest version of the branch dev; can be written
  *   db.t.tag_v1          the version of the tag v1
  *   db.t.files           the metadata table `files` of the latest version
  *   db.t.tag_v1.files    the metadata table `files` of the tag
  * }}}
  * The prefix before the underscore is case-insensitive; the name of the branch or tag is
  * case-sensitive.
  *
  * @param revision `None` for the latest version of the main branch
  * @param view `None` for the rows of the table
  */
final private[spark] case class TableSelector(
    revision: Option[Revision],
    view: Option[MetadataView] = None
) {

  /** Adds the revision of `VERSION AS OF`, `TIMESTAMP AS OF`, or an option. On a branch, version
    * numbers are versions of the branch.
    *
    * @throws InvalidRequestException if the revisions contradict each other
    */
  def at(travel: Option[Revision]): TableSelector =
    copy(revision = (revision ++ travel).reduceOption(TableSelector.both))

  /** Combines the selectors of a path and of the name that contains it. */
  def and(other: TableSelector): TableSelector =
    at(other.revision).copy(view = other.view.orElse(view))
}

/** Parses names with selectors. */
private[spark] object TableSelector {

  /** The latest version of the main branch. */
  val latest: TableSelector = TableSelector(None)

  private val branchPrefix = "branch_"
  private val tagPrefix = "tag_"

  /** Returns the alternative readings of a name: a table name followed by a selector.
    *
    * @param current the current namespace if the catalog is the current one. Spark does not resolve
    *   `t` in `t.tag_x` against it
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

  /** Combines the revision of the name with the revision of the query. */
  private def both(named: Revision, requested: Revision): Revision =
    if (named == requested) named
    else
      onBranch(named, requested).orElse(onBranch(requested, named)).getOrElse(
        throw new InvalidRequestException(
          s"the name says ${text(named)}, which does not go together with ${text(requested)}"
        )
      )

  /** Returns a version or time on a branch. */
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

  /** Returns the description of a revision for messages. */
  def text(revision: Revision): String = revision match {
    case Revision.Latest => "the latest version"
    case Revision.Version(v) => s"version ${java.lang.Long.toUnsignedString(v)}"
    case Revision.Tagged(tag) => s"tag $tag"
    case Revision.Named(name) => s"tag or branch $name"
    case Revision.OnBranch(branch, version) =>
      version.fold("")(v => s"version $v of ") + s"branch $branch"
    case Revision.AsOf(time, branch) => s"the time $time" + branch.fold("")(b => s" on branch $b")
  }
}

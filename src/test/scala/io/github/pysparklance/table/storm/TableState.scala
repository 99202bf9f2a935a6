// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.storm

import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{ManifestFile, Versions}
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.table.scan.MetadataColumn
import io.github.pysparklance.testkit.IndexCoverage._
import io.github.pysparklance.testkit.TableRows

/** The state of a table that is visible to readers: everything except times and file names.
  *
  * @param versions versions by number, with their content
  * @param refs descriptions of tags and branches
  */
final case class TableState(versions: Map[Long, TableState.Version], refs: Seq[String]) {

  /** Number of the latest version. */
  def latest: Long = versions.keys.max

  /** The rows of the latest version, in any order. */
  def rows: Seq[Seq[Any]] = versions(latest).rows

  override def toString: String = versions.toSeq.sortBy(_._1).map { case (n, v) =>
    s"$n: ${v.rows.length} rows ${v.about}"
  }.mkString("versions ", "; ", refs.mkString("; refs ", ", ", ""))
}

object TableState {

  /** One version.
    *
    * @param rows sorted
    * @param about description of schema, properties, and fragments
    */
  final case class Version(rows: Seq[Seq[Any]], about: String)

  /** Reads a table; none if it does not exist.
    *
    * @param newestOnly whether to read only the latest version
    */
  def of(store: FileStore, path: String, newestOnly: Boolean = false): Option[TableState] =
    if (!LanceTable.exists(store, path)) None
    else if (newestOnly) {
      val t = LanceTable.open(store, path)
      Some(TableState(Map(t.version -> version(store, t)), Nil))
    } else {
      val main = versions(store, path)
      val branches = LanceTable.branches(store, path).list().map(_.name).sorted
      val onBranches = branches.map { b =>
        val tip = LanceTable.open(store, path, Revision.OnBranch(b))
        s"branch $b at ${tip.version}: ${version(store, tip)}"
      }
      val tags = LanceTable.tags(store, path).list().map { t =>
        s"tag ${t.name}: ${t.version} of ${t.branch.getOrElse("main")}"
      }
      Some(TableState(main, tags.sorted ++ onBranches))
    }

  private def versions(store: FileStore, path: String): Map[Long, Version] =
    LanceTable
      .versions(store, path)
      .map(v => v -> version(store, LanceTable.open(store, path, Some(v))))
      .toMap

  private def version(store: FileStore, t: LanceTable): Version = {
    val identity = IndexedSeq(
      MetadataColumn.RowId,
      MetadataColumn.RowCreatedAtVersion,
      MetadataColumn.RowLastUpdatedAtVersion
    )
    val rows = TableRows(store, t, if (t.hasStableRowIds) identity else IndexedSeq.empty)
    val m = t.manifest
    Version(
      rows.sortBy(_.toString),
      withoutPath(t.path)(
        s"${m.schema} ${m.config} ${m.tableMetadata} ${m.flags} max ${m.maxFragmentId} of " +
          t.fragments.map(f => (f.id, f.physicalRows, f.liveRows)).mkString(" ") +
          m.basePaths.values.mkString(" bases ", " ", "") +
          t.indices.map(i => (i.name, i.coveredFragments)).mkString(" indices ", " ", "")
      )
    )
  }

  private def withoutPath(path: String)(text: String): String =
    text.replace(path.split("/tree/").head, "<table>")

  /** All files of a table as paths below its root, without files of branches. */
  def files(store: FileStore, path: String): Set[String] =
    store.listFiles(path).map(_.relativePath).filterNot(_.startsWith("tree/")).toSet

  /** The files needed by versions of the main branch, tags, and the hint, as paths below the root
    * of the table.
    */
  def needed(store: FileStore, path: String): Set[String] = {
    val root = TablePath(path)
    val all = files(store, path)
    val ofVersions = new Versions(store, root).list().flatMap { location =>
      val m = ManifestFile.read(store, location).manifest
      val indices = LanceTable.open(store, path, Some(location.version)).indices
      val ofIndices = all.filter(f => indices.exists(i => f.startsWith(s"_indices/${i.uuid}/")))
      val ofFragments = m.fragments.flatMap { f =>
        f.files.map(m.pathOf(root, _)) ++ f.deletionFile.map(m.pathOf(root, f.id, _))
      }
      val transaction = m.transactionFile.map(root.folder("_transactions").resolve)
      Seq(location.path) ++ transaction ++ ofFragments ++ ofIndices.map(root.resolve)
    }
    ofVersions.filter(_.startsWith(s"$path/")).map(_.stripPrefix(s"$path/")).toSet ++
      all.filter(f => f.startsWith("_refs/") || f.endsWith("_hint.json"))
  }
}

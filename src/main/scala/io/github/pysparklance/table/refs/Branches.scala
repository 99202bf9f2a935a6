// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.time.Instant

import com.fasterxml.jackson.databind.JsonNode

import io.github.pysparklance.core.{NotFoundException, Place}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** A line of versions of its own that began at a version of another branch.
  *
  * @param parentBranch none: the main branch
  * @param parentVersion the version it began at
  * @param manifestSizeBytes length of that version's manifest, where it is noted
  */
final case class Branch(
    name: String,
    parentBranch: Option[String],
    parentVersion: Long,
    createdAt: Option[Instant],
    manifestSizeBytes: Option[Long],
    metadata: Map[String, String]
)

/** The branches of a table but for the main one. Each is a table of its own below `tree`, whose manifests refer to
  * the files of its parent by base paths.
  *
  * {{{
  *   _refs/branches/team%2Ffix.json   {"parentBranch": "dev", "parentVersion": 2, "createAt": 1795242088,
  *                                     "identifier": {...}, "manifestSize": 637, "metadata": {}}
  *   tree/team/fix/_versions/...
  * }}}
  * Source: format page of the table, "Branches".
  *
  * @param root of the table, not of a branch
  */
final class Branches(store: FileStore, root: TablePath) {
  private val folder = root.folder("_refs/branches")

  /** All branches by name. */
  def list(): IndexedSeq[Branch] =
    RefFile.names(store, folder).map(_.replace("%2F", "/")).flatMap(find)

  /** The branch of a name.
    *
    * @throws NotFoundException when there is none
    * @throws io.github.pysparklance.core.InvalidRequestException when no branch can have this name
    * @throws io.github.pysparklance.core.CorruptFileException when its file is damaged
    */
  def apply(name: String): Branch = get(name).getOrElse(
    throw new NotFoundException(s"branch $name", Place(path = Some(root.root)))
  )

  /** The same, none when there is no such branch. */
  def get(name: String): Option[Branch] = {
    RefNames.checkBranch(name)
    find(name)
  }

  /** The folder of a branch that is there; of the main branch the table's own.
    *
    * @throws NotFoundException when there is none of that name
    */
  def rootOf(name: String): TablePath =
    if (name == RefNames.mainBranch) root else folderOf(apply(name))

  /** The same, none when there is no such branch. */
  private[refs] def findRoot(name: String): Option[TablePath] =
    if (name == RefNames.mainBranch) Some(root) else get(name).map(folderOf)

  private def folderOf(branch: Branch): TablePath = root.folder("tree").folder(branch.name)

  private def find(name: String): Option[Branch] =
    RefFile.read(store, folder, name.replace("/", "%2F"))(parse(name, _))

  private def parse(name: String, node: JsonNode): Branch = Branch(
    name,
    RefFile.text(node, "parentBranch").filterNot(_ == RefNames.mainBranch),
    RefFile.requiredNumber(node, "parentVersion"),
    RefFile.number(node, "createAt").map { seconds =>
      RefFile.check(seconds < Instant.MAX.getEpochSecond, s"createAt is $seconds, which is no time")
      Instant.ofEpochSecond(seconds)
    },
    RefFile.number(node, "manifestSize"),
    RefFile.metadata(node)
  )
}

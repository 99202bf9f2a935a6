// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.time.Instant

import com.fasterxml.jackson.databind.JsonNode

import io.github.pysparklance.core.{
  BestEffort,
  InvalidRequestException,
  NotFoundException,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{BasePaths, TableFolders, Versions}
import io.github.pysparklance.table.transaction.Commit
import io.github.pysparklance.table.transaction.operation.{Clone, CloneOf}

/** A separate line of versions that was created from a version of another branch.
  *
  * @param parentBranch `None` for the main branch
  * @param parentVersion the version that it was created from
  * @param manifestSizeBytes length of that version's manifest, if recorded
  * @param id the path from the main branch to this one
  */
final case class Branch(
    name: String,
    parentBranch: Option[String],
    parentVersion: Long,
    createdAt: Option[Instant],
    manifestSizeBytes: Option[Long],
    metadata: Map[String, String],
    id: BranchId
)

/** The branches of a table, except the main branch. Each is a separate table below `tree`, whose
  * manifests reference the files of its parent by base paths.
  *
  * {{{
  *   _refs/branches/team%2Ffix.json   {"parentBranch": "dev", "parentVersion": 2, "createAt": 1795242088,
  *                                     "identifier": {...}, "manifestSize": 637, "metadata": {}}
  *   tree/team/fix/_versions/...
  * }}}
  * Source: format page of the table, "Branches".
  *
  * @param root root of the table, not of a branch
  */
final class Branches(store: FileStore, root: TablePath) {
  private val folder = root.folder("_refs/branches")

  /** Returns all branches, ordered by name. */
  def list(): IndexedSeq[Branch] = RefFile.list(store, folder)(find)

  /** Returns a branch by name.
    *
    * @throws NotFoundException if it does not exist
    * @throws io.github.pysparklance.core.InvalidRequestException if the name is not a valid branch
    *   name
    * @throws io.github.pysparklance.core.CorruptFileException if its file is damaged
    */
  def apply(name: String): Branch = get(name).getOrElse(
    throw new NotFoundException(s"branch $name", Place(path = Some(root.root)))
  )

  /** Like [[apply]], but `None` if the branch does not exist. */
  def get(name: String): Option[Branch] = {
    RefNames.checkBranch(name)
    find(name)
  }

  /** Returns the folder of a branch, or the table's own root for the main branch.
    *
    * @throws NotFoundException if the branch does not exist
    */
  def rootOf(name: String): TablePath =
    if (name == RefNames.mainBranch) root else folderOf(apply(name))

  /** Like [[rootOf]], but `None` if the branch does not exist. */
  private[refs] def findRoot(name: String): Option[TablePath] =
    if (name == RefNames.mainBranch) Some(root) else get(name).map(folderOf)

  private def folderOf(branch: Branch): TablePath = root.folder("tree").folder(branch.name)

  private def find(name: String): Option[Branch] =
    RefFile.read(store, folder, name)(parse(name, _))

  /** Creates a branch from a version of any branch. The first version of the branch has the same
    * number and references the files of that version by a base path.
    *
    * @throws InvalidRequestException if the branch exists or the name is not valid
    * @throws NotFoundException if the version does not exist, or a clean-up removes it meanwhile
    */
  def create(name: String, revision: Revision = Revision.Latest): Branch = inTable {
    RefNames.checkNewBranch(name)
    def taken(why: String): Nothing =
      throw new InvalidRequestException(s"branch $name exists already$why")
    val source = new Revisions(store, root)(revision)
    val version = source.file.manifest.version
    if (version < 0)
      throw new UnsupportedFeatureException(
        "creating a branch from a detached version; restore it first"
      )
    if (find(name).isDefined) taken("")
    val folderOfNew = root.folder("tree").folder(name)
    if (new Versions(store, folderOfNew).latest().isDefined)
      taken(
        " as files of an interrupted creation or removal; delete it with force"
      )
    val parent = source.branch.fold(BranchId.main)(apply(_).id)
    val operation = CloneOf(
      Clone(
        isShallow = true,
        source.branch,
        version,
        BasePaths.of(store, source.root.root),
        Some(name)
      ),
      source.file
    )
    new Commit(store, folderOfNew)(operation, None)
    val node = RefFile.newNode()
    source.branch.fold(node.putNull("parentBranch"))(node.put("parentBranch", _))
    parent.child(version).put(node)
    node.put("parentVersion", version)
    node.put("createAt", Instant.now().getEpochSecond)
    node.put("manifestSize", source.manifestSizeBytes(store))
    RefFile.putMetadata(node, Map.empty)
    if (!RefFile.create(store, folder, name, node)) taken("")
    SourceCheck(store, source.root, source.location, s"branch $name")(delete(name))
    parse(name, node)
  }

  /** Replaces the metadata of a branch.
    *
    * @throws NotFoundException if the branch does not exist
    */
  def replaceMetadata(name: String, metadata: Map[String, String]): Branch = inTable {
    RefNames.checkBranch(name)
    val node = RefFile
      .read(store, folder, name)(identity)
      .getOrElse(throw new NotFoundException(s"branch $name"))
    RefFile.putMetadata(node, metadata)
    RefFile.replace(store, folder, name, node)
    parse(name, node)
  }

  /** Deletes a branch with its versions and files. Keeps the files of all other branches, also of
    * those that are created meanwhile.
    *
    * @param force whether to also delete files of an interrupted creation or removal if the branch
    *   does not exist
    * @throws NotFoundException if the branch does not exist, unless `force` is set
    * @throws InvalidRequestException if another branch was created from it, or a tag references one
    *   of its versions
    */
  def delete(name: String, force: Boolean = false): Unit = inTable {
    RefNames.checkBranch(name)
    val all = list()
    val branch = all.find(_.name == name)
    if (branch.isEmpty && !force) throw new NotFoundException(s"branch $name")
    val others = all.filterNot(_.name == name)
    def reject(why: String): Nothing =
      throw new InvalidRequestException(s"branch $name cannot be deleted: $why; delete that first")
    others
      .find(o => o.parentBranch.contains(name) || branch.exists(b => o.id.isBelow(b.id)))
      .foreach(o => reject(s"branch ${o.name} was created from its version ${o.parentVersion}"))
    new Tags(store, root).list().find(_.branch.contains(name)).foreach { t =>
      reject(s"tag ${t.name} references its version ${java.lang.Long.toUnsignedString(t.version)}")
    }
    // The reference is deleted first, so that the branch cannot be opened while its files are
    // deleted.
    store.delete(RefFile.path(folder, name))
    new Versions(store, root.folder("tree").folder(name)).forget()
    deleteFiles(name, others.map(_.name))
  }

  /** Deletes the folders of a branch, with the versions last, so that its name is taken until its
    * files are gone. Then deletes the folders above, up to `tree`, if they are empty.
    */
  private def deleteFiles(name: String, others: Seq[String]): Unit = {
    val tree = root.folder("tree")
    val own = tree.folder(name)
    val present = store.listNames(own.root).toSet
    Branches.foldersOf(name, others).reverse.filter(present).foreach { f =>
      store.deleteFolder(own.resolve(f))
    }
    BestEffort.run(s"${own.root}: removing empty folders") {
      Branches.parents(name).map(tree.resolve).takeWhile(store.deleteEmptyFolder).foreach(_ => ())
    }: Unit
  }

  private def inTable[A](body: => A): A = Place.in(Place(path = Some(root.root)))(body)

  private def parse(name: String, node: JsonNode): Branch = Branch(
    name,
    RefFile.text(node, "parentBranch").filterNot(_ == RefNames.mainBranch),
    RefFile.requiredNumber(node, "parentVersion"),
    RefFile.number(node, "createAt").map { seconds =>
      RefFile.check(
        seconds < Instant.MAX.getEpochSecond,
        s"createAt is $seconds, which is not a valid time"
      )
      Instant.ofEpochSecond(seconds)
    },
    RefFile.number(node, "manifestSize"),
    RefFile.metadata(node),
    BranchId.parse(node).getOrElse(
      BranchId.ofEarlyRelease(
        name,
        RefFile.text(node, "parentBranch"),
        RefFile.requiredNumber(node, "parentVersion"),
        RefFile.number(node, "createAt").getOrElse(0L)
      )
    )
  )
}

private[refs] object Branches {

  /** Returns the folders of a table that belong to a branch, relative to its own folder. Folders of
    * other names belong to branches whose names begin with this name.
    *
    * Other releases allow branches such as `a/data` beside `a`. Their folders are kept, so that the
    * data files of `a` stay as long as the branch `a/data`.
    *
    * @param others names of the remaining branches
    */
  def foldersOf(name: String, others: Seq[String]): Seq[String] =
    TableFolders.all.filterNot { f =>
      others.exists(TablePath.isWithin(_, s"$name/$f"))
    }

  /** Returns the folders below `tree` that may be empty without a branch: its own and those above
    * it, innermost first. A folder such as `a/data` can belong to the branch `a`.
    */
  def parents(name: String): Iterator[String] =
    name.split("/").toSeq.inits.takeWhile(_.nonEmpty)
      .takeWhile(segments => !TableFolders.all.contains(segments.last))
      .map(_.mkString("/"))
}

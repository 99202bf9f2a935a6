// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.time.Instant

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import io.github.pysparklance.core.{InvalidRequestException, NotFoundException, Place}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** A name for a version, which remains until it is deleted.
  *
  * @param branch `None` for the main branch
  * @param manifestSizeBytes length of the version's manifest, if recorded
  */
final case class Tag(
    name: String,
    branch: Option[String],
    version: Long,
    createdAt: Option[Instant],
    updatedAt: Option[Instant],
    manifestSizeBytes: Option[Long],
    metadata: Map[String, String]
)

/** The tags of a table, including tags of versions on branches.
  *
  * {{{
  *   _refs/tags/{name}.json   {"branch": null, "version": 2, "createdAt": "2026-11-21T06:21:28.557Z",
  *                             "updatedAt": "...", "manifestSize": 564, "metadata": {}}
  * }}}
  * Source: format page of the table, "Tags".
  *
  * @param root root of the table, not of a branch
  */
final class Tags(store: FileStore, root: TablePath) {
  private val folder = root.folder("_refs/tags")

  /** Returns all tags, ordered by name. */
  def list(): IndexedSeq[Tag] = RefFile.list(store, folder)(find)

  /** Returns a tag by name.
    *
    * @throws NotFoundException if it does not exist
    * @throws io.github.pysparklance.core.InvalidRequestException if the name is not a valid tag
    *   name
    * @throws io.github.pysparklance.core.CorruptFileException if its file is damaged
    */
  def apply(name: String): Tag = get(name).getOrElse(
    throw new NotFoundException(s"tag $name", Place(path = Some(root.root)))
  )

  /** Like [[apply]], but `None` if the tag does not exist. */
  def get(name: String): Option[Tag] = {
    RefNames.checkTag(name)
    find(name)
  }

  /** Creates a tag, which protects its version from clean-up.
    *
    * @param revision the version to tag, on any branch
    * @param metadata user-defined metadata
    * @throws InvalidRequestException if the tag exists or the name is not valid
    * @throws NotFoundException if the version does not exist, or a clean-up removes it meanwhile
    */
  def create(
      name: String,
      revision: Revision = Revision.Latest,
      metadata: Map[String, String] = Map.empty
  ): Tag = inTable {
    RefNames.checkNewTag(name)
    val node = RefFile.newNode()
    val now = Instant.now()
    val found = point(node, revision, Some(now), now)
    RefFile.putMetadata(node, metadata)
    if (!RefFile.create(store, folder, name, node))
      throw new InvalidRequestException(s"tag $name exists already; update or delete it")
    check(found, s"tag $name")(store.delete(RefFile.path(folder, name)): Unit)
    parse(name, node)
  }

  /** Moves a tag to another version. Its metadata remain.
    *
    * @throws NotFoundException if the tag or version does not exist
    */
  def update(name: String, revision: Revision): Tag = inTable {
    RefNames.checkTag(name)
    val before = node(name)
    val now = before.deepCopy()
    val found = point(now, revision, parse(name, before).createdAt, Instant.now())
    RefFile.replace(store, folder, name, now)
    check(found, s"the move of tag $name")(RefFile.replace(store, folder, name, before))
    parse(name, now)
  }

  /** Replaces the metadata of a tag.
    *
    * @throws NotFoundException if the tag does not exist
    */
  def replaceMetadata(name: String, metadata: Map[String, String]): Tag = inTable {
    RefNames.checkTag(name)
    val edited = node(name)
    RefFile.putMetadata(edited, metadata)
    RefFile.replace(store, folder, name, edited)
    parse(name, edited)
  }

  /** Deletes a tag. Clean-up may then remove the version.
    *
    * @throws NotFoundException if the tag does not exist
    */
  def delete(name: String): Unit = inTable {
    RefNames.checkTag(name)
    if (!store.delete(RefFile.path(folder, name))) throw new NotFoundException(s"tag $name")
  }

  private def node(name: String): ObjectNode = RefFile
    .read(store, folder, name)(identity)
    .getOrElse(throw new NotFoundException(s"tag $name"))

  private def check(found: Found, what: String)(undo: => Unit): Unit =
    SourceCheck(store, found.root, found.location, what)(undo)

  private def point(
      node: ObjectNode,
      revision: Revision,
      createdAt: Option[Instant],
      updatedAt: Instant
  ): Found = {
    val found = new Revisions(store, root)(revision)
    found.branch.fold(node.putNull("branch"))(node.put("branch", _))
    RefFile.putVersion(node, "version", found.version)
    createdAt.foreach(t => node.put("createdAt", t.toString))
    node.put("updatedAt", updatedAt.toString)
    node.put("manifestSize", found.manifestSizeBytes(store))
    found
  }

  private def inTable[A](body: => A): A = Place.in(Place(path = Some(root.root)))(body)

  private def find(name: String): Option[Tag] =
    RefFile.read(store, folder, name)(parse(name, _))

  private def parse(name: String, node: JsonNode): Tag = Tag(
    name,
    RefFile.text(node, "branch").filterNot(_ == RefNames.mainBranch),
    RefFile.version(node, "version"),
    RefFile.time(node, "createdAt"),
    RefFile.time(node, "updatedAt"),
    RefFile.number(node, "manifestSize"),
    RefFile.metadata(node)
  )
}

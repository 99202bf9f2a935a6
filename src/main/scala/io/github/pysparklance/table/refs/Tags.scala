// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.time.Instant

import com.fasterxml.jackson.databind.JsonNode

import io.github.pysparklance.core.{NotFoundException, Place}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** A name for a version, kept until somebody removes it.
  *
  * @param branch none: the main branch
  * @param manifestSizeBytes length of the version's manifest, where it is noted
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

/** The tags of a table, those of versions on branches included.
  *
  * {{{
  *   _refs/tags/{name}.json   {"branch": null, "version": 2, "createdAt": "2026-11-21T06:21:28.557Z",
  *                             "updatedAt": "...", "manifestSize": 564, "metadata": {}}
  * }}}
  * Source: format page of the table, "Tags".
  *
  * @param root of the table, not of a branch
  */
final class Tags(store: FileStore, root: TablePath) {
  private val folder = root.folder("_refs/tags")

  /** All tags by name. */
  def list(): IndexedSeq[Tag] = RefFile.names(store, folder).flatMap(find)

  /** The tag of a name.
    *
    * @throws NotFoundException when there is none
    * @throws io.github.pysparklance.core.InvalidRequestException when no tag can have this name
    * @throws io.github.pysparklance.core.CorruptFileException when its file is damaged
    */
  def apply(name: String): Tag = get(name).getOrElse(
    throw new NotFoundException(s"tag $name", Place(path = Some(root.root)))
  )

  /** The same, none when there is no such tag. */
  def get(name: String): Option[Tag] = {
    RefNames.checkTag(name)
    find(name)
  }

  private def find(name: String): Option[Tag] =
    RefFile.read(store, folder, name)(parse(name, _))

  private def parse(name: String, node: JsonNode): Tag = Tag(
    name,
    RefFile.text(node, "branch").filterNot(_ == RefNames.mainBranch),
    RefFile.requiredNumber(node, "version"),
    RefFile.time(node, "createdAt"),
    RefFile.time(node, "updatedAt"),
    RefFile.number(node, "manifestSize"),
    RefFile.metadata(node)
  )
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** Tags by which streams keep the versions that they have not read. Clean-up keeps the version of
  * such a tag and all later versions of its branch. Other writers know only the tag, and keep its
  * version.
  *
  * @param root root of the table, not of a branch
  */
final class StreamMarks(store: FileStore, root: TablePath) {
  private val tags = new Tags(store, root)

  /** Creates the tag of a stream, or moves it.
    *
    * @param name name of the tag
    * @param branch `None` for the main branch
    * @param version the last version that the stream has read, or is reading
    * @param stream description of the stream
    * @throws io.github.pysparklance.core.NotFoundException if the version does not exist
    * @throws io.github.pysparklance.core.InvalidRequestException if a user has a tag of this name
    */
  def put(name: String, branch: Option[String], version: Long, stream: String): Unit = {
    val revision =
      branch.fold[Revision](Revision.Version(version))(Revision.OnBranch(_, Some(version)))
    tags.get(name) match {
      case Some(tag) if tag.branch == branch && tag.version == version => ()
      case Some(tag) =>
        StreamMarks.check(tag)
        tags.update(name, revision): Unit
      case None => tags.create(name, revision, Map(StreamMarks.key -> stream)): Unit
    }
  }
}

object StreamMarks {

  /** Member of the tag's metadata that makes it a mark. */
  val key: String = "lance.spark.stream"

  /** Whether a tag is the mark of a stream. */
  def isMark(tag: Tag): Boolean = tag.metadata.contains(key)

  private def check(tag: Tag): Unit =
    if (!isMark(tag))
      throw new InvalidRequestException(
        s"tag ${tag.name} is not the mark of a stream: drop it"
      )
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/** Identifies a branch of a table, also among branches that had the same name before.
  *
  * {{{
  *   "identifier": {"version_mapping": [[2, "6b2b65e4d25c4c6da2ce57ca69729307"],
  *                                     [5, "533e3c108cbf44b683f1e011d83ddf31"]]}
  *                  created from version 2 of the main branch ..., and from there another one at version 5
  * }}}
  * Source: format page of the table, "Branches".
  *
  * @param path for each branch from the main branch to this one, the version it was created from
  *   and 32 hexadecimal digits
  */
final case class BranchId(path: IndexedSeq[(Long, String)]) {

  /** Whether this branch was created from another one, directly or indirectly. */
  def isBelow(other: BranchId): Boolean =
    path.length > other.path.length && path.startsWith(other.path)

  /** Returns the id of a new branch created from this one. */
  def child(version: Long): BranchId =
    BranchId(path :+ (version -> UUID.randomUUID().toString.replace("-", "")))

  private[refs] def put(node: ObjectNode): Unit = {
    val mapping = node.putObject("identifier").putArray("version_mapping")
    path.foreach { case (version, digits) => mapping.addArray().add(version).add(digits) }
  }
}

object BranchId {

  /** The id of the main branch. */
  val main: BranchId = BranchId(IndexedSeq.empty)

  /** Returns `None` for files of early releases. */
  private[refs] def parse(node: JsonNode): Option[BranchId] =
    Option(node.get("identifier")).filterNot(_.isNull).map { id =>
      val mapping = id.path("version_mapping")
      val pairs = mapping.elements.asScala.toIndexedSeq
      RefFile.check(
        mapping.isArray && pairs.forall { p =>
          p.isArray && p.size == 2 && p.get(0).canConvertToLong && p.get(0).isIntegralNumber &&
          p.get(1).isTextual
        },
        "identifier is not a list of versions and ids"
      )
      BranchId(pairs.map(p => p.get(0).longValue -> p.get(1).textValue))
    }

  /** Returns the id of a branch whose file has none: a hash of the file's content, which is the
    * same for all readers.
    */
  private[refs] def ofEarlyRelease(
      name: String,
      parentBranch: Option[String],
      parentVersion: Long,
      createAt: Long
  ): BranchId = {
    val text =
      s"branch_name=$name\nparent_branch=${parentBranch.getOrElse("")}\n" +
        s"parent_version=$parentVersion\ncreate_at=$createAt"
    def hash(seed: Long): Long =
      text.getBytes(UTF_8).foldLeft(seed)((h, b) => (h ^ (b & 0xffL)) * 0x100000001b3L)
    val seed = 0xcbf29ce484222325L
    BranchId(IndexedSeq(0L -> f"${hash(seed)}%016x${hash(seed ^ 0x9e3779b97f4a7c15L)}%016x"))
  }
}

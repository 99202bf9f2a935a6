// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.table.proto

/** Starts a table or a branch from a version of another one.
  *
  * Source: message `Clone`, transaction.proto.
  *
  * @param isShallow whether files stay in place; otherwise, they are copied
  * @param refName the branch or tag that was cloned
  * @param refVersion the version that was cloned, which is also the version of the clone
  * @param refPath the root of the source
  * @param branchName the branch that was created
  */
final case class Clone(
    isShallow: Boolean,
    refName: Option[String],
    refVersion: Long,
    refPath: String,
    branchName: Option[String]
) extends PlainOperation {
  def name: String = "Clone"

  private[table] def write(b: proto.Transaction.Builder): Unit = {
    val c = proto.Transaction.Clone
      .newBuilder()
      .setIsShallow(isShallow)
      .setRefVersion(refVersion)
      .setRefPath(refPath)
    refName.foreach(c.setRefName)
    branchName.foreach(c.setBranchName)
    b.setClone(c): Unit
  }

  override private[table] def needsSoundBase: Boolean = false

  private[table] def build(m: ManifestBuilder): Unit =
    throw new InvalidRequestException("a clone needs a source version")
}

object Clone {
  private[transaction] def parse(m: proto.Transaction.Clone): Clone = Clone(
    m.getIsShallow,
    if (m.hasRefName) Some(m.getRefName) else None,
    m.getRefVersion,
    m.getRefPath,
    if (m.hasBranchName) Some(m.getBranchName) else None
  )
}
